"""Read an expectation from a config.json, a GGUF file, or a capture's own metadata."""

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from attn_tui.captures.disk import reason_of, regular
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.text import visible
from attn_tui.files.content import read_json, read_text
from attn_tui.files.models import gguf, transformers
from attn_tui.files.models.fields import HEADS
from attn_tui.files.models.promise import Expectation

_LARGEST = 4 * 2**20
"""The most bytes of a config.json."""


def read_expectation(path: str, called: str = "") -> Expectation:
    """Return what a configuration expects: a config.json, a folder with one, or a GGUF file.

    Args:
        path: The path of the file or the folder.
        called: The name of the file in messages; its own name if empty.

    Raises:
        InputError: With field ``"config"``, if it cannot be read, or is no configuration.
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
    """Return what a capture's own metadata promises, or None if it says nothing of attention.

    It is only a claim: it is ignored if it is no configuration, or has heads of another length.
    The ``scaling`` of a call is no promise.

    Args:
        metadata: The metadata of the capture, by name; numbers may be text.
        d_k: The length of captured queries.
    """
    plain = {name: _number(value) for name, value in metadata.items()}
    if not {"model_type", "attention_multiplier", "query_pre_attn_scalar"} & {*plain}:
        return None
    if not any(isinstance(value, Mapping) or name in HEADS for name, value in plain.items()):
        plain["num_attention_heads"] = 1
    with suppress(InputError):
        expectation = transformers.expectation(plain, "the capture's metadata")
        if not expectation.shape.d_k or d_k in expectation.shape.d_k:
            return expectation
    return None


def _number(value: Any) -> Any:
    if isinstance(value, str):
        with suppress(ValueError):
            number = float(value)
            return int(number) if number.is_integer() else number
    return value
