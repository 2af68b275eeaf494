"""What can be done on the screen of Attention."""

from attn_tui.old.tui.actions import Action
from attn_tui.old.tui.everywhere import keys

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
            "axis": "These maps have no axes, and one scale of shades",
            "remove": "Keys are masked by the setting mask, or in Explore",
        },
        less=1, more=1, fewer=2, further=2, rule=3, next_view=1, next_pane=3, pin=4,
        again=4, details=5,
    ),
    Action("looking.other_side", (), "", "Side", "Show the other side where there is room for one"),
    Action("fields.next('sort')", (), "", "Sort", "Let rows stand by position, or by entropy"),
)  # fmt: skip
