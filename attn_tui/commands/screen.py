"""Opening the screen of an instrument from its command."""

import os
import sys
from typing import Any

import click

from attn_tui.compute.errors import inert
from attn_tui.instruments import Instrument, load

_WITHOUT_SCREEN = ("dumb", "unknown")
"""Terminals that print escape sequences as text."""


def open_instrument(
    instrument: Instrument,
    given: dict[str, Any],
    theme: str | None,
    no_mouse: bool,
    ascii: bool,
) -> int | None:
    """Open the screen of an instrument on the experiment that its options describe.

    Returns:
        The exit status, or None if there is no terminal.

    Raises:
        InputError: If there is no such theme, or an option cannot be used.
    """
    if theme is not None:
        from attn_tui.ui.theme import check_theme

        # First, since --theme without a name takes the scores for one.
        check_theme(theme)
    if not has_terminal():
        return None
    check_terminal(instrument.command_name)
    experiment = load(instrument.to_experiment)(given)
    from attn_tui.commands.asking import mention_unread_input
    from attn_tui.files.draft import draft_of
    from attn_tui.ui.terminal.background import asked

    if "scores" in given:
        mention_unread_input(given)
    take_keys()
    with asked(theme) as background:
        from attn_tui.ui.running import run

        return run(
            draft_of(experiment), mouse=not no_mouse, theme=theme, instrument=instrument.name,
            ascii=ascii, background=background,
        )  # fmt: skip


def check_terminal(instead: str) -> None:
    """Refuse a terminal that cannot show a screen.

    Raises:
        click.ClickException: Naming the terminal, and a command that needs no screen.
    """
    kind = os.environ.get("TERM", "")
    if kind in _WITHOUT_SCREEN:
        problem = f"a terminal of the kind {inert(kind)} (TERM) shows no screen"
        raise click.ClickException(f"{problem}; expected another, or attn-tui {instead}")


def has_terminal() -> bool:
    """Return whether we can show a screen and read keys."""
    outputs = (sys.__stdout__, sys.__stderr__)
    if sys.__stdin__ is None:
        return False
    if not all(stream is not None and stream.isatty() for stream in outputs):
        return False
    if not sys.__stdin__.isatty():
        try:
            os.close(os.open("/dev/tty", os.O_RDWR))
        except OSError:
            return False
    return True


def take_keys() -> None:
    """Read keys from the terminal if standard input is a file or a pipe."""
    if sys.__stdin__ is not None and not sys.__stdin__.isatty():
        terminal = os.open("/dev/tty", os.O_RDWR)
        os.dup2(terminal, 0)
        os.close(terminal)
