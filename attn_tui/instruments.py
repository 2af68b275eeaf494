"""The registry of instruments; an entry names the parts of one and imports none of them."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Instrument:
    """An instrument. Its parts are given as ``"module:name"`` and imported when needed.

    Attributes:
        name: Its name in JSON and in the program, and its folder.
        title: Its name on the screen.
        number: The key that opens it.
        summary: What it shows, in one line.
        command_name: The name of its subcommand, and of the function in `attn_tui.commands.line`
            that writes its command line.
        settings: Its own settings, a frozen dataclass of plain values with defaults.
        answer: A function from an experiment to an iterator of better and better answers.
        screen: A subclass of `attn_tui.ui.instrument_screen.InstrumentScreen`.
        views: The names of its views and other words for them, by the id of the pane, or empty.
        short: A shorter title for narrow screens, if it needs one.
        synonyms: Other words by which it can be searched for.
        items: A function that returns `Item`s, what of it the palette finds, or empty.
    """

    name: str
    title: str
    number: int
    summary: str
    command_name: str
    settings: str
    answer: str
    screen: str
    short: str = ""
    views: str = ""
    synonyms: tuple[str, ...] = ()
    items: str = ""

    @property
    def label(self) -> str:
        """Its key and title, as on a tab."""
        return f"{self.number} {self.title}"

    @property
    def short_label(self) -> str:
        """The same on narrow screens."""
        return f"{self.number} {self.short or self.title}"

    @property
    def command(self) -> str:
        """Its click command."""
        return f"attn_tui.{self.name}.command:{self.command_name}"

    @property
    def to_experiment(self) -> str:
        """A function from the values of its command's options to an experiment."""
        return f"attn_tui.{self.name}.command:to_experiment"

    @property
    def line(self) -> str:
        """A function from an ``attn_tui.files.history.Question`` to its command line."""
        return f"attn_tui.commands.line:{self.command_name}"


@dataclass(frozen=True)
class Item:
    """Something that an instrument can show, and that the palette finds.

    Attributes:
        text: The value of the first setting of the instrument that shows it.
        title: Its title.
        help: What there is to say about it.
        synonyms: Other words by which it can be searched for.
        topics: Words of its topics, which lead to it.
        unseen: What else there is to say about it, which is searched by whole words.
    """

    text: str
    title: str
    help: str
    synonyms: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    unseen: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """All its names."""
        return (self.title, *self.synonyms)

    @property
    def description(self) -> str:
        """All that there is to say about it."""
        return f"{self.help} {self.unseen}"


def _instrument(
    number: int, title: str, command_name: str, summary: str, **overrides: Any
) -> Instrument:
    """Return an instrument with its parts in the usual places, unless others are given."""
    name = overrides.pop("name", title.lower())
    answered_in = overrides.pop("answered_in", f"attn_tui.compute.{name}")
    return Instrument(
        name,
        title,
        number,
        summary,
        command_name,
        settings=f"{answered_in}.settings:Settings",
        answer=f"{answered_in}.answer:answer",
        screen=f"attn_tui.{name}.screen:{name.title()}Screen",
        views=overrides.pop("views", f"attn_tui.{name}.views:VIEW_TITLES"),
        **overrides,
    )


INSTRUMENTS: tuple[Instrument, ...] = (
    _instrument(1, "Explore", "show", "weights and their gradient, unscaled beside scaled"),
    _instrument(
        2, "Dot products", "dot", "where the variance d_k of q·k comes from",
        name="dots", short="Dots",
        synonyms=("variance", "distribution of q·k"),
    ),
    _instrument(3, "Sweep", "sweep", "weights and gradients over d_k and the number of keys",
                synonyms=("compare rules", "crossover", "over n and d_k"),
    ),
    _instrument(
        4, "Attention", "attention", "every row of a head: who looks at whom",
        synonyms=("heat map", "tokens", "head", "attention map"),
    ),
    _instrument(
        5, "Heads", "heads", "statistics of every head of a capture",
        answered_in="attn_tui.engine",
        synonyms=("capture", "saturation", "layers", "safetensors", "doctor"),
    ),
    _instrument(
        6, "Claims", "claim", "one thing said about dividing by √d_k, tried",
        answered_in="attn_tui.claims", views="", items="attn_tui.claims.ledger:items",
        synonyms=(
            "errors in articles", "myths", "mistakes", "false", "wrong", "what articles say",
            "statements",
        ),
    ),
)  # fmt: skip


GUIDE = "attn_tui.tour.guide:Guide"
"""What leads the program through a tour; a tour imports the program."""

ASKED_BY = "attn_tui.console.asking:asked_by"
"""A function from a command line to its instrument and its experiment, which imports click."""


def load(part: str) -> Any:
    """Import something of this program that is given as ``"module:name"``."""
    module, _, name = part.partition(":")
    return getattr(import_module(module), name)
