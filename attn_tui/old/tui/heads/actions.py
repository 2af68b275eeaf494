"""What can be done on the screen of Heads."""

from attn_tui.old.tui.actions import Action
from attn_tui.old.tui.everywhere import keys

ENTER = Action(
    "heads.open", ("enter",), "enter", "Open", "Open the head under the cursor", bar=1,
    palette=False,
)  # fmt: skip
EXACT = Action(
    "heads.exact", ("w",), "w", "Exact", "Take every row, or sample rows again", bar=4,
    words="whole all rows sample",
)  # fmt: skip
_OWN = "{} of a capture is its own"

ACTIONS = (
    ENTER,
    *keys(
        {
            "edit": "heads.choose_statistic",
            "again": "fields.next('seed')",
            "stop": "stopping.stop('All is known: w takes every row')",
            "pin": "heads.pin",
        },
        {
            **dict.fromkeys(
                ("less", "more", "halve", "double", "type_d_k"), _OWN.format("The d_k")
            ),
            **dict.fromkeys(("fewer", "further", "type_n"), _OWN.format("The number of keys")),
            "axis": "Shades have a fixed meaning: the line below the map says which",
            "remove": "There is nothing to take away here",
        },
        called={"open": "File", "edit": "Statistic"},
        open=2, edit=2, stop=3, next_view=1, next_pane=3, details=5,
    ),
    EXACT,
    Action("heads.demo", (), "", "Demo", "Open a small capture that is made here", words="example"),
)  # fmt: skip
