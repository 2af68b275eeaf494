"""The rows of a head that are examined, and the positions of its queries."""

from dataclasses import replace

import numpy as np

from attn_tui.compute.fit.simulate import Arithmetic, simulate
from attn_tui.doctor.examine import sampled
from attn_tui.doctor.report import Settings
from attn_tui.files.models.promise import corner


def test_rows_are_drawn_by_the_seed_with_the_first_and_the_last() -> None:
    rows = sampled(8192, Settings(rows=32, seed=3))
    assert len(rows) == len({*rows}) == 32
    assert (rows[0], rows[-1]) == (0, 8191)
    assert [*rows] == sorted(rows)
    assert rows == sampled(8192, Settings(rows=32, seed=3))
    assert rows != sampled(8192, Settings(rows=32, seed=4))
    assert sampled(8192, Settings(rows=1)) == (8191,)
    assert sampled(1, Settings()) == (0,)


def test_fewer_queries_than_keys_stand_at_the_last_of_them() -> None:
    head = simulate(1, Arithmetic(0.25), n_keys=64, d_k=16, rows=range(8), n_queries=8)
    assert corner(head) == 56
    assert corner(replace(head, positions=np.arange(8) + 3)) == 3
    assert corner(simulate(1, Arithmetic(0.25), n_keys=64, d_k=16, rows=range(64))) == 0
    part = np.array(head.keys)
    part[8:] = 0.0
    assert corner(replace(head, keys=part)) == 0  # a cache that is not full
