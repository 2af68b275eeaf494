"""Changes to what is asked, each from a draft to a draft."""

from dataclasses import replace
from typing import Any

from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.tui.state import Edit


def text(value: str) -> Edit:
    """Ask for other scores."""
    return lambda draft: replace(draft, text=value)


def setup(**changes: Any) -> Edit:
    """Ask for another d_k, scale or precision."""
    return lambda draft: replace(draft, setup=replace(draft.setup, **changes))


def settings(kind: type[Any], **changes: Any) -> Edit:
    """Ask something else of one instrument; ``kind`` is the class of its settings."""

    def edit(draft: Draft) -> Draft:
        return replace(draft, setup=draft.setup.put(replace(draft.setup.get(kind), **changes)))

    return edit


def example(draft: Draft) -> Draft:
    """Ask the worked example."""
    return EXAMPLE
