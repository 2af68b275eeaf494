"""What can be done on the Sweep screen."""

from dataclasses import replace

from attn_tui.tui.actions import Action
from attn_tui.tui.fields import D_K_ACTIONS
from attn_tui.tui.filing import READ_ACTION, SAVE_ACTION
from attn_tui.tui.full import FULL_ACTION
from attn_tui.tui.looking import LOG_ACTION, TAB_ACTION
from attn_tui.tui.scale import MODELS_ACTION, RULE_ACTION
from attn_tui.tui.stopping import stop_action

STOP_ACTION = stop_action(
    "Stop drawing and keep what there is; or go on", "Nothing is being drawn: a draws anew", 2
)
EXPLORE_ACTION = Action(
    "places.explore", ("e",), "e", "Explore", "Open Explore on a vector drawn under the "
    "cursor, with a rule that is compared; so does enter in the chart", bar=2,
)  # fmt: skip
ENTER_ACTION = Action(
    "places.explore", ("enter",), "enter", "Explore",
    "Open Explore on a vector drawn at this place", palette=False,
)  # fmt: skip
ASKING = (
    *D_K_ACTIONS,
    Action("fields.change('n', -1)", ("comma",), ",", "", "Move n to the stop below", bar=3),
    Action("fields.change('n', 1)", ("full_stop",), ".", "n", "Move n to the stop above", bar=3),
    Action("fields.type('n')", ("n",), "n", "Type n", "Type n, the number of keys"),
    replace(TAB_ACTION, help="Sweep d_k, or n, or both as a map"),
    EXPLORE_ACTION,
    Action("looking.choose_statistic", ("s",), "s", "Statistic", "Choose the statistic", bar=2),
    replace(RULE_ACTION, label="Rules", help="Choose the rules to compare"),
    Action("scale.type_rules", ("R",), "R", "Type rules", "Type the rules, with parameters"),
    Action(
        "looking.ratio", ("slash",), "/", "Ratio",
        "Show the statistic unscaled over the same under each rule, or by itself", bar=3,
    ),
    MODELS_ACTION,
    Action("fields.type('d_k_range')", ("g",), "g", "d_k from–to", "Type the range of d_k"),
    Action("fields.type('n_range')", ("G",), "G", "n from–to", "Type the range of n"),
    Action("fields.type('draws')", ("m",), "m", "Draws", "Type how many vectors are drawn", bar=4),
    Action("places.type_points", ("p",), "p", "Points", "Type how many places there are"),
    Action("fields.next('seed')", ("a",), "a", "Again", "Draw other vectors: the next seed"),
    Action("fields.type('seed')", ("A",), "A", "Seed", "Type the seed"),
    STOP_ACTION,
    SAVE_ACTION,
)  # fmt: skip
"""What asks something else."""

LOOKING = (
    LOG_ACTION,
    Action("looking.flip('whole')", ("z",), "z", "Zoom", "Show all decades, or the upper ones"),
    Action(
        "looking.flip('bands')", ("b",), "b", "Bands", "Show the bands around curves, or hide them"
    ),
    Action("looking.other_of", ("v",), "v", "Value", "Let the map show the mean, or the median"),
    Action("looking.other_rule", ("o",), "o", "Rule", "Let the map show the next rule", bar=4),
    Action(
        "looking.tab('numbers')", ("i",), "i", "Numbers",
        "Show the numbers and crossovers in place of the chart", bar=3,
    ),
    READ_ACTION,
    FULL_ACTION,
)  # fmt: skip
"""What looks another way."""

ACTIONS = (*ASKING, *LOOKING)
