"""No number of one draw is told of all: claims that draw are tried with other seeds, too."""

import re
from dataclasses import replace
from math import hypot

import pytest

from attn_tui.claims.claim import Claim, Evidence, TriedClaim, try_claim
from attn_tui.claims.ledger import find, ledger, unchanged_finding

SEEDED = [claim.id for claim in ledger().values() if "seed" in claim.controls]

OF_ONE = (
    "of 1,000 rows", "of logits drawn evenly", "largest difference", "largest change", "a loss by",
    "batch", "singular value",
)  # fmt: skip
"""Words by which a number says that it is of the one thing that was drawn."""

CLOSE = 0.05
"""By what share a number may vary that has no error of its own."""

NUMBER = re.compile(r"(?<![\w.√/^_{(−-])(?:\d[\d,]*)?\.?\d+(?![\w/])")

Numbers = dict[tuple[str, str], Evidence]


def numbers(finding: TriedClaim) -> Numbers:
    """Return the evidence by the situation and its name."""
    return {(case.where, each.name): each for case in finding.cases for each in case.evidence}


def slack(*evidence: Evidence) -> float:
    """Return how far apart numbers of other seeds may be."""
    errors = [each.standard_error for each in evidence]
    if None in errors:
        return CLOSE * max(abs(each.value) for each in evidence)
    return 5.0 * hypot(*(error for error in errors if error is not None))


def agree(one: Evidence, other: Evidence) -> bool:
    """Return whether two numbers say the same, or each what its own formula does."""
    known = [each.exact is not None and each.is_close(each.exact, within=CLOSE)
             for each in (one, other)]  # fmt: skip
    return all(known) or abs(one.value - other.value) <= slack(one, other) + 1e-12


def untrue(claim: Claim, one: Numbers, other: Numbers) -> list[str]:
    """Return the numbers of a claim's words that one seed shows and another does not."""
    wrong = []
    for text in NUMBER.findall(f"{claim.right} {claim.figures}"):
        said = float(text.replace(",", ""))
        half = 0.5 * 10.0 ** -len(text.partition(".")[2])
        shown = [key for key in one if abs(one[key].decisive - said) <= half and key in other]
        near = [abs(other[key].decisive - said) <= half + slack(other[key]) for key in shown]
        if shown and not any(near):
            wrong.append(text)
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("id", SEEDED)
def test_a_number_of_one_draw_is_not_told_of_all(id: str) -> None:
    claim, first = find(id), unchanged_finding(id)
    for seed in (claim.trial.seed + 101, claim.trial.seed + 202):
        finding = try_claim(replace(claim, trial=replace(claim.trial, seed=seed)))
        assert finding.verdict == first.verdict
        one, other = numbers(first), numbers(finding)
        # Where d* is another, so are the places beside it.
        varying = [
            f"{name}, {where}: {one[where, name].value} and {other[where, name].value}"
            for where, name in one
            if (where, name) in other
            and not agree(one[where, name], other[where, name])
            and not any(word in f"{where} {name}" for word in OF_ONE)
        ]
        assert varying == []
        assert untrue(claim, one, other) == []
