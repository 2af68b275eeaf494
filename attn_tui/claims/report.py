"""What Claims reports: the claim, what is right, and the numbers that decide."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from attn_tui.claims.answer import Answer, command_of, opened
from attn_tui.claims.claim import VERDICTS, Evidence, Finding, Verdict
from attn_tui.claims.headline import headline
from attn_tui.compute.field import fields_of
from attn_tui.compute.models import MODELS
from attn_tui.files.codec import experiment_to_plain
from attn_tui.files.plain import named
from attn_tui.report import forms
from attn_tui.report.measured import exact, with_error
from attn_tui.report.numbers import general
from attn_tui.report.report import (
    Column,
    Fact,
    Facts,
    Part,
    Report,
    Section,
    Table,
    data,
    listed,
    same,
)
from attn_tui.report.rows import WIDTH, cells
from attn_tui.report.text import shortened

WORDS: dict[Verdict, str] = {
    "holds": "holds",
    "conditional": "conditional",
    "false": "false",
    "wording": "wording",
    "undecided": "too few draws",
    "inapplicable": "does not apply here",
}
"""What a verdict is called."""

BASES = {
    "computed": "computed here",
    "table": "by the table of models",
    "text": "explained, not computed",
}
"""What a verdict rests on."""

SIGNS = {True: "it holds", False: "it does not hold", None: "its premise is not met"}
"""What is said of a claim in a case."""

LONGEST = 22
"""Characters of a number with its error; more of its digits would say little."""

TITLES = ("found", "stated", "exact")
"""What stands above numbers and what they are held against."""

_ID, _VERDICT, _TIME = 6, 13, 7


def json(answer: Answer) -> Iterator[str]:
    """Yield what came of the claim that was asked as JSON, with the question."""
    return forms.json(report_of(answer))


def report_of(answer: Answer, width: int = WIDTH) -> Report:
    """Return what there is to say of the claim that was asked."""
    finding = answer.finding
    question = data({"experiment": experiment_to_plain(answer.experiment)})
    return report([(finding, 0.0)], finding.trial.seed, width, question)


def report(
    findings: Sequence[tuple[Finding, float]], seed: int, width: int = WIDTH, *before: Part
) -> Report:
    """Return what there is to say of claims.

    Args:
        findings: What came of each, and the seconds that took.
        seed: Of all in which something is drawn.
        width: Columns of the text.
        before: What JSON has besides.
    """
    sections = [section(*each, width) for each in findings]
    empty = [] if sections else [data({"claims": []})]
    parts = [*before, data({"seed": seed}), *empty, *sections]
    return Report("", parts, csv="evidence")


def section(finding: Finding, seconds: float, width: int = WIDTH) -> Section:
    """Return what there is to say of one claim."""
    claim, trial = finding.claim, finding.trial
    shown, line = opened(claim, trial), command_of(claim, trial)
    typed = f"attn-tui {line}" if line else ""
    verdict = f"holds only {finding.condition}" if finding.condition else WORDS[finding.verdict]
    values = {
        "id": claim.id,
        "source": claim.source,
        "claim": claim.says,
        "verdict": finding.verdict,
        "basis": claim.basis,
        "right": finding.right,
        "formula": claim.formula or None,
        "topics": claim.topics,
        "condition": finding.condition or None,
        "trial": named(trial, claim.controls),
    }
    opening = {
        "command": typed or None,
        "instrument": shown[0].name if shown else None,
        "experiment": experiment_to_plain(shown[1]) if shown else None,
        "seconds": round(seconds, 4),
    }
    texts = {
        claim.id: verdict,
        "right is": finding.right,
        "formula": claim.formula,
        "tried with": trial_text(finding),
        "said by": claim.source,
        "decided": BASES[claim.basis],
        "shown by": typed,
    }
    parts: list[Part] = [
        data(values),
        Facts([Fact(label, (text,)) for label, text in texts.items() if text]),
        *_tables(finding, width),
        _every_number(finding),
    ]
    if claim.basis == "table":
        parts.append(_models())
    parts.append(data(opening))
    return Section("", parts, "claims[]", headline=headline(claim, finding))


def trial_text(finding: Finding) -> str:
    """Return what a claim was tried with: ``seed 1, d_k 64, draws 1,000``; or nothing."""
    kind: Any = type(finding.trial)
    fields = fields_of(kind)
    return ", ".join(
        f"{fields[name].label} {fields[name].kind.shown(getattr(finding.trial, name))}"
        for name in finding.claim.controls
    )


def numbers_of(evidence: Evidence) -> tuple[str, str, str]:
    """Return a number with its error, and what it is held against: stated and exact, or nothing."""
    number = evidence.number
    value = general(evidence.value, 6)
    if number.standard_error:
        value = with_error(number, LONGEST)
    return value, _beside(evidence, evidence.stated), _beside(evidence, evidence.exact)


def _beside(evidence: Evidence, value: float | None) -> str:
    """Return a number as far as the error of what it is held against leaves meaning."""
    if value is None:
        return ""
    return exact(Evidence("", evidence.value, evidence.standard_error, exact=value).number)


def _tables(finding: Finding, width: int) -> Iterator[Table]:
    """Yield the numbers of each case, those of all cases in line."""
    every = [evidence for case in finding.cases for evidence in case.evidence]
    numbers = zip(*map(numbers_of, every), strict=True)
    columns = {title: texts for title, texts in zip(TITLES, numbers, strict=False) if any(texts)}
    widths = {title: max(map(cells, (title, *texts))) for title, texts in columns.items()}
    room = max(width - sum(each + 2 for each in widths.values()), 12)
    names = [shortened(evidence.name, room) for evidence in every]
    widest = max(map(cells, names), default=0)
    shown = [
        Column(" ", texts=listed(names), left=True, width=widest),
        *(Column(each, texts=listed(columns[each]), width=widths[each]) for each in columns),
    ]
    rows = np.arange(len(every))
    draws = " in these draws" if finding.verdict == "undecided" else ""
    for case in finding.cases:
        title = f"{case.where}: {SIGNS[case.holds]}{draws}"
        yield Table(shown, rows[: len(case.evidence)], title)
        rows = rows[len(case.evidence) :]


def _every_number(finding: Finding) -> Table:
    """Return every number as JSON and CSV have it."""
    rows = [(case, evidence) for case in finding.cases for evidence in case.evidence]
    columns = [
        Column("", same(finding.claim.id), "", "id"),
        Column("", same(finding.verdict), "", "verdict"),
        Column("", listed(case.where for case, _ in rows), "case", "case"),
        Column("", listed(case.holds for case, _ in rows), "holds", "holds"),
    ]
    for name in ("name", "value", "standard_error", "stated", "exact"):
        values = listed(getattr(evidence, name) for _, evidence in rows)
        columns.append(Column("", values, name, name))
    return Table(columns, np.arange(len(rows)), path="evidence", csv="evidence")


def _models() -> Table:
    """Return the table of models that claims are decided by."""
    models = [*MODELS.values()]
    columns = [
        Column("model", texts=listed(model.title for model in models), left=True),
        Column("d_model", listed(model.d_model for model in models)),
        Column("heads", listed(model.heads for model in models)),
        Column("d_k", listed(model.d_k for model in models)),
        Column("scale", texts=listed(model.scale.pipeline for model in models), left=True),
    ]
    return Table(columns, np.arange(len(models)), "Models")


# All claims, a line each


def summary_line(finding: Finding, seconds: float) -> str:
    """Return a claim in a line: its id, its verdict, the deciding number and the time it took."""
    verdict = "n/a" if finding.verdict == "inapplicable" else finding.verdict
    head = f"{finding.claim.id:<{_ID - 1}} {verdict:<{_VERDICT - 1}} "
    room = WIDTH - len(head) - _TIME - 1
    text = deciding_text(finding, room)
    return f"{head}{text}{' ' * (room - cells(text))}{seconds:{_TIME - 1}.2f} s\n"


def deciding_text(finding: Finding, width: int) -> str:
    """Return the number that decided, of the case that goes against the claim where one does."""
    if not finding.cases:
        return f"({BASES[finding.claim.basis]})"
    case = next((case for case in finding.cases if not case.holds), finding.cases[0])
    evidence = case.evidence[0]
    found, stated, _ = numbers_of(evidence)
    number = f"{found}, stated {stated}" if stated else found
    for text in (f"{case.where}: {evidence.name} {number}", f"{evidence.name} {number}"):
        if cells(text) <= width:
            return text
    return f"{shortened(evidence.name, max(width - cells(number) - 1, 1))} {number}"


def counted(verdicts: Iterable[Verdict]) -> str:
    """Return how many claims there are of each verdict: ``29 hold, 49 conditional``."""
    counts = Counter(verdicts)
    nouns = WORDS | {"holds": "hold"}
    return ", ".join(f"{counts[each]} {nouns[each]}" for each in VERDICTS if counts[each])


def total_line(findings: Sequence[Finding], of: int, seconds: float) -> str:
    """Return how many claims there are of each verdict, of so many, and how long they took."""
    noun = "claim" if of == 1 else "claims"
    tried = f"{len(findings)} of {of} {noun}, stopped" if len(findings) < of else f"{of} {noun}"
    counts = counted(finding.verdict for finding in findings) or "none tried"
    return f"{tried}: {counts}; {seconds:.1f} s\n"
