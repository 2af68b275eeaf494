"""The changes made to a model are what differs, and appear at every length."""

from dataclasses import replace
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from attn_tui.compute.models import MODELS
from attn_tui.compute.rules import RULES
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import FIELDS, Setup
from attn_tui.report.head import about_model
from attn_tui.report.model import departures, model_texts

SCALES = st.builds(
    Scale, st.sampled_from([*RULES]), softcap=st.sampled_from([None, 30.0, 50.0, 50.000001]),
    sink=st.sampled_from([None, 0.0, 1.5]), qk_norm=st.booleans(),
)  # fmt: skip


def of(name: str, **other: Any) -> Setup:
    """Return a setup in which a model was chosen and then changed."""
    return replace(Setup().changed(FIELDS["model"], lambda _: name), **other)


def texts(name: str, **other: Any) -> str:
    return next(iter(model_texts(of(name, **other))), "")


def test_a_model_that_is_chosen_is_itself() -> None:
    for name in MODELS:
        setup, model = of(name), MODELS[name]
        assert (setup.model, setup.d_k, setup.scale) == (name, model.d_k, model.scale)
        assert (departures(setup), model_texts(setup)) == ((), (model.title,))


def test_what_departs_is_said_in_few_words() -> None:
    own = MODELS["gemma-2-27b"].scale
    assert texts("gemma-2-27b") == "Gemma-2-27B"
    assert texts("gemma-2-27b", d_k=64) == "Gemma-2-27B, but d_k 64"
    assert texts("gemma-2-27b", d_k=65_536) == "Gemma-2-27B, but d_k 65,536"
    plain = replace(own, rule="inverse-sqrt", arguments=())
    assert texts("gemma-2-27b", scale=plain) == "Gemma-2-27B, but 1/√d_k"
    assert texts("gemma-2-27b", scale=replace(own, softcap=None)) == "Gemma-2-27B, but no cap"
    many = Scale("fixed", (("a", 7.0),), softcap=30.0, sink=0.0, qk_norm=True)
    assert texts("gemma-2-27b", scale=many) == ("Gemma-2-27B, but 1/√7, cap 30, sink 0, QK-norm")
    assert texts("gpt-oss-20b", scale=Scale()) == "gpt-oss-20b, but no sink"
    assert texts("gemma-4", scale=Scale("none")) == "Gemma-4 text, but no QK-norm"


@given(st.sampled_from([*MODELS]), st.sampled_from([1, 64, 128, 256]), SCALES)
@example("llama-2-7b", 128, Scale("yarn", softcap=30.0, sink=0.0, qk_norm=True))
def test_a_model_is_named_as_long_as_something_is_its_own(
    name: str, d_k: int, scale: Scale
) -> None:
    model, setup = MODELS[name], of(name, d_k=d_k, scale=scale)
    same = d_k == model.d_k, scale == model.scale
    assert setup.model == (name if any(same) else "none")
    named = model_texts(setup)
    assert bool(named) == any(same)
    assert bool(departures(setup)) == (any(same) and not all(same))
    assert len(set(departures(setup))) == len(departures(setup))
    assert all(text.startswith(model.title) for text in named)
    assert all(("but" in text) == (not all(same)) for text in named)
    assert [*map(len, named)] == sorted(map(len, named), reverse=True)
    head = " ".join(text for _, text in about_model(setup))
    assert all(word in head for word in (*departures(setup), *named[:1]))
