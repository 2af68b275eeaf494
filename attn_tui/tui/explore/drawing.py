"""What each pane of the Explore screen shows, as rows, from the answer and the view."""

from collections.abc import Sequence
from textwrap import wrap

from attn_tui.charts import jacobian, over_d_k, weights
from attn_tui.charts.rows import Row, first_text
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore import SYMBOL, VectorAnswer
from attn_tui.compute.explore import over_d_k as evaluate_over_d_k
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.setup import Setup
from attn_tui.report.numbers import general, weight_name
from attn_tui.report.sentences import what_d_k_moves
from attn_tui.tui.explore import table_rows
from attn_tui.tui.explore.key_table import Page
from attn_tui.tui.explore.table_rows import Columns, Keys
from attn_tui.tui.explore.view import CHARTS, SHORT, View
from attn_tui.tui.state import Asked
from attn_tui.tui.widgets.bar import Item

ROOMY = 100
"""Columns from which labels are spelled out."""


def status(setup: Setup, width: int) -> list[Item]:
    """Return the rule, the precision and the source of the scores, for the title line."""
    method = "" if setup.precision.stable else " naive"
    number_format = setup.precision.format.replace("float", "f")
    parts = [
        (f"m = {setup.scale.formula}", "screen.choose_rule"),
        (f"{number_format}{method}", "screen.precision"),
    ]
    wide = width >= ROOMY // 2
    parts = [*parts, ("typed", "screen.edit")] if wide else parts
    ends = [" · "] * (len(parts) - 1) + [" " if wide else ""]
    return [
        Item(((text, "label"), (end, "muted")), action)
        for (text, action), end in zip(parts, ends, strict=True)
    ]


def rule_rows(answer: VectorAnswer, setup: Setup) -> list[Row]:
    """Return what the scores are multiplied by, and what moving d_k does."""
    m = answer.scaled.multiplier
    rule: Row = (
        (f"m = {setup.scale.formula}  ", "label"),
        (f"× {general(m, 5)}", "scaled"),
        (f" (÷ {general(1 / m, 5)})", "muted"),
    )
    moves = what_d_k_moves(setup.scale, answer.vector.n_keys)
    return [rule, ((f"typed: d_k moves {moves}", "muted"),)]


def message_rows(asked: Asked, answer: VectorAnswer, width: int, height: int) -> list[Row]:
    """Return the error in the scores, or else what they are, in so many lines at most."""
    if asked.error:
        text = str(asked.error).removeprefix("scores, ")
        lines = wrap(text, max(width, 10), max_lines=height, placeholder=" …")
        return [((line, "error"),) for line in lines]
    n_vectors = len(asked.experiment.vectors)
    vector = answer.vector
    keys = "1 key" if vector.n_keys == 1 else f"{vector.n_keys} keys"
    many = f"{n_vectors} vectors, v for the next; shown: " if n_vectors > 1 else ""
    return [((f"{many}{vector.name}, {keys}", "muted"),)]


def words_rows(sentences: tuple[str, ...], width: int, height: int) -> list[Row]:
    """Return sentences in lines, cut with an ellipsis where there are too many."""
    lines = wrap(" ".join(sentences), max(width - 2, 10), max_lines=height, placeholder=" …")
    return [((f" {line}", "text"),) for line in lines]


def statistics_rows(answer: VectorAnswer, width: int, narrow: str) -> list[Row]:
    """Return the statistics below the table, of the half that a narrow screen shows."""
    weights = table_rows.weight_statistics(answer, brief=width < ROOMY)
    gradient = table_rows.gradient_statistics(answer)
    lines: dict[str, list[Sequence[table_rows.Statistic]]] = {
        "weights": [weights[:1], weights[1:]],
        "gradient": [(each,) for each in gradient],
        "": [weights, gradient],
    }
    return [table_rows.statistics_row(line) for line in lines[narrow]]


def page(
    answer: VectorAnswer, view: View, keys: Keys, width: int, narrow: str, stale: bool
) -> Page:
    """Return what the table shows of some keys."""
    note = " (last readable)" if stale else ""
    variable = SYMBOL[answer.wrt]
    name = weight_name(answer.of)
    masked = " (masked: 0)" if answer.of in answer.masked else ""
    columns = Columns.fit(width, answer.vector.n_keys, narrow)
    gradients = [
        f"gradient of {name}{masked} {respect} {variable}"
        for respect in ("with respect to", "w.r.t.")
    ]
    gradient = first_text((*gradients, f"∂{name}/∂{variable}{masked}"), columns.right(width) - 4)
    return Page(
        answer,
        keys,
        columns,
        (f"{answer.vector.name}: weights p{note}", gradient),
        statistics_rows(answer, width, narrow),
        view.key,
        not narrow,
        view.ascii,
    )


def tab_items(
    view: View, answer: VectorAnswer, narrow: bool, focused: bool, stale: bool
) -> list[Item]:
    """Return the tabs: of the charts, and on a narrow screen of the table's halves too."""
    variable = SYMBOL[answer.wrt]
    name = weight_name(answer.of)
    titles = {"weights": "p", "gradient": f"∂{name}/∂{variable}", **SHORT} if narrow else CHARTS
    present = view.chart if view.shows_chart or not narrow else view.table
    items = [Item((("─", "axis"),))]
    for key, title in titles.items():
        role = ("focus" if focused else "tab") if key == present else "muted"
        items.append(Item(((f" {title} ", role),), f"screen.tab('{key}')"))
        items.append(Item((("│", "axis"),)))
    if narrow and stale:
        items.append(Item(((" old ", "error"),)))
    else:
        items.append(Item(((" log " if view.log else " linear ", "muted"),), "screen.log"))
    return items


def ruled(items: list[Item], width: int) -> list[Item]:
    """Return items followed by a rule to the right edge."""
    rest = width - sum(item.width for item in items)
    return [*items, Item((("─" * max(rest, 0), "axis"),))]


def chart_rows(
    answer: VectorAnswer, experiment: Experiment, view: View, width: int, height: int
) -> tuple[Row, ...]:
    """Return the chart that the view asks for."""
    if view.chart == "jacobian":
        return jacobian.jacobian_map(
            answer, view.side, width, height, view.log, (view.key, view.other), view.ascii
        )
    if view.chart == "over_d_k":
        d_k = experiment.setup.d_k
        data = evaluate_over_d_k(experiment, view.vector, sorted({*D_K.stops, d_k}))
        return over_d_k.over_d_k_chart(
            data, d_k, width, height, view.log, view.ascii, view.quantity, answer.wrt
        )
    return weights.weights_chart(answer, width, height, view.log, view.key, view.ascii)
