"""What can be done on the screen of Dot products."""

from attn_tui.tui.actions import Action

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
        "screen.change('tied', 1)", ("y",), "y", "Tied",
        "Make all components of q one number, and all of k, or free them", bar=2,
    ),
    Action(
        "screen.step(-1)", ("left_square_bracket",), "[", "", "Move d_k to the stop below", bar=1
    ),
    Action(
        "screen.step(1)", ("right_square_bracket",), "]", "d_k", "Move d_k to the stop above",
        bar=1,
    ),
    Action("screen.nudge(-1)", ("minus",), "-", "d_k − 1", "Make d_k one less"),
    Action("screen.nudge(1)", ("plus",), "+", "d_k + 1", "Make d_k one more"),
    Action("screen.type_d_k", ("d",), "d", "Type", "Type a d_k", bar=2),
    Action("screen.choose_rule", ("r",), "r", "Rule", "Choose the scale rule", bar=2),
    Action("screen.choose_model", ("h",), "h", "Models", "Choose d_k and scale of a model"),
    Action("screen.add_row", ("i",), "i", "Row", "Add rows to the table: type their d_k", bar=3),
    Action(
        "screen.remove_row", ("delete", "backspace"), "del", "Remove",
        "Take the cursor's row out of the table",
    ),
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
    Action("screen.ascii", (), "", "ASCII", "Draw charts in ASCII, or in blocks"),
)  # fmt: skip
"""What looks another way."""

ACTIONS = (*ASKING, *LOOKING)
