"""A config.json beside a capture: it is taken if it is of the same model, and only then."""

import json
from pathlib import Path

import numpy as np

from attn_tui.files.models.opening import open_configured
from tests.captures.arrays import saved


def test_a_configuration_beside_a_capture_is_taken_if_it_is_of_its_model(tmp_path: Path) -> None:
    arrays = {part: np.ones((1, 2, 6, 4), np.float32) for part in "qk"}
    path = saved(tmp_path / "a.safetensors", arrays, {"name": "a"})
    config = {"model_type": "llama", "hidden_size": 8, "num_attention_heads": 2}
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert open_configured([path]).config == str(tmp_path / "config.json")
    for changes, why in (
        ({"num_attention_heads": 1, "hidden_size": 4}, "it has 1 head a layer, and 2 were"),
        ({"hidden_size": 16}, "its queries are of length 8, and those captured of 4"),
    ):
        (tmp_path / "config.json").write_text(json.dumps(config | changes))
        configured = open_configured([path])
        assert (configured.config, configured.expectation) == ("", None)
        assert why in configured.notes[0]


def test_a_configuration_of_another_architecture_is_set_aside(tmp_path: Path) -> None:
    arrays = {part: np.ones((1, 2, 6, 4), np.float32) for part in "qk"}
    # With another head_dim, so that the metadata makes no expectation.
    path = saved(tmp_path / "a.safetensors", arrays, {"model_type": "gemma2", "head_dim": "256"})
    config = {"model_type": "llama", "hidden_size": 8, "num_attention_heads": 2}
    (tmp_path / "config.json").write_text(json.dumps(config))
    configured = open_configured([path])
    assert (configured.config, configured.expectation) == ("", None)
    assert "is of llama, and the capture says gemma2" in configured.notes[0]
