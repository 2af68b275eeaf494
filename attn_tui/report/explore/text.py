"""An answer as an aligned text report of at most 80 columns, and what it shows in sentences."""

from collections.abc import Iterator

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import Answer, VectorAnswer
from attn_tui.compute.explore.attention import attention
from attn_tui.compute.explore.precision_lab import MOST_DIFFERING
from attn_tui.compute.explore.precision_lab import lab as tried
from attn_tui.compute.setup import Setup
from attn_tui.report.explore import over_all, sentences
from attn_tui.report.explore.contents import EVERYTHING, Contents
from attn_tui.report.explore.headline import headline
from attn_tui.report.explore.picture import picture
from attn_tui.report.explore.precision_table import precision_table
from attn_tui.report.explore.tables import count_noun, differences, means, statistics, table
from attn_tui.report.explore.through_vectors import through_vectors
from attn_tui.report.head import head
from attn_tui.report.numbers import general
from attn_tui.report.origin import spread
from attn_tui.report.rows import WIDTH, paragraph


def render(answer: Answer, contents: Contents = EVERYTHING) -> Iterator[str]:
    """Yield the text of an answer, piece by piece.

    Raises:
        InputError: If the answer has not what is to be compared.
    """
    top, pairs, pair = contents.top, contents.beside_pinned(answer), contents.first_two(answer)
    several = len(answer.vectors) > 1
    if several:
        yield over_all.headline(answer).text(WIDTH) + "\n"
    else:
        yield _headline(answer.vectors[0], answer.experiment)
    yield from head(answer.experiment)
    for index, found in enumerate(answer.vectors):
        yield from _vector(answer.experiment, index, found, top, several)
        if contents.lab:
            yield from _lab(answer.experiment, index, found, top)
        if pairs:
            yield from _beside_pinned(pairs[index], answer.experiment, top)
    if answer.drawn:
        yield "\n"
        yield from means(answer)
    if pair:
        first, second = pair.names
        yield f"\n{first} and {second} compared\n"
        yield from _comparison(pair, answer.experiment, top)


def render_vector(
    experiment: Experiment, index: int, found: VectorAnswer, top: int | None = None
) -> Iterator[str]:
    """Yield the text of one vector's answer, piece by piece.

    Args:
        experiment: What is asked.
        index: Which of its vectors it is about.
        found: The answer.
        top: Only so many keys are listed, those with the largest scores; None lists all.
    """
    yield _headline(found, experiment)
    yield from head(experiment)
    yield from _vector(experiment, index, found, top)


def _headline(found: VectorAnswer, experiment: Experiment) -> str:
    return headline(found, experiment).text(WIDTH) + "\n"


def _vector(
    experiment: Experiment, index: int, found: VectorAnswer, top: int | None, several: bool = False
) -> Iterator[str]:
    vector = found.vector
    masked = f", {found.masked.size:,} masked" if found.masked.size else ""
    yield f"\n{vector.name}: {vector.n_keys:,} {count_noun(vector.n_keys)}{masked}\n"
    if several:
        yield headline(found, experiment).text(WIDTH)
    if text := spread(experiment.source, experiment.setup, index, vector):
        yield paragraph(text)
    yield _status(found)
    yield "\n"
    yield from table(found, top)
    yield "\n"
    yield from statistics(found)
    yield "\n"
    if through := attention(experiment, index):
        yield from through_vectors(through, found, top)
        yield "\n"
    yield _said(found, experiment.setup)
    if shown := picture(experiment, index, found):
        yield "\n" + paragraph(" ".join(shown))


def _lab(experiment: Experiment, index: int, found: VectorAnswer, top: int | None) -> Iterator[str]:
    tries = tried(experiment, index, found.of, most=top or MOST_DIFFERING)
    if tries:
        yield "\n"
        yield from precision_table(tries, found.vector.n_keys)


def _comparison(pair: VectorAnswer, experiment: Experiment, top: int | None) -> Iterator[str]:
    yield headline(pair, experiment).text(WIDTH)
    yield _status(pair)
    yield "\n"
    yield from differences(pair, top)
    yield "\n"
    yield from statistics(pair, compared=True)
    yield "\n"
    yield _said(pair, experiment.setup)


def _beside_pinned(pair: VectorAnswer, experiment: Experiment, top: int | None) -> Iterator[str]:
    """Yield a comparison with a pinned answer, after what was done to the scores of each."""
    yield f"\n{pair.vector.name}: {pair.names[0]} and {pair.names[1]} compared\n"
    for name, side in zip(pair.names, pair.sides, strict=True):
        parts = [f"m = {general(side.multiplier)}"]
        parts += [] if side.map.softcap is None else [f"soft cap {general(side.map.softcap)}"]
        parts += [] if side.map.sink is None else [f"sink {general(side.map.sink)}"]
        naive = "" if side.precision.stable else ", naive"
        yield f"{name:<7} {', '.join(parts)}, softmax in {side.precision.format}{naive}\n"
    yield from _comparison(pair, experiment, top)


def _status(answer: VectorAnswer) -> str:
    ok = answer.status == "ok"
    return "" if ok else paragraph(f"status {answer.status}: {answer.reason}")


def _said(answer: VectorAnswer, setup: Setup) -> str:
    said = (
        *sentences.explore(answer, setup),
        sentences.masked_key(answer),
        sentences.vanished(answer),
    )
    return paragraph(" ".join(filter(None, said)))
