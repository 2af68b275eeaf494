"""What a survey fits to the output: keys, windows, caps, sinks, multipliers; and what it doubts."""

from pathlib import Path

import numpy as np
import pytest

from attn_tui.captures.opening import open_capture
from attn_tui.captures.writer import write_safetensors
from attn_tui.compute.errors import InputError
from attn_tui.compute.fit.simulate import Arithmetic
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.engine.finding import of_head
from attn_tui.engine.making import Making, parse_mask
from attn_tui.engine.plan import Plan, Question
from attn_tui.files.captured import as_captured, captured_at
from attn_tui.heads.report import mask_text
from tests.doctor.captures import write as written
from tests.engine.captured import ALL, heads, last, unusual, values, write, write_unusual
from tests.test_cli import call


@pytest.mark.slow
def test_the_mask_follows_from_the_output(tmp_path: Path) -> None:
    path = write(tmp_path / "open.safetensors", heads(causal=False))
    capture = open_capture([str(path)])
    plan = Plan.of(capture, ALL)
    assert {found.mask.kind for found in plan.masks.values()} == {"none"}
    wrong = Plan.of(capture, Question(making=Making(mask=parse_mask("causal"))))
    assert all(found.residual > 0.3 for found in wrong.masks.values() if found.residual)
    with pytest.raises(InputError, match="no mask was captured in layer 0"):
        Plan.of(capture, Question(making=Making(mask=parse_mask("given"))))


def test_the_output_says_which_keys_a_head_has(tmp_path: Path) -> None:
    made = heads(layers=1)
    # Heads 0 and 2 share keys, as 1 and 3 do.
    turned = {(0, at): made[0, source] for at, source in enumerate((0, 2, 1, 3))}
    tensors = write(tmp_path / "turned.safetensors", made)
    plan = Plan.of(open_capture([str(tensors)]), ALL)
    other = tmp_path / "other"
    other.mkdir()
    path = write(other / "turned.safetensors", turned, interleaved=True)
    plan = Plan.of(open_capture([str(path)]), ALL)
    assert "Head h has keys and values h mod 2, as the output says." in plan.stated
    assert (plan.masks[0].residual or 0.0) < 1e-5
    turned_back = values(last(plan), "entropy")
    straight = values(last(Plan.of(open_capture([str(tensors)]), ALL)), "entropy")
    found = sorted(value.value for value in turned_back.values())
    assert found == pytest.approx(sorted(value.value for value in straight.values()))


@pytest.mark.slow
def test_layers_may_have_what_others_have_not(tmp_path: Path) -> None:
    layers = [
        unusual(layer, **{"window": 6} if layer % 2 == 0 else {"softcap": 3.0})
        for layer in range(4)
    ]
    path = tmp_path / "local_and_global.safetensors"
    write_safetensors(path, {name: each for parts, _ in layers for name, each in parts.items()})
    masks = Plan.of(open_capture([str(path)]), ALL).masks
    assert [found.mask.window for found in masks.values()] == [6, None, 6, None]


@pytest.mark.slow
def test_each_head_has_the_sink_that_its_own_output_says(tmp_path: Path) -> None:
    path, sinks = tmp_path / "sinks.safetensors", (-1.0, 0.5, 1.5, 3.0)
    weights = write_unusual(path, sink=sinks)
    capture = open_capture([str(path)])
    survey = last(Plan.of(capture, ALL))
    found = survey.plan.masks[0]
    assert found.fits
    assert found.sink == pytest.approx(0.5, rel=1e-3)
    for head, value in values(survey, "sink_mass").items():
        assert value.value == pytest.approx(1 - weights[0, head.head].sum(-1).mean(), rel=1e-3)
        source = captured_at((str(path),), head=head.head)
        assert source.sink == pytest.approx(sinks[head.head], abs=1e-3)
    # Unless another is asked, or none.
    head = capture.heads[0]
    rows = capture.read(head, [3])
    for sink in (2.0, None):
        making = Making(Scale(softcap=sink, sink=sink), captured_sink=sink is not None)
        made = making.weighing(rows, of_head(capture, making.over(found), head)).map
        assert (made.softcap, made.sink) == (sink, sink)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("format", "m", "said", "rule"),
    [
        ("float32", 1 / 12, "m = 1/√144", Scale("fixed", (("a", 144.0),))),
        ("bfloat16", 1 / 64, "m = 1/√4096", Scale("inverse")),
        ("float32", 0.0801, "m = 0.0801", None),
    ],
)
def test_an_m_that_is_found_is_said_as_the_verdict_says_it(
    tmp_path: Path, format: str, m: float, said: str, rule: Scale | None
) -> None:
    how = Arithmetic(m, format=format)
    path = written(tmp_path / "a.safetensors", how, d_k=64, logit_std=2.0)
    assert mask_text(Plan.of(open_capture([path]), ALL).masks[0]).startswith(f"{said}, causal")
    source = captured_at((path,), head=1)
    assert source.multiplier == (pytest.approx(m, rel=1e-3) if rule is None else m)
    scale = as_captured(Setup(), source).scale
    assert scale.multiplier(64, 64) == pytest.approx(source.multiplier, rel=1e-12)
    shown = call("attention", "--capture", path, "--head", "1").stdout
    assert f"its {said} takes part" in " ".join(shown.split())
    if rule is None:
        assert "\nscale      m = 0.080" in shown
    else:
        assert scale == rule
        assert f"\nscale      {rule.rule}: m = {rule.formula}\n" in shown


def test_an_m_that_grows_with_the_position_is_none(tmp_path: Path) -> None:
    rows = 0.25 / np.log(2.0) * np.log(np.maximum(np.arange(64) + 1.0, 2.0))
    path = written(tmp_path / "a.safetensors", Arithmetic(rows, format="float32"), logit_std=2.0)
    found = Plan.of(open_capture([path]), ALL).masks[0]
    assert (found.fits, found.multiplier, found.mask.kind) == (False, None, "causal")
    assert mask_text(found).endswith(": try attn-tui doctor")


def test_the_multiplier_in_use_is_that_which_the_output_says(tmp_path: Path) -> None:
    path, m = tmp_path / "scaled.safetensors", 1.0
    weights = write_unusual(path, multiplier=m)
    capture = open_capture([str(path)])
    survey = last(Plan.of(capture, ALL))
    found = survey.plan.masks[0]
    assert found.multiplier == pytest.approx(m, rel=1e-2)
    assert found.fits
    assert found.missed
    assert found.missed > 0.1
    for head, value in values(survey, "max_weight").items():
        assert value.value == pytest.approx(weights[0, head.head, 1:].max(-1).mean(), rel=1e-3)
        assert survey.heads[head].miss == pytest.approx(0.0, abs=0.01)
    # Who asks for a rule has that.
    what_if = last(Plan.of(capture, Question(None, making=Making(own_rule=True))))
    assert what_if.plan.masks[0].multiplier is None
    assert what_if.heads[capture.heads[0]].miss is None
    asked = last(Plan.of(capture, Question(None, making=Making(mask=parse_mask("causal")))))
    assert asked.plan.masks[0].multiplier == found.multiplier
    # Attention has the same, unless another is asked, and says how far 1/√d_k is from the output.
    source = captured_at((str(path),), head=3)
    assert source.miss
    assert source.miss > 0.1
    scale = as_captured(Setup(), source).scale
    assert scale.multiplier(16, 60) == pytest.approx(found.multiplier)
    inverse = Setup(scale=Scale("inverse"))
    assert as_captured(inverse, source).scale == inverse.scale


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


@pytest.mark.slow
def test_each_head_has_the_rule_of_its_own_layer(tmp_path: Path) -> None:
    capture = open_capture([str(write(tmp_path / "c.safetensors", heads()))])
    making = Making(Scale("per-layer"), own_rule=True)
    survey = last(Plan.of(capture, Question(None, making=making)))
    for layer in range(3):
        alone = Scale("fixed", (("a", 16.0 * (layer + 1) ** 2),))
        asked = Question(None, layers=(layer,), making=Making(alone, own_rule=True))
        for head, own in values(last(Plan.of(capture, asked)), "entropy").items():
            assert values(survey, "entropy")[head].value == pytest.approx(own.value, rel=1e-12)
    source = captured_at((str(capture.paths[0]),), layer=2)
    for given in ((), (("layer", 1.0),)):
        scale = as_captured(Setup(scale=Scale("per-layer", given)), source).scale
        assert scale.multiplier(16, 60) == pytest.approx(1 / 12)
    path = str(capture.paths[0])
    refused = call("heads", path, "--rule", "per-layer:layer=1")
    assert (refused.exit_code, "per-layer, without a layer" in refused.stderr) == (2, True)
    for command in ("attention", "show"):
        said = call(command, "--capture", path, "--layer", "2", "--rule", "per-layer").stdout
        assert "m = 1/(√d_k·(2 + 1))" in said
