"""What is said of the head under the cursor: all of its statistics, or two lines."""

from collections.abc import Sequence
from textwrap import wrap

from attn_tui.compute.heads.partial import Partial, Value
from attn_tui.compute.heads.statistic import STATISTICS
from attn_tui.engine.table import HeadTable
from attn_tui.old.charts.rows import first_text
from attn_tui.old.tui.heads.scene import Scene
from attn_tui.report.heads.values import (
    UNCOUNTED,
    head_text,
    number_text,
    place_text,
    rows_text,
    value_text,
)
from attn_tui.report.rows import Row, filled, fitted


def readout_rows(scene: Scene, table: HeadTable, width: int) -> list[Row]:
    """Return the statistic of the head under the cursor in words, in two lines."""
    head, settings = scene.head, scene.settings
    assert head is not None
    name, place = settings.statistic, head_text(head, table.n_batches).capitalize()
    value, partial = table.value(head, name, settings.tau), table.partials.get(head)
    if value is None or partial is None:
        return [fitted(((f" {place}: not looked at yet", "cursor"),), width), fitted((), width)]
    title, over = STATISTICS[name].title, STATISTICS[name].over
    where = place_text(value)
    others = [each for each in ("max_weight", "effective_keys", "max_logit") if each != name]
    more = "  ".join(
        f"{'mean ' * (STATISTICS[each].how == 'mean')}{STATISTICS[each].title} "
        f"{number_text(each, partial.value(each).value)}{_mark(partial, each)}"
        for each in others
    )
    text, short = _became(scene, name, value), f"L{head.layer} H{head.head}"
    at = f" at {where}" if where else ""
    firsts = [
        f" {place}: {title} {text}{at or f', {over}'}",
        f" {short}: {title} {text}{at or f', {over}'}",
        f" {place}: {title} {text}",
        f" {short}: {title} {text}",
    ]
    seconds = [f" {rows_text(partial)}   {more}", f" {rows_text(partial)}"]
    return [
        fitted(((first_text(firsts, width), "cursor"),), width),
        fitted(((first_text(seconds, width), "label"),), width),
    ]


def card_rows(scene: Scene, table: HeadTable, width: int, height: int) -> Sequence[Row]:
    """Return every statistic of the head under the cursor."""
    head, settings = scene.head, scene.settings
    assert head is not None
    shape = table.capture.shape(head)
    partial = table.partials.get(head)
    rows: list[Row] = [((head_text(head, table.n_batches).capitalize(), "strong"),)]
    rows += [((f"{UNCOUNTED}: does not count", "error"),)] * any(
        _mark(partial, name) for name in STATISTICS
    )
    shared = f"keys of head {shape.kv_head}" if shape.kv_head != head.head else ""
    looked = rows_text(partial) if partial else "not looked at yet"
    rows += [((line, "muted"),) for line in wrap(looked, width)]
    rows += [((shared, "muted"),)] * bool(shared)
    rows.append(())
    titles = max(len(each.title) for each in STATISTICS.values())
    values = {name: table.value(head, name, settings.tau) for name in STATISTICS}
    texts = {n: "" if each is None else _became(scene, n, each) for n, each in values.items()}
    longest = max(map(len, texts.values()))
    room = width - titles - longest - 4
    roomy = room >= max(len(each.over) for each in STATISTICS.values())
    for name, statistic in STATISTICS.items():
        value, role = values[name], "cursor" if name == settings.statistic else "text"
        found = place_text(value) if value and statistic.how == "largest" else ""
        overs = [found] * bool(found) + [statistic.over if roomy else statistic.column, ""]
        over = first_text(overs, room)
        rows.append(
            (
                (f"{statistic.title:<{titles}}  ", "label"),
                (f"{texts[name]:<{longest}}  ", role),
                (over, "muted"),
            )
        )
    return filled(rows, width, height)


def _became(scene: Scene, name: str, value: Value) -> str:
    """Return a statistic of the head under the cursor, after what it is in another capture."""
    other, head = scene.answer.other if scene.answer else None, scene.head
    assert scene.table
    mark = _mark(scene.table.partials.get(head), name) if head else ""
    if other is None or head is None:
        return value_text(name, value) + mark
    before = other.value(head, name, scene.settings.tau)
    old = "–" if before is None else number_text(name, before.value)
    of_old = _mark(other.partials.get(head), name)
    return f"{old}{of_old} → {number_text(name, value.value)}{mark}"


def _mark(partial: Partial | None, name: str) -> str:
    """Return what stands behind a statistic that does not count."""
    return "" if partial is None or partial.counts(name) else UNCOUNTED
