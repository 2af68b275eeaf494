"""What can be done on the screen of Claims."""

from attn_tui.tui.claims.panes import OPEN
from attn_tui.tui.everywhere import keys

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
            "edit": ("Claims", 2),
            "again": ("Again", 4),
            "stop": ("Stop", 3),
            "less": ("", 4),
            "more": ("d_k", 4),
            "next_view": ("View", 1),
            "next_pane": ("Settings", 3),
            "details": ("Details", 4),
        },
        {
            "rule": _NO_SCALE,
            "pin": "Answers are pinned in Explore: press 1",
            "axis": "The axes of these pictures choose themselves",
            "remove": "There is nothing to take away here",
        },
    ),
)  # fmt: skip
