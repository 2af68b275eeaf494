"""The metadata of a GGUF file, without its tensors, in the words of transformers.

The package gguf makes arrays of every token: of a vocabulary of 128,256 they take 600 MB
and ten seconds. A file of 49 bytes that claims 2^61 numbers fills all memory there is.
"""

import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from attn_tui.compute.errors import InputError, inert
from attn_tui.files.models.expected import Expectation
from attn_tui.files.models.transformers import Fields, Reader

MAGIC = b"GGUF"
MOST_BYTES = 64 * 2**20
"""Bytes of metadata; the tokens of the largest vocabularies take some ten million."""
MOST_ENTRIES = 1024
LONGEST = 4096
"""Bytes of a name; of a text, or numbers of a list, that is not skipped."""

_NUMBERS = dict(enumerate("BbHhIif?")) | {10: "Q", 11: "q", 12: "d"}
_TEXT, _LIST = 8, 9

_NAMES: Mapping[str, str] = {
    "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv",
    "num_hidden_layers": "block_count",
    "hidden_size": "embedding_length",
    "head_dim": "attention.key_length",
    "swa_head_dim": "attention.key_length_swa",
    "v_head_dim": "attention.value_length",
    "kv_lora_rank": "attention.kv_lora_rank",
    "qk_rope_head_dim": "rope.dimension_count",
    "attn_logit_softcapping": "attn_logit_softcapping",
    "sliding_window": "attention.sliding_window",
    "is_causal": "attention.causal",
}
"""What GGUF calls the fields of transformers."""

_KINDS: Mapping[str, str] = {
    "command-r": "cohere", "deepseek": "llama", "deepseek2": "deepseek_v3", "exaone": "exaone4",
    "glm4moe": "glm4_moe", "gpt-oss": "gpt_oss", "gptneox": "gpt_neox", "jina-bert-v2": "bert",
    "minicpm": "llama", "mistral3": "ministral", "modern-bert": "bert", "neo-bert": "bert",
    "nomic-bert": "bert", "nomic-bert-moe": "bert", "orion": "llama", "phi2": "phi",
    "qwen2moe": "qwen2_moe", "qwen3moe": "qwen3_moe", "starcoder": "gpt_bigcode",
    "t5encoder": "t5", "xverse": "llama",
}  # fmt: skip
"""What transformers calls architectures, or one that is alike, where llama.cpp does not."""

_OF_WIDTH = {("gemma2", 46), ("gemma3", 62)}
"""The models of 27B, by their number of layers: m is 1/√(width/heads)."""


def expectation(header: Mapping[str, Any], file: str) -> Expectation:
    """Return what a header expects; of an architecture that is not known, 1/√head_dim.

    Args:
        header: The metadata by name.
        file: The file, to be named.

    Raises:
        InputError: With field ``"config"``, if it is of no model, or a number in it is none.
    """
    architecture = header.get("general.architecture")
    if not isinstance(architecture, str):
        problem = "it names no architecture"
        raise InputError("config", problem, "the GGUF file of a language model", file)
    own = {
        name.removeprefix(f"{architecture}."): value
        for name, value in header.items()
        if name.startswith(f"{architecture}.")
    }
    kind = _KINDS.get(architecture, architecture)
    names = dict(_NAMES)
    config = {name: own[called] for name, called in names.items() if own.get(called) is not None}
    config["model_type"] = kind
    heads = config.get("num_attention_heads")
    if isinstance(heads, tuple):
        # One for each layer, 0 where a layer has no attention.
        config["num_attention_heads"] = max(heads, default=0) or None
    if "attention.key_length_mla" in own:
        # The other is that of absorbed keys.
        config["global_head_dim"] = config.pop("head_dim", None)
        config["head_dim"] = own["attention.key_length_mla"]
        names["head_dim"] = "attention.key_length_mla"
    if own.get("attention.scale"):
        config["scaling"] = own["attention.scale"]
        names["scaling"] = "attention.scale"
    pattern = own.get("attention.sliding_window_pattern")
    if isinstance(pattern, tuple):
        types = {True: "sliding_attention", False: "full_attention"}
        config["layer_types"] = [types[bool(slides)] for slides in pattern]
    else:
        config["sliding_window_pattern"] = pattern
    config["rope_scaling"] = {
        "type": own.get("rope.scaling.type"),
        "factor": own.get("rope.scaling.factor"),
        "mscale_all_dim": 10.0 * (own.get("rope.scaling.yarn_log_multiplier") or 0.0),
    }
    fields = Fields(config, file, names)
    notes: tuple[str, ...] = ()
    if kind in ("gemma2", "gemma3") and "scaling" not in config:
        notes = ("llama.cpp multiplies q of Gemma before attention: captured after that, m is 1.",)
        width, count = fields.whole("hidden_size"), fields.whole("num_attention_heads")
        scalar, called = fields.whole("head_dim"), "attention.key_length"
        if width and count and (scalar is None or (kind, own.get("block_count")) in _OF_WIDTH):
            scalar, called = fields.shared(width, count), "embedding_length/head_count"
        config["query_pre_attn_scalar"] = scalar
        names["query_pre_attn_scalar"] = called
    found = Reader(fields, f" (GGUF, {inert(architecture)[1:-1]})").expectation()
    return replace(found, notes=(*notes, *found.notes))


def read_header(file: BinaryIO, name: str) -> dict[str, Any]:
    """Return the metadata of a file by name; None stands for a long text or list.

    Args:
        file: On a disk.
        name: Its name, for errors.

    Raises:
        InputError: With field ``"config"``, if it is no GGUF file, or claims what it has not.
    """
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        header = _Header(data, min(len(data), MOST_BYTES), name)
        header.forward(len(MAGIC))
        version = header.number("I")
        if version not in (2, 3):
            raise header.bad(f"its version is {version}", "2 or 3")
        header.number("Q")
        entries = header.number("Q")
        if entries > MOST_ENTRIES:
            raise header.bad(f"it claims {entries:,} entries", f"at most {MOST_ENTRIES:,}")
        metadata: dict[str, Any] = {}
        for _ in range(entries):
            key = header.text()
            if key is None:
                raise header.bad("a name is too long", f"at most {LONGEST:,} bytes")
            if key in metadata:
                raise header.bad(f"{inert(key)} stands there twice", "each name once")
            metadata[key] = header.value(key)
        return metadata


@dataclass
class _Header:
    """The beginning of a file, as far as it is read.

    Attributes:
        data: The file.
        end: Where metadata end at the latest.
        name: Of the file.
        place: How many bytes are read.
    """

    data: mmap.mmap
    end: int
    name: str
    place: int = 0

    def value(self, key: str) -> Any:
        """Return the value of an entry; None if it is long, or a list of texts."""
        kind = self.number("I")
        if kind in _NUMBERS:
            return self.number(_NUMBERS[kind])
        if kind == _TEXT:
            return self.text()
        if kind != _LIST:
            raise self.bad(f"{inert(key)} is of kind {kind}", "one of 0 to 12")
        kind, count = self.number("I"), self.number("Q")
        if kind == _TEXT:
            for _ in range(count):
                self.forward(self.number("Q"))
            return None
        if kind not in _NUMBERS:
            raise self.bad(f"{inert(key)} is a list of kind {kind}", "a list of numbers or texts")
        size = count * struct.calcsize("<" + _NUMBERS[kind])
        start = self.forward(size)
        if count > LONGEST:
            return None
        return struct.unpack_from(f"<{count}{_NUMBERS[kind]}", self.data, start)

    def number(self, code: str) -> int:
        """Return a number; the codes f and d give a float."""
        form = "<" + code
        number: int
        (number,) = struct.unpack_from(form, self.data, self.forward(struct.calcsize(form)))
        return number

    def text(self) -> str | None:
        """Return a text; None if it is long."""
        size = self.number("Q")
        start = self.forward(size)
        if size > LONGEST:
            return None
        return self.data[start : start + size].decode("utf-8", "replace")

    def forward(self, size: int) -> int:
        """Go on by so many bytes, and return where they begin."""
        start = self.place
        if size > self.end - start:
            expected = f"a complete file, with at most {MOST_BYTES:,} bytes of metadata"
            raise self.bad("it ends within its metadata", expected)
        self.place += size
        return start

    def bad(self, problem: str, expected: str) -> InputError:
        """Return the error for the file."""
        return InputError("config", problem, expected, self.name)
