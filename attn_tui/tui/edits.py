"""Changes to what is asked, each from a draft to a draft."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from attn_tui.compute.errors import InputError
from attn_tui.compute.field import Field
from attn_tui.compute.mask import Mask
from attn_tui.compute.models import Model
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import FIELDS, Setup
from attn_tui.compute.source import Kind
from attn_tui.files.draft import Draft, source_of
from attn_tui.tui.state import Edit

S = TypeVar("S")


def text(value: str) -> Edit:
    """Ask for other scores."""
    return lambda draft: draft.with_text(value)


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


def become(draft: Draft) -> Edit:
    """Ask something else altogether."""
    return lambda _: draft


def setup(change: Callable[[Setup], Setup]) -> Edit:
    """Ask for another d_k, scale, precision or mask."""
    return lambda draft: replace(draft, setup=change(draft.setup))


def d_k(change: Callable[[int], int]) -> Edit:
    """Ask for another d_k."""
    return field(FIELDS["d_k"], change)


def scale(change: Callable[[Scale], Scale]) -> Edit:
    """Ask for another rule."""
    return setup(lambda setup: replace(setup, scale=change(setup.scale)))


def model(model: Model) -> Edit:
    """Ask what a model does: its d_k and its scale."""
    return setup(lambda setup: replace(setup, d_k=model.d_k, scale=model.scale))


def field(field: Field, change: Callable[[Any], Any]) -> Edit:
    """Ask for another value of a field."""
    return setup(lambda setup: setup.changed(field, change))


def mask(change: Callable[[Mask], Mask]) -> Edit:
    """Ask for other keys to be masked."""
    return setup(lambda setup: replace(setup, mask=change(setup.mask)))


def settings(kind: type[S], change: Callable[[S], S]) -> Edit:
    """Ask something else of one instrument; ``kind`` is the class of its settings."""
    return setup(lambda setup: setup.put(change(setup.get(kind))))
