"""Surveys of a capture: the results do not depend on the executor or the order of blocks."""

import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attn_tui.captures.capture import Capture
from attn_tui.compute.errors import InputError
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.statistic import STATISTICS
from attn_tui.engine import plan as planning
from attn_tui.engine import survey as surveying
from attn_tui.engine.answer import now_and_then
from attn_tui.engine.plan import Plan, Selection
from attn_tui.engine.request import mask_text, parse_mask
from attn_tui.engine.survey import Survey, survey
from attn_tui.engine.work import work
from tests.engine.captured import ALL, heads, last, opened, values, write


class Backwards(Executor):
    """An executor that runs tasks itself, several at a time, and finishes the last one first."""

    def __init__(self, size: int, work: Callable[..., Any] | None = None) -> None:
        self.given: list[tuple[Future[Any], Any]] = []
        self.size, self.work = size, work

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.given.append((future, pickle.loads(pickle.dumps(args[0]))))
        if len(self.given) == self.size:
            for waiting, task in reversed(self.given):
                try:
                    waiting.set_result((self.work or fn)(task))
                except Exception as error:
                    waiting.set_exception(error)
            self.given = []
        return future


@pytest.fixture
def capture(tmp_path: Path) -> Capture:
    return opened(tmp_path / "tiny.safetensors")


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "BLOCK_SECONDS", 0.0)
    monkeypatch.setattr(surveying, "LONG", 0.0)


def test_a_survey_says_what_heads_are(capture: Capture) -> None:
    survey_so_far = last(Plan.of(capture, ALL))
    assert survey_so_far.complete
    assert survey_so_far.progress == 1.0
    truth = heads()
    for head, partial in survey_so_far.heads.items():
        one = truth[head.layer, head.head]
        p = one.weights
        terms = np.where(p > 0, p * np.log(np.where(p > 0, p, 1)), 0)
        assert partial.value("entropy").value == pytest.approx(-terms.sum(1).mean(), rel=1e-4)
        assert partial.value("first_key_mass").value == pytest.approx(p[:, 0].mean(), rel=1e-4)
        assert partial.value("max_logit").value == pytest.approx(one.logits.max(), rel=1e-5)
    assert {mask.how for mask in survey_so_far.plan.masks.values()} == {"output"}
    assert {mask.mask.kind for mask in survey_so_far.plan.masks.values()} == {"causal"}


@pytest.mark.slow
def test_the_order_of_blocks_changes_no_bit(tmp_path: Path) -> None:
    plan = Plan.of(opened(tmp_path / "a.safetensors", n=300, layers=2), ALL)
    assert len(plan.blocks) == 2 * 4 * 3
    plain = last(plan).heads
    for executor in (ThreadPoolExecutor(1), ThreadPoolExecutor(7), Backwards(4)):
        survey_so_far = last(plan, executor, at_once=4)
        assert survey_so_far.heads == plain


@pytest.mark.slow
def test_sampled_rows_are_those_of_the_seed_and_are_near(capture: Capture) -> None:
    exact = values(last(Plan.of(capture, ALL)), "entropy")
    first, again, other = (
        values(last(Plan.of(capture, Selection(rows=30, seed=seed))), "entropy")
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other
    for head, value in first.items():
        assert value.error
        assert abs(value.value - exact[head].value) < 5.0 * value.error
    assert values(last(Plan.of(capture, Selection(rows=99))), "entropy") == exact


def test_a_question_may_name_layers_and_heads(capture: Capture) -> None:
    survey_so_far = last(Plan.of(capture, Selection(layers=(0, 2), heads=(3,))))
    assert [(head.layer, head.head) for head in survey_so_far.heads] == [(0, 3), (2, 3)]
    with pytest.raises(InputError, match="there is no layer 7; expected one from 0 to 2"):
        Plan.of(capture, Selection(layers=(7,)))


def test_a_block_that_fails_is_told_and_the_rest_goes_on(
    capture: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Plan.of(capture, ALL)
    monkeypatch.setattr(surveying, "LONG", 100.0)
    tried: list[int] = []

    def failing(task: Any) -> Any:
        tried.extend(block.index for block in task.blocks)
        if any(block.index == 5 for block in task.blocks):
            raise MemoryError("too much")
        return work(task)

    survey_so_far = last(plan, Backwards(1, failing))
    reasons = {failure.block.index: failure.reason for failure in survey_so_far.failed}
    assert reasons == {5: "MemoryError: too much"}
    assert set(survey_so_far.partials) == {*range(12)} - {5}
    assert survey_so_far.progress == 1.0
    assert not survey_so_far.complete
    assert tried.count(5) == 2


def test_a_worker_with_another_version_is_named_and_refused(
    capture: Capture, tmp_path: Path
) -> None:
    plan = Plan.of(capture, ALL)
    write(tmp_path / "tiny.safetensors", heads(n=61))
    survey_so_far = last(plan)
    assert not survey_so_far.partials
    assert len(survey_so_far.failed) == 12
    assert "has changed" in survey_so_far.failed[0].reason
    assert "process" in survey_so_far.failed[0].reason
    (tmp_path / "tiny.safetensors").unlink()
    assert "tiny.safetensors" in last(plan).failed[0].reason


def test_a_stop_keeps_what_there_is(capture: Capture) -> None:
    plan = Plan.of(capture, ALL)
    seen: list[Survey] = []
    for survey_so_far in survey(plan, Backwards(4), stop=lambda: bool(seen), at_once=4):
        seen.append(survey_so_far)
    assert not seen[-1].complete
    assert seen[-1].progress < 1.0
    for name in STATISTICS:
        values(seen[-1], name)


def test_masks_are_read_and_written() -> None:
    for text, choice in [
        ("auto", None),
        ("causal:-3", HeadMask("causal", -3)),
        ("window:128:7", HeadMask("window", 7, 128)),
    ]:
        assert parse_mask(text) == choice
        assert mask_text(choice) == text
    for text in ["", "causal:", "window", "window:0", "none:1", "causal:1.5"]:
        with pytest.raises(InputError, match="is no mask; expected auto"):
            parse_mask(text)


def test_many_small_heads_are_several_tasks(capture: Capture) -> None:
    plan = Plan.of(capture, ALL)
    many = replace(plan, blocks=plan.blocks * -(-1000 // len(plan.blocks)))
    tasks = [*many.tasks()]
    assert len(tasks) > 5
    assert [block for task in tasks for block in task.blocks] == [*many.blocks]


def test_whoever_takes_long_over_an_answer_is_given_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])

    def heads() -> Iterator[int]:
        for done in range(1, 1001):
            clock[0] += 0.02
            yield done

    given = []
    for done in now_and_then(heads()):
        given.append(done)
        clock[0] += 0.001 * done
    assert given[0] == 1
    assert given[-1] == 1000
    assert sum(given) * 0.001 < 0.2 * clock[0]
