import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_tui.files.paths import entries, shown_path, true_path

NAMES = st.text(st.sampled_from("\\xuU015c /\x1b\x9b\n\u202e\u200d\udc9bé👩🔬") | st.characters())


@given(NAMES)
def test_what_is_shown_of_a_path_can_be_seen_and_means_it(path: str) -> None:
    shown = shown_path(path)
    assert not any(ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u202e\udc9b" for c in shown)
    assert true_path(f"./{shown}") == f"./{path}"


@given(NAMES, NAMES)
def test_no_two_paths_look_the_same(first: str, second: str) -> None:
    assert (shown_path(first) == shown_path(second)) == (first == second)


def test_a_path_is_shown_as_it_is_where_it_can_be_seen() -> None:
    for path, shown in [
        ("a.txt", "a.txt"),
        ("größe 注意 👩\u200d🔬.txt", "größe 注意 👩\u200d🔬.txt"),
        ("a\x1b]2;b\x1b\\.txt", r"a\x1b]2;b\x1b\.txt"),
        ("\udc9b\u202e\u200b\xa0", r"\udc9b\u202e\u200b\xa0"),
        (r"C:\new\table.npy", r"C:\new\table.npy"),
        (r"a\x1b", r"a\x5cx1b"),
    ]:
        assert shown_path(path) == shown
        assert true_path(shown) == path


def test_escapes_of_what_can_be_seen_are_none() -> None:
    for text in [r"C:\x41\u00e9", r"\xff", r"\U00110000", "\\", r"\x", r"\ud"]:
        assert true_path(text) == text


def test_a_tilde_is_a_home_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/somewhere")
    assert true_path("~/a.txt") == "/somewhere/a.txt"
    assert true_path("~nosuch/a.txt") == "~nosuch/a.txt"


def test_names_in_a_folder_are_all_there_and_where_there_is_none_there_are_none(
    tmp_path: Path,
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "a\x1b.txt").write_text("1")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\x9b.txt")).write_text("1")
    assert entries(str(tmp_path)) == ["a\x1b.txt", "folder/", "loop", "\udc9b.txt"]
    for folder in ("none", "~nosuch", "a\0", "\ud800", "x" * 300, str(tmp_path / "loop")):
        assert entries(folder) == []
