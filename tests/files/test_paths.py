"""Paths as terminals and file managers write them when a file is dropped or pasted."""

from pathlib import Path

import pytest

from attn_tui.files.paths import typed_path

WRITTEN = {
    "/d/x.npy": "/d/x.npy",
    "  /d/x.npy ": "/d/x.npy",
    "'/d/my file.npy'": "/d/my file.npy",
    "'/d/my file.npy' ": "/d/my file.npy",
    '"/d/my file.npy"': "/d/my file.npy",
    r"'/d/it'\''s.npy'": "/d/it's.npy",
    r"/d/my\ file\ \(2\).npy ": "/d/my file (2).npy",
    "/d/my file.npy": "/d/my file.npy",
    "file:///d/x.npy": "/d/x.npy",
    "file:///d/my%20file%23.npy\t": "/d/my file#.npy",
    "file://localhost/d/%C3%A9?.npy": "/d/é?.npy",
    "file://elsewhere/d/x.npy": "file://elsewhere/d/x.npy",
    "file://[/x.npy": "file://[/x.npy",
    "'tis.npy": "'tis.npy",
    "'a.npy' 'b.npy'": "'a.npy' 'b.npy'",
    r"C:\data\x.npy": r"C:\data\x.npy",
    "~/x.npy": "~/x.npy",
    " ": "",
}


@pytest.mark.parametrize("text", WRITTEN)
def test_a_path_is_read_as_terminals_write_it(text: str) -> None:
    assert typed_path(text) == WRITTEN[text]


def test_a_text_that_names_a_file_as_it_stands_is_that_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (r"a\ b.npy", "'quoted'.npy"):
        (tmp_path / name).touch()
        assert typed_path(f" {name} ") == name
