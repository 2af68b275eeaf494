import re
from math import log

import pytest

from attn_tui.compute.models import MODELS

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
    found = re.fullmatch(r"([\d.]+)(?:/(√?)(\d+))?", text)
    assert found
    divisor = float(found[3] or 1.0)
    return float(found[1]) / (divisor**0.5 if found[2] else divisor)


def test_every_model_of_the_table_is_there() -> None:
    assert [row[0] for row in ROWS] == list(MODELS)


def test_models_are_as_published() -> None:
    for name, d_model, heads, d_k, multiplier, *more in ROWS:
        model = MODELS[name]
        assert (model.name, model.title.lower().split()[0]) == (name, name)
        assert (model.d_model, model.heads, model.d_k) == (int(d_model), int(heads), int(d_k))
        assert model.scale.multiplier(model.d_k, 9) == pytest.approx(number(multiplier), rel=3e-5)
        assert (model.scale.softcap == 50.0) == ("cap" in more)
        assert model.scale.qk_norm == ("norm" in more)
        assert (model.scale.sink == 0.0) == ("sink" in more)


def test_learned_sinks_are_said_to_be_learned() -> None:
    assert "learned" in MODELS["gpt-oss-20b"].note


def test_the_factor_of_yarn_is_that_of_deepseek() -> None:
    assert (0.1 * log(40) + 1) ** 2 == pytest.approx(1.8739, abs=5e-5)
