"""Heads of float32 whose products were taken in TF32, as tensor cores take them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attn_tui.compute.fit.diagnose import diagnose
from attn_tui.compute.fit.diagnosis import Diagnosis
from attn_tui.compute.fit.simulate import Arithmetic, simulate
from attn_tui.compute.formats import tf32
from attn_tui.compute.heads.rows import HeadRows

Array = np.ndarray[Any, np.dtype[Any]]


def cut(values: Array) -> Array:
    """As hardware does that is given float32 as it is: the last 13 digits are not looked at."""
    return (values.astype(np.float32).view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)


def kept(values: Array) -> Array:
    return values


def head(
    seed: int,
    std: float = 1.0,
    scores: Callable[[Array], Array] = tf32,
    mixed: Callable[[Array], Array] = tf32,
    before: float = 1.0,
) -> HeadRows:
    """Return a causal head of which each product rounds in its own way what it is of."""
    m = 0.11
    rows = simulate(seed, Arithmetic(m, format="float32"), n_keys=128, d_k=32, logit_std=std)
    values = rows.values
    assert values is not None
    by = np.float32(before)
    z = scores(rows.queries * by) @ scores(rows.keys * by).T * np.float32(m / before**2)
    z = np.where(np.arange(128) <= rows.rows[:, None], z, -np.inf)
    p = np.exp(z - z.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    return replace(rows, output=(mixed(p) @ mixed(values)).astype(np.float32))


def holds(found: Diagnosis, multiplier: float) -> bool:
    assert found.multiplier is not None
    shown = found.multiplier.at()
    assert shown.low is not None
    assert shown.high is not None
    assert shown.high - shown.low < 0.004 * multiplier
    return shown.low <= multiplier <= shown.high


@pytest.mark.parametrize("std", [0.1, 1.0, 8.0])
@pytest.mark.parametrize(
    ("scores", "mixed", "before"),
    [
        (tf32, tf32, 1.0),
        (tf32, kept, 1.0),
        (kept, tf32, 1.0),
        (cut, cut, 1.0),
        (tf32, tf32, 0.11**0.5),
    ],
)
def test_a_head_is_known_by_whichever_product_was_taken_in_tf32(
    scores: Callable[[Array], Array], mixed: Callable[[Array], Array], before: float, std: float
) -> None:
    covered = 0
    for seed in range(10):
        found = diagnose(head(seed, std, scores, mixed, before))
        assert found.fits
        assert found.path == "tf32"
        assert found.softcap is None or found.softcap.at().value is None
        assert found.sink is None or found.sink.at().value is None
        covered += holds(found, 0.11)
    assert covered >= 9


def test_a_neighbour_in_tf32_is_known_at_once() -> None:
    known = diagnose(head(1))
    found = diagnose(head(2), start=known, deep=False)
    assert found.fits
    assert found.paths == ("tf32",)


def test_what_misses_float32_by_less_than_tf32_makes_is_not_called_so() -> None:
    plain = simulate(1, Arithmetic(0.11, format="float32"), n_keys=128, d_k=32)
    assert plain.output is not None
    random = np.random.default_rng(1)
    noise = 1 + 1e-6 * random.standard_normal(plain.output.shape)
    found = diagnose(replace(plain, output=(plain.output * noise).astype(np.float32)))
    assert found.path is None
    assert not found.fits


@pytest.mark.parametrize("format", ["bfloat16", "float16"])
def test_numbers_of_16_bits_have_no_such_path(format: str) -> None:
    found = diagnose(simulate(1, Arithmetic(0.11, format=format)))
    assert "tf32" not in found.rounding


@pytest.mark.parametrize("part", ["weights", "scores", "log_sum_exp"])
def test_what_is_captured_in_place_of_an_output_may_be_of_tf32_too(part: str) -> None:
    m = 0.11
    rows = simulate(3, Arithmetic(m, format="float32"), n_keys=128, d_k=32)
    z = tf32(rows.queries) @ tf32(rows.keys).T * np.float32(m)
    hidden = np.where(np.arange(128) <= rows.rows[:, None], z, -np.inf)
    total = np.log(np.exp(hidden.astype(np.float64)).sum(axis=1))
    captured = {
        "weights": np.exp(hidden - total[:, None]).astype(np.float32),
        "scores": z,
        "log_sum_exp": total.astype(np.float32),
    }
    found = diagnose(replace(rows, output=None, **{part: captured[part]}))
    assert found.fits
    assert found.path == "tf32"
    assert holds(found, m)
