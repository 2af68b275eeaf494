"""A script of a few lines that shows a fault with NumPy and the function alone."""

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.text import counted
from attn_tui.diagnosis.promise import Stated
from attn_tui.files.models.promise import Promise
from attn_tui.probing.backward import backward_head
from attn_tui.probing.beyond import LOUD, Fault, Replaced
from attn_tui.probing.calling import Caller
from attn_tui.probing.inputs import SHARE, CallInputs, ProbePlan, shift, spreads

LISTED = ("arrays[0]", "arrays[1]", "arrays[2]")
"""q, k and v where they stand in a list."""


def script(
    caller: Caller,
    inputs: CallInputs,
    plan: ProbePlan,
    promise: Promise,
    stated: Stated,
    fault: Fault | None = None,
) -> str:
    """Return a script that calls a function and compares what it returns with the promise.

    Args:
        caller: The function, with its layout.
        inputs: The sizes of the call.
        plan: The format, and the seed.
        promise: What is promised of the call.
        stated: The mask, the bias and the sinks of the call.
        fault: What the script shows in place of an output that is not the promised one.
    """
    name, imported = _named(caller.function)
    arrays = [_argument(caller, part, inputs.is_strided, plan.dtype) for part in "qkv"]
    call = _back(caller, f"{name}({_arguments(caller, arrays)}{_mask(caller, stated)})")
    if fault is None:
        shown = _output(call, inputs, promise, stated)
    elif isinstance(fault.shows, Replaced):
        shown = _changing(call, fault.shows)
    elif fault.shows == "gradient":
        shown = _gradients(caller, name, arrays, inputs, plan, promise, stated)
    elif fault.shows == "writes":
        shown = _writing(f"{name}({_arguments(caller, LISTED)}{_mask(caller, stated)})", arrays)
    elif fault.shows == "unsteady":
        shown = iter(
            (f"first, again = {call}, {call}", f"print(LARGEST, {_most('again - first')})")
        )
    else:
        shown = iter((f"out = {call}", f"print(out[:, :, {fault.rows}])"))
    lines = [*_inputs(caller, imported, inputs, plan, stated), *shown]
    said = "" if fault is None else f"# {fault.text}\n"
    return said + "".join(f"{line}\n" for line in lines).replace("LARGEST", '"largest difference"')


def _inputs(
    caller: Caller, imported: str, inputs: CallInputs, plan: ProbePlan, stated: Stated
) -> Iterator[str]:
    """Yield the lines that draw q, k and v as `drawn` does."""
    shape = inputs.shape
    yield "import numpy as np"
    if plan.dtype == "bfloat16":
        yield "import ml_dtypes"
    if caller.library != "numpy":
        yield f"import {_MODULES[caller.library]}"
    yield imported
    yield f"rng = np.random.default_rng([{plan.seed}, {inputs.number}])  # {_sizes(inputs)}"
    b, n = shape.batch, shape.keys
    sizes = (
        (b, shape.heads, shape.queries, shape.d_k), (b, shape.kv_heads, n, shape.d_k),
        (b, shape.kv_heads, n, shape.d_v),
    )  # fmt: skip
    yield f"q, k, v = (rng.standard_normal(size) for size in {sizes})"
    spread = spreads(inputs, stated.softcap).tolist()
    factor = f"{spread[0]}" if len(spread) == 1 else f"np.array({spread})[:, None, None]"
    queries = "q" if spread == [1.0] else f"q * {factor}"
    keys = "k"
    if stated.softcap is not None:
        by = shift(stated.softcap, shape.d_k)
        if shape.heads == 1:
            queries, keys = f"{queries} + {by!r}", f"k - {by!r}"
        else:
            yield f"q = {queries}"
            yield f"q[:, 0], k[:, 0] = q[:, 0] + {by!r}, k[:, 0] - {by!r}"
            queries = "q"
    if inputs.largest is not None:
        group = shape.heads // shape.kv_heads
        most = f"np.abs(q @ {_of_queries('k', group)}.swapaxes(2, 3)).max()"
        yield f"q, k = {queries}, {keys}"
        yield f"factor = ({SHARE * inputs.largest!r} / {most}) ** 0.5"
        queries, keys = "q * factor", "k * factor"
    dtype = f"ml_dtypes.{plan.dtype}" if plan.dtype == "bfloat16" else f"np.{plan.dtype}"
    yield f"q, k, v = (one.astype({dtype}) for one in ({queries}, {keys}, v))"


def _of_queries(name: str, group: int) -> str:
    """Return an array with its KV heads once for each head of q."""
    return name if group == 1 else f"np.repeat({name}, {group}, 1)"


def _head(inputs: CallInputs, promise: Promise, stated: Stated) -> Iterator[str]:
    """Yield the lines that compute the promised weights p in float64."""
    shape = inputs.shape
    group = shape.heads // shape.kv_heads
    yield "Q, K, V = (one.astype(np.float64) for one in (q, k, v))"
    if group > 1:
        yield f"K, V = {_of_queries('K', group)}, {_of_queries('V', group)}"
    head = backward_head(promise, stated, shape)
    yield f"z = {head.multiplier!r} * Q @ K.swapaxes(2, 3)"
    if head.softcap is not None:
        yield f"z = {head.softcap!r} * np.tanh(z / {head.softcap!r})"
    if stated.bias is not None:
        yield "z = z + bias(*z.shape[2:])  # the function that was given as bias="
    rule = stated.rule(shape.queries, shape.keys)
    if promise.mask is not None:
        rule = promise.head_mask(shape.rows())
    seen = [*_seen(rule, shape.queries, shape.keys)]
    remark = ""
    if stated.mask is not None:
        seen.append("mask(*z.shape[2:])")
        remark = "  # the function that was given as mask="
    if seen:
        yield f"z = np.where({' & '.join(seen)}, z, -np.inf){remark}"
    total = "np.logaddexp.reduce(z, 3, keepdims=True)"
    if head.sink is not None:
        total = f"np.logaddexp({total}, np.array({head.sink.tolist()})[:, None, None])"
    yield f"p = np.exp(z - {total})"


def _seen(rule: HeadMask, queries: int, keys: int) -> Iterator[str]:
    """Yield which keys are seen by position, each condition an array of truth values."""
    if not rule.by_position:
        return
    offset = rule.offset or 0
    first = None if rule.window is None else offset - rule.window
    last = offset
    if rule.kind == "local":
        around = (rule.window or 0) // 2
        first, last = offset - around - 1, offset + around
    yield f"np.tri({queries}, {keys}, {last}, dtype=bool)"
    if first is not None:
        yield f"~np.tri({queries}, {keys}, {first}, dtype=bool)"
    if rule.chunk is not None:
        at = f"np.arange({offset}, {offset + queries})[:, None]"
        yield f"(np.arange({keys}) >= {at} // {rule.chunk} * {rule.chunk})"


def _scaled(scale: float) -> str:
    """Return a value scale as a factor, or an empty text."""
    return "" if scale == 1.0 else f"{scale!r} * "


def _most(array: str, exact: str = "") -> str:
    """Return the largest number of an array, beside that of the exact one."""
    of = f', "of", np.abs({exact}).max()' if exact else ""
    return f"np.abs({array}).max(){of}"


def _output(call: str, inputs: CallInputs, promise: Promise, stated: Stated) -> Iterator[str]:
    """Yield the lines that compare the output with the promised one."""
    yield f"out = {call}"
    yield from _head(inputs, promise, stated)
    c = backward_head(promise, stated, inputs.shape).value_scale
    expected = f"{_scaled(c)}p @ V"
    yield f"print(LARGEST, {_most(f'out.astype(np.float64) - {expected}', expected)})"


def _changing(call: str, replaced: Replaced) -> Iterator[str]:
    """Yield the lines that show what changes with numbers that it should not depend on."""
    yield f"out = np.array({call})"
    places, parts = replaced.places, ", ".join(replaced.parts)
    yield f"rng = np.random.default_rng({replaced.seed})"
    yield f"for one in ({parts},):"
    yield f"    one[{places}] = {LOUD!r} * rng.standard_normal(one[{places}].shape)"
    rows = f"({call} - out)[{replaced.kept}].astype(np.float64)"
    yield f"print(LARGEST, {_most(rows)})"


def _writing(call: str, arrays: Sequence[str]) -> Iterator[str]:
    """Yield the lines that show which inputs are written to."""
    yield f"arrays = {', '.join(arrays)}"
    yield "before = [1 * one for one in arrays]"
    yield call
    written = "name for name, one, old in zip('qkv', arrays, before) if (one != old).any()"
    yield f"print([{written}])"


def _gradients(
    caller: Caller,
    name: str,
    arrays: Sequence[str],
    inputs: CallInputs,
    plan: ProbePlan,
    promise: Promise,
    stated: Stated,
) -> Iterator[str]:
    """Yield the lines that compare dq, dk and dv with the exact ones of the promised head."""
    shape = inputs.shape
    size = (shape.batch, shape.heads, shape.queries, shape.d_v)
    seeds = [plan.seed, inputs.number, 1]
    yield f"dout = np.random.default_rng({seeds}).standard_normal({size}).astype(q.dtype)"
    upstream = _argument(caller, "dout", False, plan.dtype)
    if caller.library == "torch":
        yield f"arrays = [one.requires_grad_() for one in ({', '.join(arrays)})]"
        out = f"{name}({_arguments(caller, LISTED)}{_mask(caller, stated)})"
        yield f"gradients = torch.autograd.grad({out}, arrays, {upstream}, materialize_grads=True)"
    else:
        mask = _mask(caller, stated)
        is_bare = not (mask or caller.keywords)
        called = name if is_bare else f"lambda q, k, v: {name}({_arguments(caller, 'qkv')}{mask})"
        yield f"gradients = jax.vjp({called}, {', '.join(arrays)})[1]({upstream})"
    yield from _head(inputs, promise, stated)
    head = backward_head(promise, stated, shape)
    c, m, bent = _scaled(head.value_scale), head.multiplier, ""
    if head.softcap is not None:
        bent = f" / np.cosh({m / head.softcap!r} * Q @ K.swapaxes(2, 3)) ** 2"
    yield f"dp = {c}dout.astype(np.float64) @ V.swapaxes(2, 3)"
    yield f"ds = {m!r} * p * (dp - (p * dp).sum(3, keepdims=True)){bent}"
    yield f"exact = [ds @ K, ds.swapaxes(2, 3) @ Q, {c}p.swapaxes(2, 3) @ dout]"
    group = shape.heads // shape.kv_heads
    if group > 1:
        apart = f"one.reshape({shape.batch}, {shape.kv_heads}, {group}, *one.shape[2:])"
        yield f"exact[1:] = [{apart}.sum(2) for one in exact[1:]]"
    yield "for name, one, right in zip(('dq', 'dk', 'dv'), gradients, exact):"
    off = f"{_back(caller, 'one')} - right"
    yield f"    print(name, {_most(off, 'right')})"


def _sizes(inputs: CallInputs) -> str:
    """Return the sizes of a call in words, those that it shares with others too."""
    shape = inputs.shape
    heads = counted(shape.heads, "head")
    if shape.kv_heads != shape.heads:
        heads += f", {counted(shape.kv_heads, 'KV head')}"
    return f"{inputs.text}, {heads}, d_k = {shape.d_k}"


_MODULES = {"torch": "torch", "jax": "jax, jax.numpy as jnp", "mlx": "mlx.core as mx"}


def _named(function: Any) -> tuple[str, str]:
    """Return the name of a function in a script, and the line that brings it there."""
    called = getattr(function, "__name__", "")
    module = getattr(inspect.getmodule(function), "__name__", "")
    is_importable = getattr(function, "__qualname__", "") == called
    if is_importable and called.isidentifier() and module not in ("", "__main__"):
        return called, f"from {module} import {called}"
    return "f", "f = ...  # the function that was probed"


def _arguments(caller: Caller, arrays: Sequence[str]) -> str:
    """Return q, k and v as arguments, by their keywords where the function takes no others."""
    if not caller.keywords and arrays == LISTED:
        return "*arrays"
    arguments = zip("qkv", arrays, strict=True)
    texts = {part: text for part, text in arguments if part not in caller.keywords}
    named = (f"{name}={arrays['qkv'.index(part)]}" for part, name in caller.keywords.items())
    return ", ".join((*texts.values(), *named))


def _mask(caller: Caller, stated: Stated) -> str:
    """Return the mask as an argument, if the function takes one."""
    constructor = _CONSTRUCTORS[caller.library].format("mask(q.shape[2], k.shape[2])")
    return f", mask={constructor}" if caller.has_mask and stated.mask is not None else ""


def _back(caller: Caller, array: str) -> str:
    """Return an array of the function's library and layout as one of NumPy with usual axes."""
    text = array
    if caller.library == "torch":
        text = f"{array}.detach().double().numpy()"
    elif caller.library == "mlx":
        text = f"np.asarray({array}.astype(mx.float32))"
    elif caller.library == "jax":
        text = f"np.asarray({array})"
    axes = "".join(axis for axis in "bhnd" if axis in caller.layout)
    if caller.layout != axes:
        text += f".transpose({[caller.layout.index(axis) for axis in axes]})"
    missing = ", ".join(":" if axis in axes else "None" for axis in "bh")
    return text if axes == "bhnd" else f"{text}[{missing}]"


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
