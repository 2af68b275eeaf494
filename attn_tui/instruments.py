"""The registry of instruments; an entry names its parts and imports none of them."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Instrument:
    """One way to ask and to look. Parts are ``"module:name"``, imported when needed.

    Attributes:
        name: Its name in JSON and in the program.
        title: Its name on the screen.
        number: The key that leads to it.
        summary: What it shows, in one line.
        settings: A frozen dataclass of plain values with defaults; its question beyond the setup.
        answer: From an experiment to an iterator of answers, which grow; the last one is whole.
        screen: A subclass of `attn_tui.ui.instrument_screen.InstrumentScreen`.
        command: Its click command, which prints what the screen shows; named by its last part.
        line: From an ``attn_tui.files.history.Asked`` to the command line that asks it.
        asked: From the values of its command's options to the experiment they ask.
        json: From an answer to the pieces of a JSON text.
        short: Its name where there is little room, if that is another.
        finds: What else somebody may look for who means it.
    """

    name: str
    title: str
    number: int
    summary: str
    settings: str
    answer: str
    screen: str
    command: str
    line: str
    asked: str
    json: str
    short: str = ""
    finds: str = ""

    @property
    def label(self) -> str:
        """Its key and its name, as on a tab."""
        return f"{self.number} {self.title}"

    @property
    def command_name(self) -> str:
        """What the subcommand is called."""
        return self.command.partition(":")[2]


INSTRUMENTS: tuple[Instrument, ...] = (
    Instrument(
        name="explore",
        title="Explore",
        number=1,
        summary="weights and their gradient, unscaled beside scaled",
        settings="attn_tui.compute.explore.settings:Settings",
        answer="attn_tui.compute.explore.answer:answer",
        screen="attn_tui.explore.screen:ExploreScreen",
        command="attn_tui.explore.command:show",
        line="attn_tui.commands.line:show",
        asked="attn_tui.commands.asking:gradient_experiment_of",
        json="attn_tui.explore.report:json",
    ),
    Instrument(
        name="dots",
        title="Dot products",
        short="Dots",
        finds="histogram, bins, bell, distribution",
        number=2,
        summary="where the variance d_k of q·k comes from",
        settings="attn_tui.compute.dots.settings:Settings",
        answer="attn_tui.compute.dots.answer:answer",
        screen="attn_tui.dots.screen:DotsScreen",
        command="attn_tui.dots.command:dot",
        line="attn_tui.commands.line:dot",
        asked="attn_tui.dots.command:asked",
        json="attn_tui.dots.report:json",
    ),
    Instrument(
        name="sweep",
        title="Sweep",
        number=3,
        summary="weights and gradients over d_k and the number of keys",
        settings="attn_tui.compute.sweep.settings:Settings",
        answer="attn_tui.compute.sweep.answer:answer",
        screen="attn_tui.sweep.screen:SweepScreen",
        command="attn_tui.sweep.command:sweep",
        line="attn_tui.commands.line:sweep",
        asked="attn_tui.sweep.command:asked",
        json="attn_tui.sweep.report:json",
    ),
    Instrument(
        name="attention",
        title="Attention",
        number=4,
        summary="every row of a head: who looks at whom",
        finds="heat map, tokens",
        settings="attn_tui.compute.attention.settings:Settings",
        answer="attn_tui.compute.attention.answer:answer",
        screen="attn_tui.attention.screen:AttentionScreen",
        command="attn_tui.attention.command:attention",
        line="attn_tui.commands.line:attention",
        asked="attn_tui.attention.command:asked",
        json="attn_tui.attention.report:json",
    ),
    Instrument(
        name="heads",
        title="Heads",
        number=5,
        summary="statistics of every head of a capture",
        settings="attn_tui.engine.settings:Settings",
        answer="attn_tui.engine.answer:answer",
        screen="attn_tui.heads.screen:HeadsScreen",
        command="attn_tui.heads.command:heads",
        line="attn_tui.commands.line:heads",
        asked="attn_tui.commands.asking:heads_experiment_of",
        json="attn_tui.heads.comparison:json",
    ),
    Instrument(
        name="claims",
        title="Claims",
        number=6,
        summary="one thing said about dividing by √d_k, tried",
        settings="attn_tui.claims.settings:Settings",
        answer="attn_tui.claims.answer:answer",
        screen="attn_tui.claims.screen:ClaimsScreen",
        command="attn_tui.claims.command:claim",
        line="attn_tui.commands.line:claim",
        asked="attn_tui.claims.command:asked",
        json="attn_tui.claims.report:json",
    ),
)


def load(part: str) -> Any:
    """Import one part of an instrument, named ``"module:name"``."""
    module, _, name = part.partition(":")
    return getattr(import_module(module), name)
