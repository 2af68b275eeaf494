"""``attn-tui heads`` on the command line."""

import csv
import io
import json
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from attn_tui.captures.writer import write_safetensors
from attn_tui.commands.program import program
from attn_tui.compute.head import Head
from attn_tui.compute.heads.odd import Odd
from attn_tui.compute.heads.statistic import STATISTICS
from attn_tui.compute.logit_map import LogitMap
from attn_tui.engine import plan as planning
from attn_tui.engine.survey import Survey
from tests.engine.captured import heads, write


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(write(tmp_path / "tiny.safetensors", heads()))


def call(*arguments: str) -> Result:
    return CliRunner().invoke(program, [*arguments])


def asked(*arguments: str) -> Any:
    result = call(*arguments, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


def test_it_begins_with_a_sentence_and_shows_layers_by_heads(path: str) -> None:
    text = call("heads", path, "--rows", "all").stdout
    lines = text.splitlines()
    z = {at: head.logits.max() for at, head in heads().items()}
    # A row with one key counts nowhere.
    largest = {at: head.weights[1:].max(axis=1).mean() for at, head in heads().items()}
    layer, head = max(largest, key=lambda at: largest[at])
    assert text.startswith(f"Of 12 heads none saturates: even in layer {layer} head {head}, the")
    assert f"a row puts {100 * largest[layer, head]:.0f} % of its weight" in " ".join(lines[:2])
    assert "causal, as the output says; P·V misses the output by almost nothing" in text
    assert "all 60 of each head" in text
    at = lines.index("largest z: the largest logit")
    assert lines[at + 1].split() == ["layer", "head", "0", "1", "2", "3"]
    for row in range(3):
        wanted = [f"{z[row, each]:#.3g}" for each in range(4)]
        assert lines[at + 2 + row].split() == [str(row), *wanted]
    assert max(map(len, lines)) <= 80
    assert "e-" not in lines[0]


def test_sampled_rows_say_so(path: str) -> None:
    text = call("heads", path, "--rows", "20", "--seed", "7").stdout
    assert "a sampled\nrow puts" in text
    assert "20 of 60 of each head, drawn with seed 7" in text
    assert "of the rows drawn, others may go further" in text
    assert "standard errors up to" in text
    assert "no |q·k| exceeds" in text


@pytest.mark.parametrize("name", STATISTICS)
def test_every_statistic_has_a_headline_and_a_table(path: str, name: str) -> None:
    for rows in ("all", "5"):
        text = call("heads", path, "--statistic", name, "--rows", rows).stdout
        assert STATISTICS[name].title + ": " in text
        first = text.partition("\n\n")[0]
        assert all(len(line) <= 78 for line in first.splitlines())
        assert "nan" not in text.lower()


def test_json_and_csv_say_the_same(path: str) -> None:
    names = ("max_logit", "entropy", "key_norm")
    given = ("heads", path, "--statistic", ",".join(names), "--rows", "30")
    plain = asked(*given)
    rows = [*csv.DictReader(io.StringIO(call(*given, "--csv").stdout))]
    assert len(rows) == 12 * 3
    for row in rows:
        head = next(
            each
            for each in plain["heads"]
            if (str(each["layer"]), str(each["head"])) == (row["layer"], row["head"])
        )
        found = head["statistics"][row["statistic"]]
        for name in ("value", "standard_error", "row", "key"):
            assert row[name] == ("" if found[name] is None else str(found[name]))
        assert sum(found["histogram"]) == (60 if row["statistic"] == "key_norm" else 30)
    assert plain["question"] == {
        "rows": 30, "seed": 1, "layers": None, "heads": None, "rule": "inverse-sqrt",
        "own_rule": False, "parameters": {},
        "softcap": None, "uncapped": False, "sink": "captured", "mask": "auto", "tau": 100.0,
    }  # fmt: skip
    assert [mask["mask"] for mask in plain["masks"]] == ["causal"] * 3


def test_each_statistic_says_of_which_rows_it_is(path: str) -> None:
    # The first of causal rows sees one key.
    plain = asked("heads", path, "--rows", "all", "--statistic", ",".join(STATISTICS))
    text = " ".join(call("heads", path, "--statistic", ",".join(STATISTICS)).stdout.split())
    for name, statistic in STATISTICS.items():
        counted = sum(plain["heads"][0]["statistics"][name]["histogram"])
        said = f"{statistic.title}: {statistic.words}, of rows with a choice" in text
        assert counted == 60 - said, name
    assert text.count("of rows with a choice") == 4


def test_sort_lists_heads_worst_first(path: str) -> None:
    plain = asked("heads", path, "--sort", "entropy", "--statistic", "entropy")
    found = [head["statistics"]["entropy"]["value"] for head in plain["heads"]]
    assert found == sorted(found)
    text = call("heads", path, "--sort", "entropy").stdout.splitlines()
    at = next(at for at, line in enumerate(text) if line.startswith("layer   head"))
    worst = plain["heads"][0]
    assert text[at + 1].split()[:2] == [str(worst["layer"]), str(worst["head"])]
    assert len(text) == at + 13


@pytest.mark.parametrize(
    ("condition", "status"),
    [
        ("max_logit > 5", 1),
        ("max-logit>1e9", 0),
        ("entropy <= 100", 1),
        ("float16_margin < 1", 0),
        ("cosine >= 2", 0),
    ],
)
def test_fail_if_sets_the_status(path: str, condition: str, status: int) -> None:
    result = call("heads", path, "--fail-if", condition, "--fail-if", "max_logit > 1e8")
    assert result.exit_code == status
    told = result.stdout.split("\n\n")[0]
    assert ("In none of 12 heads" in told) or status
    plain = json.loads(call("heads", path, "--fail-if", condition, "--json").stdout)
    assert bool(plain["conditions"][0]["heads"]) == bool(status)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--statistic loudness", "--statistic: 'loudness' is no statistic; expected"),
        ("--sort loudness", "--sort: 'loudness' is no statistic"),
        ("--fail-if max_logit", "--fail-if: 'max_logit' is no condition; expected a statistic"),
        ("--fail-if max_logit>x", "--fail-if: 'x' is not a number"),
        ("--fail-if loud>1", "--fail-if: 'loud' is no statistic"),
        (
            "--rows none",
            "--rows: 'none' is not a whole number; expected a whole number",
        ),
        ("--rows 0", "--rows: '0' will not do"),
        ("--seed x", "--seed: 'x' is not a whole number; expected a whole number from 0"),
        ("--layer 9", "--layer: there is no layer 9; expected one from 0 to 2"),
        ("--head 4", "--head: there is no head 4"),
        ("--mask diagonal", "--mask: 'diagonal' is no mask; expected auto"),
        ("--scale 0", "--scale: '0' will not do"),
        ("--scale 1 --rule none", "--scale: --rule gives the multiplier"),
        ("--tau none", "--tau: 'none' is not a number"),
        ("--shard 0/3", "--shard: '0/3' is no shard; expected I/N"),
        ("--shard 1/3 --csv", "--shard: a shard is printed as JSON"),
        ("--scheduler nowhere.json", "--scheduler: 'nowhere.json' is not there"),
    ],
)
def test_bad_input_is_one_line_and_status_2(path: str, arguments: str, message: str) -> None:
    result = call("heads", path, *arguments.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"attn-tui: {message}")
    assert result.stderr.count("\n") == 1


def test_a_capture_is_needed() -> None:
    result = call("heads")
    assert result.exit_code == 2
    assert result.stderr.startswith("attn-tui: CAPTURE: none is given")


def test_how_weights_are_made_can_be_said(path: str) -> None:
    plain = asked("heads", path, "--scale", "0.5", "--statistic", "max_logit", "--mask", "none")
    other = asked("heads", path, "--rule", "none", "--statistic", "max_logit", "--mask", "none")
    for one, two in zip(plain["heads"], other["heads"], strict=True):
        value = one["statistics"]["max_logit"]["value"]
        assert value == pytest.approx(two["statistics"]["max_logit"]["value"] / 2)
    capped = asked(
        "heads", path, "--softcap", "2", "--statistic", "max_logit,sink_mass", "--sink=1"
    )
    assert all(head["statistics"]["max_logit"]["value"] < 2 for head in capped["heads"])
    assert all(head["statistics"]["sink_mass"]["value"] > 0 for head in capped["heads"])
    text = call("heads", path, "--scale", "0.5").stdout
    assert "z = m·s, m = 1/T, T = 2" in text
    nearest = "causal, found by the doctor's fit of one head; yet P·V misses the output by"
    assert nearest in " ".join(text.split())


def test_nan_and_infinity_are_counted_and_placed(tmp_path: Path) -> None:
    made = heads(layers=1)
    made[0, 2].queries[7, 3] = np.nan
    path = str(write(tmp_path / "odd.safetensors", made))
    text = call("heads", path, "--rows", "all").stdout
    assert "NaN or infinity in 1 row of 1 head, first in layer 0, head 2, row 7" in text


def test_ctrl_c_prints_what_there_is(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from attn_tui.engine import survey as module

    monkeypatch.setattr(planning, "SHORT", 0.0)
    survey = module.survey
    pressed_once: list[bool] = []

    def pressed(*given: Any) -> Iterator[Survey]:
        for found in survey(*given):
            yield found
            if found.partials and not pressed_once:
                pressed_once.append(True)
                signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(module, "survey", pressed)
    monkeypatch.setattr(module, "SHORT", 0.0)
    result = call("heads", path)
    assert result.exit_code == 130
    assert result.stdout.startswith("So far, of ")
    assert " of 12 blocks of rows are known" in result.stdout


def test_statistics_complete() -> None:
    shown = CliRunner().invoke(program, ["heads", "--help"]).stdout
    assert all(name in shown for name in STATISTICS)
    assert "--fail-if CONDITION" in shown


DOCS = Path(__file__).parents[1] / "docs" / "json.md"


def fields(plain: Any, prefix: str = "") -> Iterator[str]:
    for name, value in plain.items():
        if prefix == "heads[].statistics.":
            name = "NAME"
        open_ones = {"question.parameters", "edges", "conditions[].heads"}
        yield prefix + name
        if isinstance(value, dict) and prefix + name not in open_ones:
            yield from fields(value, f"{prefix}{name}.")
        elif isinstance(value, list) and value and prefix + name not in open_ones:
            for each in value:
                if isinstance(each, dict):
                    yield from fields(each, f"{prefix}{name}[].")


def test_every_field_of_json_is_documented(path: str) -> None:
    section = DOCS.read_text("utf-8").partition("## Heads\n")[2].partition("\n## ")[0]
    documented = set(re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE))
    plain = json.loads(call("heads", path, "--fail-if", "entropy>0", "--json").stdout)
    plain["heads"][0]["not_finite"] = [vars(Odd("q", 1, 0, 0, 0))]
    shown = {each for each in fields(plain) if each != "heads[].statistics.NAME"}
    troubles = {each for each in documented if each.startswith(("failed[]", "refused[]"))}
    assert shown == documented - troubles
    assert all(f"`{name}`" in section for name in STATISTICS)


@pytest.mark.parametrize("odd", [1, 12])
def test_a_condition_on_rows_that_meet_nan_cannot_be_told(tmp_path: Path, odd: int) -> None:
    made = heads()
    for head in [*made][:odd]:
        made[head].queries[:] = np.nan
    path = str(write(tmp_path / "odd.safetensors", made))
    result = call("heads", path, "--fail-if", "max_logit > 1e6")
    assert result.exit_code == 3
    said = " ".join(result.stdout.partition("\n\n")[0].split())
    of, rest = ("any head", ".") if odd == 12 else ("1 of 12 heads", "; in no other it is.")
    rows = "720" if odd == 12 else "60"
    told = f"Cannot tell whether max_logit > 1e+06 in {of}: {rows} rows meet NaN or infinity{rest}"
    assert said.endswith(told)
    assert said.startswith("720 rows meet NaN or infinity: no row") == (odd == 12)
    assert call("heads", path, "--fail-if", "max_logit < 1e6").exit_code == (1 if odd == 1 else 3)
    plain = json.loads(call("heads", path, "--fail-if", "max_logit > 1e6", "--json").stdout)
    assert len(plain["conditions"][0]["cannot_tell"]) == odd


def test_numbers_of_heads_that_do_not_count_are_marked(tmp_path: Path) -> None:
    made, noise = heads(layers=1), np.random.default_rng(1).standard_normal
    for head in [*made.values()][2:]:
        head.output[:] = noise(head.output.shape)
    path = str(write(tmp_path / "other.safetensors", made))
    report = call("heads", path).stdout
    count = len(made) - 2
    said = " ".join(report.split())
    assert f"{count} more do not count" in said
    assert "P·V misses the output by almost nothing, but in the heads below" in said
    table = report.partition("largest p: ")[2].partition("\n\n")[0]
    assert "; ?: does not count" in " ".join(table.split())
    assert table.count("%?") == count
    scores = call("heads", path, "--statistic", "largest_score").stdout
    assert "?" not in scores
    listed = call("heads", path, "--statistic", "max_weight", "--sort", "max_weight").stdout
    assert listed.count("%?") == count


def test_a_condition_on_weights_that_are_not_in_use_cannot_be_told(tmp_path: Path) -> None:
    made, noise = heads(layers=1), np.random.default_rng(1).standard_normal
    for head in [*made.values()][1:]:
        head.output[:] = noise(head.output.shape)
    path = str(write(tmp_path / "other.safetensors", made))
    result = call("heads", path, "--fail-if", "max_weight > 0.99")
    assert result.exit_code == 3
    assert result.stdout.startswith("No verdict: ") or "more do not count" in result.stdout
    assert "miss the captured output, and may not be those in use" in " ".join(
        result.stdout.split()
    )
    # What is of scores, and what is asked for, is known.
    assert call("heads", path, "--fail-if", "largest_score > 1e9").exit_code == 0
    asked_for = call("heads", path, "--rule", "inverse-sqrt", "--fail-if", "max_weight > 0.99")
    assert asked_for.exit_code == 0
    assert "No verdict" not in asked_for.stdout


def test_a_condition_on_a_share_may_be_in_percent(path: str) -> None:
    said = [call("heads", path, "--fail-if", f"max_weight > {n}") for n in ("0.3", "30 %", "30%")]
    assert [each.exit_code for each in said] == [1, 1, 1]
    heads_of = [each.stdout.partition("capture ")[0] for each in said]
    assert heads_of == heads_of[:1] * 3
    refused = call("heads", path, "--fail-if", "max_weight > 90")
    assert refused.exit_code == 2
    assert "max_weight is a share of 1" in " ".join(refused.output.split())
    assert call("heads", path, "--fail-if", "max_logit > 3 %").exit_code == 2


def test_a_capture_of_one_row_each_is_looked_at_whole(tmp_path: Path) -> None:
    from attn_tui.captures.writer import write_safetensors

    path = str(tmp_path / "row.safetensors")
    write_safetensors(
        path, {f"0.{part}": np.zeros((1, 2, 1, 4)) for part in ("q", "k", "v", "out")}
    )
    said = call("heads", path).stdout
    assert "of the rows drawn" not in said


def test_a_number_that_meets_nothing_and_a_layer_that_is_not_there_are_refused(
    tmp_path: Path,
) -> None:
    path = str(write(tmp_path / "one.safetensors", heads(layers=1)))
    refused = call("heads", path, "--fail-if", "max_logit > nan")
    assert refused.exit_code == 2
    assert "'nan' meets nothing; expected a number" in " ".join(refused.output.split())
    assert "there is no layer 7; expected 0" in call("heads", path, "--layer", "0,7").output


def test_a_layout_that_the_output_says_is_in_words(tmp_path: Path) -> None:
    # As many heads as positions, so that shapes leave open which is which.
    draw = np.random.default_rng(3).standard_normal
    made = [
        Head(draw((16, 8)), draw((16, 8)), draw((16, 8)), LogitMap(8**-0.5), True)
        for _ in range(16)
    ]
    names = {"q": "queries", "k": "keys", "v": "values", "out": "output"}
    tensors = {
        f"0.{part}": np.array([getattr(each, name) for each in made], np.float32)
        .swapaxes(0, 1)[None]
        .copy()
        for part, name in names.items()
    }
    path = tmp_path / "turned.safetensors"
    write_safetensors(path, tensors)
    text = " ".join(call("heads", str(path)).output.split())
    assert "Layout as the output says: q, k, v and out [batch, positions, heads, dim]." in text
    assert text.count("[batch, ") == 1
    doctor = " ".join(call("doctor", str(path)).output.split())
    assert "Layout as the output says: q, k, v and out [batch, positions, heads, dim]." in doctor
    assert doctor.count("[batch, ") == 1


def test_nan_and_infinity_in_any_tensor_are_counted_and_placed(tmp_path: Path) -> None:
    path = tmp_path / "capture.safetensors"
    rng = np.random.default_rng(1)
    shapes = {"q": 4, "k": 2, "v": 2, "out": 4}
    made = {
        f"{layer}.{part}": rng.standard_normal((1, count, 300, 8)).astype(np.float16)
        for layer in range(2)
        for part, count in shapes.items()
    }
    for layer in range(2):
        q, k, v = (made[f"{layer}.{part}"].astype(np.float64) for part in "qkv")
        z = q @ np.repeat(k, 2, axis=1).swapaxes(2, 3) / 8**0.5
        p = np.exp(np.where(np.tri(300, dtype=bool), z, -np.inf))
        p /= p.sum(axis=3, keepdims=True)
        made[f"{layer}.out"] = (p @ np.repeat(v, 2, axis=1)).astype(np.float16)
    made["1.v"][0, 1, 200:, 3] = np.nan
    made["0.out"][0, 2, 250, 5] = np.inf
    write_safetensors(path, made)
    result = call("heads", str(path), "--mask", "causal", "--rows", "4")
    said = " ".join(result.stdout.split())
    assert result.exit_code == 0
    assert "v holds 100 NaN, first in layer 1, head 2, row 200, column 3" in said
    assert "out holds 1 infinity, first in layer 0, head 2, row 250, column 5" in said
    assert "The output of layer 0 head 2 holds NaN or infinity." in said
    plain = json.loads(call("heads", str(path), "--mask=causal", "--rows=4", "--json").stdout)
    assert {
        (h["layer"], h["head"]): h["not_finite"] for h in plain["heads"] if h["not_finite"]
    } == {
        (1, 2): [{"part": "v", "nan": 100, "infinite": 0, "row": 200, "column": 3}],
        (0, 2): [{"part": "out", "nan": 0, "infinite": 1, "row": 250, "column": 5}],
    }


@pytest.mark.parametrize("padded", [0, 1])
def test_a_padded_sequence_counts_without_the_keys_that_pad(tmp_path: Path, padded: int) -> None:
    rng = np.random.default_rng(2)
    q, k, v = (rng.standard_normal((2, 2, 40, 16)).astype(np.float32) for _ in range(3))
    seen = np.tile(np.tri(40, dtype=bool), (2, 1, 1, 1))
    seen[padded, :, :, :9] = False
    z = np.where(seen, np.einsum("bhqd,bhkd->bhqk", q, k) / 4, -3e38)
    p = np.exp(z - z.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    path = str(tmp_path / "padded.npz")
    np.savez(path, **{"0.q": q, "0.k": k, "0.v": v, "0.out": (p @ v).astype(np.float32)})
    plain = json.loads(call("heads", path, "--json", "--statistic", "max_weight").stdout)
    for head in plain["heads"]:
        is_padded = head["batch"] == padded
        rows = p[head["batch"], head["head"], 10 if is_padded else 1 :]
        value = head["statistics"]["max_weight"]["value"]
        assert value == pytest.approx(rows.max(-1).mean(), rel=1e-5)
        assert head["hidden_keys"] == ([0, 8] if is_padded else None)
        assert head["residual"] <= head["residual_allowed"]
    said = " ".join(call("heads", path).stdout.split())
    assert f"2 heads of sequence {padded}: keys 0–8 hidden, as the output says: padding?" in said
    one = ("attention", "--capture", path, "--batch", str(padded))
    assert "keys 0–8 hidden, as padding is" in " ".join(call(*one).stdout.split())
    assert json.loads(call(*one, "--json").stdout)["captured"]["hidden_keys"] == [0, 8]
