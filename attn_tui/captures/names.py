"""What tensors are called, here and in other tools, and what they are."""

import re
from collections.abc import Mapping
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


def meaning_of(name: str) -> Meaning | None:
    """Return what a name of ours or of another tool means.

    >>> meaning_of("3.q"), meaning_of("out"), meaning_of("blocks.0.attn.hook_z")
    (Meaning(layer=3, part='q'), Meaning(layer=0, part='out'), Meaning(layer=0, part='out'))
    """
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


class Template(NamedTuple):
    """A name in which the number of the layer is open.

    Attributes:
        text: As it was typed.
        part: What its tensors are; empty where the name says it.
    """

    text: str
    part: str
    pattern: "re.Pattern[str]"

    def meaning(self, name: str) -> Meaning | None:
        """Return what a name means that is one of these."""
        if not (found := self.pattern.fullmatch(name)):
            return None
        groups = found.groupdict()
        return Meaning(int(groups.get("layer") or 0), self.part or _PART_OF[groups["part"]])

    @property
    def example(self) -> str:
        """A name of it."""
        return self.text.replace("{layer}", "0").replace("{part}", "q")


def templates(text: str) -> tuple[Template, ...]:
    """Return the templates that a text holds.

    Args:
        text: A name with ``{layer}`` for the number of the layer and ``{part}`` for what it is;
            without the latter it is a name of q. Or several, as ``q=…,out=…``.

    Raises:
        InputError: With field ``"names"``, if it does not say where q stands.
    """
    found = []
    for each in filter(None, (part.strip() for part in text.split(","))):
        part, equals, template = each.rpartition("=")
        if equals and part not in PARTS:
            raise InputError("names", f"{inert(part)} is no part", f"one of {', '.join(PARTS)}")
        found.append(Template(template, part, _pattern(template, part)))
    return tuple(found)


def _pattern(template: str, part: str) -> "re.Pattern[str]":
    text = template
    if not part and "{part}" not in text:
        places = [*re.finditer(r"(?<![A-Za-z])q(?:uery|ueries)?(?![A-Za-z])", text)]
        if not places:
            expected = "a name with {layer}, and {part} or q, such as 'layers.{layer}.attn.q_out'"
            raise InputError("names", f"{inert(template, 80)} names no q", expected)
        text = f"{text[: places[-1].start()]}{{part}}{text[places[-1].end() :]}"
    if text.count("{layer}") > 1 or text.count("{part}") > (not part):
        expected = "{layer} once, and {part} once or none"
        raise InputError("names", f"{inert(template, 80)} says it twice", expected)
    spelled = re.escape(text).replace(r"\{layer\}", f"(?P<layer>[0-9]{{1,{LONGEST_NUMBER}}})")
    return re.compile(spelled.replace(r"\{part\}", f"(?P<part>{_WORDS})"), re.ASCII)


def nearest(names: tuple[str, ...], wanted: str = "0.q") -> str:
    """Return the names that look most like what is wanted, to be offered; quoted."""
    near = get_close_matches(wanted, [each[:200] for each in names[:5_000]], n=3, cutoff=0.0)
    return " or ".join(inert(each, 60) for each in near)
