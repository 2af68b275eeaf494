from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from attn_tui.compute.fit.diagnose import diagnose
from attn_tui.compute.fit.diagnosis import Path
from attn_tui.compute.fit.noise import format_of, paths_of
from attn_tui.compute.fit.simulate import Arithmetic, simulate
from attn_tui.compute.heads.mask import HeadMask


@pytest.mark.parametrize("kind", ["none", "causal"])
def test_exact_data_give_back_the_multiplier_to_ten_digits(kind: str) -> None:
    for multiplier in (0.125, 0.0371):
        how = Arithmetic(multiplier, 0.7, mask=HeadMask(kind), format="float64")  # type: ignore[arg-type]
        found = diagnose(simulate(1, how, n_keys=64, rows=12))
        assert found.multiplier is not None
        assert found.value_scale is not None
        assert found.multiplier.at().value == pytest.approx(multiplier, rel=1e-10)
        assert found.value_scale.at().value == pytest.approx(0.7, rel=1e-10)
        assert found.mask == HeadMask(kind)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("format", "path"),
    [(name, path) for name in ("bfloat16", "float32") for path in paths_of(format_of(name))],
)
@pytest.mark.parametrize("logit_std", [0.1, 1.0, 8.0])
def test_the_path_of_rounding_is_told(format: str, path: Path, logit_std: float) -> None:
    for seed in range(5):
        how = Arithmetic(0.11, format=format, path=path)
        found = diagnose(simulate(seed, how, logit_std=logit_std, n_keys=96, rows=16))
        assert found.fits
        assert found.path == path
        assert found.multiplier is not None
        interval = found.multiplier.at(1 - 1e-6)
        assert interval.low is not None
        assert interval.high is not None
        assert interval.low <= 0.11 <= interval.high
        assert interval.high - interval.low < 0.11


def test_what_sums_in_float32_lose_is_no_value_scale() -> None:
    how = Arithmetic(0.11, format="float32")
    for seed in (*range(16), 45, 52):
        found = diagnose(simulate(seed, how, n_keys=128, d_k=32, logit_std=8.0, rows=32))
        assert found.value_scale is not None
        interval = found.value_scale.at()
        assert interval.low is not None
        assert interval.high is not None
        assert interval.low <= 1.0 <= interval.high
        assert interval.high - interval.low < 2.0**-22


@pytest.mark.parametrize(("logit_std", "rows"), [(8.0, 2), (0.1, 8)])
def test_a_path_is_not_said_where_likelihood_does_not_decide(logit_std: float, rows: int) -> None:
    several = 0
    for path in paths_of(format_of("bfloat16")):
        for seed in range(8):
            how = Arithmetic(0.11, path=path, format="bfloat16")
            head = simulate(seed, how, n_keys=128, d_k=32, logit_std=logit_std, rows=rows)
            found = diagnose(head)
            assert found.path in (None, path)
            assert path in found.paths
            several += len(found.paths) > 1
            again = diagnose(head, start=found, deep=False)
            assert again.paths == found.paths
    assert several > 3


def test_values_that_do_not_belong_to_the_output_fit_nothing() -> None:
    head = simulate(1)
    assert head.output is not None
    other = np.roll(head.output, 1, axis=0)
    found = diagnose(replace(head, output=other))
    assert not found.fits
    assert found.multiplier is None


@pytest.mark.parametrize("extra", [{"sink": 2.6}, {"softcap": 20.0}])
def test_a_head_has_not_what_its_neighbour_has(extra: dict[str, Any]) -> None:
    of = partial(simulate, n_keys=96, d_k=32, logit_std=3.0)
    for path in paths_of(format_of("bfloat16")):
        known = diagnose(of(1, replace(Arithmetic(0.125, path=path), **extra)))
        there = [known.sink, known.softcap]
        assert [each.at().value for each in there if each is not None] != [None]
        for seed in range(2, 8):
            plain = of(seed, Arithmetic(0.125, path=path))
            found = diagnose(plain, start=known, deep=False)
            assert found.fits
            assert found.sink is None or found.sink.at().value is None
            assert found.softcap is None or found.softcap.at().value is None
