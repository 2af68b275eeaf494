"""Where an expectation comes from: config.json, a GGUF file, or the capture's own metadata."""

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from attn_tui.captures.disk import reason_of, regular
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.text import visible
from attn_tui.files.content import read_json, read_text
from attn_tui.files.models import gguf, transformers
from attn_tui.files.models.expected import Expectation

_LARGEST = 4 * 2**20
"""Bytes of a config.json."""


def read_expectation(path: str, called: str = "") -> Expectation:
    """Return what a configuration expects: a config.json, a folder with one, or a GGUF file.

    Args:
        path: The file or the folder.
        called: What to call it; its own name by default.

    Raises:
        InputError: With field ``"config"``.
    """
    true = os.path.expanduser(path)
    if is_folder := os.path.isdir(true):
        true = os.path.join(true, "config.json")
    name = called or inert(visible(os.path.basename(true)))[1:-1]
    try:
        with regular(true) as file:
            if file.read(len(gguf.MAGIC)) == gguf.MAGIC:
                file.seek(0)
                return gguf.expectation(file, name)
            file.seek(0)
            plain = read_json(read_text(file, _LARGEST))
    except InputError as error:
        if error.field == "config":
            raise
        place = f"{name}, {error.where}" if error.where else name
        raise InputError("config", error.problem, error.expected, place) from None
    except OSError as error:
        reason = reason_of(error)[0]
        if is_folder and isinstance(error, FileNotFoundError):
            reason = "this folder holds no config.json"
        raise InputError("config", reason, "a config.json or a GGUF file", inert(path)) from None
    if not isinstance(plain, dict):
        raise InputError("config", "it is no object", "a config.json of transformers", name)
    return transformers.expectation(plain, name)


def claimed(metadata: Mapping[str, Any], d_k: int) -> Expectation | None:
    """Return what a capture's own metadata expects, or None if it says nothing of attention.

    It is a claim: what is no configuration, or of heads of another length, is left aside.

    Args:
        metadata: What the capture says, by name; numbers may be text.
        d_k: The length of captured queries.
    """
    plain = {name: _number(value) for name, value in metadata.items()}
    says = {"model_type", "scaling", "attention_multiplier", "query_pre_attn_scalar", "head_dim"}
    if not says & {*plain}:
        return None
    if not any(name in plain for name in transformers.HEADS):
        plain["num_attention_heads"] = 1
    with suppress(InputError):
        found = transformers.expectation(plain, "the capture's metadata")
        if not found.shape.d_k or d_k in found.shape.d_k:
            return found
    return None


def _number(value: Any) -> Any:
    if isinstance(value, str):
        with suppress(ValueError):
            number = float(value)
            return int(number) if number.is_integer() else number
    return value
