"""Changes to what is asked, each from a draft to a draft."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from attn_tui.compute.errors import InputError
from attn_tui.compute.field import Field
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import Draft
from attn_tui.files.history import Edit
from attn_tui.files.sources import source_of


def text(value: str) -> Edit:
    """Ask for the scores that a text means."""
    return lambda draft: draft.with_text(value)


def redraw(draft: Draft) -> Draft:
    """Ask for the next seed, if scores are drawn and the draw can be read."""
    try:
        source = source_of(draft.text)
    except InputError:
        return draft
    return draft.asking(source.redrawn()) if source.redraws else draft


def become(draft: Draft) -> Edit:
    """Ask something else altogether."""
    return lambda _: draft


def setup(change: Callable[[Setup], Setup]) -> Edit:
    """Ask for another d_k, scale, precision or mask, or other settings of an instrument.

    What the newest setup cannot become leaves it as it was.
    """

    def edit(draft: Draft) -> Draft:
        with suppress(InputError):
            return replace(draft, setup=change(draft.setup))
        return draft

    return edit


def drawn(field: Field, change: Callable[[Any], Any]) -> Edit:
    """Ask for another value of a field of the source.

    The edit raises InputError where there is no such draw.
    """

    def edit(draft: Draft) -> Draft:
        source: Any = source_of(draft.text)
        value = change(getattr(source, field.name))
        return draft.asking(replace(source, **{field.name: value}))

    return edit
