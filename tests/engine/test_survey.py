"""Heads of a capture: whoever works blocks off, and in whatever order, it comes to the same."""

import pickle
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attn_tui.captures.capture import Capture
from attn_tui.captures.opening import open_capture
from attn_tui.captures.writer import write_safetensors
from attn_tui.compute.errors import InputError
from attn_tui.compute.fit.model import Rows
from attn_tui.compute.fit.scan import Candidate, scan
from attn_tui.compute.heads.statistic import STATISTICS
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.doctor.examine import examine
from attn_tui.doctor.report import Settings as Examined
from attn_tui.engine import plan as planning
from attn_tui.engine import survey as surveying
from attn_tui.engine.found import of_head
from attn_tui.engine.making import Making, MaskChoice, parse_mask
from attn_tui.engine.plan import Plan, Question
from attn_tui.engine.shards import merged, to_plain
from attn_tui.engine.survey import Survey, survey
from attn_tui.engine.work import Done, work
from attn_tui.files.captured import as_captured, captured_at
from tests.engine.captured import heads, opened, unusual, write, write_unusual

ALL = Question(rows=None)


class Backwards(Executor):
    """Works tasks off by itself, so many at a time, of which the last is ready first."""

    def __init__(self, size: int, work: Callable[..., Any] | None = None) -> None:
        self.given: list[tuple[Future[Any], Any]] = []
        self.size, self.work = size, work

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.given.append((future, pickle.loads(pickle.dumps(args[0]))))
        if len(self.given) == self.size:
            for each, task in reversed(self.given):
                try:
                    each.set_result((self.work or fn)(task))
                except Exception as error:
                    each.set_exception(error)
            self.given = []
        return future


def last(plan: Plan, *given: Any, **more: Any) -> Survey:
    return [*survey(plan, *given, **more)][-1]


@pytest.fixture
def capture(tmp_path: Path) -> Capture:
    return opened(tmp_path / "tiny.safetensors")


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "BLOCK_SECONDS", 0.0)
    monkeypatch.setattr(surveying, "LONG", 0.0)


def test_a_survey_says_what_heads_are(capture: Capture) -> None:
    found = last(Plan.of(capture, ALL))
    assert found.complete
    assert found.progress == 1.0
    assert len(found.machines) == 1
    truth = heads()
    for head, partial in found.heads.items():
        one = truth[head.layer, head.head]
        p = one.weights
        terms = np.where(p > 0, p * np.log(np.where(p > 0, p, 1)), 0)
        assert partial.value("entropy").value == pytest.approx(-terms.sum(1).mean(), rel=1e-4)
        assert partial.value("first_key_mass").value == pytest.approx(p[:, 0].mean(), rel=1e-4)
        assert partial.value("max_logit").value == pytest.approx(one.logits.max(), rel=1e-5)
    assert {found.how for found in found.plan.masks.values()} == {"output"}
    assert {found.mask.kind for found in found.plan.masks.values()} == {"causal"}


def test_the_order_of_blocks_changes_no_bit(tmp_path: Path) -> None:
    plan = Plan.of(opened(tmp_path / "a.safetensors", n=300, layers=2), ALL)
    assert len(plan.blocks) == 2 * 4 * 3
    plain = {head: partial.to_json() for head, partial in last(plan).heads.items()}
    for executor in (ThreadPoolExecutor(1), ThreadPoolExecutor(7), Backwards(4)):
        found = last(plan, executor, at_once=4)
        assert {head: partial.to_json() for head, partial in found.heads.items()} == plain
    parts = [last(plan, blocks=plan.blocks[shard::3]) for shard in range(3)]
    assert not parts[0].complete
    partials = {**parts[2].partials, **parts[1].partials, **parts[0].partials}
    merged = replace(parts[0], partials=partials)
    assert {head: partial.to_json() for head, partial in merged.heads.items()} == plain


def test_sampled_rows_are_those_of_the_seed_and_are_near(capture: Capture) -> None:
    exact = last(Plan.of(capture, ALL)).values("entropy")
    first, again, other = (
        last(Plan.of(capture, Question(rows=30, seed=seed))).values("entropy") for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other
    for head, value in first.items():
        assert value.error
        assert abs(value.value - exact[head].value) < 5.0 * value.error
    assert last(Plan.of(capture, Question(rows=99))).values("entropy") == exact


def test_a_question_may_name_layers_and_heads(capture: Capture) -> None:
    found = last(Plan.of(capture, Question(layers=(0, 2), heads=(3,))))
    assert [(head.layer, head.head) for head in found.heads] == [(0, 3), (2, 3)]
    with pytest.raises(InputError, match="there is no layer 7; expected one from 0 to 2"):
        Plan.of(capture, Question(layers=(7,)))


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

    found = last(plan, Backwards(1, failing))
    reasons = {each.block.index: each.reason for each in found.failed}
    assert reasons == {5: "MemoryError: too much"}
    assert set(found.partials) == {*range(12)} - {5}
    assert found.progress == 1.0
    assert not found.complete
    assert tried.count(5) == 2


def test_a_worker_with_another_version_is_named_and_refused(
    capture: Capture, tmp_path: Path
) -> None:
    plan = Plan.of(capture, ALL)
    write(tmp_path / "tiny.safetensors", heads(n=61))
    found = last(plan)
    assert not found.partials
    assert len(found.failed) == 12
    assert "has changed" in found.refused[0].reason
    assert "process" in found.refused[0].worker
    (tmp_path / "tiny.safetensors").unlink()
    assert "tiny.safetensors" in last(plan).refused[0].reason


def test_a_stop_keeps_what_there_is(capture: Capture) -> None:
    plan = Plan.of(capture, ALL)
    seen: list[Survey] = []
    for found in survey(plan, Backwards(4), stop=lambda: bool(seen), at_once=4):
        seen.append(found)
    assert not seen[-1].complete
    assert seen[-1].progress < 1.0
    for name in STATISTICS:
        seen[-1].values(name)


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("auto", MaskChoice()),
        ("causal", MaskChoice("causal")),
        ("causal:-3", MaskChoice("causal", offset=-3)),
        ("window:128", MaskChoice("window", 128)),
        ("window:128:7", MaskChoice("window", 128, 7)),
    ],
)
def test_masks_are_read_and_written(text: str, choice: MaskChoice) -> None:
    assert parse_mask(text) == choice
    assert choice.text == text


@pytest.mark.parametrize("text", ["", "causal:", "window", "window:0", "none:1", "causal:1.5"])
def test_what_is_no_mask_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is no mask; expected auto"):
        parse_mask(text)


def test_the_mask_follows_from_the_output(tmp_path: Path) -> None:
    path = write(tmp_path / "open.safetensors", heads(causal=False))
    capture = open_capture([str(path)])
    plan = Plan.of(capture, ALL)
    assert {found.mask.kind for found in plan.masks.values()} == {"none"}
    wrong = Plan.of(capture, Question(making=Making(mask=MaskChoice("causal"))))
    assert all(found.residual > 0.3 for found in wrong.masks.values() if found.residual)
    with pytest.raises(InputError, match="no mask was captured in layer 0"):
        Plan.of(capture, Question(making=Making(mask=MaskChoice("given"))))


def test_questions_and_masks_are_plain_in_json() -> None:
    question = Question(None, 7, (1,), None, Making(mask=MaskChoice("window", 3, 0)))
    assert Question.from_plain(question.as_plain()) == question


def test_work_is_done_on_one_thread(capture: Capture) -> None:
    task = next(Plan.of(capture, ALL).tasks())
    done = work(task)
    assert isinstance(done, Done)
    assert len(done.partials) == len(task.blocks)


def test_a_layer_whose_other_readings_have_fewer_positions_is_looked_at(tmp_path: Path) -> None:
    draw = np.random.default_rng(1).standard_normal
    parts = {f"0.{name}": draw((1, 8, 128, 32)).astype(np.float32) for name in ("q", "k", "v")}
    path = tmp_path / "square.safetensors"
    write_safetensors(path, {**parts, "0.out": parts["0.v"]})
    found = open_capture([str(path)])
    assert len({reading.dims for reading in found.readings(0)}) > 1
    # The output is V itself, as a window of one key gives it.
    mask = Plan.of(found, ALL).masks[0]
    assert (mask.how, mask.mask.window) == ("fit", 1)


def test_the_output_says_which_keys_a_head_has(tmp_path: Path) -> None:
    made = heads(layers=1)
    # Heads 0 and 2 share keys, as 1 and 3 do.
    turned = {(0, at): made[0, source] for at, source in enumerate((0, 2, 1, 3))}
    tensors = write(tmp_path / "turned.safetensors", made)
    plan = Plan.of(open_capture([str(tensors)]), ALL)
    assert plan.masks[0].read_as == ""
    other = tmp_path / "other"
    other.mkdir()
    path = write(other / "turned.safetensors", turned, interleaved=True)
    plan = Plan.of(open_capture([str(path)]), ALL)
    assert plan.masks[0].read_as == "head h has keys and values h mod 2"
    assert (plan.masks[0].residual or 0.0) < 1e-5
    values = last(plan).values("entropy")
    straight = last(Plan.of(open_capture([str(tensors)]), ALL)).values("entropy")
    found = sorted(value.value for value in values.values())
    assert found == pytest.approx(sorted(value.value for value in straight.values()))


def test_a_layer_is_tried_with_what_any_layer_before_it_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scans = []

    def counted(rows: Rows, own: Any) -> list[Candidate]:
        scans.append(rows)
        return scan(rows, own)

    monkeypatch.setattr("attn_tui.compute.fit.search.scan", counted)
    layers = [
        unusual(layer, **{"window": 6} if layer % 2 == 0 else {"softcap": 3.0})
        for layer in range(4)
    ]
    path = tmp_path / "local_and_global.safetensors"
    write_safetensors(path, {name: each for parts, _ in layers for name, each in parts.items()})
    masks = Plan.of(open_capture([str(path)]), ALL).masks
    assert [found.mask.window for found in masks.values()] == [6, None, 6, None]
    assert len(scans) == 2  # Of the first layer, under two masks.


@pytest.mark.parametrize(
    ("window", "softcap", "sink"), [(6, None, None), (None, None, 1.5), (None, 3.0, None)]
)
def test_a_window_a_cap_and_a_sink_that_no_simple_mask_explains_are_fitted(
    tmp_path: Path, window: int | None, softcap: float | None, sink: float | None
) -> None:
    path = tmp_path / "odd.safetensors"
    weights = write_unusual(path, window=window, softcap=softcap, sink=sink)
    plan = Plan.of(open_capture([str(path)]), ALL)
    found = plan.masks[0]
    assert (found.how, found.mask.kind, found.mask.window) == (
        "fit",
        "causal" if window is None else "window",
        window,
    )
    assert found.softcap == (softcap and pytest.approx(softcap, rel=1e-3))
    assert found.sink == (sink and pytest.approx(sink, rel=1e-3))
    assert found.fits
    first = last(plan).values("first_key_mass")
    for head, value in first.items():
        assert value.value == pytest.approx(weights[0, head.head, :, 0].mean(), rel=1e-3)
    assert merged([to_plain(last(plan))]).plan.masks == plan.masks
    # The same is opened in Attention.
    source = captured_at((str(path),), head=3)
    setup = as_captured(Setup(), source)
    assert (source.told, source.miss, source.window) == ("fit", None, window)
    assert setup.scale.softcap == found.softcap
    assert setup.scale.sink == (found.sink and pytest.approx(found.sink, abs=1e-6))
    sees = [int((vector.scores > -np.inf).sum()) for vector in source.vectors(setup)]
    assert sees == ([60] * 60 if window is None else [*range(1, 6), *[6] * 55])
    assert setup.mask.causal is (window is None)


def test_each_head_has_the_sink_that_its_own_output_says(tmp_path: Path) -> None:
    path, sinks = tmp_path / "sinks.safetensors", (-1.0, 0.5, 1.5, 3.0)
    weights = write_unusual(path, sink=sinks)
    capture = open_capture([str(path)])
    survey = last(Plan.of(capture, ALL))
    found = survey.plan.masks[0]
    assert found.fits
    assert found.sink == pytest.approx(0.5, rel=1e-3)
    for head, value in survey.values("sink_mass").items():
        assert value.value == pytest.approx(1 - weights[0, head.head].sum(-1).mean(), rel=1e-3)
        source = captured_at((str(path),), head=head.head)
        assert source.sink == pytest.approx(sinks[head.head], abs=1e-3)
    # Unless another is asked, or none.
    head = capture.heads[0]
    rows = capture.read(head, [3])
    for sink in (2.0, None):
        making = Making(Scale(softcap=sink, sink=sink), captured_sink=sink is not None)
        made = of_head(capture, making, found, head).weighing(making, rows).map
        assert (made.softcap, made.sink) == (sink, sink)


@pytest.mark.parametrize("without", range(4))
def test_sinks_are_found_whichever_head_has_none(tmp_path: Path, without: int) -> None:
    path = tmp_path / "sinks.safetensors"
    sinks = [-np.inf if head == without else 1.0 + head for head in range(4)]
    weights = write_unusual(path, sink=sinks)
    capture = open_capture([str(path)])
    survey = last(Plan.of(capture, ALL))
    assert survey.plan.masks[0].sink is not None
    assert not any(each.misses("max_weight") for each in survey.heads.values())
    *_, report = examine(capture, None, Examined())
    for (head, value), said in zip(
        survey.values("sink_mass").items(), report.findings, strict=True
    ):
        mass = 1 - weights[0, head.head].sum(-1).mean()
        assert value.value == pytest.approx(mass, rel=1e-3, abs=1e-6)
        known = None if head.head == without else pytest.approx(sinks[head.head], abs=1e-3)
        assert captured_at((str(path),), head=head.head).sink == known
        assert said.diagnosis.fits
        assert said.diagnosis.sink is not None
        assert said.diagnosis.sink.at().value == known


@pytest.mark.parametrize("m", [1.0, 8.0, 0.01])
def test_the_multiplier_in_use_is_that_which_the_output_says(tmp_path: Path, m: float) -> None:
    path = tmp_path / "scaled.safetensors"
    weights = write_unusual(path, multiplier=m)
    capture = open_capture([str(path)])
    survey = last(Plan.of(capture, ALL))
    found = survey.plan.masks[0]
    assert found.multiplier == pytest.approx(m, rel=1e-2)
    assert found.fits
    assert found.missed
    assert found.missed > 0.1
    assert merged([to_plain(survey)]).plan.masks == survey.plan.masks
    for head, value in survey.values("max_weight").items():
        assert value.value == pytest.approx(weights[0, head.head, 1:].max(-1).mean(), rel=1e-3)
        assert survey.heads[head].miss == pytest.approx(0.0, abs=0.01)
    # Who asks for a rule has that.
    what_if = last(Plan.of(capture, Question(None, making=Making(own_rule=True))))
    assert what_if.plan.masks[0].multiplier is None
    assert what_if.heads[capture.heads[0]].miss is None
    asked = last(Plan.of(capture, Question(None, making=Making(mask=MaskChoice("causal")))))
    assert asked.plan.masks[0].multiplier == found.multiplier
    # Attention divides by √d_k, and says how far that is from the output.
    source = captured_at((str(path),), head=3)
    assert source.multiplier == found.multiplier
    assert source.miss
    assert source.miss > 0.1


def test_weights_that_miss_the_output_are_told_by_head(tmp_path: Path) -> None:
    path = tmp_path / "own.safetensors"
    tensors, _ = unusual()
    tensors["0.out"][0, 2] = np.random.default_rng(1).standard_normal((60, 16))
    write_safetensors(path, tensors)
    found = open_capture([str(path)])
    survey = last(Plan.of(found, ALL))
    odd = [head.head for head, each in survey.heads.items() if each.misses("max_weight")]
    assert odd == [2]
    assert not survey.heads[found.heads[2]].misses("query_norm")
    assert [captured_at((str(path),), head=at).miss is None for at in range(4)] == [
        True, True, False, True,
    ]  # fmt: skip


def test_a_value_scale_is_no_reason_to_doubt_the_weights(tmp_path: Path) -> None:
    tensors, _ = unusual()
    tensors["0.out"] *= 0.7
    path = tmp_path / "scaled.safetensors"
    write_safetensors(path, tensors)
    survey = last(Plan.of(open_capture([str(path)]), ALL))
    assert survey.plan.masks[0].value_scale == pytest.approx(0.7, rel=1e-3)
    assert not any(each.misses("max_weight") for each in survey.heads.values())


def test_an_output_of_zeros_is_met(tmp_path: Path) -> None:
    path = tmp_path / "zeros.safetensors"
    write_safetensors(
        path, {f"0.{part}": np.zeros((1, 2, 8, 4)) for part in ("q", "k", "v", "out")}
    )
    survey = last(Plan.of(open_capture([str(path)]), ALL))
    found = survey.plan.masks[0]
    assert (found.how, found.mask.kind, found.residual) == ("assumed", "causal", None)
    assert {each.miss for each in survey.heads.values()} == {None}


def test_a_layer_whose_heads_all_meet_nan_is_fitted_on_what_is_left(tmp_path: Path) -> None:
    made = heads(layers=1, query_heads=2)
    tensors = {
        f"0.{part}": np.array([getattr(head, name) for head in made.values()], np.float32)[None]
        for part, name in (("q", "queries"), ("k", "keys"), ("v", "values"), ("out", "output"))
    }
    tensors["0.k"][0, :, 50, 3] = np.nan
    path = tmp_path / "nan.safetensors"
    write_safetensors(path, tensors)
    found = Plan.of(open_capture([str(path)]), ALL).masks[0]
    assert (found.how, found.mask.kind, found.fits) == ("output", "causal", True)
