"""The full picture: one as large as fits, for a projector, in which d_k plays up and down."""

from dataclasses import replace
from itertools import count
from math import inf

from textual.timer import Timer
from textual.widget import Widget

from attn_tui.compute.log_scale import D_K
from attn_tui.files.history import Asked, Gesture
from attn_tui.old.tui.actions import Action, Section
from attn_tui.old.tui.parts import H, Part
from attn_tui.old.tui.view import View
from attn_tui.old.tui.widgets.chart import ChartPane

PACE = 0.8
"""Seconds from one step to the next; a way from end to end takes a quarter of a minute."""

STEPS = tuple(2**power for power in range(17))
"""Where d_k goes: each doubling moves pictures by as much."""

_PLAY = Action(
    "full.play", ("space",), "space", "Play", "Let d_k play up and down, or stop it", bar=1,
    palette=False, full=True,
)  # fmt: skip
_STOP = replace(_PLAY, run="full.stop", label="Stop")
_LEAVE = Action(
    "full.leave", ("escape",), "esc", "Back", "Go back to what was there before", bar=1,
    palette=False, full=True,
)  # fmt: skip

ACTIONS = (_PLAY, _STOP, _LEAVE)
"""What can be done in the full picture alone."""

SECTION = Section("In the full picture", (_PLAY, _LEAVE))


class FullPicture(Part[H]):
    """Shows one picture alone, and lets d_k play there."""

    NAME = "full"

    def __init__(self, screen: H) -> None:
        super().__init__(screen)
        self._looked: tuple[str, str, Widget | None] = ("", "", None)
        self._runs = count()
        self._run: Gesture | None = None
        self._timer: Timer | None = None
        self._rises = True
        self._asked: Asked | None = None
        self._d_k = 0

    def can(self, verb: str) -> bool:
        """Say that there is nothing to leave or to play elsewhere."""
        is_full: bool = self._screen.view.full
        possible = {"play": is_full and not self.playing, "stop": self.playing, "leave": is_full}
        return possible.get(verb, super().can(verb))

    # The picture

    def turn(self) -> None:
        """Show the picture that is looked at alone, or go back."""
        screen, view = self._screen, self._screen.view
        if view.full:
            self.leave()
            return
        self._looked = view.tab, view.chart, screen.focused
        tab = view.tab
        if not screen.narrow:
            tops = (name for name, each in screen.TABS.items() if each.apart)
            in_chart = isinstance(screen.focused, ChartPane)
            tab = view.chart if in_chart else next(tops, view.chart)
        self._look(replace(view, full=True, tab=tab))

    def leave(self) -> None:
        """Go back to what was there before."""
        self.stop()
        tab, chart, focused = self._looked
        self._look(replace(self._screen.view, full=False, tab=tab, chart=chart))
        if focused and focused.focusable:
            self._screen.set_focus(focused)

    def _look(self, view: View) -> None:
        screen = self._screen
        screen.look(view)
        screen.set_class(view.full, "-full")
        screen.set_class(screen.narrow, "-narrow")

    # Playing

    @property
    def playing(self) -> bool:
        """Whether d_k plays: until somebody asks for another value of a field, or leaves."""
        run = self._run
        return run is not None and self._screen.fields.gesture is run and self._screen.is_active

    def play(self) -> None:
        """Let d_k go up and down, from where it is, or say why it cannot."""
        if why := self._screen.fields.why_held("d_k"):
            self._screen.notify(why, timeout=3)
            return
        self._run, self._rises = Gesture(f"play {next(self._runs)}", inf), True
        self._step()

    def stop(self) -> None:
        """Stay where d_k is."""
        if self._timer:
            self._timer.stop()
        self._run = self._timer = None
        self._screen.frame()

    def _step(self) -> None:
        """Ask for the next d_k; at an end turn back."""
        screen, d_k = self._screen, self._screen.fields.setup.d_k
        if d_k in (D_K.minimum, D_K.maximum):
            self._rises = d_k == D_K.minimum
        ahead = [step for step in STEPS if (step > d_k if self._rises else step < d_k)]
        to = self._d_k = min(ahead, key=lambda step: abs(step - d_k))
        self._asked = screen.asked
        screen.fields.put("d_k", lambda _: to, self._run)
        self._wait()

    def _wait(self) -> None:
        self._timer = self._screen.set_timer(PACE, self._tick)

    def _tick(self) -> None:
        """Take the next step, once the last one is drawn; stop where somebody went elsewhere."""
        screen = self._screen
        if self.playing and (screen.asked is self._asked or not self.is_drawn):
            self._wait()
        elif self.playing and screen.fields.setup.d_k == self._d_k:
            self._step()
        else:
            self.stop()

    @property
    def is_drawn(self) -> bool:
        """Whether the picture is of what is asked: where draws go on, of the first of them."""
        job = self._screen.job
        drawing = job.running and job.result(job.question) is None
        return not (self._screen.charting.due or drawing)
