"""The pane of the settings drawer."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from textual.containers import Vertical

from attn_tui.old.tui.actions import Action, bindings
from attn_tui.old.tui.drawer import ACTIONS, SECTION, Sheet, group_of, help_lines, on_line, sheet
from attn_tui.old.tui.everywhere import FIND
from attn_tui.old.tui.explaining import Explanation
from attn_tui.old.tui.settings import Group
from attn_tui.old.tui.widgets.canvas import Canvas, Target
from attn_tui.old.tui.widgets.entry import Entry
from attn_tui.old.tui.widgets.wheel import Wheeled
from attn_tui.report.rows import Row, fitted

_HELP = 4
"""Lines of what there is to say of the line of the cursor."""


SETTINGS = Explanation(
    "Settings",
    "",
    "Everything that can be asked, a line each. Arrows go and step, a number is typed, enter "
    "chooses, del goes back to the default. / finds a setting by any of its names.",
    "the line below the settings says what each is",
)


class SettingsPane(Vertical, Wheeled, can_focus=True):
    """A line for each setting, and below what there is to say of that with the cursor.

    Args:
        groups: The settings.
    """

    DEFAULT_CSS = """
    SettingsPane { display: none; height: 100%; layers: lines typed; }
    SettingsPane #settings-lines { height: 1fr; }
    SettingsPane #settings-help { height: 5; }
    SettingsPane Entry { layer: typed; }
    SettingsPane Entry #entry-label { padding: 0 0 0 2; }
    """
    BLANK = True
    BINDINGS = bindings(ACTIONS)
    SECTION = SECTION
    wheel = "drawer.move({})"
    scene: Any = None
    _sheet: Sheet | None = None
    _top = 0

    def __init__(self, groups: Sequence[Group], id: str | None = None) -> None:
        super().__init__(id=id)
        self._groups = groups

    @property
    def BAR(self) -> Sequence[Action]:  # noqa: N802
        """What keys do on the line of the cursor."""
        scene, groups = self.scene, self._groups
        has_line = scene is not None and groups
        return (
            *(on_line(groups, scene, scene.view) if has_line else ACTIONS),
            replace(FIND, bar=4),
        )

    @property
    def explanation(self) -> Explanation:
        """What there is to say of the group of the line with the cursor."""
        scene = self.scene
        group = group_of(self._groups, scene.view.setting) if scene else None
        return group.explanation if group and group.explanation else SETTINGS

    async def build(self) -> None:
        """Be made, once it is wanted: no start waits for it."""
        if not self.children:
            lines, said = Canvas(id="settings-lines"), Canvas(id="settings-help")
            lines.targets = self._target
            await self.mount(lines, said, Entry("settings-entry", says=False))

    def see(self, scene: Any) -> None:
        """Show the settings, while they are wanted."""
        self.scene = scene
        self.display = scene.view.settings and not scene.view.full
        if self.display:
            self._draw()

    def on_resize(self) -> None:
        """Show the settings in the new size."""
        self._draw()

    def watch_has_focus(self, has_focus: bool) -> None:
        """Show where the keys go."""
        super().watch_has_focus(has_focus)
        self._draw()

    @property
    def _focused(self) -> bool:
        return self.has_focus or self.query_one(Entry).request is not None

    def _draw(self) -> None:
        if not (self.children and self.scene and self.display and self.size.width):
            return
        scene, width = self.scene, self.size.width
        self._sheet = found = sheet(self._groups, scene, scene.view, self._focused, width - 2)
        lines, helping = self.query_one("#settings-lines", Canvas), self.query_one("#settings-help")
        assert isinstance(helping, Canvas)
        height = lines.size.height or self.size.height - _HELP - 1
        top = self._top = found.top(height)
        edge: Row = ((" ", "text"), ("│", "axis"))
        rows = [(*row, *edge) for row, _ in found.lines[top : top + height]]
        blank: Row = (*fitted((), width - 2), *edge)
        lines.show([*rows, *[blank] * (height - len(rows))])
        said = help_lines(self._groups, scene, scene.view, width - 4, _HELP)
        texts = [((f" {line}", "muted"),) for line in said]
        below = [((" " + "─" * (width - 3), "axis"),), *texts]
        helping.show([(*fitted(row, width - 2), *edge) for row in (*below, *[()] * _HELP)][:5])
        entry = self.query_one(Entry)
        # The edge stands beside it too.
        entry.styles.offset, entry.styles.width = (0, found.at - top), width - 1
        entry.query_one("#entry-label").styles.width = found.typed

    def _target(self, x: int, y: int) -> Target | None:
        """Return what a click on a line does: its arrows step; where the cursor is, it enters."""
        if self._sheet is None or not 0 <= (at := self._top + y) < len(self._sheet.lines):
            return None
        row, name = self._sheet.lines[at]
        if not name or x >= self.size.width - 2:
            return None
        text = "".join(text for text, _ in row)
        if text[x : x + 1] in ("‹", "›"):
            steps, words = (-1, "The one before") if text[x] == "‹" else (1, "The next one")
            return Target(f"drawer.step_at({name!r}, {steps})", words)
        if self.scene.view.setting == name:
            return Target("drawer.enter", "Type it, choose it or flip it")
        return Target(f"drawer.point({name!r})", "Go to this setting", "drawer.enter")
