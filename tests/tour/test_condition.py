"""Conditions on a question: what they mean, and errors in others."""

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep import settings as sweep
from attn_tui.tour.condition import condition

SETUP = Setup(64, Scale("temperature", (("T", 4.0),))).put(sweep.Settings(n=8))
HERE = Experiment(Drawn(512, 3), SETUP)


def test_what_a_condition_says() -> None:
    for text, instrument, holds in [
        ("d_k >= 64", "explore", True),
        ("d_k > 64", "explore", False),
        ("d_k<=64", "explore", True),
        ("n == 512 and seed == 3", "explore", True),
        ("n <= 8", "sweep", True),
        ("rule == temperature:T=4", "explore", True),
        ("rule != inverse-sqrt", "explore", True),
        ("softcap == none", "explore", True),
        ("softcap <= 50", "explore", False),
        ("stable == yes", "explore", True),
        ("naive == yes", "explore", False),
        ("statistic == gradient", "sweep", True),
    ]:
        assert condition(text, instrument).holds(HERE) is holds
