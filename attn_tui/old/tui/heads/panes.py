"""The panes of the screen of Heads."""

from collections.abc import Sequence

from attn_tui.old.tui.actions import Section
from attn_tui.old.tui.heads import drawing, explanations
from attn_tui.old.tui.heads.scene import Scene
from attn_tui.old.tui.widgets.canvas import Canvas, Target
from attn_tui.old.tui.widgets.chart import ChartPane, arrows
from attn_tui.report.rows import Row, message


class CapturePane(Canvas):
    """What is looked at, in a line."""

    def see(self, scene: Scene) -> None:
        """Show it."""
        self.show([drawing.capture_row(scene)])

    def target_at(self, x: int, y: int) -> Target | None:
        """Return what opens another."""
        return Target("filing.open", "Open a capture")


class HeadsChart(ChartPane):
    """The map, the list, or the doctor."""

    ACTIONS = arrows("heads.move", "Go to another head: heads right, layers down; or scroll")
    SECTION = Section("In the pictures of Heads", ACTIONS)
    explanation = explanations.MAP

    def see(self, scene: Scene) -> None:
        """Say of what is looked at what there is to say."""
        self.explanation = {"list": explanations.LIST, "doctor": explanations.DOCTOR}.get(
            scene.view.chart, explanations.MAP
        )
        self.wheel = "heads.move(0, {})" * (scene.view.chart != "map")

    def rows_of(self, scene: Scene, width: int, height: int) -> Sequence[Row]:
        """Return the picture, or what to do where there is no capture."""
        if not scene.settings.capture:
            return drawing.empty_rows(width, height)
        table = scene.table
        if table is None:
            unread = " Nothing is known yet: tab says how its tensors are read"
            waiting = " Opening the capture …" if scene.job.running else unread
            return message(waiting, width, height)
        if scene.view.chart == "list":
            return drawing.list_rows(scene, table, width, height)
        if scene.view.chart == "doctor":
            return drawing.doctor_rows(scene, width, height)
        return drawing.map_rows(scene, table, width, height)

    def target_of(self, scene: Scene, width: int, height: int, x: int, y: int) -> Target | None:
        """Return what a click does: it goes to a head, and a second one opens it."""
        if not scene.settings.capture:
            return Target("heads.demo", "Open a small capture that is made here")
        if scene.table is None or scene.head is None or scene.view.chart != "map":
            return None
        found = drawing.pointed(scene, scene.table, width, height, x, y)
        if found is None:
            return None
        layer, head = found
        words = f"Go to layer {layer} head {head}; twice: open it"
        return Target(f"heads.go({scene.head.batch}, {layer}, {head})", words, "heads.open")
