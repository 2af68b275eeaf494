"""The whole ledger: every verdict at three seeds, and none that could not be another."""

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import cache
from threading import Barrier, BrokenBarrierError

import pytest

from attn_tui.claims import ledger as claims
from attn_tui.claims.claim import TOPICS, Claim, Finding, try_claim
from attn_tui.claims.ledger import find, ledger, own_finding
from attn_tui.claims.settings import FIRST
from attn_tui.claims.trial import Trial
from attn_tui.compute.errors import InputError
from attn_tui.files.codec import experiment_from_plain, experiment_to_plain
from attn_tui.files.draft import parse
from attn_tui.files.plain import json_text
from attn_tui.instruments import INSTRUMENTS
from tests.claims.breaking import tried
from tests.claims.broken import BROKEN
from tests.claims.expected import EXPECTED

TRIED = [claim.id for claim in ledger().values() if claim.check]
DRAWN = [claim.id for claim in ledger().values() if "seed" in claim.controls]


@pytest.mark.parametrize("id", ledger())
def test_every_claim_says_what_it_is(id: str) -> None:
    claim = find(id)
    assert claim.source
    assert claim.says
    assert claim.right
    assert claim.topics
    assert {*claim.topics} <= {*TOPICS}
    assert (claim.basis == "text") == (claim.check is None)
    assert claim.basis == EXPECTED[id][1]


@pytest.mark.parametrize("id", ledger())
def test_the_verdict_is_the_one_that_was_worked_out_elsewhere(id: str) -> None:
    _has_its_verdict(try_claim(find(id)))


@pytest.mark.parametrize("seed", [2, 3])
@pytest.mark.parametrize("id", DRAWN)
def test_another_draw_gives_the_same_verdict(id: str, seed: int) -> None:
    claim = find(id)
    _has_its_verdict(try_claim(claim, replace(claim.trial, seed=seed)))


def _has_its_verdict(finding: Finding) -> None:
    assert finding.verdict == EXPECTED[finding.claim.id][0], finding.cases
    assert (finding.verdict == "conditional") == bool(finding.condition) or (
        finding.claim.basis == "text"
    )


@pytest.mark.parametrize("id", TRIED)
def test_what_is_broken_changes_the_verdict(id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tried(id, BROKEN[id], monkeypatch).verdict != EXPECTED[id][0]


def test_the_same_trial_gives_the_same_numbers() -> None:
    for drawn in DRAWN[:5]:
        assert try_claim(find(drawn)) == try_claim(find(drawn))


@pytest.mark.parametrize("id", [claim.id for claim in ledger().values() if claim.opens])
def test_an_instrument_opens_that_can_answer(id: str) -> None:
    claim = find(id)
    assert claim.opens
    opened = claim.opens(claim.trial)
    assert opened.instrument in [each.name for each in INSTRUMENTS]
    asked = parse(opened.draft)
    text = "".join(json_text(experiment_to_plain(asked)))
    read = experiment_from_plain(json.loads(text))
    assert "".join(json_text(experiment_to_plain(read))) == text


def test_an_unknown_id_names_the_nearest() -> None:
    with pytest.raises(InputError, match="'S0-1414'; expected S0-14"):
        find("S0-1414")
    assert find("s0-14") is find("S0-14")


def test_the_first_claim_is_tried_with_what_nobody_asked_for() -> None:
    assert find(FIRST).trial == Trial()


def test_a_claim_that_two_ask_for_at_once_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tried_twice, tries = Barrier(2), []

    def tried(claim: Claim) -> Finding:
        tries.append(claim.id)
        with suppress(BrokenBarrierError):
            tried_twice.wait(0.5)
        return Finding(claim, claim.trial)

    monkeypatch.setattr(claims, "try_claim", tried)
    # One that remembers nothing that other tests have tried.
    monkeypatch.setattr(claims, "_own_finding", cache(claims._own_finding.__wrapped__))
    name = "S0-1"
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(own_finding, (name, name))
    assert first is second
    assert tries == [name]
