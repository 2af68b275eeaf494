"""What is looked at of a sweep: the tab, the statistic, its ratio, and what a map shows."""

from contextlib import suppress
from dataclasses import replace

from attn_tui.compute.errors import InputError
from attn_tui.compute.sweep.settings import Settings
from attn_tui.old.tui import looking
from attn_tui.old.tui.choices import Choice
from attn_tui.old.tui.parts import AskingHost
from attn_tui.old.tui.sweep.drawing import tab_of
from attn_tui.old.tui.sweep.view import TABS, Shown
from attn_tui.sweep.names import NAMES


class Looking(looking.Looking[AskingHost]):
    """Which tab, statistic and rule."""

    @property
    def present(self) -> str:
        """The tab that is shown."""
        return "numbers" if self._screen.view.numbers else tab_of(self._screen.settings)

    def next_tab(self, by: int = 1) -> None:
        """Sweep the next of both, d_k and n; or show the numbers."""
        names = list(TABS)
        self.tab(names[(names.index(self.present) + by) % len(names)])

    def tab(self, name: str) -> None:
        """Sweep d_k, n, or both as a map; or show the numbers in place of the chart, or not."""
        view = self._screen.view
        if name == "numbers":
            self._screen.look(replace(view, numbers=not view.numbers, top=0))
        else:
            shown = replace(view.shown, ratio=name == "map")
            with suppress(InputError):
                # Where there is nothing to compare, a map shows what there is.
                shown.put(self._screen.settings)
                view = replace(view, shown=shown)
            self._screen.look(replace(view, numbers=False))
            self._sweep(name)

    def _sweep(self, name: str) -> None:
        def change(old: Settings) -> Settings:
            if name == "map":
                return replace(old, view="map")
            return replace(old, view="curves", over="n" if name == "n" else "d_k")

        self._screen.fields.ask(lambda setup: setup.put(change(setup.get(Settings))))

    def choose_statistic(self) -> None:
        """Offer the statistics."""
        offered = [
            Choice(name, named.short, named.words, note=named.symbol)
            for name, named in NAMES.items()
        ]
        present = self._screen.settings.statistic
        self._screen.choosing.choose("Statistic", offered, present, self.statistic)

    def statistic(self, name: str) -> None:
        """Show a statistic by its name."""
        statistic = next(each for each in NAMES if each == name)
        self.show(replace(self._screen.view.shown, statistic=statistic))

    def ratio(self) -> None:
        """Show the statistic unscaled over scaled, or by itself."""
        shown = self._screen.view.shown
        self.show(replace(shown, ratio=not shown.ratio))

    def show(self, shown: Shown) -> None:
        """Look at another statistic, or say why that cannot be."""
        try:
            shown.put(self._screen.settings)
        except InputError as error:
            self._screen.notify(str(error), timeout=4, markup=False)
        else:
            self._screen.look(replace(self._screen.view, shown=shown))

    def other_of(self) -> None:
        """Let the map show the other of mean and median."""
        view = self._screen.view
        self._screen.look(replace(view, of="mean" if view.of == "median" else "median"))

    def other_rule(self) -> None:
        """Let the map show the next rule."""
        view = self._screen.view
        self._screen.look(replace(view, rule=view.rule + 1))
