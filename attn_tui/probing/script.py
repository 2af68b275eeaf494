"""A script of a few lines that shows a fault with NumPy and the function alone."""

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np

from attn_tui.compute.text import counted
from attn_tui.diagnosis.promise import Stated
from attn_tui.files.models.promise import Promise
from attn_tui.probing.calling import Caller
from attn_tui.probing.inputs import SHARE, CallInputs, ProbePlan, shift, spreads


def script(
    caller: Caller, inputs: CallInputs, plan: ProbePlan, promise: Promise, stated: Stated
) -> str:
    """Return a script that calls a function and compares what it returns with the promise.

    Args:
        caller: The function, with its layout.
        inputs: The sizes of the call.
        plan: The format, and the seed.
        promise: What is promised of the call.
        stated: The mask, the bias and the sinks of the call.
    """
    return "".join(f"{line}\n" for line in _lines(caller, inputs, plan, promise, stated))


def _lines(
    caller: Caller, inputs: CallInputs, plan: ProbePlan, promise: Promise, stated: Stated
) -> Iterator[str]:
    shape = inputs.shape
    name, imported = _named(caller.function)
    yield "import numpy as np"
    if plan.dtype == "bfloat16":
        yield "import ml_dtypes"
    if caller.library != "numpy":
        yield f"import {_MODULES[caller.library]}"
    yield imported
    yield f"rng = np.random.default_rng([{plan.seed}, {inputs.number}])  # {_sizes(inputs)}"
    dtype = f"ml_dtypes.{plan.dtype}" if plan.dtype == "bfloat16" else f"np.{plan.dtype}"
    spread = spreads(inputs, stated.softcap).tolist()
    for part, heads, n, d, more in (
        ("q", shape.heads, shape.queries, shape.d_k, f" * np.array({spread})[:, None, None]"),
        ("k", shape.kv_heads, shape.keys, shape.d_k, ""),
        ("v", shape.kv_heads, shape.keys, shape.d_v, ""),
    ):
        yield f"{part} = rng.standard_normal(({shape.batch}, {heads}, {n}, {d})){more}"
    if stated.softcap is not None:
        by = shift(stated.softcap, shape.d_k)
        yield f"q[:, 0], k[:, 0] = q[:, 0] + {by!r}, k[:, 0] - {by!r}"
    group = shape.heads // shape.kv_heads
    if inputs.largest is not None:
        yield f"most = np.abs(q @ np.repeat(k, {group}, 1).swapaxes(2, 3)).max()"
        factor = f"({SHARE * inputs.largest!r} / most) ** 0.5"
        yield f"q, k = q * {factor}, k * {factor}"
    yield f"q, k, v = (one.astype({dtype}) for one in (q, k, v))"
    yield f"out = {_call(caller, name, inputs, plan.dtype)}"
    yield "Q, K, V = (one.astype(np.float64) for one in (q, k, v))"
    if group > 1:
        yield f"K, V = np.repeat(K, {group}, 1), np.repeat(V, {group}, 1)"
    m = shape.d_k**-0.5 if promise.multiplier is None else promise.multiplier
    yield f"z = {m!r} * Q @ K.swapaxes(2, 3)"
    if isinstance(promise.softcap, float):
        yield f"z = {promise.softcap!r} * np.tanh(z / {promise.softcap!r})"
    if stated.bias is not None:
        yield "z = z + bias(*z.shape[2:])  # the function that was given as bias="
    seen = stated.seen(shape)
    if stated.mask is not None or (stated.bias is not None and not seen.all()):
        yield "z = np.where(mask(*z.shape[2:]), z, -np.inf)  # the function that was given as mask="
    elif not seen.all():
        yield _masked(stated, shape.queries, shape.keys)
    yield "top = np.maximum(z.max(3, keepdims=True), -1e300)"
    sink = ""
    if stated.sink is not None and not isinstance(stated.sink, str):
        sinks = np.broadcast_to(np.asarray(stated.sink, np.float64), (shape.heads,)).tolist()
        sink = f" + np.exp(np.array({sinks})[:, None, None] - top)"
    yield f"p = np.exp(z - top) / (np.exp(z - top).sum(3, keepdims=True){sink})"
    c = 1.0 if promise.value_scale is None else promise.value_scale
    yield f"expected = {'' if c == 1.0 else f'{c!r} * '}p @ V"
    yield (
        'print("largest difference", np.abs(out.astype(np.float64) - expected).max(), '
        '"of", np.abs(expected).max())'
    )


def _sizes(inputs: CallInputs) -> str:
    """Return the sizes of a call in words, those that it shares with others too."""
    shape = inputs.shape
    heads = counted(shape.heads, "head")
    if shape.kv_heads != shape.heads:
        heads += f", {counted(shape.kv_heads, 'KV head')}"
    return f"{inputs.text}, {heads}, d_k = {shape.d_k}"


_MODULES = {"torch": "torch", "jax": "jax.numpy as jnp", "mlx": "mlx.core as mx"}


def _named(function: Any) -> tuple[str, str]:
    """Return the name of a function in a script, and the line that brings it there."""
    called = getattr(function, "__name__", "")
    module = getattr(inspect.getmodule(function), "__name__", "")
    is_importable = getattr(function, "__qualname__", "") == called
    if is_importable and called.isidentifier() and module not in ("", "__main__"):
        return called, f"from {module} import {called}"
    return "f", "f = ...  # the function that was probed"


def _call(caller: Caller, name: str, inputs: CallInputs, dtype: str) -> str:
    """Return the call, from q, k and v [batch, heads, n, d] to an array of such axes."""
    arguments = [_argument(caller, part, inputs.is_strided, dtype) for part in "qkv"]
    if caller.has_mask:
        mask = "mask(q.shape[2], k.shape[2])"
        arguments.append(f"mask={_CONSTRUCTORS[caller.library].format(mask)}")
    call = f"{name}({', '.join(arguments)})"
    if caller.library == "torch":
        call = f"{call}.detach().double().numpy()"
    elif caller.library == "mlx":
        call = f"np.asarray({call}.astype(mx.float32))"
    elif caller.library == "jax":
        call = f"np.asarray({call})"
    axes = "".join(axis for axis in "bhnd" if axis in caller.layout)
    if caller.layout != axes:
        call += f".transpose({[caller.layout.index(axis) for axis in axes]})"
    missing = ", ".join(":" if axis in axes else "None" for axis in "bh")
    return call if axes == "bhnd" else f"{call}[{missing}]"


_CONSTRUCTORS = {"numpy": "{}", "torch": "torch.from_numpy({})", "jax": "jnp.asarray({})",
         "mlx": "mx.array({})"}  # fmt: skip
"""How an array of NumPy becomes one of a library."""


def _argument(caller: Caller, part: str, is_strided: bool, dtype: str) -> str:
    """Return q, k or v as the function takes it."""
    text = part
    if is_strided:
        text = f"np.repeat({text}.swapaxes(1, 2), 2, 1)[:, ::2].swapaxes(1, 2)"
    axes = "".join(axis for axis in "bhnd" if axis in caller.layout)
    if axes != "bhnd":
        text += f"[{', '.join(':' if axis in axes else '0' for axis in 'bh')}]"
    if caller.layout != axes:
        text += f".transpose({[axes.index(axis) for axis in caller.layout]})"
        text = text if is_strided else f"np.ascontiguousarray({text})"
    constructor = _CONSTRUCTORS[caller.library]
    if dtype == "bfloat16" and caller.library == "torch":
        return f"{constructor.format(f'{text}.view(np.int16)')}.view(torch.bfloat16)"
    if dtype == "bfloat16" and caller.library == "mlx":
        return f"{constructor.format(f'{text}.astype(np.float32)')}.astype(mx.bfloat16)"
    return constructor.format(text)


def _masked(stated: Stated, queries: int, keys: int) -> str:
    """Return the line that hides keys by position."""
    offset = 0 if stated.causal == "top left" else keys - queries
    last = (
        f"(np.arange({queries})[:, None] + {offset})"
        if offset
        else f"np.arange({queries})[:, None]"
    )
    conditions = [f"(np.arange({keys}) <= {last})"]
    if stated.window is not None:
        conditions.append(f"(np.arange({keys}) > {last} - {stated.window})")
    if stated.chunk is not None:
        conditions.append(f"(np.arange({keys}) >= {last} // {stated.chunk} * {stated.chunk})")
    return f"z = np.where({' & '.join(conditions)}, z, -np.inf)"
