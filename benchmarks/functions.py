"""Probe attention as libraries have it, and write the table of docs/testing.md.

    python -m benchmarks.functions            # prints the table
    python -m benchmarks.functions --write    # and writes it into docs/testing.md

It needs the packages of the extra ``models``; what is not installed is left out.
"""

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from attn_tui.probing.asking import probe
from attn_tui.probing.probed import ProbeDiagnosis

DOCS = Path(__file__).parents[1] / "docs" / "testing.md"
BEGIN, END = "<!-- functions: begin -->", "<!-- functions: end -->"
Row = tuple[str, Callable[..., Any], dict[str, Any]]
"""The name of a function, the function, and the arguments of its probe."""


def of_numpy(q: Any, k: Any, v: Any) -> Any:
    """Return attention as a few lines of NumPy compute it."""
    z = q @ k.swapaxes(2, 3) / np.sqrt(q.shape[3]).astype(q.dtype)
    p = np.exp(z - z.max(3, keepdims=True))
    return p / p.sum(3, keepdims=True) @ v


def of_pytorch() -> Iterator[Row]:
    """Yield functions of PyTorch."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.nn.attention.flex_attention import flex_attention
    from torch.nn.functional import scaled_dot_product_attention

    torch.set_num_threads(1)

    def by_backend(backend: Any, q: Any, k: Any, v: Any) -> Any:
        with sdpa_kernel(backend):
            return scaled_dot_product_attention(q, k, v, is_causal=True)

    def core(q: Any, k: Any, v: Any) -> Any:
        b, n, h, d = q.shape
        layer = torch.nn.MultiheadAttention(h * d, h, bias=False, batch_first=True)
        one = torch.eye(h * d)
        layer.in_proj_weight.data = torch.cat([one, one, one])
        layer.out_proj.weight.data = one
        wide = (array.reshape(b, array.shape[1], h * d) for array in (q, k, v))
        return layer(*wide, need_weights=False)[0].reshape(b, n, h, d)

    def capped(q: Any, k: Any, v: Any) -> Any:
        return flex_attention(q, k, v, score_mod=lambda s, *place: 20.0 * torch.tanh(s / 20.0))

    usual = {"like": "torch", "gradient": True}
    for dtype in ("float32", "bfloat16", "float16"):
        for backend in (SDPBackend.MATH, SDPBackend.FLASH_ATTENTION):
            name = f"PyTorch, scaled_dot_product_attention, {backend.name}, {dtype}, causal"
            given = {**usual, "causal": True, "dtype": dtype}
            yield name, partial(by_backend, backend), given
    yield "PyTorch, MultiheadAttention without its projections", core, {**usual, "layout": "bnhd"}
    yield "PyTorch, flex_attention, soft cap 20", capped, {**usual, "softcap": 20.0}


def of_jax() -> Iterator[Row]:
    """Yield functions of JAX."""
    import jax

    given = {"like": "jax", "layout": "bnhd", "gradient": True}
    for dtype in ("float32", "bfloat16"):
        kernel = partial(jax.nn.dot_product_attention, is_causal=True)
        name = f"JAX, nn.dot_product_attention, {dtype}, causal"
        yield name, kernel, {**given, "causal": True, "dtype": dtype}


def of_mlx() -> Iterator[Row]:
    """Yield functions of MLX."""
    import mlx.core as mx

    kernel = partial(mx.fast.scaled_dot_product_attention, scale=0.125)
    for dtype in ("float32", "bfloat16"):
        name = f"MLX, fast.scaled_dot_product_attention, {dtype}"
        yield name, kernel, {"like": "mlx", "dtype": dtype}


def of_onnx() -> Iterator[Row]:
    """Yield ONNX's Attention in its reference evaluator."""
    from onnx import TensorProto, helper
    from onnx.reference import ReferenceEvaluator

    names = ["q", "k", "v"]
    node = helper.make_node("Attention", names, ["out"])
    values = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in (*names, "out")
    ]
    graph = helper.make_graph([node], "attention", values[:3], values[3:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)])
    evaluator = ReferenceEvaluator(model)

    def kernel(q: Any, k: Any, v: Any) -> Any:
        return evaluator.run(None, {"q": q, "k": k, "v": v})[0]

    yield "ONNX, Attention in the reference evaluator", kernel, {}


LIBRARIES = {"torch": of_pytorch, "jax": of_jax, "mlx": of_mlx, "onnx": of_onnx}


def rows() -> Iterator[Row]:
    """Yield all functions whose library is installed."""
    yield "a few lines of NumPy", of_numpy, {}
    for library, functions in LIBRARIES.items():
        if find_spec(library):
            yield from functions()


def table() -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| function | forward | backward | seconds |"
    yield "|---|---|---|---|"
    for name, function, given in rows():
        asks = given.pop("gradient", False)
        began = time.perf_counter()
        forward = probe(function, **given)
        seconds = time.perf_counter() - began
        backward = "–"
        if asks and forward.verdict == "agrees":
            backward = _words(probe(function, **given, gradient=True))
        yield f"| {name} | {_words(forward)} | {backward} | {seconds:.1f} |"


def _words(diagnosis: ProbeDiagnosis) -> str:
    """Return the verdict, and what it rests on where it is not *agrees*."""
    _, raises, said = diagnosis.line.partition(": it raises ")
    if raises:
        return f"raises {said.partition('.')[0]}"
    if diagnosis.verdict != "agrees":
        return diagnosis.line.replace("|", "\\|")
    remarks = (text.partition(":")[0] for text in diagnosis.remarks)
    return "; ".join(["agrees", *(f"{text[0].lower()}{text[1:]}" for text in remarks)])


def main() -> None:
    """Print the table, and write it if that is asked."""
    warnings.simplefilter("ignore")
    lines = []
    for line in table():
        print(line, flush=True)  # noqa: T201
        lines.append(line)
    if "--write" in sys.argv:
        text = DOCS.read_text("utf-8")
        before, rest = text.split(BEGIN)
        after = rest.split(END)[1]
        DOCS.write_text(f"{before}{BEGIN}\n\n" + "\n".join(lines) + f"\n\n{END}{after}", "utf-8")


if __name__ == "__main__":
    main()
