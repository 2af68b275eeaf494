"""A number that is typed to search for, as the scale of some d_k: 0.0884 is 1/√128."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import ceil, floor, sqrt

from attn_tui.compute.models import MODELS, Model
from attn_tui.compute.numbers import term

_ROOT = r"(?:(?:math\.|torch\.|np\.|jnp\.)?sqrt\s*\(?|√\s*\(?)\s*"
_NUMBER = r"([1-9][0-9]{0,4})(?:\.0*)?"
_END = r"(?![\w.])\)?"
_INVERSE = re.compile(rf"(?:1(?:\.0*)?\s*/\s*|\br(?=sqrt)){_ROOT}{_NUMBER}{_END}", re.IGNORECASE)
_POWER = re.compile(rf"(?<![\w.]){_NUMBER}\s*(?:\*\*|\^)\s*\(?[-−](?:0?\.5|1/2)\)?")
_DIVISOR = re.compile(rf"{_ROOT}{_NUMBER}{_END}", re.IGNORECASE)
_FRACTION = re.compile(rf"(?<![\w.])1(?:\.0*)?\s*/\s*{_NUMBER}(?![\w.])")
_DECIMAL = re.compile(r"(?<![\w.,])[0-9]{0,5}\.[0-9]{1,20}(?![\w,]|\.[0-9])")
_WHOLE = re.compile(r"(?<![\w.,−-])[0-9]{1,5}(?![\w.,])")

_BESIDE = re.compile(
    r"\b(what|is|the|a|attention|softmax|scale|scales|scaling|factor|multiplier|divisor|value|sm|"
    r"kq|qk|by|divide|divided|multiply|why|used|number|magic|constant|in|here|from)\b|[\s_=?:]",
    re.IGNORECASE,
)
"""What may stand beside a number that is meant as a scale."""

_BEFORE = re.compile(r"[\d.)]\s*(\*\*|[*/^×·+−-])\s*$|[-−]\s*$")
_AFTER = re.compile(r"\s*(\*\*|[*/^×·+%]|[-−]\s*\d)")
"""What makes a number a part of an expression, before it and after it: 64**0.5 is not 0.5."""

LARGEST_D_K = 16_384
"""The largest d_k that a number is read as the scale of."""

LONGEST = 200
"""The most characters of a text that are looked at."""

FEWEST_DIGITS = 3
"""The fewest digits of a decimal number in a title that is read as a scale."""

MOST_MODELS = 3
"""The most models that are named."""


@dataclass(frozen=True)
class TypedScale:
    """A number that was typed, and what it may be.

    Attributes:
        typed: The number, as typed.
        d_k: The d_k of which it is the scale.
        means: What it is, in a sentence.
        command: The command line that shows this scale.
        is_alone: Whether nothing else was typed.
    """

    typed: str
    d_k: int
    means: str
    command: str
    is_alone: bool = False


def typed_scale(text: str) -> TypedScale | None:
    """Return what a number in a text is the scale of, or None if there is no such number.

    A whole number, or one of few digits, is one only where nothing else is asked.

    >>> typed_scale("0.0884").means
    '0.0884 is 1/√128, by which scores are multiplied at d_k = 128, as in Llama-2-7B, Llama-3-8B, \
Llama-2-70B and 5 more.'
    >>> typed_scale("22.6").d_k, typed_scale("1/sqrt(192)").d_k, typed_scale("first token")
    (512, 192, None)
    """
    text = text[:LONGEST]
    rest = text
    for pattern in (_INVERSE, _POWER, _DIVISOR, _FRACTION, _DECIMAL, _WHOLE, _BESIDE):
        rest = pattern.sub("", rest)
    is_alone = not rest.strip(".()")
    scale = next(chain(_of_roots(text), _of_numbers(text, is_alone)), None)
    return replace(scale, is_alone=is_alone) if scale else None


def _of_roots(text: str) -> Iterator[TypedScale]:
    for pattern, is_inverse in ((_INVERSE, True), (_POWER, True), (_DIVISOR, False)):
        for match in _whole_matches(pattern, text):
            if int(match[1]) <= LARGEST_D_K:
                yield _of_d_k(match[0].strip(), int(match[1]), is_inverse)


def _of_numbers(text: str, is_alone: bool) -> Iterator[TypedScale]:
    for match in _whole_matches(_FRACTION, text) if is_alone else ():
        yield from _of_value(match[0], 1.0 / int(match[1]), 0.0)
    for match in _whole_matches(_DECIMAL, text):
        digits = match[0].partition(".")[2]
        if is_alone or len(digits.lstrip("0")) >= FEWEST_DIGITS:
            yield from _of_value(match[0], float(match[0]), 0.5 * 10.0 ** -len(digits))
    for match in _whole_matches(_WHOLE, text) if is_alone else ():
        yield from _of_whole(match[0], int(match[0]))


def _whole_matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern that are not a part of a longer expression."""
    for match in pattern.finditer(text):
        if not _BEFORE.search(text[: match.start()]) and not _AFTER.match(text[match.end() :]):
            yield match


def _of_d_k(typed: str, d_k: int, is_inverse: bool) -> TypedScale:
    value = _scale(d_k, is_inverse)
    return TypedScale(typed, d_k, f"{typed} is {term(value)}, {_used(d_k, value)}.", _line(d_k))


def _of_value(typed: str, value: float, half: float) -> Iterator[TypedScale]:
    """Yield what a number is that was rounded by at most half a unit of its last digit."""
    if not 1.0 / LARGEST_D_K <= value <= LARGEST_D_K or value == 1.0:
        return
    d_k = _root_of(value, half)
    others = [
        model
        for model in MODELS.values()
        if model.d_k != d_k
        and half <= 0.005 * value
        and _is_rounding(_of_model(model, value < 1.0), value, half)
    ]
    texts = []
    if d_k is not None:
        root = f"1/√{d_k:,}" if value < 1.0 else f"√{d_k:,}"
        same = _is_rounding(_scale(d_k, value < 1.0), value, 0.005 * value)
        exact = root if same else f"about {root}, {term(_scale(d_k, value < 1.0))}"
        texts.append(f"{typed} is {exact}, {_used(d_k, value)}.")
    if others:
        verb = "multiplied" if value < 1.0 else "divided"
        what = typed if d_k is None else "It"
        names = f"{_named(others)}, d_k = {others[0].d_k}"
        texts.append(f"{what} is what scores are {verb} by in {names}.")
    if d_k is not None:
        yield TypedScale(typed, d_k, " ".join(texts), _line(d_k))
    elif others:
        line = f"show 100,120,150 --model {others[0].name}"
        yield TypedScale(typed, others[0].d_k, " ".join(texts), line)


def _of_whole(typed: str, number: int) -> Iterator[TypedScale]:
    """Yield what a whole number is: a divisor, d_k itself, or both."""
    divisor = next(_of_value(typed, float(number), 0.0), None) if 2 <= number <= 32 else None
    if not 16 <= number <= LARGEST_D_K:
        yield from filter(None, [divisor])
        return
    value = _scale(number, True)
    as_d_k = (
        f"At d_k = {number:,} the scale is 1/√{number:,} = {term(value)}{_as_in(number, value)}."
    )
    before = f"{divisor.means} " if divisor else ""
    yield TypedScale(typed, number, before + as_d_k, _line(number))


def _root_of(value: float, half: float) -> int | None:
    """Return the d_k that a rounded number is the root of, or one over it.

    Where several whole numbers are, it is the one that is a power of 2 or the d_k of a model.
    """
    ends = sorted((max(value - 0.999 * half, 1e-9) ** 2, (value + 0.999 * half) ** 2))
    if value < 1.0:
        ends = [1.0 / ends[1], 1.0 / ends[0]]
    slack = 1e-6 * ends[1]
    first, last = ceil(ends[0] - slack), floor(ends[1] + slack)
    if first > last or first > LARGEST_D_K:
        return None
    usual = {model.d_k for model in MODELS.values()} | {2**power for power in range(1, 15)}
    among = {d_k for d_k in usual if first <= d_k <= last} or {first, last}
    return among.pop() if len(among) == 1 else None


def _scale(d_k: int, is_inverse: bool) -> float:
    return 1.0 / sqrt(d_k) if is_inverse else sqrt(d_k)


def _of_model(model: Model, is_inverse: bool) -> float:
    """Return what a model multiplies scores by, or divides them by; 0 if it depends on n."""
    m = 0.0 if model.scale.uses_n else model.scale.multiplier(model.d_k, 2)
    return m if is_inverse or not m else 1.0 / m


def _is_rounding(exact: float, value: float, half: float) -> bool:
    return abs(exact - value) <= max(half, 1e-9 * value)


def _used(d_k: int, value: float) -> str:
    verb = "multiplied" if value < 1.0 else "divided"
    return f"by which scores are {verb} at d_k = {d_k:,}{_as_in(d_k, value)}"


def _as_in(d_k: int, value: float) -> str:
    """Return the models that have a d_k and its scale, after ``as in``; or nothing."""
    exact = _scale(d_k, value < 1.0)
    having = [
        model
        for model in MODELS.values()
        if model.d_k == d_k and _is_rounding(_of_model(model, value < 1.0), exact, 0.0)
    ]
    return f", as in {_named(having)}" if having else ""


def _named(models: Sequence[Model]) -> str:
    titles = [model.title for model in models[:MOST_MODELS]]
    more = len(models) - len(titles)
    last = f"{more} more" if more else titles.pop()
    return f"{', '.join(titles)} and {last}" if titles else last


def _line(d_k: int) -> str:
    return f"show 100,120,150 --d-k {d_k}"
