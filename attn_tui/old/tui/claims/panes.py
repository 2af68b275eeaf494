"""The panes of the screen of Claims."""

from collections.abc import Sequence

from attn_tui.old.tui.actions import Action, Section, bindings, down_a_list
from attn_tui.old.tui.claims import drawing, explanations
from attn_tui.old.tui.claims.scene import Scene
from attn_tui.old.tui.widgets.canvas import Canvas, Target
from attn_tui.old.tui.widgets.chart import ChartPane, arrows
from attn_tui.old.tui.widgets.title import Title, Titled
from attn_tui.old.tui.widgets.wheel import Wheeled
from attn_tui.report.rows import Row

OPEN = Action(
    "ledger.open", ("enter",), "enter", "Open", "Set an instrument up for the claim", bar=1,
)  # fmt: skip


class ListTitle(Title):
    """Which claims are listed, and how far trying them is."""

    ROW = drawing.title_row


class ListPane(Canvas, Titled, Wheeled, can_focus=True):
    """A line for each claim; the one that is asked has the cursor."""

    ACTIONS = (
        Action(
            "ledger.move(-1)", ("up", "k"), "arrows", "Claim", "Go to another claim", bar=1,
            palette=False,
        ),
        *down_a_list("ledger.move", "ledger.move(-10)", "ledger.move(10)", "j"),
    )  # fmt: skip
    SECTION = Section("In the list of claims", ACTIONS)
    BINDINGS = bindings(ACTIONS)
    explanation = explanations.LIST
    wheel = "ledger.move({})"
    scene: Scene | None = None
    top = 0

    def see(self, scene: Scene) -> None:
        """Show the claims around the cursor, or go out of sight."""
        self.scene = scene
        self.display = not scene.narrow or scene.present == "list"
        self.look()

    def look(self) -> None:
        """Show as many as fit."""
        if self.scene and self.size:
            self.top = drawing.top_row(self.scene, self.top, self.size.height)
            self.show(drawing.list_rows(self.scene, self.top, *self.size))
            self.targets = self._target

    def _target(self, x: int, y: int) -> Target | None:
        listed = self.scene.listed if self.scene else ()
        place = self.top + y
        if place >= len(listed):
            return None
        name = listed[place].id
        return Target(f"ledger.go('{name}')", f"{listed[place].says} Twice: open it", "ledger.open")

    def on_resize(self) -> None:
        """Show as many as fit."""
        self.look()


class FindingPane(ChartPane):
    """What is right and the numbers that decide, or a picture of them."""

    ACTIONS = arrows("ledger.scroll", "Go up or down in what is right")
    SECTION = Section("In what is right", ACTIONS)
    explanation = explanations.FINDING

    def see(self, scene: Scene) -> None:
        """Come into sight, or go; and say what the wheel does."""
        self.display = not scene.narrow or scene.present != "list"
        self.wheel = "ledger.scroll(0, {})" * (scene.view.chart == "numbers")

    def rows_of(self, scene: Scene, width: int, height: int) -> Sequence[Row]:
        """Return what is right, or the picture."""
        return drawing.chart_rows(scene, width, height)
