"""Scripts that capture what a model computes: printed, or imported where the model runs."""

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
"""What there is a recipe for, and what that is."""


def recipe_text(name: str) -> str:
    """Return the script that captures attention layers of a kind of model.

    Args:
        name: One of `RECIPES`.

    Raises:
        InputError: If there is none, with the nearest.
    """
    if name not in RECIPES:
        near = get_close_matches(name, RECIPES, n=1) or RECIPES
        raise InputError("recipe", f"there is none called {inert(name)}", " or ".join(near))
    return (files(__package__) / f"{name}.py").read_text("utf-8")
