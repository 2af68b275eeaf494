"""The rows of a head that are compared, and the positions of its queries."""

import gc
from dataclasses import replace
from pathlib import Path
from types import FunctionType, ModuleType

import numpy as np

from attn_tui.captures.opening import open_capture
from attn_tui.compute.fit.simulate import Arithmetic, simulate
from attn_tui.doctor.examine import examine
from attn_tui.doctor.promised_heads import sampled
from attn_tui.doctor.report import Settings
from attn_tui.files.models.promise import corner
from tests.doctor.captures import write
from tests.doctor.command import HEALTHY

SHARED = (type, ModuleType, FunctionType)
"""What stands for the program, not for one report."""


def test_every_row_of_a_head_is_compared_unless_it_has_more_than_2_19_scores() -> None:
    assert sampled(724, 724, None, 0.0) == (*range(724),)
    assert len(sampled(725, 725, None, 0.0)) == 32
    # A chunk of queries in a long text is as large as its scores.
    assert len(sampled(600, 2**20, None, 0.0)) == 32
    assert sampled(1, 2**20, None, 0.0) == (0,)
    assert sampled(8192, 8192, 8192, 0.0) == (*range(8192),)


def test_the_heads_of_a_layer_together_see_other_rows_with_the_first_and_the_last_always() -> None:
    every = [sampled(8192, 8192, None, head / 8) for head in range(8)]
    for rows in every:
        assert len(rows) == len({*rows}) == 32
        assert (rows[0], rows[-1]) == (0, 8191)
        assert [*rows] == sorted(rows)
    assert len({row for rows in every for row in rows}) == 8 * 30 + 2
    gaps = np.diff(sorted({row for rows in every for row in rows}))
    assert gaps.max() < 2 * 8192 / (8 * 30)
    assert sampled(8192, 8192, 1, 0.5) == (8191,)
    assert sampled(8192, 8192, 2, 0.5) == (0, 8191)


def test_the_seed_turns_the_rows(tmp_path: Path) -> None:
    """Whoever doubts a long text can look at other rows of it."""
    path = write(tmp_path / "a.safetensors", HEALTHY, heads=2)
    rows = [read(path, seed) for seed in (1, 1, 2)]
    assert rows[0] == rows[1] != rows[2]
    assert rows[0][0] != rows[0][1]


def test_a_report_keeps_no_tensors(tmp_path: Path) -> None:
    """A thousand long heads would fill the memory."""
    path = write(tmp_path / "a.safetensors", HEALTHY, heads=2)
    *_, report = examine(open_capture([path]), None, Settings())
    reached: dict[int, object] = {}
    new: list[object] = [report.findings]
    while new:
        reached |= {id(one): one for one in new}
        others = gc.get_referents(*new)
        new = [one for one in others if id(one) not in reached and not isinstance(one, SHARED)]
    assert not [one for one in reached.values() if isinstance(one, np.ndarray) and one.size > 100]


def read(path: str, seed: int) -> list[tuple[int, ...]]:
    """Return the rows of each head that are compared."""
    settings = Settings(rows=8, seed=seed)
    *_, report = examine(open_capture([path]), None, settings)
    return [finding.explanation.rows for finding in report.findings]


def test_fewer_queries_than_keys_stand_at_the_last_of_them() -> None:
    head = simulate(1, Arithmetic(0.25), n_keys=64, d_k=16, rows=range(8), n_queries=8)
    assert corner(head) == 56
    assert corner(replace(head, positions=np.arange(8) + 3)) == 3
    assert corner(simulate(1, Arithmetic(0.25), n_keys=64, d_k=16, rows=range(64))) == 0
    part = np.array(head.keys)
    part[8:] = 0.0
    assert corner(replace(head, keys=part)) == 0  # a cache that is not full
