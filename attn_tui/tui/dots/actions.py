"""What can be done on the screen of Dot products."""

from attn_tui.tui.actions import Action
from attn_tui.tui.everywhere import keys

ACTIONS = (
    *keys(
        {
            "edit": "draws.choose_entries",
            "again": "fields.change('seed', 1)",
            "stop": "stopping.stop('All is drawn: a draws again, the setting samples more')",
            "remove": "draws.remove_row",
        },
        {
            "less": ("", 1),
            "more": ("d_k", 1),
            "edit": ("Entries", 2),
            "again": ("Again", 4),
            "stop": ("Stop", 3),
            "next_view": ("View", 1),
            "next_pane": ("Settings", 3),
            "details": ("Details", 4),
        },
        {"pin": "Answers are pinned in Explore: press 1"},
    ),
    Action("draws.add_row", (), "", "Row", "Add rows to the table: type their d_k"),
    Action("fields.change('samples', 1)", (), "", "More", "Draw ten times as many"),
    Action("fields.change('samples', -1)", (), "", "Fewer", "Draw a tenth as many"),
    Action("looking.other_side", (), "", "Side", "Show the other side where there is room for one"),
)  # fmt: skip
