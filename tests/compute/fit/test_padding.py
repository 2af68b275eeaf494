"""Keys that no captured mask hides, and the output does not know: padding at either end."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attn_tui.compute.fit.diagnose import diagnose
from attn_tui.compute.fit.diagnosis import Diagnosis
from attn_tui.compute.fit.simulate import Arithmetic, simulate
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows

N = 48
PLAIN = Arithmetic(0.25, format="float32", path="float32")


def padded(how: Arithmetic, mask: HeadMask, seed: int = 3, **given: Any) -> HeadRows:
    """A head whose rows that see no key are the mean of all values, as transformers makes them."""
    given = {"n_keys": N, "d_k": 16, "rows": 32} | given
    with np.errstate(all="ignore"):
        head = simulate(seed, replace(how, mask=mask), **given)
    blind = np.logical_not(mask.seen(head).any(axis=1, keepdims=True))
    assert head.output is not None
    assert head.values is not None
    return replace(head, output=np.where(blind, head.values.mean(axis=0), head.output))


def multiplier(found: Diagnosis) -> float:
    assert found.multiplier is not None
    return found.multiplier.at().value or 0.0


@pytest.mark.parametrize(
    "mask",
    [
        HeadMask("causal", hidden=(0, 9)),
        HeadMask("causal", hidden=(38, 47)),
        HeadMask("none", hidden=(0, 9)),
        HeadMask("none", hidden=(38, 47)),
        HeadMask("causal", hidden=(0, 29)),
        HeadMask("none", hidden=(47, 47)),
    ],
)
def test_keys_hidden_at_one_end_are_found_with_the_multiplier(mask: HeadMask) -> None:
    found = diagnose(padded(PLAIN, mask))
    assert found.fits
    assert found.mask == mask
    assert multiplier(found) == pytest.approx(0.25, rel=1e-6)
    assert found.keys[0] > 0


@pytest.mark.parametrize("m", [0.02, 0.1, 1.0, 4.0])
def test_padding_is_found_with_another_multiplier(m: float) -> None:
    mask = HeadMask("causal", hidden=(0, 9))
    found = diagnose(padded(replace(PLAIN, multiplier=m), mask, logit_std=2.0))
    assert found.fits
    assert found.mask == mask
    assert multiplier(found) == pytest.approx(m, rel=1e-5)


@pytest.mark.parametrize("path", ["float32", "flash", "eager"])
def test_padding_is_found_in_16_bits(path: Any) -> None:
    mask = HeadMask("causal", hidden=(0, 9))
    found = diagnose(padded(replace(PLAIN, format="bfloat16", path=path), mask, rows=range(N)))
    assert found.fits
    assert found.mask == mask
    assert multiplier(found) == pytest.approx(0.25, rel=0.02)


def test_a_head_without_padding_may_follow_one_with_it_and_other_padding_any() -> None:
    many = Arithmetic(0.1, softcap=5.0, format="float32", path="float32")
    masks = [HeadMask("window", 0, 20, hidden) for hidden in (None, (0, 9), (0, 3), None)]
    start = None
    for mask in masks:
        start = diagnose(padded(many, mask, logit_std=3.0), start=start, deep=start is None)
        assert start.fits
        assert start.mask == mask
        assert multiplier(start) == pytest.approx(0.1, rel=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_what_no_padding_explains_has_none(seed: int) -> None:
    head = simulate(seed, PLAIN, n_keys=N, d_k=16, rows=32)
    assert head.output is not None
    projected = head.output @ np.random.default_rng(seed).standard_normal((16, 16))
    assert not diagnose(replace(head, output=projected.astype(np.float32))).fits
    bias = -0.5 * np.abs(np.arange(N) - head.rows[:, None])
    with_bias = simulate(seed, replace(PLAIN, mask=HeadMask("none")), n_keys=N, d_k=16, rows=32)
    assert with_bias.values is not None
    z = 0.25 * with_bias.queries @ with_bias.keys.T + bias
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    mixed = (p @ with_bias.values).astype(np.float32)
    assert not diagnose(replace(with_bias, output=mixed)).fits
    few = simulate(seed, PLAIN, n_keys=N, d_k=16, d_v=1, rows=32)
    noise = np.random.default_rng(seed).standard_normal((32, 1)).astype(np.float32)
    assert not diagnose(replace(few, output=noise)).fits


@pytest.mark.parametrize("begins", [(20,), (4,), (40,), (12, 30), (8, 16, 33)])
def test_texts_packed_into_one_sequence_are_found(begins: tuple[int, ...]) -> None:
    mask = HeadMask("causal", packed=begins)
    found = diagnose(padded(replace(PLAIN, multiplier=0.1), mask, rows=range(N)))
    assert found.fits
    assert found.mask == mask
    assert multiplier(found) == pytest.approx(0.1, rel=1e-6)
    assert len(found.used) == N
    again = diagnose(padded(PLAIN, HeadMask("causal", packed=(25,))), start=found, deep=False)
    assert again.mask == HeadMask("causal", packed=(25,))
    plain = diagnose(padded(PLAIN, HeadMask("causal")), start=found, deep=False)
    assert plain.mask == HeadMask("causal")


@pytest.mark.parametrize("path", ["float32", "flash", "eager"])
@pytest.mark.parametrize("std", [0.3, 1.0, 4.0])
def test_packed_texts_are_found_in_16_bits(path: Any, std: float) -> None:
    mask = HeadMask("causal", packed=(60,))
    how = replace(PLAIN, format="bfloat16", path=path)
    found = diagnose(padded(how, mask, n_keys=128, d_k=32, logit_std=std))
    assert found.fits
    assert found.mask == mask
    assert found.multiplier is not None
    assert multiplier(found) == pytest.approx(0.25, rel=0.1)


def test_padding_whose_rows_are_anything_or_0_is_not_packed() -> None:
    mask = HeadMask("causal", hidden=(0, 9))
    head = padded(PLAIN, mask, rows=range(N))
    for rows in (0.0, np.random.default_rng(1).standard_normal((10, 16))):
        output = np.array(head.output)
        output[:10] = rows
        assert diagnose(replace(head, output=output)).mask == mask


def test_a_captured_mask_says_what_is_hidden() -> None:
    mask = HeadMask("causal", hidden=(0, 9))
    head = padded(PLAIN, mask)
    found = diagnose(replace(head, seen=mask.seen(head)))
    assert found.mask == HeadMask("given")
    blind = int((~mask.seen(head).any(axis=1)).sum())
    assert found.notes == (f"{blind} rows see no key by the captured mask and are left out",)
    none = diagnose(replace(head, seen=np.zeros((len(head.rows), N), bool)))
    assert none.undetermined[0][1] == "the captured mask hides every key from every row used"
    assert head.output is not None
    zero = np.where(head.rows[:, None] == 20, 0, head.output)
    both = diagnose(replace(head, seen=mask.seen(head), output=zero)).notes
    assert both[0] == found.notes[0]
    assert both[1] == "1 row of the output is all 0 and is left out"
