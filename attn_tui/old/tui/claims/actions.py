"""What can be done on the screen of Claims."""

from attn_tui.old.tui.claims.panes import OPEN
from attn_tui.old.tui.everywhere import keys

_NO_SCALE = "Each claim says which scale it is about: enter opens it where there is a choice"

ACTIONS = (
    OPEN,
    *keys(
        {
            "edit": "ledger.choose",
            "model": "ledger.choose_model",
            "again": "fields.change('seed', 1)",
            "stop": "stopping.stop('All are tried: a tries this one with another seed')",
        },
        {
            "rule": _NO_SCALE,
            "pin": "Answers are pinned in Explore, Attention and Heads: press 1, 4 or 5",
            "axis": "The axes of these pictures choose themselves",
            "remove": "There is nothing to take away here",
        },
        called={"edit": "Claims"},
        edit=2, again=4, stop=3, less=4, more=4, next_view=1, next_pane=3, details=4,
    ),
)  # fmt: skip
