"""Heads so long that a part of their numbers has to tell."""

from attn_tui.compute.fit.diagnose import MOST_VALUES, diagnose
from attn_tui.compute.fit.simulate import Arithmetic, simulate


def test_a_part_of_long_rows_tells_what_all_of_them_do() -> None:
    how = Arithmetic(1 / 8, format="float32")
    head = simulate(1, how, n_keys=12, d_k=16, d_v=MOST_VALUES + 64, rows=range(12))
    assert head.values is not None
    found = diagnose(head)
    assert found.fits
    assert found.multiplier is not None
    at = found.multiplier.at()
    assert at.low is not None
    assert at.high is not None
    assert at.low <= 1 / 8 <= at.high
    assert any(f"{MOST_VALUES} of {MOST_VALUES + 64} numbers" in note for note in found.notes)
