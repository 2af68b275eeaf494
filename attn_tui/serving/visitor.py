"""The process of one visitor: ``python -m attn_tui.serving.visitor [LESSON]``."""

import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from attn_tui.compute.errors import InputError
from attn_tui.console.output import BAD_INPUT, tell
from attn_tui.serving.guard import shut

if TYPE_CHECKING:
    from attn_tui.tour.step import Tour


def main() -> None:
    """Open the program, or a lesson, on the terminal of this process."""
    from attn_tui.console.asking import asked_by
    from attn_tui.files.draft import EXAMPLE
    from attn_tui.tour.reader import read_tour
    from attn_tui.ui.running import run
    from attn_tui.ui.terminal.background import asked

    take_terminal()
    # There is no shell to which ctrl+z could lead.
    signal.signal(signal.SIGTSTP, signal.SIG_IGN)
    try:
        lesson = read_tour(sys.argv[1], asked_by) if sys.argv[1:] else None
    except InputError as error:
        # It was right when the server started.
        tell(str(error))
        sys.exit(BAD_INPUT)
    shut(files_of(lesson) if lesson else ())
    with asked() as background:
        place = 0 if lesson else None
        run(EXAMPLE, tour=lesson, place=place, background=background, is_visitor=True)


def take_terminal() -> None:
    """Make standard input the terminal of this session, which its closing ends."""
    from fcntl import ioctl
    from termios import TIOCSCTTY

    ioctl(0, TIOCSCTTY, 0)


def files_of(lesson: "Tour") -> Iterator[str]:
    """Yield the files that the steps of a lesson open, and the configurations beside captures."""
    from attn_tui.files.session import paths_of

    for step in lesson.steps:
        for draft in filter(None, (step.draft, step.picture)):
            for path in paths_of(draft):
                yield path
                yield str(Path(path).with_name("config.json"))


if __name__ == "__main__":
    main()
