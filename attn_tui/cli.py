"""Starts the program; all that takes time to import is imported where Ctrl+C is heeded."""

import gc
import sys


def main() -> None:
    """Run the program on the command line it was called with, and exit."""
    # Nearly all that is made until the screen stands, or a command runs, lives as long as the
    # program: looking through it for garbage would take a fifth of the start.
    gc.disable()
    try:
        from attn_tui.commands.program import program

        program.main()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        # The status is settled: another Ctrl+C while Python closes down would put a signal for it.
        from signal import SIG_IGN, SIGINT, signal

        signal(SIGINT, SIG_IGN)
