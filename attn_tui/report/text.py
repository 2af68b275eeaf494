"""An answer as an aligned text report of at most 80 columns, and what it shows in sentences."""

from collections.abc import Iterator
from textwrap import wrap

from attn_tui.compute.explore import Answer, VectorAnswer
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn
from attn_tui.report import sentences
from attn_tui.report.head import WIDTH, drawn, head
from attn_tui.report.picture import picture
from attn_tui.report.tables import count_noun, statistics, table


def render(answer: Answer, top: int | None = None) -> Iterator[str]:
    """Yield the text of an answer, piece by piece.

    Args:
        answer: What to write.
        top: The tables hold at most so many keys, those with the largest scores.
    """
    yield from head(answer.experiment)
    for index in range(len(answer.vectors)):
        yield from _vector(answer, index, top)


def _vector(answer: Answer, index: int, top: int | None) -> Iterator[str]:
    experiment, found = answer.experiment, answer.vectors[index]
    vector = found.vector
    masked = f", {found.masked.size} masked" if found.masked.size else ""
    yield f"\n{vector.name}: {vector.n_keys} {count_noun(vector.n_keys)}{masked}\n"
    if isinstance(experiment.source, Drawn):
        yield drawn(experiment.source, experiment.setup.d_k, index, vector)
    yield _status(found)
    yield "\n"
    yield from table(found, top)
    yield "\n"
    yield from statistics(found)
    yield "\n"
    yield _said(found, experiment.setup)
    if shown := picture(experiment, index, found):
        yield "\n" + _wrapped(" ".join(shown))


def _status(answer: VectorAnswer) -> str:
    ok = answer.status == "ok"
    return "" if ok else _wrapped(f"status {answer.status}: {answer.reason}")


def _said(answer: VectorAnswer, setup: Setup) -> str:
    said = (*sentences.explore(answer, setup), sentences.masked_key(answer))
    return _wrapped(" ".join(filter(None, said)))


def _wrapped(text: str) -> str:
    return "\n".join(wrap(text, WIDTH)) + "\n"
