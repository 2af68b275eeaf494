"""The section of the text report about scores of queries and keys: gradients and the output."""

from collections.abc import Iterator, Sequence

from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.explore.attention import Attention, lengths
from attn_tui.compute.keys import Floats
from attn_tui.report.explore.largest import chunks, listed_keys
from attn_tui.report.explore.tables import count_noun, short
from attn_tui.report.numbers import fitted, scientific, weight_name

MOST_NUMBERS = 16
"""Numbers of q and of the output that are listed; JSON holds all."""


def through_vectors(through: Attention, answer: VectorAnswer, top: int | None) -> Iterator[str]:
    """Yield the gradient with respect to q and to each key, and the output, on both sides."""
    name = weight_name(answer.of)
    sides = answer.sides
    yield f"gradient of {name} with respect to the query q, as typed\n"
    yield _line("i", "q_i", answer.names)
    gradients = [through.query_gradient(side, answer.of) for side in sides]
    yield from _numbers(gradients, through.query)
    norms = [scientific(float(lengths(each[None])[0])) for each in gradients]
    yield _line("", f"‖∂{name}/∂q‖", norms)
    yield "\n"
    yield f"norm of the gradient of {name} with respect to each key k, as typed\n"
    yield _line("key", "‖k‖", answer.names)
    yield from _keys(through, answer, top)
    yield "\n"
    outputs = [through.output(side) for side in sides]
    first, second = outputs
    if first is None or second is None:
        yield "no values V, so there is no output V·p\n"
        return
    yield "output V·p: the values weighted by p, as typed\n"
    yield _line("i", "", answer.names)
    yield from _numbers([first, second])


def _keys(through: Attention, answer: VectorAnswer, top: int | None) -> Iterator[str]:
    keys = listed_keys(answer, top)
    for some in chunks(keys):
        sizes = lengths(through.keys[some])
        columns = [through.key_gradient_norms(side, answer.of, some) for side in answer.sides]
        for key, size, *norms in zip(some, sizes, *columns, strict=True):
            yield _line(str(key), fitted(float(size), 11), [scientific(float(x)) for x in norms])
    if left := answer.vector.n_keys - keys.size:
        yield f"{'':>6} and {left:,} more {count_noun(left)} with smaller or equal scores\n"


def _numbers(columns: Sequence[Floats], own: Floats | None = None) -> Iterator[str]:
    """Yield a line for each of the first numbers of both sides, beside a number of q's own."""
    size = columns[0].size
    for i in range(min(size, MOST_NUMBERS)):
        before = "" if own is None else fitted(float(own[i]), 11)
        yield _line(str(i), before, [scientific(float(each[i]), signed=True) for each in columns])
    if size > MOST_NUMBERS:
        yield f"{'':>6} and {size - MOST_NUMBERS:,} more, which JSON holds\n"


def _line(label: str, own: str, sides: Sequence[str]) -> str:
    cells = " ".join(f"{short(text, 12):>12}" for text in sides)
    return f"{label:>6} {own:>16} {cells}\n"
