from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.mask import Mask, parse_mask
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Typed
from attn_tui.compute.vector import Vector
from tests.pairs import with_rows

N = 12
"""Keys of the vectors masked here."""

starts = st.integers(0, N - 1)


@st.composite
def ranges(draw: st.DrawFn) -> tuple[int, int | None]:
    start = draw(starts)
    return start, draw(st.none() | st.integers(start + 1, N))


masks = st.builds(lambda found: Mask(tuple(found)), st.lists(ranges(), max_size=5))


def keys(mask: Mask) -> set[int]:
    return {key for key in range(N) if mask.hides(key)}


def span(start: int, stop: int | None) -> set[int]:
    return set(range(start, N if stop is None else stop))


@given(st.lists(ranges(), max_size=5))
def test_a_mask_hides_the_keys_of_its_ranges(found: list[tuple[int, int | None]]) -> None:
    mask = Mask(tuple(found))
    assert keys(mask) == set().union(*(span(*each) for each in found))
    masked = Experiment(Typed((Vector("v", np.zeros(N)),)), Setup(mask=mask)).vectors[0]
    assert set(np.flatnonzero(masked.scores == -inf)) == keys(mask)
    stops = [stop for _, stop in mask.ranges[:-1]]
    assert None not in stops
    assert all(
        stop < start for stop, (start, _) in zip(stops, mask.ranges[1:], strict=True) if stop
    )


@given(masks, st.booleans())
def test_a_mask_reads_back_from_its_text(mask: Mask, causal: bool) -> None:
    mask = Mask(mask.ranges, causal)
    assert parse_mask(str(mask)) == mask
    assert bool(mask) == (str(mask) != "")


@given(masks, ranges())
def test_toggling_hides_a_range_or_shows_it(mask: Mask, found: tuple[int, int | None]) -> None:
    toggled = keys(mask.toggled(*found))
    if found[0] in keys(mask):
        assert toggled == keys(mask) - span(*found)
    else:
        assert toggled == keys(mask) | span(*found)


def test_a_mask_is_read() -> None:
    for text, expected in [
        ("", Mask()),
        (" , ", Mask()),
        ("2", Mask(((2, 3),))),
        ("2,5:8", Mask(((2, 3), (5, 8)))),
        ("5:8 2", Mask(((2, 3), (5, 8)))),
        ("1 2 3", Mask(((1, 4),))),
        ("3:", Mask(((3, None),))),
        ("0:2, 1:, 7", Mask(((0, None),))),
        ("causal", Mask(causal=True)),
        ("2 causal", Mask(((2, 3),), True)),
    ]:
        assert parse_mask(text) == expected


def test_a_mask_that_is_not_understood_names_the_token() -> None:
    for text, token in [
        ("x", "'x'"),
        ("1,-2", "'-2'"),
        ("1.5", "'1.5'"),
        (":3", "':3'"),
        ("1:2:3", "'1:2:3'"),
        ("5:5", "5:5 is empty"),
        ("5:2", "5:2 is empty"),
        ("٢", "'٢'"),
        ("9" * 20, "'99999"),
        ("Causal\x1b", r"'Causal\x1b'"),
    ]:
        with pytest.raises(InputError) as caught:
            parse_mask(text)
        assert caught.value.field == "mask"
        assert token in caught.value.problem
        assert str(caught.value).isprintable()


def masked(mask: Mask, *sizes: int) -> list[list[float]]:
    vectors = tuple(Vector(f"{size}", np.arange(float(size))) for size in sizes)
    experiment = Experiment(Typed(vectors), Setup(mask=mask))
    return [vector.scores.tolist() for vector in experiment.vectors]


def test_hidden_keys_have_a_score_of_minus_infinity() -> None:
    assert masked(Mask(((1, 3),)), 4, 2, 1) == [[0, -inf, -inf, 3], [0, -inf], [0]]
    assert masked(Mask(((1, None),)), 3) == [[0, -inf, -inf]]


def test_a_causal_mask_is_the_lower_triangle() -> None:
    assert masked(Mask(causal=True), 3, 3, 3, 3) == [
        [0, -inf, -inf],
        [0, 1, -inf],
        [0, 1, 2],
        [0, 1, 2],
    ]
    assert masked(Mask(((0, 1),), True), 2, 2) == [[-inf, -inf], [-inf, 1]]


@with_rows(("mask", "key"), [(Mask(((3, 4),)), 3), (Mask(((0, 5),)), 3), (Mask(((7, None),)), 7)])
def test_a_mask_past_the_end_of_the_longest_vector_is_refused(mask: Mask, key: int) -> None:
    with pytest.raises(InputError, match=f"mask: there is no key {key}; expected keys from 0 to 2"):
        masked(mask, 2, 3)


def test_the_keys_there_are_are_named_with_separators() -> None:
    with pytest.raises(InputError, match="no key 1,000; expected keys from 0 to 999"):
        masked(Mask(((1, 5000),)), 1000)
    with pytest.raises(InputError, match="no key 1; expected key 0, the only one"):
        masked(Mask(((1, 2),)), 1)


def test_the_same_vectors_and_mask_give_the_same_objects() -> None:
    source = Typed((Vector("a", np.arange(3.0)),))
    setup = Setup(mask=Mask(((0, 1),)))
    assert Experiment(source, setup).vectors[0] is Experiment(source, setup).vectors[0]
    assert Experiment(source).vectors[0] is source.scores[0]
