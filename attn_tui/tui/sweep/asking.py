"""What the keys of the Sweep screen do that ask something else."""

from abc import abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from attn_tui.charts.sweep.curves import nearest
from attn_tui.compute.errors import InputError
from attn_tui.compute.field import Field, fields_of
from attn_tui.compute.log_scale import N_KEYS
from attn_tui.compute.scale import RULES, Scale, parse_scale
from attn_tui.compute.setup import FIELDS
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep.places import check_vectors
from attn_tui.compute.sweep.points import Place
from attn_tui.compute.sweep.rules import rule_text
from attn_tui.compute.sweep.settings import Settings, compared
from attn_tui.files.draft import Draft
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

    FIELDS = FIELDS | fields_of(Settings)

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
            check_vectors(change(self.settings))
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
        self.action_type("n")

    # What is swept

    def action_next_tab(self) -> None:
        """Sweep the next of d_k, n and both."""
        names = list(TABS)
        self.change(lambda old: _at(old, names[(names.index(tab_of(old)) + 1) % len(names)]))

    def action_tab(self, name: str) -> None:
        """Sweep d_k, n, or both as a map."""
        self.change(lambda old: _at(old, name))

    def readable(self, field: Field, text: str) -> Any:
        """Return the value that a text says; raises InputError where it could not be asked."""
        value = field.kind.parse(field.key, text)
        if field.owner is Settings:
            check_vectors(replace(self.settings, **{field.name: value}))
        return value

    def ask_field(
        self, name: str, change: Callable[[Any], Any], gesture: Gesture | None = None
    ) -> None:
        """Ask for another value of a field, or say why that cannot be."""
        if self.FIELDS[name].owner is Settings:
            self.change(lambda old: replace(old, **{name: change(getattr(old, name))}), gesture)
        else:
            super().ask_field(name, change, gesture)

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
                self.ask_field("rules", lambda _: chosen)

        self.app.push_screen(SeveralDialog("Rules to compare", offered, present), done)

    def action_type_rules(self) -> None:
        """Ask for the rules as text; an empty text is none and the rule that all share."""
        field, present = self.FIELDS["rules"], self._rules
        self.request(
            field.label, field.kind.text(present),
            lambda text: self.readable(field, text),
            lambda rules: self.ask_field("rules", lambda _: rules),
        )  # fmt: skip

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

    def action_type_points(self) -> None:
        """Ask at how many places vectors are drawn."""
        self.action_type("map_points" if self.settings.view == "map" else "points")

    def action_draw_anew(self) -> None:
        """Draw with the next seed."""
        self.action_next("seed")

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
