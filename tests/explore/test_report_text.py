"""Explore's report as text, in 80 columns."""

import re
from dataclasses import replace
from math import inf

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from attn_tui.commands.program import program
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.mask import Mask, parse_mask
from attn_tui.compute.precision import FORMATS, Precision
from attn_tui.compute.rules import RULES
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Products, Source, Typed, Vector
from attn_tui.explore.answer import answer as shown
from attn_tui.explore.headline import headline
from attn_tui.explore.report import report
from attn_tui.explore.vectors import READ
from attn_tui.report.forms import json
from attn_tui.report.rows import cells
from tests.explore.reports import (
    CASES,
    answered,
    as_csv,
    as_json,
    as_text,
    flat,
    of,
)


def test_the_text_has_the_headline_what_was_asked_and_the_numbers() -> None:
    setup = Setup(
        64,
        Scale("temperature", (("T", 4.0),), softcap=50.0, sink=-1.5),
        Precision("bfloat16", naive=True, scores="float16"),
        parse_mask("0, 2:"),
    )
    first, head, *_ = as_text(answered([1, 2, 3], setup=setup)).split("\n\n")
    assert first.startswith("Unscaled: largest weight over 99.9 % (key 1)")
    assert head == (
        "scores     typed: d_k moves nothing in this rule\n"
        "d_k        64\n"
        "scale      temperature: m = 1/4\n"
        "           Hinton et al. 2015, arXiv 1503.02531\n"
        "soft cap   z = c·tanh(m·s/c), c = 50: no logit exceeds ±c\n"
        "           Gemma 2, arXiv 2408.00118\n"
        "sink       softmax over the logits and b = −1.5, whose weight is dropped\n"
        "           StreamingLLM, arXiv 2309.17453; gpt-oss learns b; b = 0 is softmax₁\n"
        "precision  softmax in bfloat16, naive: no maximum subtracted, softmax: rounds\n"
        "           logits and weights\n"
        "           scores are rounded to float16 before everything else\n"
        "mask       0, 2: (masked keys have weight 0 and gradient 0)"
    )
    example = as_text(answered([100, 120, 150]))
    for line in (
        r" 0 +100 +1\.93e-22 +0\.1309 +−1\.93e-22 +−2\.55e-3 +×1\.3e19",
        r" 2 +150 +1\.0000 +0\.6245 +\+9\.36e-14 +\+7\.33e-3 +×7\.8e10",
        r"multiplier m +1 +0\.03125",
        r"entropy H of p, nats +2\.90e-12 +0\.905",
        r"‖∂p/∂s‖_F, Frobenius norm +1\.87e-13 +0\.0127",
    ):
        assert re.search(f"^ *{line}$", example, re.M), line
    assert "gradient of p₂ with respect to the scores s" in example


def test_the_headline_is_that_of_the_screen() -> None:
    result = answered([100.0, 120.0, 150.0])
    *_, last = shown(result.experiment, 0)
    sentence = headline(last.vector, result.experiment, last.over)
    assert "is back" in sentence
    assert as_json(result)["headline"] == as_json(result)["vectors"][0]["headline"] == sentence
    assert flat(result).startswith(sentence)
    assert flat(result).count(sentence) == 1


def test_of_several_vectors_one_thing_is_said_first_and_then_of_each() -> None:
    for result, counts in (
        (answered([100, 120, 150], [1, 2, 3, 10], [5], setup=Setup(64)), "2 of 3 vectors. "
         "Divided by 8, it does so in 1."),
        (answered([1, 2], [300, 1, 2], setup=Setup(scale=Scale("log-length"))), "1 of 2 vectors. "
         "Scaled, it does so in none."),
    ):  # fmt: skip
        first = f"Unscaled, one key takes practically all the weight in {counts}"
        assert flat(result).startswith(first)
        assert as_json(result)["headline"] == first
        for plain in as_json(result)["vectors"]:
            assert plain["headline"] in flat(result)


def test_the_sink_has_a_line_and_is_counted() -> None:
    both = as_text(answered([0, 0, 0], setup=Setup(scale=Scale("none", sink=0.0))))
    assert re.search(r"weight of the sink +0 +0\.2500\n", both)
    assert re.search(r"effective keys e\^H +3\.00 +4\.00\n", both)
    assert "H, e^H and 1/Σp² count the sink as one more key.\n" in both
    assert "sink" not in as_text(answered([0, 0, 0]))


def test_what_is_odd_is_said_with_its_reason() -> None:
    small = as_text(answered([1000, 0, -inf]))
    assert "−5.08e-435" in small
    assert re.search(r"entropy H of p, nats +5.08e-432 ", small)
    assert not re.search(r"-0\.0[],]", "".join(json(report(answered([1, 0, -inf])))))
    for result in CASES:
        for vector in result.vectors:
            assert vector.reason in flat(result)
    written = as_text(answered([100, 120, 150], setup=Setup(1, precision=Precision("float16"))))
    assert re.search(r"weights rounded to 0 +2 +2\n", written)
    masked = answered([-inf, 3, 4, 4], setup=Setup().put(Settings(of=0)))
    assert "v0: 4 keys, 1 masked" in flat(masked, 2)
    assert "gradient of p₀, which is masked, with respect to the scores s" in flat(masked, 2)
    assert "and 2 more keys with smaller or equal scores" in flat(masked, 2)
    assert "more key" not in flat(masked, 4)


def test_a_draw_says_its_law_and_what_came_of_it() -> None:
    written = flat(of(Drawn(10_000, seed=7), Setup(64)), 3)
    match = re.search(r"scores, by law ‖q‖ (\S+) ± (\S+), exact (\S+)", written)
    assert match
    spread, error, exact = map(float, match.groups())
    assert exact == pytest.approx(Drawn(10_000, seed=7).query_norm(64, 0), rel=1e-5)
    assert error == pytest.approx(exact / 2**0.5 / 100, rel=0.1)
    assert abs(spread - exact) < 4 * error


def test_the_means_over_several_drawn_vectors_have_standard_errors() -> None:
    result = of(Drawn(16, seed=3, count=50), Setup(64))
    entropies = np.array(
        [[vector.unscaled.entropy, vector.scaled.entropy] for vector in result.vectors]
    )
    errors = entropies.std(axis=0, ddof=1) / np.sqrt(50)
    plain = as_json(result, top=1)["means"]
    for index, side in enumerate(("unscaled", "scaled")):
        assert set(plain[side]["entropy"]) == {"value", "standard_error"}
        assert plain[side]["entropy"]["value"] == pytest.approx(entropies[:, index].mean())
        assert plain[side]["entropy"]["standard_error"] == pytest.approx(errors[index])
    line = re.search(
        r"^entropy H of p, nats +(\S+) ± (\S+) +(\S+) ± \S+$", as_text(result, top=1), re.M
    )
    assert line
    assert float(line[3]) == pytest.approx(entropies[:, 1].mean(), rel=1e-3)


def test_what_is_too_small_for_float64_is_said_to_come_from_logarithms() -> None:
    from_logarithms = "numbers below 2.2e-308 are too small for it, and come from logarithms"
    assert from_logarithms in as_text(answered([0, 1000, 2000]))
    assert from_logarithms in as_text(answered([0, 400, 800], setup=Setup().put(Settings(of=0))))
    for scores in ([100.0, 120.0, 150.0], [0.0, 700.0], [-inf, 5.0, 0.0]):
        assert from_logarithms not in as_text(answered(scores))


def test_the_text_lists_the_gradients_by_q_and_k_and_the_output() -> None:
    identity = Products(np.eye(2), np.eye(2), np.array([[10.0, 0.0], [0.0, 20.0]]))
    written = as_text(of(identity, Setup(scale=Scale("temperature", (("T", 0.5),)))))
    # Q = K = 1: p = (.731, .269), and every entry of J is ±.731·.269 = ±.1966; at T = 1/2,
    # p = (.881, .119), and every entry of ∂p/∂s is ±2·.105.
    assert (
        "gradient of p₀ with respect to the query q, and output V·p: the values weighted\n"
        "by p\n"
        "              ∂p₀/∂q_i  ∂p₀/∂q_i    output    output\n"
        " i       q_i  unscaled    scaled  unscaled    scaled\n"
        " 0         1  +1.97e-1  +2.10e-1    7.3106    8.8080\n"
        " 1         0  −1.97e-1  −2.10e-1    5.3788    2.3841\n"
        "‖∂p₀/∂q‖: 2.78e-1 unscaled, 2.97e-1 scaled\n"
        "\n"
        "norm of the gradient of p₀ with respect to each key k\n"
        " key          ‖k‖      unscaled        scaled\n"
        "   0            1       1.97e-1       2.10e-1\n"
        "   1            1       1.97e-1       2.10e-1\n"
    ) in written
    long = Products(np.ones((1, READ + 3)), np.ones((3, READ + 3)))
    assert as_text(of(long), 1).count("and 3 more, which JSON holds") == 1


def test_the_text_has_the_lab_as_a_table_with_its_reasons() -> None:
    written = as_text(answered([100, 120, 150], setup=Setup().put(Settings(1))), lab=True)
    assert "exact: 9.36e-14 unscaled, 0.2446 scaled\n" in written
    rows = re.findall(r"^(\w+) +(stable|naive) +(\S+) +(\S+) +(\S+) +(\S+)$", written, re.M)
    assert [(row[0], row[1]) for row in rows] == [
        (name, method) for name in FORMATS for method in ("stable", "naive")
    ]
    assert rows[4][2:4] == ("0", "9.36e-14")
    assert rows[3][2:4] == ("NaN", "NaN")
    assert "float32 naive: e^z overflows float32 above 88.72; infinity/infinity is NaN\n" in written


@pytest.mark.parametrize("name", ["x" * 60, "🎉👩‍🔬" * 20, "\x1b[31m\u202ered\n" * 9])
def test_names_from_outside_leave_lines_and_columns_as_they_are(name: str) -> None:
    result = answered([1, 2], [3, 4])
    vectors = tuple(
        replace(vector, vector=replace(vector.vector, name=f"{index}{name}"))
        for index, vector in enumerate(result.vectors)
    )
    named = replace(result, vectors=vectors)
    plain = as_text(result, pinned=result.vectors).splitlines()
    lines = as_text(named, pinned=named.vectors).splitlines()
    assert max(map(cells, lines)) <= 80
    assert all(line.isprintable() or "👩" in line for line in lines)
    rows = [cells(line) for line in lines if re.match(r" +[01] ", line)]
    assert rows == [cells(line) for line in plain if re.match(r" +[01] ", line)]
    assert {row["vector"] for row in as_csv(named)} == {vector.vector.name for vector in vectors}
    assert [vector["name"] for vector in as_json(named)["vectors"]] == [
        vector.vector.name for vector in vectors
    ]


@pytest.mark.slow
@given(
    st.sampled_from(
        [
            Typed((Vector("a", np.array([100.0, 120.0, 150.0])),)),
            Typed((Vector("a", np.array([-inf, 1.0, 2.0, 5000.0])),)),
            Typed((Vector("a", np.array([-inf, -inf])),)),
            Typed((Vector("a", np.array([3.0])),)),
            Drawn(30, seed=2, count=2),
            Products(np.array([[1.0, 0.0], [0.5, 2.0]]), np.eye(2, 2), np.eye(2, 2)),
        ]
    ),
    st.sampled_from(sorted(RULES)),
    st.none() | st.sampled_from([0.01, 50.0]),
    st.none() | st.sampled_from([-3.0, 0.0, 1e5]),
    st.builds(Precision, *[st.sampled_from(FORMATS), st.booleans(), st.sampled_from(FORMATS)]),
    st.sampled_from([Mask(), Mask(causal=True), Mask(((0, 1),))]),
    st.booleans(),
)
@settings(deadline=None, max_examples=50, derandomize=True)
def test_every_text_fits_80_columns_with_no_number_cut(
    source: Source,
    rule: str,
    softcap: float | None,
    sink: float | None,
    precision: Precision,
    mask: Mask,
    qk_norm: bool,
) -> None:
    assume(source.normalises or not RULES[rule].normalises)
    scale = Scale(rule, softcap=softcap, sink=sink, qk_norm=qk_norm)
    setup = Setup(64, scale, precision, mask).put(Settings(1))
    result = of(source, setup)
    lines = as_text(result, lab=True, pinned=result.vectors[:1]).splitlines()
    assert max(map(len, lines)) <= 80
    assert all(line.isprintable() and line == line.rstrip() for line in lines)
    assert not any("…" in line for line in lines)


def test_where_every_key_is_masked_a_convention_is_said_and_no_entropy() -> None:
    told = CliRunner().invoke(program, ["show", "--", "-inf,-inf"]).stdout
    assert "every weight is 0 by convention" in told
    assert "scaled_dot_product_attention; torch.softmax gives NaN" in " ".join(told.split())
    for name in ("entropy H of p", "effective keys e^H", "participation ratio"):
        (line,) = [line for line in told.splitlines() if line.startswith(name)]
        assert line.split()[-2:] == ["–", "–"]


def test_where_the_sink_of_a_masked_row_overflows_the_status_says_so() -> None:
    asked = ["show", "100,0,-inf", "--sink", "1e308", "--mask", "0,1", "--naive", "--csv"]
    _, *lines = CliRunner().invoke(program, asked).stdout.splitlines()
    assert {line.split(",")[1] for line in lines} == {"nan"}
    asked[asked.index("1e308")] = "5"
    _, *lines = CliRunner().invoke(program, asked).stdout.splitlines()
    assert {line.split(",")[1] for line in lines} == {"masked"}
    assert "NaN" not in "".join(lines)
