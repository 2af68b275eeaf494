"""What each pane of the Sweep screen shows, as rows, from the answer and the view."""

from collections.abc import Sequence
from itertools import islice
from textwrap import wrap

from attn_tui.charts.rows import Row, fitted, packed
from attn_tui.charts.sweep.curves import nearest, place_at, sweep_chart
from attn_tui.charts.sweep.map import place_on_map, sweep_map
from attn_tui.charts.sweep.signs import drawn_rules
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.field import fields_of
from attn_tui.compute.scale import parse_scale
from attn_tui.compute.sweep.answer import Answer
from attn_tui.compute.sweep.places import log_grid
from attn_tui.compute.sweep.points import Place
from attn_tui.compute.sweep.settings import Settings, compared
from attn_tui.report.head import not_applied
from attn_tui.report.numbers import general
from attn_tui.report.progress import left
from attn_tui.report.sweep.names import (
    NAMES,
    condensation_text,
    crossover_text,
    formula,
    is_none,
    name_of,
)
from attn_tui.report.sweep.sentences import in_short, said
from attn_tui.report.sweep.tables import numbers_at
from attn_tui.tui.job import Job
from attn_tui.tui.looking import log_item, tab_items
from attn_tui.tui.sweep.view import TABS, View
from attn_tui.tui.widgets.bar import Item


def tab_of(settings: Settings) -> str:
    """Return the name of the tab that shows what is swept."""
    return "map" if settings.view == "map" else settings.over


def place_of(experiment: Experiment) -> Place:
    """Return where the cursor is: the n and the d_k that are asked for."""
    return experiment.setup.get(Settings).n, experiment.setup.d_k


def status(settings: Settings, width: int) -> list[tuple[str, str]]:
    """Return the statistic for the title line."""
    named = NAMES[settings.statistic]
    ratios = " unscaled/scaled" if width >= 80 else " ratio"
    text = named.symbol + ratios * settings.ratio
    room = 80 + 20 * settings.ratio
    return [(f"{named.short} {text}" if width >= room else text, "looking.choose_statistic")]


def drawn_rows(settings: Settings, width: int, height: int) -> list[Row]:
    """Return what is drawn and over what range, each after the key that asks for another."""
    tab = tab_of(settings)
    most = settings.map_points if tab == "map" else settings.points
    ranges = [settings.n_range] * (tab != "d_k") + [settings.d_k_range] * (tab != "n")
    count = "×".join(str(len(log_grid(each, most))) for each in ranges)
    keys = [("g", f"d_k {_text(settings, 'd_k_range')}")] if tab != "n" else []
    keys += [("G", f"n {_text(settings, 'n_range')}")] if tab != "d_k" else []
    keys += [("A", f"seed {settings.seed}")]
    keys += [("p", f"{count} places"), ("m", f"{settings.draws:,} draws")]
    parts: list[Row] = [((key, "key"), (f" {text}", "muted")) for key, text in keys]
    return packed([((), parts)], width, height)


def _text(settings: Settings, name: str) -> str:
    return fields_of(Settings)[name].kind.text(getattr(settings, name))


def rules_rows(experiment: Experiment, width: int, height: int) -> list[Row]:
    """Return the rules that are compared, each with its m at the cursor, after their key."""
    n, d_k = place_of(experiment)
    settings, setup = experiment.setup.get(Settings), experiment.setup
    rules = compared(settings, setup.scale)
    long, short = [], [formula(rule) for rule in rules]
    for rule in rules:
        m = parse_scale(rule).multiplier(d_k, n)
        long.append("unscaled" if is_none(rule) else f"{formula(rule)} (× {general(m, 4)})")
    choices: list[tuple[Row, list[Row]]] = []
    for texts in (long, short):
        ends = [","] * (len(texts) - 1) + [""]
        parts: list[Row] = [((t + end, "scaled"),) for t, end in zip(texts, ends, strict=True)]
        choices.append(((("r", "key"),), parts))
    if height > 1 and (said := not_applied(setup.scale, but_qk_norm=True)):
        return [*packed(choices, width, height - 1, 1), ((said, "muted"),)]
    return packed(choices, width, height, 1)


def tabs(settings: Settings, view: View, focused: bool, width: int) -> list[Item]:
    """Return the tabs, and how the chart is drawn."""
    present = "numbers" if view.numbers else tab_of(settings)
    roomy = width >= 60
    titles = {name: tab.title if roomy else tab.short for name, tab in TABS.items()}
    titles["numbers"] = "Numbers" if roomy else "i"
    of = Item(((f" {view.of} ", "muted"), ("│", "axis")), "looking.other_of")
    ends = [*([of] if present == "map" else []), log_item(view.log or settings.ratio)]
    return tab_items(titles, present, focused, ends, width)


def map_rule(answer: Answer, view: View) -> str:
    """Return the rule that a map shows."""
    rules = drawn_rules(answer)
    return rules[view.rule % len(rules)]


def chart_rows(answer: Answer, view: View, at: Place, width: int, height: int) -> Sequence[Row]:
    """Return the chart, or the numbers in its place.

    Args:
        answer: What there is so far.
        view: What is looked at.
        at: The n and the d_k of the cursor.
        width: Cells of every row returned.
        height: Number of rows returned.
    """
    if view.numbers:
        lines = number_lines(answer, at, width)[view.top :][:height]
        rows = [fitted(((line, "text"),), width) for line in lines]
        return [*rows, *[fitted((), width)] * (height - len(rows))]
    if answer.settings.view == "map":
        return sweep_map(answer, map_rule(answer, view), view.of, at, width, height, view.look)
    return sweep_chart(answer, _swept(answer, at), width, height, view.look)


def pointed(
    answer: Answer, view: View, at: Place, x: int, y: int, width: int, height: int
) -> Place | None:
    """Return the place at a cell of the chart, or None beside all."""
    if view.numbers:
        return None
    if answer.settings.view == "map":
        return place_on_map(answer, x, y, at, width, height)
    found = place_at(answer, x, width, height, view.look)
    if found is None:
        return None
    return (at[0], found) if answer.settings.over == "d_k" else (found, at[1])


def _swept(answer: Answer, at: Place) -> int:
    return at[1] if answer.settings.over == "d_k" else at[0]


def nearest_place(answer: Answer, at: Place) -> Place:
    """Return the place with points that is nearest to the cursor."""
    return (
        nearest(answer.points.ns, at[0]),
        nearest(answer.points.d_ks, at[1]),
    )


def number_lines(answer: Answer, at: Place, width: int) -> list[str]:
    """Return the numbers at the cursor and the crossovers, in lines."""
    n, d_k = nearest_place(answer, at)
    statistic = answer.settings.statistic
    named = NAMES[statistic]
    first = [f"{named.symbol}: {named.words}.", f"At n = {n:,}, d_k = {d_k:,}:"]
    table, texts = numbers_at(answer, n, d_k, statistic, width - 3), list[str]()
    if answer.settings.view == "curves":
        marks = [condensation_text(each, answer.settings.over) for each in answer.condensation]
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
        texts.append(f"{head} {curve.of}, {name_of(curve.rule)}: {curve.formula}{condition}.")
    texts += said(answer, statistic)

    def wrapped(texts: Sequence[str]) -> list[str]:
        room = max(width - 2, 10)
        indents = ("    " * text.startswith(" ") for text in texts)
        pairs = zip(texts, indents, strict=True)
        return [line for text, more in pairs for line in wrap(text, room, subsequent_indent=more)]

    return [f" {line}" for line in (*wrapped(first), *table, *wrapped(texts))]


def words(answer: Answer | None, job: Job[Answer], now: float) -> list[tuple[str, ...]]:
    """Return what was found in sentences, each as long as it is and maybe shorter, after how far.

    Args:
        answer: What there is so far.
        job: How finding out the rest stands.
        now: What the clock says, in seconds.
    """
    parts: list[tuple[str, ...]] = []
    if job.running:
        share, seconds = job.share, now - job.since
        known = share > 0.01 and seconds > 0.5
        rest = f", {left(seconds * (1.0 - share) / share)}" if known else ""
        parts.append((f"Drawing: {share:.0%}{rest}; x stops.",))
    elif answer is None:
        parts.append(("Stopped before anything was drawn; x goes on.",))
    elif answer.progress < 1.0:
        fewest = min((point.draws for point in answer.points), default=0)
        parts.append((f"Stopped at {answer.progress:.0%}: {fewest:,} draws; x goes on.",))
    if answer is not None:
        statistic = answer.settings.statistic
        first, *others = [*said(answer, statistic), ""]
        parts.append(tuple(filter(None, (first, in_short(answer, statistic)))))
        parts += [(each,) for each in others]
    return [part for part in parts if any(part)]


def words_rows(sentences: Sequence[tuple[str, ...]], width: int, height: int) -> list[Row]:
    """Return the sentences that fit, the first ones first; the numbers have all of them.

    Args:
        sentences: Each as long as it is and maybe shorter; of the first, what fits is shown.
        width: Cells of a line.
        height: Lines.
    """
    room = max(width - 2, 10)
    chosen: list[str] = []
    for sentence in sentences:
        fitting = (
            each for each in sentence if len(wrap(" ".join([*chosen, each]), room)) <= height
        )
        chosen += islice(fitting, 1)
    chosen = chosen or [sentence[-1] for sentence in sentences[:1]]
    lines = wrap(" ".join(chosen), room, max_lines=max(height, 1), placeholder=" …")
    return [((f" {line}", "text"),) for line in lines]
