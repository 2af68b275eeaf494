"""Headlines of Sweep, against the table of sentences and against what was drawn."""

import re
from functools import cache
from math import log

import numpy as np
import pytest

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep.answer import Answer, answer, at_place
from attn_tui.compute.sweep.settings import STATISTICS, Settings, Statistic
from attn_tui.report.headline import FULL, SHORT, wrapped
from attn_tui.old.report.sweep.headline import Of, headline


@cache
def swept(settings: Settings, d_k: int = 1024, steps: int = 0) -> Answer:
    experiment = Experiment(Drawn(settings.n, 1), Setup(d_k).put(settings))
    found = answer(experiment)
    for _ in range(steps):
        return next(found)
    *_, last = found
    return last


MAP = Settings(view="map", draws=200, map_points=7)
FOUR = Settings(rules=("none", "inverse-sqrt", "inverse", "yarn"), d_k_range=(1024, 1024))


@pytest.mark.parametrize(
    ("settings", "d_k", "statistic", "of", "expected"),
    [
        (
            Settings(d_k_range=(256, 1024)), 1024, "gradient", "median",
            "Here (64 keys, d_k = 1,024) dividing by √d_k makes the typical gradient 6.7 to 23 "
            "times larger. With d_k below about 430 (370 to 530) it makes it smaller.",
        ),
        (
            Settings(n=512, d_k_range=(64, 256)), 128, "gradient", "median",
            "Here dividing by √d_k makes the typical gradient 21 to 32 times smaller. It makes it "
            "larger only above some d_k between 750 and 1,270.",
        ),
        (
            Settings(d_k_range=(1, 1024)), 1, "gradient", "median",
            "Here (64 keys, d_k = 1) dividing by √d_k changes nothing: √d_k is 1. It makes the "
            "typical gradient larger only above some d_k between 370 and 530.",
        ),
        (
            Settings(over="n"), 64, "gradient", "median",
            "At d_k = 64 dividing by √d_k makes the typical gradient larger with fewer than about "
            "6.3 (5.4 to 8.1) keys, smaller with more: 95 times smaller with 4,096.",
        ),
        (
            Settings(n=4096, d_k_range=(64, 64), draws=200, crossovers=False), 64, "entropy",
            "median",
            "At d_k = 64, of 4,096 keys about 3 share the weight unscaled, about 2,500 when "
            "divided by √d_k.",
        ),
        (
            FOUR, 1024, "gradient", "median",
            # Draws are the same under all rules: the first two are known to one part in a hundred.
            "Here (64 keys, d_k = 1,024) yarn leaves the largest typical gradient of 4 rules: "
            "2.9 times that of 1/√d_k, 19 to 66 times that of no scaling.",
        ),
        (
            Settings(n=8, d_k_range=(64, 64), rules=("inverse-sqrt",), draws=50), 64, "gradient",
            "median", "Only the rule 1/√d_k is drawn: there is nothing to compare it with.",
        ),
        (
            MAP, 64, "gradient", "mean",
            "Averaged, the gradient is larger without scaling wherever these draws tell: a few "
            "lucky draws carry it. The typical draw says otherwise.",
        ),
    ],
)  # fmt: skip
def test_it_says_what_there_is_to_say(
    settings: Settings, d_k: int, statistic: Statistic, of: Of, expected: str
) -> None:
    assert headline(swept(settings, d_k), statistic, of=of).full == expected


@pytest.mark.parametrize(
    ("d_k", "begin"),
    [
        (128, "Here dividing by √d_k makes the typical gradient 21 to 32 times smaller. It makes"),
        (
            65_536,
            "Nearby (512 keys, d_k = 256) dividing by √d_k makes the typical gradient 9.1 to ",
        ),
    ],
)
def test_a_place_beyond_what_is_drawn_is_always_named(d_k: int, begin: str) -> None:
    found = swept(Settings(n=512, d_k_range=(64, 256)), d_k)
    assert headline(found, "gradient").full.startswith(begin)


def test_one_place_says_nothing_over_n() -> None:
    found = swept(Settings(over="n", n_range=(64, 64), crossovers=False), 1024)
    expected = "Here (64 keys, d_k = 1,024) dividing by √d_k makes the typical gradient 6.7 to 23 "
    assert headline(found, "gradient").full == f"{expected}times larger."


@pytest.mark.parametrize("d_k", [1, 64, 1024, 8192])
@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize(
    "settings", [MAP, FOUR, Settings(over="n", draws=60), Settings(rules=("none",), draws=60)]
)
def test_every_sentence_fits(settings: Settings, d_k: int, statistic: Statistic) -> None:
    found = headline(swept(settings, d_k), statistic)
    assert len(wrapped(found.full, FULL)) <= 2
    assert len(wrapped(found.short, SHORT)) <= 2
    assert "…" not in found.full + found.short
    assert not re.search(r"\de[+-]?\d", found.full + found.short)


@pytest.mark.parametrize(("n", "d_k"), [(4, 256), (64, 64), (512, 128), (64, 1000)])
def test_the_factor_is_that_of_medians_drawn_here(n: int, d_k: int) -> None:
    experiment = at_place(Experiment(Drawn(n, 1), Setup(d_k)), n, d_k)
    assert experiment
    *_, last = answer(experiment)
    text = headline(last, "gradient").full
    found = re.search(r"(?:([\d.,]+) to )?([\d.,]+) times (larger|smaller)", text)
    assert found
    ends = [log(float(end.replace(",", ""))) for end in (found[1] or found[2], found[2])]
    ratio = last.points.ratio(n, d_k, "inverse-sqrt", "gradient")
    assert ratio
    known = _log_change(n, d_k) * (1 if found[3] == "larger" else -1)
    # An interval is said where it is wide, so that a point is off by a fifth of it at most.
    assert ends[0] - 0.1 - 2.0 * ratio.log_median_error < known
    assert known < ends[1] + 0.1 + 2.0 * ratio.log_median_error
    assert (ends[1] - ends[0] > 0.4) == (ratio.log_median_error > 0.1034)


def _log_change(n: int, d_k: int) -> float:
    """Return what dividing by √d_k does to ln of the median ‖∂p/∂s‖_F, by the textbook."""
    generator = np.random.default_rng(3)
    q = generator.standard_normal((400, 1, d_k))
    scores = np.stack([(each @ generator.standard_normal((d_k, n)))[0] for each in q])
    logs = []
    for m in (1.0, d_k**-0.5):
        z = (m * scores).astype(np.longdouble)
        powers = np.exp(z - z.max(axis=1, keepdims=True))
        p = powers / powers.sum(axis=1, keepdims=True)
        others = np.stack([np.delete(p, key, axis=1).sum(axis=1) for key in range(n)], axis=1)
        squares = (p**2).sum(axis=1, keepdims=True)
        cross = np.stack([np.delete(p**2, key, axis=1).sum(axis=1) for key in range(n)], axis=1)
        assert squares.shape == (400, 1)
        norms = np.sqrt(((p * others) ** 2 + p**2 * cross).sum(axis=1))
        logs.append(float(np.median(np.log(m * norms))))
    return logs[1] - logs[0]


def test_a_sweep_that_runs_says_how_far_it_is() -> None:
    text = headline(swept(Settings(n=512), 128, steps=1), "gradient").full
    assert re.match(r"After \d+ of 1,000 draws \(512 keys, d_k = ", text)


def test_nothing_drawn_is_said() -> None:
    only = swept(Settings(rules=("none",), draws=60), 64)
    assert headline(only, "gradient").full == (
        "Only the rule none is compared here: there is nothing to divide."
    )


def test_a_place_with_too_many_keys_is_not_asked_for() -> None:
    experiment = Experiment(Drawn(64, 1), Setup(64))
    assert at_place(experiment, 1_000_000, 64) is None
    assert at_place(experiment, 1, 64) is None


def test_a_short_ranking_names_what_it_ranks() -> None:
    short = headline(swept(FOUR, 1024), "trace").short
    assert short.endswith("leaves the largest typical trace of the Jacobian.")
