from dataclasses import replace

import numpy as np
import pytest

from attn_tui.compute.fit.diagnose import diagnose
from attn_tui.compute.heads.rows import HeadRows

N, D = 48, 16


def causal_head() -> HeadRows:
    """Return a head in float64 with m = 1/√d_k, all of its rows."""
    q, k, v = np.random.default_rng(4).normal(size=(3, N, D))
    logits = np.where(np.tri(N, dtype=bool), q @ k.T / np.sqrt(D), -np.inf)
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    out = (p / p.sum(axis=1, keepdims=True)) @ v
    single = [each.astype(np.float32) for each in (q, k, v, out)]
    return HeadRows(np.arange(N), N, *single)


@pytest.mark.parametrize("odd", [np.nan, np.inf])
@pytest.mark.parametrize("name", ["keys", "values"])
def test_rows_before_a_key_that_is_no_number_tell_what_all_do(name: str, odd: float) -> None:
    head = causal_head()
    numbers = getattr(head, name).copy()
    numbers[30, 3] = odd
    found = diagnose(replace(head, **{name: numbers}))
    assert found.used[-1] == 29
    assert found.notes == ("18 rows hold or see NaN or infinity and are left out",)
    assert found.multiplier is not None
    assert found.multiplier.at().value == pytest.approx(0.25, rel=1e-4)


def test_with_a_mask_rows_that_do_not_see_it_are_used() -> None:
    head = causal_head()
    keys = head.keys.copy()
    keys[0] = np.nan
    seen = np.tri(N, dtype=bool)
    seen[:, 0] = False
    found = diagnose(replace(head, keys=keys, seen=seen))
    assert len(found.used) == N - 1  # The first sees nothing else.


def test_values_that_are_all_0_tell_nothing() -> None:
    head = causal_head()
    found = diagnose(replace(head, values=np.zeros_like(head.keys)))
    assert dict(found.undetermined)["multiplier"] == "all values are 0"


def test_if_all_rows_see_it_nothing_is_said() -> None:
    head = causal_head()
    keys = head.keys.copy()
    keys[0, 0] = np.nan
    found = diagnose(replace(head, keys=keys))
    assert found.multiplier is None
    assert dict(found.undetermined)["multiplier"] == "no row can be used"
    assert found.notes == ("48 rows hold or see NaN or infinity and are left out",)
