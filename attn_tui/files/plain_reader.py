"""Plain values, as JSON has them, checked one by one."""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeVar, cast

from attn_tui.compute.errors import InputError, inert
from attn_tui.files.plain import SPELLINGS, shown

T = TypeVar("T")

_KINDS: dict[type, str] = {
    str: "a string",
    int: "a whole number",
    bool: "true or false",
    float: "a number",
}


def refuse(name: str, value: object, expected: str) -> NoReturn:
    """Raise the error of a value that will not do."""
    problem = f'"{name}" is {shown(value)}'
    raise InputError("experiment", problem, expected)


def known(name: str, value: object, names: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return a value that is an object; its names must be among those given, if any are."""
    if not isinstance(value, dict):
        refuse(name, value, "an object")
    for key in value if names else ():
        if key not in names:
            problem = f'"{name}" has the unknown name {inert(key)}'
            raise InputError("experiment", problem, "one of " + ", ".join(names))
    return value


def of_type(name: str, value: Any, kind: type[T]) -> T:
    """Return a value that has exactly the type wanted."""
    if type(value) is not kind:
        refuse(name, value, _KINDS[kind])
    return value


def a_list(name: str, value: object) -> Sequence[Any]:
    """Return a value that is a list."""
    if not isinstance(value, list):
        refuse(name, value, "a list")
    return value


def number(name: str, value: object) -> float:
    """Return a number, or the one a string spells."""
    if isinstance(value, str) and value in SPELLINGS:
        return SPELLINGS[value]
    if type(value) not in (int, float):
        refuse(name, value, "a number")
    try:
        return float(cast(float, value))
    except OverflowError:
        refuse(name, value, "at most 1.797e308 in size")


def checked(make: Callable[..., T], *values: object) -> T:
    """Call what checks values itself, and add the place to its error."""
    try:
        return make(*values)
    except InputError as error:
        problem = f"{error.field}: {error.problem}"
        raise InputError("experiment", problem, error.expected) from None
