from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_tui.compute.errors import InputError
from attn_tui.compute.log_scale import D_K

values = st.integers(D_K.minimum, D_K.maximum)


@given(values)
def test_every_whole_number_has_its_place(value: int) -> None:
    assert D_K.to_fraction(value) == pytest.approx(log(value) / log(65_536))
    assert D_K.parse(f" {value} ") == D_K.parse(f"{value:,}") == value


def test_the_ends_of_the_scale_hold() -> None:
    assert (D_K.to_fraction(1), D_K.to_fraction(65_536)) == (0.0, 1.0)
    assert (D_K.clamp(0), D_K.clamp(10**9), D_K.clamp(77)) == (1, 65_536, 77)


def test_stops_rise_from_end_to_end_with_at_most_four_an_octave() -> None:
    stops = D_K.stops
    assert stops[:14] == (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 80, 96)
    assert list(stops) == sorted(set(stops))
    assert (stops[0], stops[-1]) == (1, 65_536)
    assert {2**power for power in range(17)} <= set(stops)


def test_stepping_up_meets_every_stop_and_stepping_down_too() -> None:
    up, down = [1], [65_536]
    for _ in D_K.stops[1:]:
        up.append(D_K.step(up[-1], 1))
        down.append(D_K.step(down[-1], -1))
    assert tuple(up) == D_K.stops
    assert tuple(down) == D_K.stops[::-1]


def test_steps_beyond_the_ends_stop_there() -> None:
    assert (D_K.step(3, -99), D_K.step(3, 99)) == (1, 65_536)


def test_what_is_no_whole_number_on_the_scale_is_refused() -> None:
    for rubbish in ("abc", "0", "2.5", "65537"):
        with pytest.raises(InputError, match="expected a whole number from 1 to 65,536") as caught:
            D_K.parse(rubbish)
        assert caught.value.field == "d_k"


def test_a_refusal_is_one_safe_line() -> None:
    with pytest.raises(InputError) as caught:
        D_K.parse("\x1b[31m\n" + "7" * 10_000)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 120
