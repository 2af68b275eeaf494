"""What can be done on the screen of Attention."""

from attn_tui.tui.actions import Action
from attn_tui.tui.everywhere import keys

OPEN = Action(
    "head.open", ("enter",), "enter", "Open row", "Open the cursor's row in Explore", bar=1,
)  # fmt: skip

ACTIONS = (
    *keys(
        {
            "edit": "fields.enter('rows')",
            "again": "head.again",
            "stop": "stopping.stop('All rows are known')",
            "pin": "head.pin",
        },
        {
            "less": ("", 1),
            "more": ("d_k", 1),
            "fewer": ("", 2),
            "further": ("n", 2),
            "rule": ("Rule", 3),
            "next_view": ("View", 1),
            "next_pane": ("Settings", 3),
            "pin": ("Pin", 4),
            "again": ("Again", 4),
            "details": ("Details", 5),
        },
        {
            "axis": "These maps have no axes, and one scale of shades",
            "remove": "Keys are masked by the setting mask, or in Explore",
        },
    ),
    Action("looking.other_side", (), "", "Side", "Show the other side where there is room for one"),
    Action("fields.next('sort')", (), "", "Sort", "Let rows stand by position, or by entropy"),
)  # fmt: skip
