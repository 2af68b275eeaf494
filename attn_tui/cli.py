"""Starts the program; slow imports come later, where Ctrl+C is handled."""

import gc
import sys


def main() -> None:
    """Run the program on its command line, and exit."""
    # Nearly everything made before the screen opens, or a command runs, lives as long as the
    # program: collecting garbage meanwhile would take a fifth of the start.
    gc.disable()
    try:
        from attn_tui.commands.program import program

        program.main()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        # The status is settled; another Ctrl+C while Python shuts down must not replace it.
        from signal import SIG_IGN, SIGINT, signal

        signal(SIGINT, SIG_IGN)
