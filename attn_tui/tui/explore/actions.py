"""What can be done on the Explore screen."""

from attn_tui.tui.actions import Action

ACTIONS = (
    Action("screen.edit", ("e",), "e", "Edit", "Edit the scores", bar=1),
    Action(
        "screen.step(-1)", ("left_square_bracket",), "[", "", "Move d_k to the stop below",
        bar=1,
    ),
    Action(
        "screen.step(1)", ("right_square_bracket",), "]", "d_k", "Move d_k to the stop above",
        bar=1,
    ),
    Action("screen.nudge(-1)", ("minus",), "-", "d_k − 1", "Make d_k one less"),
    Action("screen.nudge(1)", ("plus",), "+", "d_k + 1", "Make d_k one more"),
    Action("screen.type_d_k", ("d",), "d", "Type", "Type a d_k", bar=2),
    Action("screen.choose_rule", ("r",), "r", "Rule", "Choose the scale rule", bar=2),
    Action(
        "screen.next_tab", ("t",), "t", "Tab",
        "Show the next chart, or a narrow screen's next tab",
        bar=1,
    ),
    Action(
        "screen.log", ("l",), "l", "Log", "Switch charts between linear and logarithmic", bar=3
    ),
    Action(
        "screen.gradient_of", ("i",), "i", "Key", "Show the gradient of the cursor's key's weight",
        bar=2,
    ),
    Action(
        "screen.wrt", ("w",), "w", "s/z",
        "Take the gradient with respect to the scores s or the logits z", bar=3,
    ),
    Action("screen.next_vector", ("v",), "v", "Vector", "Show the next vector"),
    Action("screen.sort", ("s",), "s", "Sort", "List keys by position or largest score first"),
    Action(
        "screen.other_side", ("o",), "o", "Side",
        "Show the other Jacobian, unscaled or scaled, where there is room for one",
    ),
    Action("screen.precision", ("p",), "p", "Precision", "Compute in the next number format"),
    Action(
        "screen.naive", ("n",), "n", "Naive", "Subtract the largest score before e^z, or do not"
    ),
    Action("screen.example", ("x",), "x", "Example", "Go back to the worked example"),
    Action("screen.ascii", (), "", "ASCII", "Draw bars and charts in ASCII, or in blocks"),
)  # fmt: skip
