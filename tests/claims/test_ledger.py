"""The whole ledger: every verdict at three seeds, and none that could not be different."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from attn_tui.claims.answer import command_of, opened
from attn_tui.claims.claim import (
    BASES,
    VERDICTS,
    Case,
    Evidence,
    StatedNumbers,
    TriedClaim,
    try_claim,
)
from attn_tui.claims.headline import headline
from attn_tui.claims.ledger import find, ledger, unchanged_finding
from attn_tui.claims.report import report
from attn_tui.claims.settings import FIRST
from attn_tui.claims.trial import Trial
from attn_tui.compute.attention import answer as attention
from attn_tui.compute.errors import InputError, Stopped
from attn_tui.files.codec import experiment_from_plain, experiment_to_plain
from attn_tui.files.plain import json_text
from attn_tui.report.text import text
from attn_tui.report.words import LONGEST
from tests.claims.breaking import BROKEN, STATED, tried
from tests.pairs import covering

TRIED = [claim.id for claim in ledger().values() if claim.check]
DRAWN = [claim.id for claim in ledger().values() if "seed" in claim.controls]


def test_the_ledger_has_a_hundred_claims_or_more_in_order() -> None:
    ids = [*ledger()]
    counts = Counter(name.partition("-")[0] for name in ids)
    assert counts.total() >= 100
    numbered = [f"{text}-{number + 1}" for text, count in counts.items() for number in range(count)]
    assert ids == numbered
    # The claim shown first has the default trial.
    assert find(FIRST).trial == Trial()


def test_every_claim_says_what_it_is() -> None:
    for name in ledger():
        claim = find(name)
        assert claim.source
        assert claim.says
        assert claim.right
        assert claim.topics
        assert claim.verdict in VERDICTS
        assert claim.basis in BASES
        assert (claim.basis == "text") == (claim.check is None)
        assert claim.controls or not claim.figures
        assert (claim.verdict == "conditional") == bool(claim.condition)
        assert len(headline(claim)) <= LONGEST


def test_d_star_is_explained_where_a_claim_speaks_of_it() -> None:
    for claim in ledger().values():
        if "d*" in claim.condition + claim.right + claim.figures:
            assert "called d*" in claim.condition + claim.right, claim.id
            assert "d*(n)" not in claim.condition + claim.right, claim.id


LONG = (
    "S0-2",
    "S1-12",
    "L-14",
    "S1-16",
    "S1-1",
    "L-2",
    "L-13",
    "S0-26",
    "L-20",
    "L-24",
    "L-12",
    "L-3",
)
"""Claims that take about a second or more."""


@pytest.mark.parametrize(
    "id",
    [pytest.param(name, marks=pytest.mark.slow if name in LONG else ()) for name in TRIED],
)
def test_the_verdict_is_the_one_that_the_ledger_has(id: str) -> None:
    _has_its_verdict(try_claim(find(id)))


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "id"), covering([2, 3], DRAWN))
def test_another_draw_gives_the_same_verdict(id: str, seed: int) -> None:
    claim = find(id)
    finding = try_claim(claim, replace(claim.trial, seed=seed))
    _has_its_verdict(finding)
    assert finding.right == unchanged_finding(id).right


def _has_its_verdict(finding: TriedClaim) -> None:
    assert finding.verdict == finding.claim.verdict, finding.cases
    assert finding.condition == finding.claim.condition
    assert len(headline(finding.claim, finding)) <= LONGEST


@pytest.mark.slow
@pytest.mark.parametrize("id", TRIED)
def test_what_is_broken_changes_the_verdict(id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (id in BROKEN) != (id in STATED)
    assert tried(id, monkeypatch).verdict not in (find(id).verdict, "undecided")


@pytest.mark.parametrize("id", ["S0-10", "L-10"])
def test_a_claim_whose_premise_is_not_met_is_not_false(id: str) -> None:
    claim = find(id)
    finding = try_claim(claim, replace(claim.trial, d_k=8))
    assert finding.verdict == "inapplicable"
    assert headline(claim, finding).endswith(
        "It does not apply now: at d_k = 8 its premise is not met."
    )


def test_a_claim_that_does_not_hold_any_more_says_so() -> None:
    claim = find("L-6")
    assert headline(claim, try_claim(claim)).endswith(f"It holds only {claim.condition}.")
    holding = replace(claim, verdict="holds")
    assert headline(holding, TriedClaim(holding, claim.trial, unchanged_finding("L-8").cases)) == (
        f"“{claim.says}” It is false."
    )
    few = TriedClaim(holding, replace(claim.trial, n=2), unchanged_finding("L-8").cases)
    assert headline(holding, few) == f"“{claim.says}” It does not hold now, at n = 2."


def test_figures_of_another_trial_are_not_said() -> None:
    claim = find("S0-2")
    assert "370" in TriedClaim(claim, claim.trial).right
    assert "370" in TriedClaim(claim, replace(claim.trial, seed=5)).right
    assert "370" not in TriedClaim(claim, replace(claim.trial, n=8)).right


@pytest.mark.slow
def test_an_instrument_opens_that_can_answer() -> None:
    for name in [claim.id for claim in ledger().values() if claim.command]:
        claim = find(name)
        other = replace(
            claim.trial, **{control: 300 for control in claim.controls if control != "seed"}
        )
        for trial in (claim.trial, other):
            target = opened(claim, trial)
            assert target, command_of(claim, trial)
            written = "".join(json_text(experiment_to_plain(target[1])))
            read = experiment_from_plain(json.loads(written))
            assert "".join(json_text(experiment_to_plain(read))) == written


def test_an_unknown_id_names_the_nearest() -> None:
    with pytest.raises(InputError, match="'S0-1414'; expected S0-14"):
        find("S0-1414")
    assert find("s0-14") is find("S0-14")


def test_what_is_exact_decides_and_draws_where_nothing_is() -> None:
    assert Evidence("", 1.01, 0.01, stated=1.0).is_as_stated
    assert not Evidence("", 1.1, 0.01, stated=1.0).is_as_stated
    assert not Evidence("", 1.0, 0.01).is_as_stated
    # Draws only illustrate a known value: they do not decide, whether they agree or not.
    assert not Evidence("", 1.01, 0.01, stated=1.0, exact=1.001).is_as_stated
    assert Evidence("", 1.1, 0.01, stated=1.0, exact=1.0).is_as_stated


def test_two_draws_change_no_verdict_where_the_exact_value_is_known() -> None:
    for name in ["S0-14", "S0-22", "S0-23", "S1-5", "S1-6", "S2-8", "S2-11"]:
        claim = find(name)
        assert try_claim(claim, replace(claim.trial, draws=2)).verdict == claim.verdict
    # A nearly normal law is not normal.
    claim = find("S1-5")
    assert try_claim(claim, replace(claim.trial, d_k=65_536)).verdict == "false"


@pytest.mark.slow
def test_few_draws_decide_nothing_that_is_not_known_exactly() -> None:
    for name in ["S0-2", "S1-13", "S1-16", "S2-3", "L-3", "L-24"]:
        claim = find(name)
        few = try_claim(claim, replace(claim.trial, draws=10))
        assert few.verdict == "undecided"
        assert not few.condition
        assert "10 draws cannot decide it" in headline(claim, few)
        assert "in these draws" in "".join(text(report([(few, 0.0)], 1)))
        assert replace(few, trial=replace(claim.trial, draws=100)).verdict != "undecided"


@pytest.mark.slow
@pytest.mark.parametrize("id", ["L-12", "L-13", "L-14"])
def test_a_square_of_weights_is_opened_as_a_head(id: str) -> None:
    claim = find(id)
    target = opened(claim, claim.trial)
    assert target
    instrument, experiment = target
    assert instrument.name == "attention"
    *_, answer = attention.answer(experiment)
    assert (answer.n_queries, answer.n_keys) == (claim.trial.n,) * 2
    # Each token copies one token, or all of them evenly, so the scale decides.
    assert (answer.attended == claim.trial.n).all()
    assert np.median(answer.unscaled.effective_keys) < 3.0
    assert np.median(answer.scaled.effective_keys) > 0.5 * claim.trial.n


def test_a_claim_says_no_more_than_its_source_does() -> None:
    assert find("S2-29").verdict == "holds"
    assert find("S2-5").verdict == "wording"
    assert "supposes" in find("S2-5").right
    assert not find("S2-20").stated
    assert "e19" not in find("S2-20").says
    assert "information" not in find("S0-26").says
    assert find("S2-31").check is None
    assert "2 keys" in find("S1-11").condition


def test_what_folding_the_scale_into_w_q_does_is_said_of_adam_too() -> None:
    finding = unchanged_finding("L-21")
    moves = {each.name: each for case in finding.cases for each in case.evidence}
    adam = moves["change of z by a step of Adam, folded over divided"]
    assert adam.value == pytest.approx(8.0)
    assert adam.exact == 8.0
    # T5's code says that it is equivalent under Adafactor, and so it is.
    adafactor = moves["change of z by a step of Adafactor, folded over divided"]
    assert adafactor.value == pytest.approx(1.0)
    assert finding.cases[1].holds


def test_a_claim_that_is_left_is_tried_no_further() -> None:
    tried = []

    def check(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
        for number in range(3):
            tried.append(number)
            yield Case(f"case {number}", True, (Evidence("x", 1.0),))

    claim = replace(find("S0-2"), check=check)
    with pytest.raises(Stopped):
        try_claim(claim, stop=lambda: len(tried) == 2)
    assert tried == [0, 1]
