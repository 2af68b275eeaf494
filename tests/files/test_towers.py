"""Models of several parts: each captured layer is held against the part that it is of."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attn_tui.captures.writer import write_safetensors
from attn_tui.compute.errors import InputError
from attn_tui.files.models.opening import Configured, open_configured

TEXT = {"model_type": "qwen2_5_vl_text", "hidden_size": 64, "num_attention_heads": 4,
        "num_key_value_heads": 2, "num_hidden_layers": 2}  # fmt: skip
VISION = {"model_type": "qwen2_5_vl_vision", "hidden_size": 96, "num_heads": 4, "depth": 2}
TWO = {"model_type": "qwen2_5_vl", "text_config": TEXT, "vision_config": VISION}
WHISPER = {"model_type": "whisper", "is_encoder_decoder": True, "d_model": 64,
           "encoder_layers": 1, "decoder_layers": 2, "encoder_attention_heads": 4,
           "decoder_attention_heads": 4}  # fmt: skip


def configured(
    folder: Path,
    config: dict[str, Any],
    layers: list[tuple[int, int]],
    metadata: dict[str, str] | None = None,
) -> Configured:
    """Open a capture of layers with these heads of these lengths, beside a configuration."""
    draw = np.random.default_rng(1).standard_normal
    tensors = {
        f"{layer}.{part}": draw((1, heads, 6, d_k)).astype(np.float32)
        for layer, (heads, d_k) in enumerate(layers)
        for part in "qk"
    }
    write_safetensors(folder / "a.safetensors", tensors, {"layout": "bhnd", **(metadata or {})})
    (folder / "config.json").write_text(json.dumps(config))
    return open_configured([str(folder / "a.safetensors")], config=str(folder / "config.json"))


def promises(opened: Configured) -> list[tuple[float | None, str | None]]:
    assert opened.expectation is not None
    capture = opened.capture
    found: list[tuple[float | None, str | None]] = []
    for layer in capture.layers:
        head = next(head for head in capture.heads if head.layer == layer)
        promise = opened.expectation.of(layer, capture.shape(head).d_k)
        found.append((promise.multiplier, promise.mask))
    return found


IMAGE, WORDS = (24**-0.5, "none"), (0.25, "causal")


def test_a_layer_is_of_the_part_with_its_heads(tmp_path: Path) -> None:
    opened = configured(tmp_path, TWO, [(4, 24), (4, 24), (4, 16), (4, 16)])
    assert promises(opened) == [IMAGE, IMAGE, WORDS, WORDS]
    assert opened.expectation is not None
    assert [opened.expectation.tower(layer).name for layer in (0, 2)] == [
        "vision_config",
        "text_config",
    ]


def test_a_part_may_bear_the_name_of_the_model(tmp_path: Path) -> None:
    """As configurations on the hub have it: the text beside the images, not in an object."""
    vision = {**VISION, "model_type": "qwen2_5_vl"}
    flat = {**TEXT, "model_type": "qwen2_5_vl", "vision_config": vision}
    assert promises(configured(tmp_path, flat, [(4, 24), (4, 16)])) == [IMAGE, WORDS]


def test_modules_say_the_part_and_the_layer(tmp_path: Path) -> None:
    text = {**TEXT, "model_type": "gemma3_text", "sliding_window": 3, "sliding_window_pattern": 2,
            "head_dim": 16}  # fmt: skip
    vision = {"hidden_size": 64, "num_attention_heads": 4, "model_type": "siglip_vision_model"}
    whole = {"model_type": "gemma3", "text_config": text, "vision_config": vision}
    names = {
        "0.module": "vision_tower.encoder.layers.0.self_attn", "0.config": "siglip_vision_model",
        "1.module": "language_model.layers.1.self_attn", "1.config": "gemma3_text",
        "2.module": "language_model.layers.0.self_attn", "2.config": "gemma3_text",
    }  # fmt: skip
    masks = [mask for _, mask in promises(configured(tmp_path, whole, [(4, 16)] * 3, names))]
    assert masks == ["none", "causal", "window"]
    # Without names, heads of the same length may be of either part.
    assert promises(configured(tmp_path, whole, [(4, 16)])) == [(None, None)]


def test_a_part_that_the_configuration_does_not_have_is_promised_nothing(tmp_path: Path) -> None:
    names = {"0.config": "dac", "1.config": "qwen2_5_vl_text"}
    opened = configured(tmp_path, TWO, [(4, 16), (4, 16)], names)
    assert promises(opened) == [(None, None), WORDS]


def test_a_part_has_the_sizes_of_its_class_where_the_configuration_has_none(
    tmp_path: Path,
) -> None:
    """As SigLIP's on the hub, whose parts name their class and nothing else."""
    vision = {"model_type": "siglip_vision_model", "hidden_size": 1152, "num_attention_heads": 16}
    whole = {
        "model_type": "siglip",
        "text_config": {"model_type": "siglip_text_model"},
        "vision_config": vision,
    }
    opened = configured(tmp_path, whole, [(16, 72), (12, 64)])
    assert promises(opened) == [(72**-0.5, "none"), (0.125, "none")]


def test_a_capture_of_other_lengths_is_of_another_model(tmp_path: Path) -> None:
    opened = configured(tmp_path, TWO, [(4, 24), (4, 16)])
    assert opened.settled() is opened
    with pytest.raises(InputError, match="it has 4 heads a layer, and 9 were captured"):
        configured(tmp_path, TWO, [(4, 24), (9, 16)]).settled()


def test_an_encoder_and_a_decoder_are_told_apart_by_the_order_of_their_calls(
    tmp_path: Path,
) -> None:
    layers = [(4, 16)] * 5
    masks = [mask for _, mask in promises(configured(tmp_path, WHISPER, layers))]
    assert masks == ["none", "causal", "none", "causal", "none"]
    # Of a part of the calls, nothing tells.
    assert promises(configured(tmp_path, WHISPER, layers[:2])) == [(1.0, None)] * 2


def test_modules_tell_cross_attention_from_a_decoders_own(tmp_path: Path) -> None:
    names = {
        "0.module": "model.decoder.layers.1.encoder_attn",
        "1.module": "model.decoder.layers.1.self_attn",
    }
    masks = [mask for _, mask in promises(configured(tmp_path, WHISPER, [(4, 16)] * 2, names))]
    assert masks == ["none", "causal"]


def test_a_layer_may_attend_more_than_once(tmp_path: Path) -> None:
    """As those of TimeSformer: over frames, and over the patches of each."""
    config = {"model_type": "timesformer", "hidden_size": 64, "num_attention_heads": 4,
              "num_hidden_layers": 1}  # fmt: skip
    kinds = {f"{layer}.config": "timesformer" for layer in range(2)}
    opened = configured(tmp_path, config, [(4, 16)] * 2, kinds).settled()
    assert promises(opened) == [(0.25, "none")] * 2
    with pytest.raises(InputError, match="it has 1 layer, and layer 1 was captured"):
        configured(tmp_path, config, [(4, 16)] * 2).settled()


def test_the_layers_of_a_hybrid_are_those_of_their_modules(tmp_path: Path) -> None:
    types = ["conv", "full_attention", "conv", "sliding_attention"]
    config = {**TEXT, "model_type": "lfm3", "num_hidden_layers": 4, "layer_types": types}
    names = {"0.module": "model.layers.1.self_attn", "1.module": "model.layers.3.self_attn"}
    opened = configured(tmp_path, {**config, "sliding_window": 3}, [(4, 16)] * 2, names)
    assert [mask for _, mask in promises(opened)] == ["causal", "window"]
