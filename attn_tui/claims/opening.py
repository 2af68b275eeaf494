"""Instruments set up to show a claim, at what it is tried with."""

from collections.abc import Callable
from typing import Any

from attn_tui.claims.claim import Opened
from attn_tui.claims.trial import Trial
from attn_tui.compute.dots import settings as of_dots
from attn_tui.compute.explore import settings as of_explore
from attn_tui.compute.logit_map import Wrt
from attn_tui.compute.scale import DEFAULT_RULE, NONE, Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.sweep import settings as of_sweep
from attn_tui.files.draft import EXAMPLE, Draft


def dots(trial: Trial, d_k: int | None = None, rule: str = DEFAULT_RULE, **settings: Any) -> Opened:
    """Return Dot products at the seed and the sample size of a trial, at its d_k or another."""
    asked = of_dots.Settings(samples=trial.draws, seed=trial.seed, **settings)
    return Opened("dots", Draft(EXAMPLE.text, Setup(d_k or trial.d_k, Scale(rule)).put(asked)))


def swept(trial: Trial, scale: Scale = Scale(), **settings: Any) -> Opened:
    """Return Sweep at the d_k and the seed of a trial."""
    asked = of_sweep.Settings(seed=trial.seed, **settings)
    return Opened("sweep", Draft(EXAMPLE.text, Setup(trial.d_k, scale).put(asked)))


def explored(
    text: str | Callable[[Trial], str],
    d_k: int | None = None,
    scale: Scale = NONE,
    source: str = "typed",
    *,
    of: int | None = None,
    wrt: Wrt | None = None,
    instrument: str = "explore",
    **setup: Any,
) -> Callable[[Trial], Opened]:
    """Return what opens Explore.

    Args:
        text: Scores, a draw or vectors, or what makes that of a trial.
        d_k: The d_k; None is that of the trial.
        scale: The rule, a soft cap and a sink.
        source: Where scores come from.
        of: The key whose weight's gradient is shown; None is that of the largest weight.
        wrt: What that is with respect to; None is as it is unless asked.
        instrument: The instrument, if it is another.
        setup: Anything else of `Setup`.
    """

    def opened(trial: Trial) -> Opened:
        asked = Setup(d_k or trial.d_k, scale, **setup)
        if wrt:
            asked = asked.put(of_explore.Settings(of, wrt))
        written = text if isinstance(text, str) else text(trial)
        return Opened(instrument, Draft(written, asked, source=source))

    return opened
