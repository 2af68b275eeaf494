"""Scripts that capture what a model computes: printed, or imported next to the model."""

from collections.abc import Mapping
from difflib import get_close_matches
from importlib.resources import files

from attn_tui.compute.errors import InputError, inert

RECIPES: Mapping[str, str] = {
    "transformers": "models of transformers, with any attention function",
    "eager": "products and softmax in PyTorch: bloom, gptj, mpt …",
    "sdpa": "PyTorch models that call scaled_dot_product_attention",
    "flash": "PyTorch models that call flash_attn_func, varlen too",
    "vllm": "vLLM, keys and values out of its paged cache",
    "jax": "models that call jax.nn.dot_product_attention",
    "mlx": "models that call mx.fast.scaled_dot_product_attention",
    "llama_cpp": "llama.cpp, by its evaluation callback",
    "onnx": "ONNX graphs, run by onnxruntime",
}
"""The names of recipes, and the models that each is for."""


def recipe_text(name: str) -> str:
    """Return the text of a script that captures the attention layers of a kind of model.

    Args:
        name: A key of `RECIPES`.

    Raises:
        InputError: If there is no such recipe; it offers the nearest.
    """
    if name not in RECIPES:
        likely = get_close_matches(name, RECIPES, n=1) or RECIPES
        raise InputError("recipe", f"there is none called {inert(name)}", " or ".join(likely))
    return (files(__package__) / f"{name}.py").read_text("utf-8")
