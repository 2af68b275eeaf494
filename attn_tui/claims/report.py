"""The report of Claims: the claim, what is right, and the deciding numbers."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from attn_tui.claims.answer import Answer, command_of, opened
from attn_tui.claims.claim import VERDICTS, ClaimVerdict, Evidence, TriedClaim
from attn_tui.claims.headline import headline
from attn_tui.compute.field import fields_of
from attn_tui.compute.models import MODELS
from attn_tui.compute.numbers import exact, fixed, six_digits, with_error
from attn_tui.compute.typed_scale import TypedScale
from attn_tui.files.codec import experiment_to_plain
from attn_tui.files.faq import FaqEntry
from attn_tui.files.plain import named
from attn_tui.report.report import (
    Column,
    Fact,
    Facts,
    Report,
    ReportPart,
    Section,
    Table,
    data,
    listed,
    records,
)
from attn_tui.report.rows import WIDTH, cells, labelled
from attn_tui.report.text import shortened

WORDS: dict[ClaimVerdict, str] = {
    "holds": "holds",
    "conditional": "conditional",
    "false": "false",
    "wording": "wording",
    "undecided": "too few draws",
    "inapplicable": "does not apply here",
}
"""The words for verdicts."""

BASES = {
    "computed": "computed here",
    "table": "by the table of models",
    "text": "explained, not computed",
}
"""The words for what a verdict rests on."""

SIGNS = {True: "it holds", False: "it does not hold", None: "its premise is not met"}
"""The words for whether a claim holds in a case."""

LONGEST = 22
"""The most characters of a number with its error; more digits would say little."""

OF_EVIDENCE = ("name", "value", "standard_error", "stated", "exact")
"""The fields of a number that decides, by their names in JSON and CSV."""

TITLES = ("found", "stated", "exact")
"""The headings of numbers, and of the numbers they are compared with."""

_ID, _VERDICT, _TIME = 6, 13, 7


def report_of(answer: Answer, width: int = WIDTH) -> Report:
    """Return the report on the claim of a question."""
    finding = answer.finding
    question = data({"experiment": experiment_to_plain(answer.experiment)})
    return report([(finding, 0.0)], finding.trial.seed, width, question)


def report(
    findings: Sequence[tuple[TriedClaim, float]],
    seed: int,
    width: int = WIDTH,
    *before: ReportPart,
    others: str = "",
) -> Report:
    """Return the report on several claims.

    Args:
        findings: The finding on each, and the seconds it took.
        seed: The seed of all claims that draw samples.
        width: Width of the text, in columns.
        before: Parts to put first.
        others: The ids of other claims that were searched for too, for the text.
    """
    sections = [section(finding, seconds, width, others) for finding, seconds in findings]
    empty = [] if sections else [data({"claims": []})]
    parts = [*before, data({"seed": seed}), *empty, *sections]
    return Report("", parts, csv="evidence")


def section(finding: TriedClaim, seconds: float, width: int = WIDTH, others: str = "") -> Section:
    """Return the section on one claim."""
    claim, trial = finding.claim, finding.trial
    target, line = opened(claim, trial), command_of(claim, trial)
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
        "instrument": target[0].name if target else None,
        "experiment": experiment_to_plain(target[1]) if target else None,
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
        "others": others,
    }
    parts: list[ReportPart] = [
        data(values),
        Facts([Fact(label, (text,)) for label, text in texts.items() if text]),
        *_tables(finding, width),
        *_every_number(finding),
    ]
    if claim.basis == "table":
        parts.append(_models())
    parts.append(data(opening))
    return Section("", parts, "claims[]", headline=headline(claim, finding))


def trial_text(finding: TriedClaim) -> str:
    """Return the trial of a claim in words: ``seed 1, d_k 64, draws 1,000``; or nothing."""
    kind: Any = type(finding.trial)
    fields = fields_of(kind)
    return ", ".join(
        f"{fields[name].label} {fields[name].kind.shown(getattr(finding.trial, name))}"
        for name in finding.claim.controls
    )


def numbers_of(evidence: Evidence) -> tuple[str, str, str]:
    """Return a number with its error, and the stated and the exact number; empty if unknown."""
    number = evidence.number
    value = six_digits(evidence.value)
    if number.standard_error:
        value = with_error(number, LONGEST)
    return value, _rounded(evidence, evidence.stated), _rounded(evidence, evidence.exact)


def _rounded(evidence: Evidence, value: float | None) -> str:
    """Return a number with as many digits as the error of the evidence justifies."""
    if value is None:
        return ""
    return exact(Evidence("", evidence.value, evidence.standard_error, exact=value).number)


def _tables(finding: TriedClaim, width: int) -> Iterator[Table]:
    """Yield a table of numbers for each case; the columns of all tables line up."""
    every = [evidence for case in finding.cases for evidence in case.evidence]
    numbers = zip(*map(numbers_of, every), strict=True)
    columns = {title: texts for title, texts in zip(TITLES, numbers, strict=False) if any(texts)}
    widths = {title: max(map(cells, (title, *texts))) for title, texts in columns.items()}
    room = max(width - sum(column_width + 2 for column_width in widths.values()), 12)
    names = [shortened(evidence.name, room) for evidence in every]
    widest = max(map(cells, names), default=0)
    drawn = [
        Column(" ", texts=listed(names), left=True, width=widest),
        *(Column(title, texts=listed(columns[title]), width=widths[title]) for title in columns),
    ]
    rows = np.arange(len(every))
    draws = " in these draws" if finding.verdict == "undecided" else ""
    for case in finding.cases:
        title = f"{case.where}: {SIGNS[case.holds]}{draws}"
        yield Table(drawn, rows[: len(case.evidence)], title)
        rows = rows[len(case.evidence) :]


def _every_number(finding: TriedClaim) -> Iterator[ReportPart]:
    """Yield all numbers for JSON, and for CSV."""
    rows = [
        {"case": case.where, "holds": case.holds, **named(evidence, OF_EVIDENCE)}
        for case in finding.cases
        for evidence in case.evidence
    ]
    yield data({"evidence": rows})
    about = {"id": finding.claim.id, "verdict": finding.verdict}
    names = (*about, "case", "holds", *OF_EVIDENCE)
    yield records([about | row for row in rows], names, dict, "evidence")


def _models() -> Table:
    """Return the table of models, which decides some claims."""
    models = [*MODELS.values()]
    columns = [
        Column("model", texts=listed(model.title for model in models), left=True),
        Column("d_model", listed(model.d_model for model in models)),
        Column("heads", listed(model.heads for model in models)),
        Column("d_k", listed(model.d_k for model in models)),
        Column("scale", texts=listed(model.scale.pipeline for model in models), left=True),
    ]
    return Table(columns, np.arange(len(models)), "Models")


# All claims, one a line


def summary_line(finding: TriedClaim, seconds: float, width: int | None = WIDTH) -> str:
    """Return a line on a claim: its id, verdict, deciding number and the time it took.

    Args:
        finding: The claim and what was found.
        seconds: The time it took.
        width: The columns of the line, in which a name is cut; None to cut none.
    """
    verdict = "n/a" if finding.verdict == "inapplicable" else finding.verdict
    head = f"{finding.claim.id:<{_ID - 1}} {verdict:<{_VERDICT - 1}} "
    room = (width or WIDTH) - len(head) - _TIME - 1
    text = deciding_text(finding, room if width else None)
    return f"{head}{text}{' ' * (room - cells(text))}{fixed(seconds, 2):>{_TIME - 1}} s\n"


def summary(finding: TriedClaim) -> str:
    """Return a paragraph on a claim: what it says, its verdict, what is right, and a number."""
    texts = [headline(finding.claim, finding), finding.right]
    if finding.cases:
        texts.append(deciding_text(finding, None))
    labels = [finding.claim.id, *[""] * (len(texts) - 1)]
    pairs = zip(labels, texts, strict=True)
    return "".join(labelled(label, text, _ID + 1) for label, text in pairs) + "\n"


def asked_text(entry: FaqEntry) -> str:
    """Return a paragraph on a question that people ask: its reply, and the line that shows it."""
    pairs = (("asked", entry.asks), ("", entry.reply), ("", f"attn-tui {entry.command}"))
    return "".join(labelled(label, text, _ID + 1) for label, text in pairs) + "\n"


def scale_text(scale: TypedScale) -> str:
    """Return a paragraph on a number that was typed: what it is, and the line that shows it."""
    pairs = (("number", scale.means), ("", f"attn-tui {scale.command}"))
    return "".join(labelled(label, text, _ID + 2) for label, text in pairs) + "\n"


def deciding_text(finding: TriedClaim, width: int | None) -> str:
    """Return the deciding number, from the first case against the claim if there is one."""
    if not finding.cases:
        return f"({BASES[finding.claim.basis]})"
    case = next((case for case in finding.cases if not case.holds), finding.cases[0])
    evidence = case.evidence[0]
    value, stated, _ = numbers_of(evidence)
    number = f"{value}, stated {stated}" if stated else value
    for text in (f"{case.where}: {evidence.name} {number}", f"{evidence.name} {number}"):
        if width is None or cells(text) <= width:
            return text
    assert width is not None
    return f"{shortened(evidence.name, max(width - cells(number) - 1, 1))} {number}"


def counted(verdicts: Iterable[ClaimVerdict]) -> str:
    """Return the number of claims with each verdict: ``29 hold, 49 conditional``."""
    counts = Counter(verdicts)
    nouns = WORDS | {"holds": "hold"}
    return ", ".join(
        f"{counts[verdict]} {nouns[verdict]}" for verdict in VERDICTS if counts[verdict]
    )


def total_line(findings: Sequence[TriedClaim], of: int, seconds: float) -> str:
    """Return the number of claims with each verdict, out of how many, and the time they took."""
    noun = "claim" if of == 1 else "claims"
    tried = f"{len(findings)} of {of} {noun}, stopped" if len(findings) < of else f"{of} {noun}"
    counts = counted(finding.verdict for finding in findings) or "none tried"
    return f"{tried}: {counts}; {fixed(seconds, 1)} s\n"
