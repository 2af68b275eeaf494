"""What each pane of the Explore screen shows, as rows, from the answer and the view."""

from collections.abc import Sequence
from textwrap import wrap

import numpy as np

from attn_tui.charts.rows import Row, Span, first_fit, first_text, message
from attn_tui.charts.sides import compared
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.logit_map import SYMBOL
from attn_tui.compute.precision import FORMATS, Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Kind, Source
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.files.examples import example_of
from attn_tui.files.kinds import KINDS
from attn_tui.report.explore import sentences
from attn_tui.report.numbers import general, weight, weight_name
from attn_tui.report.origin import origins
from attn_tui.tui.explore import table_rows
from attn_tui.tui.explore.charts import CHARTS
from attn_tui.tui.explore.key_table import Page
from attn_tui.tui.explore.order import Keys
from attn_tui.tui.explore.view import View
from attn_tui.tui.state import Asked
from attn_tui.tui.widgets.bar import Item

ROOMY = 100
"""Columns from which labels are spelled out."""

_SHORT_FORMATS = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16"}


def precision_text(precision: Precision) -> str:
    """Return what is rounded and how softmax is computed: ``bf16 naive, s in f16``."""
    stepwise = precision.arithmetic == "stepwise" and precision.format in FORMATS[2:]
    parts = [_SHORT_FORMATS[precision.format] + " stepwise" * stepwise]
    parts[0] += "" if precision.stable else " naive"
    for symbol, name in (("s", precision.scores), ("q, k", precision.vectors)):
        if name != "float64":
            parts.append(f"{symbol} in {_SHORT_FORMATS[name]}")
    return ", ".join(parts)


def extras_text(scale: Scale, source: Source, taken: float | None = None) -> str:
    """Return what there is besides the multiplier: ``cap 50, sink 0 takes 0.27, QK-norm``."""
    parts = [f"cap {general(scale.softcap)}"] if scale.softcap is not None else []
    if scale.sink is not None:
        takes = "" if taken is None else f" takes {weight(taken)}"
        parts.append(f"sink {general(scale.sink)}{takes}")
    if scale.qk_norm:
        parts.append("QK-norm" if source.normalises else "no q and k for QK-norm")
    return ", ".join(parts)


def pin_text(answer: VectorAnswer, experiment: Experiment) -> str:
    """Return what was asked of an answer, in a few words."""
    setup = experiment.setup
    extras = extras_text(setup.scale, experiment.source)
    parts = [f"{answer.vector.name}: m = {setup.scale.formula}", f"d_k {setup.d_k}"]
    return ", ".join([*parts, *filter(None, (extras, precision_text(setup.precision)))])


def status(experiment: Experiment) -> list[tuple[str, str]]:
    """Return the rule, the precision and the source of the scores, for the title line."""
    setup, source = experiment.setup, experiment.source
    rule = ", ".join(filter(None, (f"m = {setup.scale.formula}", extras_text(setup.scale, source))))
    return [
        (rule, "screen.choose_rule"),
        (precision_text(setup.precision), "screen.next('precision')"),
        (KINDS[source.kind].title, "screen.choose_source"),
    ]


def source_title(kind: Kind) -> str:
    """Return the title of the pane of scores: what they come from."""
    return f" Scores: {KINDS[kind].title} "


def rule_rows(
    answer: VectorAnswer, experiment: Experiment, index: int, width: int, height: int
) -> list[Row]:
    """Return what is done to the scores of a vector, and where they come from."""
    scale, m = experiment.setup.scale, answer.scaled.multiplier
    formula: Span = (f"m = {scale.formula}  ", "label")
    times: Span = (f"× {general(m, 5)}", "scaled")
    divisor: Span = (f" (÷ {general(1 / m, 5)})" if m else "", "muted")
    source, taken = experiment.source, answer.scaled.sink_weight
    more: Span = (f"  {extras_text(scale, source, taken)}".rstrip(), "label")
    less: Span = (f"  {extras_text(scale, source)}".rstrip(), "label")
    fewer: list[Row] = [(formula, times, more), (times, more), (times, less)]
    rule = first_fit([(formula, times, divisor, more), *fewer], width)
    texts = origins(source, experiment, index)
    room = max(height - 1, 1)
    # An equation is not torn apart.
    texts = [text.replace(" = ", "\u00a0=\u00a0") for text in texts]
    lines = next(
        (lines for text in texts if len(lines := wrap(text, max(width, 10))) <= room),
        wrap(texts[-1], max(width, 10), max_lines=room, placeholder=" …"),
    )
    return [rule, *(((line.replace("\u00a0", " "), "muted"),) for line in lines)]


def message_rows(
    asked: Asked, answer: VectorAnswer, view: View, width: int, height: int
) -> list[Row]:
    """Return the error in the scores, or else what they are, in so many lines at most."""
    if asked.error:
        text = str(asked.error).removeprefix("scores, ")
        lines = wrap(text, max(width, 10), max_lines=height, placeholder=" …")
        return [((line, "error"),) for line in lines]
    n_vectors = len(asked.experiment.vectors)
    vector = answer.vector
    keys = "1 key" if vector.n_keys == 1 else f"{vector.n_keys:,} keys"
    many = f"{n_vectors:,} vectors (v: next), " if n_vectors > 1 else ""
    mask = asked.experiment.setup.mask
    masked = f", masked: {mask}" if mask else ""
    rows: list[Row] = [((f"{many}{vector.name}, {keys}{masked}", "muted"),)]
    names = {name.partition("[")[0].lower() for name in asked.experiment.source.names}
    if {"q", "k"} <= names:
        rows.insert(0, (("f, from q and K, multiplies q and K", "muted"),))
    if view.pinned:
        rows.insert(0, (("pinned ", "pinned"), (view.pin, "muted")))
    return rows[:height]


def words(draft: Draft, answer: VectorAnswer, setup: Setup) -> tuple[str, ...]:
    """Return what the numbers mean, or what to look at if what is asked is an example."""
    example = example_of(draft)
    # Of the example at the start the sentences say all there is to see.
    if example and draft != EXAMPLE and not compared(answer):
        return (example.look,)
    return (*sentences.explore(answer, setup), *filter(None, [sentences.vanished(answer)]))


def words_rows(sentences: tuple[str, ...], width: int, height: int) -> list[Row]:
    """Return sentences in lines, cut with an ellipsis where there are too many."""
    lines = wrap(" ".join(sentences), max(width - 2, 10), max_lines=height, placeholder=" …")
    return [((f" {line}", "text"),) for line in lines]


def statistics_rows(answer: VectorAnswer, width: int, narrow: str) -> list[Row]:
    """Return the statistics below the table, of the half that a narrow screen shows."""
    weights = table_rows.weight_statistics(answer, brief=width < ROOMY)
    gradient = table_rows.gradient_statistics(answer)
    lines: dict[str, list[Sequence[Row]]] = {
        "weights": [weights[:1], weights[1:]],
        "gradient": [(each,) for each in gradient],
        "": [weights, gradient],
    }
    return [table_rows.statistics_row(line) for line in lines[narrow]]


def page(
    answer: VectorAnswer,
    experiment: Experiment,
    view: View,
    keys: Keys,
    width: int,
    narrow: str,
    stale: bool,
) -> Page:
    """Return what the table shows of some keys."""
    variable = SYMBOL[answer.wrt]
    name = weight_name(answer.of)
    masked = " (masked: 0)" if answer.of in answer.masked else ""
    marks = table_rows.Marks(view.key, view.span if view.anchor is not None else None)
    unmasked = _unmasked(experiment, view.vector, keys)
    rows, before = table_rows.key_table(answer, keys, width, marks, narrow, unmasked)
    gradients = [
        f"gradient of {name}{masked} {respect} {variable}"
        for respect in ("with respect to", "w.r.t.")
    ]
    right = width - before
    gradient = first_text((*gradients, f"∂{name}/∂{variable}{masked}"), right - 4)
    return Page(
        keys,
        rows,
        before,
        (_weights_title(answer, view, keys, width - right - 4, stale), gradient),
        statistics_rows(answer, width, narrow),
        not narrow,
    )


def _unmasked(experiment: Experiment, index: int, keys: Keys) -> list[float]:
    """Return the scores of some keys as they are without the mask, if there is one."""
    if not experiment.setup.mask:
        return []
    scores = experiment.source.vectors(experiment.setup)[index].scores
    there = keys < scores.size
    found = np.full(keys.size, -np.inf)
    found[there] = scores[keys[there]]
    numbers: list[float] = found.tolist()
    return numbers


def _weights_title(answer: VectorAnswer, view: View, keys: Keys, width: int, stale: bool) -> str:
    """Return whose weights they are, and which of the keys are in sight where not all are."""
    title = f"{answer.vector.name}: weights p" + (" (last readable)" if stale else "")
    n_keys = answer.vector.n_keys
    by = "" if view.sort == "position" else f" by {view.sort}"
    if len(keys) == n_keys:
        return f"{title}{by}"
    seen = f"{view.top + 1:,}–{view.top + len(keys):,} of {n_keys:,}{by}"
    return first_text((f"{title}, {seen}", f"{title}{by}", title), width)


def tab_items(
    view: View,
    answer: VectorAnswer,
    narrow: bool,
    focused: bool,
    stale: bool,
    busy: bool,
    width: int,
) -> list[Item]:
    """Return the tabs: of the charts, and on a narrow screen of the table's halves too."""
    variable = SYMBOL[answer.wrt]
    name = weight_name(answer.of)
    tables = {"weights": "p", "gradient": f"∂{name}/∂{variable}"} if narrow else {}
    titles = tables | {key: chart.short if narrow else chart.title for key, chart in CHARTS.items()}
    present = view.chart if view.shows_chart or not narrow else view.table
    end = Item(((" linear ", "muted"),), "screen.log")
    if view.log:
        end = Item(((" log ", "muted"),), "screen.log")
    if busy:
        end = Item(((" computing ", "strong"),))
    if narrow and stale:
        end = Item(((" old ", "error"),))
    items = []
    for key, title in titles.items():
        role = ("focus" if focused else "tab") if key == present else "muted"
        items.append(Item(((f" {title} ", role), ("│", "axis")), f"screen.tab('{key}')"))
    # The present tab is always among those there is room for.
    here = list(titles).index(present)
    first, room = 0, width - end.width - 1
    while first < here and sum(item.width for item in items[first : here + 1]) > room:
        first += 1
    shown: list[Item] = []
    for item in items[first:]:
        if sum(each.width for each in shown) + item.width > room:
            break
        shown.append(item)
    return [Item((("…" if first else "─", "axis"),)), *shown, end]


def ruled(items: list[Item], width: int) -> list[Item]:
    """Return items followed by a rule to the right edge."""
    rest = width - sum(item.width for item in items)
    return [*items, Item((("─" * max(rest, 0), "axis"),))]


def waiting(failed: bool, width: int, height: int) -> tuple[Row, ...]:
    """Return what stands where a chart will be."""
    return message(" not computed" if failed else " computing …", width, height)
