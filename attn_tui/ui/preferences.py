"""How somebody wants the program; `attn_tui.ui.preferences_file` reads it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.theme import Theme


@dataclass(frozen=True)
class Preferences:
    """What somebody prefers.

    Attributes:
        theme: The name of the theme; empty for the one chosen last.
        ascii: Whether pictures keep to ASCII.
        d_k: The d_k at a start without a question; None for ours.
        offer_tour: Whether the first start offers the tour.
        offer_session: Whether a start without a question offers the last session.
        keys: Keys by the id of their binding, with commas between.
        themes: Themes of their own.
        problems: What cannot be used, a sentence each.
    """

    theme: str = ""
    ascii: bool = False
    d_k: int | None = None
    offer_tour: bool = True
    offer_session: bool = True
    keys: Mapping[str, str] = field(default_factory=dict)
    themes: tuple["Theme", ...] = ()
    problems: tuple[str, ...] = ()


NONE = Preferences()
"""The preferences of somebody who has written none."""
