"""What can be done on every screen."""

from attn_tui.instruments import INSTRUMENTS
from attn_tui.tui.actions import Action, Section

SHARED = (
    Action("app.undo", ("u", "ctrl+z"), "u", "Undo", "Undo the last change", bar=2, full=True),
    Action("app.redo", ("U", "ctrl+y"), "U", "Redo", "Redo what was undone"),
    Action(
        "screen.explain", ("question_mark",), "?", "Help", "Explain the pane that has the focus",
        bar=1,
    ),
    Action("app.focus_next", ("tab",), "tab", "Next", "Go to the next pane", palette=False),
    Action(
        "app.focus_previous", ("shift+tab",), "shift+tab", "Back", "Go to the pane before",
        palette=False,
    ),
    Action("app.keys", (), "", "Keys", "List every key", always=("f1",)),
    Action(
        "app.find", (), "", "More", "Search everything that can be done", bar=2,
        always=("ctrl+p",), palette=False,
    ),
    Action("app.copy", (), "", "Copy", "Copy the command line that asks this"),
    Action("app.ascii", (), "", "ASCII", "Draw bars and charts in ASCII, or in blocks"),
    Action(
        "app.redraw", (), "", "Redraw", "Draw everything again on a terminal that is spoilt",
        always=("ctrl+l",),
    ),
    Action("app.quit", ("q",), "q", "Quit", "Leave the program", bar=1, always=("ctrl+q",)),
    *(
        Action(
            f"app.instrument('{each.name}')", (str(number),), str(number), each.title,
            f"Go to {each.title}: {each.summary}",
        )
        for number, each in enumerate(INSTRUMENTS, 1)
    ),
)  # fmt: skip

SECTION = Section("Everywhere", SHARED)
