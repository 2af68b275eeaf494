import re
from math import inf
from typing import Any

import numpy as np
import pytest
from attn_tui.report.explore import text
from attn_tui.report.explore.contents import Contents
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import answer
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.mask import Mask, parse_mask
from attn_tui.compute.precision import FORMATS, Precision
from attn_tui.compute.scale import RULES, Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Products, Source, Typed
from attn_tui.compute.vector import Vector

Q = [[1.0, 0.0], [0.5, 2.0]]
K = [[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]]


def typed(*scores: float) -> Typed:
    return Typed((Vector("a", np.array(scores)),))


def report(source: Source, setup: Setup | None = None, top: int | None = None) -> str:
    found = next(answer(Experiment(source, setup or Setup())))
    return "".join(text.render(found, Contents(top)))


def flat(source: Source, setup: Setup | None = None, top: int | None = None) -> str:
    return " ".join(report(source, setup, top).split())


@pytest.mark.parametrize(
    ("scores", "setup", "said"),
    [
        (
            ([100, 120, 150], [1, 2, 3, 10], [0, 0.1, 0.2], [5]),
            Setup(64),
            "Unscaled, 1 of 3 vectors with a choice puts practically all its weight on one key. "
            "Divided by 8, none does; the gradient grows for 2 and shrinks for 1.",
        ),
        (
            ([100, 120, 150], [1, 2, 300, 10]),
            Setup(1024),
            "Unscaled, both vectors put practically all their weight on one key. "
            "Divided by 32, 1 does; the gradient grows for all.",
        ),
        (
            ([1, 2, 3], [1, 2, 3, 4]),
            Setup(scale=Scale("log-length")),
            "Scaled or not, no vector puts practically all its weight on one key; "
            "the gradient shrinks for all.",
        ),
        (
            ([1, 2], [300, 1]),
            Setup(scale=Scale("none")),
            "Nothing is divided here, so both sides are the same: 1 of 2 vectors puts practically "
            "all its weight on one key.",
        ),
        (
            ([100, 120, 150], [1, 2]),
            Setup(precision=Precision("float16", False)),
            "Unscaled or divided by 32, no vector with a choice puts practically all its weight on "
            "one key; the gradient shrinks for all. 1 has no weights but NaN.",
        ),
        (
            ([1], [2, -inf]),
            Setup(),
            "No vector has two keys to choose from: every gradient is 0.",
        ),
    ],
)
def test_of_several_vectors_one_thing_is_said_first_over_all(
    scores: tuple[list[float], ...], setup: Setup, said: str
) -> None:
    several = Typed(tuple(Vector("a", np.array(each, float)) for each in scores))
    first = report(several, setup).split("\n\n")[0]
    assert " ".join(first.split()) == said
    assert max(map(len, first.split("\n"))) <= 80


def test_the_head_says_what_was_asked() -> None:
    setup = Setup(
        64,
        Scale("temperature", (("T", 4.0),), softcap=50.0, sink=-1.5),
        Precision("bfloat16", False, scores="float16"),
        parse_mask("0, 2:"),
    )
    headline, head, *_ = report(typed(1, 2, 3), setup).split("\n\n")
    assert headline.endswith("Divided by 4 and capped at 50 it takes 88 % beside the sink.")
    assert head == (
        "scores     typed: d_k moves nothing in this rule\n"
        "d_k        64\n"
        "scale      temperature: m = 1/4\n"
        "           Hinton et al. 2015, arXiv 1503.02531\n"
        "soft cap   z = c·tanh(m·s/c), c = 50: no logit exceeds ±c\n"
        "           Gemma 2, arXiv 2408.00118\n"
        "sink       softmax over the logits and b = −1.5, whose weight is dropped\n"
        "           StreamingLLM, arXiv 2309.17453; gpt-oss learns b; b = 0 is softmax₁\n"
        "precision  softmax in bfloat16, naive: no maximum subtracted, fused: rounds\n"
        "           logits and weights\n"
        "           scores are rounded to float16 before everything else\n"
        "mask       0, 2: (masked keys have weight 0 and gradient 0)"
    )


def test_a_causal_mask_says_which_keys_each_vector_sees() -> None:
    setup = Setup(mask=parse_mask("causal"))
    assert "mask causal (" in flat(typed(1, 2, 3), setup)
    assert "causal: vector i, counted from 0, sees keys 0 to i" in flat(typed(1, 2, 3), setup)
    assert "sees keys" not in flat(typed(1, 2, 3), Setup(mask=parse_mask("1:")))


def test_numbers_of_keys_have_separators() -> None:
    setup = Setup(1, mask=parse_mask("0:1500"))
    said = flat(typed(*np.zeros(4000)), setup, 3)
    assert "a: 4,000 keys, 1,500 masked" in said
    assert "and 3,997 more keys with smaller" in said
    assert "2,500 keys share the weight equally" in said
    assert "and 2,497 more keys at most as much each" in said
    shared = flat(typed(*np.linspace(0, 1, 4000)), setup, 3)
    assert re.search(r"as among \d,\d{3} of 2,500 keys", shared)


def test_what_was_not_asked_is_not_said() -> None:
    head = report(typed(1, 2, 3)).split("\n\n")[1]
    for label in ("soft cap", "sink", "QK-norm", "mask", "rounded"):
        assert label not in head
    assert "softmax in float64, largest score subtracted" in head


def test_who_uses_a_rule_is_said() -> None:
    for name, rule in RULES.items():
        assert (f"used by {rule.users}" in flat(typed(1, 2), Setup(scale=Scale(name)))) == bool(
            rule.users
        )


def test_q_and_k_have_their_own_lines() -> None:
    rounded = Setup(precision=Precision(vectors="bfloat16"), scale=Scale(qk_norm=True))
    products = flat(Products(np.array(Q), np.array(K)), rounded)
    assert "from q and K, normalised: d_k = 2 is their length" in products
    assert "QK-norm q and k divided by their root mean square before the product" in products
    assert "q and k are rounded to bfloat16 before their product" in products
    other = flat(typed(1, 2), rounded)
    assert "QK-norm has no q and k to normalise" in other
    assert "bfloat16" not in other


def test_a_draw_says_its_law_and_what_came_of_it() -> None:
    said = flat(Drawn(10_000, seed=7), Setup(64), 3)
    exact = Drawn(10_000, seed=7).query_norm(64, 0)
    assert "drawn: q, k ~ N(0,1) at d_k = 64, n = 10,000, seed 7" in said
    assert "standard deviation √d_k = 8.00 (NumPy PCG64, standard_normal)" in said
    found = re.search(
        r"of the 10,000 scores (\S+) ± (\S+) \(standard error\), by law ‖q‖ = (\S+)", said
    )
    assert found
    spread, error, norm = map(float, found.groups())
    assert norm == pytest.approx(exact, abs=0.005)
    assert error == pytest.approx(exact / 2**0.5 / 100, rel=0.01)
    assert abs(spread - norm) < 4 * error


def test_a_normalised_draw_says_its_own_law() -> None:
    said = flat(Drawn(10_000, seed=7), Setup(64, Scale(qk_norm=True)), 3)
    assert "drawn: q, k ~ N(0,1), normalised, at d_k = 64, n = 10,000, seed 7: |s| ≤ 64" in said
    assert "s = d_k·g/√(g² + χ²)" in said
    assert "QK-norm q and k divided by their root mean square before the product" in said
    assert "‖q‖" not in said
    found = re.search(r"10,000 scores (\S+) ± (\S+) \(standard error\), by law √d_k = 8.00", said)
    assert found
    spread, error = map(float, found.groups())
    # Var s² = 2d²(d − 1)/(d + 2), so that of √(mean s²) is (d/2n)·(d − 1)/(d + 2).
    assert error == pytest.approx((64 / 2e4 * 63 / 66) ** 0.5, rel=0.01)
    assert abs(spread - 8.0) < 4 * error


def test_the_sink_has_a_line_and_is_counted() -> None:
    both = report(typed(0, 0, 0), Setup(scale=Scale("none", sink=0.0)))
    assert re.search(r"weight of the sink +– +0\.2500\n", both)
    assert re.search(r"effective keys e\^H +3\.00 +4\.00\n", both)
    assert "sink counted: H, e^H and 1/Σp² take the sink as one more key\n" in both
    assert "sink" not in report(typed(0, 0, 0))


def test_a_largest_weight_that_underflowed_beside_a_sink_is_not_0() -> None:
    both = report(typed(5, 1), Setup(scale=Scale(sink=1000.0)))
    assert re.search(r"largest weight +0\.9820 +\S*e-435\n", both)


def test_keys_that_move_a_weight_alike_are_all_named() -> None:
    assert "falls most with s₁ and s₂, by 1.22e-01" in flat(typed(1, 0, 0), Setup(1))
    assert "falls most with s₁, s₂ and s₃, by 2.01e-03" in flat(typed(3, 1, 1, 1))
    assert "falls most with s₁ and 4 others alike, by" in flat(typed(3, 1, 1, 1, 1, 1))
    assert "falls most with s₂, by" in flat(typed(3, 1, 2, 1))


def test_what_comes_of_no_gradient_is_not_many_times_that() -> None:
    asked = Setup(128, Scale(softcap=50.0, sink=0.0), mask=parse_mask("1"))
    said = report(typed(5, 1), asked)
    assert "∞ " not in said.replace("−∞", "")
    assert re.search(r"^   0 .* \+\S+ +from 0$", said, re.M)
    assert re.search(r"^   1 .* 0 +–$", said, re.M)


def test_the_picture_is_said_in_sentences() -> None:
    said = flat(typed(100, 120, 150))
    assert said.endswith(
        "Weights scaled, the largest first: key 2 0.6245 (unscaled 1.0000), key 1 0.2446 "
        "(unscaled 9.36e-14), key 0 0.1309 (unscaled 1.93e-22). Scaled, p₂ rises most with s₂, by "
        "7.33e-03 for each 1, and falls most with s₁, by 4.77e-03. Over d_k, the entropy of the "
        "weights goes from 2.90e-12 nats at 1 to 1.10 at 65,536."
    )
    many = flat(typed(*range(9)), Setup().put(Settings(4, "logits")))
    assert "and 6 more keys at most as much each. Scaled, p₄ rises most with z₄" in many
    assert "Over d_k" not in flat(typed(1, 2), Setup(scale=Scale("none")))
    assert "Over d_k" not in flat(Products(np.array(Q), np.array(K)))
    assert "rises most" not in flat(typed(-inf, 2, 3), Setup().put(Settings(of=0)))
    assert "Weights" not in flat(typed(-inf, -inf))


@given(
    st.sampled_from(
        [
            typed(100, 120, 150),
            typed(-inf, 1, 2, 5000),
            typed(-inf, -inf),
            typed(3),
            Drawn(30, seed=2, count=2),
            Products(np.array(Q), np.array(K), np.array(K)),
        ]
    ),
    st.sampled_from(sorted(RULES)),
    st.none() | st.sampled_from([0.01, 50.0]),
    st.none() | st.sampled_from([-3.0, 0.0, 1e5]),
    st.builds(Precision, *[st.sampled_from(FORMATS), st.booleans(), st.sampled_from(FORMATS)]),
    st.sampled_from([Mask(), Mask(causal=True), Mask(((0, 1),))]),
    st.booleans(),
)
@settings(deadline=None)
def test_every_report_fits_80_columns_and_prints(
    source: Source,
    rule: str,
    softcap: float | None,
    sink: float | None,
    precision: Precision,
    mask: Mask,
    qk_norm: bool,
) -> None:
    scale = Scale(rule, softcap=softcap, sink=sink, qk_norm=qk_norm)
    setup = Setup(64, scale, precision, mask).put(Settings(1))
    lines = report(source, setup).splitlines()
    assert max(map(len, lines)) <= 80
    assert all(line.isprintable() and line == line.rstrip() for line in lines)


def test_a_report_of_a_vector_works_nothing_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    found = next(answer(Experiment(typed(1, 2, 3, 4, 5))))
    asked = []
    exponents = Evaluation.exponents

    def counted(side: Evaluation, *keys: Any) -> Any:
        asked.append(side)
        return exponents(side, *keys)

    monkeypatch.setattr(Evaluation, "exponents", counted)
    # Norms are known, and not wanted where d_k is another.
    monkeypatch.delattr(Evaluation, "frobenius")
    assert "Over d_k, the entropy" in "".join(text.render(found))
    assert len(asked) <= 2
