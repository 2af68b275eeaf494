"""``attn-tui schema`` says what ``--json`` prints, and ``attn-tui agent`` what there is."""

import json
import re
import shlex
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from attn_tui.commands.names import places
from attn_tui.commands.program import program
from attn_tui.instruments import load
from attn_tui.report.schema import schema, shapes
from tests.contract.shapes import MORE, faults
from tests.contract.test_numbers import attn_tui, fill, with_demo
from tests.test_cli_heads import call


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files that the command lines name."""
    folder = tmp_path_factory.mktemp("shapes")
    fill(folder)
    return folder


def unlike(line: str, text: str) -> list[str]:
    """Return where what a command line printed is not as the schema of its command says."""
    defs = schema(shlex.split(line)[0])["$defs"]
    return [*faults(json.loads(text), defs[shlex.split(line)[0]], defs)]


@pytest.mark.slow
@pytest.mark.parametrize("line", MORE)
def test_what_a_command_prints_is_as_its_schema_says(line: str, folder: Path) -> None:
    if "demo/" in line:
        with_demo(folder)
    assert unlike(line, attn_tui(line, folder).stdout) == []


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (f"{command}.differences[].{name}", value)
        for command in ("doctor.heads[]", "probe.heads[]", "diff.layers[].heads[]")
        for name in ("promised", "observed", "low", "high")
        for value in (None, 0.5)
    ]
    + [
        ("doctor.heads[].multiplier", None), ("probe.heads[].multiplier", [None, None, 0.5]),
        ("probe.expected.multiplier", None), ("probe.expected.softcap", None),
        ("probe.expected.sink", [0.5, 1.0]), ("doctor.expected.mask", None),
        ("doctor.mask_applied", True), ("doctor.heads[].mask_applied", False),
        ("doctor.heads[].suspect", "dropout"), ("doctor.heads[].suspect", None),
        ("doctor.heads[].kv_head", None), ("doctor.heads[].rows.first", None),
        ("doctor.heads[].models[].windows", [3, 5]), ("doctor.heads[].models[].windows", None),
        ("doctor.heads[].models[].mask.offset", None), ("doctor.heads[].models[].sink", "learned"),
        ("doctor.heads[].models[].mask.hidden", [0, 3]), ("diff.layers[].inputs", None),
        ("diff.port", None), ("diff.first", None), ("diff.first", 3),
        ("doctor.silent", [{"layer": 0, "part": "sink", "heads": 3}]),
    ],
)  # fmt: skip
def test_the_schema_has_what_a_report_may_hold_though_none_has_shown_it(
    place: str, value: object
) -> None:
    command, *names = place.split(".")
    defs = schema(command)["$defs"]
    within = defs[command]
    for name in names:
        within = branch(branch(within, "object")["properties"][name.removesuffix("[]")], name)
    assert [*faults(value, within, defs)] == []


def branch(within: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the objects of a place, or the items of its lists where a name ends in ``[]``."""
    kind = "array" if name.endswith("[]") else "object"
    if name != "object" and kind == "object":
        return within
    every = within.get("anyOf", [within])
    one: Mapping[str, Any] = next(part for part in every if part.get("type") == kind)
    return one["items"] if kind == "array" else one


def test_every_command_that_prints_json_has_a_schema() -> None:
    with_json = {
        name
        for name, place in places().items()
        if any("--json" in parameter.opts for parameter in load(place).params)
    }
    assert with_json == shapes().keys() - {"experiment"}


def test_the_schema_of_a_question_has_the_bounds_of_its_fields() -> None:
    defs = schema("show")["$defs"]
    asked = defs["experiment"]["properties"]
    assert (asked["d_k"]["minimum"], asked["d_k"]["maximum"]) == (1, 65_536)
    assert asked["precision"]["enum"] == ["float64", "float32", "float16", "bfloat16"]
    assert asked["settings"]["properties"]["explore"]["properties"]["wrt"]["enum"]
    plain = json.loads(call("show", "1,2", "--json").stdout)["experiment"]
    assert [*faults(plain, defs["experiment"], defs)] == []
    for name, value in {"d_k": 0, "naive": 1, "softcap": "x", "rule": 2, "nothing": 1}.items():
        assert [*faults({**plain, name: value}, defs["experiment"], defs)], name


def test_the_schema_of_one_command_has_no_other() -> None:
    one = json.loads(call("schema", "doctor").stdout)
    assert (one["$ref"], [*one["$defs"]]) == ("#/$defs/doctor", ["number", "doctor"])
    every = json.loads(call("schema").stdout)
    assert {entry["$ref"] for entry in every["anyOf"]} == {
        f"#/$defs/{name}" for name in shapes() if name != "experiment"
    }


PAGE = files("attn_tui").joinpath("SKILL.md").read_text("utf-8")
LINES = [line for line in re.findall("`(attn-tui [^`]+)`", PAGE) if "COMMAND" not in line]


def test_agents_get_the_text_that_the_package_carries() -> None:
    assert call("agent").stdout == PAGE
    # One page: what an agent has to read before it does anything.
    assert len(PAGE.splitlines()) < 100
    assert re.match(r"---\nname: attn-tui\ndescription: .{80,500}\n---\n", PAGE)


@pytest.mark.parametrize("line", LINES)
def test_a_line_of_the_page_for_agents_has_options_that_exist(line: str) -> None:
    name, *words = shlex.split(line.split(" > ")[0])[1:]
    command = load(places()[name])
    # Options are read, and nothing is run.
    command.make_context(name, words, resilient_parsing=True)
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= known
    assert program.get_command(program.make_context("", ["--help"], resilient_parsing=True), name)


def test_the_page_for_agents_has_the_statuses_and_fields_of_the_program() -> None:
    from attn_tui.console.output import BAD_INPUT, FAILED, INTERRUPTED
    from attn_tui.diffing.difference import STATUSES as OF_DIFF
    from attn_tui.doctor.status import STATUSES

    told = dict(re.findall(r"^\| ([0-9]+) \| (.*) \|$", PAGE, re.M))
    used = {*STATUSES.values(), *OF_DIFF.values(), BAD_INPUT, FAILED, INTERRUPTED}
    assert {int(status) for status in told} == used
    for verdict, status in STATUSES.items():
        assert verdict in told[str(status)]
    every = shapes()
    for names, of, text in re.findall(r"^\| (`\w+`) \| ([a-z, ]+) \| (.*) \|$", PAGE, re.M):
        commands = ("doctor", "probe", "diff") if of == "all" else of.split(", ")
        for command in commands:
            shape = every[command]["properties"][names.strip("`")]
            inner = set(_names(shape))
            assert {*re.findall(r"`(\w+)`", text)} <= inner, (command, names)


def _names(shape: Any) -> list[str]:
    """Return every name in a shape."""
    if isinstance(shape, list):
        return [name for one in shape for name in _names(one)]
    if not isinstance(shape, Mapping):
        return []
    inner = [name for one in shape.values() for name in _names(one)]
    return [*shape.get("properties", {}), *inner]
