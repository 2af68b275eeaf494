"""What came of the draws: a table by kind of fault, and every violation."""

from collections import Counter
from collections.abc import Iterator, Sequence

from benchmarks.verdicts.proof.faults import FAULTS
from benchmarks.verdicts.proof.oracle import Finding
from benchmarks.verdicts.proof.trial import Trial, kind_of

_VERDICTS = ("agrees", "differs", "cannot tell", "no expectation", "refused", "crashed")
_FINDINGS: tuple[Finding, ...] = ("honest", "wrong", "call", "neither", "left out")
_HONEST_SHARE = 1000
"""One honest output of so many may be refused."""


def table(trials: Sequence[Trial]) -> Iterator[str]:
    """Yield a table in Markdown: kinds of faults, what the oracle finds and what the doctor says.

    Verdicts are of draws on which something is required: those that are honest, wrong, or have a
    wrong call.
    """
    kinds: dict[str, list[Trial]] = {kind_of(fault.name): [] for fault in FAULTS}
    for trial in trials:
        kinds[trial.kind].append(trial)
    yield f"| kind | {' | '.join((*_FINDINGS, *_VERDICTS))} | violations |"
    yield "|---" * (len(_FINDINGS) + len(_VERDICTS) + 2) + "|"
    for kind, draws in kinds.items():
        if draws:
            yield _row(kind, draws)
    yield _row("all", trials)


def _row(kind: str, trials: Sequence[Trial]) -> str:
    findings = Counter(trial.judgement.finding for trial in trials)
    verdicts = Counter(trial.answer.verdict for trial in trials if trial.is_judged)
    counts = [findings[name] for name in _FINDINGS] + [verdicts[name] for name in _VERDICTS]
    counts.append(len(violations(trials)))
    cells = [kind, *(str(count or "") for count in counts)]
    return f"| {' | '.join(cells)} |"


def summary(trials: Sequence[Trial]) -> Iterator[str]:
    """Yield the violations by what is required, and how many intervals of m hold it."""
    sentences = {
        "wrong": "wrong outputs pass",
        "honest": "honest outputs are refused",
        "call": "wrong calls with a right output do not differ",
    }
    for finding, sentence in sentences.items():
        judged = [trial for trial in trials if trial.judgement.finding == finding]
        count = sum(bool(trial.violation) for trial in judged)
        yield f"{count} of {len(judged)} {sentence}."
    honest = [trial for trial in trials if trial.judgement.finding == "honest"]
    for name in sorted({trial.format for trial in honest if trial.held}):
        held = [each for trial in honest if trial.format == name for each in trial.held]
        share = 100 * sum(held) / len(held)
        yield f"{name}: {share:.1f} % of the 95 % intervals of m in {len(held)} heads hold it."


def violations(trials: Sequence[Trial]) -> list[Trial]:
    """Return the draws on which the doctor is wrong, those of honest outputs included."""
    return [trial for trial in trials if trial.violation]


def is_proved(trials: Sequence[Trial]) -> bool:
    """Return whether the doctor is wrong of nothing but of one honest output in a thousand."""
    honest = sum(trial.judgement.finding == "honest" for trial in trials)
    refused = [trial for trial in violations(trials) if trial.judgement.finding == "honest"]
    return len(violations(trials)) == len(refused) <= honest / _HONEST_SHARE
