"""Changes to what is asked, each from a draft to a draft."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.tui.state import Edit

S = TypeVar("S")


def text(value: str) -> Edit:
    """Ask for other scores."""
    return lambda draft: replace(draft, text=value)


def setup(change: Callable[[Setup], Setup]) -> Edit:
    """Ask for another d_k, scale or precision."""
    return lambda draft: replace(draft, setup=change(draft.setup))


def d_k(change: Callable[[int], int]) -> Edit:
    """Ask for another d_k."""
    return setup(lambda setup: replace(setup, d_k=change(setup.d_k)))


def scale(value: Scale) -> Edit:
    """Ask for another rule."""
    return setup(lambda setup: replace(setup, scale=value))


def precision(change: Callable[[Precision], Precision]) -> Edit:
    """Ask for another number format or method."""
    return setup(lambda setup: replace(setup, precision=change(setup.precision)))


def settings(kind: type[S], change: Callable[[S], S]) -> Edit:
    """Ask something else of one instrument; ``kind`` is the class of its settings."""
    return setup(lambda setup: setup.put(change(setup.get(kind))))


def example(draft: Draft) -> Draft:
    """Ask the worked example."""
    return EXAMPLE
