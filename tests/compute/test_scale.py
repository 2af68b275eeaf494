"""Rules against their formulas, models against publications, and refused rules."""

import re
from math import log, sqrt

import numpy as np
import pytest

from attn_tui.compute.errors import InputError
from attn_tui.compute.heads.head_model import PositionLaw
from attn_tui.compute.models import MODELS
from attn_tui.compute.rules import RULES
from attn_tui.compute.scale import Scale, parse_scale


def test_each_rule_has_its_multiplier() -> None:
    for text, multiplier in [
        ("inverse-sqrt", 1 / sqrt(80)),
        ("none", 1.0),
        ("inverse", 1 / 80),
        ("temperature", 1.0),
        ("temperature:T=8", 0.125),
        (" temperature : T = 0.5 ", 2.0),
        ("mup", 8 / 80),
        ("mup:d0=80", 1 / sqrt(80)),
        ("fixed", 1 / 16),
        ("fixed:144", 1 / 12),
        ("per-layer", 1 / sqrt(80)),
        ("per-layer:layer=3", 1 / sqrt(80) / 4),
        ("log-length", log(7) / log(512) / sqrt(80)),
        ("ssmax", 0.43 * log(7) / sqrt(80)),
        ("ssmax:a=1", log(7) / sqrt(80)),
        ("yarn:factor=1", 1 / sqrt(80)),
        ("yarn", (0.1 * log(40) + 1) ** 2 / sqrt(80)),
        ("yarn:40", (0.1 * log(40) + 1) ** 2 / sqrt(80)),
        ("yarn:4, mscale=0.707", (0.0707 * log(4) + 1) ** 2 / sqrt(80)),
        ("yarn:1,mscale=0.5", 1 / sqrt(80)),
        ("longrope", (1 + log(32) / log(4096)) / sqrt(80)),
        ("longrope:4,length=2^15", (1 + log(4) / log(32_768)) / sqrt(80)),
        ("llama4", 1 / sqrt(80)),
        ("llama4:8", 1 / sqrt(80)),
        ("llama4:7", (1 + 0.1 * log(2)) / sqrt(80)),
        ("llama4:length=2,a=0.5", (1 + 0.5 * log(4)) / sqrt(80)),
        ("cosine", 8 / 80),
        ("cosine:20", 20 / 80),
        ("power", 1 / sqrt(80)),
        ("power:1", 1 / 80),
        ("power:alpha=0.25", 1 / sqrt(sqrt(80))),
        ("power:0", 1.0),
    ]:
        computed = parse_scale(text).multiplier(d_k=80, n_keys=7)
        assert computed == pytest.approx(multiplier, rel=5e-16)


def test_rules_agree_where_they_should() -> None:
    standard = Scale().multiplier(64, 512)
    assert Scale("mup").multiplier(64, 3) == standard
    assert Scale("fixed", (("a", 64.0),)).multiplier(7, 3) == standard
    assert Scale("log-length").multiplier(64, 512) == standard
    assert Scale("power").multiplier(64, 3) == standard
    # DeepSeek-V3 and V2-Lite, and Phi-3 with 128k, as published.
    for text, factor in (("yarn", 1.8739), ("yarn:40,mscale=0.707", 1.5896), ("longrope", 1.4167)):
        ratio = parse_scale(text).multiplier(64, 3) / standard
        assert ratio == pytest.approx(factor, abs=5e-5)


def test_llama_4s_rule_is_the_law_by_position_of_a_causal_query() -> None:
    """The query at position i sees i + 1 keys, so that its place follows from their number."""
    law, scale = PositionLaw("llama 4", 128.0), parse_scale("llama4:length=128")
    positions = np.arange(1000)
    ours = [scale.multiplier(64, int(place) + 1) * 8.0 for place in positions]
    assert ours == pytest.approx(law.factors(positions), rel=1e-15)
    assert set(ours[:127]) == {1.0}
    assert ours[127] > 1.0


@pytest.mark.parametrize("name", ["log-length", "ssmax"])
def test_a_rule_of_the_length_is_0_at_a_single_key(name: str) -> None:
    assert Scale(name).multiplier(64, 1) == 0.0
    assert Scale(name).logit_map(64, 0).multiplier == 0.0


def test_the_formula_shows_parameters_with_their_values() -> None:
    assert Scale().formula == "1/√d_k"
    assert parse_scale("temperature:T=4").formula == "1/4"
    assert parse_scale("temperature:T=4").parameters == {"T": 4.0}
    assert parse_scale(" temperature : 4 ") == parse_scale("temperature:T=4")
    assert parse_scale("temperature:T=1") == Scale("temperature")
    assert parse_scale("power:0.3").formula == "d_k^−0.3"
    assert parse_scale("yarn:4").formula == "(0.1·ln 4 + 1)²/√d_k"
    assert parse_scale("yarn:mscale=0.707").formula == "(0.1·0.707·ln 40 + 1)²/√d_k"
    assert parse_scale("longrope").formula == "(1 + ln 32/ln 4,096)/√d_k"


def test_what_is_no_rule_is_refused_by_name() -> None:
    for text, message in [
        ("", "'' is not a rule; expected one of inverse-sqrt, none"),
        ("none:T=2", "none has no parameter 'T'; expected no parameter"),
        ("yarn:f=40", "no parameter 'f'; expected factor, mscale"),
        ("yarn:mscale=1,40", "'1,40' is not a number"),
        ("yarn:40,factor=4", "'factor' stands twice"),
        ("power:-1", "expected a power from 0 to 60"),
        ("longrope:length=1", "expected a finite length above 1"),
        ("temperature:T", "'T' is not a number; expected parameter=number"),
        ("temperature:T=1,T=2", "'T' stands twice"),
        ("none:4", "'4' will not do; expected parameter=value"),
        ("temperature:T=0", "T=0' will not do; expected a finite temperature above 0"),
        ("temperature:T=nan", "T=nan' will not do"),
        ("per-layer:layer=1.5", "expected a whole layer of 0 or more"),
        ("yarn:factor=0.5", "expected a finite factor of 1 or more"),
        ("temperature:T=1e-320", "multiplier ∞; expected a finite multiplier"),
        ("mup:d0=2^9999", "will not do"),
        ("mup:d0=1,5", "'1,5' is not a number"),
        ("none:\x1b[31m=1", "no parameter"),
    ]:
        with pytest.raises(InputError, match=re.escape(message)) as caught:
            parse_scale(text)
        assert caught.value.field == "rule"
        assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("scale", "text"),
    [
        (Scale(), "z = m·s, m = 1/√d_k"),
        (
            Scale("fixed", (("a", 144.0),), softcap=50.0, sink=0.0),
            "z = 50·tanh(m·s/50), m = 1/√144; sink b = 0",
        ),
        (Scale("none", sink=-1.5, qk_norm=True), "QK-norm; z = m·s, m = 1; sink b = −1.5"),
        (Scale("cosine"), "QK-norm; z = m·s, m = 8/d_k"),
    ],
)
def test_the_pipeline_is_said_in_one_line(scale: Scale, text: str) -> None:
    assert scale.pipeline == text


def test_rules_that_depend_on_the_number_of_keys_say_so() -> None:
    assert {name for name in RULES if Scale(name).uses_n} == {"log-length", "ssmax", "llama4"}


def test_parameters_are_written_as_other_numbers_are() -> None:
    for text, value in [
        ("64", 64.0),
        ("2^6", 64.0),
        ("1,024", 1024.0),
        ("1e250", 1e250),
        ("1,024,000", 1.024e6),
        ("1e-3", 0.001),
        ("6.5", 6.5),
    ]:
        assert parse_scale(f"mup:d0={text}") == parse_scale(f"mup:{text}")
        assert parse_scale(f"mup:d0={text}").parameters["d0"] == value


TABLE = """
bert-base 768 12 64 1/√64
gpt-2 768 12 64 1/√64
gpt-j-6b 4096 16 256 1/√256
gpt-neo 2048 16 128 1
t5-small 512 8 64 1
falcon-7b 4544 71 64 1/√64
llama-2-7b 4096 32 128 1/√128
llama-3-8b 4096 32 128 1/√128
llama-2-70b 8192 64 128 1/√128
llama-3.1-405b 16384 128 128 1/√128
llama-3.2-1b 2048 32 64 1/√64
mistral-7b 4096 32 128 1/√128
mixtral-8x7b 4096 32 128 1/√128
qwen2.5-7b 3584 28 128 1/√128
qwen3-0.6b 1024 16 128 1/√128 norm
gemma-7b 3072 16 256 1/√256
gemma-2-9b 3584 16 256 1/√256 cap
gemma-2-27b 4608 32 128 1/√144 cap
gemma-3-27b 5376 32 128 1/√168 norm
gemma-4 2304 8 256 1 norm
phi-2 2560 32 80 1/√80
deepseek-v3 7168 128 192 1.8739/√192
gpt-oss-20b 2880 64 64 1/√64 sink
granite-4.1-3b 2560 40 64 1/64
"""
"""What the models' published configurations say; d_model, heads, d_k, multiplier, the rest."""


ROWS = [line.split() for line in TABLE.strip().splitlines()]


def number(text: str) -> float:
    match = re.fullmatch(r"([\d.]+)(?:/(√?)(\d+))?", text)
    assert match
    divisor = float(match[3] or 1.0)
    return float(match[1]) / (divisor**0.5 if match[2] else divisor)


def test_models_are_as_published() -> None:
    assert [row[0] for row in ROWS] == list(MODELS)
    for name, d_model, heads, d_k, multiplier, *more in ROWS:
        model = MODELS[name]
        assert (model.name, model.title.lower().split()[0]) == (name, name)
        assert (model.d_model, model.heads, model.d_k) == (int(d_model), int(heads), int(d_k))
        assert model.scale.multiplier(model.d_k, 9) == pytest.approx(number(multiplier), rel=3e-5)
        assert (model.scale.softcap == 50.0) == ("cap" in more)
        assert model.scale.qk_norm == ("norm" in more)
        assert (model.scale.sink == 0.0) == ("sink" in more)
