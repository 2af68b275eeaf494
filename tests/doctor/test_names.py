"""The names of multipliers, and the usual causes of wrong ones."""

from math import e, log2

import pytest

from attn_tui.doctor.names import HeadPlace, Span, misses, mistakes, names
from attn_tui.doctor.words import multiplier_text
from attn_tui.files.models.transformers import expectation

MLA = expectation(
    {
        "model_type": "deepseek_v3", "num_attention_heads": 16, "hidden_size": 2048,
        "qk_nope_head_dim": 192, "qk_rope_head_dim": 64, "kv_lora_rank": 512,
        "rope_scaling": {"rope_type": "yarn", "factor": 40.0, "mscale_all_dim": 1.0},
    },
    "config.json",
)  # fmt: skip


def around(value: float, share: float = 1e-4) -> Span:
    return Span(value, value * (1 - share), value * (1 + share))


@pytest.mark.parametrize(
    ("m", "called"),
    [
        (0.125, ("inverse-sqrt",)),
        (1.0, ("none",)),
        (1 / 64, ("inverse",)),
        (8.0, ("sqrt",)),
        (64**-0.25, ("inverse-fourth-root",)),
        (1 / 12, ("fixed:a=144",)),
        (0.125 / 4, ("per-layer:layer=3",)),
        (0.0734, ()),
    ],
)
def test_a_multiplier_has_its_name(m: float, called: tuple[str, ...]) -> None:
    assert names(around(m), HeadPlace(64, layer=3)) == called
    # A multiplier that no common mistake leads to has no suspected cause.
    assert called or not misses(around(m), 0.125, HeadPlace(64))
    # One that is not what is promised is not called so, though its interval may hold that.
    assert names(around(m), HeadPlace(64, layer=3), other_than=m) == ()


def test_a_name_is_the_configurations_before_any_other() -> None:
    assert names(around(1 / 16), HeadPlace(16), form="1/√256")[0] == "fixed:a=256"
    assert names(around(1 / 4), HeadPlace(16), form="1/√16")[0] == "inverse-sqrt"
    assert [miss.form for miss in misses(around(1 / 12), 1 / 8, HeadPlace(64))] == ["1/√144"]


def test_a_dimension_that_nobody_named_is_none_where_only_rounding_lets_m_be_it() -> None:
    m, ulp = 0.0791011, 2.0**-11
    half = ulp / 2 + 1e-6
    span = Span(m, m - half, m + half, ulp / 2)
    assert names(span, HeadPlace(64)) == ()
    assert misses(span, 1 / 8, HeadPlace(64)) == ()
    # The head's own dimension, or the promised one, is named.
    assert names(span, HeadPlace(160)) == ("inverse-sqrt",)
    assert names(span, HeadPlace(64), form="1/√160") == ("fixed:a=160",)


def test_of_two_names_for_one_number_both_are_said() -> None:
    assert names(around(1.0), HeadPlace(1))[:3] == ("inverse-sqrt", "none", "inverse")
    assert "yarn" in names(around(MLA.yarn**2 / 16), HeadPlace(256), MLA)


@pytest.mark.parametrize(
    ("m", "promised", "phrase"),
    [
        (1 / 24, 1 / 16, "the absorbed MLA dimension"),
        (1.0, 1 / 16, "no scale at all"),
        (16.0, 1 / 16, "multiplied by √d_k"),
        (1 / 256, 1 / 16, "the scale twice"),
        (1 / 4, 1 / 16, "⁴√d_k on one side"),
        (2048**-0.5, 1 / 16, "√d_model for √d_head"),
        (1 / 16 / MLA.yarn**2, 1 / 16, "mscale² = 1.8739 is missing"),
        (1 / 16 * MLA.yarn**2, 1 / 16, "mscale² = 1.8739 once too often"),
        (1 / 16 * MLA.yarn, 1 / 16, "mscale = 1.3689 once too often"),
        (1 / 8, 1 / 16, "the part of a head with RoPE"),
        (1 / 48, 1 / 16, "the layer's scale twice"),
        (1 / 16 * log2(e), 1 / 16, "log₂e that belongs"),
        (512**-0.5, 1 / 16, "MLA's latent dimension"),
        (1 / 16, 1.0, "the scale twice, for q carries it"),
    ],
)
def test_a_near_miss_says_what_it_usually_means(m: float, promised: float, phrase: str) -> None:
    causes = misses(around(m), promised, HeadPlace(256, layer=2, heads=8), MLA)
    assert any(phrase in miss.meaning for miss in causes), causes


def test_packed_and_padded_lengths_are_named() -> None:
    place = HeadPlace(64, heads=8, kv_heads=2, is_padded=True)
    packed = "the width of q, k and v in one projection"
    for width in (12 * 64, 3 * 64):
        assert misses(around(width**-0.5), 32**-0.5, place)[0].meaning == packed
    padded = misses(around(64**-0.5), 32**-0.5, place)[0].meaning
    assert padded == "the length 64 that q and k are padded to with zeros"


def test_what_a_configuration_has_is_thought_of_before_what_others_have() -> None:
    yarn = {"type": "yarn", "factor": 40.0, "mscale_all_dim": 1.0}
    latent = {
        "model_type": "deepseek_v3", "num_attention_heads": 4, "hidden_size": 1024,
        "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "rope_scaling": yarn,
    }  # fmt: skip
    model = expectation(latent, "config.json")
    missing = misses(around(192**-0.5), model.of(0, 192).multiplier or 0.0, HeadPlace(192), model)
    assert "mscale² = 1.8739 is missing" in missing[0].meaning
    scaled = {"model_type": "gpt2", "n_head": 4, "n_embd": 256, "n_layer": 2,
              "scale_attn_by_inverse_layer_idx": True}  # fmt: skip
    twice = misses(
        Span(0.03125, 0.0312, 0.0313), 0.0625, HeadPlace(64, layer=1), expectation(scaled, "c")
    )
    assert twice[0].meaning == "the layer's scale twice"


def test_twice_is_said_alike_of_every_layer() -> None:
    for layer in (0, 1):
        assert (
            misses(around(0.27), 0.135, HeadPlace(64, layer))[0].meaning == "twice what is promised"
        )


def test_a_sentence_about_a_mistake_has_at_most_120_characters() -> None:
    place = HeadPlace(192, 31, 128, 3, 8, False, 128, 4096)
    for miss in mistakes(128**-0.5, place, MLA):
        call = f"the call was given the scale {multiplier_text(miss.value)}"
        output = f"m = {miss.value:.4} = {miss.form} in all 1,024 heads"
        for text in (call, output):
            assert len(f"differs: {text}, promised 1/√128: {miss.meaning}?") <= 120
