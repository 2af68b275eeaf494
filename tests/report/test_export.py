import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from attn_tui.compute.errors import InputError
from attn_tui.compute.explore.answer import Answer, VectorAnswer, answer
from attn_tui.compute.source import Vector
from attn_tui.explore.report import Contents, report
from attn_tui.report.export import Forms, export, write_atomically
from attn_tui.report.forms import csv, forms, json
from attn_tui.report.report import Report
from attn_tui.report.text import text
from tests.asking import asking


@pytest.fixture
def explored() -> Answer:
    return next(answer(asking(Vector("größe", np.array([100.0, 120.0, -np.inf])))))


def forms_of(explored: Answer, *pinned: VectorAnswer) -> Forms:
    return forms(lambda: report(explored, Contents(pinned=pinned)))


def refused(path: Path | str, explored: Answer) -> InputError:
    with pytest.raises(InputError) as caught:
        export(str(path), forms_of(explored))
    assert caught.value.field == "file"
    assert "\n" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("a.txt", text),
        ("a.json", json),
        ("a.csv", csv),
        ("A.JSON", json),
    ],
)
def test_the_suffix_says_in_which_form_an_answer_is_written(
    tmp_path: Path, explored: Answer, name: str, write: Callable[[Report], Iterator[str]]
) -> None:
    path = tmp_path / name
    export(str(path), forms_of(explored))
    assert path.read_bytes().decode() == "".join(write(report(explored)))


def test_a_file_that_is_there_is_replaced_and_keeps_its_permissions(
    tmp_path: Path, explored: Answer
) -> None:
    path = tmp_path / "a.json"
    path.write_text("before" * 10_000)
    path.chmod(0o640)
    export(str(path), forms_of(explored))
    assert path.read_text() == "".join(json(report(explored)))
    assert path.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["a.json"]


def test_what_a_symbolic_link_points_to_is_replaced(tmp_path: Path, explored: Answer) -> None:
    (tmp_path / "inner").mkdir()
    link = tmp_path / "link.txt"
    link.symlink_to(tmp_path / "inner" / "real.txt")
    export(str(link), forms_of(explored))
    assert link.is_symlink()
    assert (tmp_path / "inner" / "real.txt").read_text() == "".join(text(report(explored)))


@pytest.mark.parametrize("name", ["a", "a.png", "a.json.gz", "", ".json", "a.svg"])
def test_an_unknown_suffix_is_refused_and_the_known_ones_named(
    tmp_path: Path, explored: Answer, name: str
) -> None:
    error = str(refused(tmp_path / name if name else "", explored))
    for suffix in (".txt", ".json", ".csv"):
        assert suffix in error
    assert os.listdir(tmp_path) == []


def test_what_cannot_be_written_is_said(tmp_path: Path, explored: Answer) -> None:
    (tmp_path / "folder.txt").mkdir()
    os.mkfifo(tmp_path / "pipe.txt")
    assert refused(tmp_path / "folder.txt", explored).problem == "it is a directory"
    assert refused(tmp_path / "pipe.txt", explored).problem == "it is no regular file"
    assert refused(tmp_path / "none" / "a.txt", explored).problem == "there is no such folder"
    assert refused(tmp_path / "pipe.txt" / "a.txt", explored).problem == "there is no such folder"
    assert refused("a\0.txt", explored).problem == "there can be no such file"
    assert refused(tmp_path / ("x" * 300 + ".txt"), explored).problem == "File name too long"
    assert len(str(refused(tmp_path / ("x" * 300 + ".txt"), explored))) < 200
    assert (
        refused(tmp_path / ("x/" * 3000 + "a.txt"), explored).expected
        == "a file that can be written"
    )
    assert refused("~nosuch/a.txt", explored).problem == "there is no such folder"
    assert refused("a\ud800.txt", explored).problem == "there can be no such file"
    (tmp_path / "loop.txt").symlink_to("loop.txt")
    assert "symbolic links" in refused(tmp_path / "loop.txt", explored).problem


def test_what_may_not_be_written_is_left_as_it_is(
    tmp_path: Path, explored: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before")
    path.chmod(0o444)
    # The system lets root write whatever the permissions are.
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    assert refused(path, explored).problem == "it may not be written"
    assert path.read_text() == "before"


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, error: BaseException) -> None:
    path = tmp_path / "a.json"
    path.write_text("before")

    def pieces() -> Iterator[str]:
        yield "half" * 100_000
        assert path.read_text() == "before"
        raise error

    with pytest.raises((InputError, KeyboardInterrupt)) as caught:
        write_atomically(str(path), pieces())
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["a.json"]
    if isinstance(caught.value, InputError):
        assert "No space left on device" in str(caught.value)
