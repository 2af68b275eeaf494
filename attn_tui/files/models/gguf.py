"""Read the header of a GGUF file as a configuration with the names of transformers.

We read the header ourselves: the package gguf builds an array for every token, which takes 600 MB
and ten seconds for a vocabulary of 128,256, and trusts the counts that a file claims.
"""

import mmap
import struct
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, BinaryIO

from attn_tui.compute.errors import InputError, inert
from attn_tui.files.models import transformers
from attn_tui.files.models.fields import Fields
from attn_tui.files.models.promise import Expectation

MAGIC = b"GGUF"

MOST_BYTES = 64 * 2**20
"""The most bytes of metadata; the largest vocabularies take some ten million."""

MOST_ENTRIES = 1024

LONGEST = 4096
"""The most bytes of a text, or numbers of a list, that we keep; longer ones are skipped."""

_NUMBERS = dict(enumerate("BbHhIif?")) | {10: "Q", 11: "q", 12: "d"}
_TEXT, _LIST = 8, 9

_NAMES: Mapping[str, str] = {
    "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv",
    "num_hidden_layers": "block_count",
    "hidden_size": "embedding_length",
    "head_dim": "attention.key_length",
    "v_head_dim": "attention.value_length",
    "kv_lora_rank": "attention.kv_lora_rank",
    "qk_rope_head_dim": "rope.dimension_count",
    "attn_logit_softcapping": "attn_logit_softcapping",
    "sliding_window": "attention.sliding_window",
    "sliding_window_pattern": "attention.sliding_window_pattern",
    "is_causal": "attention.causal",
    "attention_multiplier": "attention.scale",
}
"""The names of fields in transformers, and in GGUF."""

_KINDS: Mapping[str, str] = {
    "command-r": "cohere", "deepseek": "llama", "deepseek2": "deepseek_v3",
    "ernie4_5-moe": "ernie4_5_moe", "exaone": "llama", "falcon-h1": "falcon_h1",
    "glm4moe": "glm4_moe", "gpt-oss": "gpt_oss", "gptneox": "gpt_neox",
    "hunyuan-dense": "hunyuan_v1_dense", "hunyuan-moe": "hunyuan_v1_moe",
    "jina-bert-v2": "bert", "lfm2moe": "lfm2_moe", "minicpm": "llama",
    "minimax-m2": "minimax_m2", "mistral3": "llama", "modern-bert": "modernbert",
    "neo-bert": "bert", "nomic-bert": "bert", "nomic-bert-moe": "bert", "orion": "llama",
    "phi2": "phi", "qwen2moe": "qwen2_moe", "qwen2vl": "qwen2_vl_text",
    "qwen3moe": "qwen3_moe", "qwen3next": "qwen3_next", "qwen3vl": "qwen3_vl_text",
    "qwen3vlmoe": "qwen3_vl_moe_text", "starcoder": "gpt_bigcode", "t5encoder": "t5",
    "xverse": "llama",
}  # fmt: skip
"""GGUF architectures with another name in transformers, or that attend like another one."""

_OF_WIDTH = {("gemma2", 46), ("gemma3", 62)}
"""Gemma's 27B models, by architecture and number of layers: their m is 1/√(width/heads)."""


def expectation(file: BinaryIO, name: str) -> Expectation:
    """Return what a GGUF file expects; arguments and errors are those of `read_configuration`.

    llama.cpp multiplies q of Gemma by m before attention, which then multiplies by 1.
    """
    config = read_configuration(file, name)
    expected = transformers.expectation(config, name)
    if "query_pre_attn_scalar" not in config:
        return expected
    note = "llama.cpp multiplies q of Gemma before attention: captured after that, m is 1."
    return replace(expected, notes=(note, *expected.notes))


def read_configuration(file: BinaryIO, name: str) -> dict[str, Any]:
    """Return the configuration in a GGUF file, with the field names of transformers.

    Args:
        file: An open file on a disk.
        name: Its name, for errors.

    Raises:
        InputError: With field ``"config"``, if it is not a GGUF file of a language model, or claims
            more than it holds.
    """
    header = Fields(read_header(file, name), where=name)
    architecture = header.text("general.architecture")
    if not architecture:
        header.fail("it names no architecture", "the GGUF file of a language model")
    metadata = {
        key.removeprefix(f"{architecture}."): value
        for key, value in header.of.items()
        if key.startswith(f"{architecture}.")
    }
    fields = Fields(metadata, where=name)
    kind = _KINDS.get(architecture, architecture)
    config = {ours: metadata[theirs] for ours, theirs in _NAMES.items() if metadata.get(theirs)}
    config["model_type"] = kind
    # A class of transformers may have a window by default; here it would be written.
    config.setdefault("sliding_window", None)
    config |= _particular(architecture, config)
    if metadata.get("attention.causal") is False:
        config["is_causal"] = False
    heads = config.get("num_attention_heads")
    if isinstance(heads, tuple):
        # One number for each layer, 0 for a layer without attention.
        config["num_attention_heads"] = max(heads, default=0) or None
    if "attention.key_length_mla" in metadata:
        # With MLA, attention.key_length is the length of absorbed keys.
        config["global_head_dim"] = config.pop("head_dim", None)
        config["head_dim"] = metadata["attention.key_length_mla"]
    if isinstance(config.get("sliding_window_pattern"), tuple):
        types = {True: "sliding_attention", False: "full_attention"}
        slides = config.pop("sliding_window_pattern")
        config["layer_types"] = [types[bool(slide)] for slide in slides]
    config["rope_scaling"] = {
        "type": metadata.get("rope.scaling.type"),
        "factor": metadata.get("rope.scaling.factor"),
        "mscale_all_dim": 10.0 * (fields.number("rope.scaling.yarn_log_multiplier") or 0.0),
    }
    if kind in ("gemma2", "gemma3") and "attention_multiplier" not in config:
        config["query_pre_attn_scalar"] = _scalar_of_gemma(Fields(config, where=name))
    return config


def _particular(architecture: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """Return what llama.cpp does of an architecture without writing it."""
    if architecture == "jais":
        return {"mup_scale_qk_dot_by_d": True, "position_embedding_type": "alibi"}
    if architecture == "jina-bert-v2":
        return {"position_embedding_type": "alibi"}
    if architecture == "modern-bert":
        return {"local_attention": config["sliding_window"]}
    # Olmo 3 is Olmo 2 with windows.
    is_olmo3 = architecture == "olmo2" and config["sliding_window"]
    return {"model_type": "olmo3"} if is_olmo3 else {}


def _scalar_of_gemma(config: Fields) -> int | None:
    """Return the d_k in Gemma's m: that of a head, or in 27B the width divided by the heads."""
    is_wide = (config.kind, config.whole("num_hidden_layers")) in _OF_WIDTH
    if (is_wide or "head_dim" not in config.of) and config.width and config.heads:
        return config.width // config.heads
    return config.whole("head_dim")


def read_header(file: BinaryIO, name: str) -> dict[str, Any]:
    """Return the metadata of a GGUF file by name; None stands for a long text or list.

    Args:
        file: An open file on a disk.
        name: Its name, for errors.

    Raises:
        InputError: With field ``"config"``, if it is not a GGUF file, or claims more than it holds.
    """
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        header = _Header(data, name)
        header.skip(len(MAGIC))
        version, _, entries = header.number("I"), header.number("Q"), header.number("Q")
        if version not in (2, 3):
            raise header.error(f"its version is {version}", "2 or 3")
        if entries > MOST_ENTRIES:
            raise header.error(f"it claims {entries:,} entries", f"at most {MOST_ENTRIES:,}")
        metadata: dict[str, Any] = {}
        for _ in range(entries):
            key = header.text()
            if key is None or key in metadata:
                raise header.error("a name is too long, or stands there twice", "short names, once")
            metadata[key] = header.value(key)
        return metadata


class _Header:
    """The metadata of a file, read from its beginning.

    Args:
        data: The file.
        name: Its name, for errors.
    """

    def __init__(self, data: mmap.mmap, name: str) -> None:
        self._data = data
        self._end = min(len(data), MOST_BYTES)
        self._name = name
        self._place = 0

    def value(self, key: str) -> Any:
        """Read the value of an entry; return None if it is long, or a list of texts."""
        kind = self.number("I")
        if kind in _NUMBERS:
            return self.number(_NUMBERS[kind])
        if kind == _TEXT:
            return self.text()
        if kind != _LIST:
            raise self.error(f"{inert(key)} is of type {kind}", "a type from 0 to 12")
        kind, count = self.number("I"), self.number("Q")
        if kind == _TEXT:
            for _ in range(count):
                self.skip(self.number("Q"))
            return None
        if kind not in _NUMBERS:
            raise self.error(f"{inert(key)} is a list of type {kind}", "numbers or texts in it")
        form = f"<{min(count, LONGEST)}{_NUMBERS[kind]}"
        start = self.skip(count * struct.calcsize("<" + _NUMBERS[kind]))
        return struct.unpack_from(form, self._data, start) if count <= LONGEST else None

    def number(self, code: str) -> int:
        """Read a number of a type, as `struct` spells it; the codes f and d give a float."""
        number: int
        (number,) = struct.unpack_from(
            f"<{code}", self._data, self.skip(struct.calcsize(f"<{code}"))
        )
        return number

    def text(self) -> str | None:
        """Read a text; return None if it is long."""
        size = self.number("Q")
        start = self.skip(size)
        return (
            self._data[start : start + size].decode("utf-8", "replace") if size <= LONGEST else None
        )

    def skip(self, size: int) -> int:
        """Move past some bytes, and return where they begin."""
        start = self._place
        if size > self._end - start:
            expected = f"a complete file, with at most {MOST_BYTES:,} bytes of metadata"
            raise self.error("it ends within its metadata", expected)
        self._place += size
        return start

    def error(self, problem: str, expected: str) -> InputError:
        """Return the error for the file."""
        return InputError("config", problem, expected, self._name)
