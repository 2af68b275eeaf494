"""Measure what each cache saves, over a session of every instrument and its commands.

    python -m benchmarks.caches              # a minute or two
    python -m benchmarks.caches --below 5    # those that save less than 5 ms

A cache saves the time of a miss, with all that it calls, for every hit. Each `lru_cache`, `cache`
and `cached_property` of the program is counted, by a stand-in that is put in place before the
program is imported. What is met by no part of the session, such as a terminal of 256 colours,
saves 0 here; of an answer on a million keys each saves a thousand times more than shown.
"""

import asyncio
import functools
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import click
from click.testing import CliRunner

SCREENS = {
    "explore": ("t", "t", "T", "g", "escape", *["plus"] * 8, "slash", *"fp16", "escape"),
    "dots": ("t", "t", *["plus"] * 3),
    "sweep": ("t", "left", "right", "up", *["plus"] * 2),
    "attention": ("down", "right", "t", "T", *["plus"] * 3),
    "heads": ("right", "down", "t", "w", "right"),
    "claims": ("down", "down", "up"),
}
"""Keys that are pressed on each instrument."""

COMMANDS = (
    "show 100,120,150 --d-k 1024",
    "show 100,120,150 --d-k 1024 --lab",
    "show --draw 4096 --json",
    "dot --d-k 64 --samples 5000",
    "sweep --points 6 --draws 64",
    "attention --draw 64",
    "heads example",
    "heads example --json",
    "claim S0-14",
    "questions overflow",
)


@dataclass
class Counts:
    """How often a cache was asked, and how long its misses took."""

    hits: int = 0
    misses: int = 0
    seconds: float = 0.0

    @property
    def saved(self) -> float:
        """What it saved, in milliseconds."""
        return 1e3 * self.hits * self.seconds / max(self.misses, 1)


COUNTS: dict[str, Counts] = {}


def timed(function: Callable[..., Any], counts: Counts) -> Callable[..., Any]:
    """Return a function whose calls are counted as misses."""

    @functools.wraps(function)
    def miss(*arguments: Any, **options: Any) -> Any:
        began = perf_counter()
        try:
            return function(*arguments, **options)
        finally:
            counts.misses += 1
            counts.seconds += perf_counter() - began

    return miss


def counted_lru(real: Callable[..., Any]) -> Callable[..., Any]:
    """Return a stand-in for `functools.lru_cache`."""

    def lru_cache(maxsize: Any = 128, typed: bool = False) -> Any:
        if callable(maxsize):
            return lru_cache()(maxsize)

        def decorate(function: Callable[..., Any]) -> Any:
            if not function.__module__.startswith("attn_tui"):
                return real(maxsize, typed)(function)
            name = f"{function.__module__.removeprefix('attn_tui.')}.{function.__qualname__}"
            counts = COUNTS[name] = Counts()
            kept = real(maxsize, typed)(timed(function, counts))

            @functools.wraps(kept)
            def ask(*arguments: Any, **options: Any) -> Any:
                before = counts.misses
                value = kept(*arguments, **options)
                counts.hits += counts.misses == before
                return value

            for part in ("cache_clear", "cache_info"):
                setattr(ask, part, getattr(kept, part))
            return ask

        return decorate

    return lru_cache


class CountedProperty:
    """A stand-in for `functools.cached_property`."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function, self.__doc__ = function, function.__doc__
        self.is_ours = function.__module__.startswith("attn_tui")
        name = f"{function.__module__.removeprefix('attn_tui.')}.{function.__qualname__}"
        self.counts = Counts()
        if self.is_ours:
            COUNTS[name] = self.counts
        self.miss = timed(function, self.counts)

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        if owner is None:
            return self
        if self.name in owner.__dict__:
            self.counts.hits += 1
        else:
            owner.__dict__[self.name] = self.miss(owner)
        return owner.__dict__[self.name]

    def __set__(self, owner: Any, value: Any) -> None:
        owner.__dict__[self.name] = value


async def use(instrument: str, keys: tuple[str, ...]) -> None:
    """Press keys on an instrument, and wait for what they bring."""
    from attn_tui.files.draft import EXAMPLE
    from attn_tui.ui.app import AttnApp

    async with AttnApp(EXAMPLE, instrument).run_test(size=(120, 40)) as pilot:
        for key in ("", *keys, ""):
            await pilot.press(*filter(None, [key]))
            waited = [each for each in pilot.app.workers if each.group != "_loader"]
            with suppress(Exception):
                await pilot.app.workers.wait_for_complete(waited)
            await pilot.pause()


@click.command()
@click.option("--below", type=float, help="Only caches that save fewer milliseconds.")
def main(below: float | None) -> None:
    """Print what each cache saves, the least first."""
    functools.lru_cache = counted_lru(functools.lru_cache)
    functools.cache = lambda function: functools.lru_cache(maxsize=None)(function)
    functools.cached_property = CountedProperty  # type: ignore[misc, assignment]
    from attn_tui.commands.program import program

    with TemporaryDirectory() as folder:
        demo = str(Path(folder, "demo"))
        CliRunner().invoke(program, ["demo", demo])
        captures = sorted(Path(demo).glob("*/capture.safetensors"))
        doctor = [f"doctor {path} --config {path.parent}" for path in captures]
        for line in (*COMMANDS, *doctor):
            CliRunner().invoke(program, line.split())
        for instrument, keys in SCREENS.items():
            asyncio.run(use(instrument, keys))
    click.echo("saves ms     hits   misses  ms a miss  cache")
    for name, counts in sorted(COUNTS.items(), key=lambda item: item[1].saved):
        if below is None or counts.saved < below:
            each = 1e3 * counts.seconds / max(counts.misses, 1)
            click.echo(
                f"{counts.saved:8.1f} {counts.hits:8,} {counts.misses:8,} {each:10.4f}  {name}"
            )
    click.echo(f"{len(COUNTS)} caches", err=True)


if __name__ == "__main__":
    sys.exit(main())
