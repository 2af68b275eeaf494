"""What can be done on the Sweep screen."""

from attn_tui.tui.actions import Action
from attn_tui.tui.filing import READ_ACTION, SAVE_ACTION
from attn_tui.tui.scaling import D_K_ACTIONS, MODELS_ACTION

ASKING = (
    *D_K_ACTIONS,
    Action("screen.step_n(-1)", ("comma",), ",", "", "Move n to the stop below", bar=3),
    Action("screen.step_n(1)", ("full_stop",), ".", "n", "Move n to the stop above", bar=3),
    Action("screen.type_n", ("n",), "n", "Type n", "Type n, the number of keys"),
    Action(
        "screen.next_tab", ("t",), "t", "Tab", "Sweep d_k, or n, or both as a map", bar=1
    ),
    Action(
        "screen.explore", ("e",), "e", "Explore", "Open Explore on a vector drawn under the "
        "cursor, with a rule that is compared; so does enter in the chart", bar=2,
    ),
    Action("screen.choose_statistic", ("s",), "s", "Statistic", "Choose the statistic", bar=2),
    Action("screen.choose_rule", ("r",), "r", "Rules", "Choose the rules to compare", bar=2),
    Action("screen.type_rules", ("R",), "R", "Type rules", "Type the rules, with parameters"),
    Action(
        "screen.ratio", ("slash",), "/", "Ratio",
        "Show the statistic unscaled over the same under each rule, or by itself", bar=3,
    ),
    MODELS_ACTION,
    Action("screen.type('d_k_range')", ("g",), "g", "d_k from–to", "Type the range of d_k"),
    Action("screen.type('n_range')", ("G",), "G", "n from–to", "Type the range of n"),
    Action("screen.type('draws')", ("m",), "m", "Draws", "Type how many vectors are drawn", bar=4),
    Action("screen.type_points", ("p",), "p", "Points", "Type how many places there are"),
    Action("screen.draw_anew", ("a",), "a", "Again", "Draw other vectors: the next seed"),
    Action("screen.type('seed')", ("A",), "A", "Seed", "Type the seed"),
    Action("screen.stop", ("x",), "x", "Stop", "Stop drawing and keep what there is; or go on",
           bar=2),
    SAVE_ACTION,
)  # fmt: skip
"""What asks something else."""

LOOKING = (
    Action(
        "screen.log", ("l",), "l", "Log", "Switch charts between linear and logarithmic", bar=3
    ),
    Action("screen.whole", ("z",), "z", "Zoom", "Show all decades, or the upper ones"),
    Action("screen.bands", ("b",), "b", "Bands", "Show the bands around curves, or hide them"),
    Action("screen.other_of", ("v",), "v", "Value", "Let the map show the mean, or the median"),
    Action("screen.other_rule", ("o",), "o", "Rule", "Let the map show the next rule", bar=4),
    Action(
        "screen.numbers", ("i",), "i", "Numbers",
        "Show the numbers and crossovers in place of the chart", bar=3,
    ),
    READ_ACTION,
)  # fmt: skip
"""What looks another way."""

ACTIONS = (*ASKING, *LOOKING)
