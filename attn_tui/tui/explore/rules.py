"""The scale rules as a list to choose from, as commands, and as text to edit."""

from collections.abc import Iterator

from attn_tui.compute.scale import RULES, Scale
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import score_text
from attn_tui.report.numbers import general
from attn_tui.tui.dialogs import Choice
from attn_tui.tui.instrument_screen import Command


def choices(setup: Setup, n_keys: int) -> list[Choice]:
    """Return every rule with its formula, its source and what it is at this d_k."""
    return [
        Choice(
            name,
            f"{name}: m = {rule.formula}",
            f"{rule.summary}\n  {rule.source}\n  "
            f"here × {general(Scale(name).multiplier(setup.d_k, n_keys), 5)}",
        )
        for name, rule in RULES.items()
    ]


def parameters_text(name: str, present: Scale) -> str:
    """Return a rule's parameters as text, exactly: the present ones, if the rule is present."""
    scale = present if present.rule == name else Scale(name)
    return ", ".join(f"{key}={score_text(value)}" for key, value in scale.parameters.items())


def commands() -> Iterator[Command]:
    """Yield a command for each rule."""
    for name, rule in RULES.items():
        meaning = f"m = {rule.formula}: {rule.summary}"
        yield Command(f"Rule {name}", meaning, f"screen.rule('{name}')")
