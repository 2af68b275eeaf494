"""``attn-tui heads --shard`` and ``attn-tui merge`` on the command line."""

import os
from pathlib import Path

import pytest

from attn_tui.engine import plan as planning
from tests.engine.captured import heads, write
from tests.test_cli_heads import asked, call


def test_shards_merge_to_what_one_run_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(write(tmp_path / "tiny.safetensors", heads()))
    monkeypatch.setattr(planning, "BLOCK_SECONDS", 0.0)
    whole = asked("heads", path, "--rows", "all")
    (folder := tmp_path / "parts").mkdir()
    parts: list[Path] = []
    for index in (1, 2, 3):
        result = call("heads", path, "--rows", "all", "--shard", f"{index}/3")
        assert result.exit_code == 0
        parts.append(folder / f"{index}.json")
        parts[-1].write_text(result.stdout)
    for order in (parts, parts[::-1], [folder]):
        merged = asked("merge", *map(str, order))
        for name in ("heads", "masks", "question", "machines", "complete", "headline"):
            assert merged[name] == whole[name]
    twice = call("merge", *map(str, [*parts, parts[1]]))
    assert (twice.exit_code, twice.stdout) == (2, "")
    assert "one part is there twice; expected each shard once" in twice.stderr
    some = call("merge", str(parts[0]), str(parts[2]))
    assert some.exit_code == 3
    assert "8 of 12 blocks of rows are known" in some.stdout.replace("\n          ", " ")
    other = tmp_path / "other.json"
    other.write_text(call("heads", path, "--rows", "9", "--shard", "2/3").stdout)
    result = call("merge", str(parts[0]), str(other))
    assert result.exit_code == 2
    assert "one is of another question; expected shards of one question" in result.stderr


def test_shards_of_two_versions_of_a_file_are_refused(tmp_path: Path) -> None:
    path, parts = str(tmp_path / "step.safetensors"), [tmp_path / "1.json", tmp_path / "2.json"]
    # Another step of the same shapes: header and size are the same.
    for seed, part in enumerate(parts, 1):
        write(Path(path), heads(seed=seed))
        os.utime(path, (1e9, 1e9 + seed))
        part.write_text(call("heads", path, "--shard", f"{seed}/2").stdout)
    result = call("merge", *map(str, parts))
    assert (result.exit_code, result.stdout) == (2, "")
    assert (
        "step.safetensors': it was written at 2001-09-09 01:46:41.000000 UTC for one shard, at "
        in result.stderr
    )
    assert "expected shards of one version of it; copies keep its time with cp -p" in result.stderr


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"schema": "attn-tui/1", "shard": {}}', "x"])
def test_what_is_no_shard_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "none.json"
    path.write_text(text)
    result = call("merge", str(path))
    assert (result.exit_code, result.stdout) == (2, "")
    (empty := tmp_path / "parts").mkdir()
    assert "no file in this folder is a .json file" in call("merge", str(empty)).stderr
    problem = "it is no shard" if text else "it is empty"
    assert "FILE" in result.stderr
    assert f"{problem}; expected what attn-tui heads --shard printed" in result.stderr
