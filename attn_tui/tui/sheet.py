"""The style sheet, parsed anew only in other colours."""

from textual.css.stylesheet import Stylesheet


class Sheet(Stylesheet):
    """Knows the variables it was parsed with: Textual has all parsed anew at each new screen.

    Args:
        variables: By their names.
    """

    def __init__(self, *, variables: dict[str, str]) -> None:
        super().__init__(variables=variables)
        self._known, self._is_old = variables, False

    def set_variables(self, variables: dict[str, str]) -> None:
        """Take other variables."""
        if variables != self._known:
            self._known, self._is_old = variables, True
            super().set_variables(variables)

    def reparse(self) -> None:
        """Parse all anew, if that makes a difference."""
        if self._is_old:
            super().reparse()
            self._is_old = False
