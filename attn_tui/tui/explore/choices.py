"""What the Explore screen offers by name: rules, models, sources and examples."""

from collections.abc import Iterator

from attn_tui.compute.models import MODELS
from attn_tui.compute.scale import RULES, Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Kind
from attn_tui.files.attachments import score_text
from attn_tui.files.examples import EXAMPLES
from attn_tui.report.numbers import general
from attn_tui.tui.dialogs import Choice
from attn_tui.tui.instrument_screen import Command

SOURCES: dict[Kind, tuple[str, str]] = {
    "typed": ("typed", "your own numbers; d_k moves only what they are divided by"),
    "drawn": ("drawn", "q and k of independent N(0, 1) entries; d_k moves the scores too"),
    "vectors": ("from q and K", "your own queries and keys, values too; d_k is their length"),
}
"""The kinds of source: their names and what they are."""


def rules(setup: Setup, n_attended: int) -> list[Choice]:
    """Return every rule with its formula, its source and what it is at this d_k and n."""
    choices = []
    for name, rule in RULES.items():
        scale = Scale(name, setup.scale.given if name == setup.scale.rule else ())
        m = scale.multiplier(setup.d_k, max(n_attended, 1))
        users = f"used by {rule.users}\n  " if rule.users else ""
        here = f"at d_k = {setup.d_k}, n = {n_attended:,}: × {general(m, 5)}"
        detail = f"{rule.summary}\n  {users}{rule.source}\n  {here}"
        choices.append(Choice(name, f"{name}: m = {scale.formula}", detail))
    return choices


def models() -> list[Choice]:
    """Return every model with its d_k and its scale."""
    return [
        Choice(
            name,
            f"{model.title}: d_k = {model.d_k}",
            f"{model.scale.pipeline}\n  d_model {model.d_model}, {model.heads} heads"
            + (f"\n  {model.note}" if model.note else ""),
        )
        for name, model in MODELS.items()
    ]


def sources() -> list[Choice]:
    """Return every kind of source."""
    return [Choice(kind, title, detail) for kind, (title, detail) in SOURCES.items()]


def examples() -> list[Choice]:
    """Return every example with what to look at."""
    return [Choice(name, example.title, example.look) for name, example in EXAMPLES.items()]


def parameters_text(name: str, present: Scale) -> str:
    """Return a rule's parameters as text, exactly: the present ones, if the rule is present."""
    scale = present if present.rule == name else Scale(name)
    return ", ".join(f"{key}={score_text(value)}" for key, value in scale.parameters.items())


def commands() -> Iterator[Command]:
    """Yield a command for each rule, model, source and example."""
    for name, rule in RULES.items():
        meaning = f"m = {rule.formula}: {rule.summary}"
        yield Command(f"Rule {name}", meaning, f"screen.rule('{name}')")
    for name, model in MODELS.items():
        meaning = f"d_k = {model.d_k}, {model.scale.pipeline}"
        yield Command(f"Model {model.title}", meaning, f"screen.model('{name}')")
    for kind, (title, detail) in SOURCES.items():
        yield Command(f"Scores {title}", detail, f"screen.source('{kind}')")
    for name, example in EXAMPLES.items():
        yield Command(f"Example {example.title}", example.look, f"screen.example('{name}')")
