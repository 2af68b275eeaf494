"""What can be done on the screen of Dot products."""

from dataclasses import replace

from attn_tui.tui.actions import Action
from attn_tui.tui.fields import D_K_ACTIONS
from attn_tui.tui.filing import READ_ACTION, SAVE_ACTION
from attn_tui.tui.full import FULL_ACTION
from attn_tui.tui.looking import LOG_ACTION, SIDE_ACTION, TAB_ACTION
from attn_tui.tui.scale import MODELS_ACTION, RULE_ACTION
from attn_tui.tui.stopping import stop_action

STOP_ACTION = stop_action(
    "Stop drawing and keep what was drawn, or go on", "All is drawn: a draws anew, > draws more", 1
)
ASKING = (
    STOP_ACTION,
    Action("fields.change('seed', 1)", ("a",), "a", "Anew", "Draw anew: the next seed", bar=2),
    Action("fields.type('samples')", ("n",), "n", "N", "Type how many q·k are drawn", bar=2),
    Action("fields.change('samples', -1)", ("less_than_sign",), "<", "", "Draw a tenth as many"),
    Action(
        "fields.change('samples', 1)", ("greater_than_sign",), ">", "× 10", "Draw ten times as many"
    ),
    Action("fields.type('seed')", ("s",), "s", "Seed", "Type the seed"),
    Action(
        "draws.choose_entries", ("e",), "e", "Entries",
        "Choose the law of the entries of q and k", bar=2,
    ),
    Action(
        "fields.type('correlation')", ("c",), "c", "ρ",
        "Type the correlation ρ of q_i and k_i", bar=2,
    ),
    Action(
        "fields.type('mean_q')", ("m",), "m", "μ_q", "Type what is added to every entry of q",
        bar=3,
    ),
    Action("fields.type('mean_k')", ("M",), "M", "μ_k", "Type what is added to every entry of k"),
    Action(
        "fields.change('tied', 1)", ("T",), "T", "Tied",
        "Make all components of q one number, and all of k, or free them", bar=2,
    ),
    *D_K_ACTIONS,
    RULE_ACTION,
    MODELS_ACTION,
    Action("draws.add_row", ("i",), "i", "Row", "Add rows to the table: type their d_k", bar=3),
    Action(
        "draws.remove_row", ("delete", "backspace"), "del", "Remove",
        "Take the cursor's row out of the table",
    ),
    SAVE_ACTION,
)  # fmt: skip
"""What asks something else."""

LOOKING = (
    TAB_ACTION,
    replace(LOG_ACTION, help="Switch the axis of densities between linear and logarithmic"),
    replace(SIDE_ACTION, bar=3),
    READ_ACTION,
    FULL_ACTION,
)  # fmt: skip
"""What looks another way."""

ACTIONS = (*ASKING, *LOOKING)
