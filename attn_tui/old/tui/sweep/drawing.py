"""What each pane of the Sweep screen shows, as rows, from the answer and the view."""

from collections.abc import Sequence
from textwrap import wrap

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.setup import Setup
from attn_tui.compute.sweep.answer import Answer
from attn_tui.compute.sweep.points import Place
from attn_tui.compute.sweep.rules import rule_text
from attn_tui.compute.sweep.settings import Settings, compared
from attn_tui.old.charts.rows import beside
from attn_tui.old.charts.sweep.curves import place_at, sweep_chart
from attn_tui.old.charts.sweep.map import place_on_map, sweep_map
from attn_tui.old.charts.sweep.signs import drawn_rules
from attn_tui.old.report.sweep.sentences import said
from attn_tui.old.report.sweep.tables import numbers_at
from attn_tui.old.tui.bars import Status
from attn_tui.old.tui.looking import axis_item, tab_items, titles_of
from attn_tui.old.tui.sweep.scene import Scene
from attn_tui.old.tui.sweep.view import TABS, View
from attn_tui.old.tui.widgets.bar import Item
from attn_tui.report.head import not_applied
from attn_tui.report.model import model_texts
from attn_tui.report.numbers import quantity
from attn_tui.report.progress import going_on
from attn_tui.report.rows import Row, filled
from attn_tui.sweep.names import (
    NAMES,
    condensation_text,
    crossover_text,
    formula,
    name_of,
    others,
)


def tab_of(settings: Settings) -> str:
    """Return the name of the tab that shows what is swept."""
    return "map" if settings.view == "map" else settings.over


def place_of(experiment: Experiment) -> Place:
    """Return where the cursor is: the n and the d_k that are asked for."""
    return experiment.setup.get(Settings).n, experiment.setup.d_k


def status(settings: Settings, setup: Setup, width: int) -> Status:
    """Return the model, where its rule is among those compared, and the statistic."""
    named = NAMES[settings.statistic]
    ratios = " scaled/unscaled" if width >= 80 else " ratio"
    # A map of ratios says itself what it shows.
    has_ratio = settings.ratio and settings.view != "map"
    text = named.symbol + ratios * has_ratio
    room = 80 + 20 * has_ratio
    texts = (f"{named.short} {text}", text) if width >= room else (text,)
    model = model_texts(setup) if rule_text(setup.scale) in compared(settings, setup.scale) else ()
    first = [(model, "scale.choose_model")] if model else []
    return [*first, (texts, "looking.choose_statistic")]


def tabs(
    settings: Settings,
    view: View,
    focused: bool,
    width: int,
    progress: tuple[str, str],
    left_out: str,
) -> list[Item]:
    """Return the tabs, how the chart is drawn, and how far; or, with room, what is left out."""
    present = "numbers" if view.numbers else tab_of(settings)
    roomy = width >= 60
    titles = titles_of(TABS, not roomy)
    of = Item(((f" {view.of} ", "muted"), ("│", "axis")), "looking.other_of")
    # A ratio is 1 in the middle, which has no place on a linear axis.
    fixed = Item(((" log ", "muted"),))
    axis = fixed if settings.ratio else axis_item(view, roomy and not left_out)
    ends = [*([of] if present == "map" else []), axis]
    if text := progress[not roomy]:
        ends.append(Item(((f" {text} ", "strong"),), "stopping.stop('')"))
    room = width - 1 - sum(len(title) + 3 for title in titles.values())
    if text and roomy and sum(end.width for end in ends) > room:
        # A tab that is out of sight is not found; how the chart is drawn is for later.
        ends = ends[-1:]
    room -= sum(end.width for end in ends)
    if left_out and not text and len(left_out) + 2 <= room:
        ends.append(Item(((f" {left_out} ", "muted"),)))
    return tab_items(titles, present, focused, ends, width)


def map_rule(answer: Answer, view: View) -> str:
    """Return the rule that a map shows, and whose crossing is marked on curves."""
    rules = drawn_rules(answer)
    if answer.settings.view == "curves":
        rules = others(answer.rules) or rules
    return rules[view.rule % len(rules)]


BESIDE, MAP, GAP = 110, 2 / 3, 2
"""From so many columns on the curves of the cursor's row stand beside a map, which has this share
of them, and so many are between."""


def map_width(answer: Answer, width: int) -> int:
    """Return how many columns a map has; the rest are a gap and the curves of its row."""
    return round(width * MAP) if width >= BESIDE and len(answer.points.d_ks) > 1 else width


def chart_rows(answer: Answer, view: View, at: Place, width: int, height: int) -> Sequence[Row]:
    """Return the chart, or the map with the curves of the cursor's row, or the numbers.

    Args:
        answer: What there is so far.
        view: What is looked at.
        at: The n and the d_k of the cursor.
        width: Cells of every row returned.
        height: Number of rows returned.
    """
    if view.numbers:
        lines = number_lines(answer, at, width)[view.top :]
        return filled([((line, "text"),) for line in lines], width, height)
    rule, look = map_rule(answer, view), view.look
    if answer.settings.view == "curves":
        return sweep_chart(answer, rule, at, width, height, look)
    left = map_width(answer, width)
    drawn = sweep_map(answer, rule, view.of, at, left, height, look)
    if left == width:
        return drawn
    return beside(drawn, sweep_chart(answer, rule, at, width - left - GAP, height, look), GAP)


def pointed(
    answer: Answer, view: View, at: Place, x: int, y: int, width: int, height: int
) -> Place | None:
    """Return the place at a cell of the chart, or None beside all."""
    if view.numbers:
        return None
    left = 0
    if answer.settings.view == "map":
        left = map_width(answer, width)
        if x < left or left == width:
            return place_on_map(answer, x, y, at, left, height)
        left += GAP
    rule = map_rule(answer, view)
    return place_at(answer, rule, at, x - left, width - left, height, view.look)


def number_lines(answer: Answer, at: Place, width: int) -> list[str]:
    """Return the numbers at the cursor and the crossovers, in lines."""
    n, d_k = answer.nearby.nearest(at)
    statistic = answer.settings.statistic
    named = NAMES[statistic]
    first = [f"{named.symbol}: {named.words}."]
    if text := not_applied(answer.experiment.setup.scale, but_qk_norm=True):
        first.append(f"{text}.")
    near = "" if (n, d_k) == at else f", the place nearest to n = {at[0]:,}, d_k = {at[1]:,}"
    first.append("error: of the mean; from, to: the median's 95 % interval; ±: of a factor.")
    first.append(f"At n = {n:,}, d_k = {d_k:,}{near}:")
    table, texts = numbers_at(answer, n, d_k, statistic, width - 3), list[str]()
    over = "d_k" if answer.settings.view == "map" else answer.settings.over
    if marks := [
        condensation_text(each, over)
        for each in answer.condensation
        if over == "n" or each.n == answer.points.nearest(at)[0]
    ]:
        texts.append(f"As n → ∞, logits condense where m√d_k ≥ √(2 ln n): {'; '.join(marks)}.")
    if answer.crossovers:
        texts.append("Removing a rule makes the median larger below d* [95 % interval]:")
    for found in answer.crossovers:
        symbol, so_far = NAMES[found.readout].symbol, "" if found.finished else ", so far"
        asked = f"{symbol}, n = {found.n:,}, {formula(found.rule)}"
        texts.append(f"  {asked}: {crossover_text(found)}{so_far}")
    for curve in answer.curves:
        head = "Exact" if curve.kind == "exact" else "Asymptote of the"
        condition = f" ({curve.condition})" if curve.kind == "asymptote" else ""
        value = dict(zip(curve.places, curve.values, strict=True)).get((n, d_k))
        if value is None and curve.kind == "exact":
            continue
        there = "" if value is None else f", {quantity(value)} here"
        name = f"{head} {curve.of}, {name_of(curve.rule)}"
        texts.append(f"{name}: {curve.formula}{condition}{there}.")
    texts += said(answer, statistic)

    def wrapped(texts: Sequence[str]) -> list[str]:
        room = max(width - 2, 10)
        indents = ("    " * text.startswith(" ") for text in texts)
        pairs = zip(texts, indents, strict=True)
        return [line for text, more in pairs for line in wrap(text, room, subsequent_indent=more)]

    return [f" {line}" for line in (*wrapped(first), *table, *wrapped(texts))]


def progress_text(scene: Scene) -> tuple[str, str]:
    """Return how far the draw is, and the same in a word; nothing once all is drawn."""
    answer, job = scene.answer, scene.job
    if job.running:
        return going_on("drawing ", job.share, scene.now - job.since)
    if answer is None:
        return "stopped before anything was drawn; space goes on", "stopped"
    if answer.progress < 1.0:
        return f"stopped at {answer.progress:.0%}; space goes on", "stopped"
    return "", ""
