"""What can be asked and looked at on the Sweep screen."""

from dataclasses import replace
from typing import Any

from attn_tui.compute.field import fields_of, one_of, switch
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import FIELDS
from attn_tui.compute.sweep.rules import LISTED
from attn_tui.compute.sweep.settings import Settings, compared
from attn_tui.files.history import Gesture
from attn_tui.old.tui.scale import D_K, MODEL
from attn_tui.old.tui.settings import Group, Seen, Setting, asked_for, axis, looked_at
from attn_tui.old.tui.sweep import explanations
from attn_tui.old.tui.sweep.view import Shown, View
from attn_tui.sweep.names import NAMES

_OWN = fields_of(Settings)


def _compared(seen: Seen) -> tuple[str, ...]:
    setup = seen.asked.draft.setup if seen.asked else None
    return compared(setup.get(Settings) if setup else Settings(), setup.scale if setup else Scale())


RULES = asked_for(
    _OWN["rules"], kind=replace(LISTED, shown=", ".join), value=_compared,
    default=compared(Settings(), Scale()), help="the rules that are compared",
    synonyms=("rule", "scale", "temperature", "divisor"), opens="scale.choose_rule",
)  # fmt: skip


def _shown(seen: Seen) -> Shown:
    shown: Shown = getattr(seen.view, "shown", Shown())
    return shown


def _show(name: str) -> Any:
    def change(screen: Any, change: Any, _: Gesture | None) -> None:
        shown = screen.view.shown
        value: dict[str, Any] = {name: change(getattr(shown, name))}
        screen.parts["looking"].show(replace(shown, **value))

    return change


STATISTIC = Setting(
    "statistic", "statistic", "what of each drawn vector is shown", one_of(
        {name: named.words for name, named in NAMES.items()},
        {name: named.short for name, named in NAMES.items()},
    ),
    lambda seen: _shown(seen).statistic, _show("statistic"), "gradient",
    ("entropy", "effective keys", "largest weight", "gradient", "readout"),
    opens="looking.choose_statistic",
)  # fmt: skip

RATIO = Setting(
    "ratio", "shown", "whether the statistic unscaled over the same under a rule is shown",
    switch("by itself", "as a ratio"), lambda seen: _shown(seen).ratio, _show("ratio"), False,
    ("factor",),
)  # fmt: skip

GROUPS = (
    Group(
        "Drawn",
        tuple(asked_for(_OWN[name]) for name in ("n", "draws", "seed")),
        False,
        explanations.DRAWN,
    ),
    Group("Scale", (D_K, RULES, MODEL, asked_for(FIELDS["qk_norm"])), False, explanations.SCALE),
    Group(
        "Statistic",
        (
            STATISTIC,
            RATIO,
            looked_at(
                "of", "over draws", "what a map shows of the draws at a place",
                one_of({"median": "the typical draw", "mean": "a few large ones may carry it"}),
                "median", synonyms=("median", "mean", "average", "typical"),
            ),
        ),
        folds=False,
    ),
    Group(
        "Places",
        (
            asked_for(_OWN["d_k_range"], synonyms=("range of d_k",)),
            asked_for(_OWN["n_range"], synonyms=("range of n",)),
            asked_for(_OWN["points"], label="curve points"),
            asked_for(_OWN["map_points"], label="map points"),
            asked_for(_OWN["crossovers"], synonyms=("crossing", "border")),
        ),
    ),
    Group(
        "View",
        (
            axis(View),
            looked_at(
                "bands", "bands", "whether the middle half of draws is drawn behind curves",
                switch("hidden", "drawn"), True,
            ),
            looked_at(
                "whole", "decades", "how far down logarithms go",
                switch("upper ones", "all"), False, synonyms=("zoom",),
            ),
        ),
    ),
)  # fmt: skip
