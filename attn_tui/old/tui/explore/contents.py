"""What is saved of the Explore screen, and read as text."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from attn_tui.compute.errors import InputError
from attn_tui.compute.explore.answer import Answer, VectorAnswer, answer, answer_vector
from attn_tui.files.history import Asked, Edit
from attn_tui.old.report.explore.headline import headline
from attn_tui.old.tui.explore.found import Found
from attn_tui.report.export import Forms
from attn_tui.report.headline import FULL

if TYPE_CHECKING:
    from attn_tui.report.report import Report

FEW = 2_000
"""Keys up to which it is said what a choice would do as the cursor reaches it."""

READ_KEYS = 100
"""Keys that are listed where all is said as text."""


def forms(asked: Asked, pinned: VectorAnswer | None) -> Forms:
    """Return what can be written: all vectors, compared with the one that is pinned."""
    from attn_tui.explore.report import Contents, report
    from attn_tui.report import forms

    def build() -> "Report":
        if asked.error:
            expected = "scores that are, or a picture of the screen: .svg"
            raise InputError("file", "the scores are not understood", expected)
        contents = Contents(pinned=() if pinned is None else (pinned,))
        return report(next(answer(asked.experiment)), contents)

    return forms.forms(build)


def said(found: Found) -> Iterator[str]:
    """Yield all there is to say of the vector."""
    from attn_tui.explore.report import Contents, report
    from attn_tui.report.text import text

    question = found.question
    whole = Answer(question.experiment, (found.answer,))
    yield from text(report(whole, Contents(READ_KEYS, first=question.vector)))


def preview(asked: Asked | None, edit: Edit, vector: int, width: int) -> str:
    """Return the headline of a vector after an edit, or why there is none; of few keys only."""
    if asked is None:
        return ""
    changed = asked.ask(edit(asked.draft))
    if changed.error:
        return changed.error.beside
    vectors = changed.experiment.vectors
    if vectors.n_keys > FEW:
        return ""
    found = answer_vector(changed.experiment, min(vector, len(vectors) - 1))
    said = headline(found, changed.experiment)
    return said.full if width >= FULL else said.short
