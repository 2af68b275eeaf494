"""The order of work over heads: rows, masks that are alike, and what neighbours had."""

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest

from attn_tui.compute.fit.diagnose import diagnose
from attn_tui.compute.fit.simulate import Arithmetic, simulate
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.doctor.examine import alike, corner, sampled
from attn_tui.doctor.report import Settings
from attn_tui.doctor.verdict import Judgement, Verdict, judge
from attn_tui.files.models.expected import NONE, Expected
from tests.doctor.fakes import diagnosis


def test_rows_are_drawn_by_the_seed_with_the_first_and_the_last() -> None:
    rows = sampled(8192, Settings(rows=32, seed=3))
    assert len(rows) == len({*rows}) == 32
    assert (rows[0], rows[-1]) == (0, 8191)
    assert [*rows] == sorted(rows)
    assert rows == sampled(8192, Settings(rows=32, seed=3))
    assert rows != sampled(8192, Settings(rows=32, seed=4))
    assert sampled(8192, Settings(rows=1)) == (8191,)
    assert sampled(1, Settings()) == (0,)


CAUSAL, WINDOW = Expected(0.25, mask="causal"), Expected(0.25, mask="window", window=8)


@pytest.mark.parametrize(
    ("found", "expected", "names"),
    [
        (HeadMask("causal"), CAUSAL, {"causal"}),
        (HeadMask("none"), CAUSAL, {"none"}),
        (HeadMask("window", 0, 8), WINDOW, {"window"}),
        (HeadMask("window", 0, 64), replace(WINDOW, window=70), {"causal", "window"}),
        (HeadMask("causal"), replace(WINDOW, window=64), {"causal", "window"}),
        (HeadMask("window", 0, 9), WINDOW, set()),
    ],
)
def test_masks_are_alike_where_they_hide_the_same_keys(
    found: HeadMask, expected: Expected, names: set[str]
) -> None:
    head = simulate(1, Arithmetic(0.25), n_keys=64, d_k=16, rows=range(64))
    used = tuple(range(64))
    assert {*alike(head, diagnosis(mask=found, used=used), expected)} == names


def test_a_captured_mask_may_hide_padding_and_nothing_else() -> None:
    head = simulate(1, Arithmetic(0.25), n_keys=64, d_k=16, rows=range(64))
    found = diagnosis(mask=HeadMask("given"), used=tuple(range(64)))
    causal = np.tri(64, dtype=bool)
    padded = causal.copy()
    padded[:, 60:] = False
    near = causal & ~np.tri(64, k=-8, dtype=bool)
    for seen, expected, names in (
        (causal, CAUSAL, {"causal"}),
        (padded, CAUSAL, {"causal"}),
        (near, CAUSAL, set()),
        (near, WINDOW, {"window"}),
        (np.ones_like(causal), CAUSAL, {"none"}),
    ):
        assert {*alike(replace(head, seen=seen), found, expected)} == names


@pytest.mark.parametrize(
    ("expected", "verdict", "differs"),
    [
        (CAUSAL, "agrees", ()),
        (replace(CAUSAL, mask="none"), "agrees", ()),
        (replace(WINDOW, window=64), "agrees", ()),
        (WINDOW, "differs", ("mask",)),
        (Expected(0.25, softcap=NONE), "agrees", ()),
    ],
)
def test_rows_that_see_all_keys_have_any_mask_that_hides_none(
    expected: Expected, verdict: Verdict, differs: tuple[str, ...]
) -> None:
    how = Arithmetic(0.25, mask=HeadMask("causal", 60))
    head = simulate(1, how, n_keys=64, d_k=16, n_queries=4, rows=[3])
    found = diagnose(head)
    assert (found.mask, found.sees_all) == (None, True)
    assert dict(found.undetermined)["mask"] == "every row used sees all keys, causal or not"
    judged = judge(found, expected, 0.99, masks=alike(head, found, expected))
    assert (judged.verdict, judged.differs) == (verdict, differs)


def test_fewer_queries_than_keys_stand_at_the_last_of_them() -> None:
    head = simulate(1, Arithmetic(0.25), n_keys=64, d_k=16, rows=range(8), n_queries=8)
    assert corner(head) == 56
    assert corner(replace(head, positions=np.arange(8))) is None
    assert corner(replace(head, seen=np.ones((8, 64), bool))) is None
    assert corner(simulate(1, Arithmetic(0.25), n_keys=64, d_k=16, rows=range(64))) is None
    part = np.array(head.keys)
    part[8:] = 0.0
    assert corner(replace(head, keys=part)) == 0  # a cache that is not full


@pytest.mark.parametrize(("kind", "window"), [("causal", None), ("window", 4)])
@pytest.mark.parametrize(("offset", "said"), [(56, "agrees"), (0, "differs")])
def test_another_corner_is_another_mask(
    kind: Literal["causal", "window"], window: int | None, offset: int, said: Verdict
) -> None:
    head = simulate(1, Arithmetic(0.25), n_keys=64, d_k=16, rows=range(8), n_queries=8)
    expected = Expected(0.25, mask=kind, window=window, offset=corner(head))
    found = diagnosis(0.25, mask=HeadMask(kind, offset, window), used=tuple(range(8)))
    judged = judge(found, expected, 0.999, masks=alike(head, found, expected))
    assert judged == Judgement(said, ("mask",) * (said == "differs"))
