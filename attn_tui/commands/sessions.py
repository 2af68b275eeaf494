"""Which session a start takes up or offers, and where it keeps its own."""

import os
from typing import TYPE_CHECKING

from attn_tui.compute.errors import InputError
from attn_tui.ui.session_file import NotKeptError, SessionFile, newest
from attn_tui.ui.sessions import Keeping

if TYPE_CHECKING:
    from attn_tui.files.session import Restored


def chosen(
    resume: bool, fresh: bool, path: str | None, has_question: bool
) -> "tuple[Keeping, Restored | None]":
    """Return how a start keeps its session, and the session that it takes up.

    Args:
        resume: Whether to take up the session left last.
        fresh: Whether not to offer it.
        path: A file to take up and to keep up to date; it is made if it is not there.
        has_question: Whether something else is asked.

    Raises:
        InputError: If two of these exclude each other, or a session cannot be taken up.
    """
    if path is not None:
        return _at(path, has_question)
    if resume:
        if has_question or fresh:
            other = "--fresh" if fresh else "a question"
            raise InputError("resume", f"{other} stands beside it", "one of them")
        return _left_last()
    offered = None if fresh or has_question else newest()
    return Keeping(is_on=True, offered=offered), None


def _at(path: str, has_question: bool) -> "tuple[Keeping, Restored | None]":
    """Return the session in a file, if it is there."""
    from attn_tui.files.session import read_session

    is_there = os.path.lexists(os.path.expanduser(path))
    if is_there and has_question:
        raise InputError("session", "a question stands beside a file that has one", "one of them")
    try:
        file = SessionFile.at(path)
    except NotKeptError as error:
        raise InputError("session", str(error), "a file that can be written") from None
    opened = read_session(str(file.path), file.arrays) if is_there else None
    return Keeping(is_on=True, file=file), opened


def _left_last() -> "tuple[Keeping, Restored | None]":
    """Return the session that was left last."""
    from attn_tui.files.session import read_session
    from attn_tui.ui.session_file import ARRAYS

    last = newest()
    if last is None:
        raise InputError("resume", "there is no session", "one that a program has left")
    return Keeping(is_on=True), read_session(str(last), last.parent / ARRAYS)
