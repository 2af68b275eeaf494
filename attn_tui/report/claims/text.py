"""What came of claims, as text of at most 80 columns: one in full, or a line each."""

from collections import Counter
from collections.abc import Iterable, Iterator

from attn_tui.claims.answer import Answer
from attn_tui.claims.claim import VERDICTS, Finding
from attn_tui.report.claims.sheet import BASES, beside_text, found_text, sheet
from attn_tui.report.rows import WIDTH, cells, fitted, plain, text_lines

WORDS = {
    "holds": "holds",
    "conditional": "holds on a condition",
    "false": "is false",
    "wording": "is a slip of wording",
    "undecided": "cannot be decided",
}
"""What a verdict says of a claim."""

_ID, _VERDICT, _TIME = 6, 12, 7


def verdict_text(finding: Finding) -> str:
    """Return the verdict as the first sentence of a report."""
    return f"{finding.claim.id} {WORDS[finding.verdict]}{tried_text(finding)}."


def tried_text(finding: Finding) -> str:
    """Return where else than usual a claim was tried, and how far fewer draws can tell.

    >>> from attn_tui.claims.ledger import find
    >>> from attn_tui.claims.trial import Trial
    >>> tried_text(Finding(find("S0-2"), Trial(n=8, draws=200)))
    ' at n = 8, as far as 200 draws say'
    """
    claim, trial = finding.claim, finding.trial
    others = [
        f"{name} = {getattr(trial, name):,}"
        for name in ("d_k", "n")
        if name in claim.controls and getattr(trial, name) != getattr(claim.trial, name)
    ]
    place = f" at {', '.join(others)}" if others else ""
    if finding.verdict == "undecided":
        return f"{place} by {trial.draws:,} draws"
    few = "draws" in claim.controls and trial.draws < claim.trial.draws
    return place + (f", as far as {trial.draws:,} draws say" if few else "")


def render(finding: Finding) -> Iterator[str]:
    """Yield the text of a claim and what came of it, piece by piece."""
    yield verdict_text(finding) + "\n"
    yield from text_lines(sheet(finding, WIDTH))


def render_answer(answer: Answer) -> Iterator[str]:
    """Yield the text of the claim that was asked."""
    yield from render(answer.finding)


def summary_line(finding: Finding, seconds: float) -> str:
    """Return a claim in a line: its id, its verdict, the deciding number and the time it took."""
    head = f"{finding.claim.id:<{_ID - 1}} {finding.verdict:<{_VERDICT}}"
    room = WIDTH - cells(head) - _TIME - 1
    row = fitted([(deciding_text(finding, room), "text")], room)
    return f"{head}{plain([row]).ljust(room)}{seconds:{_TIME - 1}.2f} s\n"


def deciding_text(finding: Finding, width: int) -> str:
    """Return the number that decided, of the case that goes against the claim where one does."""
    if not finding.cases:
        return f"({BASES[finding.claim.basis]})"
    case = next((each for each in finding.cases if not each.holds), finding.cases[0])
    evidence = case.evidence[0]
    stated = "" if evidence.stated is None else f", stated {beside_text(evidence, evidence.stated)}"
    number = f"{found_text(evidence)}{stated}"
    texts = (f"{case.where}: {evidence.name} {number}", f"{evidence.name} {number}")
    name = plain([fitted([(evidence.name, "text")], max(width - cells(number) - 1, 1))])
    return next((text for text in texts if cells(text) <= width), f"{name} {number}")


def counted(findings: Iterable[Finding]) -> str:
    """Return how many claims there are of each verdict: ``27 hold, 43 conditional``."""
    counts = Counter(each.verdict for each in findings)
    words = {"holds": "hold"}
    return ", ".join(f"{counts[each]} {words.get(each, each)}" for each in VERDICTS if counts[each])


def total_line(findings: list[Finding], of: int, seconds: float) -> str:
    """Return how many claims there are of each verdict, of so many, and how long they took."""
    noun = "claim" if of == 1 else "claims"
    tried = f"{len(findings)} of {of} {noun}, stopped" if len(findings) < of else f"{of} {noun}"
    return f"{tried}: {counted(findings) or 'none tried'}; {seconds:.1f} s\n"
