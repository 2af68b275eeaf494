"""What can be done on the screen of Dot products."""

from attn_tui.old.tui.actions import Action
from attn_tui.old.tui.everywhere import keys

ACTIONS = (
    *keys(
        {
            "edit": "draws.choose_entries",
            "again": "fields.change('seed', 1)",
            "stop": "stopping.stop('All is drawn: a draws again, the setting samples more')",
            "remove": "draws.remove_row",
        },
        {"pin": "Answers are pinned in Explore, Attention and Heads: press 1, 4 or 5"},
        called={"edit": "Entries"},
        less=1, more=1, edit=2, again=4, stop=3, next_view=1, next_pane=3, details=4,
    ),
    Action("draws.add_row", (), "", "Row", "Add rows to the table: type their d_k"),
    Action("fields.change('samples', 1)", (), "", "More", "Draw ten times as many"),
    Action("fields.change('samples', -1)", (), "", "Fewer", "Draw a tenth as many"),
    Action("looking.other_side", (), "", "Side", "Show the other side where there is room for one"),
)  # fmt: skip
