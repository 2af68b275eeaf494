"""Which other models a head would have shown, by the test that it passed."""

from dataclasses import replace

import numpy as np
import pytest

from attn_tui.compute.fit.case import HeadCase
from attn_tui.compute.fit.explain import Reference
from attn_tui.compute.fit.head import Path
from attn_tui.compute.fit.power import Power, power
from attn_tui.compute.fit.simulate import Arithmetic, computed, simulate
from attn_tui.compute.heads.head_model import PARTS, HeadModel, Part
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows
from tests.compute.fit.heads import HEAD_LEVEL, STATED, sink_head

M = 32**-0.5
PLAIN = Arithmetic(M, path="flash")
CAUSAL = HeadModel(M)


def case_of(head: HeadRows, model: HeadModel, stated: frozenset[Part] = STATED) -> HeadCase:
    reference = Reference(model, stated, HEAD_LEVEL, format=head.formats["q"])
    case = HeadCase.of(head, reference)
    assert isinstance(case, HeadCase)
    return case


def shown(head: HeadRows, model: HeadModel, stated: frozenset[Part] = STATED) -> Power:
    case = case_of(head, model, stated)
    with np.errstate(all="ignore"):
        return power(case, model, case.prediction(model))


def passes(head: HeadRows, model: HeadModel) -> bool:
    with np.errstate(all="ignore"):
        return case_of(head, model).comparison(model).passes


@pytest.mark.parametrize(
    ("logit_std", "format", "path", "fineness"),
    [
        # Kernels in float32 may round m several times.
        (1.0, "float32", "float32", "5 %"),
        (1.0, "bfloat16", "eager", "ulp"),
        (0.02, "bfloat16", "eager", "5 %"),
        (0.002, "bfloat16", "eager", "2×"),
        # Here twice m shows, and half of it does not.
        (1e-4, "bfloat16", "float32", None),
    ],
)
def test_m_shows_if_half_of_it_and_twice_would_have_failed(
    logit_std: float, format: str, path: Path, fineness: str | None
) -> None:
    how = Arithmetic(M, format=format, path=path)
    head = simulate(1, how, n_keys=96, d_k=32, rows=96, logit_std=logit_std)
    assert passes(head, CAUSAL)
    fit = shown(head, CAUSAL)
    assert fit.fineness.get("multiplier") == fineness
    assert "multiplier" in fit.needed
    # What would have shown is what does.
    factors = {"ulp": 1 + 2.0**-7, "5 %": 1.05, "2×": 2.0}
    shows = [not passes(computed(head, replace(how, multiplier=M * by)), CAUSAL) for by in (0.5, 2)]
    assert all(shows) is (fineness is not None)
    if fineness is not None:
        other = replace(how, multiplier=M * factors[fineness])
        assert not passes(computed(head, other), CAUSAL)


@pytest.mark.parametrize(
    ("part", "how", "model", "logit_std", "shows"),
    [
        ("softcap", {"softcap": 50.0}, {"softcap": 50.0}, 6.0, True),
        ("softcap", {"softcap": 50.0}, {"softcap": 50.0}, 0.5, False),
        ("sink", {"sink": 1.0}, {"sink": 1.0}, 1.0, True),
        ("sink", {"sink": -20.0}, {"sink": -20.0}, 1.0, False),
    ],
)
def test_a_cap_and_a_sink_show_if_their_absence_would_have_failed(
    part: Part, how: dict[str, float], model: dict[str, float], logit_std: float, shows: bool
) -> None:
    made = replace(PLAIN, **how)  # type: ignore[arg-type]
    head = simulate(1, made, n_keys=96, d_k=32, rows=96, logit_std=logit_std)
    promised = replace(CAUSAL, **model)  # type: ignore[arg-type]
    assert passes(head, promised)
    fit = shown(head, promised)
    assert part in fit.needed
    assert (part in fit.fineness) is shows
    assert passes(computed(head, replace(made, **dict.fromkeys(how))), promised) is not shows  # type: ignore[arg-type]


def test_a_part_that_the_model_does_not_have_or_nothing_states_is_not_needed() -> None:
    head = simulate(1, PLAIN, n_keys=96, d_k=32, rows=96)
    assert shown(head, CAUSAL).needed == ("multiplier", "mask")
    assert shown(head, CAUSAL, frozenset({"multiplier"})).needed == ("multiplier",)
    capped = replace(CAUSAL, softcap=1e6)
    parts = frozenset(PARTS) - {"softcap"}
    assert "softcap" not in shown(head, capped, parts).needed


@pytest.mark.parametrize(
    ("mask", "shows"),
    [
        (HeadMask("causal"), True),
        (HeadMask("window", 0, 24), True),
        (HeadMask("none"), True),
        # Only the last row sees that there is a window.
        (HeadMask("window", 0, 95), True),
    ],
)
def test_a_mask_shows_if_its_nearest_neighbours_would_have_failed(
    mask: HeadMask, shows: bool
) -> None:
    head = simulate(1, replace(PLAIN, mask=mask), n_keys=96, d_k=32, rows=96)
    model = replace(CAUSAL, mask=mask)
    assert passes(head, model)
    assert ("mask" in shown(head, model).fineness) is shows


def test_a_head_that_leans_on_its_first_key_shows_neither_m_nor_its_mask() -> None:
    head = sink_head(1, PLAIN, 60.0)
    assert passes(head, CAUSAL)
    fit = shown(head, CAUSAL)
    assert fit.needed == ("multiplier", "mask")
    assert fit.fineness == {}


def test_a_window_whose_next_key_would_have_no_weight_is_silent() -> None:
    mask = HeadMask("window", 95, 24)
    how = replace(PLAIN, mask=mask)
    head = simulate(1, how, n_keys=96, n_queries=1, d_k=32, rows=1)
    model = replace(CAUSAL, mask=mask)
    assert "mask" in shown(head, model).fineness
    keys = head.keys.copy()
    keys[71] = -100 * head.queries[0]
    lost = computed(replace(head, keys=keys), how)
    assert passes(lost, model)
    assert "mask" in shown(lost, model).needed
    assert "mask" not in shown(lost, model).fineness


def test_a_query_that_sees_the_whole_text_needs_no_mask() -> None:
    mask = HeadMask("causal", 95)
    head = simulate(1, replace(PLAIN, mask=mask), n_keys=96, n_queries=1, d_k=32, rows=1)
    fit = shown(head, replace(CAUSAL, mask=mask))
    assert "mask" in fit.fineness
