"""An application that keeps what was asked when it fails.

Textual 8 has no public name for the end after an error nobody expected: it prints the traceback and
ends with status 1. tests/contract/test_ending.py needs the question saved and status 70.
"""

import sys

from textual.app import App

from attn_tui.ui.crash import STATUS


class Failing(App[None]):
    """Ends with a status of its own after an error nobody expected, once that was dealt with."""

    def fail(self, error: BaseException) -> None:
        """Deal with the error."""

    def _fatal_error(self) -> None:
        error = sys.exception()
        if error is not None:
            self.fail(error)
        self.exit(return_code=STATUS)
        self._close_messages_no_wait()
