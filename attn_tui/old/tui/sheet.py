"""The style sheet, parsed anew only in other colours."""

from functools import lru_cache

from textual.cache import LRUCache
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

Kept = LRUCache[tuple[object, ...], list[RuleSet]]


@lru_cache
def _kept(variables: tuple[tuple[str, str], ...]) -> Kept:
    """Return where what is parsed with some variables is kept, for all programs of a process."""
    return LRUCache(1024)


class Sheet(Stylesheet):
    """Knows the variables it was parsed with: Textual has all parsed anew at each new screen.

    Args:
        variables: By their names.
    """

    def __init__(self, *, variables: dict[str, str]) -> None:
        super().__init__(variables=variables)
        self._known, self._is_old = variables, False
        self._parse_cache: Kept = _kept((*variables.items(),))

    def set_variables(self, variables: dict[str, str]) -> None:
        """Take other variables."""
        if variables != self._known:
            self._known, self._is_old = variables, True
            # What others keep is not Textual's to clear.
            self._parse_cache = LRUCache(1)
            super().set_variables(variables)
            self._parse_cache = _kept((*variables.items(),))

    def reparse(self) -> None:
        """Parse all anew, if that makes a difference."""
        if self._is_old:
            super().reparse()
            self._is_old = False
