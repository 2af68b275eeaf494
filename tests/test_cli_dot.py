"""``attn-tui dot`` on the command line."""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pexpect
import pytest

from attn_tui.console.progress import until_interrupted
from tests.test_cli import call, refused


def report(*arguments: str) -> dict[str, Any]:
    result = call("dot", "--json", *arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    plain: dict[str, Any] = json.loads(result.stdout)
    return plain


def test_the_options_say_what_is_drawn() -> None:
    plain = report(
        "--d-k=64", "--samples=1e3", "--seed=7", "--entries=coins", "--mean-q", "-1",
        "--mean-k=0.5", "--correlation=−0.25", "--tied", "--table=8,2", "--rule=inverse",
    )  # fmt: skip
    assert (plain["experiment"]["d_k"], plain["experiment"]["rule"]) == (64, "inverse")
    expected = {
        "entries": "coins",
        "mean_q": -1.0,
        "mean_k": 0.5,
        "correlation": -0.25,
        "tied": True,
        "samples": 1000,
        "seed": 7,
        "d_ks": [8, 2],
    }
    assert expected.items() <= plain["experiment"]["settings"]["dots"].items()
    assert (plain["samples"], plain["seed"], plain["complete"]) == (1000, 7, True)


def test_a_question_comes_back_from_a_file_and_options_replace_what_it_says(
    tmp_path: Path,
) -> None:
    first = call("dot", "--json", "--samples", "1,000", "--entries", "die", "--d-k", "8")
    path = tmp_path / "question.json"
    path.write_text(first.stdout)
    assert call("dot", "--json", "--experiment", str(path)).stdout == first.stdout
    other = report("--experiment", str(path), "--entries", "normal", "--free", "--model", "gpt-2")
    assert other["experiment"]["settings"]["dots"]["entries"] == "normal"
    assert other["samples"] == 1000
    assert other["experiment"]["d_k"] == 64
    # Explore and Dot products share one question.
    assert call("show", "--experiment", str(path)).exit_code == 0


def test_bad_input_is_refused_by_its_option_in_one_line() -> None:
    for option, value in [
        ("--samples", "0"),
        ("--samples", "1e30"),
        ("--seed", "1.5"),
        ("--correlation", "1.0001"),
        ("--mean-q", "inf"),
        ("--mean-k", "1e7"),
        ("--entries", "cauchy"),
        ("--table", "0"),
        ("--table", ",".join(map(str, range(1, 100)))),
        ("--experiment", "/no/such/file"),
    ]:
        assert option in refused("dot", option, value)
    assert "1" in refused("dot", "1,2,3")


PROGRAM = [sys.executable, "-m", "attn_tui", "dot", "--samples", str(10**8), "--seed", "3"]


@pytest.mark.slow
def test_ctrl_c_prints_what_was_drawn_and_a_terminal_is_shown_how_far_it_is() -> None:
    child = pexpect.spawn(PROGRAM[0], PROGRAM[1:], timeout=60, dimensions=(24, 80))
    child.expect(r"\d % +[^\r]* left")
    child.sendintr()
    child.expect(r"samples    ([\d,]+) of 100,000,000, stopped; seed 3")
    assert 0 < int(child.match.group(1).replace(b",", b"")) < 10**8
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130


def test_ctrl_c_that_is_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with until_interrupted() as stop:
            signal.raise_signal(signal.SIGINT)
            assert not stop()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_what_is_not_a_terminal_gets_no_progress() -> None:
    child = pexpect.spawn(
        "/bin/sh",
        ["-c", "exec 2>&1 " + " ".join(PROGRAM).replace(str(10**8), "1000000") + " | cat"],
        timeout=60,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    text = child.read()
    child.close()
    assert b"samples    1,000,000; seed 3" in text
    assert b"\x1b" not in text
    assert signal.SIGINT in signal.valid_signals()
