"""The table of keys as a widget: four column blocks, so that a step sends what it changes."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.old.tui.actions import Action, Section, bindings, down_a_list, quiet, textual_action
from attn_tui.old.tui.explore.charts import key_target
from attn_tui.old.tui.explore.order import Keys
from attn_tui.old.tui.explore.table_rows import key_width, title_row
from attn_tui.old.tui.widgets.canvas import Canvas, Target
from attn_tui.old.tui.widgets.wheel import Wheeled
from attn_tui.report.rows import Row

ACTIONS = (
    Action(
        "looking.move(-1)", ("up", "k"), "up, down", "Key",
        "Go to another key; with shift select keys from here", palette=False,
    ),
    *down_a_list("looking.move", "page(-1)", "page(1)", "j"),
    quiet("looking.select(-1)", "shift+up"),
    quiet("looking.select(1)", "shift+down"),
    Action(
        "looking.next_vector(-1)", ("left", "h"), "left, right", "Vector", "Go to another vector",
        palette=False,
    ),
    quiet("looking.next_vector(1)", "right", "l"),
    Action(
        "scores.gradient_of", ("enter",), "enter", "Gradient",
        "Show the gradient of this key's weight", palette=False,
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Page:
    """What the table shows.

    Attributes:
        answer: The numbers.
        keys: The keys that are in sight, in their order.
        rows: The heads of the columns, and rows for each key.
        before: How many of their cells stand before the gradient.
        titles: The titles of the left and the right half.
        statistics: The lines below the keys.
        titled: Whether a line with the titles stands above the heads of the columns.
        apart: Whether a line that is no key's stands before the last key.
        tall: How many lines a key takes; 1 where keys stand apart.
        half: Which half is shown alone, if one is.
        ranked: Whether the largest weights stand first.
    """

    answer: VectorAnswer

    keys: Keys
    rows: Sequence[Row]
    before: int
    titles: tuple[str, str]
    statistics: Sequence[Row]
    titled: bool = True
    apart: bool = False
    tall: int = 1
    half: str = ""
    ranked: bool = False

    @property
    def head(self) -> int:
        """Lines above the keys."""
        return 2 if self.titled else 1

    def key(self, line: int) -> int | None:
        """Return the key on a line below the heads, if there is one."""
        lines = self.keys.tolist()
        if self.apart:
            lines.insert(-1, None)
        place = line // self.tall
        return lines[place] if 0 <= place < len(lines) else None

    def target(self, x: int, y: int) -> Target | None:
        """Return what a click on a cell does: on a key, or on what stands above the keys."""
        if (key := self.key(y - self.head)) is not None:
            return key_target(self.answer, key)
        if y >= self.head:
            return None
        is_key = x < key_width(self.answer)
        if x >= self.before or (self.half == "gradient" and not is_key):
            other = "logits z" if self.answer.wrt == "scores" else "scores s"
            return Target("fields.next('wrt')", f"Take the gradient with respect to the {other}")
        if self.ranked and (is_key or y < self.head - 1):
            return Target("looking.sort('position')", "Sort by key")
        if not (self.ranked or is_key):
            return Target("looking.sort('weight')", "Sort by weight, the largest first")
        return None


class KeyTable(Vertical, Wheeled, can_focus=True):
    """Shows a page of keys with their weights and gradients."""

    DEFAULT_CSS = """
    KeyTable { height: auto; }
    KeyTable #blocks { height: 1fr; }
    KeyTable #statistics { height: 2; }
    """
    BLANK = True
    BINDINGS = bindings(ACTIONS)
    SECTION = Section("In the table", ACTIONS)

    wheel = "looking.move({})"
    page: Page | None = None

    class Resized(Message):
        """There is room for more keys, or for fewer."""

    def compose(self) -> ComposeResult:
        """Lay out the column blocks and the statistics."""
        yield Canvas(id="blocks")
        yield Canvas(id="statistics")

    def show_page(self, page: Page) -> None:
        """Show a page."""
        self.page = page
        self._draw()

    def _draw(self) -> None:
        page = self.page
        if page is None:
            return
        widths = page.before, self.size.width - page.before
        titles = tuple(
            span
            for title, width in zip(page.titles, widths, strict=True)
            for span in (title_row(title, width, self.has_focus) if title else ())
        )
        rows = [titles, *page.rows] if page.titled else page.rows
        blocks = self.query_one("#blocks", Canvas)
        blocks.show(rows)
        blocks.targets = page.target
        statistics = self.query_one("#statistics", Canvas)
        statistics.styles.height = len(page.statistics)
        statistics.show(page.statistics)

    def on_resize(self) -> None:
        """Draw the titles anew in the new width, and let there be as many keys as fit."""
        self._draw()
        self.post_message(self.Resized())

    def watch_has_focus(self, has_focus: bool) -> None:
        """Show where the keys go."""
        super().watch_has_focus(has_focus)
        self._draw()

    async def action_page(self, pages: int) -> None:
        """Move the cursor by what is in sight."""
        in_sight = len(self.page.keys) if self.page else 1
        await self.run_action(textual_action(f"looking.move({pages * in_sight})"))
