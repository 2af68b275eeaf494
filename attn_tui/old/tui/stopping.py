"""Stops what takes long, or goes on with it."""

from typing import Any

from attn_tui.old.tui.computing import Computing
from attn_tui.old.tui.parts import H, Part


class Stopping(Part[H]):
    """The one key that stops and goes on."""

    NAME = "stopping"

    @property
    def computing(self) -> Computing[Any]:
        """What it stops."""
        return self._screen.computing

    def stop(self, done: str) -> None:
        """Stop and keep what there is, or go on; where all is done say so."""
        state = self.computing.job.state
        if state == "running":
            self.halt()
        elif state in ("stopped", "failed"):
            self.resume()
        else:
            self._screen.notify(done, timeout=3)
        self._screen.draw()

    def halt(self) -> None:
        """Stop finding out."""
        self.computing.stop()

    def resume(self) -> None:
        """Find out again what was stopped or failed."""
        self.computing.leave()
        self._screen.go_on()
