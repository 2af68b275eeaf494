"""Headlines of Attention, against numbers that are counted anew."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.compute.attention.answer import Answer, answer, compare
from attn_tui.compute.attention.settings import Settings
from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.mask import Mask
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import RULES, Scale, parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Typed
from attn_tui.compute.vector import Vector
from attn_tui.files.draft import EXAMPLE, parse
from attn_tui.report.attention.headline import headline
from attn_tui.report.headline import FULL, SHORT, wrapped

SOURCE = parse(EXAMPLE).source


def found(setup: Setup = Setup(), **own: object) -> Answer:
    *_, last = answer(Experiment(SOURCE, setup.put(Settings(**own))))  # type: ignore[arg-type]
    return last


def typed(*rows: list[float], **setup: Any) -> Answer:
    source = Typed(tuple(Vector(f"v{at}", np.array(row)) for at, row in enumerate(rows)))
    *_, last = answer(Experiment(source, Setup(**setup)))
    return last


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (
            found(),
            "Unscaled, 9 of 11 choosing queries give one key practically all. Divided by 32 a "
            "query typically uses about 6 keys; most gradients grow over 510 times.",
        ),
        (
            found(Setup(d_k=64)),
            "Unscaled, a query typically puts 97 % on one key. Divided by 8 a query "
            "typically uses about 6 keys, and the gradient grows for 5 and shrinks for 6.",
        ),
        (
            found(Setup(d_k=1)),
            "Nothing is divided here (√1 = 1), so both maps are the same: a query typically "
            "shares its weight among about 7 keys.",
        ),
        (
            found(Setup(scale=Scale("inverse"))),
            "Unscaled, 9 of 11 queries with a choice put practically all their weight on one key. "
            "Divided by 1,024, every query shares its weight almost equally.",
        ),
        (
            found(Setup(scale=Scale(sink=2.0))),
            "Unscaled, 10 of 12 queries put practically all their weight on one key. Divided by 32 "
            "a query typically uses about 5 keys; the sink takes 44 %.",
        ),
        (
            typed([1000.0, 0.0], [900.0, 0.0], [800.0, 1.0]),
            "Unscaled, all 3 queries put practically all their weight on key 0. Divided by 32, all "
            "of these do, and the gradient is typically still almost nothing.",
        ),
        (
            typed([3000.0, 2000.0, 0.0], [0.0, 3000.0, 2000.0], d_k=65_536),
            "Unscaled, both queries put practically all on one key. Divided by 256 a query "
            "typically puts 98 % on one key; the gradient is larger, but still small.",
        ),
        (
            typed([1.0, -np.inf], [-np.inf, 3.0]),
            "No query sees more than one key, which has all the weight at any scale: there is "
            "nothing to choose.",
        ),
        (
            typed([1.0, 2.0], [0.0, 3.0], mask=Mask(((0, None),))),
            "Every key is masked for every query: all weights and all gradients are 0.",
        ),
    ],
)
def test_it_says_what_there_is_to_say(shown: Answer, expected: str) -> None:
    assert headline(shown).full == expected


def test_it_says_where_there_are_no_weights() -> None:
    naive = found(Setup(d_k=65_536, precision=Precision("float16", stable=False)))
    undefined = int(np.isnan(naive.unscaled.largest).sum())
    assert undefined
    assert f"{undefined} of 12 queries have no weights but NaN" in headline(naive).full


def test_what_is_known_of_some_rows_is_not_changed_by_what_comes() -> None:
    growing = answer(Experiment(SOURCE, Setup(64).put(Settings(n=2000))))
    first = next(growing)
    *_, whole = growing
    assert first.done < whole.done == 2000
    assert first.choosing.tolist() == [row for row in first.rows.tolist() if row]
    known = f"{first.done:,} of 2,000"
    assert headline(first).full.startswith(f"After {known} rows: ")
    assert headline(first).short.startswith(f"{known} rows. ")
    assert "2,000" not in headline(whole).full


def test_what_is_pinned_stands_before_what_is_now() -> None:
    both = compare(found(Setup(scale=Scale("inverse"))), found())
    assert both is not None
    before, after = (side.largest for side in both.sides)
    moved = int((np.abs(after - before) > 0.1).sum())
    assert 0 < moved < 12
    assert headline(both).full == (
        "Pinned: every query shares its weight almost equally. Now a query typically uses about 6 "
        f"keys. {moved} of 12 largest weights move by over 10 points."
    )
    assert headline(both).short == f"Pinned: almost equal. Now: about 6 keys. {moved} of 12 move."
    same = compare(found(), found())
    assert same is not None
    assert headline(same).full == (
        "Pinned and now are the same: a query typically shares its weight among about 6 keys."
    )
    assert headline(same).short == "Pinned and now are the same: about 6 keys."


@given(
    st.integers(1, 65_536), st.sampled_from([*RULES, "temperature:T=2"]),
    st.none() | st.just(30.0), st.none() | st.just(0.0), st.integers(2, 24), st.integers(0, 30),
    st.booleans(), st.booleans(),
)  # fmt: skip
@settings(max_examples=150, deadline=None, derandomize=True)
def test_every_number_is_one_of_the_answer(
    d_k: int, rule: str, cap: float | None, sink: float | None, n: int, seed: int, causal: bool,
    qk_norm: bool,
) -> None:  # fmt: skip
    one = parse_scale(rule)
    try:
        scale = Scale(one.rule, one.given, cap, sink, qk_norm)
        shown = found(Setup(d_k, scale), n=n, seed=seed, causal=causal)
    except InputError:
        return
    said = headline(shown)
    assert len(wrapped(said.full, FULL)) <= 2
    assert len(wrapped(said.short, SHORT)) <= 2
    assert "e-" not in said.full
    assert "nan" not in said.full
    for side, text in zip(shown.sides, re.split(r"\. (?=[A-Z])", said.full), strict=False):
        if counted := re.search(r"(\d+) of (\d+) (choosing )?quer.* on ", text):
            assert int(counted[1]) == (side.largest[shown.choosing] >= 0.9995).sum()
            assert int(counted[2]) == shown.choosing.size
            chooses = counted[3] or "with a choice" in text
            assert bool(chooses) == (shown.choosing.size < n)
        if shared := re.search(r"about ([\d.]+)(?: keys|,)", text):
            chosen = np.sort(side.effective_keys[shown.choosing])
            median = chosen[(chosen.size - 1) // 2]
            assert float(shared[1]) == pytest.approx(median, rel=0.06, abs=0.5)
        if share := re.search(r"([\d.]+) % (?:of its weight )?on one key", text):
            chosen = np.sort(side.largest[shown.choosing])
            assert float(share[1]) == pytest.approx(100 * chosen[(chosen.size - 1) // 2], abs=0.51)
    if sink is not None:
        share = np.sort(shown.scaled.sink[shown.choosing])[(shown.choosing.size - 1) // 2]
        if taken := re.search(r"sink takes ([\d.]+) %", said.full):
            assert float(taken[1]) == pytest.approx(100 * share, abs=0.51)
    before, after = (side.log_gradient[shown.choosing] for side in shown.sides)
    with np.errstate(invalid="ignore"):
        logs = np.sort((after - before)[~np.isnan(after - before)])
    if typical := re.search(r"gradient is typically ([\d.,]+) times (.)", said.full):
        sign = 1.0 if typical[2] == "l" else -1.0
        told = float(typical[1].replace(",", ""))
        assert told == pytest.approx(np.exp(sign * logs[(logs.size - 1) // 2]), rel=0.06)
    most = re.search(r"most gradients (?:are|grow|shrink) over ([\d.,]+) times", said.full)
    if most:
        sign = -1.0 if re.search("smaller|shrink", said.full) else 1.0
        beyond = sign * logs > np.log(float(most[1].replace(",", "")))
        assert 4 * beyond.sum() >= 3 * logs.size
    if several := re.search(r"gradient is larger for (\d+) of (\d+)", said.full):
        assert [*map(int, several.groups())] == [(logs > 0.0).sum(), logs.size]
