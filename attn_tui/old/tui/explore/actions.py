"""What can be done on the Explore screen."""

from attn_tui.old.tui.actions import Action
from attn_tui.old.tui.everywhere import keys

ACTIONS = (
    *keys(
        {
            "edit": "scores.edit",
            "again": "scores.draw_anew",
            "stop": "stopping.stop('Nothing goes on that could be stopped')",
            "remove": "scores.mask",
            "pin": "looking.pin",
        },
        called={"edit": "Scores"},
        less=1, more=1, edit=2, rule=3, next_view=1, next_pane=3, details=4, pin=5,
        example=5,
    ),
    Action(
        "scores.mask_after", (), "", "After",
        "Mask the keys after the cursor's, or show them",
    ),
    Action(
        "scores.gradient_of", (), "", "Gradient", "Show the gradient of the cursor's key's weight"
    ),
    Action("looking.next_vector", (), "", "Vector", "Show the next vector"),
    Action("looking.sort", (), "", "Sort", "List keys by position, or the largest weights first"),
)  # fmt: skip
