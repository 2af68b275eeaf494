"""Fields: scalars that the user can set, each declared once, beside its default in a dataclass.

The dataclass gives the name, type and default, and so the JSON; the Field gives the rest. Options,
dialogues, checks, errors and documentation are derived from both. Nothing here needs NumPy.
"""

import dataclasses
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from math import copysign, floor, inf, isfinite, log10
from sys import maxsize
from typing import Any

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.numbers import general
from attn_tui.compute.numbers import whole as whole_text
from attn_tui.compute.text import ascii_signs

_WHOLE = re.compile(
    r"(?P<sign>[-+−]?)"
    r"(?P<digits>[0-9]{1,3}(?:(?P<mark>[,_ ])[0-9]{3}(?:(?P=mark)[0-9]{3})*)|[0-9]+)"
    r"(?:(?:[eE]\+?|[·×*](?P<base>2|10)(?:\^|\*\*))(?P<power>[0-9]{1,9}))?"
)
_POWER = re.compile(r"^(?=(?:2|10)(?:\^|\*\*))")
EXPECTED = "one such as 1024, 1,024, 1e6 or 2^10"
_MOST_DIGITS, _MOST_POWER = 50, 99
"""Numbers with more digits or a larger exponent are cut: they are out of range in any case."""
LARGEST_WHOLE = 2**_MOST_POWER
"""From here on a parsed number may be smaller than the one in the text."""


def parse_whole(field: str, text: str) -> int:
    """Read a whole number; its range is checked where it is used.

    It can have thousands separators, or be written as a power of 10 or of 2: ``1024``, ``1,024``,
    ``1_024``, ``1e6``, ``3·10^8``, ``2^10``. Marks that do not make groups of three are not
    separators: ``2,8`` is two numbers.

    Raises:
        InputError: Naming the field, if the text is not a whole number.

    >>> parse_whole("n", "1,024"), parse_whole("n", "1e4"), parse_whole("n", "2^10")
    (1024, 10000, 1024)
    """
    stripped = ascii_signs(text).strip()
    match = _WHOLE.fullmatch(_POWER.sub("1*", stripped))
    if not match:
        raise InputError(field, f"{inert(stripped)} is not a whole number", EXPECTED)
    digits = int(re.sub("[,_ ]", "", match["digits"])[:_MOST_DIGITS])
    size: int = digits * int(match["base"] or 10) ** min(int(match["power"] or 0), _MOST_POWER)
    return -size if match["sign"] in ("-", "−") else size


def parse_wholes(field: str, text: str) -> tuple[int, ...]:
    """Read whole numbers separated by commas, semicolons or blanks, dropping duplicates.

    Raises:
        InputError: Naming the field, if an entry is empty or is not a whole number, or begins with
            0, like the rest of a number with thousands separators.

    >>> parse_wholes("n", "2, 8 512")
    (2, 8, 512)
    """
    # A no-break or thin blank may as well be a mark of thousands, and is refused with its number.
    blanks = "[ \t\n\u3000]"
    parts = re.split(rf"{blanks}*[,;]{blanks}*|{blanks}+", text.strip()) if text.strip() else []
    expected = "whole numbers with commas between them"
    for place, part in enumerate(parts, 1):
        if not part:
            raise InputError(field, f"entry {place} of {inert(text.strip())} is empty", expected)
        if re.fullmatch("0[0-9]+", part):
            problem = f"{inert(part)} in {inert(text.strip())} begins with 0"
            raise InputError(field, problem, f"{expected} only")
    return tuple(dict.fromkeys(parse_whole(field, part) for part in parts))


def parse_number(text: str) -> float:
    """Read a decimal number, or a whole number as `parse_whole` does.

    Raises:
        ValueError: If the text is not a number.

    >>> parse_number("0.5"), parse_number("2^6")
    (0.5, 64.0)
    """
    text = ascii_signs(text)
    if text.isascii() and "_" not in text:
        with suppress(ValueError):
            return float(text)
    integer = parse_whole("", text)
    return float(integer) if abs(integer) < LARGEST_WHOLE else copysign(inf, integer)


@dataclass(frozen=True)
class Kind:
    """The kind of values that a field can have.

    Attributes:
        expected: The valid values, in words.
        read: Parses a text; raises InputError if it cannot, with an empty field if ``expected``
            describes valid values better.
        admits: Whether a value, of any type, is valid.
        text: Formats a value as text that ``read`` can parse.
        shown: Formats a value for the screen.
        step: Moves a value by a number of steps, within its range; returns it if it has no steps.
        metavar: The placeholder for a value in the help of an option.
        choices: The meaning of every value, by its text, if there are few.
        paths: Whether values are paths of files, one or a tuple of several.
        numeric: Whether values are written with numbers, or with a word that stands for none.
        former: The current name of a value, by its former name.
        schema: What a value is in JSON, as JSON Schema says it.
        argument: Formats a value for a command line, if ``text`` would be read otherwise there.
    """

    expected: str
    read: Callable[[str], Any]
    admits: Callable[[Any], bool]
    text: Callable[[Any], str] = str
    shown: Callable[[Any], str] = str
    step: Callable[[Any, int], Any] = lambda value, steps: value
    metavar: str = "TEXT"
    choices: Mapping[str, str] = dataclasses.field(default_factory=dict)
    paths: bool = False
    numeric: bool = False
    former: Mapping[Any, Any] = dataclasses.field(default_factory=dict)
    schema: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    argument: Callable[[Any], str] | None = None

    @property
    def has_steps(self) -> bool:
        """Whether a value can be moved by steps."""
        return self.step is not Kind.step

    def check(self, name: str, value: Any, typed: str = "") -> None:
        """Check a value.

        Raises:
            InputError: With that name, if the value is not valid; it quotes the typed text.
        """
        if not self.admits(value):
            text = typed or str(value).removesuffix(".0")
            raise InputError(name, f"{inert(text)} will not do", self.expected)

    def parse(self, name: str, text: str) -> Any:
        """Read and check a text.

        Raises:
            InputError: With that name, if the text is not a valid value.
        """
        typed = text.strip()
        try:
            value = self.read(typed)
        except InputError as error:
            expected = error.expected if error.field else self.expected
            raise InputError(name, error.problem, expected) from None
        self.check(name, value, typed)
        return value


def whole(
    least: int, most: float = inf, step: Callable[[int, int], int] = int.__add__,
    marked: bool = False,
) -> Kind:  # fmt: skip
    """Return the kind of whole numbers in a range, shown with thousands commas if ``marked``."""
    return Kind(
        f"a whole number from {least}" + ("" if most == inf else f" to {most:,}"),
        partial(parse_whole, ""),
        lambda value: type(value) is int and least <= value <= most,
        shown="{:,}".format if marked else str,
        step=lambda value, steps: int(min(max(step(value, steps), least), most)),
        metavar="N",
        numeric=True,
        schema={"type": "integer"} | _bounds(minimum=least, maximum=most),
    )


def _bounds(**bounds: float) -> dict[str, float]:
    """Return the bounds that are finite, by what JSON Schema calls them."""
    return {name: bound for name, bound in bounds.items() if isfinite(bound)}


def or_none(kind: Kind, word: str) -> Kind:
    """Return a kind that also admits None, which is written as a word."""
    return Kind(
        f"{kind.expected}, or {word}",
        lambda text: None if text in ("", word) else kind.read(text),
        lambda value: value is None or kind.admits(value),
        lambda value: word if value is None else kind.text(value),
        lambda value: word if value is None else kind.shown(value),
        metavar=kind.metavar,
        numeric=kind.numeric,
        schema={"anyOf": [kind.schema, {"type": "null"}]},
    )


ROUND = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)
"""The numbers of one decade through which a number above 0 is stepped."""


def round_step(value: float, steps: int) -> float:
    """Return the round number that is ``steps`` places above one above 0, or below it if negative.

    >>> round_step(0.5, 1), round_step(0.43, -1), round_step(8, 1), round_step(1, -1)
    (0.6, 0.4, 10.0, 0.8)
    """
    decades = range(floor(log10(value)) - abs(steps), floor(log10(value)) + abs(steps) + 2)
    numbers = [float(f"{first}e{power}") for power in decades for first in ROUND]
    usable = [number for number in numbers if 0.0 < number < inf]
    place = bisect_right(usable, value) - 1 if steps > 0 else bisect_left(usable, value)
    return usable[min(max(place + steps, 0), len(usable) - 1)]


def number(
    least: float = -inf, most: float = inf, above: float = -inf, called: str = "a number"
) -> Kind:
    """Return the kind of finite numbers in a range; those above 0 have steps."""
    bound = ""
    if most < inf:
        low = whole_text(least) if float(least).is_integer() else general(least)
        bound = f" from {low} to {whole_text(most)}"
    elif least > -inf:
        bound = f" of {general(least)} or more"
    elif above > -inf:
        bound = f" above {general(above)}"

    def read(text: str) -> float:
        try:
            return parse_number(text.replace("−", "-"))
        except ValueError:
            raise InputError("", f"{inert(text)} is not a number", "") from None

    def admits(value: Any) -> bool:
        is_number = type(value) in (int, float) and isfinite(value)
        return is_number and least <= value <= most and value > above

    kind = Kind(
        called + bound,
        read,
        admits,
        lambda value: repr(value).removesuffix(".0"),
        lambda value: general(value, 12),
        metavar="X",
        numeric=True,
        schema={"type": "number"} | _bounds(minimum=least, maximum=most, exclusiveMinimum=above),
    )
    if least <= 0.0 and above < 0.0:
        return kind
    return replace(kind, step=lambda value, steps: min(max(round_step(value, steps), least), most))


def one_of(
    meanings: Mapping[Any, str], words: Mapping[str, str] | None = None,
    former: Mapping[str, str] | None = None,
) -> Kind:  # fmt: skip
    """Return the kind of names with meanings, with names for the screen and former names."""
    names, renamed = list(meanings), former or {}
    # What the screen shows can be typed, in any case.
    spellings = {word.casefold(): name for name, word in (words or {}).items()}
    spellings |= {str(name).casefold(): name for name in names}

    def read(text: str) -> str:
        if text in names:
            return text
        if text in renamed:
            return renamed[text]
        return spellings.get(text.casefold(), text.replace("-", "_"))

    return Kind(
        "one of " + ", ".join(names),
        read,
        lambda value: isinstance(value, str) and value in names,
        shown=lambda value: (words or {}).get(value, value),
        metavar="NAME" if len(names) > 2 else "|".join(names),
        choices=meanings,
        former=renamed,
        schema={"enum": names},
    )


def switch(no: str = "no", yes: str = "yes") -> Kind:
    """Return the kind of booleans, written no and yes, with words for the screen."""
    values = {no.lower(): False, yes.lower(): True, "off": False, "on": True}
    values |= {"no": False, "yes": True, "false": False, "true": True}
    return Kind(
        "yes or no",
        lambda text: values.get(text.lower()),
        lambda value: type(value) is bool,
        lambda value: "yes" if value else "no",
        lambda value: yes if value else no,
        choices={"no": no, "yes": yes},
        schema={"type": "boolean"},
    )


def array(items: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of lists, from that of what is in them."""
    return {"type": "array", "items": items}


def span(least: int, most: int) -> Kind:
    """Return the kind of ranges: two whole numbers, the smaller first, separated by a colon."""

    def read(text: str) -> tuple[int, int]:
        low, colon, high = text.partition(":")
        if not colon:
            raise InputError("", f"{inert(text)} is not a range", "")
        ends = parse_whole("", low), parse_whole("", high)
        if ends[0] == ends[1]:
            raise InputError("", f"{inert(text)} is empty", "")
        return ends

    def admits(value: Any) -> bool:
        is_pair = type(value) is tuple and [type(end) for end in value] == [int, int]
        return is_pair and least <= value[0] <= value[1] <= most

    return Kind(
        f"two whole numbers from {least} to {most:,}, the smaller first, such as {least}:{most}",
        read,
        admits,
        lambda value: ":".join(map(str, value)),
        lambda value: " to ".join(f"{end:,}" for end in value),
        metavar="LOW:HIGH",
        numeric=True,
        schema=array(whole(least, most).schema) | {"minItems": 2, "maxItems": 2},
    )


def wholes(least: int, most: int, count: int = maxsize) -> Kind:
    """Return the kind of tuples of at most ``count`` whole numbers in a range."""
    one, few = whole(least, most), "" if count == maxsize else f"at most {count} "
    return Kind(
        f"{few}whole numbers from {least} to {most:,} with commas between them",
        partial(parse_wholes, ""),
        lambda value: type(value) is tuple and len(value) <= count and all(map(one.admits, value)),
        lambda value: ", ".join(map(str, value)),
        lambda value: ", ".join(map(str, value)) or "none",
        metavar="N,N,…",
        numeric=True,
        schema=array(one.schema) | ({} if count == maxsize else {"maxItems": count}),
    )


@dataclass(frozen=True)
class Field:
    """One scalar that the user can set.

    Attributes:
        kind: The kind of its values.
        label: Its name on the screen.
        help: A phrase that describes it.
        option: Its command-line option, or empty; for a switch, two separated by a slash, the
            first for yes.
        composed: Whether the option is read by a function of its command, as it says more than this
            field, or not the same everywhere.
        metavar: The placeholder for a value in its help, if not that of the kind.
        key: Its name in JSON; by default its name in the dataclass.
        synonyms: Other words by which it can be searched for.
        presets: Words that set it to a value by themselves, by the text of the value.
        stays: What to say where a value is chosen that it has already, by the text of the value.
        no_effect: Why it has no effect for a setup and a class of source, or empty.
        brings: The values that other fields of its dataclass take when a value is chosen, by name.
        name: Its name in its dataclass.
        owner: Its dataclass.
        default: Its default value.
    """

    kind: Kind
    label: str
    help: str
    option: str = ""
    composed: bool = False
    metavar: str = ""
    key: str = ""
    synonyms: tuple[str, ...] = ()
    presets: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    stays: Mapping[str, str] = dataclasses.field(default_factory=dict)
    no_effect: Callable[[Any, Any], str] = lambda setup, source: ""
    brings: Callable[[Any], Mapping[str, Any]] = lambda value: {}
    name: str = ""
    owner: type = object
    default: Any = None

    @property
    def parameter(self) -> str:
        """The name of the option, as Python and errors spell it."""
        return self.option.partition("/")[0].removeprefix("--").replace("-", "_")


def setting(default: Any, kind: Kind, label: str, help: str, **more: Any) -> Any:
    """Return the declaration of a dataclass field that the user can set."""
    field = Field(kind, label, help, default=default, **more)
    return dataclasses.field(default=default, metadata={Field: field})


@cache
def fields_of(owner: Any) -> dict[str, Field]:
    """Return the fields of a dataclass that the user can set, by name, in order."""
    fields = {}
    for declared in dataclasses.fields(owner):
        field = declared.metadata.get(Field)
        if field is not None:
            name = declared.name
            fields[name] = replace(field, name=name, key=field.key or name, owner=owner)
    return fields


class Checked:
    """Base of dataclasses with fields that the user can set; checks each field by itself.

    Raises:
        InputError: With the key of the first field whose value is not valid.
    """

    def __post_init__(self) -> None:
        owner: Any = type(self)
        for name, field in fields_of(owner).items():
            field.kind.check(field.key, getattr(self, name))
