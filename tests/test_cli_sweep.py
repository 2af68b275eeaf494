"""``attn-tui sweep`` on the command line."""

import csv
import io
import json
import signal
import sys
import time
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from attn_tui.commands.program import program
from attn_tui.compute.scale import Scale
from attn_tui.compute.sweep import answer as compute_sweep
from attn_tui.compute.sweep import crossover
from attn_tui.compute.sweep import settings as sweep_settings
from attn_tui.compute.sweep.crossover import GRADIENTS
from attn_tui.console.progress import ProgressLine

QUICK = ("--points", "4", "--draws", "64", "--d-k", "1:256")


def call(*arguments: str) -> Result:
    return CliRunner().invoke(program, ["sweep", *arguments])


def asked(*arguments: str) -> Any:
    result = call(*arguments, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


def test_it_sweeps_n_at_one_d_k() -> None:
    plain = asked("--n", "2:64", "--d-k", "32", "--points", "3", "--draws", "64")
    assert [point["n"] for point in plain["points"]] == [2, 2, 11, 11, 64, 64]
    assert {point["d_k"] for point in plain["points"]} == {32}
    assert plain["experiment"]["d_k"] == 32


@pytest.mark.parametrize(
    ("arguments", "place", "crossover_n"),
    [
        ("--map --n 2:64@11 --d-k 1:64@8", "11 keys and d_k = 8", {11}),
        ("--d-k 1:64@64 --n 2", "2 keys and d_k = 64", {2}),
    ],
)
def test_behind_a_range_stands_the_place_of_it_that_is_looked_at(
    arguments: str, place: str, crossover_n: set[int]
) -> None:
    plain = asked(*arguments.split(), "--points", "3", "--draws", "64")
    assert place in plain["headline"]
    assert {each["n"] for each in plain["crossovers"]} == crossover_n


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        ("--n 64 --d-k 64", (64, 64)),
        ("--over n --n 2 --d-k 65536", (2, 65_536)),
        ("--map --n 3 --d-k 5", (3, 5)),
    ],
)
def test_two_numbers_are_one_place(arguments: str, place: tuple[int, int]) -> None:
    given = (*arguments.split(), "--draws", "64")
    plain = asked(*given)
    assert [(point["n"], point["d_k"]) for point in plain["points"]] == [place] * 2
    assert plain["crossovers"] == []
    again = CliRunner().invoke(
        program, ["sweep", "--experiment", "-", "--json"], input=json.dumps(plain)
    )
    assert json.loads(again.stdout) == plain


def test_csv_has_what_equal_others_would_leave_beside_the_weight_of_key_0() -> None:
    asks = ("--n", "64", "--d-k", "64", "--lead", "5", "--draws", "64", "--csv")
    rows = [*csv.DictReader(call(*asks).stdout.splitlines())]
    of_lead = [row for row in rows if row["statistic"] == "lead_weight" and row["rule"] != "none"]
    size = np.exp(5.0)
    assert [float(row["equal_others"]) for row in of_lead] == [pytest.approx(size / (size + 63.0))]
    assert {row["equal_others"] for row in rows if row["statistic"] != "lead_weight"} == {""}


@pytest.mark.slow
def test_rules_may_have_parameters() -> None:
    plain = asked("--rules", "none,temperature:T=4,yarn:factor=2", *QUICK)
    assert [each["rule"] for each in plain["rules"]] == ["none", "temperature:T=4", "yarn:factor=2"]


@pytest.mark.parametrize("way", [(), ("--crossover",)])
def test_a_file_need_not_say_where_scores_come_from(way: tuple[str, ...]) -> None:
    settings = {"n": 8, "points": 2, "draws": 64, "crossovers": False}
    result = CliRunner().invoke(
        program,
        ["sweep", *way, "--experiment", "-", "--json"],
        input=json.dumps({"settings": {"sweep": settings}}),
    )
    assert (result.exit_code, result.stderr) == (0, "")
    plain = json.loads(result.stdout)
    assert {each["n"] for each in plain["points"] or plain["crossovers"]} == {8}


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ("--n 1", "n"),
        ("--n 2:8 --points 0", "points"),
        ("--n 8:2", "n"),
        ("--n 2:8 --d-k 1:4", "n"),
        ("--n 2:8@1", "n"),
        ("--map --d-k 2:8@x", "d-k"),
        ("--d-k 8@", "d-k"),
        ("--n 2:8 --over d_k", "n"),
        ("--d-k 8:2", "d-k"),
        ("--d-k 1:99999", "d-k"),
        ("--d-k 2,8", "d-k"),
        ("--crossover --n 1,024", "n"),
        ("--over n --d-k 1:8", "d-k"),
        ("--over time", "over"),
        ("--over n --map", "over"),
        ("--seed x", "seed"),
        ("--draws 0", "draws"),
        ("--draws 100000", "draws"),
        ("--map --draws 10000", "draws"),
        ("--rules foo", "rules"),
        ("--rules none,none", "rules"),
        ("--rules temperature:T=0", "rules"),
        ("--rules none --ratio", "rules"),
        ("--statistic foo", "statistic"),
        ("--statistic trace,trace", "statistic"),
        ("--points 1 --map", "points"),
        ("--crossover --n 1", "n"),
        ("--crossover --n 2:8", "n"),
        ("--crossover --n=", "n"),
        ("--crossover --rules none", "rules"),
        ("--crossover --d-k 1:8", "d-k"),
        ("--experiment nowhere.json", "experiment"),
    ],
)
def test_bad_input_is_one_line_and_status_2(arguments: str, field: str) -> None:
    result = call(*arguments.split())
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"attn-tui: --{field}")
    assert result.stderr.count("\n") == 1
    assert "expected" in result.stderr


def interrupt_after(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, count: int) -> None:
    """Send Ctrl+C once a generator has yielded so often."""
    whole = getattr(module, name)

    def interrupted(*arguments: Any) -> Any:
        for index, each in enumerate(whole(*arguments), 1):
            if index == count:
                signal.raise_signal(signal.SIGINT)
            yield each

    monkeypatch.setattr(module, name, interrupted)


def test_an_interrupt_prints_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    interrupt_after(monkeypatch, compute_sweep, "answer", 1)
    result = call("--json", *QUICK)
    assert result.exit_code == 130
    assert json.loads(result.stdout)["points"]
    assert json.loads(result.stdout)["progress"] < 1


@pytest.mark.slow
def test_an_interrupt_prints_the_crossovers_found_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    last = next(
        count
        for count, (_, found) in enumerate(
            crossover.crossovers([(8, Scale()), (16, Scale())], sweep_settings.Settings(draws=500)),
            1,
        )
        if found
    )
    interrupt_after(monkeypatch, crossover, "crossovers", last)
    arguments = ("--crossover", "--n", "8,16", "--draws", "500")
    result = call(*arguments, "--json")
    assert result.exit_code == 130
    found = json.loads(result.stdout)["crossovers"]
    assert [(each["n"], each["readout"]) for each in found] == [
        (8, readout) for readout in GRADIENTS
    ]
    assert found[0]["low"] < found[0]["d_k"] < found[0]["high"]

    interrupt_after(monkeypatch, crossover, "crossovers", 1)
    result = call(*arguments)
    assert result.exit_code == 130
    assert result.stdout == "Stopped before a crossover was found.\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_shown_on_a_terminal_alone_and_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seconds = iter([0.0, 0.0, 0.05, 10.0, 30.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(seconds, 30.0))
    terminal, file = Terminal(), io.StringIO()
    monkeypatch.setattr(sys, "stderr", terminal)
    with ProgressLine("sweep") as progress:
        for share in (0.0, 0.1, 0.25, 0.5):
            progress.show(share)
    lines = terminal.getvalue().split("\r")
    assert lines[1].startswith("sweep ---")
    assert "25 %" in lines[2]
    assert "30 s left" in lines[2]
    assert "30 s left" in lines[3]
    assert "10 %" not in terminal.getvalue()
    assert lines[-2].strip() == lines[-1] == ""
    monkeypatch.setattr(sys, "stderr", file)
    with ProgressLine("sweep") as progress:
        progress.show(0.5)
    assert file.getvalue() == ""


def test_a_mask_of_other_keys_is_no_hindrance() -> None:
    shown = CliRunner().invoke(program, ["show", "--draw", "100", "--mask", "72", "--json"])
    line = ["sweep", "--experiment", "-", "--n", "8", "--d-k", "64", "--draws", "8", "--json"]
    result = CliRunner().invoke(program, line, input=shown.stdout)
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["experiment"]["mask"] == ""
