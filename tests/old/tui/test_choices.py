"""What is typed finds what is meant, whatever its case, its signs and its blanks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_tui.compute.models import MODELS
from attn_tui.compute.scale import RULES
from attn_tui.files.examples import EXAMPLES
from attn_tui.old.tui.choices import Choice, matching

MODELS_OFFERED = [Choice(name, each.title) for name, each in MODELS.items()]
RULES_OFFERED = [
    Choice(name, f"{name} {rule.formula}", f"{rule.summary}\n{rule.source}\n{rule.users}")
    for name, rule in RULES.items()
]
EXAMPLES_OFFERED = [Choice(name, each.title, each.look) for name, each in EXAMPLES.items()]
EVERY = [*MODELS_OFFERED, *RULES_OFFERED, *EXAMPLES_OFFERED]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("gem2", ["gemma-2-9b", "gemma-2-27b"]),
        ("gemma 2", ["gemma-2-9b", "gemma-2-27b", "gemma-3-27b"]),
        ("GPTJ", ["gpt-j-6b"]),
        ("ll2", ["llama-2-7b", "llama-2-70b", "llama-3.2-1b"]),
        ("70b", ["llama-2-70b"]),
        ("gpt", ["gpt-2", "gpt-j-6b", "gpt-neo", "gpt-oss-20b"]),
        ("nothing", []),
    ],
)
def test_a_model_is_found_by_what_one_would_type(typed: str, found: list[str]) -> None:
    assert [each.value for each in matching(MODELS_OFFERED, typed)] == found


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        *((dk, "inverse") for dk in ("1/dk", "1/d_k", "1 / d_k", "1/D_K", "1dk")),
        *((root, "inverse-sqrt") for root in ("1/√d_k", "1/sqrt(dk)", "1/sqrt dk", "√dk")),
        ("vaswani", "inverse-sqrt"),
        ("gemma", "none"),
        ("query pre attn", "fixed"),
        *((mup, "mup") for mup in ("mup", "d0")),
        *((mu, "mup") for mu in ("µP: Yang", "μp yang", "MUP yang")),
        ("temp", "temperature"),
    ],
)
def test_a_rule_is_found_by_its_name_formula_source_and_users(typed: str, first: str) -> None:
    assert matching(RULES_OFFERED, typed)[0].value == first


def test_greek_letters_are_their_names_and_signs_what_one_types_for_them() -> None:
    offered = [Choice(each, each) for each in ("ρ of keys", "σ_q", "μ_q", "‖∂p/∂s‖_F", "entropy")]
    for typed, title in (
        ("rho", "ρ of keys"), ("ρ", "ρ of keys"), ("Ρ", "ρ of keys"), ("sigma", "σ_q"),
        ("sigmaq", "σ_q"), ("sigma_q", "σ_q"), ("Σ", "σ_q"), ("mu", "μ_q"), ("µ", "μ_q"),
        ("dp/ds", "‖∂p/∂s‖_F"), ("∂p", "‖∂p/∂s‖_F"), ("éntropy", "entropy"),
    ):  # fmt: skip
        assert [each.title for each in matching(offered, typed)] == [title], typed


PASTED = {
    "words": "1.5, " * 9000,
    "word": "title" * 9000,
    "others": " ".join(map(str, range(9000))),
}


@pytest.mark.parametrize("pasted", PASTED.values(), ids=PASTED)
def test_a_long_text_is_looked_for_before_anybody_gives_up(pasted: str) -> None:
    offered = [Choice(str(n), "a title of words", "and all there is to say") for n in range(200)]
    assert matching(offered, pasted) == ()


def test_the_best_comes_first_and_what_is_as_good_keeps_its_order() -> None:
    offered = [
        Choice("detail", "Rule", "a mask is one"),
        Choice("put together", "Marked skies"),
        Choice("inside", "Unmasked keys"),
        Choice("words", "Causal", words="mask"),
        Choice("word", "Type a mask"),
        Choice("title", "Mask these"),
        Choice("none", "Temperature", "am ask"),
        Choice("title too", "mask those"),
    ]
    found = [each.value for each in matching(offered, "mask")]
    assert found == ["title", "title too", "word", "words", "inside", "put together", "detail"]


@given(st.sampled_from(EVERY), st.data())
def test_any_words_of_a_title_find_it_however_they_are_typed(
    choice: Choice, data: st.DataObject
) -> None:
    words = choice.title.split()
    typed = data.draw(st.lists(st.sampled_from(words), min_size=1, unique=True))
    style = data.draw(st.sampled_from(["{}", " ({}), "]))
    phrase = style.format(" ".join(typed))
    assert choice in matching(EVERY, phrase)
    assert matching(EVERY, phrase.upper()) == matching(EVERY, phrase)
    assert choice in matching(EVERY, choice.title.replace(" ", ""))


@given(st.text())
def test_whatever_is_typed_finds_some_each_once(typed: str) -> None:
    found = matching(EVERY, typed)
    assert set(found) <= set(EVERY)
    assert len(found) == len(set(found))
    if not any(map(str.isalnum, typed)) and not set("√∂∞") & set(typed):
        assert list(found) == EVERY


@given(st.sampled_from(EVERY), st.integers(1, 40))
def test_a_title_is_found_all_the_while_it_is_typed(choice: Choice, length: int) -> None:
    assert choice in matching(EVERY, choice.title[:length])
