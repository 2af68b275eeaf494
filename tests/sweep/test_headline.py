"""The headline of Sweep: whole sentences whose numbers are those of the draws."""

import re
from dataclasses import replace
from math import exp

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.compute.scale import NONE, Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.sweep.crossover import Crossing
from attn_tui.compute.sweep.settings import STATISTICS, Settings
from attn_tui.sweep.headline import headline, turn_text
from tests.pairs import slow_after
from tests.sweep.asked import MAP, swept

CURVES = Settings(n=8, d_k_range=(2, 1024), points=10, draws=200)


SENTENCES = {
    "of a map": [
        (
            MAP, 64,
            "With 8 keys and d_k = 64, dividing by √d_k makes the typical gradient 1.1 to 4.8 "
            "times smaller. Above d_k 133 (67 to 269) it becomes larger.",
        ),
        (
            MAP, 1024,
            "With 8 keys and d_k = 1,024, dividing by √d_k makes the typical gradient 24 to "
            "30,000 times larger. Below d_k 133 (68 to 269) it becomes smaller.",
        ),
        (
            replace(MAP, crossovers=False), 1024,
            "With 8 keys and d_k = 1,024, dividing by √d_k makes the typical gradient 24 to "
            "30,000 times larger.",
        ),
        (
            replace(CURVES, over="n", n_range=(2, 128)), 64,
            "With 8 keys and d_k = 64, dividing by √d_k makes the typical gradient 1.1 to 4.8 "
            "times smaller. Below 6 keys (4 to 8) it becomes larger.",
        ),
    ],
    "of other rules and readouts": [
        (
            replace(MAP, statistic="trace", n=2), 64,
            "With 2 keys and d_k = 64, dividing by √d_k makes the typical trace of the Jacobian "
            "130 to 1,300 times larger. So it does at every d_k from 2 on.",
        ),
        (
            replace(MAP, d_k_range=(1, 512)), 1,
            "With 8 keys and d_k = 1, dividing by √d_k changes nothing: it multiplies by 1.",
        ),
        (
            replace(CURVES, rules=("none", "inverse-sqrt", "inverse")), 256,
            "Of 3 rules 1/√d_k leaves the largest typical gradient here: about that of no "
            "scaling, 18 times that of 1/d_k.",
        ),
        (
            replace(MAP, statistic="effective_keys", n=128), 1024,
            "Of 128 keys about one has the weight unscaled, about 80 when divided by √d_k.",
        ),
        (
            replace(MAP, statistic="max_weight"), 1024,
            "With 8 keys and d_k = 1,024, the typical largest weight is practically all "
            "unscaled, 33 % when divided by √d_k.",
        ),
        (
            replace(CURVES, statistic="effective_keys", rules=("inverse-sqrt", "inverse"), n=64),
            64,
            "Of 64 keys about 41 share the weight when divided by √d_k, about 64 when divided by "
            "d_k.",
        ),
        (
            replace(MAP, statistic="lead_weight", n=128), 64,
            "With 128 keys and d_k = 64, the typical weight of key 0 is almost none unscaled, "
            "0.5 % when divided by √d_k.",
        ),
        (replace(CURVES, rules=("none",)), 64,
         "Only the unscaled side is drawn: there is nothing to compare it with."),
    ],
}  # fmt: skip


def test_what_is_left_of_a_leading_key_stands_beside_what_equal_others_would_leave() -> None:
    asked = replace(CURVES, statistic="lead_weight", n=64, draws=400)
    assert headline(swept(asked, 64, Setup(lead=5.0))) == (
        "With 64 keys and d_k = 64, the leading key typically has practically all of the weight "
        "unscaled, 58 % when divided by √d_k; equal others would leave it 70 %."
    )
    two = replace(asked, rules=("inverse-sqrt", "log-length"))
    assert headline(swept(two, 64, Setup(lead=5.0))).endswith(
        "58 % of the weight when divided by √d_k, 26 % when divided by 12; equal others would "
        "leave it 70 % and 31 %."
    )


@pytest.mark.parametrize("kind", slow_after(1, SENTENCES))
def test_a_person_reads_the_sentence_that_fits(kind: str) -> None:
    for asked, d_k, expected in SENTENCES[kind]:
        assert headline(swept(asked, d_k)) == expected


def test_where_medians_meet_is_said_with_what_is_known_of_it() -> None:
    assert turn_text(Crossing(375.2, 368.4, 381.9), True) == "375 (368 to 382)"
    assert turn_text(Crossing(12.3, None, 15.0), False) == "12 (15 or less)"
    assert turn_text(Crossing(1234.0, 1100.0, None), False) == "1,234 (1,100 or more)"
    assert turn_text(Crossing(5.0, None, None), True) == "about 5"
    # Below 6.3 keys means 6 and fewer, above it 7 and more: whole numbers say so, too.
    assert turn_text(Crossing(6.3, 5.4, 8.1), True, " keys") == "7 keys (6 to 9)"
    assert turn_text(Crossing(6.3, 5.4, 8.1), False, " keys") == "6 keys (5 to 8)"


ASKED = st.builds(
    lambda statistic, rules, view, over, n, d_k, draws: (
        replace(CURVES, statistic=statistic, rules=rules, view=view, over=over, n=n, draws=draws,
                n_range=(2, 64), d_k_range=(1, 4096), points=4, map_points=4),
        d_k,
    ),
    st.sampled_from(STATISTICS),
    st.sampled_from([(), ("none", "inverse"), ("none", "temperature:T=0.3"), ("inverse-sqrt",),
                     ("none", "temperature:T=1e200"), ("mup", "none", "yarn"),
                     ("inverse-sqrt", "inverse"), ("inverse", "mup", "yarn"), ("none",)]),
    st.sampled_from(["map", "curves"]),
    st.sampled_from(["d_k", "n"]),
    st.sampled_from([2, 5, 16]),
    st.sampled_from([1, 7, 4096]),
    st.sampled_from([8, 40]),
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=10, derandomize=True, deadline=None)
@given(
    ASKED, st.sampled_from([Scale(), Scale("none"), Scale(qk_norm=True)]),
    st.sampled_from([0.0, 5.0]),
)  # fmt: skip
def test_it_is_short_plain_and_its_factor_is_that_of_the_points(
    question: tuple[Settings, int], scale: Scale, lead: float
) -> None:
    wanted, d_k = question
    if scale.qk_norm:
        wanted = replace(wanted, d_k_range=(1, 16), draws=8)
    result = swept(wanted, d_k, Setup(scale=scale, lead=lead))
    text = headline(result)
    assert len(text) <= 170, text
    assert not re.search(r"\de[-+]?\d|∂|‖|\{|\}|\binf\b|nan|  |about about", text), text
    assert text.endswith(".")
    assert text.startswith("Only") == (len(result.rules) == 1)
    counts = re.findall(r"Of (\d+) rules", text)
    assert counts in ([], [str(len(result.rules))])
    assert ("unscaled" not in text) or NONE in result.rules
    factors = re.findall(r"([\d.,]+) times (larger|smaller)", text)
    is_of_one = len([rule for rule in result.rules if rule != NONE]) == 1
    if text.startswith("With") and factors and "anything" not in text and is_of_one:
        place = result.points.nearest((wanted.n, d_k))
        (rule,) = [rule for rule in result.rules if rule != NONE]
        ratio = result.points.ratio(*place, rule, wanted.statistic)
        assert ratio
        told = float(factors[0][0].replace(",", ""))
        assert (ratio.log_median < 0.0) == (factors[0][1] == "larger")
        most = exp(abs(ratio.log_median) + 2.0 * ratio.log_median_error)
        assert 0.9 <= told <= 1.1 * most, text
