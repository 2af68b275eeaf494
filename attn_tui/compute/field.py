"""Fields: scalars that can be asked, each declared once, beside its default in a dataclass.

The dataclass says name, type and default, and so JSON; the Field says the rest. Options, dialogues,
checks, errors and documentation follow from both. Nothing here needs NumPy.
"""

import dataclasses
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from math import copysign, inf, isfinite
from sys import maxsize
from typing import Any

from attn_tui.compute.errors import InputError, inert

_WHOLE = re.compile(
    r"(?P<sign>[-+−]?)"
    r"(?P<digits>[0-9]{1,3}(?:(?P<mark>[,_ ])[0-9]{3}(?:(?P=mark)[0-9]{3})*)|[0-9]+)"
    r"(?:(?:[eE]\+?|[·×*](?P<base>2|10)(?:\^|\*\*))(?P<power>[0-9]{1,9}))?"
)
_POWER = re.compile(r"^(?=(?:2|10)(?:\^|\*\*))")
EXPECTED = "one such as 1024, 1,024, 1e6 or 2^10"
_MOST_DIGITS, _MOST_POWER = 50, 99
"""As many are out of range in any case, and more than messages show."""
LARGEST_WHOLE = 2**_MOST_POWER
"""From here on a number that is read may be less than the text says."""


def parse_whole(field: str, text: str) -> int:
    """Read a whole number; what it may be is checked where it is used.

    Thousands may be marked, and powers of 10 and of 2 be written as such: ``1024``, ``1,024``,
    ``1_024``, ``1e6``, ``3·10^8``, ``2^10``. Marks that do not make groups of three are no marks:
    ``2,8`` is two numbers.

    Raises:
        InputError: With the field, if it is none.

    >>> parse_whole("n", "1,024"), parse_whole("n", "1e4"), parse_whole("n", "2^10")
    (1024, 10000, 1024)
    """
    stripped = text.strip()
    found = _WHOLE.fullmatch(_POWER.sub("1*", stripped))
    if not found:
        raise InputError(field, f"{inert(stripped)} is not a whole number", EXPECTED)
    digits = int(re.sub("[,_ ]", "", found["digits"])[:_MOST_DIGITS])
    size: int = digits * int(found["base"] or 10) ** min(int(found["power"] or 0), _MOST_POWER)
    return -size if found["sign"] in ("-", "−") else size


def parse_wholes(field: str, text: str) -> tuple[int, ...]:
    """Read whole numbers with commas, semicolons or blanks between them, each kept once.

    Raises:
        InputError: With the field, if one is none or empty, or is the rest of a number whose
            thousands were marked, as of ``1,024``.

    >>> parse_wholes("n", "2, 8 512")
    (2, 8, 512)
    """
    parts = re.split(r"\s*[,;]\s*|\s+", text.strip()) if text.strip() else []
    expected = "whole numbers with commas between them"
    for place, part in enumerate(parts, 1):
        if not part:
            raise InputError(field, f"entry {place} of {inert(text.strip())} is empty", expected)
        if re.fullmatch("0[0-9]+", part):
            problem = f"{inert(part)} in {inert(text.strip())} begins with 0"
            raise InputError(field, problem, f"{expected} only")
    return tuple(dict.fromkeys(parse_whole(field, part) for part in parts))


def parse_number(text: str) -> float:
    """Read a decimal number, or a whole one as `parse_whole` does.

    Raises:
        ValueError: If it is none.

    >>> parse_number("0.5"), parse_number("2^6")
    (0.5, 64.0)
    """
    if text.isascii() and "_" not in text:
        with suppress(ValueError):
            return float(text)
    whole = parse_whole("", text)
    return float(whole) if abs(whole) < LARGEST_WHOLE else copysign(inf, whole)


@dataclass(frozen=True)
class Kind:
    """What the values of a field are.

    Attributes:
        expected: What will do, in words.
        read: The value that a text says; raises InputError if it says none, with no field where
            ``expected`` says better what would do.
        admits: Whether a value, of any type, will do.
        text: A value as text that ``read`` reads.
        shown: A value as the screen shows it.
        step: The value so many steps on from one, as far as it goes; itself where there are none.
        metavar: What stands for a value in the help of an option.
        choices: Every value as text with its meaning, where there are few.
        paths: Whether values are paths of files, one or a tuple of several.
        former: What a value is called now, by the name it had.
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
    former: Mapping[Any, Any] = dataclasses.field(default_factory=dict)

    def check(self, name: str, value: Any, typed: str = "") -> None:
        """Check a value.

        Raises:
            InputError: With that name, unless the value will do; it quotes what was typed for it.
        """
        if not self.admits(value):
            text = typed or (f"{value:.17g}" if isinstance(value, float) else str(value))
            raise InputError(name, f"{inert(text)} will not do", self.expected)

    def parse(self, name: str, text: str) -> Any:
        """Read and check a text.

        Raises:
            InputError: With that name, unless the text says a value that will do.
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
    """Return whole numbers in a range; ``marked``, the screen marks their thousands."""
    return Kind(
        f"a whole number from {least}" + ("" if most == inf else f" to {most:,}"),
        partial(parse_whole, ""),
        lambda value: type(value) is int and least <= value <= most,
        shown="{:,}".format if marked else str,
        step=lambda value, steps: int(min(max(step(value, steps), least), most)),
        metavar="N",
    )


def or_none(kind: Kind, word: str) -> Kind:
    """Return a kind with None as one more value, which has a word."""
    return Kind(
        f"{kind.expected}, or {word}",
        lambda text: None if text in ("", word) else kind.read(text),
        lambda value: value is None or kind.admits(value),
        lambda value: word if value is None else kind.text(value),
        lambda value: word if value is None else kind.shown(value),
        metavar=kind.metavar,
    )


def number(
    least: float = -inf, most: float = inf, above: float = -inf, called: str = "a number"
) -> Kind:
    """Return finite numbers in a range."""
    bound = ""
    if most < inf:
        bound = f" from {least:,.0f} to {most:,.0f}"
    elif least > -inf:
        bound = f" of {least:g} or more"
    elif above > -inf:
        bound = f" above {above:g}"

    def read(text: str) -> float:
        try:
            return parse_number(text.replace("−", "-"))
        except ValueError:
            raise InputError("", f"{inert(text)} is not a number", "") from None

    def admits(value: Any) -> bool:
        is_number = type(value) in (int, float) and isfinite(value)
        return is_number and least <= value <= most and value > above

    return Kind(
        called + bound,
        read,
        admits,
        lambda value: repr(value).removesuffix(".0"),
        lambda value: f"{value:.12g}".replace("-", "−", value < 0),
        metavar="X",
    )


def one_of(
    meanings: Mapping[Any, str], words: Mapping[str, str] | None = None,
    former: Mapping[str, str] | None = None,
) -> Kind:  # fmt: skip
    """Return names with their meanings, what the screen calls some, and names that some had."""
    names, renamed = list(meanings), former or {}

    def read(text: str) -> str:
        return renamed.get(text, text if text in names else text.replace("-", "_"))

    return Kind(
        "one of " + ", ".join(names),
        read,
        lambda value: isinstance(value, str) and value in names,
        shown=lambda value: (words or {}).get(value, value),
        metavar="NAME" if len(names) > 2 else "|".join(names),
        choices=meanings,
        former=renamed,
    )


def switch(no: str = "no", yes: str = "yes") -> Kind:
    """Return false and true, which are written no and yes, and what the screen calls them."""
    known = {"no": False, "yes": True, "false": False, "true": True}
    return Kind(
        "yes or no",
        lambda text: known.get(text.lower()),
        lambda value: type(value) is bool,
        lambda value: "yes" if value else "no",
        lambda value: yes if value else no,
        choices={"no": no, "yes": yes},
    )


def span(least: int, most: int) -> Kind:
    """Return ranges of whole numbers: two of them, the smaller first, with a colon between."""

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
    )


def wholes(least: int, most: int, count: int = maxsize) -> Kind:
    """Return at most so many whole numbers in a range, each once where they are typed."""
    one, few = whole(least, most), "" if count == maxsize else f"at most {count} "
    return Kind(
        f"{few}whole numbers from {least} to {most:,} with commas between them",
        partial(parse_wholes, ""),
        lambda value: type(value) is tuple and len(value) <= count and all(map(one.admits, value)),
        lambda value: ", ".join(map(str, value)),
        lambda value: ", ".join(map(str, value)) or "none",
        metavar="N,N,…",
    )


@dataclass(frozen=True)
class Field:
    """One scalar that can be asked.

    Attributes:
        kind: What its values are.
        label: What the screen calls it.
        help: What it is, in a phrase.
        option: Its option, or nothing; two with a slash between, the first for yes, of a switch.
        fed: Whether that feeds other fields too, so that a function of its own reads it.
        metavar: What stands for a value there, where the kind's own will not do.
        key: Its name in JSON, and its dataclass's where there is no other.
        synonyms: What else it is called.
        held: Why it is of no use for a setup and a class of source, or nothing.
        brings: What other fields of its dataclass become when a value is chosen, by name.
        name: Its name in its dataclass.
        owner: That dataclass.
        default: What it is unless given.
    """

    kind: Kind
    label: str
    help: str
    option: str = ""
    fed: bool = False
    metavar: str = ""
    key: str = ""
    synonyms: tuple[str, ...] = ()
    held: Callable[[Any, Any], str] = lambda setup, source: ""
    brings: Callable[[Any], Mapping[str, Any]] = lambda value: {}
    name: str = ""
    owner: type = object
    default: Any = None

    @property
    def parameter(self) -> str:
        """The name of the option, as Python and errors spell it."""
        return self.option.partition("/")[0].removeprefix("--").replace("-", "_")


def asked(default: Any, kind: Kind, label: str, help: str, **more: Any) -> Any:
    """Return what stands behind the = of a dataclass's field that can be asked."""
    field = Field(kind, label, help, default=default, **more)
    return dataclasses.field(default=default, metadata={Field: field})


@cache
def fields_of(owner: Any) -> dict[str, Field]:
    """Return the fields of a dataclass that can be asked, by name, in its order."""
    fields = {}
    for declared in dataclasses.fields(owner):
        field = declared.metadata.get(Field)
        if field is not None:
            name = declared.name
            fields[name] = replace(field, name=name, key=field.key or name, owner=owner)
    return fields


class Checked:
    """What a dataclass with fields that can be asked inherits from: each is checked by itself.

    Raises:
        InputError: With the field's key, for the first that will not do.
    """

    def __post_init__(self) -> None:
        own: Any = type(self)
        for name, field in fields_of(own).items():
            field.kind.check(field.key, getattr(self, name))
