"""The keys: one table for all screens, each with one meaning; a screen says what it does there."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from attn_tui.instruments import INSTRUMENTS
from attn_tui.old.tui import full
from attn_tui.old.tui.actions import Action, Section

KEYS = {
    "next_pane": Action(
        "drawer.next_pane(1)", ("tab",), "tab", "Settings",
        "Go to the next pane: picture, settings, view",
    ),
    "pane_before": Action(
        "drawer.next_pane(-1)", ("shift+tab",), "shift+tab", "Back", "Go to the pane before",
        palette=False,
    ),
    "less": Action(
        "fields.change('d_k', -1)", ("minus", "left_square_bracket"), "-", "",
        "Move d_k to the stop below; so does [", full=True,
    ),
    "more": Action(
        "fields.change('d_k', 1)", ("plus", "equals_sign", "right_square_bracket"), "+", "d_k",
        "Move d_k to the stop above; so do = and ]", full=True,
    ),
    "halve": Action("fields.double(-1)", ("left_curly_bracket",), "{", "", "Halve d_k"),
    "double": Action("fields.double(1)", ("right_curly_bracket",), "}", "", "Double d_k"),
    "fewer": Action(
        "fields.change('n', -1)", ("comma",), ",", "", "Move n, the number of keys, down"
    ),
    "further": Action("fields.change('n', 1)", ("full_stop",), ".", "n", "Move n up"),
    "type_d_k": Action("fields.type('d_k')", ("d",), "d", "Type", "Type a d_k"),
    "type_n": Action("fields.type('n')", ("n",), "n", "Type n", "Type n, the number of keys"),
    "edit": Action("", ("e",), "e", "Edit", "Say what is asked: scores, entries or a statistic"),
    "rule": Action("scale.choose_rule", ("r",), "r", "Rule", "Choose the scale rule"),
    "model": Action(
        "scale.choose_model", ("m",), "m", "Model", "Choose d_k and the scale of a model"
    ),
    "example": Action(
        "examples.choose", ("x",), "x", "Tour", "Go on the tour, or choose an example"
    ),
    "again": Action(
        "", ("a",), "a", "Again", "Draw again, with the next seed", words="seed redraw random",
    ),
    "stop": Action("", ("space",), "space", "Stop", "Stop what is going on, or go on with it"),
    "remove": Action(
        "", ("delete", "backspace"), "del", "Remove",
        "Mask the cursor's key, or show it; of a table, take the row out", words="mask hide delete",
    ),
    "next_view": Action("looking.next_tab(1)", ("t",), "t", "View", "Show the next view",
        full=True,
    ),
    "previous_view": Action("looking.next_tab(-1)", ("T",), "T", "", "Show the view before"),
    "axis": Action(
        "fields.next('axis')", ("v",), "v", "Axis", "Switch the axis: auto, linear or logarithmic",
        words="log linear scale",
    ),
    "details": Action(
        "filing.read", ("i",), "i", "Details", "Read all there is to say of what is shown",
        words="report text numbers explain",
    ),
    "pin": Action(
        "", ("p",), "p", "Pin", "Pin this answer to compare the next ones, or let go",
        words="compare keep beside",
    ),
    "full": Action(
        "full.turn", ("f",), "f", "Full", "Show one picture as large as fits, or go back",
        words="projector present large beamer",
    ),
    "save": Action(
        "filing.save", ("s",), "s", "Save",
        "Save what is shown: the name's ending says in which form", always=("ctrl+s",),
        words="export picture svg png csv json",
    ),
    "open": Action(
        "filing.open", ("o",), "o", "Open", "Open a file", always=("ctrl+o",),
        words="load file npy csv session",
    ),
}  # fmt: skip
"""What can be done on every instrument, by its meaning; what runs nothing has no common way."""


def keys(
    does: Mapping[str, str],
    absent: Mapping[str, str] = MappingProxyType({}),
    called: Mapping[str, str] = MappingProxyType({}),
    **bar: int,
) -> tuple[Action, ...]:
    """Return the table as it is on one instrument, below what a full picture has.

    Args:
        does: What runs where that differs, by the meaning.
        absent: What is said of what there is not.
        called: What the key bar calls it where that differs.
        bar: The rank in the key bar of what stands there, in the bar's order.
    """
    actions = []
    for name in dict.fromkeys([*bar, *KEYS]):
        action = KEYS[name]
        if why := absent.get(name):
            action = replace(action, run=f"keyboard.say({why!r})", palette=False)
        elif name in does:
            action = replace(action, run=does[name])
        label = called.get(name, action.label)
        actions.append(replace(action, label=label, bar=bar.get(name, 0)))
    return *full.ACTIONS, *actions


FIND = Action("app.find", ("slash",), "/", "Find", "Find anything", bar=1, always=("ctrl+p",))

SHARED = (
    FIND,
    Action(
        "app.help", ("question_mark",), "?", "Help", "Explain this pane, and list the keys",
        bar=1, always=("f1",),
    ),
    Action("app.quit", ("q",), "q", "Quit", "Leave, and print the command that asks this",
        bar=3, always=("ctrl+q",)),
    Action(
        "app.undo", ("u",), "u", "Undo", "Undo the last change", bar=5, always=("ctrl+z",),
        full=True,
    ),
    Action("app.redo", ("U",), "U", "Redo", "Redo what was undone", always=("ctrl+y",)),
    Action("app.start", ("0",), "0", "Start", "Go back to the start; u comes back from there"),
    Action("app.copy", ("c",), "c", "Copy", "Copy the command that asks this"),
    Action(
        "app.redraw", (), "", "Redraw", "Draw everything again on a terminal that is spoilt",
        always=("ctrl+l",),
    ),
    *(
        Action(
            f"app.instrument('{each.name}')", (str(each.number),), str(each.number), each.title,
            f"Go to {each.title}: {each.summary}",
        )
        for each in INSTRUMENTS
    ),
)  # fmt: skip
"""What can be done everywhere, whatever is shown."""

SECTION = Section("Everywhere", (*KEYS.values(), *SHARED))
