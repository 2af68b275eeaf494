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
@pytest.mark.parametrize(("name", "part"), [("keys", "k"), ("values", "v")])
def test_rows_before_a_key_that_is_no_number_tell_what_all_do(
    name: str, part: str, odd: float
) -> None:
    head = causal_head()
    assert head.output is not None
    numbers, output = getattr(head, name).copy(), head.output.copy()
    numbers[30, 3], output[30:] = odd, np.nan
    found = diagnose(replace(head, **{name: numbers}, output=output))
    assert found.used[-1] == 29
    first = f"(first: row 30 of {part}, row 30 of output)"
    assert found.notes == (f"18 rows hold or see NaN or infinity and are left out {first}",)
    assert found.multiplier is not None
    assert found.multiplier.at().value == pytest.approx(0.25, rel=1e-4)


@pytest.mark.parametrize(("name", "part"), [("keys", "k"), ("values", "v"), ("queries", "q")])
def test_an_output_without_the_nan_that_it_sees_is_of_something_else(name: str, part: str) -> None:
    head = causal_head()
    numbers = getattr(head, name).copy()
    numbers[30, 3] = np.nan
    found = diagnose(replace(head, **{name: numbers}))
    assert found.fits
    assert found.multiplier is None
    why = f"and the output that sees it does not: it cannot be of this {part}"
    assert dict(found.undetermined)["multiplier"] == f"{part} holds NaN at row 30, {why}"


def test_a_window_may_hide_a_nan_from_later_rows() -> None:
    head = causal_head()
    assert head.output is not None
    keys, output = head.keys.copy(), head.output.copy()
    keys[10], output[10:26] = np.nan, np.nan
    found = diagnose(replace(head, keys=keys, output=output))
    assert found.used[-1] == 9
    assert found.multiplier is not None


@pytest.mark.parametrize(
    ("value", "said"), [(np.nan, "NaN"), (0.0, "all 0"), (np.inf, "NaN or infinite")]
)
def test_an_output_without_a_usable_row_says_so_and_no_more(value: float, said: str) -> None:
    head = causal_head()
    found = diagnose(replace(head, output=np.full((N, D), value, np.float32)))
    assert dict(found.undetermined)["multiplier"] == f"the output is {said} in every row"
    assert np.isnan(found.residual)
    assert not found.used
    assert not found.suspects


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


def test_if_all_rows_see_it_nothing_is_known() -> None:
    head = causal_head()
    keys = head.keys.copy()
    keys[0, 0] = np.nan
    found = diagnose(replace(head, keys=keys))
    assert found.multiplier is None
    assert dict(found.undetermined)["multiplier"] == (
        "k holds NaN or infinity at row 0, and the output none: "
        "it is of another k, unless a mask hid that row"
    )
    assert len(found.notes) == 1
