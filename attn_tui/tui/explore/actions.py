"""What can be done on the Explore screen."""

from attn_tui.tui.actions import Action
from attn_tui.tui.everywhere import keys

ACTIONS = (
    *keys(
        {
            "edit": "scores.edit",
            "again": "scores.draw_anew",
            "stop": "stopping.stop('Nothing goes on that could be stopped')",
            "remove": "scores.mask",
            "pin": "looking.pin",
        },
        {
            "less": ("", 1),
            "more": ("d_k", 1),
            "edit": ("Scores", 2),
            "rule": ("Rule", 3),
            "next_view": ("View", 1),
            "next_pane": ("Settings", 3),
            "details": ("Details", 4),
            "pin": ("Pin", 5),
            "example": ("Tour", 5),
        },
        {},
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
