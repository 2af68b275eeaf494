"""What replies say in general, drawn once more by NumPy alone and from another seed."""

import re

import numpy as np
import pytest

from attn_tui.compute.arrays import Floats
from attn_tui.files.faq import faq

DRAWS = 40_000


def weights(logits: Floats) -> Floats:
    sizes = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: Floats = sizes / sizes.sum(axis=1, keepdims=True)
    return shares


def keys(p: Floats) -> Floats:
    logs = np.log(np.where(p > 0.0, p, 1.0))
    effective: Floats = np.exp(-np.vecdot(p, logs))
    return effective


def rows(n: int, draws: int = DRAWS, lead: float = 0.0, d_k: int = 64) -> Floats:
    random = np.random.default_rng(20_261_130 + n)
    lengths = np.sqrt(random.chisquare(d_k, draws))[:, None]
    scores = random.standard_normal((draws, n))
    scores[:, 0] += lead
    drawn: Floats = lengths * scores
    return drawn


def typical_lead(n: int, rule: float = 1.0) -> float:
    draws = DRAWS if n < 100 else DRAWS // 4
    return float(np.median(weights(rule * rows(n, draws, 5.0) / 8.0)[:, 0]))


def reply(begins: str) -> str:
    return next(entry.reply for entry in faq() if entry.asks.startswith(begins))


def agrees(begins: str, pattern: str, *values: float) -> None:
    """Check that a reply says some numbers, each to within three quarters of its last digit."""
    match = re.search(pattern, reply(begins))
    assert match, reply(begins)
    for text, value in zip(match.groups(), values, strict=True):
        last = 10.0 ** -len(text.partition(".")[2])
        assert abs(float(text) - value) <= 0.75 * last, (begins, text, value)


@pytest.mark.slow
def test_the_weight_that_is_left_to_a_leading_key_is_that_of_any_draw() -> None:
    few, many = typical_lead(64), typical_lead(1024)
    agrees("Does attention dilute", r"typically has (\S+) of 64 keys and (\S+) of 1,0", few, many)
    agrees("One key is ahead", r"by 5, typically (\S+) and (\S+): to keep", few, many)
    slowed = [typical_lead(n, np.log(n) / np.log(512.0)) for n in (64, 1024)]
    agrees("Does attention dilute", r"slows it: (\S+) and (\S+)\.$", *slowed)


@pytest.mark.slow
def test_longrope_leaves_three_eighths_of_the_keys_where_it_was_three_fifths() -> None:
    assert "three eighths then share, not three fifths" in reply("Why does LongRoPE")
    times = 1.0 + np.log(32.0) / np.log(4096.0)
    scores = rows(8192, 1000) / 8.0
    shares = [float(np.median(keys(weights(m * scores)))) / 8192 for m in (times, 1.0)]
    assert shares == pytest.approx([3 / 8, 3 / 5], rel=0.03)


@pytest.mark.slow
def test_the_keys_that_share_a_typical_row_are_those_of_any_draw() -> None:
    scores = rows(64)
    by_root, plain, by_model = (
        float(np.median(keys(weights(m * scores)))) for m in (1 / 8, 1.0, 768**-0.5)
    )
    agrees("How even is attention", r"about (\d+) of 64 .* about (\d+)\.", by_root, plain)
    agrees("I divided by √d_model", r"uses (\S+) keys instead of (\d+)\.", by_model, by_root)
    top = [float(np.median(weights(m * scores).max(axis=1))) for m in (1.0, 1 / 8)]
    agrees("May the scale stand after", r"has a share of (\S+), where it would have (\S+)\.$", *top)


@pytest.mark.slow
def test_what_dropout_does_to_sums_is_that_of_any_draw() -> None:
    p = weights(rows(64) / 8.0)
    kept = np.random.default_rng(7).random(p.shape) < 0.9
    sums = (p * kept / 0.9).sum(axis=1)
    agrees("With dropout", r"and (\d+) % of the sums", 100.0 * float((sums > 1.0).mean()))


@pytest.mark.slow
def test_what_overflows_and_what_dies_is_that_of_any_draw() -> None:
    random = np.random.default_rng(11)
    products = 64.0**2 * np.sqrt(random.chisquare(64, 400_000)) * random.standard_normal(400_000)
    over = float((np.abs(products) >= 65_520.0).mean())
    agrees("Should I scale q first", r"about (\S+) % do", 100.0 * over)
    scores = rows(64, 4000, d_k=4096)
    upstream = random.standard_normal(scores.shape)
    sizes = []
    for m in (1.0, 1.0 / 64.0):
        p = weights(m * scores)
        apart = scores - np.vecdot(p, scores)[:, None]
        sizes.append(float(np.median(np.abs(np.vecdot(upstream, p * apart)))))
    assert "less than a millionth" in reply("Can a learned temperature")
    assert sizes[0] < 1e-6 * sizes[1]


@pytest.mark.slow
def test_how_an_output_varies_is_that_of_any_draw() -> None:
    draws = {n: rows(n, DRAWS // 4) for n in (64, 1024)}
    scaled, plain = (
        [float(np.square(weights(m * scores)).sum(axis=1).mean()) for scores in draws.values()]
        for m in (1 / 8, 1.0)
    )
    agrees("What is the variance of the att", r"it is (\S+) for 64 keys and (\S+) for 1,0", *scaled)
    assert "Unscaled it is 0.71 and 0.60, nearly" in reply("What is the variance of the att")
    # Unscaled rows differ much: of 10,000 the mean is not known to two digits.
    assert plain == pytest.approx([0.71, 0.60], rel=0.03)
