"""What Attention found, as a text report of at most 80 columns."""

from collections.abc import Iterator

from attn_tui.compute.attention.answer import Answer
from attn_tui.compute.counted import counted
from attn_tui.compute.norms import power
from attn_tui.report.attention.headline import headline, middle_half, typical_factor
from attn_tui.report.attention.tables import row_columns
from attn_tui.report.head import head, line
from attn_tui.report.numbers import quantity
from attn_tui.report.rows import WIDTH, paragraph
from attn_tui.report.table import laid

MOST = 64
"""Rows that are listed; CSV has all."""


def render(answer: Answer) -> Iterator[str]:
    """Yield the text of an answer, piece by piece."""
    yield headline(answer).text(WIDTH) + "\n"
    yield from head(answer.head)
    yield line("head", f"{answer.n_queries:,} × {answer.n_keys:,}: {origin(answer)}")
    yield "\n"
    rows = answer.rows[:MOST].tolist()
    yield from laid(row_columns(answer, rows), WIDTH).text()
    if more := answer.n_queries - len(rows):
        yield f"… {counted(more, 'more row')}: --csv lists all\n"
    yield "\n" + paragraph(" ".join(sentences(answer)))


def origin(answer: Answer) -> str:
    """Say what the rows of the head are."""
    if answer.is_drawn:
        return "rows drawn, each query with keys of its own, which changes the law of no row"
    return "the vectors that are asked, a row each"


def sentences(answer: Answer) -> Iterator[str]:
    """Say how the numbers are to be read."""
    if answer.done < answer.n_queries:
        known = f"{counted(answer.n_queries, 'row')} {answer.done:,}"
        is_known = f"{'is' if answer.done == 1 else 'are'} known"
        yield f"Of {known} {is_known}, spread over the head: it was stopped."
    yield "Rows are counted from 0; sees is how many keys are not masked for a query."
    yield "Effective keys are e^H, with the entropy H of a row's weights."
    keys = "keys, or keys and a sink" if answer.head.setup.scale.sink is not None else "keys"
    count = answer.choosing.size
    several = f"the {count:,}" if count > 1 else "those"
    yield f"What a query typically does is the median over {several} with a choice between {keys}."
    factor = typical_factor(answer)
    if factor.known and count > 1:
        median, low, high = (
            quantity(power(log), log) for log in (factor.log, *middle_half(answer))
        )
        second, first = reversed(answer.names)
        yield f"Of these ‖∂p/∂s‖ {second} over {first} is {median} in the median, and"
        yield f"{low} to {high} in the middle half."
