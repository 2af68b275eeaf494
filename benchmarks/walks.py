"""Count the functions through which a value goes: a typed score, a point of Sweep, a capture.

    python -m benchmarks.walks           # how many functions and modules
    python -m benchmarks.walks --list    # and which, each with those that call it

Each function of the package counts once that is entered from where a value comes in until it is
shown: a score from its text to the bars of Explore, a point from Sweep's `watch_answer` to its map
as it is handed to the widget, a capture from its path to its verdict. Left out are lambdas,
generator expressions and what dataclasses generate, and what shows something else of the same
answer: headlines, legends, titles, the other panes.
"""

import asyncio
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import click
import numpy as np

import attn_tui
from attn_tui.compute.setup import Setup
from attn_tui.compute.sweep.settings import Settings
from attn_tui.diagnosis.asking import diagnose
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.ui.app import AttnApp

ROOT = f"{Path(attn_tui.__file__).parent}/"

SMALL_MAP = Settings(view="map", n=8, n_range=(2, 128), d_k_range=(2, 1024), draws=200)

ASIDES = (
    "ui/", "report/", "sweep/headline", "sweep/legend", "sweep/names",
    "sweep/screen:SweepScreen._how", "sweep/screen:SweepScreen._draw_row",
    "sweep/screen:SweepScreen._draw_place", "explore/headline", "explore/gradient",
    "explore/curves", "explore/answer:curves", "explore/screen:ExploreScreen._draw_view",
)  # fmt: skip
"""How those begin that show something else."""


@dataclass
class Walk:
    """The functions that are entered between two of them.

    Attributes:
        starts: Those with which it starts.
        end: The one before which it ends; empty if it ends with the first.
        asides: How those begin that do not count, and what they call.
        callers: The functions in order, each with those that call it.
    """

    starts: Sequence[str]
    end: str = ""
    asides: Sequence[str] = ()
    callers: dict[str, set[str]] = field(default_factory=dict)
    _stack: list[str] = field(default_factory=list)
    _aside: int = 0
    _is_over: bool = False

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """Heed that a function is entered or left, as `sys.setprofile` reports it."""
        code = frame.f_code
        is_ours = event in ("call", "return") and code.co_filename.startswith(ROOT)
        if self._is_over or not is_ours:
            return
        name = f"{code.co_filename.removeprefix(ROOT)[:-3]}:{code.co_qualname}"
        if name.startswith("ui/") or code.co_name.startswith("<"):
            return
        if event == "call" and (self._stack or self._aside or name in self.starts):
            if name == self.end:
                self._is_over = True
                return
            if self._aside or name.startswith(tuple(self.asides)):
                self._aside += 1
                return
            caller = self._stack[-1] if self._stack else ""
            self.callers.setdefault(name, set()).add(caller.rpartition(":")[2])
            self._stack.append(name)
        elif event == "return" and self._aside:
            self._aside -= 1
        elif event == "return" and self._stack:
            self._stack.pop()

    def __str__(self) -> str:
        modules = {name.partition(":")[0] for name in self.callers}
        return f"{len(self.callers)} functions in {len(modules)} modules"


@contextmanager
def following(walk: Walk) -> Iterator[None]:
    """Follow what runs in this thread."""
    sys.setprofile(walk)
    try:
        yield
    finally:
        sys.setprofile(None)


async def on_screen(
    draft: Draft, instrument: str, walk: Walk, change: Callable[[Any], None]
) -> None:
    """Follow a change of an instrument's screen, once all is shown."""
    async with AttnApp(draft, instrument).run_test(size=(120, 40)) as pilot:
        app = pilot.app
        await pilot.pause()
        await app.workers.wait_for_complete()
        await pilot.pause()
        with following(walk):
            change(app.screen_stack[0])
            await pilot.pause()


def typed_score() -> Walk:
    """Follow a score from its text to the bars of Explore."""
    walk = Walk(
        ("files/draft:parse", "explore/screen:ExploreScreen.watch_question"),
        "explore/bars:WeightBars.draw", ASIDES,
    )  # fmt: skip

    def change(screen: Any) -> None:
        screen.query_one("#scores").text = "a: 100, 120, 151"

    asyncio.run(on_screen(EXAMPLE, "explore", walk, change))
    return walk


def point_of_sweep() -> Walk:
    """Follow a point from Sweep's answer to the map."""
    walk = Walk(
        ("sweep/screen:SweepScreen.watch_answer",), "charts/heat_map:HeatMapDrawing.draw", ASIDES
    )

    def change(screen: Any) -> None:
        screen._grid = None
        screen.watch_answer(screen.answer)

    draft = Draft(EXAMPLE.text, Setup(64).put(SMALL_MAP))
    asyncio.run(on_screen(draft, "sweep", walk, change))
    return walk


def capture_to_verdict() -> Walk:
    """Follow a capture from its path to its verdict."""
    q, k, v = np.random.default_rng(1).standard_normal((3, 1, 2, 32, 16))
    p = np.exp(q @ k.swapaxes(2, 3) / 4.0)
    out = p / p.sum(3, keepdims=True) @ v
    walk = Walk(("diagnosis/asking:diagnose",))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "capture.npz"
        np.savez(path, **{"0.q": q, "0.k": k, "0.v": v, "0.out": out})
        with following(walk):
            diagnose(path, scale=0.25)
    return walk


WALKS: dict[str, Callable[[], Walk]] = {
    "a typed score to Explore's bars": typed_score,
    "a point to Sweep's map": point_of_sweep,
    "a capture to its verdict": capture_to_verdict,
}


@click.command()
@click.option("--list", "is_listed", is_flag=True, help="Which functions, and who calls them.")
def main(is_listed: bool) -> None:
    """Count the functions through which three values go."""
    for title, follow in WALKS.items():
        walk = follow()
        click.echo(f"{title}: {walk}")
        for name, callers in walk.callers.items() if is_listed else ():
            click.echo(f"    {name} < {', '.join(sorted(callers))}")


if __name__ == "__main__":
    main()
