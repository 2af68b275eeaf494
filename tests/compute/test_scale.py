from math import log, sqrt

import pytest

from attn_tui.compute.errors import InputError
from attn_tui.compute.scale import DEFAULT_RULE, RULES, Rule, Scale, parse_scale


@pytest.mark.parametrize(
    ("text", "multiplier"),
    [
        ("inverse-sqrt", 1 / sqrt(80)),
        ("none", 1.0),
        ("inverse", 1 / 80),
        ("temperature", 1.0),
        ("temperature:T=8", 0.125),
        (" temperature : T = 0.5 ", 2.0),
    ],
)
def test_each_rule_has_its_multiplier(text: str, multiplier: float) -> None:
    found = parse_scale(text).multiplier(d_k=80, n_keys=7)
    assert found == pytest.approx(multiplier, rel=3e-16)


def test_the_default_is_the_inverse_square_root() -> None:
    assert Scale() == parse_scale(DEFAULT_RULE) == parse_scale("inverse-sqrt")


@pytest.mark.parametrize("name", RULES)
def test_each_rule_says_what_it_is_and_who_uses_it(name: str) -> None:
    rule = RULES[name]
    assert rule.name == name
    assert rule.formula
    assert rule.summary
    assert rule.source
    assert Scale(name).multiplier(65_536, 1) > 0


def test_the_formula_shows_parameters_with_their_values() -> None:
    assert Scale().formula == "1/√d_k"
    assert parse_scale("temperature:T=4").formula == "1/T, T = 4"
    assert parse_scale("temperature:T=4").parameters == {"T": 4.0}
    assert parse_scale(" temperature : 4 ") == parse_scale("temperature:T=4")
    assert parse_scale("temperature:T=1") == Scale("temperature")


@pytest.mark.parametrize(
    ("text", "message"),
    [
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
        ("temperature:T=0", "T=0 will not do; expected T .* above 0"),
        ("temperature:T=-1", "T=-1 will not do"),
        ("temperature:T=inf", "T=inf will not do"),
        ("temperature:T=nan", "T=nan will not do"),
        ("temperature:T=1e-320", "multiplier inf; expected a finite multiplier above 0"),
    ],
)
def test_what_is_no_rule_is_refused_by_name(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        parse_scale(text)
    assert caught.value.field == "rule"


@pytest.mark.parametrize("text", ["\x1b[31m", "none:\x1b[31m=1", "temperature:T=\x1b[31m"])
def test_a_refusal_is_safe_to_print(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_scale(text)
    assert str(caught.value).isprintable()


def test_a_rule_of_the_length_may_vanish_at_a_single_key(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = Rule("log", "ln n", "", "", lambda d_k, n_keys, given: log(n_keys))
    monkeypatch.setattr("attn_tui.compute.scale.RULES", {"log": rule})
    assert Scale("log").multiplier(64, 3) == log(3)
