"""Starts the program; all that takes time to import is imported where Ctrl+C is heeded."""

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the program on the command line it was called with."""
    try:
        from attn_tui.commands.program import program

        program.main()
    except KeyboardInterrupt:
        sys.exit(130)
