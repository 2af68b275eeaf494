"""Ways of looking that the instruments have in common, and the line of tabs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from attn_tui.old.tui.choices import Choice
from attn_tui.old.tui.parts import H, Part
from attn_tui.old.tui.view import Tab, View
from attn_tui.old.tui.widgets.bar import Item


class Looking(Part[H]):
    """Tabs, the side, and switches of the view."""

    NAME = "looking"

    @property
    def present(self) -> str:
        """The tab that is shown."""
        view: View = self._screen.view
        return view.present(self._screen.narrow)

    def offers(self, name: str) -> bool:
        """Return whether there is something to look at in a tab."""
        return True

    def next_tab(self, by: int = 1) -> None:
        """Show the next tab that has something to look at, or the one before."""
        narrow, tabs = self._screen.narrow, self._screen.TABS
        names = [name for name, tab in tabs.items() if narrow or not tab.apart]
        names = [name for name in names if name == self.present or self.offers(name)]
        if len(names) == 1:
            self._screen.notify("There is nothing else to look at yet", timeout=3)
        else:
            self.tab(names[(names.index(self.present) + by) % len(names)])

    def tab(self, name: str) -> None:
        """Show a tab by its name."""
        view = self._screen.view
        chart = view.chart if self._screen.TABS[name].apart else name
        self._screen.look(replace(view, tab=name, chart=chart))

    def other_side(self) -> None:
        """Show the other side where there is room for one."""
        self._screen.look(self._screen.view.other_side())

    def commands(self) -> Iterable[Choice]:
        """Yield each tab."""
        for name, tab in self._screen.TABS.items():
            if not self.offers(name):
                continue
            yield Choice(f"looking.tab('{name}')", f"Tab {tab.title}", "Show this tab")


def titles_of(tabs: Mapping[str, Tab], narrow: bool) -> dict[str, str]:
    """Return what tabs are called, by name: those there are where it is narrow, or roomy."""
    return {
        name: tab.short if narrow else tab.title
        for name, tab in tabs.items()
        if narrow or not tab.apart
    }


def tab_items(
    titles: Mapping[str, str],
    present: str,
    focused: bool,
    ends: Sequence[Item],
    width: int,
    padding: str = " ",
) -> list[Item]:
    """Return a line of tabs, the present one among those there is room for.

    Args:
        titles: Of each tab, by its name.
        present: The name of the one that is shown.
        focused: Whether it has the keys.
        ends: What stands behind the tabs.
        width: Cells.
        padding: What stands around each title.
    """
    items = []
    for name, title in titles.items():
        role = ("focus" if focused else "tab") if name == present else "muted"
        text = f"{padding}{title}{padding}"
        items.append(Item(((text, role), ("│", "axis")), f"looking.tab('{name}')"))
    here = list(titles).index(present)
    first, room = 0, width - sum(item.width for item in ends) - 1
    while first < here and sum(item.width for item in items[first : here + 1]) > room:
        first += 1
    last = here
    while last < len(items) and sum(item.width for item in items[first : last + 1]) <= room:
        last += 1
    shown = items[first:last]
    if shown and not ends:
        # The last one is parted from nothing.
        shown[-1] = replace(shown[-1], row=(shown[-1].row[0], ("─", "axis")))
    start = Item((("…" if first else "─" if padding else "", "axis"),))
    line = [start, *shown, *ends]
    rest = width - sum(item.width for item in line)
    return [*line, Item((("─" * max(rest, 0), "axis"),))]
