"""A diagnosis as a report of the house: for text, JSON and CSV."""

from typing import TYPE_CHECKING

import numpy as np

from attn_tui.compute.numbers import quantity
from attn_tui.doctor.words import interval_text
from attn_tui.report.report import Column, Fact, Facts, Part, Report, Table, listed

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
    texts: dict[str, list[str]] = {
        "verdict": [head.verdict for head in heads],
        "multiplier": [interval_text(head.multiplier) for head in heads],
        "promised": [_promised(head) for head in heads],
        "residual": [quantity(head.residual) for head in heads],
    }
    titles = {
        "batch": "sequence", "layer": "layer", "head": "head", "verdict": "verdict",
        "multiplier": "m", "promised": "promised", "residual": "residual",
    }  # fmt: skip
    names = [*rows[0]] if rows else []
    columns = []
    for name in names:
        values = listed([row[name] for row in rows])
        shown = listed(texts[name]) if name in texts else None
        is_left = name == "verdict"
        columns.append(Column(titles.get(name, ""), values, name, name, shown, left=is_left))
    table = Table(columns, np.arange(len(rows)), "Heads", path="heads", csv="heads")
    parts: tuple[Part, ...] = (*diagnosis.why[1:], facts, table)
    return Report("Diagnosis", parts, headline=diagnosis.line, csv="heads")


def _promised(head: "DiagnosedHead") -> str:
    """Return the promised m of a head as text."""
    return "–" if head.promised is None else quantity(head.promised)
