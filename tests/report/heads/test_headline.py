"""The headline of Heads: true of what was found, within its limits, and every branch reached."""

import re
from dataclasses import replace
from math import nan
from typing import Any, cast

import numpy as np
import pytest
from attn_tui.old.charts.heads.shading import SCALES
from hypothesis import given
from hypothesis import strategies as st

from attn_tui.captures.capture import HeadId
from attn_tui.captures.suffixes import EXAMPLE_NAME
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.partial import Partial
from attn_tui.compute.heads.statistic import STATISTICS
from attn_tui.compute.setup import Setup
from attn_tui.engine.answer import answer
from attn_tui.engine.found import FoundMask
from attn_tui.engine.settings import Settings
from attn_tui.engine.table import HeadNumbers
from attn_tui.files.draft import EXAMPLE, Draft, parse
from attn_tui.report.headline import FULL, SHORT, wrapped
from attn_tui.report.heads.headline import first_of, headline


class Looked:
    """What a headline asks of a partial."""

    def __init__(self, exact: bool, not_finite: int, miss: float | None) -> None:
        self.is_exact, self.not_finite, self.odd, self.miss = exact, not_finite, (), miss
        self.allowed, self.multiplier, self.rows, self.masked = 0.1, None, 60, 0
        self.untold = False

    misses = Partial.misses
    rests_on_few = Partial.rests_on_few
    counts = Partial.counts


def table(
    numbers: dict[str, Any], known: int, exact: bool = True, odd: int = 0, how: str = "output",
    residual: float | None = 0.001, multiplier: float | None = None, missing: int = 0,
) -> HeadNumbers:  # fmt: skip
    heads = tuple(HeadId(0, at // 4, at % 4) for at in range(len(numbers["entropy"])))
    masks = {0: FoundMask(HeadMask("causal"), cast(Any, how), residual, 0.1)}
    if multiplier is not None:
        masks = {0: replace(masks[0], multiplier=multiplier, missed=0.8)}
    partials = {
        head: Looked(exact, int(at < odd), 0.8 if at < missing else residual and 0.001)
        for at, head in enumerate(heads[:known])
    }
    return HeadNumbers(masks, heads, cast(Any, partials), numbers)


@st.composite
def tables(draw: Any, doubtful: bool = True) -> HeadNumbers:
    count = draw(st.integers(1, 24))
    known = draw(st.integers(1, count))
    share = st.sampled_from([0.0, 1e-4, 0.3, 0.5, 0.51, 0.9, 0.9997, 1.0]) | st.floats(0, 1)
    size = st.sampled_from([0.0, 1e-9, 0.004, 1.0, 50.0, 101.0, 65505.0, 1e12]) | st.floats(0, 1e6)
    signed = st.floats(-200, 200)
    kinds = {"max_logit": signed, "cosine": st.floats(-1, 1), "qk_clip": st.floats(0, 1)}
    kinds["effective_keys"] = st.floats(1.0, 1e5)
    numbers = {}
    for name in STATISTICS:
        kind = kinds.get(name, share if name.endswith(("share", "mass")) else size)
        values = [draw(kind) for _ in range(known)]
        numbers[name] = np.array(values + [nan] * (count - known))
    numbers["bfloat16_spacing"] = np.where(np.isnan(numbers["entropy"]), nan, 0.25)
    if not doubtful:
        return table(numbers, known, draw(st.booleans()))
    return table(
        numbers, known, draw(st.booleans()), draw(st.integers(0, 3)),
        draw(st.sampled_from(["output", "assumed"])), draw(st.sampled_from([None, 0.001, 0.9])),
        draw(st.sampled_from([None, 8.0, 0.0625])), draw(st.integers(0, 24)),
    )  # fmt: skip


@given(tables(), st.sampled_from([*STATISTICS]))
def test_it_keeps_to_its_limits(found: HeadNumbers, name: str) -> None:
    said = headline(found, name)
    assert len(wrapped(said.full, FULL)) <= 2
    assert len(wrapped(said.short, SHORT)) <= 2
    assert "e-" not in said.full
    assert "e+" not in said.full
    assert "nan" not in said.full.lower().replace("meets nan", "").replace("meet nan", "")
    # Which head, and what a format or τ is, are settings.
    bare = re.sub(
        r"m = [\d.]+|1/√d_k|layer \d+ head \d+|float16|bfloat16|at 100|passe?s? 100", "", said.full
    )
    assert len(re.findall(r"\d[\d,.]*", bare)) <= 4, said.full


@given(tables(doubtful=False))
def test_what_it_counts_is_so(found: HeadNumbers) -> None:
    shares, entropy = found.numbers["saturated_share"], found.numbers["entropy"]
    known, count = int((~np.isnan(shares)).sum()), int((shares > 0.5).sum())
    said = headline(found, "saturated_share").full
    words = {0: "none puts", 1: "one puts"}.get(count, f"{count:,} put")
    if count == known and count > 1:
        words = f"ll {count:,} heads put"
    assert words in said
    first = found.heads[int(np.nanargmin(entropy))]
    assert f"layer {first.layer} head {first.head} is the sharpest" in said
    assert first_of(found, "saturated_share") == first
    assert said.startswith("So far") == (known < len(found.heads))


@given(tables(doubtful=False))
def test_it_counts_the_heads_that_are_darkest_on_the_map(found: HeadNumbers) -> None:
    weights = found.numbers["max_weight"]
    known = int((~np.isnan(weights)).sum())
    count = sum(SCALES["max_weight"].shade(float(each)) == 4 for each in weights[:known])
    said = headline(found, "max_weight")
    words = {0: "none saturates", 1: "one saturates"}.get(count, f"{count:,} saturate")
    if count == known and count > 1:
        words = f"ll {count:,} heads saturate"
    assert words in said.full
    first = found.heads[int(np.nanargmax(weights))]
    if np.unique(weights[:known]).size > 1 or known == 1 or count:
        assert f"layer {first.layer} head {first.head}" in said.full


@pytest.mark.parametrize(
    ("numbers", "name", "said"),
    [
        ({"max_weight": [0.97, 0.2, 0.9]}, "max_weight",
         "Of 3 heads 2 saturate: their rows put over 90 % of the weight on one key on average; "
         "layer 0 head 0 is the sharpest."),
        ({"max_weight": [0.31, 0.12]}, "max_weight",
         "Of 2 heads none saturates: even in layer 0 head 0, the sharpest, a row puts 31 % of its "
         "weight on one key on average."),
        ({"saturated_share": [0.9, 0.2, 0.6], "entropy": [0.1, 2.0, 0.4]}, "saturated_share",
         "Of 3 heads 2 put practically all weight on one key in most rows; layer 0 head 0 is the "
         "sharpest."),
        ({"saturated_share": [0.0, 0.2], "entropy": [1.1, 2.0]}, "saturated_share",
         "Of 2 heads none puts practically all weight on one key in most rows; layer 0 head 0 is "
         "the sharpest, with about 3 effective keys."),
        ({"max_logit": [12.0, 131.0, -3.0]}, "max_logit",
         "The largest logit is 130, in layer 0 head 1; one of 3 heads pass 100."),
        ({"qk_clip": [1.0, 0.5]}, "qk_clip",
         "A QK-clip at 100 would touch one of 2 heads, most layer 0 head 1: times 0.5."),
        ({"largest_score": [70000.0, 1.0]}, "largest_score",
         "In one head q·k is too large for float16, most in layer 0 head 0: 70,000."),
        ({"first_key_mass": [0.2, 0.97]}, "first_key_mass",
         "Of 2 heads one gives the first key more than half of the weight; layer 0 head 1 most: "
         "97 %."),
    ],
)  # fmt: skip
def test_it_says_what_there_is_to_say(
    numbers: dict[str, list[float]], name: str, said: str
) -> None:
    count = len(next(iter(numbers.values())))
    every = {each: np.full(count, 3.0) for each in STATISTICS}
    every |= {each: np.array(values) for each, values in numbers.items()}
    assert headline(table(every, count), name).full == said


def test_what_makes_numbers_doubtful_is_said() -> None:
    every = {each: np.full(2, 0.3) for each in STATISTICS}
    odd = headline(table(every, 2, odd=1), "max_logit")
    assert odd.full.endswith(" One of them meets NaN or infinity: layer 0 head 0.")
    assert odd.short.endswith(" 1 meet NaN: layer 0 head 0.")
    missing = headline(table(every, 2, missing=2), "max_weight")
    assert missing.full.startswith("No verdict: these weights miss the captured output by 80 %, so")
    assert "largest" in headline(table(every, 2, missing=2), "largest_score").full.lower()
    some = headline(table(every, 2, missing=1), "max_weight").full
    assert "layer 0 head 0 does not count: its weights miss" in some.lower()
    assert "layer 0 head 1 is the sharpest" in some or "Layer 0 head 1" in some
    shares = np.linspace(0.3, 0.5, 8)
    of_batch = table(dict.fromkeys(STATISTICS, shares), 8, missing=4)
    other = {head: replace(head, batch=1) for head in of_batch.heads}
    partials = {other[head]: each for head, each in of_batch.partials.items()}
    # However long names are, there is room for how many do not count.
    named = replace(of_batch, heads=tuple(other.values()), partials=partials)
    assert headline(named, "max_weight").full.endswith(" 4 more do not count.")
    assert headline(named, "max_weight").short.endswith(" 4 more do not count.")
    fitted = headline(table(every, 2, multiplier=8.0), "max_weight")
    found = " m = 8 is found by the doctor's fit; 1/√d_k misses the output by 80 %."
    assert fitted.full.endswith(found)
    assert fitted.short.endswith("; m = 8 by fit.")
    assert "causal is assumed" in headline(table(every, 2, how="assumed"), "max_logit").full


def test_the_numbers_of_a_capture_are_those_of_its_partials() -> None:
    settings = Settings((EXAMPLE_NAME,), rows=16)
    *_, last = answer(parse(Draft(EXAMPLE.text, Setup().put(settings))))
    for name in STATISTICS:
        for head, partial in last.table.partials.items():
            at = last.table.places[head]
            assert last.table.numbers[name][at] == pytest.approx(
                partial.value(name).value, nan_ok=True
            )
    grid = last.table.grid("entropy", 0)
    head = HeadId(0, 4, 7)
    assert grid[4, 7] == last.table.partials[head].value("entropy").value
    clip = last.table.grid("qk_clip", 0, tau=5.0)
    assert clip[4, 7] == last.table.partials[head].value("qk_clip", 5.0).value
    assert last.progress == 1.0
    assert last.table.capture.paths == (EXAMPLE_NAME,)


def test_none_is_the_sharpest_of_equals() -> None:
    numbers = {name: np.array([0.3, 0.3]) for name in STATISTICS}
    said = headline(table(numbers, 2), "max_weight")
    assert said.full == (
        "Of 2 heads none saturates: in each a row puts 30 % of its weight on one key on average."
    )
    assert said.short == "None of 2 heads saturates; each puts 30 % on one key."


def test_one_head_is_not_none_of_one() -> None:
    numbers = {name: np.array([0.3]) for name in STATISTICS}
    said = headline(table(numbers, 1), "max_weight")
    assert said.short == "Layer 0 head 0 does not saturate: 30 % on one key."
