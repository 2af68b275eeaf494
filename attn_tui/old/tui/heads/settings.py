"""What can be asked and looked at on the screen of Heads."""

from attn_tui.compute.field import Kind, fields_of, one_of
from attn_tui.engine.settings import Settings
from attn_tui.old.tui.heads import explanations
from attn_tui.old.tui.heads.rule import RULE
from attn_tui.old.tui.heads.view import SORTS
from attn_tui.old.tui.scale import REST
from attn_tui.old.tui.settings import Group, asked_for, looked_at

_OWN = fields_of(Settings)

_CONDITION = Kind(
    "words such as layer 3, or a condition such as max_logit > 100",
    str,
    lambda value: type(value) is str,
    shown=lambda value: value or "every head",
)

GROUPS = (
    Group(
        "Capture",
        (
            asked_for(_OWN["capture"], opens="filing.open"),
            asked_for(_OWN["other"], opens="filing.open_other"),
            asked_for(_OWN["rows"]),
            asked_for(_OWN["seed"]),
            *(asked_for(_OWN[name]) for name in ("layer", "head", "batch")),
        ),
        folds=False,
        explanation=explanations.MAP,
    ),
    Group(
        "Shown",
        (
            asked_for(_OWN["statistic"], opens="heads.choose_statistic"),
            looked_at("sort", "sorted", "the order of the list", one_of(SORTS), "worst",
                      synonyms=("order",)),
            looked_at("only", "listed", "what a head must be to be listed", _CONDITION, "",
                      synonyms=("filter", "condition")),
            asked_for(_OWN["tau"]),
        ),
        folds=False,
        explanation=explanations.LIST,
    ),
    Group("Weights", (RULE, asked_for(_OWN["what_if"]), asked_for(_OWN["mask"]), *REST[:2])),
    Group(
        "Reading",
        tuple(asked_for(_OWN[name]) for name in ("layouts", "names", "config")),
        explanation=explanations.DOCTOR,
    ),
)  # fmt: skip

ABSENT = {
    "model": "A capture is of a model already: rule, soft cap and sink are settings",
    "d_k": "The d_k of a capture is its own",
    "n": "The number of keys of a capture is its own",
    "axis": "Shades have a fixed meaning: the line below the map says which",
}
"""What others have, and what is said of it here."""
