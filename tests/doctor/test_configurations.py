"""The expectation about a head from a configuration of transformers."""

import json
import os
from collections.abc import Callable
from math import log
from pathlib import Path
from typing import Any

import pytest

from attn_tui.compute.errors import InputError
from attn_tui.compute.heads.head_model import LEARNED, PARTS
from attn_tui.files.models.configuration import claimed, read_expectation
from attn_tui.files.models.promise import NONE, Expectation
from attn_tui.files.models.transformers import expectation

YARN = {"rope_type": "yarn", "factor": 40.0, "mscale": 1.0, "mscale_all_dim": 1.0}
MLA = {"qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "kv_lora_rank": 512}
GEMMA_2 = {"model_type": "gemma2", "query_pre_attn_scalar": 144, "attn_logit_softcapping": 50.0}
WIDE = {"num_attention_heads": 32, "hidden_size": 4096, "num_hidden_layers": 4}


def of(**config: Any) -> Expectation:
    return expectation(WIDE | config, "config.json")


@pytest.mark.parametrize(
    ("config", "m"),
    [
        ({"model_type": "llama"}, 128**-0.5),
        ({"model_type": "qwen3", "head_dim": 64}, 1 / 8),
        (GEMMA_2, 1 / 12),
        ({"model_type": "gemma2"}, 1 / 16),
        ({"model_type": "granite", "attention_multiplier": 0.015625}, 1 / 64),
        ({"model_type": "t5", "d_kv": 64}, 1.0),
        ({"model_type": "opt"}, 1.0),
        ({"model_type": "gpt2", "scale_attn_weights": False}, 1.0),
        ({"model_type": "mpt", "attn_config": {"softmax_scale": 0.2}}, 0.2),
        ({"model_type": "deepseek_v3", **MLA}, 192**-0.5),
        (
            {"model_type": "deepseek_v3", **MLA, "rope_scaling": YARN},
            (0.1 * log(40.0) + 1.0) ** 2 * 192**-0.5,
        ),
        (
            {"model_type": "deepseek_v3", **MLA, "rope_scaling": YARN | {"mscale_all_dim": 0}},
            192**-0.5,
        ),
        # Llama's YaRN is in q and k.
        ({"model_type": "llama", "rope_scaling": YARN}, 128**-0.5),
        ({"model_type": "whatever", "attention_multiplier": 0.3}, 0.3),
        ({"model_type": "whatever", "query_pre_attn_scalar": 144}, 1 / 12),
        ({"model_type": "jais", "mup_scale_qk_dot_by_d": True}, 1 / 128),
        # YaRN is in q and k of Ministral 3, and in m of Mistral 4.
        ({"model_type": "ministral3", "head_dim": 128, "rope_parameters": YARN}, 128**-0.5),
        (
            {"model_type": "mistral4", **MLA, "rope_parameters": YARN},
            (0.1 * log(40.0) + 1.0) ** 2 * 192**-0.5,
        ),
        ({"text_config": WIDE | {"model_type": "llama"}}, 128**-0.5),
    ],
)
def test_every_dialect_says_its_multiplier(config: dict[str, Any], m: float) -> None:
    whole = config if "text_config" in config else WIDE | config
    expected = expectation(whole, "config.json")
    assert expected.of(0, 128).multiplier == pytest.approx(m, rel=1e-12)


def test_a_multiplier_is_written_as_its_configuration_has_it() -> None:
    assert of(**GEMMA_2).of(0, 128).form == "1/√144"
    assert of(model_type="qwen3", head_dim=64).of(0, 64).form == "1/√64"
    assert of(model_type="whatever", attention_multiplier=0.3).of(0, 64).form == ""
    layers = of(model_type="gpt2", scale_attn_by_inverse_layer_idx=True)
    assert [layers.of(layer, 128).form for layer in (0, 2)] == ["1/√128", "1/(3·√128)"]
    yarn = of(model_type="deepseek_v3", **MLA, rope_scaling=YARN)
    assert yarn.of(0, 192).form == ""


def test_a_class_that_is_not_known_promises_a_multiplier_at_most() -> None:
    fields = {"attn_logit_softcapping": 30, "sliding_window": 8, "scaling": 0.3, "head_dim": 64}
    expected = of(model_type="newest", **fields)
    assert expected.of(0, 64).stated == frozenset()
    assert "newest is no class that we know, for which 1/√64 is usual" in expected.source
    multiplied = of(model_type="newest", attention_multiplier=0.25, **fields)
    assert multiplied.of(0, 64).stated == {"multiplier"}


def test_a_class_that_is_known_promises_that_there_is_nothing_else() -> None:
    promise = of(model_type="llama").of(0, 128)
    assert promise.stated == frozenset(PARTS)
    absent = (promise.softcap, promise.sink, promise.bias, promise.value_scale)
    assert absent == (NONE, NONE, NONE, 1.0)
    # What other programs make of a cap that the class ignores is open.
    assert of(model_type="llama", attn_logit_softcapping=50.0).of(0, 128).softcap is None


def test_layers_may_differ() -> None:
    expected = of(**GEMMA_2, sliding_window=4096)
    assert [expected.of(layer, 128).mask for layer in range(4)] == ["window", "causal"] * 2
    assert expected.of(0, 128).window == 4096
    by_layer = of(model_type="gpt2", scale_attn_by_inverse_layer_idx=True)
    assert by_layer.of(3, 128).multiplier == pytest.approx(128**-0.5 / 4)
    types = ["full_attention", "sliding_attention", "chunked_attention", "full_attention"]
    named = of(model_type="qwen3", layer_types=types, sliding_window=8)
    assert [named.of(i, 128).mask for i in range(4)] == ["causal", "window", None, "causal"]
    assert of(model_type="mistral", sliding_window=7).of(0, 128).window == 7
    qwen = of(model_type="qwen2", sliding_window=7, max_window_layers=2)
    assert [qwen.of(layer, 128).window for layer in range(4)] == [None] * 4
    qwen = of(model_type="qwen2", sliding_window=7, max_window_layers=2, use_sliding_window=True)
    assert [qwen.of(layer, 128).window for layer in range(4)] == [None, None, 7, 7]
    # A layer without attention by softmax is passed over in no list.
    hybrid = of(model_type="lfm2", layer_types=["conv", "conv", "full_attention", "conv"])
    assert {hybrid.of(layer, 128).mask for layer in range(4)} == {"causal"}


@pytest.mark.parametrize(
    ("config", "mask"),
    [
        ({"model_type": "bert", "is_decoder": True}, "causal"),
        ({"model_type": "bert"}, "none"),
        ({"model_type": "llama", "architectures": ["LlamaBidirectionalModel"]}, "none"),
        ({"model_type": "llama", "is_causal": False}, "none"),
        ({"model_type": "llama", "architectures": 7}, "causal"),
        ({"model_type": "mistral", "sliding_window": 8, "is_causal": False}, None),
    ],
)
def test_a_model_is_causal_as_it_says_whatever_others_of_its_kind_are(
    config: dict[str, Any], mask: str | None
) -> None:
    shape = {"num_attention_heads": 4, "hidden_size": 64, "num_hidden_layers": 1}
    expected = expectation({**shape, **config}, "config.json").of(0, 16)
    assert (expected.mask, expected.window) == (mask, None)


@pytest.mark.parametrize("value", [1e308, 1e-308, 1e31])
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("gemma2", "query_pre_attn_scalar"),
        ("granite", "attention_multiplier"),
        ("gemma2", "attn_logit_softcapping"),
    ],
)
def test_a_number_whose_root_or_square_is_none_is_refused(
    kind: str, name: str, value: float
) -> None:
    shape = {"model_type": kind, "num_attention_heads": 4, "hidden_size": 64}
    with pytest.raises(InputError, match=f'"{name}" is .*; expected 0, or a number from 1e-30'):
        expectation({**shape, name: value}, "config.json")


def test_windows_of_gemma_reach_to_both_sides_where_attention_does() -> None:
    config = {"model_type": "gemma3_text", "use_bidirectional_attention": True}
    expected = of(**config, sliding_window=512, sliding_window_pattern=2)
    assert [expected.of(layer, 128).mask for layer in range(2)] == ["local", "none"]
    assert expected.of(0, 128).window == 512


def test_chunks_of_layers_are_expected() -> None:
    chunked = {"attention_chunk_size": 64, "layer_types": ["chunked_attention", "full_attention"]}
    chunks = expectation(WIDE | chunked | {"model_type": "llama4_text"}, "config.json")
    assert [chunks.of(layer, 128).mask for layer in (0, 1)] == ["causal", "causal"]
    assert [chunks.of(layer, 128).chunk for layer in (0, 1)] == [64, None]
    plain = {"model_type": "llama4_text", "attention_chunk_size": 64}
    every = expectation(WIDE | plain | {"num_hidden_layers": 8}, "config.json")
    # Every fourth layer has no RoPE, and its queries see all keys up to their own.
    assert [every.of(layer, 128).chunk for layer in range(8)] == [64, 64, 64, None] * 2


def test_local_layers_see_keys_to_either_side() -> None:
    modern = {"model_type": "modernbert", "local_attention": 128}
    expected = expectation(WIDE | modern, "config.json")
    assert [expected.of(layer, 128).mask for layer in range(4)] == [
        "none",
        "local",
        "local",
        "none",
    ]
    assert expected.of(1, 128).window == 128


def test_sinks_and_caps_are_expected_where_models_have_them() -> None:
    gpt_oss = of(model_type="gpt_oss", head_dim=64)
    assert gpt_oss.of(0, 64).sink == LEARNED
    assert of(model_type="llama").of(0, 128).sink == NONE
    assert of(**GEMMA_2).of(0, 128).softcap == 50.0
    assert of(**GEMMA_2 | {"attn_logit_softcapping": None}).of(0, 128).softcap == NONE
    assert of(model_type="bert").of(0, 128).mask == "none"


@pytest.mark.parametrize(
    ("layers", "heads", "d_k", "phrase"),
    [
        ({4}, 32, 128, "it has 4 layers, and layer 4 was captured"),
        ({3}, 33, 128, "it has 32 heads a layer, and 33 were captured"),
        # That 8 heads over 8 are as many to each other says nothing of which they are.
        ({3}, 8, 128, "it has 32 heads a layer, and 8 were captured"),
        ({3}, 32, 64, "its queries are of length 128, and those captured of 64"),
    ],
)
def test_a_configuration_of_another_model_is_bad_input(
    layers: set[int], heads: int, d_k: int, phrase: str
) -> None:
    of(model_type="llama").check({3}, 32, {128}, 32)
    with pytest.raises(InputError, match=phrase):
        of(model_type="llama").check(layers, heads, {d_k}, heads)


@pytest.mark.parametrize(
    ("config", "heads", "kv_heads", "refused"),
    [
        ({"num_key_value_heads": 8}, 32, 8, False),
        # Keys repeated for each query.
        ({"num_key_value_heads": 8}, 32, 32, False),
        ({"num_key_value_heads": 8}, 32, 4, True),
        ({"num_key_value_heads": 32}, 32, 8, True),
        ({"num_kv_heads": 32, "multi_query": True}, 32, 1, False),
        ({"model_type": "deepseek_v3", **MLA, "num_key_value_heads": 32}, 32, 1, False),
    ],
)
def test_keys_may_be_repeated_and_are_never_fewer(
    config: dict[str, Any], heads: int, kv_heads: int, refused: bool
) -> None:
    d_k = 192 if "qk_nope_head_dim" in config else 128
    expected = of(**{"model_type": "llama"} | config)
    if not refused:
        expected.check({0}, heads, {d_k}, kv_heads)
        return
    with pytest.raises(InputError, match="of keys and values for 32 of queries"):
        expected.check({0}, heads, {d_k}, kv_heads)


@pytest.mark.parametrize(
    ("first_head", "heads", "kv_heads", "phrase"),
    [
        # One rank of sixteen; the last heads.
        (2, 2, 1, ""),
        (24, 8, 2, ""),
        (28, 8, 2, "it has 32 heads a layer, and 8 were captured, from head 28 on"),
        (0, 8, 1, "it has 8 heads of keys and values for 32 of queries, and 1 for 8"),
    ],
)
def test_a_capture_may_say_which_heads_it_has(
    first_head: int, heads: int, kv_heads: int, phrase: str
) -> None:
    expected = of(model_type="llama", num_key_value_heads=8).with_first_head(first_head)
    if not phrase:
        expected.check({0}, heads, {128}, kv_heads)
        return
    with pytest.raises(InputError, match=phrase):
        expected.check({0}, heads, {128}, kv_heads)


def test_the_absorbed_form_of_mla_is_no_other_model() -> None:
    of(model_type="deepseek_v3", **MLA).check({0}, 32, {192}, 32)
    of(model_type="deepseek_v3", **MLA).check({0}, 32, {576}, 1)


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "{}", '{"num_attention_heads": "x"}', '{"num_attention_heads": 0}', "{",
        '{"num_attention_heads": 1e400}', '{"num_attention_heads": true}', '{"hidden_size": -1}',
        '{"hidden_size": 8, "query_pre_attn_scalar": "\\u001b[31m"}', '{"hidden_size": NaN}',
        '{"hidden_size": 8, "head_dim": 0.5}',
        '{"hidden_size": 8, "n_head": 9}', '{"hidden_size": 8, "num_hidden_layers": []}',
    ],
)  # fmt: skip
def test_hostile_configurations_are_refused_in_a_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(InputError) as error:
        read_expectation(str(tmp_path))
    assert error.value.field == "config"
    assert str(error.value).isprintable()


def test_files_that_are_not_there_are_refused(tmp_path: Path) -> None:
    for path in ("no/such", str(tmp_path), "a\0b"):
        with pytest.raises(InputError) as error:
            read_expectation(path)
        assert error.value.field == "config"


def test_metadata_is_a_claim_that_shapes_may_deny() -> None:
    assert claimed({"model_type": "llama", "head_dim": "64"}, 128) is None
    configuration = claimed(
        {"model_type": "llama", "head_dim": "128", "num_attention_heads": "2"}, 128
    )
    assert configuration is not None
    assert configuration.of(0, 128).multiplier == 128**-0.5
    assert claimed({"format": "pt"}, 128) is None
    other = claimed({"model_type": "gpt2", "n_head": "4", "n_embd": "64"}, 16)
    assert other is not None
    assert other.of(0, 16).multiplier == 0.25
    scaled = claimed({"attention_multiplier": "0.25"}, 128)
    assert scaled is not None
    assert scaled.of(0, 128).multiplier == 0.25
    assert claimed({"attention_multiplier": "nan"}, 128) is None
    # What a call was given is no promise.
    assert claimed({"scaling": "0.25"}, 128) is None
    whole = claimed({"model_type": "gpt2", "n_embd": 64, "n_head": 4}, 16)
    assert whole is not None
    assert whole.of(0, 16).multiplier == 0.25


def test_an_encoder_and_its_decoder_have_as_many_layers_as_were_captured() -> None:
    config = {"is_encoder_decoder": True, "d_model": 64, "encoder_attention_heads": 4}
    expectation({**config, "encoder_layers": 2}, "config.json").check({5}, 4, {16}, 4)


def slopes(**config: Any) -> list[float]:
    bias = expectation({"hidden_size": 96, **config}, "config.json").of(0, 16).bias
    assert isinstance(bias, tuple)
    return [alibi.slope for alibi in bias]


def test_the_slopes_of_alibi_are_those_of_each_class() -> None:
    steep = [2.0**-exponent for exponent in (2, 4, 6, 8)]
    between = [2.0**-1, 2.0**-3]
    assert slopes(model_type="bloom", n_head=6) == pytest.approx(steep + between)
    # MPT takes every other slope of eight heads, and then those between.
    mpt = [2.0**-exponent for exponent in (2, 4, 6, 8, 1, 3)]
    assert slopes(model_type="mpt", n_heads=6) == pytest.approx(mpt)
    falcon = {"model_type": "falcon", "num_attention_heads": 6}
    assert slopes(**falcon, alibi=True) == pytest.approx(steep + between, rel=2**-8)
    assert expectation({"hidden_size": 96, **falcon}, "c").of(0, 16).bias == NONE
    # Falcon multiplies the sum of score and bias.
    bias = expectation({"hidden_size": 96, **falcon, "alibi": True}, "c").of(0, 16).bias
    assert isinstance(bias, tuple)
    assert {(alibi.factor, alibi.format) for alibi in bias} == {(0.25, "bfloat16")}
    jina = {"model_type": "bert", "num_attention_heads": 6, "position_embedding_type": "alibi"}
    assert slopes(**jina) == pytest.approx(steep + between)
    assert expectation({"hidden_size": 96, "model_type": "t5", "d_kv": 16}, "c").of(0, 16).bias == (
        LEARNED
    )


def test_masks_that_depend_on_the_input_are_said_to_vary() -> None:
    text = {**WIDE, "model_type": "gemma3_text", "head_dim": 128}
    whole = expectation({"model_type": "gemma3", "text_config": text}, "config.json")
    assert whole.of(0, 128).mask_varies
    assert not expectation(text, "config.json").of(0, 128).mask_varies
    types = ["full_attention", "indexed_attention"]
    sparse = of(model_type="deepseek_v32", **MLA, layer_types=types)
    assert sparse.of(1, 192).mask_varies


def test_what_a_layer_has_of_its_own_counts_there() -> None:
    """Gemma 4, as transformers 5.2 and later write it."""
    per_layer = {"1": {"head_dim": 512, "num_key_value_heads": 1}}
    config = {"model_type": "gemma4_text", "head_dim": 256, "num_key_value_heads": 16}
    expected = of(**config, per_layer_config=per_layer)
    expected.check({0, 1}, 32, {256, 512}, 1)
    with pytest.raises(InputError, match="of length 256 or 512"):
        expected.check({0}, 32, {128}, 16)


def test_lists_stand_for_stages_of_layers() -> None:
    swin = {"model_type": "swin", "num_heads": [3, 6], "depths": [2, 4], "embed_dim": 96}
    assert expectation(swin, "config.json").shape.layers == 6
    assert expectation(swin, "config.json").shape.heads is None


def test_config_files_are_json_of_transformers(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(WIDE | GEMMA_2))
    for path in (tmp_path, tmp_path / "config.json"):
        assert read_expectation(str(path)).of(1, 128).multiplier == 1 / 12


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: os.symlink("/dev/zero", path)])
def test_what_may_never_end_is_refused_unread(make: Callable[[Path], None], tmp_path: Path) -> None:
    make(tmp_path / "config.json")
    with pytest.raises(InputError, match=r"config, .*it is no regular file"):
        read_expectation(str(tmp_path))


def test_a_configuration_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    with path.open("wb") as file:
        file.truncate(2**22 + 1)
    with pytest.raises(InputError, match=r"config, .*it is too large; expected at most 4,194,304"):
        read_expectation(str(path))


def test_a_folder_without_a_configuration_is_named_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"this folder holds no config\.json; expected a config"):
        read_expectation(str(tmp_path))


@pytest.mark.slow
def test_what_a_configuration_claims_to_have_takes_no_time() -> None:
    """Two thousand million layers, in each of a thousand parts."""
    part = {"model_type": "gemma3_text", "num_hidden_layers": 2**31 - 1, "num_attention_heads": 4}
    whole = {f"part_{number}_config": part for number in range(1_000)}
    expected = expectation(whole, "config.json")
    assert len(expected.towers) <= 32
    assert max(len(tower.layers) for tower in expected.towers) <= 1_000
