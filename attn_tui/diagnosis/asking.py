"""`diagnose`: ask the doctor about arrays, or about a capture in files."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, cast

from attn_tui.captures.arrays import array_in
from attn_tui.captures.layouts import layout_text, parse_layout
from attn_tui.captures.stored import Raw
from attn_tui.compute.blas import one_thread
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.scale import Scale
from attn_tui.diagnosis.call import layouts_of, shape_of
from attn_tui.diagnosis.diagnosis import Diagnosis
from attn_tui.diagnosis.promise import Stated
from attn_tui.doctor.difference import assumptions
from attn_tui.doctor.examine import examine
from attn_tui.doctor.expect import TypedExpectation, expecting
from attn_tui.doctor.report import MOST_ROWS, DoctorReport, Settings
from attn_tui.files.models.opening import (
    Configuration,
    Configured,
    open_configured,
    open_configured_arrays,
)


def diagnose(
    q: Any,
    k: Any = None,
    v: Any = None,
    out: Any = None,
    *,
    scale: Scale | str | float | None = None,
    softcap: float | None = None,
    sink: Any = None,
    causal: bool | str | None = None,
    window: int | None = None,
    chunk: int | None = None,
    value_scale: float | None = None,
    mask: Any = None,
    bias: Any = None,
    config: Any = None,
    layout: str = "",
    names: str = "",
    rows: int | str | None = None,
    assume: Sequence[str] | str = (),
    tf32: bool = False,
) -> Diagnosis:
    """Say which multiplier, soft cap, sink and mask attention was really computed with.

    Args:
        q: Queries [heads, n_q, d_k] or [batch, heads, n_q, d_k], or one head [n_q, d_k]: an array
            of NumPy, PyTorch, JAX or MLX, or anything with ``__array__`` or DLPack. Or the path of
            a capture, or a list of paths; k, v and out are then left out.
        k: Keys, with as many heads as q, or fewer that the heads of q share.
        v: Values, with the heads of k.
        out: What attention returned, with the heads of q.
        scale: The promised m: a number, ``"1/sqrt(d_k)"``, or a rule: ``"inverse-sqrt"``. Whoever
            states it promises that cap, sink, bias and value scale are absent unless they are
            stated, too. None promises no m.
        softcap: The promised cap c of c·tanh(m·s/c).
        sink: The logit of a sink without a value: one number, or one for each head.
        causal: True promises that no query sees a later key, and that the last query sees the last
            key; ``"top left"`` that the first query sees the first key, as PyTorch's ``is_causal``;
            False that every query sees every key. None promises nothing.
        window: How many keys a query sees, its own counted; implies ``causal``.
        chunk: The length of chunks of keys that do not see each other; implies ``causal``.
        value_scale: c in out = c·p·V.
        mask: Which keys are seen beside that: True is *seen*; any shape that
            [batch, heads, n_q, n] broadcasts.
        bias: What is added to the logits; likewise.
        config: What the model promises: the path of a config.json or GGUF file, a dict, or a
            configuration object of transformers. The arguments above go before it.
        layout: The axes of arrays, ``"bnhd"`` or ``"bhnd,out=bnhd"``. Arrays are ``"bhnd"`` by
            default; axes of files are recognised.
        names: What tensors in files are called: ``"layers.{layer}.{part}"``.
        rows: How many rows of each head are compared; None for all of heads that are not large,
            ``"all"`` for all.
        assume: What is granted though it was not captured: ``"padding"``, ``"packed"``,
            ``"prefix"``, ``"float8"``, ``"int8"``.
        tf32: Whether products may have been taken in TF32.

    Returns:
        The diagnosis: ``verdict``, ``why``, ``heads``, ``rows()``, and, printed, what
        ``attn-tui doctor`` prints.

    Raises:
        InputError: With the name of the argument that will not do.

    >>> import numpy as np
    >>> q, k, v = np.random.default_rng(1).standard_normal((3, 2, 32, 16))
    >>> p = np.exp(q @ k.swapaxes(1, 2) / 4)
    >>> diagnosis = diagnose(q, k, v, p / p.sum(2, keepdims=True) @ v, scale=0.25, causal=False)
    >>> diagnosis.verdict, round(diagnosis.heads[0].multiplier.value, 6)
    ('agrees', 0.25)
    """
    stated = Stated(scale, softcap, sink, causal, window, chunk, value_scale, mask, bias)
    settings = settings_of(rows, assume, tf32)
    configuration = configuration_of(config)
    paths = paths_of(q)
    if paths:
        configured, typed = _of_files(paths, (k, v, out), stated, configuration, layout, names)
    else:
        if names:
            raise InputError("names", "arrays have no names", "no names=, or the path of a capture")
        arrays = {"q": q, "k": k, "v": v, "out": out}
        configured, typed = _of_arrays(arrays, stated, configuration, layout)
    return Diagnosis(examined(configured, typed, settings))


def examined(
    configured: Configured, typed: TypedExpectation | None, settings: Settings
) -> DoctorReport:
    """Return the doctor's report about a capture."""
    expectation = configured.expectation
    if typed is not None:
        expectation = expecting(typed, expectation)
    # The products are small: with several threads, most of the time goes into waiting.
    with one_thread():
        *_, report = examine(configured.capture, expectation, settings, notes=configured.notes)
    return report


def configuration_of(config: Any) -> Configuration:
    """Return a configuration as its path or its fields; empty for None.

    Raises:
        InputError: With field ``"config"``, if it is neither.
    """
    expected = "a path, a dict, or a configuration of transformers"
    if config is None:
        return ""
    if isinstance(config, str | os.PathLike):
        return os.fspath(config)
    if isinstance(config, Mapping) and not config:
        raise InputError("config", "it is empty", expected)
    if isinstance(config, Mapping):
        return config
    if callable(getattr(config, "to_dict", None)):
        fields: Mapping[str, Any] = config.to_dict()
        return fields
    problem = f"{inert(type(config).__qualname__)[1:-1]} is none"
    raise InputError("config", problem, expected)


def paths_of(q: Any) -> tuple[str, ...]:
    """Return the paths of a capture, if these are given; empty for arrays."""
    every = q if isinstance(q, list | tuple) and q else [q]
    if all(isinstance(path, str | os.PathLike) for path in every):
        return tuple(os.fspath(path) for path in every)
    return ()


def _of_files(
    paths: Sequence[str],
    arrays: Sequence[Any],
    stated: Stated,
    config: Configuration,
    layout: str,
    names: str,
) -> tuple[Configured, TypedExpectation | None]:
    """Return a capture in files, and what is promised of it."""
    for name, array in zip(("k", "v", "out"), arrays, strict=True):
        if array is not None:
            problem = "it is given beside the path of a capture"
            raise InputError(name, problem, "arrays q, k, v and out, or a path alone")
    for name in ("mask", "bias"):
        if getattr(stated, name) is not None:
            expected = f"`{name}` in the file, or arrays q, k, v and out"
            raise InputError(name, "it is given beside the path of a capture", expected)
    return open_configured(paths, layout, names, config), stated.typed(None)


def _of_arrays(
    arrays: Mapping[str, Any], stated: Stated, config: Configuration, layout: str
) -> tuple[Configured, TypedExpectation | None]:
    """Return the arrays of a call as a capture, and what is promised of it."""
    for name, array in arrays.items():
        if array is None:
            raise InputError(name, "there is none", "arrays q, k, v and out")
    read = {name: array_in(name, array) for name, array in arrays.items()}
    for name, array in read.items():
        if "float" not in array.dtype.name:
            expected = "bfloat16, float16, float32, float64 or float8"
            raise InputError(name, f"it holds {array.dtype.name}", expected)
    layouts = layouts_of(layout or "bhnd", {name: array.ndim for name, array in read.items()})
    shape = shape_of(read, layouts)
    tensors: dict[str, Raw] = {**read, **stated.tensors(shape)}
    joined = ",".join(f"{name}={axes}" for name, axes in layouts.items())
    for name, axes in layouts.items():
        parse_layout(layout_text(tuple(axes)), name)
    return open_configured_arrays(tensors, joined, config), stated.typed(shape)


def settings_of(rows: int | str | None, assume: Sequence[str] | str, tf32: bool) -> Settings:
    """Return how heads are examined."""
    if rows == "all":
        rows = MOST_ROWS
    is_count = isinstance(rows, int) and not isinstance(rows, bool)
    if rows is not None and not (is_count and 1 <= int(rows) <= MOST_ROWS):
        expected = f"a whole number from 1 to {MOST_ROWS:,}, or 'all'"
        raise InputError("rows", f"it is {inert(repr(rows))}", expected)
    words = assume.split(",") if isinstance(assume, str) else assume
    return Settings(
        rows=cast(int | None, rows), assume=assumptions(words), tf32=tf32, in_python=True
    )
