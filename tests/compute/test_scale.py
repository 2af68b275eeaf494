from math import log, sqrt

import pytest

from attn_tui.compute.errors import InputError
from attn_tui.compute.scale import RULES, Scale, parse_scale
from tests.pairs import with_rows


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
    ]:
        found = parse_scale(text).multiplier(d_k=80, n_keys=7)
        assert found == pytest.approx(multiplier, rel=5e-16)


def test_each_rule_says_what_it_is_and_who_uses_it() -> None:
    for name in RULES:
        rule = RULES[name]
        assert rule.name == name
        assert rule.formula
        assert rule.summary
        assert rule.source
        assert Scale(name).multiplier(65_536, 2) > 0


def test_rules_agree_where_they_should() -> None:
    standard = Scale().multiplier(64, 512)
    assert Scale("mup").multiplier(64, 3) == standard
    assert Scale("fixed", (("a", 64.0),)).multiplier(7, 3) == standard
    assert Scale("log-length").multiplier(64, 512) == standard
    assert Scale("yarn").multiplier(64, 3) / standard == pytest.approx(1.8739, abs=5e-5)


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


def test_what_is_no_rule_is_refused_by_name() -> None:
    for text, message in [
        ("", "'' is not a rule; expected one of inverse-sqrt, none"),
        ("sqrt", "'sqrt' is not a rule"),
        ("none:T=2", "none has no parameter 'T'; expected no parameter"),
        ("temperature:t=2", "no parameter 't'; expected T"),
        ("temperature:T", "'T' is not a number; expected parameter=number"),
        ("temperature:", "'' is not a number"),
        ("temperature:T=1,T=2", "'T' stands twice"),
        ("temperature:T=1_0", "'1_0' is not a number"),
        ("none:4", "'4' will not do; expected parameter=value"),
        ("temperature:T=warm", "'warm' is not a number"),
        ("temperature:T=0", "T=0' will not do; expected a finite temperature above 0"),
        ("temperature:T=inf", "T=inf' will not do"),
        ("temperature:T=nan", "T=nan' will not do"),
        ("mup:64,d0=2", "'d0' stands twice"),
        ("per-layer:layer=1.5", "expected a whole layer of 0 or more"),
        ("per-layer:layer=inf", "expected a whole layer of 0 or more"),
        ("yarn:factor=0.5", "expected a finite factor of 1 or more"),
        ("yarn:f=40", "no parameter 'f'; expected factor"),
        ("temperature:T=1e-320", "multiplier inf; expected a finite multiplier"),
    ]:
        with pytest.raises(InputError, match=message) as caught:
            parse_scale(text)
        assert caught.value.field == "rule"


@with_rows("text", ["\x1b[31m", "none:\x1b[31m=1", "temperature:T=\x1b[31m"])
def test_a_refusal_is_safe_to_print(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_scale(text)
    assert str(caught.value).isprintable()


@with_rows(
    ("scale", "text"),
    [
        (Scale(), "z = m·s, m = 1/√d_k"),
        (
            Scale("fixed", (("a", 144.0),), softcap=50.0, sink=0.0),
            "z = 50·tanh(m·s/50), m = 1/√144; sink b = 0",
        ),
        (Scale("none", sink=-1.5, qk_norm=True), "QK-norm; z = m·s, m = 1; sink b = -1.5"),
    ],
)
def test_the_pipeline_is_said_in_one_line(scale: Scale, text: str) -> None:
    assert scale.pipeline == text


def test_rules_that_depend_on_the_number_of_keys_say_so() -> None:
    assert {name for name in RULES if Scale(name).uses_n} == {"log-length", "ssmax"}


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


def test_parameters_that_are_no_finite_number_are_refused() -> None:
    for text in [
        "1e400",
        "10^99",
        "1,000" + ",000" * 18,
        "10^400",
        "2^9999",
        "-10^400",
        "1,5",
        "1_0x",
    ]:
        with pytest.raises(InputError):
            parse_scale(f"mup:d0={text}")
