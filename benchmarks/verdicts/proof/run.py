"""The proof at work: many draws, in processes."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from attn_tui.compute.fit.estimates import Interval
from benchmarks.verdicts.proof.doctor import asked
from benchmarks.verdicts.proof.trial import Trial, draw


@dataclass(frozen=True)
class Run:
    """Which draws to try.

    Attributes:
        count: How many.
        seed: Of the first; each has the seed after that of the one before.
        causes: Whether the doctor searches for causes.
        keep: Where captures of violations are left, each in a folder named by its seed; or None.
        only: Words of which one is in the name of each fault that is drawn; empty for all.
    """

    count: int
    seed: int
    causes: bool = False
    keep: Path | None = None
    only: tuple[str, ...] = ()

    def trials(self, jobs: int = 1) -> Iterator[Trial]:
        """Yield what came of each draw, in order.

        Args:
            jobs: How many processes work.
        """
        seeds = range(self.seed, self.seed + self.count)
        if jobs == 1:
            yield from map(self.trial, seeds)
            return
        with ProcessPoolExecutor(jobs) as pool:
            yield from pool.map(self.trial, seeds, chunksize=8)

    def trial(self, seed: int) -> Trial:
        """Return what came of the draw of a seed."""
        drawn = draw(seed, self.only)
        with TemporaryDirectory() as temporary:
            folder = Path(temporary)
            drawn.write(folder)
            start = perf_counter()
            answer = asked(folder, self.causes)
            seconds = perf_counter() - start
        trial = Trial(
            seed, drawn.fault.name, drawn.setting.text, drawn.arithmetic, drawn.judgement, answer,
            seconds, drawn.setting.format.name,
            tuple(_holds(interval, drawn.setting.multiplier) for interval in answer.intervals),
        )  # fmt: skip
        if trial.violation and self.keep is not None:
            drawn.write(self.keep / str(seed))
            (self.keep / str(seed) / "why.txt").write_text(f"{trial.line}\n", encoding="utf-8")
        return trial


def _holds(interval: Interval, m: float) -> bool:
    low = -inf if interval.low is None else interval.low
    high = inf if interval.high is None else interval.high
    return low <= m <= high
