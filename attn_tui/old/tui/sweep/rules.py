"""The rules that a sweep compares."""

from dataclasses import replace

from attn_tui.compute.scale import RULES, Scale, parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.sweep.settings import compared
from attn_tui.old.tui.choices import Choice
from attn_tui.old.tui.parts import AskingHost
from attn_tui.old.tui.scale import ModelPart, rules


class Rules(ModelPart[AskingHost]):
    """Several rules at once, and the heads of models."""

    @property
    def compared(self) -> tuple[str, ...]:
        """The rules as text."""
        asked = self._screen.asked
        return compared(self._screen.settings, asked.experiment.setup.scale if asked else Scale())

    def choose_rule(self) -> None:
        """Offer the rules, several at once."""
        present = self.compared
        typed = [rule for rule in present if rule not in RULES]
        offered = [replace(each, note="") for each in rules(Setup(), 2)]
        offered += [
            Choice(rule, rule, f"m = {parse_scale(rule).formula}\nTyped as text") for rule in typed
        ]

        def take(chosen: tuple[str, ...]) -> None:
            if chosen != present:
                self._screen.fields.put("rules", lambda _: chosen)

        self._screen.choosing.choose_several("Rules to compare", offered, present, take)

    def type_rules(self) -> None:
        """Ask for the rules as text; an empty text is none and the rule that all share."""
        self._screen.fields.type("rules")
