"""A promise made from the arguments of a Python call: an expectation, as ``--expect`` makes it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from math import isfinite
from typing import Any

import numpy as np

from attn_tui.captures.arrays import array_in
from attn_tui.captures.layer import MASKED
from attn_tui.captures.stored import Raw, widened
from attn_tui.compute.arrays import Truths
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.heads.head_model import LEARNED
from attn_tui.compute.heads.mask import HeadMask, MaskKind
from attn_tui.compute.rules import RULES
from attn_tui.compute.scale import Scale, parse_scale
from attn_tui.diagnosis.call import CallShape
from attn_tui.doctor.expect import TypedExpectation, parse_expected
from attn_tui.files.models.promise import NONE

CORNERS = ("bottom right", "top left")
"""Where a causal mask is aligned if there are other numbers of queries and keys."""

_CAUSAL = "True (the last query sees the last key), 'top left', False (every key) or None"
_SCALES = f"a number, 1/sqrt(d_k), a rule such as {', '.join([*RULES][:3])}, or None"
_BY_SHAPE = "one that [batch, heads, n_q, n] broadcasts"


@dataclass(frozen=True, eq=False)
class Stated:
    """What a caller says that attention should do; None if it is not said.

    Attributes:
        scale: m: a number, the text of a rule, or a `Scale` with its soft cap and sink.
        softcap: The cap c of c·tanh(m·s/c).
        sink: The sink's logit: one number, or one for each head.
        causal: Whether a query sees no later key; False promises that it sees every key. True
            lets the last query see the last key; ``"top left"`` the first query the first key.
        window: How many keys a query sees, its own counted; implies ``causal``.
        chunk: The length of chunks of keys; implies ``causal``.
        value_scale: c in out = c·p·V.
        mask: Which keys are seen: True is seen; of a shape that [batch, heads, n_q, n] broadcasts.
        bias: What is added to the logits; of such a shape as well.
    """

    scale: Scale | str | float | None = None
    softcap: float | None = None
    sink: Any = None
    causal: bool | str | None = None
    window: int | None = None
    chunk: int | None = None
    value_scale: float | None = None
    mask: Any = None
    bias: Any = None

    def __post_init__(self) -> None:
        if self.causal not in (None, True, False, *CORNERS):
            raise InputError("causal", f"it is {inert(str(self.causal))}", _CAUSAL)
        for name in ("window", "chunk"):
            length = getattr(self, name)
            if length is None:
                continue
            if not isinstance(length, int | np.integer) or isinstance(length, bool) or length < 1:
                raise InputError(name, f"it is {inert(repr(length))}", "a whole number from 1")
            if self.causal is False:
                problem = f"a causal {name} of {length} and causal=False"
                raise InputError(name, problem, "one of them; a window to both sides is a mask")
        for name in ("softcap", "value_scale"):
            _check_positive(name, getattr(self, name))

    @property
    def is_causal(self) -> bool:
        """Whether a query sees no later key."""
        return bool(self.causal) or self.window is not None or self.chunk is not None

    def rule(self, queries: int, keys: int) -> HeadMask:
        """Return the mask by position of so many queries and keys, without ``mask``."""
        if not self.is_causal:
            return HeadMask("none")
        offset = 0 if self.causal == "top left" else keys - queries
        kind: MaskKind = "causal" if self.window is None else "window"
        return HeadMask(kind, offset, self.window, chunk=self.chunk)

    def seen(self, shape: CallShape) -> Truths:
        """Return which keys each query sees, by position and by ``mask`` and ``bias``.

        The shape is (batch or 1, heads or 1, n_q, n).
        """
        rows = shape.rows()
        seen = self.rule(shape.queries, shape.keys).seen(rows)[None, None]
        if self.mask is not None:
            seen = seen & self._mask(shape)
        if self.bias is not None:
            seen = seen & ~(widened(self._bias(shape)) <= MASKED)
        return np.asarray(seen)

    def tensors(self, shape: CallShape) -> dict[str, Raw]:
        """Return the mask, bias and sinks of a call as tensors of a capture, by part."""
        tensors: dict[str, Raw] = {}
        if self.has_mask(shape):
            tensors["mask"] = self.seen(shape)
        if self.bias is not None:
            added = self._bias(shape)
            is_hidden = widened(added) <= MASKED
            tensors["bias"] = np.where(is_hidden, np.zeros((), added.dtype), added)
        if self.sink is not None:
            tensors["sink"] = self._sinks(shape.heads)
        return tensors

    def has_mask(self, shape: CallShape) -> bool:
        """Return whether keys are hidden otherwise than by position."""
        if self.mask is not None:
            return True
        return self.bias is not None and bool((widened(self._bias(shape)) <= MASKED).any())

    def typed(self, shape: CallShape | None) -> TypedExpectation | None:
        """Return the promise as if it had been typed; None if nothing is said.

        Args:
            shape: The sizes of the call; None if tensors are in a file, whose sizes are not known.

        Raises:
            InputError: If a part will not do.
        """
        multiplier, form, more = self._scale(None if shape is None else shape.keys)
        parts: dict[str, Any] = {}
        if self.causal is False:
            parts |= {"mask": "none", "window": None, "chunk": None}
        if self.is_causal:
            kind = "causal" if self.window is None else "window"
            parts |= {"mask": kind, "window": self.window, "chunk": self.chunk}
            is_longer = shape is not None and shape.queries > shape.keys
            if self.causal == "top left":
                parts["offset"] = 0
            elif shape is not None and is_longer:
                parts["offset"] = shape.keys - shape.queries
        if shape is not None and self.has_mask(shape):
            parts |= {"mask": None, "window": None, "chunk": None, "mask_varies": False}
            parts.pop("offset", None)
        if self.bias is not None:
            parts["bias"] = None
        if self.softcap is not None:
            parts["softcap"] = float(self.softcap)
        if self.sink is not None:
            parts["sink"] = LEARNED if shape is not None else self._one_sink()
        if self.value_scale is not None:
            parts["value_scale"] = float(self.value_scale)
        parts = more | parts
        if multiplier is None and not parts:
            return None
        return TypedExpectation(self.text, parts, multiplier, form, source=self.text)

    @property
    def text(self) -> str:
        """The arguments as they are written: ``scale='inverse-sqrt', causal=True``."""
        return ", ".join(self._texts())

    def _texts(self) -> Iterator[str]:
        for part in fields(self):
            value = getattr(self, part.name)
            if value is None:
                continue
            if np.ndim(value) if not callable(value) else 0:
                shape = "×".join(map(str, np.shape(value)))
                yield f"{part.name}=[{shape}]"
            elif callable(value):
                yield f"{part.name}={getattr(value, '__name__', 'a function')}"
            else:
                yield f"{part.name}={value!r}"

    def _scale(
        self, n_keys: int | None
    ) -> tuple[Callable[[int], float] | None, str, dict[str, Any]]:
        """Return m by d_k, how it is written, and the cap and sink of a `Scale`."""
        scale = self.scale
        if scale is None:
            return None, "", {}
        if isinstance(scale, str) and ("/" in scale or "√" in scale):
            try:
                typed = parse_expected(f"m={scale}")
            except InputError:
                raise InputError("scale", f"it is {inert(scale)}", _SCALES) from None
            return typed.multiplier, typed.form, {}
        if isinstance(scale, str):
            try:
                scale = parse_scale(scale)
            except InputError as error:
                raise replace(error, field="scale") from None
        if isinstance(scale, Scale):
            scale.check_unnormalised("scale", "these are as they are multiplied")
            if scale.uses_n and n_keys is None:
                raise InputError("scale", f"m = {scale.formula} depends on n", "a number")
            rule, n = scale, n_keys or 1
            more: dict[str, Any] = {}
            if rule.softcap is not None:
                more["softcap"] = rule.softcap
            if rule.sink is not None:
                more["sink"] = rule.sink
            return lambda d_k: rule.multiplier(d_k, n), "", more
        number = _number("scale", scale, _SCALES)
        if not 1e-9 <= abs(number) <= 1e9:
            raise InputError("scale", f"it is {inert(repr(scale))}", _SCALES)
        return lambda d_k: number, "", {}

    def _mask(self, shape: CallShape) -> Truths:
        mask = array_in("mask", self.mask)
        if mask.dtype != np.bool_:
            expected = "truth values, True where a key is seen; what is added to logits is bias="
            raise InputError("mask", f"it holds {mask.dtype.name}", expected)
        return np.asarray(_broadcast("mask", mask, shape))

    def _bias(self, shape: CallShape) -> Raw:
        bias = array_in("bias", self.bias)
        if "float" not in bias.dtype.name:
            expected = "real numbers that are added to logits"
            raise InputError("bias", f"it holds {bias.dtype.name}", expected)
        return _broadcast("bias", bias, shape)

    def _sinks(self, heads: int) -> Raw:
        sinks = array_in("sink", self.sink)
        expected = f"one number, or one for each of {heads} heads"
        if sinks.dtype.kind in "iu":
            sinks = sinks.astype(np.float64)
        if "float" not in sinks.dtype.name or sinks.shape not in ((), (1,), (heads,)):
            shape = "×".join(map(str, sinks.shape)) or "a scalar"
            raise InputError("sink", f"it is {shape} of {sinks.dtype.name}", expected)
        return np.ascontiguousarray(np.broadcast_to(sinks, (heads,)))

    def _one_sink(self) -> float | str:
        if self.sink == NONE:
            return NONE
        return _number("sink", self.sink, "one number; a file has those of each head as `sink`")


def _broadcast(name: str, array: Raw, shape: CallShape) -> Raw:
    """Return a mask or a bias with rows of queries and columns of keys, and 4 axes."""
    sizes = (shape.batch, shape.heads, shape.queries, shape.keys)
    try:
        np.broadcast_to(array, sizes)
    except ValueError:
        problem = f"its shape is {'×'.join(map(str, array.shape))}"
        expected = f"a shape that broadcasts to {'×'.join(map(str, sizes))}"
        raise InputError(name, problem, f"{expected}: batch, heads, queries, keys") from None
    wide = array.reshape((1,) * (4 - array.ndim) + array.shape)
    return np.broadcast_to(wide, (*wide.shape[:2], shape.queries, shape.keys))


def _number(name: str, value: Any, expected: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(name, f"it is {inert(repr(value))}", expected) from None
    if isinstance(value, bool) or not isfinite(number):
        raise InputError(name, f"it is {inert(repr(value))}", expected)
    return number


def _check_positive(name: str, value: Any) -> None:
    expected = "a number above 0, or None"
    if value is not None and not 1e-9 <= _number(name, value, expected) <= 1e9:
        raise InputError(name, f"it is {inert(repr(value))}", expected)
