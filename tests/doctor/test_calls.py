"""What a call was given, as captured: beside the promise of a configuration, and no part of it."""

from pathlib import Path

import numpy as np
import pytest

from attn_tui.captures.writer import write_safetensors
from attn_tui.files.models.opening import calls_of, open_configured
from attn_tui.files.models.promise import NONE, Promise

CONFIG = '{"model_type": "llama", "num_attention_heads": 2, "hidden_size": 32}'


def capture(path: Path, metadata: dict[str, str], n_queries: int = 6) -> str:
    draw = np.random.default_rng(1).standard_normal
    lengths = {"q": n_queries, "k": 6, "v": 6, "out": n_queries}
    tensors = {f"0.{part}": draw((1, 2, n, 16)).astype(np.float32) for part, n in lengths.items()}
    write_safetensors(path, tensors, {"layout": "bhnd", **metadata})
    return str(path)


@pytest.mark.parametrize(
    ("arguments", "call"),
    [
        ({"0.scale": "0.25", "0.is_causal": "True"}, Promise(multiplier=0.25, mask="causal")),
        # What looks wrong is what the call has to be asked about.
        ({"0.scale": "0.0"}, Promise(multiplier=0.0)),
        ({"0.scale": "-0.5"}, Promise(multiplier=-0.5)),
        ({"0.scale": "1e308"}, Promise(multiplier=1e308)),
        ({"0.softcap": "50"}, Promise(softcap=50.0)),
        ({"0.softcap": "0.0"}, Promise(softcap=NONE)),
        # Masks may be left out of a capture, so that this says nothing.
        ({"0.is_causal": "False"}, None),
        ({"0.scale": "None", "0.is_causal": "None"}, None),
        ({"0.scale": "nan", "0.softcap": "-1"}, None),
    ],
)
def test_arguments_are_kept_as_they_were_passed(
    tmp_path: Path, arguments: dict[str, str], call: Promise | None
) -> None:
    opened = open_configured([capture(tmp_path / "a.safetensors", arguments)])
    assert calls_of(opened.capture).get(0) == call
    assert opened.expectation is None


def test_a_configuration_promises_the_same_whatever_a_call_was_given(tmp_path: Path) -> None:
    arguments = {"0.scale": "0.5", "0.is_causal": "True", "0.softcap": "30", "config": CONFIG}
    opened = open_configured([capture(tmp_path / "a.safetensors", arguments)])
    assert opened.expectation is not None
    promise = opened.expectation.of(0, 16)
    assert (promise.multiplier, promise.softcap) == (0.25, NONE)
    assert calls_of(opened.capture)[0].multiplier == 0.5


@pytest.mark.parametrize("n_queries", [1, 4])
def test_of_fewer_queries_than_keys_a_call_says_nothing_of_where_they_stand(
    tmp_path: Path, n_queries: int
) -> None:
    path = capture(tmp_path / "a.safetensors", {"0.is_causal": "True"}, n_queries)
    assert calls_of(open_configured([path]).capture) == {}
