"""Answers of small sweeps, and the sizes in which they are drawn."""

from functools import lru_cache
from itertools import product

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep.answer import Answer, answer
from attn_tui.compute.sweep.settings import Settings
from attn_tui.old.charts.sweep.signs import Look

SIZES = [
    *((0, 0), (1, 1), (2, 2), (5, 2), (8, 1), (12, 3), (24, 4), (38, 8), (60, 5), (9, 60)),
    *((76, 6), (76, 12), (100, 7), (116, 22), (200, 60), (200, 2)),
]


SMALL = Settings(n=8, points=8, map_points=5, draws=64)
LOOKS = [Look(*each) for each in product((True, False), repeat=3)]


@lru_cache
def found(settings: Settings, first: bool = False) -> Answer:
    answers = answer(Experiment(Drawn(4), Setup(64).put(settings)))
    return next(answers) if first else list(answers)[-1]
