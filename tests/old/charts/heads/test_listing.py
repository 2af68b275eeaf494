"""The list of heads: why there is none in it."""

from dataclasses import replace
from pathlib import Path

from attn_tui.engine.plan import Plan
from attn_tui.engine.survey import survey
from attn_tui.engine.table import HeadTable, empty
from attn_tui.old.charts.heads.listing import head_list, listed
from attn_tui.report.rows import plain
from tests.engine.captured import ALL, opened


def drawn(table: HeadTable, only: str = "") -> str:
    heads = listed(table, "entropy", only=only)
    return plain(head_list(table, heads, table.heads[0], "entropy", 80, 6))


def test_an_empty_list_says_whether_any_head_was_looked_at(tmp_path: Path) -> None:
    capture = opened(tmp_path / "tiny.safetensors")
    plan = Plan.of(capture, ALL)
    nothing = empty(capture, plan)
    total = len(nothing.heads)
    for only in ("", "layer 99"):
        assert f"{total} heads, none looked at yet" in drawn(nothing, only)
    (*_, found) = survey(plan)
    every = nothing.grown(found)
    assert "No head is like that" in drawn(every, "layer 99")
    some = replace(every, partials={every.heads[0]: every.partials[every.heads[0]]})
    assert "Of 1 head looked at so far none is like that" in drawn(some, "layer 99")
    assert "like that" not in drawn(some)
