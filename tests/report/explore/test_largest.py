from math import inf, nan
from typing import Literal

import numpy as np
import pytest
from attn_tui.report.explore.largest import CHUNK, chunks, listed_keys
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from attn_tui.compute.keys import Floats, largest
from attn_tui.compute.vector import Vector
from tests.asking import answer_to


def by_sorting_all(values: list[float], top: int) -> list[int]:
    """Python's own stable sort, NaN after everything."""
    order = sorted(range(len(values)), key=lambda i: (np.isnan(values[i]), -values[i]))
    return order[:top]


@given(
    st.lists(st.sampled_from([0.0, 1.0, 2.0, -inf, nan, 3.5]), min_size=1, max_size=30),
    st.integers(1, 40),
)
@settings(deadline=None)
def test_the_largest_are_those_of_a_whole_sort_and_ties_keep_their_order(
    values: list[float], top: int
) -> None:
    assert largest(np.array(values), top).tolist() == by_sorting_all(values, top)


def test_a_few_of_many_are_found_without_sorting_all(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(5).permutation(1_000_000).astype(np.float64)
    sizes: list[int] = []
    argsort = np.argsort

    def watched(values: Floats, kind: Literal["stable"]) -> NDArray[np.intp]:
        sizes.append(values.size)
        return argsort(values, kind=kind)

    monkeypatch.setattr(np, "argsort", watched)
    assert values[largest(values, 3)].tolist() == [999_999.0, 999_998.0, 999_997.0]
    assert sizes == [3]


def test_every_key_stands_in_its_place_unless_few_are_asked_for() -> None:
    answer = answer_to(Vector("a", np.array([1.0, -inf, 3.0])))
    assert listed_keys(answer, None).tolist() == [0, 1, 2]
    assert listed_keys(answer, 2).tolist() == [2, 0]
    assert listed_keys(answer, 1, by_weight=True).tolist() == [2]


def test_chunks_hold_every_key_once() -> None:
    keys = np.arange(2 * CHUNK + 1)
    pieces = list(chunks(keys))
    assert [piece.size for piece in pieces] == [CHUNK, CHUNK, 1]
    assert np.array_equal(np.concatenate(pieces), keys)
