"""Recorded numbers hold on every processor, and on no other numbers."""

import pytest

from tests.contract.reduced import Value, differences

RECORDED = {"heads[].multiplier": "7.997 7.9925 8.0103 8.0056 7.9858 8.2001"}


@pytest.mark.parametrize(
    ("values", "agrees"),
    [
        ([7.997, 7.9925, 8.0118, 8.01, 7.97, 8.22], True),
        ([7.997, 7.9925, 8.0123, 8.0056, 7.9858, 8.2001], False),
        ([8.0, 7.9925, 8.0103, 8.0056, 7.9858, 8.2001], False),
        ([7.997, 7.9925, 8.0103], False),
    ],
)
def test_what_is_fitted_may_differ_by_a_tenth_of_its_interval(
    values: list[Value], agrees: bool
) -> None:
    unlike = differences(RECORDED, {"heads[].multiplier": values}, lambda path: 5)
    assert (not unlike) == agrees
