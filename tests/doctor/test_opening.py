"""The configuration of a capture: named, in its metadata or beside it, by one rule everywhere."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result

from attn_tui.captures.source import Captured
from attn_tui.captures.writer import write_safetensors
from attn_tui.compute.errors import InputError
from attn_tui.compute.source import Source
from attn_tui.files.captured import (
    captured_at,
    captured_from_plain,
    captured_text,
    parse_captured,
)
from attn_tui.files.models.opening import open_configured
from tests.doctor.captures import save, tensors, write
from tests.doctor.command import HEALTHY, LLAMA, call, run

GROUPED = {**LLAMA, "num_attention_heads": 4, "num_key_value_heads": 2}

COMMANDS = (
    ("doctor", "{path}"),
    ("heads", "{path}"),
    ("show", "--capture", "{path}", "--head", "3", "--row", "5"),
)
"""One command for each way to open a capture: to judge its heads, to list them, to show one."""


@pytest.mark.parametrize("command", COMMANDS[1:], ids=lambda command: command[0])
def test_a_configuration_that_is_named_of_other_heads_is_refused_by_all(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    path = write(tmp_path / "a.safetensors", HEALTHY, layers=2)
    (tmp_path / "config.json").write_text(json.dumps({**LLAMA, "num_attention_heads": 1}))
    words = [word.replace("3", "1").format(path=path) for word in command]
    # The configuration beside it is now for another model.
    assert call(*words).exit_code == 0
    result = call(*words, "--config", str(tmp_path / "config.json"))
    assert result.exit_code == 2
    assert "--config: it has 1 head a layer, and 2 were captured" in " ".join(result.stderr.split())


@pytest.mark.slow
def test_the_doctor_takes_what_lies_beside_a_capture_and_says_so(tmp_path: Path) -> None:
    path = write(tmp_path / "a.safetensors", HEALTHY, n_keys=48)
    assert run(path).stdout.startswith("no expectation")
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    result = run(path)
    assert result.exit_code == 0
    first = result.stdout.splitlines()[0]
    assert first.startswith("agrees: m = 0.2")
    assert "config.json beside it (llama): head_dim 16, m = 1/√16" in first
    (tmp_path / "config.json").write_text(json.dumps({**LLAMA, "attention_multiplier": 0.5}))
    assert run(path).exit_code == 1
    # A configuration for another model, or for none, is ignored.
    for text in (json.dumps({**LLAMA, "head_dim": 24}), "[]", "no"):
        (tmp_path / "config.json").write_text(text)
        ignored = run(path).stdout
        assert ignored.startswith("no expectation")
        assert "note         config.json beside it is " in ignored


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_shapes_that_may_be_turned_have_the_heads_of_the_configuration(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    draw = np.random.default_rng(1).standard_normal
    # [batch, positions, heads, dim], which may as well be twelve heads of four positions.
    q, k, v = (draw((1, 12, 4, 16)).astype(np.float32) for _ in range(3))
    z = 0.25 * np.einsum("bqhd,bkhd->bhqk", q, k)
    p = np.where(np.tri(12) > 0, np.exp(z), 0.0)
    out = np.einsum("bhqk,bkhd->bqhd", p / p.sum(-1, keepdims=True), v)
    path = save(tmp_path / "turned.npz", q=q, k=k, v=v, out=out.astype(np.float32))
    assert len(open_configured([path]).capture.heads) == 12
    (tmp_path / "config.json").write_text(json.dumps({**LLAMA, "num_attention_heads": 4}))
    opened = open_configured([path])
    assert (len(opened.capture.heads), opened.layouts) == (4, "q=bnhd,k=bnhd")
    result = call(*[word.format(path=path) for word in command])
    assert result.exit_code in (0, 3), result.stderr
    if command[0] in ("doctor", "heads"):
        assert "--layout 'q=bnhd,k=bnhd'" in " ".join(result.stdout.split())


def test_a_name_goes_before_metadata_and_that_before_what_lies_beside(tmp_path: Path) -> None:
    parts: dict[str, Any] = tensors(write(tmp_path / "b.safetensors", HEALTHY))
    path = tmp_path / "a.safetensors"
    write_safetensors(
        path,
        {f"0.{name}": tensor for name, tensor in parts.items()},
        {"attention_multiplier": "0.5"},
    )
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    opened = open_configured([str(path)])
    assert opened.expectation is not None
    assert (opened.config, opened.expectation.of(0, 16).multiplier) == ("", 0.5)
    near = str(tmp_path / "config.json")
    named = open_configured([str(path)], config=near)
    assert named.expectation is not None
    assert (named.config, named.expectation.of(0, 16).multiplier) == (near, 0.25)
    assert open_configured([str(tmp_path / "b.safetensors")]).config == near
    assert not open_configured([str(tmp_path / "b.safetensors")], anew=False).config
    # The built-in example lies in no folder.
    assert not open_configured(["example"]).config


def square(path: Path, metadata: dict[str, str] | None = None, **more: Any) -> str:
    """Write q, k and v with 8 heads and 8 positions, or 8 and 4, whose order no shape tells."""
    draw = np.random.default_rng(1).standard_normal
    shape = more.get("shape", (1, 8, more.get("n", 8), 16))
    parts = ("q", "k", "v", *more.get("parts", ()))
    tensors = {f"0.{part}": draw(shape).astype(np.float32) for part in parts}
    write_safetensors(path, tensors, metadata)
    return str(path)


@pytest.mark.parametrize("command", ["heads", "show --capture"])
def test_what_shapes_leave_open_and_no_output_tells_is_refused(
    command: str, tmp_path: Path
) -> None:
    def asked(path: str, *options: str) -> Result:
        return call(*command.split(), path, *options)

    path = square(tmp_path / "a.safetensors")
    refused = asked(path)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert (
        "--layout: q of layer 0 is [batch, heads, positions, dim] or [batch, positions, heads, "
        "dim], and no output tells which; expected q=bhnd,k=bhnd,v=bhnd or q=bnhd,k=bnhd,v=bnhd"
    ) in refused.stderr
    assert asked(path, "--layout", "bnhd").exit_code == 0
    assert asked(square(tmp_path / "said.safetensors", {"layout": "bnhd"})).exit_code == 0
    assert asked(square(tmp_path / "told.safetensors", parts=("out",))).exit_code == 0


def test_a_configuration_says_how_what_shapes_leave_open_is_read(tmp_path: Path) -> None:
    path, config = square(tmp_path / "a.safetensors", n=4), tmp_path / "llama.json"
    assert call("heads", path).exit_code == 2
    for heads in (8, 4):
        text = {"model_type": "llama", "num_attention_heads": heads, "hidden_size": 16 * heads}
        config.write_text(json.dumps({**text, "num_hidden_layers": 1}))
        capture = open_configured([path], config=str(config)).settled().capture
        assert len(capture.heads) == heads
        assert len(captured_at((path,), config=str(config)).queries) == 32 // heads
        assert len(parse_captured(f"file: {path}\nconfig: {config}").queries) == 32 // heads
    (tmp_path / "config.json").write_text(config.read_text())
    assert call("heads", path).exit_code == 0
    for way in ways(path):
        source = way()
        assert isinstance(source, Captured)
        assert len(source.queries) == 8
        # The text records how it was read, so that no file beside it is needed any more.
        assert "layout: q=bnhd,k=bnhd" in captured_text(source)
        assert parse_captured(captured_text(source)) is source


def test_a_decoding_step_has_the_heads_of_the_configuration(tmp_path: Path) -> None:
    """Of one query and one key, or more heads than most models have, shapes say otherwise."""
    for heads, length in ((12, 1), (192, 2)):
        folder = tmp_path / str(heads)
        folder.mkdir()
        path = square(folder / "a.safetensors", shape=(1, heads, length, 64), parts=("out",))
        assert len(open_configured([path]).capture.heads) != heads
        config = {**LLAMA, "num_attention_heads": heads, "hidden_size": 64 * heads, "head_dim": 64}
        (folder / "config.json").write_text(json.dumps(config))
        capture = open_configured([path]).settled().capture
        assert len(capture.heads) == heads
        assert capture.shape(capture.heads[0]).n_queries == length


def test_a_rank_keeps_its_heads_where_positions_are_as_many_as_all_heads(tmp_path: Path) -> None:
    metadata = {"first_head": "2"}
    path = square(tmp_path / "a.safetensors", metadata, shape=(1, 2, 8, 16), parts=("out",))
    config = {**LLAMA, "num_attention_heads": 8, "hidden_size": 128, "head_dim": 16}
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert len(open_configured([path]).capture.heads) == 2


def ways(path: str) -> tuple[Callable[[], Source], ...]:
    """Return the ways to open a head without a command line: typed text and JSON."""
    return (
        lambda: parse_captured(f"file: {path}"),
        lambda: captured_from_plain({"capture": {"path": path}}),
    )


def test_a_head_is_opened_without_a_command_line_by_the_same_rule(tmp_path: Path) -> None:
    for way in ways(square(tmp_path / "a.safetensors")):
        with pytest.raises(InputError, match="and no output tells which") as refused:
            way()
        assert "q=bhnd,k=bhnd,v=bhnd or q=bnhd,k=bnhd,v=bnhd" in refused.value.expected
