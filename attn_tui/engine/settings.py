"""The settings of Heads: the capture, how weights are made, the rows taken, and the cursor."""

import shlex
from dataclasses import dataclass, replace
from typing import Any

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.field import (
    Checked,
    Kind,
    array,
    one_of,
    or_none,
    parse_whole,
    setting,
    whole,
)
from attn_tui.compute.heads.statistic import STATISTICS

ROWS = 128
"""Rows sampled of each head by default."""

MOST_ROWS = 2**20


def _paths(text: str) -> tuple[str, ...]:
    if text in ("", "none"):
        return ()
    try:
        return tuple(shlex.split(text))
    except ValueError:
        raise InputError("", f"{inert(text)} has a quote without its other", "") from None


def _are_texts(value: Any) -> bool:
    return type(value) is tuple and all(type(text) is str and text for text in value)


PATHS = Kind(
    "a .safetensors, .npz or .npy file, or a pattern of names; several with blanks between",
    _paths,
    _are_texts,
    shlex.join,
    lambda value: ", ".join(value) or "none",
    metavar="FILE",
    paths=True,
    schema=array({"type": "string"}),
)
"""The files of a capture."""


def _rows(text: str) -> int | None:
    return None if text == "all" else parse_whole("", text)


ROW_COUNT = Kind(
    f"a whole number from 1 to {MOST_ROWS:,}, or all",
    _rows,
    lambda value: value is None or (type(value) is int and 1 <= value <= MOST_ROWS),
    lambda value: "all" if value is None else str(value),
    lambda value: "all" if value is None else f"{value:,}",
    metavar="N",
    schema=or_none(whole(1, MOST_ROWS), "all").schema,
)
"""How many rows of a head are taken."""


def _is_mask(value: Any) -> bool:
    if value == "auto":
        return True
    # Imported here since it loads the modules that compute; most questions leave the mask alone.
    from attn_tui.engine.request import parse_mask

    if type(value) is not str:
        return False
    try:
        parse_mask(value)
    except InputError:
        return False
    return True


MASK = Kind(
    "auto, none, causal, causal:OFFSET, window:KEYS, window:KEYS:OFFSET or given",
    str,
    _is_mask,
    metavar="MASK",
    schema={"type": "string"},
)
"""The mask of every head."""


PLACE = or_none(whole(0), "none")
"""The number of a layer, or of a head in it, or none."""

TEXT = Kind(
    "text",
    str,
    lambda value: type(value) is str,
    shown=lambda value: value or "none",
    schema={"type": "string"},
)
PATH = replace(TEXT, paths=True)


DIFFERENCE = "difference"
"""The statistic that is no head's own: how far its output is from that of a reference."""

SHOWN = {name: (statistic.words, statistic.title) for name, statistic in STATISTICS.items()} | {
    DIFFERENCE: ("how far out is from that of the reference, in units of its format", DIFFERENCE)
}
"""The words and the title of what the map may show."""


@dataclass(frozen=True)
class Settings(Checked):
    """The settings of a question about captured heads.

    Attributes:
        capture: The files of the capture, or patterns of their names; empty if none is open.
        layouts: The axes of tensors, ``out=bnhd,k=bhnd``, if shapes do not tell.
        names: What tensors are called, as `open_capture` takes it.
        statistic: The name of the statistic in the map.
        rows: How many rows of each head are sampled; None for all.
        seed: The seed of the sample.
        mask: Which keys are seen, as `parse_mask` reads it.
        config: A file that says what is expected of the heads.
        batch: The sequence of the head with the cursor.
        layer: The layer of that head; None for the gravest head.
        head: The number of that head in its layer; None for the gravest head.
        reference: The files of a capture that this one is held against.
    """

    capture: tuple[str, ...] = setting(
        (), PATHS, "capture", "the file of heads that a model computed",
        synonyms=("file", "safetensors", "tensors"),
    )  # fmt: skip
    statistic: str = setting(
        "max_weight",
        one_of(
            {name: words for name, (words, _) in SHOWN.items()},
            {name: title for name, (_, title) in SHOWN.items()},
        ),
        "statistic", "what is shown of each head", option="--statistic",
        synonyms=("column", "map of"),
    )  # fmt: skip
    rows: int | None = setting(
        ROWS, ROW_COUNT, "rows", "how many rows of each head are sampled", option="--rows",
        synonyms=("queries", "sample", "exact"),
    )  # fmt: skip
    seed: int = setting(
        1, whole(0), "seed", "seed of the sample of rows", option="--seed", synonyms=("random",)
    )  # fmt: skip
    mask: str = setting(
        "auto", MASK, "mask", "which keys are seen; auto, as captured or as the output says",
        option="--mask", synonyms=("window",), presets={"causal": ("causal", "causal mask")},
    )  # fmt: skip
    layouts: str = setting(
        "", TEXT, "layouts", "the axes of tensors where shapes do not tell, such as out=bnhd",
        option="--layout",
        synonyms=("axes", "bhnd", "bnhd"),
    )  # fmt: skip
    names: str = setting(
        "", TEXT, "names", "how tensors are called: a name with {layer} and {part}",
        option="--names",
    )  # fmt: skip
    config: str = setting(
        "", PATH, "expects", "a config.json or GGUF file that says what the doctor expects",
        option="--config", synonyms=("config", "gguf", "expectation"),
    )  # fmt: skip
    batch: int = setting(0, whole(0), "sequence", "the sequence that is looked at")
    layer: int | None = setting(
        None, PLACE, "layer", "the layer of the head with the cursor; none, that to look at first"
    )  # fmt: skip
    head: int | None = setting(
        None, PLACE, "head", "the head with the cursor; none, that to look at first"
    )  # fmt: skip
    reference: tuple[str, ...] = setting(
        (), PATHS, "reference", "the capture that the difference is from, as in attn-tui diff",
        synonyms=("diff", "original", "other capture"),
    )  # fmt: skip
