"""The line that q leaves on a real pseudo-terminal, or why there is none."""

from pathlib import Path

import numpy as np
import pytest

from tests.contract.session import Session
from tests.engine.captured import heads, write

WHY = "attn-tui: no command line leads back here: "


@pytest.mark.slow
def test_a_capture_whose_name_cannot_be_printed_is_named_for_a_shell(tmp_path: Path) -> None:
    write(tmp_path / "a\nb.safetensors", heads())
    with Session(tmp_path, ["a\nb.safetensors"], first="12 heads") as session:
        assert session.line() == r"attn-tui $'a\nb.safetensors'"


@pytest.mark.slow
def test_many_scores_of_a_file_whose_name_cannot_be_printed_are_named_for_a_shell(
    tmp_path: Path,
) -> None:
    np.save(tmp_path / "a\x1b[31mb.npy", np.arange(2_500.0))
    with Session(tmp_path, ["@a\x1b[31mb.npy"], first="2,500 keys") as session:
        assert session.line() == r"attn-tui show $'@a\033[31mb.npy' --d-k 1024 --screen"


@pytest.mark.slow
def test_a_file_of_scores_that_is_gone_is_named_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "gone.npy"
    np.save(path, np.arange(2_500.0))
    with Session(tmp_path, ["gone.npy"], first="2,500 keys") as session:
        path.unlink()
        session.press("+")
        session.until_reads("there is no such file")
        line = session.line()
    # Errors shorten the beginning of a long path.
    assert line.startswith(f"{WHY}scores, '")
    assert "gone.npy': there is no such file" in line
    assert "\n" not in line
    np.save(path, np.arange(2_500.0))
    with Session(tmp_path, ["gone.npy"], first="2,500 keys") as session:
        path.unlink()
        line = session.line()
    assert line.startswith(f"{WHY}scores, '")
    assert line.endswith("gone.npy': the file is gone; expected it where it was")


@pytest.mark.slow
def test_scores_that_are_in_no_file_and_too_many_are_said_to_be(tmp_path: Path) -> None:
    with Session(tmp_path) as session:
        session.press(f"\x1b[200~{'1.5 ' * 3_000}\x1b[201~")
        session.until_shows("3,000 keys")
        line = session.line()
    assert line.startswith(
        f"{WHY}the scores are too many for a command line; s saves them in a .json file"
    )
