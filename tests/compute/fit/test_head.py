from dataclasses import replace

import mpmath
import numpy as np
import pytest
from scipy.stats import t as student

from attn_tui.compute.fit.estimates import t_quantile
from attn_tui.compute.fit.head import Name, Parameters, Path, compute, rows_of, slopes
from attn_tui.compute.fit.noise import Rounding, coarsest, format_of, noise, paths_of
from attn_tui.compute.fit.simulate import CAUSAL, Arithmetic, simulate
from tests.pairs import covering

EXACT = Arithmetic(0.2, 0.8, softcap=5.0, sink=0.5, format="float64")
NAMES: tuple[Name, ...] = ("multiplier", "value_scale", "curvature", "sink")


def test_a_tiny_head_is_that_of_fifty_digits() -> None:
    head = simulate(2, EXACT, n_keys=4, d_k=3, logit_std=3.0, rows=4)
    parameters = Parameters(0.2, 0.8, 1 / 25, float(np.exp(0.5 - 2.0)), 2.0)
    state = compute(rows_of(head, CAUSAL), parameters)
    assert head.values is not None
    with mpmath.workdps(50):
        for i in range(4):
            e = []
            for j in range(i + 1):
                pairs = zip(head.queries[i], head.keys[j], strict=True)
                s = mpmath.fsum(mpmath.mpf(float(q)) * mpmath.mpf(float(k)) for q, k in pairs)
                e.append(mpmath.exp(5 * mpmath.tanh(mpmath.mpf(0.2) * s / 5)))
            total = mpmath.fsum(e) + mpmath.exp(mpmath.mpf(0.5))
            for d in range(3):
                sums = mpmath.fsum(
                    e[j] * mpmath.mpf(float(head.values[j, d])) for j in range(i + 1)
                )
                exact = mpmath.mpf(0.8) * sums / total
                assert state.output[i, d] == pytest.approx(float(exact), rel=1e-13, abs=1e-15)
    assert head.output is not None
    np.testing.assert_allclose(head.output, state.output, rtol=1e-12)


def test_a_scale_whose_square_is_infinite_leaves_no_finite_noise() -> None:
    rows = rows_of(simulate(2, EXACT, n_keys=12, d_k=5, logit_std=2.0, rows=5), CAUSAL)
    state = compute(rows, Parameters(0.2, 1e200))
    with np.errstate(all="ignore"):
        made = noise(rows, state, format_of("float32"), "eager")
    assert not np.isfinite(made.variance).any()


@pytest.mark.parametrize("curvature", [0.04, 1e-9, 0.0, -0.001])
@pytest.mark.parametrize("sink", [0.0, 0.7])
def test_slopes_are_central_differences(curvature: float, sink: float) -> None:
    rows = rows_of(simulate(2, EXACT, n_keys=12, d_k=5, logit_std=2.0, rows=5), CAUSAL)
    parameters = Parameters(0.2, 0.8, curvature, sink, 1.5)
    along = slopes(rows, compute(rows, parameters), NAMES)
    for name, slope in zip(NAMES, along, strict=True):
        if name == "curvature" and abs(curvature) < 1e-6:
            continue
        step = 1e-6
        there = [
            compute(rows, replace(parameters, **{name: getattr(parameters, name) + by})).output
            for by in (-step, step)
        ]
        np.testing.assert_allclose(slope, (there[1] - there[0]) / (2 * step), atol=3e-9, rtol=1e-6)


def test_the_slope_along_a_cap_is_continuous_where_there_is_none() -> None:
    rows = rows_of(simulate(2, EXACT, n_keys=12, d_k=5, logit_std=2.0, rows=5), CAUSAL)
    sides = [
        slopes(rows, compute(rows, Parameters(0.2, curvature=g)), ("curvature",))
        for g in (-1e-12, 0.0, 1e-12, 1e-5)
    ]
    for side in sides[:3]:
        np.testing.assert_allclose(side, sides[1], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(sides[3], sides[1], rtol=2e-3, atol=1e-4)


WAYS = [
    *((name, path) for name in ("bfloat16", "float16") for path in paths_of(format_of(name))),
    ("float32", "tf32"),
]
EXTRAS: list[dict[str, float]] = [{}, {"softcap": 20.0}, {"sink": 1.0, "multiplier": 0.25}]


@pytest.mark.parametrize(
    ("format", "path", "extra"),
    [(*way, extra) for way, extra in covering(WAYS, EXTRAS)],
)
def test_noise_of_a_path_is_what_rounding_makes(
    format: str, path: str, extra: dict[str, float]
) -> None:
    settings = {"multiplier": 0.11, **extra}
    how = Arithmetic(format=format, path=path, **settings)  # type: ignore[arg-type]
    square = []
    for seed in range(12):
        head = simulate(seed, how, n_keys=96, d_k=24, logit_std=3.0, rows=range(40, 96, 4))
        rows = rows_of(head, CAUSAL)
        cap, sink = settings.get("softcap"), settings.get("sink")
        parameters = Parameters(
            settings["multiplier"],
            curvature=0.0 if cap is None else cap**-2,
            sink=0.0 if sink is None else float(np.exp(sink - 3.0)),
            level=3.0,
        )
        state = compute(rows, parameters)
        made = noise(rows, state, format_of(format), path)  # type: ignore[arg-type]
        square.append(float(np.square(made.whitened(rows.output - state.output)).mean()))
    assert 0.7 < float(np.mean(square)) < 1.2


@pytest.mark.parametrize(("path", "logit_std"), [("stepwise", 3.0), ("eager", 0.3)])
def test_a_head_is_likeliest_on_the_path_that_it_took(path: Path, logit_std: float) -> None:
    """On another, a row that took a large step of its own is refused, though it is honest.

    Near the largest logit, subtracting it rounds nothing; and of each path as many errors have a
    direction.
    """
    how = Arithmetic(0.125, format="float16", path=path)
    for seed in range(5):
        head = simulate(seed, how, n_keys=160, rows=range(0, 160, 2), logit_std=logit_std)
        rows, stored = rows_of(head, CAUSAL), format_of("float16")
        rounding = Rounding(rows, compute(rows, Parameters(0.125)), stored)
        assert rounding.likeliest(paths_of(stored)) == path, seed


def test_spacing_is_that_of_the_format() -> None:
    values = np.array([0.0, 1.0, 1.5, 2.0, -3.0, 1e-3, 60000.0])
    float16 = np.spacing(np.abs(values).astype(np.float16)).astype(float)
    np.testing.assert_array_equal(format_of("float16").spacing(values), float16)
    assert format_of("bfloat16").spacing(np.array([1.0])) == 2.0**-7


def test_the_coarsest_format_is_seen_through_a_cast() -> None:
    values = simulate(1).output
    assert values is not None
    assert values.dtype == np.float32
    assert coarsest(values, "float32") == "bfloat16"
    assert coarsest(np.array([0.1], np.float32), "float32") == "float32"
    assert coarsest(np.array([0.1]), "float64") == "float64"


def test_logits_that_no_head_has_leave_the_noise_of_the_output() -> None:
    head = simulate(2, Arithmetic(0.11, format="float16"), n_keys=128, d_k=32, logit_std=8.0)
    rows = rows_of(head, CAUSAL)
    for path in paths_of(format_of("float16")):
        state = compute(rows, Parameters(1.763, 2.53e-5, -1.55e6))
        made = noise(rows, state, format_of("float16"), path)
        assert np.isfinite(made.log_determinant)
        assert np.isfinite(made.whitened(rows.output - state.output)).all()


@pytest.mark.parametrize("path", ["flash", "eager"])
def test_the_noise_of_wide_values_has_the_variance_of_each_number(path: Path) -> None:
    rows = rows_of(simulate(1, Arithmetic(0.11, path=path), n_keys=300, d_k=70, rows=9), CAUSAL)
    made = noise(rows, compute(rows, Parameters(0.11)), format_of("bfloat16"), path)
    assert made.along is not None
    units = np.eye(70)[:, None].repeat(9, axis=1)
    root = np.linalg.inv(made.whitened(units).transpose(1, 2, 0))
    np.testing.assert_allclose(np.square(root).sum(axis=2), made.variance, rtol=1e-9)
    assert made.log_determinant == pytest.approx(2 * np.linalg.slogdet(root)[1].sum())


@pytest.mark.parametrize("df", [5, 6.7, 1000])
def test_quantiles_are_those_of_scipy(df: float) -> None:
    for tail in (0.8, 0.05, 2e-3, 2e-10):
        assert t_quantile(1.0 - tail, df) == pytest.approx(student.isf(tail / 2, df), rel=1e-4)


@pytest.mark.parametrize(("format", "path"), [("bfloat16", "stepwise"), ("float32", "float32")])
def test_the_direction_of_a_rounded_sum_is_known(format: str, path: Path) -> None:
    """It is rounded once, and others several times: each has a bound of its own."""
    rows = rows_of(simulate(1, Arithmetic(0.11, format=format, path=path), rows=9), CAUSAL)
    state = compute(rows, Parameters(0.11))
    made = noise(rows, state, format_of(format), path)
    assert made.pushes is not None
    assert made.of_sums is not None
    sizes = np.linalg.norm(made.pushes, axis=2) * np.linalg.norm(state.output, axis=1)[:, None]
    along = np.abs((made.pushes * state.output[:, None]).sum(axis=2))
    is_along = np.isclose(along, sizes, rtol=1e-6).all(axis=0)
    np.testing.assert_array_equal(made.of_sums, is_along)
    assert made.of_sums.sum() == 1
