"""Claims about q·k: its mean, its variance, and what they take."""

from collections.abc import Iterator

from attn_tui.claims.claim import Case, Evidence, Opened, Stated, Trial, claim
from attn_tui.compute.dots.draws import Draws, Streams
from attn_tui.compute.dots.moments import Readouts, Sums, read
from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.law.dot_law import DotLaw
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.library import dot_law


def sampled(law: DotLaw, trial: Trial) -> Readouts:
    """Return what the draws of a trial say of q·k."""
    draws, sums, left = Draws(law, Streams(trial.seed)), Sums(), trial.draws
    while left:
        count = min(left, draws.at_once)
        sums += Sums.of(draws.take(count), law)
        left -= count
    return read(sums, law)


def dots(trial: Trial, **settings: object) -> Opened:
    """Return Dot products at the d_k, the seed and the sample size of a trial."""
    asked = Settings(samples=trial.draws, seed=trial.seed, **settings)  # type: ignore[arg-type]
    return Opened("dots", Draft(EXAMPLE.text, Setup(d_k=trial.d_k).put(asked)))


@claim(
    "S0-14",
    says="For zero-mean entries the expected dot product is d_k.",
    right="E[q·k] = 0: every product averages 0. What equals d_k is the variance.",
    topics=("dot products",),
    formula="E[q·k] = Σ E[q_i]E[k_i] = 0",
    varies={"seed": 1, "d_k": 64, "draws": 100_000},
    opens=dots,
)
def expected_dot_product(trial: Trial, stated: Stated) -> Iterator[Case]:
    """Compare the mean of many q·k with d_k."""
    found = sampled(dot_law(trial.d_k), trial)
    mean = Evidence.of("mean of q·k", found.mean, stated=float(trial.d_k))
    variance = Evidence.of("variance of q·k", found.variance)
    yield Case(f"normal entries, d_k = {trial.d_k:,}", mean.is_as_stated, (mean, variance))
