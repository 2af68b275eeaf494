"""The doctor, run as a person does, and whether what it says is right."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any, Literal

from click.testing import CliRunner

from attn_tui.commands.program import program
from benchmarks.verdicts.case import NOTHING, Right

Outcome = Literal["right", "no model", "wrong cause", "agrees", "silent", "refused"]
OUTCOMES: tuple[Outcome, ...] = (
    "right", "no model", "wrong cause", "agrees", "silent", "refused",
)  # fmt: skip
"""What can come of a capture; ``wrong cause`` of a healthy one is that it differs."""
NO_MODEL = "no multiplier, cap, sink or mask gives this output"
"""What the doctor says where it knows no cause."""

SUSPECTS: Mapping[str, str] = {
    "softmax": r"softmax\w* (was |is |taken )*(twice|again)",
    "fp8": r"fp8|float8|e4m3",
    "int8": r"int8|8[- ]bit",
    "bias": r"\bbias|alibi",
    "dropout": r"dropout",
    "rope": r"rope|rotat|rotary",
    "projection": r"o_proj|projection",
    "prefix": r"prefix",
    "padding": r"padding|packed",
}
"""What tells of a cause in a line of the doctor."""


@dataclass(frozen=True)
class Judged:
    """What became of a capture.

    Attributes:
        outcome: Whether that is right.
        line: The first line of the doctor.
        said: The cause it names, in a word or two.
        seconds: That it took.
        status: It ended with.
    """

    outcome: Outcome
    line: str
    said: str
    seconds: float
    status: int


def examine(command: Sequence[str], right: Right) -> Judged:
    """Run the doctor on a capture, and judge what it says.

    Args:
        command: Its arguments.
        right: What it should say.
    """
    start = perf_counter()
    result = CliRunner().invoke(program, [*command, "--json"])
    seconds = perf_counter() - start
    try:
        report = json.loads(result.stdout)
    except ValueError:
        line = (result.output.strip().splitlines() or [repr(result.exception)])[-1]
        return Judged("refused", line, "refused", seconds, result.exit_code)
    line = str(report["why"][0])
    return Judged(outcome(report, right), line, said(report), seconds, result.exit_code)


def outcome(report: Mapping[str, Any], right: Right) -> Outcome:
    """Return whether what a report says is right."""
    verdict, line = report["verdict"], str(report["why"][0])
    if verdict in ("agrees", "no expectation"):
        if right.verdict == "agrees":
            return "right"
        return "silent" if verdict == "no expectation" else "agrees"
    named = suspects(line)
    if verdict == "differs":
        is_right = _is_right(report, right) or (right.suspect and right.suspect in named)
        return "right" if is_right else "wrong cause"
    if right.verdict == "assumes":
        return "right" if "padding" in named else "silent"
    if right.suspect and right.suspect in named:
        return "right"
    if named:
        return "wrong cause"
    if NO_MODEL not in line:
        return "silent"
    return "right" if right == NOTHING else "no model"


def said(report: Mapping[str, Any]) -> str:
    """Return the cause that a report names: what differs in most heads, or a suspect."""
    if report["verdict"] == "differs":
        parts = [tuple(each["differs"]) for each in report["heads"] if each["verdict"] == "differs"]
        return " and ".join(Counter(parts).most_common(1)[0][0])
    named = suspects(str(report["why"][0])) if report["verdict"] == "cannot tell" else set()
    if named:
        return " or ".join(sorted(named))
    has_no_model = NO_MODEL in str(report["why"][0])
    return "no model" if has_no_model else str(report["verdict"])


def suspects(line: str) -> set[str]:
    """Return the causes that a line names."""
    line = line.partition("; config")[0]
    return {name for name, words in SUSPECTS.items() if re.search(words, line, re.IGNORECASE)}


def _is_right(report: Mapping[str, Any], right: Right) -> bool:
    """Return whether most of the heads that differ differ in the right parts, and m is right."""
    heads = [head for head in report["heads"] if head["verdict"] == "differs"]
    parts = Counter(frozenset(head["differs"]) for head in heads)
    if not parts or right.verdict != "differs":
        return False
    most = parts.most_common(1)[0][0]
    if most not in right.parts:
        return False
    if right.multiplier is None:
        return True
    values = [_value(head["multiplier"]) for head in heads if frozenset(head["differs"]) == most]
    known = [value for value in values if value is not None]
    return bool(known) and abs(median(known) / right.multiplier - 1) < 0.02


def _value(estimate: Any) -> float | None:
    """Return the number of an estimate, written as an object or as value, low and high."""
    if isinstance(estimate, Mapping):
        estimate = estimate["value"]
    elif isinstance(estimate, Sequence):
        estimate = estimate[0]
    return None if estimate is None else float(estimate)
