"""Edits: functions from one draft to the next."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from attn_tui.compute.errors import InputError
from attn_tui.compute.field import Field, fields_of
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import Draft
from attn_tui.files.history import Edit
from attn_tui.files.sources import source_of


def text(value: str) -> Edit:
    """Replace the text."""
    return lambda draft: draft.with_text(value)


def redraw(draft: Draft) -> Draft:
    """Draw again with the next seed, if the scores are drawn."""
    try:
        source = source_of(draft.text)
    except InputError:
        return draft
    return draft.asking(source.redrawn()) if source.redraws else draft


def become(draft: Draft) -> Edit:
    """Replace the whole draft."""
    return lambda _: draft


def setup(change: Callable[[Setup], Setup]) -> Edit:
    """Change the setup: d_k, scale, precision, mask or the settings of an instrument.

    A change that the setup refuses leaves it as it was.
    """

    def edit(draft: Draft) -> Draft:
        with suppress(InputError):
            return replace(draft, setup=change(draft.setup))
        return draft

    return edit


def drawn(field: Field, change: Callable[[Any], Any]) -> Edit:
    """Change a field of the source; a source that does not have it stays as it is.

    Other scores may have been typed since the change was asked for. The edit raises InputError if
    the source refuses the value.
    """

    def edit(draft: Draft) -> Draft:
        source: Any = source_of(draft.text)
        if field.name not in fields_of(source):
            return draft
        value = change(getattr(source, field.name))
        return draft.asking(replace(source, **{field.name: value}))

    return edit
