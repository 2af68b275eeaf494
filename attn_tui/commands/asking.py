"""The question that SCORES and options ask together."""

import os
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from stat import S_ISFIFO, S_ISREG
from typing import TYPE_CHECKING, Any, TypeVar

import click

from attn_tui.captures.suffixes import SUFFIXES, suffix_of
from attn_tui.commands.options import Given, changes_of, reading
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.field import whole
from attn_tui.compute.mask import parse_mask
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale, parse_scale
from attn_tui.compute.setup import FIELDS, Setup

if TYPE_CHECKING:
    from attn_tui.compute.experiment import Experiment
    from attn_tui.compute.source import Drawn, Products, Source

T = TypeVar("T")

NONE = "none"
"""What takes a mask away."""

_VECTORS = ("query", "keys", "values")
_PLACES = ("layer", "head", "row", "batch")
_HOW = ("layout", "names", "config")
_SCORES = ("scores", "draw", "seed", "vectors", *_VECTORS)


def experiment_of(
    given: Mapping[str, Any], *edits: Callable[[Setup], Setup], source: "Source | None" = None
) -> "Experiment":
    """Return the question that SCORES and options ask, starting from a file or an example.

    Args:
        given: The shared options.
        edits: What an instrument's own options put into the setup.
        source: Where scores come from if a file does not say; without it it must.

    Raises:
        InputError: Naming the input that will not do.
    """
    from attn_tui.compute.experiment import Experiment
    from attn_tui.files.draft import EXAMPLE, parse

    given = Given(given)
    _check_ways(given)

    def edited(setup: Setup) -> Setup:
        return reduce(lambda before, edit: edit(before), edits, _setup(given, setup))

    # What is wrong with an option is said before a file is read.
    edited(EXAMPLE.setup)
    start = _start(given, source) or parse(EXAMPLE)
    source = _source(given, start.source)
    if given["capture"]:
        from attn_tui.captures.source import Captured
        from attn_tui.files.captured import as_captured

        assert isinstance(source, Captured)
        setup = edited(as_captured(start.setup, source))
        if not setup.scale.given:
            # Unless another layer is named, a rule that goes by layers is that of its own.
            setup = setup.put(setup.scale.at_layer(source.place[1]))
    else:
        setup = edited(start.setup)
    if given["d_k"] is not None and source.d_k not in (None, setup.d_k):
        raise InputError(
            "d_k",
            f"{setup.d_k} contradicts q, which has {source.d_k} numbers",
            f"{source.d_k}, or no --d-k",
        )
    try:
        return Experiment(source, setup)
    except InputError as error:
        given_from = "experiment" if given["experiment"] is not None else "example"
        if given.get(given_from) is not None and given.get(error.field) is None:
            raise InputError(given_from, error.problem, error.expected, error.field) from None
        raise


def setup_experiment_of(given: Mapping[str, Any], *edits: Callable[[Setup], Setup]) -> "Experiment":
    """Return the question that an instrument asks which draws by itself.

    Args:
        given: The options it shares.
        edits: What its own options put into the setup.

    Raises:
        InputError: Naming the input that will not do.
    """
    from attn_tui.files.draft import EXAMPLE, parse

    # Its own options, such as --seed, may be called as those of scores are.
    shared = {name: given[name] for name in ("experiment", "d_k", "rule", "model")}
    return experiment_of(shared, *edits, source=parse(EXAMPLE).source)


def with_tokens(experiment: "Experiment", given: str | None) -> "Experiment":
    """Return a question whose queries and keys are called as a file says, if one is given.

    Raises:
        InputError: With field ``"tokens"``, if there is no such file, or no list in it.
    """
    if given is None:
        return experiment
    from attn_tui.compute.attention.settings import Settings
    from attn_tui.files.readers import read_tokens

    setup = experiment.setup
    return replace(
        experiment, setup=setup.put(replace(setup.get(Settings), tokens=read_tokens(given)))
    )


def gradient_experiment_of(given: Mapping[str, Any]) -> "Experiment":
    """Return the question with the gradient that options choose, of a key that is there.

    A saved question may be of a key that its scores have not: the last one then stands for it,
    as on the screen that saved it.

    Raises:
        InputError: Naming the input that will not do.
    """
    from attn_tui.compute.explore.answer import check_keys

    experiment = experiment_of(given, partial(edited, Settings, given))
    if all(given.get(name) in (None, ()) for name in ("of", *_SCORES)):
        return experiment
    try:
        check_keys(experiment)
    except InputError as error:
        if given["of"] is None:
            raise InputError("experiment", error.problem, error.expected, "of") from None
        raise
    return experiment


def files_text(given: Mapping[str, Any]) -> str:
    """Return the text that names the files that scores are read from; empty where it cannot."""
    from attn_tui.files.paths import shown_path
    from attn_tui.files.readers import arguments_text

    if given["scores"]:
        return "" if "-" in given["scores"] else arguments_text(given["scores"])
    if any(given[name] is not None for name in _VECTORS):
        parts = zip(("q", "K", "V"), _VECTORS, strict=True)
        named = [f"{part}: {arguments_text([given[name]])}" for part, name in parts if given[name]]
        return "\n".join(named)
    start = given["experiment"]
    return f"@{shown_path(start)}" if start not in (None, "-") else ""


def mention_unread_input(given: Mapping[str, Any]) -> None:
    """Say on standard error if standard input holds something while the example is shown."""
    places = ("draw", *_VECTORS, "example", "experiment")
    if given["scores"] or given.get("capture"):
        return
    if any(given.get(name) is not None for name in places):
        return
    if input_waits():
        click.echo("attn-tui: standard input is left unread; - among SCORES reads it", err=True)


def are_captures(words: Sequence[str]) -> bool:
    """Return whether arguments are the names of captures: scores are numbers, or begin with @."""
    return bool(words) and all(
        suffix_of(word) in SUFFIXES and not word.startswith("@") for word in words
    )


def heads_experiment_of(given: Mapping[str, Any]) -> "Experiment":
    """Return the question that options of ``heads`` ask.

    Raises:
        InputError: Naming the option that will not do.
    """
    from attn_tui.engine.settings import Settings as HeadSettings
    from attn_tui.files.draft import EXAMPLE, parse
    from attn_tui.files.models.opening import open_configured
    from attn_tui.heads.command import question

    if not given.get("captures"):
        raise InputError("capture", "none is given", "a file, such as capture.safetensors")
    wanted = question(Given(given))
    first = (given.get("statistic") or "").split(",")[0] or None
    changes = changes_of(HeadSettings, {**given, "statistic": first})
    settings = HeadSettings(
        tuple(given["captures"]),
        layer=(wanted.layers or (None,))[0],
        head=(wanted.heads or (None,))[0],
        what_if=wanted.making.own_rule and wanted.making.scale.is_default,
        **changes,
    )
    # What cannot be opened is said before there is a screen; map, list and doctor then all have
    # the heads of the configuration, which may lie beside the capture.
    found = open_configured(
        settings.capture, settings.layouts, settings.names, settings.config
    ).settled()
    settings = replace(settings, layouts=found.layouts, config=found.config)
    return parse(replace(EXAMPLE, setup=Setup(scale=wanted.making.scale).put(settings)))


def input_waits() -> bool:
    """Return whether standard input is a file or a pipe with something in it, as far as is known.

    What a pipe is still to bring is not waited for: it may never end.
    """
    try:
        from fcntl import ioctl
        from termios import FIONREAD

        status = os.fstat(0)
        if S_ISREG(status.st_mode):
            return os.lseek(0, 0, os.SEEK_CUR) < status.st_size
        if not S_ISFIFO(status.st_mode):
            return False
        (held,) = struct.unpack("i", ioctl(0, FIONREAD, bytes(struct.calcsize("i"))))
        return bool(held > 0)
    except (ImportError, OSError):
        return False


def _check_ways(given: Given) -> None:
    """Check that scores come from one place only, and the rest of the question from one."""
    if [*(given["scores"] or ()), given["experiment"]].count("-") > 1:
        raise InputError("scores", "standard input is asked for twice", "- once")
    if given["example"] is not None and given["experiment"] is not None:
        raise InputError("example", "--experiment is given too", "one of them")
    ways = {
        "SCORES": bool(given["scores"]),
        "--draw": given["draw"] is not None,
        "--seed": given["seed"] is not None and given["draw"] is None,
        "--vectors": given["vectors"] is not None and given["draw"] is None,
        "--query": given["query"] is not None,
        "--keys": given["keys"] is not None,
        "--values": given["values"] is not None,
        "--capture": bool(given["capture"]),
    }
    for place in (*_PLACES, *_HOW):
        if given[place] is not None and not given["capture"]:
            raise InputError(place, "nothing is captured", "--capture FILE beside it")
    kinds = {"SCORES": "typed", "--capture": "captured"}
    kinds |= dict.fromkeys(("--draw", "--seed", "--vectors"), "drawn")
    names = [name for name, is_given in ways.items() if is_given]
    for name in names[1:]:
        if kinds.get(name) != kinds.get(names[0]):
            field = name.removeprefix("--")
            raise InputError(field, f"{names[0]} is given too", "scores from one place")


def _start(given: Given, source: "Source | None") -> "Experiment | None":
    """Return the question of a file or an example."""
    if given["experiment"] is not None:
        from attn_tui.files.readers import read_experiment

        return read_experiment(given["experiment"], source)
    if given["example"] is not None:
        from attn_tui.files.draft import parse
        from attn_tui.files.examples import EXAMPLES

        return parse(_named("example", given["example"], EXAMPLES).draft)
    return None


def _source(given: Given, start: "Source") -> "Source":
    """Return where the scores come from: what is given, else as it was."""
    from attn_tui.compute.source import Drawn, Products, Typed
    from attn_tui.files.readers import read_arguments

    if given["capture"]:
        return _captured(given)
    if given["scores"]:
        return Typed(read_arguments(given["scores"]))
    if any(given.get(name) is not None for name in ("draw", "seed", "vectors")):
        return _draw(given, start if isinstance(start, Drawn) else None)
    if any(given.get(name) is not None for name in _VECTORS):
        return _products(given, start if isinstance(start, Products) else None)
    return start


def _captured(given: Given) -> "Source":
    from attn_tui.files.captured import captured_at

    places: dict[str, Any] = {
        name: field.parse(name, given[name])
        for name, field in dict.fromkeys(_PLACES, whole(0)).items()
        if given[name] is not None
    }
    layout, names, config = reading(given)
    return captured_at(tuple(given["capture"]), layout=layout, names=names, config=config, **places)


def _draw(given: Given, start: "Drawn | None") -> "Drawn":
    from attn_tui.compute.source import Drawn

    if start is None and given["draw"] is None:
        field = "seed" if given["seed"] is not None else "vectors"
        raise InputError(field, "nothing is drawn", "--draw N beside it")
    changes = changes_of(Drawn, given)
    start = start or Drawn()
    try:
        return replace(start, **changes)
    except InputError as error:
        # Each will do by itself; so many vectors of so many keys do not.
        count = changes.get("count", start.count)
        raise InputError("vectors", f"'{count}' will not do", error.expected) from None


def _products(given: Given, start: "Products | None") -> "Products":
    from attn_tui.compute.source import Products
    from attn_tui.files.sources import read_matrix

    if start is None:
        missing = next((name for name in _VECTORS[:2] if given.get(name) is None), None)
        if missing:
            present = next(name for name in _VECTORS if given.get(name) is not None)
            raise InputError(present, f"--{missing} is missing", "both --query and --keys")
    query, keys, values = given["query"], given["keys"], given["values"]
    old_values = start.values if start else None
    return Products(
        start.queries if start and query is None else read_matrix(query or "", "q"),
        start.keys if start and keys is None else read_matrix(keys or "", "K"),
        old_values if values is None else read_matrix(values, "V"),
    )


def _setup(given: Given, setup: Setup) -> Setup:
    """Return a setup with what the options say in place of what it said."""
    if given["model"] is not None:
        field = FIELDS["model"]
        name = field.kind.parse(field.parameter, given["model"])
        setup = setup.changed(field, lambda _: name)
    if given["rule"] is not None:
        rule = parse_scale(given["rule"])
        setup = setup.put(replace(setup.scale, rule=rule.rule, given=rule.given))
    for kind in (Setup, Scale, Precision):
        setup = edited(kind, given, setup)
    if (mask := given["mask"]) is not None:
        setup = replace(setup, mask=parse_mask("" if mask.strip() == NONE else mask))
    return setup


def edited(kind: type, given: Mapping[str, Any], setup: Setup) -> Setup:
    """Return a setup with what options say of the fields of a dataclass in place of what it said.

    Raises:
        InputError: Naming the option that will not do.
    """
    return setup.put(replace(setup.get(kind), **changes_of(kind, given)))


def _named(field: str, name: str, known: Mapping[str, T]) -> T:
    if name not in known:
        article = "an" if field[0] in "aeiou" else "a"
        problem = f"{inert(name)} is not {article} {field}"
        raise InputError(field, problem, "one of " + ", ".join(known))
    return known[name]
