"""The rule on the screen of Heads: what the output says, or one that is asked whatever it says."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from attn_tui.compute.scale import DEFAULT_RULE, Scale, parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.engine.settings import Settings
from attn_tui.old.tui import settings
from attn_tui.old.tui.choices import Choice
from attn_tui.old.tui.scale import ScalePart
from attn_tui.old.tui.settings import under

AUTO = "auto"
RULE = replace(settings.RULE, takes="scale.ask")
"""The setting."""

_AUTO = Choice(
    AUTO, f"{AUTO:<13}1/√d_k or a fit's",
    "1/√d_k, or the m that the doctor's fit finds where that misses the captured output", "fit",
)  # fmt: skip


class HeadsScale(ScalePart):
    """The rule of captured heads. One that is asked for is taken wherever it misses the output."""

    def at(self, setup: Setup) -> Setup:
        """Return a setup with the d_k of the head under the cursor."""
        heads: Any = self._screen.parts["heads"]
        here, answer = heads.here, self._screen.answer
        return replace(setup, d_k=answer.table.capture.shape(here).d_k) if here else setup

    def offered(self, setup: Setup) -> list[Choice]:
        """Return what the output says, and the rules there are."""
        return [_AUTO, *super().offered(setup)]

    def present(self, setup: Setup) -> str:
        """Return which of them is asked."""
        is_auto = setup.scale.is_default and not setup.get(Settings).what_if
        return AUTO if is_auto else setup.scale.rule

    def take(self, rule: Scale) -> Callable[[Setup], Setup]:
        """Return the change that asks for a rule, whatever the output says."""
        return lambda setup: _what_if(under(rule)(setup), rule.is_default)

    def rule(self, name: str) -> None:
        """Use a rule by its name, or what the output says."""
        if name == AUTO or Scale(name).is_by_layer:
            self._screen.fields.ask(self._becomes(name))
        else:
            super().rule(name)

    def ask(self, text: str) -> None:
        """Use a rule as it is typed."""
        self._screen.fields.ask(self.take(parse_scale(text)))

    def _new(self, name: str) -> Scale:
        """Return a rule that is not asked yet: each head has that of its own layer."""
        heads: Any = self._screen.parts["heads"]
        here = heads.here
        return Scale(name).at_layer(here.layer) if here else Scale(name)

    def _becomes(self, name: str) -> Callable[[Setup], Setup]:
        if name == AUTO:
            return lambda setup: _what_if(under(Scale(DEFAULT_RULE))(setup), False)
        return super()._becomes(name)


def _what_if(setup: Setup, asked: bool) -> Setup:
    return setup.put(replace(setup.get(Settings), what_if=asked))
