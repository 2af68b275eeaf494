"""What came of a claim, as rows: what it says, what is right, and the numbers that decide."""

from collections.abc import Iterator
from textwrap import wrap
from typing import Any

from attn_tui.claims.claim import Evidence, Finding
from attn_tui.compute.field import fields_of
from attn_tui.compute.models import MODELS
from attn_tui.compute.number import Number
from attn_tui.report.measured import exact, with_error
from attn_tui.report.numbers import general
from attn_tui.report.rows import Row, cells, fitted
from attn_tui.report.table import Column, laid

_LABEL = 11

_LONGEST = 22
"""Characters of a number with its error; more of its digits would say little."""

BASES = {
    "computed": "computed here",
    "table": "by the table of models",
    "text": "explained, not computed",
}
"""What a verdict rests on."""

SIGNS = {True: "it holds", False: "it does not hold"}
"""What is said of a claim in a case."""


def sheet(finding: Finding, width: int, with_claim: bool = True, said: str = "") -> tuple[Row, ...]:
    """Return all there is to say of a claim, fitted to a width.

    Args:
        finding: What came of it.
        width: Cells of a row.
        with_claim: Whether it says what the claim says; else that stands elsewhere.
        said: What is said already: what is right, and on what condition it holds, once.
    """
    claim = finding.claim
    lines = {
        "claim": claim.says * with_claim,
        "holds only": finding.condition * (finding.condition not in said),
        "right is": claim.right * (claim.right.rstrip(".") not in said),
    }
    about = {
        "tried with": trial_text(finding),
        "formula": claim.formula,
        "said by": claim.source,
        "decided": BASES[claim.basis],
    }
    rows = [row for label, text in lines.items() for row in _labelled(label, text, width)]
    tables = _tables(finding, width)
    for case, table in zip(finding.cases, tables, strict=True):
        sign = SIGNS[case.holds] + " in these draws" * (finding.verdict == "undecided")
        heads = wrap(f"{case.where}: {sign}", max(width, 10))
        rows += [*[()] * bool(rows), *(((line, "strong"),) for line in heads), *table]
    rows += [()] * bool(rows)
    rows += [row for label, text in about.items() for row in _labelled(label, text, width)]
    if claim.basis == "table":
        rows += [(), *laid(_models(), width).rows(width)]
    return tuple(fitted(row, width) for row in rows)


def _models() -> tuple[Column, ...]:
    """Return the table of models that claims are decided by."""
    models = [*MODELS.values()]
    texts = {
        "d_model": [f"{each.d_model:,}" for each in models],
        "heads": [f"{each.heads}" for each in models],
        "d_k": [f"{each.d_k}" for each in models],
    }
    numbers = (
        Column(title, tuple((text, "text") for text in column)) for title, column in texts.items()
    )
    return (
        Column("model", tuple((each.title, "text") for each in models), left=True),
        *numbers,
        Column("scale", tuple((each.scale.pipeline, "text") for each in models), left=True),
    )


def _labelled(label: str, text: str, width: int) -> Iterator[Row]:
    room = max(width - _LABEL, 10)
    for at, line in enumerate(wrap(text, room, break_on_hyphens=False)):
        yield (f"{label * (at == 0):<{_LABEL}}", "label"), (line, "text")


def trial_text(finding: Finding) -> str:
    """Say what a claim was tried with: ``seed 1, d_k 64, draws 1,000``; or nothing."""
    kind: Any = type(finding.trial)
    fields = fields_of(kind)
    return ", ".join(
        f"{fields[name].label} {fields[name].kind.shown(getattr(finding.trial, name))}"
        for name in finding.claim.controls
    )


def _tables(finding: Finding, width: int) -> Iterator[tuple[Row, ...]]:
    """Yield the numbers of each case, those of all cases below each other.

    They stand beside what the claim states and what is exact, where any of them has that.
    """
    every = [each for case in finding.cases for each in case.evidence]
    texts = {
        "found": [found_text(each) for each in every],
        "stated": [beside_text(each, each.stated) for each in every],
        "exact": [beside_text(each, each.exact) for each in every],
    }
    columns = [
        Column(title, tuple((text, "muted" if title != "found" else "text") for text in column))
        for title, column in texts.items()
        if any(column)
    ]
    room = max(width - laid(columns, width).width - 3, 12)
    cut = (fitted(((each.name, "text"),), min(room, cells(each.name))) for each in every)
    names = tuple(("".join(text for text, _ in row), "text") for row in cut)
    titles, *lines = laid([Column("", names, left=True), *columns], width).rows(width) or [()]
    for case in finding.cases:
        count = len(case.evidence)
        yield (titles, *lines[:count])
        lines = lines[count:]


def found_text(evidence: Evidence) -> str:
    """Return a number with its standard error, where it was drawn."""
    if not evidence.standard_error:
        return general(evidence.value, 6)
    return with_error(Number(evidence.value, evidence.standard_error), _LONGEST)


def beside_text(evidence: Evidence, value: float | None) -> str:
    """Return what a number is held against, as long as its error leaves meaning; or nothing."""
    if value is None:
        return ""
    return exact(Number(evidence.value, evidence.standard_error or 0.0, value))
