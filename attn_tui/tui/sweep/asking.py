"""What the keys of the Sweep screen do that ask something else."""

from abc import abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from attn_tui.charts.sweep.curves import nearest
from attn_tui.compute.errors import InputError
from attn_tui.compute.log_scale import N_KEYS
from attn_tui.compute.scale import RULES, Scale, parse_scale
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep.points import Place
from attn_tui.compute.sweep.settings import Settings, compared, rule_text
from attn_tui.compute.whole import parse_whole
from attn_tui.files.draft import Draft
from attn_tui.files.sweeps import range_text, read_range, read_rules
from attn_tui.report.sweep.names import NAMES, others
from attn_tui.tui import edits
from attn_tui.tui.dialogs import Choice, SeveralDialog
from attn_tui.tui.scaling import ScalingScreen
from attn_tui.tui.state import Edit, Gesture
from attn_tui.tui.sweep.drawing import TABS, tab_of
from attn_tui.tui.sweep.view import Shown, View
from attn_tui.tui.widgets.slider import SLIDE

Change = Callable[[Settings], Settings]


class AskingActions(ScalingScreen):
    """Actions that change what is asked.

    Attributes:
        view: What is looked at.
    """

    def __init__(self) -> None:
        super().__init__()
        self.view = View()

    @property
    def settings(self) -> Settings:
        """What is asked of this instrument, with the statistic that is looked at."""
        asked = self.asked.draft.setup.get(Settings) if self.asked else Settings()
        with suppress(InputError):
            return self.view.shown.put(asked)
        return replace(asked, statistic=self.view.shown.statistic)

    @abstractmethod
    def action_stop(self) -> None:
        """Stop drawing, or go on."""

    def change(self, change: Change, gesture: Gesture | None = None) -> None:
        """Ask something else of this instrument, or say why that cannot be asked."""
        try:
            change(self.settings).check_vectors()
        except InputError as error:
            self.notify(str(error), timeout=4, markup=False)
            return
        self.ask(_edit(change), gesture)

    # n

    def ask_n(self, change: Callable[[int], int], gesture: Gesture | None = None) -> None:
        """Ask for another n."""
        self.change(lambda old: replace(old, n=N_KEYS.clamp(change(old.n))), gesture)

    def action_step_n(self, steps: int) -> None:
        """Move n by stops."""
        self.ask_n(lambda value: N_KEYS.step(value, steps), SLIDE)

    def action_type_n(self) -> None:
        """Ask for n."""
        self.request("n", str(self.settings.n), N_KEYS.parse, lambda n: self.ask_n(lambda _: n))

    # What is swept

    def action_next_tab(self) -> None:
        """Sweep the next of d_k, n and both."""
        names = list(TABS)
        self.change(lambda old: _at(old, names[(names.index(tab_of(old)) + 1) % len(names)]))

    def action_tab(self, name: str) -> None:
        """Sweep d_k, n, or both as a map."""
        self.change(lambda old: _at(old, name))

    def action_type_d_k_range(self) -> None:
        """Ask for the range of d_k."""
        self._request_range("d_k_range", "d_k from:to")

    def action_type_n_range(self) -> None:
        """Ask for the range of n."""
        self._request_range("n_range", "n from:to")

    def _request_range(self, field: str, label: str) -> None:
        def read(text: str) -> dict[str, Any]:
            return {field: read_range(field, text)}

        self._request_settings(label, range_text(getattr(self.settings, field)), read)

    # The statistic and the rules

    def action_choose_statistic(self) -> None:
        """Offer the statistics."""
        offered = [
            Choice(name, f"{named.symbol}: {named.short}", named.words)
            for name, named in NAMES.items()
        ]
        self.choose("Statistic", offered, self.settings.statistic, self.action_statistic)

    def action_statistic(self, name: str) -> None:
        """Show a statistic by its name."""
        statistic = next(each for each in NAMES if each == name)
        self.look_at(replace(self.view.shown, statistic=statistic))

    def action_ratio(self) -> None:
        """Show the statistic unscaled over scaled, or by itself."""
        self.look_at(replace(self.view.shown, ratio=not self.view.shown.ratio))

    @abstractmethod
    def look_at(self, shown: Shown) -> None:
        """Look at another statistic, or say why that cannot be."""

    def action_choose_rule(self) -> None:
        """Offer the rules, several at once."""
        present = self._rules
        typed = [rule for rule in present if rule not in RULES]
        offered = [
            Choice(name, f"{name}: m = {Scale(name).formula}", rule.summary)
            for name, rule in RULES.items()
        ]
        offered += [
            Choice(rule, f"{rule}: m = {parse_scale(rule).formula}", "typed") for rule in typed
        ]

        def done(chosen: tuple[str, ...] | None) -> None:
            if chosen is not None and chosen != present:
                self.change(lambda old: replace(old, rules=chosen))

        self.app.push_screen(SeveralDialog("Rules to compare", offered, present), done)

    def action_type_rules(self) -> None:
        """Ask for the rules as text; an empty text is none and the rule that all share."""

        def read(text: str) -> dict[str, Any]:
            return {"rules": read_rules(text)}

        self._request_settings("rules", ", ".join(self._rules), read)

    @property
    def _rule_there(self) -> str:
        """The rule under which Explore opens: one that is compared."""
        if (shown := self.rule_shown) is not None:
            return shown
        own, rules = parse_scale(rule_text(self.scale_asked)), self._rules
        candidates = [rule for rule in rules if parse_scale(rule) == own]
        return [*candidates, *others(rules), *rules][0]

    @property
    def _rules(self) -> tuple[str, ...]:
        return compared(self.settings, self.scale_asked)

    # Draws

    def action_type_draws(self) -> None:
        """Ask how many vectors are drawn at each place."""
        self._request_number("draws", "draws")

    def action_type_points(self) -> None:
        """Ask at how many places vectors are drawn."""
        self._request_number("points", "map_points" if self.settings.view == "map" else "points")

    def action_type_seed(self) -> None:
        """Ask for the seed."""
        self._request_number("seed", "seed")

    def action_draw_anew(self) -> None:
        """Draw with the next seed."""
        self.change(lambda old: replace(old, seed=old.seed + 1))

    def _request_number(self, label: str, field: str) -> None:
        def read(text: str) -> dict[str, Any]:
            return {field: parse_whole(label, text)}

        self._request_settings(label, str(getattr(self.settings, field)), read)

    def _request_settings(
        self, label: str, value: str, read: Callable[[str], dict[str, Any]]
    ) -> None:
        """Ask for a text that says some settings; what cannot be asked is refused at once."""

        def tried(text: str) -> Change:
            changes = read(text)
            replace(self.settings, **changes).check_vectors()
            return lambda old: replace(old, **changes)

        self.request(label, value, tried, self.change)

    # Explore

    @property
    @abstractmethod
    def place(self) -> Place:
        """The n and d_k under the cursor."""

    @property
    @abstractmethod
    def rule_shown(self) -> str | None:
        """The rule that a map shows, as text; None of curves, which show several."""

    def action_explore(self) -> None:
        """Open Explore on a vector drawn where the cursor is, with the seed of the sweep."""
        if self.asked:
            n, d_k = self.place
            vector = Drawn(n, self.settings.seed)
            to_d_k, to_rule = edits.d_k(lambda _: d_k), _under(self._rule_there, self._rules)
            self.ask(lambda draft: to_rule(to_d_k(draft.asking(vector))))
            self.run_worker(self.run_action("app.instrument('explore')"))


def _at(settings: Settings, tab: str) -> Settings:
    """Return settings that sweep what a tab shows."""
    if tab == "map":
        return replace(settings, view="map")
    return replace(settings, view="curves", over="n" if tab == "n" else "d_k")


def _under(rule: str, rules: tuple[str, ...]) -> Edit:
    """Return an edit that uses a rule of those compared, and goes on comparing them."""
    new = parse_scale(rule)

    def edit(draft: Draft) -> Draft:
        if new == parse_scale(rule_text(draft.setup.scale)):
            return draft
        # If none were chosen, the rule that all share is one of those compared.
        keep = edits.settings(Settings, lambda old: replace(old, rules=old.rules or rules))
        draft = keep(draft)
        return edits.scale(lambda old: replace(old, rule=new.rule, given=new.given))(draft)

    return edit


def _edit(change: Change) -> Edit:
    """Return an edit that leaves all as it was if the newest settings cannot be changed so."""

    def edit(draft: Draft) -> Draft:
        try:
            return edits.settings(Settings, change)(draft)
        except InputError:
            return draft

    return edit


def moved(places: tuple[int, ...], here: int, by: int) -> int:
    """Return the place so many places from the one nearest to here, if not beyond the ends."""
    at = places.index(nearest(places, here)) + by
    return places[min(max(at, 0), len(places) - 1)]
