"""What tensors are called, here and in other tools, and what they are."""

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
"""Names of a tensor, ours first, by what it is."""

_PART_OF = {name: part for part, names in PARTS.items() for name in names}
LONGEST_NUMBER = 6
"""Digits of the number of a layer."""

_WORDS = "|".join(sorted(map(re.escape, _PART_OF), key=len, reverse=True))
_FILLERS = {"self_attn", "self_attention", "attention", "attn", "self", "mha", "sdpa"}
_MARKS = "._/"
_BREAK = re.compile(r"\.|/|__")
_NUMBER = re.compile("[0-9]+")
_LAYER = re.compile(r"(?:^|[._/])(?:layers?|l|h|blocks?|blk)?$", re.IGNORECASE)


class Meaning(NamedTuple):
    """What a name says.

    Attributes:
        layer: Of the model, counted from 0.
        part: A name in `PARTS`.
    """

    layer: int
    part: str


def meaning_of(name: str, pattern: "re.Pattern[str] | None" = None) -> Meaning | None:
    """Return what a name means: one that a pattern matches, of ours or of another tool.

    >>> meaning_of("3.q"), meaning_of("out"), meaning_of("blocks.0.attn.hook_z")
    (Meaning(layer=3, part='q'), Meaning(layer=0, part='out'), Meaning(layer=0, part='out'))
    """
    if pattern and (found := pattern.fullmatch(name)):
        groups = found.groupdict()
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
    """Return what a name without a number means, or nothing."""
    *before, word = _BREAK.split(text)
    if not _FILLERS.issuperset(before):
        return ""
    bare = word.removeprefix("hook_")
    names = [bare, bare.removesuffix("_out")]
    if bare == word:
        names += [word[len(each) + 1 :] for each in _FILLERS if word.startswith(f"{each}_")]
    return next((_PART_OF[each] for each in names if each in _PART_OF), "")


def pattern_of(text: str) -> "re.Pattern[str] | None":
    """Return what matches names that are typed as ``layers.{layer}.attn.{part}``; None for none.

    Raises:
        InputError: With field ``"names"``, if it does not say once where the part stands.
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
    """Return the names that look most like what is wanted, to be offered; quoted."""
    near = get_close_matches(wanted, [name[:200] for name in names[:5_000]], n=3, cutoff=0.0)
    return " or ".join(inert(name, 60) for name in near)
