"""Well-known models: the dimension of a head, and the scale its attention uses."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from attn_tui.compute.field import one_of
from attn_tui.compute.scale import NONE, Scale


@dataclass(frozen=True)
class Model:
    """The attention of a model, from its published configuration or its class default.

    Attributes:
        name: Its name on the command line.
        title: Its name on screen.
        d_model: The width of the model.
        heads: The number of query heads in a layer.
        d_k: Dimension of one head's queries and keys.
        scale: The scale from scores to logits.
        note: A remark, or empty.
    """

    name: str
    title: str
    d_model: int
    heads: int
    d_k: int
    scale: Scale = Scale()
    note: str = ""


_QK_NORM = Scale(qk_norm=True)
_GEMMA = "query_pre_attn_scalar"


def _gemma(scalar: float, softcap: float | None = None, qk_norm: bool = False) -> Scale:
    return replace(Scale("fixed", (("a", scalar),)), softcap=softcap, qk_norm=qk_norm)


_ALL = (
    Model("bert-base", "BERT-base", 768, 12, 64),
    Model("gpt-2", "GPT-2 small", 768, 12, 64),
    Model("gpt-j-6b", "GPT-J-6B", 4096, 16, 256),
    Model("gpt-neo", "GPT-Neo", 2048, 16, 128, NONE, "class default; float32 q and k"),
    Model("t5-small", "T5-small", 512, 8, 64, NONE, "its initialisation absorbs the scale"),
    Model("falcon-7b", "Falcon-7B", 4544, 71, 64),
    Model("llama-2-7b", "Llama-2-7B", 4096, 32, 128),
    Model("llama-3-8b", "Llama-3-8B", 4096, 32, 128),
    Model("llama-2-70b", "Llama-2-70B", 8192, 64, 128),
    Model("llama-3.1-405b", "Llama-3.1-405B", 16384, 128, 128),
    Model("llama-3.2-1b", "Llama-3.2-1B", 2048, 32, 64),
    Model("mistral-7b", "Mistral-7B", 4096, 32, 128),
    Model("mixtral-8x7b", "Mixtral-8x7B", 4096, 32, 128),
    Model("qwen2.5-7b", "Qwen2.5-7B", 3584, 28, 128),
    Model(
        "qwen3-0.6b", "Qwen3-0.6B", 1024, 16, 128, _QK_NORM,
        "QK-norm, with learned gains; heads·d_k = 2048 is not d_model",
    ),
    Model("gemma-7b", "Gemma-7B", 3072, 16, 256, note="the first Gemma: without a soft cap"),
    Model("gemma-2-9b", "Gemma-2-9B", 3584, 16, 256, _gemma(256.0, softcap=50.0), _GEMMA),
    Model("gemma-2-27b", "Gemma-2-27B", 4608, 32, 128, _gemma(144.0, softcap=50.0), _GEMMA),
    Model(
        "gemma-3-27b", "Gemma-3-27B", 5376, 32, 128, _gemma(168.0, qk_norm=True),
        f"{_GEMMA}; QK-norm, with learned gains",
    ),
    Model(
        "gemma-4", "Gemma-4 text", 2304, 8, 256, replace(NONE, qk_norm=True),
        "class default, sliding layers; d_k = 512 in global ones; QK-norm",
    ),
    Model("phi-2", "Phi-2", 2560, 32, 80),
    Model(
        "deepseek-v3", "DeepSeek-V3", 7168, 128, 192, Scale("yarn", (("factor", 40.0),)),
        "×1.8739 of YaRN whenever the configured context exceeds 4096",
    ),
    Model(
        "gpt-oss-20b", "gpt-oss-20b", 2880, 64, 64, Scale(sink=0.0),
        "its sinks are learned, one for each head; b = 0 stands in for them",
    ),
    Model(
        "granite-4.1-3b", "Granite-4.1-3b", 2560, 40, 64, Scale("inverse"),
        "attention_multiplier 1/64",
    ),
)  # fmt: skip

MODELS: Mapping[str, Model] = {model.name: model for model in _ALL}
"""Every model by name."""

NO_MODEL = "none"
"""The name that stands for no model."""

_TITLES = {name: model.title for name, model in MODELS.items()}

NAMED = one_of({NO_MODEL: "none"} | _TITLES, _TITLES)
"""The kind of names of models, including that of none."""


def brought(name: str) -> dict[str, Any]:
    """Return the d_k and the scale of a model, by their names in a setup; empty for no model."""
    model = MODELS.get(name)
    return {"d_k": model.d_k, "scale": model.scale} if model else {}
