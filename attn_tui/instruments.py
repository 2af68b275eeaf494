"""The registry of instruments; an entry names its parts and imports none of them."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Instrument:
    """One way to ask and to look. Parts are ``"module:name"``, imported when needed.

    Attributes:
        name: Its name in JSON and in the program, and its folder.
        title: Its name on the screen.
        number: The key that leads to it.
        summary: What it shows, in one line.
        command_name: What the subcommand is called: its click command, which prints what the
            screen shows, and in `attn_tui.commands.line` what writes its command line.
        settings: A frozen dataclass of plain values with defaults; its question beyond the setup.
        answer: From an experiment to an iterator of answers, which grow; the last one is whole.
        screen: A subclass of `attn_tui.ui.instrument_screen.InstrumentScreen`.
        json: From an answer to the pieces of a JSON text.
        short: Its name where there is little room, if that is another.
        finds: What else somebody may look for who means it.
    """

    name: str
    title: str
    number: int
    summary: str
    command_name: str
    settings: str
    answer: str
    screen: str
    json: str
    short: str = ""
    finds: str = ""

    @property
    def label(self) -> str:
        """Its key and its name, as on a tab."""
        return f"{self.number} {self.title}"

    @property
    def command(self) -> str:
        """Its click command."""
        return f"attn_tui.{self.name}.command:{self.command_name}"

    @property
    def asked(self) -> str:
        """From the values of its command's options to the experiment they ask."""
        return f"attn_tui.{self.name}.command:asked"

    @property
    def line(self) -> str:
        """From an ``attn_tui.files.history.Asked`` to the command line that asks it."""
        return f"attn_tui.commands.line:{self.command_name}"


def _instrument(number: int, title: str, command_name: str, summary: str, **own: str) -> Instrument:
    """Return an instrument whose parts are where they usually are, but for some of its own."""
    name = own.pop("name", title.lower())
    answered_in = own.pop("answered_in", f"attn_tui.compute.{name}")
    return Instrument(
        name,
        title,
        number,
        summary,
        command_name,
        settings=f"{answered_in}.settings:Settings",
        answer=f"{answered_in}.answer:answer",
        screen=f"attn_tui.{name}.screen:{name.title()}Screen",
        **{"json": f"attn_tui.{name}.report:json"} | own,
    )


INSTRUMENTS: tuple[Instrument, ...] = (
    _instrument(1, "Explore", "show", "weights and their gradient, unscaled beside scaled"),
    _instrument(
        2, "Dot products", "dot", "where the variance d_k of q·k comes from",
        name="dots", short="Dots", finds="histogram, bins, bell, distribution",
    ),
    _instrument(3, "Sweep", "sweep", "weights and gradients over d_k and the number of keys"),
    _instrument(
        4, "Attention", "attention", "every row of a head: who looks at whom",
        finds="heat map, tokens",
    ),
    _instrument(
        5, "Heads", "heads", "statistics of every head of a capture",
        answered_in="attn_tui.engine", json="attn_tui.heads.report:json",
    ),
    _instrument(
        6, "Claims", "claim", "one thing said about dividing by √d_k, tried",
        answered_in="attn_tui.claims",
    ),
)  # fmt: skip


def load(part: str) -> Any:
    """Import one part of an instrument, named ``"module:name"``."""
    module, _, name = part.partition(":")
    return getattr(import_module(module), name)
