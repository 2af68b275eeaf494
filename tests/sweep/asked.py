"""Small sweeps that tests share."""

from dataclasses import replace
from functools import lru_cache

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep.answer import Answer, answer
from attn_tui.compute.sweep.settings import Settings
from attn_tui.files.draft import EXAMPLE, Draft

MAP = Settings(
    view="map", ratio=True, n=8, n_range=(2, 128), d_k_range=(2, 1024), map_points=10, draws=200
)  # fmt: skip
"""Seven n by ten d_k, each twice the one before."""

DRAFT = Draft(EXAMPLE.text, Setup(64).put(MAP))


@lru_cache(maxsize=32)
def swept(settings: Settings = MAP, d_k: int = 64, setup: Setup = Setup()) -> Answer:
    """Return the last answer to a sweep."""
    (*_, last) = answer(Experiment(Drawn(8), replace(setup, d_k=d_k).put(settings)))
    return last
