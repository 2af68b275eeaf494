"""A diagnosis as a report of the house: for text, JSON and CSV."""

from typing import TYPE_CHECKING

import numpy as np

from attn_tui.compute.numbers import quantity
from attn_tui.doctor.words import interval_text
from attn_tui.report.report import (
    Column,
    Fact,
    Facts,
    Report,
    ReportPart,
    Table,
    data,
    listed,
    records,
)

if TYPE_CHECKING:
    from attn_tui.diagnosis.diagnosis import DiagnosedHead, Diagnosis


def report_of(diagnosis: "Diagnosis") -> Report:
    """Return the headline, the counts and a table of heads."""
    rows = diagnosis.rows()
    heads = diagnosis.heads
    counts = diagnosis.report.counts
    facts = Facts([
        Fact("verdict", (diagnosis.verdict,), "verdict"),
        *(Fact(f"heads: {verdict}", (count,), "") for verdict, count in counts.items()),
    ])  # fmt: skip
    columns = [
        Column("sequence", listed(head.batch for head in heads)),
        Column("layer", listed(head.layer for head in heads)),
        Column("head", listed(head.head for head in heads)),
        Column("verdict", listed(head.verdict for head in heads), left=True),
        Column("m", texts=listed(interval_text(head.multiplier) for head in heads)),
        Column("promised", texts=listed(map(_promised, heads))),
        Column("residual", texts=listed(quantity(head.residual) for head in heads)),
    ]
    table = Table(columns, np.arange(len(heads)), "Heads")
    numbers = records(rows, rows[0] if rows else (), dict, "heads")
    parts: tuple[ReportPart, ...] = (
        *diagnosis.why[1:],
        facts,
        data({"heads": rows}),
        table,
        numbers,
    )
    return Report("Diagnosis", parts, headline=diagnosis.line, csv="heads")


def _promised(head: "DiagnosedHead") -> str:
    """Return the promised m of a head as text."""
    return "–" if head.promised is None else quantity(head.promised)
