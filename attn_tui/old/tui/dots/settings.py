"""What can be asked and looked at on the screen of Dot products."""

from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.field import fields_of
from attn_tui.old.tui.dots import explanations
from attn_tui.old.tui.dots.view import View
from attn_tui.old.tui.scale import D_K, MODEL
from attn_tui.old.tui.settings import RULE, SIDE, Group, asked_for, axis

_OWN = fields_of(Settings)
_SYNONYMS = {
    "entries": ("law", "distribution", "coins", "dice", "uniform", "normal"),
    "samples": ("draws", "how many", "sample size"),
    "tied": ("components", "identical"),
    "correlation": ("rho", "correlated"),
    "mean_q": ("mu_q", "mean of q", "shift"),
    "mean_k": ("mu_k", "mean of k", "shift"),
}
_DRAWN = ("entries", "tied", "correlation", "mean_q", "mean_k", "samples", "seed")

GROUPS = (
    Group(
        "Drawn",
        tuple(asked_for(_OWN[name], synonyms=_SYNONYMS.get(name, ())) for name in _DRAWN),
        folds=False,
        explanation=explanations.PICTURE,
    ),
    Group("Scale", (D_K, RULE, MODEL), False, explanations.SCALE),
    Group(
        "View",
        (
            asked_for(_OWN["d_ks"], synonyms=("table", "rows")),
            axis(View, "signed log"),
            SIDE,
        ),
    ),
)  # fmt: skip

ABSENT = {
    "n": "q·k is of one key: there is no n here. How many are drawn is a setting: samples",
}
