"""The report of Attention: every row of a head, unscaled beside scaled."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, cast

import numpy as np

from attn_tui.attention.headline import gradients_span, headline, median
from attn_tui.captures.source import Captured
from attn_tui.compute.attention.answer import Answer, tokens_of
from attn_tui.compute.attention.rows import HIDDEN, Side
from attn_tui.compute.norms import power
from attn_tui.compute.numbers import percent, quantity
from attn_tui.compute.source import Source
from attn_tui.files.codec import experiment_to_plain
from attn_tui.files.plain import named
from attn_tui.report.head import question_lines
from attn_tui.report.origin import noted
from attn_tui.report.report import SIDES, Column, Fact, Facts, Report, ReportPart, Rows, Table, data

STATISTICS = (
    "multiplier", "largest", "key", "entropy", "effective_keys", "gradient", "log_gradient", "sink",
)  # fmt: skip
"""The statistics of each row on either side, by the names of their fields."""

MOST = 64
"""The most rows that the text lists; CSV has all."""

TEXTS: Sequence[tuple[str, Callable[[Side, int], str], int]] = (
    (
        "largest",
        lambda side, row: percent(float(side.largest[row]), float(side.log_of_rounded[row])), 0,
    ),
    ("on key", lambda side, row: f"{side.key[row]:,}" if side.largest[row] > 0 else "–", 4),
    ("keys", lambda side, row: quantity(side.effective_keys[row]), 1),
    (
        "‖∂p/∂s‖",
        lambda side, row: quantity(float(side.gradient[row]), float(side.log_gradient[row])), 2,
    ),
    ("entropy", lambda side, row: quantity(float(side.entropy[row])), 5),
)  # fmt: skip
"""The statistics that tables have: the heading, the function that writes a value, and the rank."""


def report(answer: Answer) -> Report:
    """Return the report on the rows known so far."""
    facts = [Fact(label, (text,)) for label, text in question_lines(answer.head)]
    facts.append(Fact("head", (f"{answer.n_queries:,} × {answer.n_keys:,}: {origin(answer)}",)))
    answered = answer.answered
    is_complete = answer.done == answer.n_queries
    parts: list[ReportPart] = [
        data(
            {
                "experiment": experiment_to_plain(answer.experiment), "drawn": answer.is_drawn,
                "mask": str(answer.head.setup.mask), "captured": _captured(answer.head.source),
                "n_queries": answer.n_queries, "n_keys": answer.n_keys, "rows": answer.done,
                "known": None if is_complete else answer.rows, "keys": answer.attended[answered],
                "not_finite_rows": answer.rows[answer.odd[answered]], "keys_a_cell": answer.block,
                **{
                    kind: _side(side, answer)
                    for kind, side in zip(SIDES, answer.sides, strict=True)
                },
            }
        ),
        Facts(facts),
        rows_table(answer),
        " ".join(_sentences(answer)),
    ]  # fmt: skip
    return Report("", parts, headline=headline(answer), csv="rows")


def origin(answer: Answer) -> str:
    """Return a description of the head's rows."""
    if answer.is_drawn:
        return "rows drawn, each query with keys of its own, which changes the law of no row"
    return noted("the vectors that are asked, a row each", answer.experiment.source)


def rows_table(answer: Answer) -> Table:
    """Return the table of all rows known so far, for text, CSV and the screen."""
    return Table([*_columns(answer)], answer.rows, csv="rows", most=MOST)


def _columns(answer: Answer) -> Iterator[Column]:
    """Yield the columns of CSV and those of the text."""
    tokens = tokens_of(answer.experiment)

    def token(rows: Rows) -> list[str]:
        return [tokens[row] if row < len(tokens) else "" for row in rows.tolist()]

    yield Column("query", lambda rows: rows, name="query", kind="muted")
    if tokens:
        yield Column("token", token, name="token", texts=token, rank=2, left=True)
    yield Column("sees", lambda rows: answer.attended[rows], name="keys", rank=3, kind="muted")
    for kind, side in zip(SIDES, answer.sides, strict=True):
        for name in STATISTICS:
            yield Column("", getattr(side, name).__getitem__, name=f"{kind}_{name}")

    if answer.head.setup.scale.uses_n:
        yield Column("m", texts=partial(_multipliers, answer.scaled), rank=3)

    def texts(side: Side, write: Callable[[Side, int], str], rows: Rows) -> list[str]:
        return [write(side, row) for row in rows.tolist()]

    for above, write, rank in TEXTS:
        for kind, name, side in zip(SIDES, answer.names, answer.sides, strict=True):
            column = partial(texts, side, write)
            yield Column(name, texts=column, above=above, rank=rank, kind=kind)


def _multipliers(side: Side, rows: Rows) -> list[str]:
    return [quantity(m) for m in side.multiplier[rows].tolist()]


def _side(side: Side, answer: Answer) -> dict[str, Any]:
    """Return a side for JSON: a list for each statistic, and the map."""
    numbers = {name: getattr(side, name)[answer.answered] for name in STATISTICS if name != "key"}
    blocks = side.blocks[answer.answered]
    cells = np.where(blocks == HIDDEN, cast(Any, None), blocks)
    return {**numbers, "key": side.key[answer.answered], "map": cells}


def _captured(source: Source) -> dict[str, Any] | None:
    """Return what is known of how a captured head computes its weights; None for other sources."""
    if not isinstance(source, Captured):
        return None
    mask, is_captured = source.mask, source.is_masked and source.mask is None
    kind = "none"
    if mask is not None:
        kind = "padded" if mask.hidden and mask.window is None else mask.kind
    elif is_captured:
        kind = "given"
    elif source.causal:
        kind = "causal"
    return {
        "mask": kind,
        "causal": mask.by_position if mask else source.causal,
        "window": mask and mask.window,
        "hidden_keys": mask and mask.hidden,
        "packed": (mask and mask.packed) or None,
        "known_by": source.reconstruction.how,
        **named(source, ("sink", "multiplier")),
        "softcap": source.reconstruction.softcap,
        "value_scale": source.reconstruction.model.value_scale,
        "residual": source.miss,
        "not_finite": source.odd,
    }


def _sentences(answer: Answer) -> Iterator[str]:
    """Yield sentences that explain the numbers and sum them up."""
    if answer.done < answer.n_queries:
        yield (
            f"Of {answer.n_queries:,} rows {answer.done:,} are known, spread over the head: it was "
            "stopped."
        )
    typical = (
        f"What a query typically does is the median over the {answer.choosing.size:,} that have a "
        "choice."
    )
    if answer.is_of_one:
        typical = "Only one query has a choice, so that what is typical is what it does."
    yield (
        "Rows are counted from 0; sees is how many keys are not masked for a query. Effective keys "
        f"are e^H, with the entropy H of a row's weights. {typical}"
    )
    if answer.head.setup.scale.uses_n:
        yield "m is each row's own, of the keys it sees."
    sink = median(answer.scaled.sink[answer.choosing])
    if answer.head.setup.scale.sink is not None:
        if answer.is_of_one:
            yield f"The sink takes {percent(sink)} of its weight."
        else:
            yield f"Of them the sink typically takes {percent(sink)} of the weight."
    span = gradients_span(answer)
    if span is not None:
        low, middle, high = (quantity(power(log), log) for log in span)
        ratio = f"‖∂p/∂s‖ {answer.names[1]} over {answer.names[0]} is {middle}"
        if answer.is_of_one:
            yield f"The {ratio} for this query."
        else:
            yield f"Of these {ratio} in the median, and {low} to {high} in the middle half."
