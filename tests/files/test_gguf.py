"""What the header of a GGUF file says a head should do, and headers that lie."""

import struct
import tracemalloc
from math import log
from pathlib import Path
from typing import Any

import pytest

from attn_tui.compute.errors import InputError
from attn_tui.files.models.configuration import read_expectation
from attn_tui.files.models.promise import NONE, Expectation

LLAMA: dict[str, Any] = {
    "general.architecture": "llama",
    "tokenizer.ggml.tokens": ["a", "bc"] * 3000,
    "tokenizer.chat_template": "x" * 100_000,
    "llama.block_count": 4,
    "llama.attention.head_count": 32,
    "llama.embedding_length": 4096,
}
DEEPSEEK: dict[str, Any] = {
    "general.architecture": "deepseek2", "deepseek2.block_count": 2,
    "deepseek2.attention.head_count": 128, "deepseek2.embedding_length": 7168,
    "deepseek2.attention.key_length": 576, "deepseek2.attention.key_length_mla": 192,
    "deepseek2.rope.scaling.type": "yarn", "deepseek2.rope.scaling.factor": 40.0,
    "deepseek2.rope.scaling.yarn_log_multiplier": 0.1,
}  # fmt: skip
GEMMA: dict[str, Any] = {
    "general.architecture": "gemma2", "gemma2.block_count": 46, "gemma2.embedding_length": 4608,
    "gemma2.attention.head_count": 32, "gemma2.attention.key_length": 128,
    "gemma2.attn_logit_softcapping": 50.0, "gemma2.attention.sliding_window": 1024,
}  # fmt: skip


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def entry(name: str, value: Any) -> bytes:
    """Return an entry: a switch, a number, a text, or a list of switches or texts."""
    if isinstance(value, bool):
        return text(name) + struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return text(name) + struct.pack("<II", 4, value)
    if isinstance(value, float):
        return text(name) + struct.pack("<If", 6, value)
    if isinstance(value, str):
        return text(name) + struct.pack("<I", 8) + text(value)
    if all(isinstance(item, bool) for item in value):
        return text(name) + struct.pack(f"<IIQ{len(value)}?", 9, 7, len(value), *value)
    return text(name) + struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(text, value))


def header(entries: int, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, 0, entries)


def gguf(fields: dict[str, Any], version: int = 3) -> bytes:
    entries = b"".join(entry(name, value) for name, value in fields.items())
    return header(len(fields), version) + entries


def read(folder: Path, data: bytes) -> Expectation:
    path = folder / "model.gguf"
    path.write_bytes(data)
    return read_expectation(str(path))


def test_a_header_says_its_multiplier(tmp_path: Path) -> None:
    for fields, multiplier in (
        (LLAMA, 128**-0.5),
        (LLAMA | {"llama.attention.key_length": 64}, 1 / 8),
        (LLAMA | {"llama.attention.scale": 0.25}, 0.25),
        (DEEPSEEK, (0.1 * log(40.0) + 1.0) ** 2 * 192**-0.5),
        (GEMMA, 1 / 12),
    ):
        expected = read(tmp_path, gguf(fields))
        assert expected.of(0, 128).multiplier == pytest.approx(multiplier, rel=1e-6)
        assert "model.gguf" in expected.source
    assert any("llama.cpp multiplies q of Gemma" in note for note in expected.notes)


def test_a_header_says_its_cap_and_its_windows(tmp_path: Path) -> None:
    expected = read(tmp_path, gguf(GEMMA))
    assert [expected.of(layer, 128).mask for layer in range(2)] == ["window", "causal"]
    assert expected.of(0, 128).softcap == 50.0
    pattern = GEMMA | {"gemma2.attention.sliding_window_pattern": (False, True) * 23}
    assert read(tmp_path, gguf(pattern)).of(0, 128).mask == "causal"


def test_an_architecture_of_llama_cpp_does_what_it_does_there(tmp_path: Path) -> None:
    """A window that is not written is none; ALiBi and 1/d_k are written nowhere."""
    fields = {"block_count": 2, "embedding_length": 64, "attention.head_count": 4}

    def header_of(architecture: str, **more: Any) -> Expectation:
        own = {f"{architecture}.{name}": value for name, value in {**fields, **more}.items()}
        return read(tmp_path, gguf({"general.architecture": architecture, **own}))

    assert header_of("exaone4").of(0, 16).mask == "causal"
    jais = header_of("jais").of(0, 16)
    assert (jais.multiplier, type(jais.bias)) == (1 / 16, tuple)
    assert isinstance(header_of("jina-bert-v2").of(0, 16).bias, tuple)
    assert header_of("bert").of(0, 16).bias == NONE
    window = {"attention.sliding_window": 8}
    assert header_of("olmo2").of(0, 16).mask == "causal"
    assert header_of("olmo2", **window).of(0, 16).window == 8
    assert header_of("modern-bert", **window).of(1, 16).mask == "local"


HOSTILE = {
    "cut": gguf(LLAMA)[:-5],
    "version": gguf(LLAMA, version=1),
    "entries": header(2**60),
    "long name": header(1) + struct.pack("<Q", 2**62),
    "long text": header(1) + text("a") + struct.pack("<IQ", 8, 2**63),
    "long list": header(1) + text("a") + struct.pack("<IIQ", 9, 4, 2**61),
    "many texts": header(1) + text("a") + struct.pack("<IIQ", 9, 8, 2**50),
    "list of lists": header(1) + text("a") + struct.pack("<IIQ", 9, 9, 1),
    "no such type": header(1) + text("a") + struct.pack("<I", 99),
    "twice": header(2) + entry("a", 1) * 2,
    "no architecture": gguf({"a": 1}),
    "not finite": gguf(LLAMA | {"llama.attention.scale": float("nan")}),
    "more heads than width": gguf(LLAMA | {"llama.attention.head_count": 5000}),
    "only its mark": b"GGUF",
    "no mark": b"not at all",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_header_is_refused_in_a_line(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        read(tmp_path, HOSTILE[name])
    assert refused.value.field == "config"
    assert str(refused.value).isprintable()
    assert "model.gguf" in str(refused.value)


def test_any_part_of_a_header_is_refused(tmp_path: Path) -> None:
    whole = gguf(LLAMA | {"tokenizer.ggml.tokens": ["a"], "tokenizer.chat_template": "b"})
    for size in range(4, len(whole)):
        with pytest.raises(InputError):
            read(tmp_path, whole[:size])


def test_what_a_header_claims_takes_no_memory(tmp_path: Path) -> None:
    """A list of 2^64 numbers of a byte is refused before anything is read."""
    (tmp_path / "model.gguf").write_bytes(
        header(1) + text("a") + struct.pack("<IIQ", 9, 0, 2**64 - 1)
    )
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="at most"):
            read_expectation(str(tmp_path / "model.gguf"))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2**20


def test_a_text_where_a_number_belongs_is_refused(tmp_path: Path) -> None:
    for fields, name in (
        (DEEPSEEK, "deepseek2.rope.scaling.yarn_log_multiplier"),
        (GEMMA, "gemma2.embedding_length"),
        (GEMMA, "gemma2.attention.head_count"),
    ):
        with pytest.raises(InputError, match="is 'x'; expected a finite number"):
            read(tmp_path, gguf(fields | {name: "x"}))
