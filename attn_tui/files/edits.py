"""Changes to what is asked, each from a draft to a draft."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

from attn_tui.compute.errors import InputError
from attn_tui.compute.field import Field
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Kind
from attn_tui.files.draft import Draft, source_of
from attn_tui.files.history import Edit

S = TypeVar("S")


def text(value: str) -> Edit:
    """Ask for other scores."""
    return lambda draft: draft.with_text(value)


def typed(value: str) -> Edit:
    """Ask for the scores that a text means, of whichever kind of source it is."""
    return lambda draft: draft.typed(value)


def redraw(draft: Draft) -> Draft:
    """Ask for the next seed, if scores are drawn and the draw can be read."""
    try:
        source = source_of(draft)
    except InputError:
        return draft
    return draft.asking(source.redrawn()) if source.redraws else draft


def source(kind: Kind) -> Edit:
    """Ask for scores from another kind of source."""
    return lambda draft: draft.from_source(kind)


def scores(draft: Draft) -> Edit:
    """Ask for the scores of another draft."""
    return lambda old: replace(draft, setup=old.setup)


def become(draft: Draft) -> Edit:
    """Ask something else altogether."""
    return lambda _: draft


def setup(change: Callable[[Setup], Setup]) -> Edit:
    """Ask for another d_k, scale, precision or mask, or other settings of an instrument.

    What the newest setup cannot become leaves it as it was.
    """
    return tried(lambda draft: replace(draft, setup=change(draft.setup)))


def drawn(field: Field, change: Callable[[Any], Any]) -> Edit:
    """Ask for another value of a field of the source.

    The edit raises InputError where there is no such draw.
    """

    def edit(draft: Draft) -> Draft:
        source: Any = source_of(draft)
        value = change(getattr(source, field.name))
        return draft.asking(replace(source, **{field.name: value}))

    return edit


def tried(edit: Edit) -> Edit:
    """Return an edit that leaves as it was what it cannot change."""

    def trial(draft: Draft) -> Draft:
        with suppress(InputError):
            return edit(draft)
        return draft

    return trial
