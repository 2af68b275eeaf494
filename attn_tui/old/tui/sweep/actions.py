"""What can be done on the Sweep screen."""

from attn_tui.old.tui.actions import Action
from attn_tui.old.tui.everywhere import keys

ENTER_ACTION = Action(
    "places.explore", ("enter",), "enter", "Open one", "Open Explore on a vector drawn here",
    palette=False, bar=1,
)  # fmt: skip
ACTIONS = (
    *keys(
        {
            "edit": "looking.choose_statistic",
            "again": "fields.next('seed')",
            "stop": "stopping.stop('Nothing is being drawn: a draws again')",
        },
        {
            "pin": "Answers are pinned in Explore, Attention and Heads: press 1, 4 or 5",
            "remove": "There is nothing to mask here: keys are masked in Explore",
        },
        called={"edit": "Statistic", "rule": "Rules"},
        less=1, more=1, fewer=2, further=2, edit=4, rule=3, stop=3, next_view=1,
        next_pane=3, details=4,
    ),
    Action(
        "places.explore", (), "", "Explore",
        "Open Explore on a vector drawn under the cursor, with a rule that is compared",
    ),
    Action("scale.type_rules", (), "", "Type rules", "Type the rules, with parameters"),
    Action("looking.ratio", (), "", "Ratio", "Show the statistic as a ratio, or by itself"),
    Action("looking.other_rule", (), "", "Rule", "Let the map show the next rule"),
)  # fmt: skip
