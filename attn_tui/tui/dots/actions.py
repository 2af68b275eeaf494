"""What can be done on the screen of Dot products."""

from attn_tui.tui.actions import Action
from attn_tui.tui.filing import READ_ACTION, SAVE_ACTION
from attn_tui.tui.scaling import D_K_ACTIONS, MODELS_ACTION, RULE_ACTION

ASKING = (
    Action(
        "screen.stop", ("x",), "x", "Stop",
        "Stop drawing and keep what was drawn, or go on", bar=1,
    ),
    Action("screen.draw_anew", ("a",), "a", "Anew", "Draw anew: the next seed", bar=2),
    Action("screen.type('samples')", ("n",), "n", "N", "Type how many q·k are drawn", bar=2),
    Action("screen.change('samples', -1)", ("less_than_sign",), "<", "", "Draw a tenth as many"),
    Action(
        "screen.change('samples', 1)", ("greater_than_sign",), ">", "× 10", "Draw ten times as many"
    ),
    Action("screen.type('seed')", ("s",), "s", "Seed", "Type the seed"),
    Action(
        "screen.choose_entries", ("e",), "e", "Entries",
        "Choose the law of the entries of q and k", bar=2,
    ),
    Action(
        "screen.type('correlation')", ("c",), "c", "ρ",
        "Type the correlation ρ of q_i and k_i", bar=2,
    ),
    Action(
        "screen.type('mean_q')", ("m",), "m", "μ_q", "Type what is added to every entry of q",
        bar=3,
    ),
    Action("screen.type('mean_k')", ("M",), "M", "μ_k", "Type what is added to every entry of k"),
    Action(
        "screen.change('tied', 1)", ("T",), "T", "Tied",
        "Make all components of q one number, and all of k, or free them", bar=2,
    ),
    *D_K_ACTIONS,
    RULE_ACTION,
    MODELS_ACTION,
    Action("screen.add_row", ("i",), "i", "Row", "Add rows to the table: type their d_k", bar=3),
    Action(
        "screen.remove_row", ("delete", "backspace"), "del", "Remove",
        "Take the cursor's row out of the table",
    ),
    SAVE_ACTION,
)  # fmt: skip
"""What asks something else."""

LOOKING = (
    Action(
        "screen.next_tab", ("t",), "t", "Tab",
        "Show the next chart, or a narrow screen's next tab", bar=1,
    ),
    Action(
        "screen.log", ("l",), "l", "Log",
        "Switch the axis of densities between linear and logarithmic", bar=3,
    ),
    Action(
        "screen.other_side", ("o",), "o", "Side",
        "Show the other side, unscaled or scaled, where there is room for one", bar=3,
    ),
    READ_ACTION,
)  # fmt: skip
"""What looks another way."""

ACTIONS = (*ASKING, *LOOKING)
