"""``attn-tui`` without a subcommand: the screen, or the report where there is no terminal."""

import gc
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import click

from attn_tui.commands.asking import (
    are_captures,
    files_text,
    gradient_experiment_of,
    mention_unread_input,
    with_tokens,
)
from attn_tui.commands.names import summaries
from attn_tui.commands.options import (
    GRADIENT,
    SCREEN,
    Command,
    Option,
    all_of,
    of_names,
    option,
    settings,
    shared,
    switch,
    tokens,
)
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.explore.settings import Settings
from attn_tui.instruments import Instrument, load

_WITHOUT_SCREEN = ("dumb", "unknown")
"""Terminals that move no cursor: an escape sequence would stand there as text."""


_EXAMPLES = """\
  attn-tui 100 120 150 --theme textual-light
  attn-tui --draw 1000 --seed 7 --model gemma-2-27b
"""


def _themes() -> dict[str, str]:
    from textual.theme import BUILTIN_THEMES

    return dict.fromkeys(BUILTIN_THEMES, "")


in_ascii = switch("--ascii", "Draw in ASCII, as under TERM=linux.", SCREEN)


OF_HEADS = tuple(
    click.option(f"--{name}", cls=Option, hidden=True) for name in ("rows", "statistic", "tau")
)
"""Options of ``attn-tui heads`` that a capture is opened with: the screen's own line has them."""

_PRINTED = (
    *("layout", "names", "config", "rows", "seed", "statistic", "tau", "mask"),
    *("rule", "softcap", "sink"),
)
"""Options that say the same where the heads are printed; a layer and a head place the cursor."""


@click.command("open", cls=Command, hidden=True, examples=_EXAMPLES)
@shared
@settings(Settings, GRADIENT)
@tokens
@option(
    "--theme",
    "NAME",
    "Its colours, such as textual-light.  [default: as chosen last]",
    SCREEN,
    of_names(_themes),
)
@switch("--no-mouse", "Leave the mouse to the terminal.", SCREEN)
@in_ascii
@lambda command: all_of(OF_HEADS, command)
@click.pass_context
def open_screen(
    context: click.Context,
    /,
    no_mouse: bool,
    ascii: bool,
    theme: str | None,
    tokens: str | None,
    **given: Any,
) -> None:
    """Open the screen on SCORES."""
    if theme is not None:
        from attn_tui.ui.theme import check_theme

        # What is said of the scores may be for want of a theme's name before them.
        check_theme(theme)
    if are_captures(given["scores"] or ()):
        wanted = {name: given[name] for name in (*_PRINTED, "layer", "head")}
        context.exit(
            _open_heads(
                given["scores"], wanted, tokens, mouse=not no_mouse, theme=theme, ascii=ascii
            )
        )
    for name in ("rows", "statistic", "tau"):
        if given[name] is not None:
            raise InputError(name, "nothing is captured", "a capture before it")
    try:
        experiment = with_tokens(gradient_experiment_of(given), tokens)
    except InputError as error:
        if error.field == "scores" and given["scores"] and given["scores"][0].isalpha():
            word, known = given["scores"][0], [*summaries()]
            if word in known:
                expected = f"it first: attn-tui {word} …, with options of its own"
                raise InputError("scores", f"{word} is a command", expected) from None
            like = ", ".join(get_close_matches(word, known) or known)
            expected = f"{error.expected}; or a command: {like}"
            raise InputError("scores", error.problem, expected, error.where) from None
        raise
    mention_unread_input(given)
    if not has_terminal():
        from attn_tui.explore.command import print_report

        gc.enable()
        print_report(experiment, given)
        return
    check_terminal("show")
    from attn_tui.files.draft import draft_of
    from attn_tui.ui.running import run

    draft = draft_of(experiment, files_text(given))
    context.exit(run(draft, mouse=not no_mouse, theme=theme, ascii=ascii))


def _open_heads(
    paths: tuple[str, ...],
    given: dict[str, str | None],
    tokens: str | None,
    mouse: bool,
    theme: str | None,
    ascii: bool,
) -> int:
    """Open the screen on the heads of a capture, or print them where there is no terminal.

    Where it is said what the doctor is to expect, he prints what he found.
    """
    from attn_tui.files.draft import draft_of

    if not has_terminal():
        gc.enable()
        names: Sequence[str] = _PRINTED
        if given["config"] is not None:
            from attn_tui.commands.doctor import doctor as command

            names = ("layout", "names", "config", "seed")
        else:
            from attn_tui.heads.command import heads as command
        words = [*paths]
        for name in names:
            words += [] if given[name] is None else [f"--{name}={given[name]}"]
        return int(command.main(words, standalone_mode=False) or 0)
    check_terminal("heads")
    from attn_tui.commands.asking import heads_experiment_of
    from attn_tui.ui.running import run

    experiment = with_tokens(heads_experiment_of(given | {"captures": paths}), tokens)
    return run(draft_of(experiment), mouse=mouse, theme=theme, instrument="heads", ascii=ascii)


def open_instrument(instrument: Instrument, given: dict[str, Any]) -> int | None:
    """Open the screen of an instrument on what options of its command ask.

    Returns:
        The status, or None where there is no terminal for a screen.
    """
    if not has_terminal():
        return None
    check_terminal(instrument.command_name)
    from attn_tui.files.draft import draft_of
    from attn_tui.ui.running import run

    experiment = load(instrument.asked)(given)
    files = files_text(given) if "scores" in given else ""
    return run(draft_of(experiment, files), instrument=instrument.name)


def check_terminal(instead: str) -> None:
    """Refuse a terminal that shows no screen.

    Raises:
        click.ClickException: Naming its kind, and the command that does without one.
    """
    kind = os.environ.get("TERM", "")
    if kind in _WITHOUT_SCREEN:
        problem = f"a terminal of the kind {inert(kind)} (TERM) shows no screen"
        raise click.ClickException(f"{problem}; expected another, or attn-tui {instead}")


def has_terminal() -> bool:
    """Return whether a screen can be shown and keys read; keys then come in as descriptor 0."""
    outputs = (sys.__stdout__, sys.__stderr__)
    if not all(stream is not None and stream.isatty() for stream in outputs):
        return False
    if sys.__stdin__ is None:
        return False
    if sys.__stdin__.isatty():
        return True
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError:
        return False
    os.dup2(terminal, 0)
    os.close(terminal)
    return True
