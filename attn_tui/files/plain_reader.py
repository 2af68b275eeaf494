"""Plain values, as JSON has them, checked one by one."""

from array import array
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


class Reader:
    """Checks plain values, and names the place of those that will not do."""

    def __init__(self, where: str) -> None:
        self.where = where

    def refuse(self, name: str, value: object, expected: str) -> NoReturn:
        """Raise the error of a value that will not do."""
        problem = f'"{name}" is {shown(value)}'
        raise InputError("experiment", problem, expected, self.where)

    def known(self, name: str, value: object, names: tuple[str, ...] = ()) -> dict[str, Any]:
        """Return a value that is an object; its names must be among those given, if any are."""
        if not isinstance(value, dict):
            self.refuse(name, value, "an object")
        for key in value if names else ():
            if key not in names:
                problem = f'"{name}" has the unknown name {inert(key)}'
                raise InputError("experiment", problem, "one of " + ", ".join(names), self.where)
        return value

    def of_type(self, name: str, value: Any, kind: type[T]) -> T:
        """Return a value that has exactly the type wanted."""
        if type(value) is not kind:
            self.refuse(name, value, _KINDS[kind])
        return value

    def a_list(self, name: str, value: object) -> Sequence[Any]:
        """Return a value that is a list, or the array that a list of numbers is read as."""
        if not isinstance(value, list | array):
            self.refuse(name, value, "a list")
        return value

    def number(self, name: str, value: object) -> float:
        """Return a number, or the one a string spells."""
        if isinstance(value, str) and value in SPELLINGS:
            return SPELLINGS[value]
        if type(value) not in (int, float):
            self.refuse(name, value, "a number")
        try:
            return float(cast(float, value))
        except OverflowError:
            self.refuse(name, value, "at most 1.797e308 in size")

    def checked(self, make: Callable[..., T], *values: object) -> T:
        """Call what checks values itself, and add the place to its error."""
        try:
            return make(*values)
        except InputError as error:
            problem = f"{error.field}: {error.problem}"
            raise InputError("experiment", problem, error.expected, self.where) from None
