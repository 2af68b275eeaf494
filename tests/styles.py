"""Styles that are parsed once for all applications of a process: hundreds are started."""

from collections.abc import Hashable
from typing import Any

from textual.css.stylesheet import Stylesheet


def parse_once() -> None:
    """Let applications of the same theme share the rules of each widget's styles.

    Textual keeps them for one application only, and has no public name for that store.
    """
    parse = Stylesheet._parse_rules
    rules: dict[Hashable, Any] = {}

    def parsed(sheet: Stylesheet, *arguments: Any, **options: Any) -> Any:
        theme = frozenset(sheet._variables.items())
        key = theme, arguments, tuple(options.items())
        if key not in rules:
            rules[key] = parse(sheet, *arguments, **options)
        return rules[key]

    setattr(Stylesheet, "_parse_rules", parsed)  # noqa: B010
