"""``attn-tui replay``: goes through what somebody asked on the screen."""

import gc
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from attn_tui.captures.disk import place_of
from attn_tui.commands.screen import (
    check_terminal,
    has_terminal,
    mention_missing_terminal,
    take_keys,
)
from attn_tui.compute.errors import InputError
from attn_tui.console.options import SCREEN, Command, switch, themed
from attn_tui.console.output import tell, write
from attn_tui.instruments import INSTRUMENTS, load

if TYPE_CHECKING:
    from attn_tui.files.session import Session

_EXAMPLES = """\
  attn-tui replay homework.session
  attn-tui replay homework.session --text
"""


@click.command("replay", cls=Command, examples=_EXAMPLES)
@click.argument("session", type=click.Path(), metavar="FILE")
@switch("--text", "Print the steps, a command line each.", SCREEN)
@themed
@switch("--ascii", "Draw in ASCII, as under TERM=linux.", SCREEN)
def replay(session: str, text: bool, theme: str | None, ascii: bool) -> None:
    """Go through the steps of a session, which s saves under a name that ends in .session.

    It opens at the first step; U goes forward, u back. The file is never written. Without a
    terminal the steps are printed.
    """
    from attn_tui.files.session import read_session

    try:
        opened = read_session(session)
    except InputError as error:
        raise _of_file(error, session) from None
    if text or not has_terminal():
        if not text:
            mention_missing_terminal(is_asked=False)
        for note in opened.notes:
            tell(note)
        write(lines(opened.session))
        return
    check_terminal("replay FILE --text")
    gc.disable()
    from attn_tui.files.draft import EXAMPLE
    from attn_tui.ui.terminal.background import asked

    take_keys()
    at_first = replace(opened, session=replace(opened.session, place=0))
    with asked(theme) as background:
        from attn_tui.ui.running import run

        run(EXAMPLE, theme=theme, ascii=ascii, background=background, opened=at_first)


def _of_file(error: InputError, path: str) -> InputError:
    """Return the error of a file that is no session, without the option that also takes one."""
    if path.lower().endswith(".toml"):
        opens = "a .session file; attn-tui tour FILE opens a lesson"
        return InputError("replay", "it is no session", opens, place_of(path))
    return replace(error, field="replay")


def lines(session: "Session") -> Iterator[str]:
    """Yield each step as the command line that asks it, or as it was typed where none can."""
    instrument = next(one for one in INSTRUMENTS if one.name == session.instrument)
    line_of = load(instrument.line)
    for place in range(len(session.steps)):
        question = replace(session, place=place).history.present
        try:
            if question.error is not None:
                raise question.error
            yield f"{line_of(question)}\n"
        except InputError as error:
            text = " ".join(question.draft.text.split())
            yield f"# {text}: {error}\n"
