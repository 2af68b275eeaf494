"""The names of tensors, here and in other tools, and their meaning."""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import NamedTuple

from attn_tui.compute.errors import InputError, inert

PARTS: Mapping[str, tuple[str, ...]] = {
    "q": ("q", "query", "queries", "query_states", "query_layer", "rot_q", "q_proj"),
    "k": ("k", "key", "keys", "key_states", "key_layer", "rot_k", "k_proj"),
    "v": ("v", "value", "values", "value_states", "value_layer", "v_proj"),
    "out": ("out", "o", "output", "attn_output", "context", "context_layer", "z"),
    "weights": ("weights", "attn_weights", "attention_weights", "attention_probs", "probs",
                "pattern", "attentions"),
    "mask": ("mask", "attn_mask", "attention_mask"),
    "sink": ("sink", "sinks", "s_aux"),
    "bias": ("bias", "attn_bias", "position_bias"),
    "positions": ("positions", "position_ids", "cache_position"),
    "lengths": ("lengths", "seq_lens", "seqlens"),
}  # fmt: skip
"""The names of tensors by part, our own first."""

_PART_OF = {name: part for part, names in PARTS.items() for name in names}
LONGEST_NUMBER = 6
"""The most digits in the number of a layer."""

_WORDS = "|".join(sorted(map(re.escape, _PART_OF), key=len, reverse=True))
_FILLERS = {"self_attn", "self_attention", "attention", "attn", "self", "mha", "sdpa"}
_MARKS = "._/"
_BREAK = re.compile(r"\.|/|__")
_NUMBER = re.compile("[0-9]+")
_LAYER = re.compile(r"(?:^|[._/])(?:layers?|l|h|blocks?|blk)?$", re.IGNORECASE)


class Meaning(NamedTuple):
    """The meaning of a tensor's name.

    Attributes:
        layer: The number of the layer in the model, counted from 0.
        part: A key of `PARTS`.
    """

    layer: int
    part: str


def meaning_of(name: str, pattern: "re.Pattern[str] | None" = None) -> Meaning | None:
    """Return the meaning of a name that matches a pattern, is our own or another tool's, or None.

    >>> meaning_of("3.q"), meaning_of("out"), meaning_of("blocks.0.attn.hook_z")
    (Meaning(layer=3, part='q'), Meaning(layer=0, part='out'), Meaning(layer=0, part='out'))
    """
    if pattern and (match := pattern.fullmatch(name)):
        groups = match.groupdict()
        return Meaning(int(groups.get("layer") or 0), _PART_OF[groups["part"]])
    numbers = [*_NUMBER.finditer(name)]
    if not numbers:
        part = _part(name)
        return Meaning(0, part) if part else None
    before, after = name[: numbers[0].start()], name[numbers[0].end() :]
    if len(numbers) > 1 or len(numbers[0][0]) > LONGEST_NUMBER:
        return None
    if not after:
        part = _part(before.rstrip(_MARKS))
    elif after[0] in _MARKS and _LAYER.search(before):
        part = _part(after.lstrip(_MARKS))
    else:
        return None
    return Meaning(int(numbers[0][0]), part) if part else None


def _part(text: str) -> str:
    """Return the part that a name without a number stands for, or an empty text."""
    *before, word = _BREAK.split(text)
    if not _FILLERS.issuperset(before):
        return ""
    bare = word.removeprefix("hook_")
    names = [bare, bare.removesuffix("_out")]
    if bare == word:
        names += [word[len(filler) + 1 :] for filler in _FILLERS if word.startswith(f"{filler}_")]
    return next((_PART_OF[name] for name in names if name in _PART_OF), "")


def pattern_of(text: str) -> "re.Pattern[str] | None":
    """Return the pattern for names typed as ``layers.{layer}.attn.{part}``; None if empty.

    Raises:
        InputError: With field ``"names"``, if {part} is not in it once, or {layer} twice.
    """
    if not text:
        return None
    if text.count("{part}") != 1 or text.count("{layer}") > 1:
        expected = "{part} once, and {layer} once or none, such as 'layers.{layer}.attn.{part}'"
        raise InputError("names", f"{inert(text, 80)} will not do", expected)
    spelled = re.escape(text).replace(r"\{part\}", f"(?P<part>{_WORDS})")
    spelled = spelled.replace(r"\{layer\}", f"(?P<layer>[0-9]{{1,{LONGEST_NUMBER}}})")
    return re.compile(spelled, re.ASCII)


def nearest(names: Sequence[str], wanted: str) -> str:
    """Return the names that look most like a wanted one, quoted, to be offered in an error."""
    matches = get_close_matches(wanted, [name[:200] for name in names[:5_000]], n=3, cutoff=0.0)
    return " or ".join(inert(name, 60) for name in matches)
