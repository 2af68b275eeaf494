"""Opening the screen of an instrument from its command."""

import os
import sys
from dataclasses import replace
from typing import Any, TextIO

import click

from attn_tui.compute.errors import inert
from attn_tui.console.output import NAME, tell, write
from attn_tui.instruments import Instrument, load

_WITHOUT_SCREEN = ("dumb", "unknown")
"""Terminals that print escape sequences as text."""


def open_instrument(
    instrument: Instrument,
    options: dict[str, Any],
    theme: str | None,
    no_mouse: bool,
    ascii: bool,
    resume: bool = False,
    fresh: bool = False,
    session: str | None = None,
    is_asked: bool = True,
    has_question: bool = True,
) -> None:
    """Open the screen of an instrument on the experiment that its options describe.

    It ends the process, unless there is no terminal.

    Args:
        instrument: The instrument.
        options: The options of its command.
        theme: The name of a theme, or None for the one chosen last.
        no_mouse: Whether the mouse is left to the terminal.
        ascii: Whether to draw in ASCII.
        resume: Whether to take up the last session.
        fresh: Whether not to offer it.
        session: The file of a session to take up and to keep up to date, or None.
        is_asked: Whether the screen was asked for, and not only the scores given.
        has_question: Whether anything is asked, so that no session is offered in its place.

    Raises:
        InputError: If there is no such theme, or an option cannot be used.
    """
    from attn_tui.ui.preferences_file import preferences

    preferred = preferences()
    if theme is not None:
        from attn_tui.ui.theme import check_theme

        # First, since --theme without a name takes the scores for one.
        check_theme(theme, preferred.themes)
    if not has_terminal():
        mention_missing_terminal(is_asked)
        return
    check_terminal(instrument.command_name)
    experiment = load(instrument.to_experiment)(options)
    from attn_tui.commands.sessions import chosen
    from attn_tui.console.asking import mention_unread_input
    from attn_tui.files.draft import draft_of
    from attn_tui.ui.terminal.background import asked

    keeping, opened = chosen(resume, fresh, session, has_question)
    if not preferred.offer_session:
        keeping = replace(keeping, offered=None)
    draft = draft_of(experiment)
    if preferred.d_k is not None and not has_question:
        draft = replace(draft, setup=replace(draft.setup, d_k=preferred.d_k))

    if "scores" in options:
        mention_unread_input(options)
    take_keys()
    with asked(theme or preferred.theme or None) as background:
        from attn_tui.ui.running import run

        run(
            draft, mouse=not no_mouse, theme=theme, instrument=instrument.name,
            ascii=ascii, background=background, keeping=keeping, opened=opened,
            preferred=preferred,
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
    return not missing_terminal()


def missing_terminal() -> str:
    """Return why we cannot show a screen and read keys, or nothing."""
    outputs = {"standard output": sys.__stdout__, "standard error": sys.__stderr__}
    others = [name for name, stream in outputs.items() if not _is_terminal(stream)]
    if len(others) == 1:
        return f"{others[0]} is no terminal"
    if others:
        return f"{' and '.join(others)} are no terminals"
    if sys.__stdin__ is None:
        return "standard input is closed"
    if not sys.__stdin__.isatty():
        try:
            os.close(os.open("/dev/tty", os.O_RDWR))
        except OSError:
            return "standard input is no terminal, and no other one sends keys"
    return ""


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def mention_missing_terminal(is_asked: bool) -> None:
    """Say why a report is printed in place of a screen, where that is not what was meant.

    Whoever sends standard output elsewhere wants the report, unless the screen was asked for.
    """
    if not (is_asked or _is_terminal(sys.__stdout__)):
        return
    reason = f"there is no screen: {missing_terminal()}"
    if _is_terminal(sys.__stdout__) and not _is_terminal(sys.__stderr__):
        # The terminal shows standard output alone.
        write([f"{NAME}: {reason}\n"])
    else:
        tell(reason)


def take_keys() -> None:
    """Read keys from the terminal if standard input is a file or a pipe."""
    if sys.__stdin__ is not None and not sys.__stdin__.isatty():
        terminal = os.open("/dev/tty", os.O_RDWR)
        os.dup2(terminal, 0)
        os.close(terminal)
