"""What heads say is of the weights really in use, as plain NumPy makes them, or unknown."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16
from numpy.typing import NDArray

from attn_tui.captures.opening import open_capture
from attn_tui.captures.writer import write_safetensors
from attn_tui.compute.fit.check import miss_of
from attn_tui.compute.fit.head import Path as Rounding
from attn_tui.compute.fit.simulate import CAUSAL, Arithmetic, simulate
from attn_tui.compute.heads.weighing import Weighing
from attn_tui.compute.logit_map import LogitMap
from attn_tui.engine.plan import Plan, Question
from attn_tui.engine.survey import Survey, survey
from attn_tui.files.captured import captured_at
from tests.engine.captured import unusual, values
from tests.pairs import everyday
from tests.test_cli import call


def seen_of(path: Path, tensors: dict[str, NDArray[Any]]) -> Survey:
    write_safetensors(path, tensors)
    capture = open_capture([str(path)])
    return [*survey(Plan.of(capture, Question(rows=None)))][-1]


def largest(weights: NDArray[np.float64]) -> list[float]:
    """Return the mean over rows that see several keys of the largest weight, of each head.

    Of row 0 that is a sink besides its one key.
    """
    first = int((weights[0, :, 0, 0] == 1.0).all())
    return [float(each[first:].max(-1).mean()) for each in weights[0]]


def logits(tensors: dict[str, NDArray[Any]], multiplier: float) -> NDArray[np.float64]:
    """Return m·q·k, shape (1, 4, 60, 60), −∞ where a causal mask hides it."""
    q, k = (tensors[f"0.{part}"].astype(float) for part in "qk")
    scores = multiplier * q @ k.swapaxes(-1, -2)
    return np.where(np.tri(60, dtype=bool), scores, -np.inf)


def is_of(found: Survey, weights: NDArray[np.float64]) -> bool:
    """Whether no head is unknown, and the largest weights are these."""
    if any(each.misses("max_weight") for each in found.heads.values()):
        return False
    shown = [each.value for each in values(found, "max_weight").values()]
    return shown == pytest.approx(largest(weights), rel=1e-3)


def test_one_hot_rows_hide_no_wrong_scale(tmp_path: Path) -> None:
    factor, size = 3.0, 150.0
    tensors, weights = unusual(multiplier=0.25 * factor, size=size)
    path = tmp_path / "sharp.safetensors"
    found = seen_of(path, tensors)
    assert found.plan.masks[0].multiplier == pytest.approx(0.25 * factor, rel=1e-2)
    assert is_of(found, weights)
    most = [float(each.max()) for each in logits(tensors, 0.25 * factor)[0]]
    shown = [each.value for each in values(found, "max_logit").values()]
    assert shown == pytest.approx(most, rel=1e-2)
    between = 0.99 * max(most)
    said = call("heads", str(path), "--rows", "all", "--fail-if", f"max_logit > {between}")
    assert said.exit_code == 1


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
    found = seen_of(path, parts)
    mask = found.plan.masks[0]
    assert mask.mask.kind == "causal"
    assert mask.multiplier == pytest.approx(1.0, rel=1e-3)
    assert is_of(found, weights)
    source = captured_at((str(path),), head=2)
    assert (source.causal, source.found.how) == (True, "fit")
    assert source.multiplier == pytest.approx(1.0, rel=1e-3)


def test_an_m_that_is_off_by_half_a_percent_is_another_or_is_said_to_be_possible(
    tmp_path: Path,
) -> None:
    m = 0.25 * 1.005
    tensors, weights = unusual(multiplier=m)
    parts = {name: tensors[name] for name in ("0.q", "0.k")}
    path = tmp_path / "instead.safetensors"
    found = seen_of(path, parts | {"0.weights": weights.astype(bfloat16)})
    mask = found.plan.masks[0]
    assert mask.fits
    for head in range(4):
        source = captured_at((str(path),), head=head)
        off = abs((source.multiplier or 0.25) / m - 1)
        shown = call("attention", "--capture", str(path), "--head", f"{head}").stdout
        assert off < 1e-3 or "m may be off by" in " ".join(shown.split())


@pytest.mark.slow
def test_a_captured_sink_that_is_not_in_use_takes_no_part(tmp_path: Path) -> None:
    tensors, weights = unusual(multiplier=1.0, size=1)
    tensors["0.sink"] = np.array([1.0, 2.0, 3.0, 4.0], np.float32)
    path = tmp_path / "dropped.safetensors"
    found = seen_of(path, tensors)
    assert (found.plan.masks[0].drops_sink, found.plan.masks[0].sink) == (True, None)
    assert is_of(found, weights)
    assert {each.value for each in values(found, "sink_mass").values()} == {0.0}
    assert captured_at((str(path),), head=3).sink is None
    assert "sink none" in call("heads", str(path)).stdout
    # One that is in use does.
    tensors, weights = unusual(sink=(1.0, 2.0, 3.0, 4.0), size=1)
    tensors["0.sink"] = np.array([1.0, 2.0, 3.0, 4.0], np.float32)
    found = seen_of(tmp_path / "used.safetensors", tensors)
    assert not found.plan.masks[0].drops_sink
    assert is_of(found, weights)


def test_each_head_has_the_multiplier_that_its_own_output_says(tmp_path: Path) -> None:
    multipliers = (0.1, 0.2, 0.4, 0.8)
    tensors, weights = unusual(multiplier=multipliers, size=1)
    path = tmp_path / "own.safetensors"
    found = seen_of(path, tensors)
    assert is_of(found, weights)
    for at, m in enumerate(multipliers):
        assert captured_at((str(path),), head=at).multiplier == pytest.approx(m, rel=1e-3)
    own = [each.multiplier for each in found.heads.values()]
    assert own == [None if m == 0.2 else pytest.approx(m, rel=1e-3) for m in multipliers]
    assert "3 heads have an m of their own" in " ".join(call("heads", str(path)).stdout.split())


def test_a_multiplier_that_nothing_tells_is_said_to_be_assumed(tmp_path: Path) -> None:
    tensors, weights = unusual(multiplier=0.75, size=1e6)
    path = tmp_path / "one_hot.safetensors"
    found = seen_of(path, tensors)
    assert found.plan.masks[0].is_untold
    assert is_of(found, weights)
    said = call("heads", str(path), "--fail-if", "max_logit > 100")
    assert said.exit_code == 3
    assert "does not tell m" in said.stdout
    assert call("heads", str(path), "--fail-if", "max_weight > 0.9").exit_code == 1
    asked = call("heads", str(path), "--rule=inverse-sqrt", "--fail-if", "max_logit > 100")
    assert asked.exit_code == 1


def test_a_head_of_which_almost_no_row_counts_is_not_named(tmp_path: Path) -> None:
    tensors, _ = unusual(size=1)
    tensors["0.k"][0, 1, 3] = np.inf
    path = tmp_path / "infinite.safetensors"
    write_safetensors(path, tensors)
    said = call("heads", str(path), "--fail-if", "max_weight > 60 %")
    assert said.exit_code == 3
    assert "layer 0 head 1 is the sharpest" not in said.stdout.lower()
    told = "One of them meets NaN or infinity, first layer 0 head 1."
    assert told in " ".join(said.stdout.split())
    # What is the largest of any row stays that.
    assert call("heads", str(path), "--fail-if", "largest_score > 0.1").exit_code == 1
    assert call("doctor", str(path)).stderr == ""


def test_a_mask_that_nothing_tells_is_assumed_alike(tmp_path: Path) -> None:
    tensors, _ = unusual()
    path = tmp_path / "untold.safetensors"
    write_safetensors(path, {name: tensors[name] for name in ("0.q", "0.k")})
    plan = Plan.of(open_capture([str(path)]), Question())
    assert (plan.masks[0].how, plan.masks[0].mask.kind) == ("assumed", "causal")
    assert captured_at((str(path),)).causal
    for said in (
        call("heads", str(path)),
        call("attention", "--capture", str(path)),
        call("show", "--capture", str(path), "--row", "50"),
    ):
        assert "causal" in said.stdout
        assert "assumed" in said.stdout


@pytest.mark.parametrize(
    ("format", "path"),
    [
        ("float32", "float32"),
        *((of, path) for of in ("bfloat16", "float16") for path in ("float32", "flash", "eager")),
    ],
)
@pytest.mark.parametrize("std", everyday(4, [0.1, 1.0, 8.0, 40.0]))
def test_rounding_alone_is_no_miss(format: str, path: Rounding, std: float) -> None:
    making = Weighing(LogitMap(64**-0.5), CAUSAL)
    for seed in range(4):
        how = Arithmetic(64**-0.5, format=format, path=path)
        head = simulate(seed, how, logit_std=std, rows=8)
        assert miss_of(head, making, 1.0, path).fits
    # An m that is off by a fifth is one, unless rounding may be what it is.
    if path != "eager":
        for factor in (0.8, 1.2) if std >= 1 else ():
            off = Weighing(LogitMap(factor * 64**-0.5), CAUSAL)
            assert not miss_of(head, off, 1.0, path).fits
