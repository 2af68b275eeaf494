"""What each pane of the Explore screen shows, as rows, from the answer and the view."""

from textwrap import wrap

import numpy as np

from attn_tui.compute.counted import counted
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.logit_map import SYMBOL
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.source import Source
from attn_tui.files.history import Asked
from attn_tui.files.kinds import KINDS
from attn_tui.old.charts.rows import first_text
from attn_tui.old.tui.bars import Status
from attn_tui.old.tui.explore.charts import TABS, offered
from attn_tui.old.tui.explore.found import Found
from attn_tui.old.tui.explore.key_table import Page
from attn_tui.old.tui.explore.order import Keys
from attn_tui.old.tui.explore.scene import Scene
from attn_tui.old.tui.explore.table_rows import Marks, key_table, thick
from attn_tui.old.tui.explore.view import View
from attn_tui.old.tui.looking import axis_item, tab_items, titles_of
from attn_tui.old.tui.scale import scale_status
from attn_tui.old.tui.scene import ROOMY
from attn_tui.old.tui.widgets.bar import Item
from attn_tui.report.numbers import general, weight_name
from attn_tui.report.rows import Row

_SHORT_FORMATS = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16"}


def precision_text(precision: Precision) -> str:
    """Return what is rounded and how softmax is computed: ``bf16 naive, s in f16``."""
    other = precision.is_narrow and precision.arithmetic != "softmax"
    parts = [_SHORT_FORMATS[precision.format] + (f" {precision.arithmetic}" if other else "")]
    parts[0] += "" if precision.stable else " naive"
    for symbol, name in (("s", precision.scores), ("q, k", precision.vectors)):
        if name != "float64":
            parts.append(f"{symbol} in {_SHORT_FORMATS[name]}")
    return ", ".join(parts)


def extras_text(scale: Scale, source: Source) -> str:
    """Return what there is besides the multiplier: ``cap 50, sink 0, QK-norm``."""
    parts = [f"cap {general(scale.softcap)}"] if scale.softcap is not None else []
    if scale.sink is not None:
        parts.append(f"sink {general(scale.sink)}")
    if scale.qk_norm:
        parts.append(unused_text(scale, source) or "QK-norm")
    return ", ".join(parts)


def unused_text(scale: Scale, source: Source) -> str:
    """Return what of a scale the scores have no use for, or nothing."""
    return "no q and k for QK-norm" if scale.qk_norm and not source.normalises else ""


def pin_text(answer: VectorAnswer, experiment: Experiment) -> str:
    """Return what was asked of an answer, in a few words."""
    setup = experiment.setup
    extras = extras_text(setup.scale, experiment.source)
    parts = [f"{answer.vector.name}: m = {setup.scale.formula}", f"d_k {setup.d_k}"]
    return ", ".join([*parts, *filter(None, (extras, precision_text(setup.precision)))])


def status(experiment: Experiment) -> Status:
    """Return the model or the rule, the precision and the source of the scores."""
    setup, source = experiment.setup, experiment.source
    return [
        scale_status(setup, extras_text(setup.scale, source), unused_text(setup.scale, source)),
        ((precision_text(setup.precision),), "fields.next('precision')"),
        ((KINDS[source.kind].title,), "scores.choose_source"),
    ]


def message_rows(scene: Scene, found: Found) -> list[Row]:
    """Return the error in the scores, or else what they are, in few lines."""
    asked, experiment = scene.asked, found.question.experiment
    width, height = scene.width - 2, 2
    if asked.error:
        text = str(asked.error).removeprefix("scores, ")
        lines = wrap(text, max(width, 10), max_lines=height, placeholder=" …")
        return [((line, "error"),) for line in lines]
    n_vectors = len(experiment.vectors)
    vector = found.answer.vector
    keys = counted(vector.n_keys, "key")
    many = f"{n_vectors:,} vectors"
    mask = experiment.setup.mask
    here = f"{vector.name}, {keys}" + f", masked: {mask}" * bool(mask)
    every = (
        f"{many} (left, right; 4: all at once), {here}",
        f"{many} (left, right), {here}",
        f"{many}, {here}",
        here,
    )
    said = first_text(every, width) if n_vectors > 1 else here
    rows: list[Row] = [((said, "muted"),)]
    names = {name.partition("[")[0].lower() for name in experiment.source.names}
    if {"q", "k"} <= names:
        rows.insert(0, (("from, a setting, multiplies q and K", "muted"),))
    if scene.view.pinned:
        rows.insert(0, (("pinned ", "pinned"), (scene.view.pin, "muted")))
    return rows[:height]


def page(scene: Scene, found: Found) -> Page:
    """Return what the table shows of the keys that are in sight."""
    answer, view, width = found.shown, scene.view, scene.width
    keys, n_between = scene.keys
    variable = SYMBOL[answer.wrt]
    name = weight_name(answer.of)
    masked = " (masked: 0)" if answer.of in answer.masked else ""
    marks = Marks(view.key, view.span if view.anchor is not None else None)
    unmasked = _unmasked(found.question.experiment, view.vector, keys)
    rows, before = key_table(answer, keys, width, marks, scene.half, unmasked, scene.ranked)
    rows = (rows[0], *(line for row in rows[1:] for line in thick(row, scene.tall)))
    if n_between:
        between: Row = (("  ┊", "muted"), (f" {n_between:,} more", "muted"))
        rows = (*rows[:-1], between, rows[-1])
    gradients = [
        f"gradient of {name}{masked} {respect} {variable}"
        for respect in ("with respect to", "w.r.t.")
    ]
    right = width - before
    gradient = first_text((*gradients, f"∂{name}/∂{variable}{masked}"), right - 4)
    has_gradient = not scene.narrow and width >= ROOMY
    before, right = (before, right) if has_gradient else (width, 0)
    weights = _weights_title(scene, answer, keys, width - right - 4)
    titles = weights, gradient * has_gradient
    above, apart = not scene.narrow, n_between > 0
    return Page(
        answer, keys, rows, before, titles, scene.statistics, above, apart, scene.tall,
        scene.half, scene.ranked,
    )  # fmt: skip


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


def _weights_title(scene: Scene, answer: VectorAnswer, keys: Keys, width: int) -> str:
    """Return whose weights they are, and which of the keys are in sight where not all are."""
    title = f"{answer.vector.name}: weights p" + " (last readable)" * bool(scene.asked.error)
    n_keys, view = answer.vector.n_keys, scene.view
    by = f", largest {answer.names[1]} first" if scene.ranked else ""
    if len(keys) == n_keys:
        return first_text((f"{title}{by}", title), width)
    last = view.top + len(keys)
    seen = f"{view.top + 1:,}–{last:,}"
    if (place := scene.order.place(view.key)) >= last:
        seen = f"1–{last - 1:,} and {place + 1:,}"
    of = f"{seen} of {n_keys:,}"
    return first_text((f"{title}{by}: {of}", f"{title}{by}", f"{title}: {of}", title), width)


def tabs(
    asked: Asked | None, found: Found | None, view: View, busy: bool, focused: bool, width: int,
    narrow: bool,
) -> list[Item]:  # fmt: skip
    """Return the tabs: of the charts, and on a narrow screen of the table's halves too."""
    if not (asked and found):
        return []
    answer = found.answer
    named = {"gradient": f"∂{weight_name(answer.of)}/∂{SYMBOL[answer.wrt]}"}
    titles = {
        name: named.get(name, title)
        for name, title in titles_of(TABS, narrow).items()
        if name == view.present(narrow) or offered(name, asked.experiment)
    }
    end = axis_item(view, not narrow, chosen=view.chart != "jacobian")
    if busy:
        end = Item(((" computing ", "strong"),))
    if narrow and asked.error:
        end = Item(((" old ", "error"),))
    return tab_items(titles, view.present(narrow), focused, [end], width)
