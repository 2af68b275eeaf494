"""The reconstruction of weights finds those really in use, as plain NumPy computes them.

It covers masks, windows, caps, sinks and multipliers of layers and of heads,
and cases where nothing tells them.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16
from numpy.typing import NDArray

from attn_tui.captures.opening import open_capture
from attn_tui.captures.writer import write_safetensors
from attn_tui.compute.errors import InputError
from attn_tui.compute.fit.head import Path as Rounding
from attn_tui.compute.fit.simulate import Arithmetic
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.engine.plan import Plan, Selection
from attn_tui.engine.reconstruction import of_head
from attn_tui.engine.request import Request, parse_mask, request_of
from attn_tui.engine.survey import Survey
from attn_tui.files.captured import as_captured, captured_at
from attn_tui.heads.words import mask_text
from tests.doctor.captures import write as written
from tests.engine.captured import ALL, heads, last, unusual, values, write, write_unusual
from tests.test_cli import call


def surveyed(path: Path, tensors: dict[str, NDArray[Any]]) -> Survey:
    """Write tensors, and return the survey of all rows of their heads."""
    write_safetensors(path, tensors)
    return last(Plan.of(open_capture([str(path)]), ALL))


def largest(weights: NDArray[np.float64]) -> list[float]:
    """Return the mean largest weight of each head, over rows that see several keys.

    Row 0 counts only if a sink competes with its one key.
    """
    first = int((weights[0, :, 0, 0] == 1.0).all())
    return [float(head[first:].max(-1).mean()) for head in weights[0]]


def logits(tensors: dict[str, NDArray[Any]], multiplier: float) -> NDArray[np.float64]:
    """Return m·q·k, shape (1, 4, 60, 60), −∞ where a causal mask hides it."""
    q, k = (tensors[f"0.{part}"].astype(float) for part in "qk")
    scores = multiplier * q @ k.swapaxes(-1, -2)
    return np.where(np.tri(60, dtype=bool), scores, -np.inf)


def is_of(survey: Survey, weights: NDArray[np.float64]) -> bool:
    """Return whether no head misses the output, and the largest weights are the given ones."""
    if any(partial.misses("max_weight") for partial in survey.heads.values()):
        return False
    largest_weights = [value.value for value in values(survey, "max_weight").values()]
    return largest_weights == pytest.approx(largest(weights), rel=1e-3)


def test_one_hot_rows_hide_no_wrong_scale(tmp_path: Path) -> None:
    factor, size = 3.0, 150.0
    tensors, weights = unusual(multiplier=0.25 * factor, size=size)
    path = tmp_path / "sharp.safetensors"
    survey = surveyed(path, tensors)
    assert survey.plan.masks[0].multiplier == pytest.approx(0.25 * factor, rel=1e-2)
    assert is_of(survey, weights)
    most = [float(head.max()) for head in logits(tensors, 0.25 * factor)[0]]
    logits_found = [value.value for value in values(survey, "max_logit").values()]
    assert logits_found == pytest.approx(most, rel=1e-2)
    between = 0.99 * max(most)
    result = call("heads", str(path), "--rows", "all", "--fail-if", f"max_logit > {between}")
    assert result.exit_code == 1


@pytest.mark.parametrize("captured", ["weights", "weights and v"])
def test_what_was_captured_instead_of_an_output_tells_the_scale(
    tmp_path: Path, captured: str
) -> None:
    tensors, weights = unusual(multiplier=1.0, size=2)
    parts = {name: tensors[name] for name in ("0.q", "0.k", "0.v")}
    if captured != "weights and v":
        del parts["0.v"]
    parts["0.weights"] = weights.astype(np.float32)
    path = tmp_path / "instead.safetensors"
    survey = surveyed(path, parts)
    mask = survey.plan.masks[0]
    assert mask.mask.kind == "causal"
    assert mask.multiplier == pytest.approx(1.0, rel=1e-3)
    assert is_of(survey, weights)
    source = captured_at((str(path),), head=2)
    assert (source.causal, source.reconstruction.how) == (True, "fit")
    assert source.multiplier == pytest.approx(1.0, rel=1e-3)


@pytest.mark.slow
def test_an_m_that_is_off_by_half_a_percent_is_another_or_is_said_to_be_possible(
    tmp_path: Path,
) -> None:
    m = 0.25 * 1.005
    tensors, weights = unusual(multiplier=m)
    parts = {name: tensors[name] for name in ("0.q", "0.k")}
    path = tmp_path / "instead.safetensors"
    survey = surveyed(path, parts | {"0.weights": weights.astype(bfloat16)})
    mask = survey.plan.masks[0]
    assert mask.fits
    for head in range(4):
        source = captured_at((str(path),), head=head)
        off = abs((source.multiplier or 0.25) / m - 1)
        output = call("attention", "--capture", str(path), "--head", f"{head}").stdout
        assert off < 1e-3 or "m may be off by" in " ".join(output.split())


@pytest.mark.slow
def test_a_captured_sink_that_is_not_in_use_takes_no_part(tmp_path: Path) -> None:
    tensors, weights = unusual(multiplier=1.0, size=1)
    tensors["0.sink"] = np.array([1.0, 2.0, 3.0, 4.0], np.float32)
    path = tmp_path / "dropped.safetensors"
    survey = surveyed(path, tensors)
    assert (survey.plan.masks[0].drops_sink, survey.plan.masks[0].sink) == (True, None)
    assert is_of(survey, weights)
    assert {value.value for value in values(survey, "sink_mass").values()} == {0.0}
    assert captured_at((str(path),), head=3).sink is None
    assert "sink none" in call("heads", str(path)).stdout
    # A sink that is in use is found.
    tensors, weights = unusual(sink=(1.0, 2.0, 3.0, 4.0), size=1)
    tensors["0.sink"] = np.array([1.0, 2.0, 3.0, 4.0], np.float32)
    survey = surveyed(tmp_path / "used.safetensors", tensors)
    assert not survey.plan.masks[0].drops_sink
    assert is_of(survey, weights)


@pytest.mark.slow
def test_each_head_has_the_multiplier_that_its_own_output_says(tmp_path: Path) -> None:
    multipliers = (0.1, 0.2, 0.4, 0.8)
    tensors, weights = unusual(multiplier=multipliers, size=1)
    path = tmp_path / "own.safetensors"
    survey = surveyed(path, tensors)
    assert is_of(survey, weights)
    for head, m in enumerate(multipliers):
        assert captured_at((str(path),), head=head).multiplier == pytest.approx(m, rel=1e-3)
    own = [partial.multiplier for partial in survey.heads.values()]
    assert own == [None if m == 0.2 else pytest.approx(m, rel=1e-3) for m in multipliers]
    assert "3 heads have an m of their own" in " ".join(call("heads", str(path)).stdout.split())


def test_a_multiplier_that_nothing_tells_is_said_to_be_assumed(tmp_path: Path) -> None:
    tensors, weights = unusual(multiplier=0.75, size=1e6)
    path = tmp_path / "one_hot.safetensors"
    survey = surveyed(path, tensors)
    assert survey.plan.masks[0].is_untold
    assert is_of(survey, weights)
    result = call("heads", str(path), "--fail-if", "max_logit > 100")
    assert result.exit_code == 3
    assert "does not tell m" in result.stdout
    assert call("heads", str(path), "--fail-if", "max_weight > 0.9").exit_code == 1
    ruled = call("heads", str(path), "--rule=inverse-sqrt", "--fail-if", "max_logit > 100")
    assert ruled.exit_code == 1


def test_a_head_of_which_almost_no_row_counts_is_not_named(tmp_path: Path) -> None:
    tensors, _ = unusual(size=1)
    tensors["0.k"][0, 1, 3] = np.inf
    path = tmp_path / "infinite.safetensors"
    write_safetensors(path, tensors)
    result = call("heads", str(path), "--fail-if", "max_weight > 60 %")
    assert result.exit_code == 3
    assert "layer 0 head 1 is the sharpest" not in result.stdout.lower()
    told = "One of them meets NaN or infinity, first layer 0 head 1."
    assert told in " ".join(result.stdout.split())
    # The largest score of some rows is a lower bound, whatever the others hold.
    assert call("heads", str(path), "--fail-if", "largest_score > 0.1").exit_code == 1
    assert call("doctor", str(path)).stderr == ""


def test_a_mask_that_nothing_tells_is_assumed_alike(tmp_path: Path) -> None:
    tensors, _ = unusual()
    path = tmp_path / "untold.safetensors"
    write_safetensors(path, {name: tensors[name] for name in ("0.q", "0.k")})
    plan = Plan.of(open_capture([str(path)]), Selection())
    assert (plan.masks[0].how, plan.masks[0].mask.kind) == ("assumed", "causal")
    assert captured_at((str(path),)).causal
    for result in (
        call("heads", str(path)),
        call("attention", "--capture", str(path)),
        call("show", "--capture", str(path), "--row", "50"),
    ):
        assert "causal" in result.stdout
        assert "assumed" in result.stdout


@pytest.mark.parametrize(
    ("format", "path"),
    [
        ("float32", "float32"),
        *((of, path) for of in ("bfloat16", "float16") for path in ("float32", "flash", "eager")),
    ],
)
def test_rounding_alone_is_no_miss(tmp_path: Path, format: str, path: Rounding) -> None:
    for m in (0.125, 0.15):
        how = Arithmetic(m, format=format, path=path)
        capture = open_capture([written(tmp_path / f"{m}.safetensors", how, d_k=64, logit_std=2.0)])
        survey = last(Plan.of(capture, ALL))
        assert all(partial.fits for partial in survey.heads.values())
        # An m that is off by a fifth is found, and the errors of the fit make no head differ.
        layer = survey.plan.masks[0]
        assert layer.multiplier == (None if m == 0.125 else pytest.approx(m, rel=2e-3))
        assert {partial.multiplier for partial in survey.heads.values()} == {None}


@pytest.mark.parametrize("m", [0.0, -0.25])
def test_an_m_that_is_not_positive_is_left_to_the_doctor(tmp_path: Path, m: float) -> None:
    path = tmp_path / "odd.safetensors"
    write_unusual(path, multiplier=m, size=1)
    survey = last(Plan.of(open_capture([str(path)]), ALL))
    assert (survey.plan.masks[0].how, survey.plan.masks[0].multiplier) == ("nearest", None)
    assert all(partial.misses("max_weight") for partial in survey.heads.values())


@pytest.mark.slow
def test_the_mask_follows_from_the_output(tmp_path: Path) -> None:
    path = write(tmp_path / "open.safetensors", heads(causal=False))
    capture = open_capture([str(path)])
    plan = Plan.of(capture, ALL)
    assert {mask.mask.kind for mask in plan.masks.values()} == {"none"}
    wrong = Plan.of(capture, Selection(request=Request(mask=parse_mask("causal"))))
    assert all(mask.residual > 0.3 for mask in wrong.masks.values() if mask.residual)
    with pytest.raises(InputError, match="no mask was captured in layer 0"):
        Plan.of(capture, Selection(request=Request(mask=parse_mask("given"))))


def test_the_output_says_which_keys_a_head_has(tmp_path: Path) -> None:
    made = heads(layers=1)
    # Heads 0 and 2 share keys, and so do heads 1 and 3.
    turned = {(0, head): made[0, source] for head, source in enumerate((0, 2, 1, 3))}
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
    weights = sorted(value.value for value in turned_back.values())
    assert weights == pytest.approx(sorted(value.value for value in straight.values()))


@pytest.mark.slow
def test_layers_may_have_what_others_have_not(tmp_path: Path) -> None:
    layers = [
        unusual(layer, **({"window": 6}, {"softcap": 3.0}, {}, {"multiplier": 0.5})[layer])
        for layer in range(4)
    ]
    path = tmp_path / "layers.safetensors"
    write_safetensors(path, {name: tensor for parts, _ in layers for name, tensor in parts.items()})
    masks = Plan.of(open_capture([str(path)]), ALL).masks
    assert [mask.how for mask in masks.values()] == ["nearest", "fit", "output", "fit"]
    assert [mask.softcap for mask in masks.values()] == [None, pytest.approx(3.0), None, None]
    assert [mask.multiplier for mask in masks.values()] == [None, None, None, pytest.approx(0.5)]


@pytest.mark.slow
def test_each_head_has_the_sink_that_its_own_output_says(tmp_path: Path) -> None:
    path, sinks = tmp_path / "sinks.safetensors", (-1.0, 0.5, 1.5, 3.0)
    weights = write_unusual(path, sink=sinks)
    capture = open_capture([str(path)])
    survey = last(Plan.of(capture, ALL))
    mask = survey.plan.masks[0]
    assert mask.fits
    assert mask.sink == pytest.approx(0.5, rel=1e-3)
    for head, value in values(survey, "sink_mass").items():
        assert value.value == pytest.approx(1 - weights[0, head.head].sum(-1).mean(), rel=1e-3)
        source = captured_at((str(path),), head=head.head)
        assert source.sink == pytest.approx(sinks[head.head], abs=1e-3)
    # Another sink, or none, may be asked for instead.
    head = capture.heads[0]
    rows = capture.read(head, [3])
    for sink in (2.0, None):
        request = Request(Scale(softcap=sink, sink=sink), frozenset({"softcap", "sink"}))
        layer = Plan.of(capture, Selection(request=request)).masks[0]
        model = request.over(of_head(capture, layer, head).model.with_sink(rows), 0, rows)
        assert (model.softcap, model.sink) == (sink, sink)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("format", "m", "text", "rule"),
    [
        ("float32", 1 / 12, "m = 1/√144", Scale("fixed", (("a", 144.0),))),
        ("bfloat16", 1 / 64, "m = 1/64", Scale("inverse")),
        ("float32", 0.0801, "m = 0.0801", None),
    ],
)
def test_an_m_that_is_found_is_said_as_the_verdict_says_it(
    tmp_path: Path, format: str, m: float, text: str, rule: Scale | None
) -> None:
    how = Arithmetic(m, format=format)
    path = written(tmp_path / "a.safetensors", how, d_k=64, logit_std=2.0)
    assert mask_text(Plan.of(open_capture([path]), ALL).masks[0]).startswith(f"{text}, causal")
    source = captured_at((path,), head=1)
    assert source.multiplier == (pytest.approx(m, rel=1e-3) if rule is None else m)
    scale = as_captured(Setup(), source).scale
    assert scale.multiplier(64, 64) == pytest.approx(source.multiplier, rel=1e-12)
    output = call("attention", "--capture", path, "--head", "1").stdout
    assert f"its {text} takes part" in " ".join(output.split())
    if rule is None:
        assert "\nscale      m = 0.080" in output
    else:
        assert scale == rule
        assert f"\nscale      {rule.rule}: m = {rule.formula}\n" in output


def test_an_m_that_grows_with_the_position_is_none(tmp_path: Path) -> None:
    rows = 0.25 / np.log(2.0) * np.log(np.maximum(np.arange(64) + 1.0, 2.0))
    path = written(tmp_path / "a.safetensors", Arithmetic(rows, format="float32"), logit_std=2.0)
    mask = Plan.of(open_capture([path]), ALL).masks[0]
    assert (mask.fits, mask.multiplier, mask.mask.kind) == (False, None, "causal")
    assert mask_text(mask).endswith(": try attn-tui doctor")


def test_the_multiplier_in_use_is_that_which_the_output_says(tmp_path: Path) -> None:
    path, m = tmp_path / "scaled.safetensors", 1.0
    weights = write_unusual(path, multiplier=m)
    capture = open_capture([str(path)])
    survey = last(Plan.of(capture, ALL))
    mask = survey.plan.masks[0]
    assert mask.multiplier == pytest.approx(m, rel=1e-2)
    assert mask.fits
    assert mask.rule_residual
    assert mask.rule_residual > 0.1
    for head, value in values(survey, "max_weight").items():
        assert value.value == pytest.approx(weights[0, head.head, 1:].max(-1).mean(), rel=1e-3)
        assert survey.heads[head].residual == pytest.approx(0.0, abs=0.01)
    # A rule that the user asks for overrides the multiplier.
    by_rule = Request(parts=frozenset({"multiplier"}))
    what_if = last(Plan.of(capture, Selection(None, request=by_rule)))
    assert what_if.plan.masks[0].multiplier is None
    assert what_if.heads[capture.heads[0]].residual is None
    masked = last(Plan.of(capture, Selection(None, request=Request(mask=parse_mask("causal")))))
    assert masked.plan.masks[0].multiplier == mask.multiplier
    # Attention takes the same m unless told otherwise, and says how far 1/√d_k misses the output.
    source = captured_at((str(path),), head=3)
    assert source.miss
    assert source.miss > 0.1
    scale = as_captured(Setup(), source).scale
    assert scale.multiplier(16, 60) == pytest.approx(mask.multiplier)
    inverse = Setup(scale=Scale("inverse"))
    assert as_captured(inverse, source).scale == inverse.scale


def test_weights_that_miss_the_output_are_told_by_head(tmp_path: Path) -> None:
    path = tmp_path / "own.safetensors"
    tensors, _ = unusual()
    tensors["0.out"][0, 2] = np.random.default_rng(1).standard_normal((60, 16))
    write_safetensors(path, tensors)
    capture = open_capture([str(path)])
    survey = last(Plan.of(capture, ALL))
    odd = [head.head for head, partial in survey.heads.items() if partial.misses("max_weight")]
    assert odd == [2]
    assert not survey.heads[capture.heads[2]].misses("query_norm")
    assert [captured_at((str(path),), head=head).miss is None for head in range(4)] == [
        True, True, False, True,
    ]  # fmt: skip


def test_a_value_scale_is_no_reason_to_doubt_the_weights(tmp_path: Path) -> None:
    tensors, _ = unusual()
    tensors["0.out"] *= 0.7
    path = tmp_path / "scaled.safetensors"
    survey = surveyed(path, tensors)
    assert survey.plan.masks[0].model.value_scale == pytest.approx(0.7, rel=1e-3)
    assert not any(partial.misses("max_weight") for partial in survey.heads.values())


def test_an_output_of_zeros_is_met(tmp_path: Path) -> None:
    path = tmp_path / "zeros.safetensors"
    parts = ("q", "k", "v", "out")
    survey = surveyed(path, {f"0.{part}": np.zeros((1, 2, 8, 4)) for part in parts})
    mask = survey.plan.masks[0]
    assert (mask.how, mask.mask.kind, mask.residual) == ("assumed", "causal", None)
    assert {partial.residual for partial in survey.heads.values()} == {None}


def test_an_output_that_is_nan_or_0_in_some_or_all_rows_is_met(tmp_path: Path) -> None:
    tensors, _ = unusual()
    tensors["0.out"][0, :2, 59] = np.nan
    tensors["0.out"][0, 2] = 0.0
    tensors["0.out"][0, 3] = np.inf
    path = tmp_path / "odd.safetensors"
    survey = surveyed(path, tensors)
    # Rows that are NaN say nothing of weights; an output of 0 has other ones.
    assert [partial.misses("max_weight") for partial in survey.heads.values()] == [
        False, False, True, False,
    ]  # fmt: skip
    residuals = [partial.residual for partial in survey.heads.values()]
    assert residuals[2:] == [np.inf, None]
    text = " ".join(call("heads", str(path)).stdout.split())
    assert "out holds 32 NaN and 960 infinities, first in layer 0 head 0, row 59, column 0" in text
    assert call("heads", str(path), "--json").exit_code == 0


def test_a_layer_whose_heads_all_meet_nan_is_fitted_on_what_is_left(tmp_path: Path) -> None:
    made = heads(layers=1, query_heads=2)
    tensors = {
        f"0.{part}": np.array([getattr(head, name) for head in made.values()], np.float32)[None]
        for part, name in (("q", "queries"), ("k", "keys"), ("v", "values"), ("out", "output"))
    }
    tensors["0.k"][0, :, 50, 3] = np.nan
    path = tmp_path / "nan.safetensors"
    write_safetensors(path, tensors)
    mask = Plan.of(open_capture([str(path)]), ALL).masks[0]
    assert (mask.how, mask.mask.kind, mask.fits) == ("output", "causal", True)


@pytest.mark.slow
def test_each_head_has_the_rule_of_its_own_layer(tmp_path: Path) -> None:
    capture = open_capture([str(write(tmp_path / "c.safetensors", heads()))])
    survey = last(Plan.of(capture, Selection(None, request=request_of(Scale("per-layer")))))
    for layer in range(3):
        alone = Scale("fixed", (("a", 16.0 * (layer + 1) ** 2),))
        question = Selection(None, layers=(layer,), request=request_of(alone))
        for head, own in values(last(Plan.of(capture, question)), "entropy").items():
            assert values(survey, "entropy")[head].value == pytest.approx(own.value, rel=1e-12)
    source = captured_at((str(capture.paths[0]),), layer=2)
    for given in ((), (("layer", 1.0),)):
        scale = as_captured(Setup(scale=Scale("per-layer", given)), source).scale
        assert scale.multiplier(16, 60) == pytest.approx(1 / 12)
    path = str(capture.paths[0])
    refused = call("heads", path, "--rule", "per-layer:layer=1")
    assert (refused.exit_code, "per-layer, without a layer" in refused.stderr) == (2, True)
    for command in ("attention", "show"):
        text = call(command, "--capture", path, "--layer", "2", "--rule", "per-layer").stdout
        assert "m = 1/(√d_k·(2 + 1))" in text
