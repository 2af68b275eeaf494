"""Layers of heads before anything is wrong with them, and the faults that can be made in them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.verdicts.arithmetic import Array, Attention, Path, attend, fp8, int8, rounded
from benchmarks.verdicts.case import AGREES, NOTHING, Case, Right, Tensors, differs


@dataclass(frozen=True, eq=False)
class Layer:
    """What attention of one layer is given.

    Attributes:
        q: Shape (b, h, n_q, d).
        k: Shape (b, h_kv, n, d).
        v: Shape (b, h_kv, n, d_v).
        how: The settings.
        visible: Keys that are seen besides, broadcast to (b, h, n_q, n), or None.
        captured: What is captured beside q, k, v and the output, by part.
    """

    q: Array
    k: Array
    v: Array
    how: Attention
    visible: NDArray[np.bool_] | None = None
    captured: Mapping[str, NDArray[Any]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Heads:
    """A model's layers.

    Attributes:
        kind: What they are.
        layers: In their order.
        config: What config.json says.
        right: What is right to say while nothing is wrong.
        trained: Whether they are a trained model's.
        faults: Which of `FAULTS` are tried.
        options: More arguments of the command.
        unroped: Keys before RoPE, one array a layer, where there are such.
    """

    kind: str
    layers: Sequence[Layer]
    config: Mapping[str, Any]
    right: Right = AGREES
    trained: bool = False
    faults: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    unroped: Sequence[Array] = ()

    @property
    def multiplier(self) -> float:
        """The m that is right, in the first layer."""
        return self.layers[0].how.multiplier

    @property
    def d(self) -> int:
        """The length of a query."""
        return int(self.layers[0].q.shape[-1])


Fault = Callable[[Heads], tuple[Sequence[Layer], Right]]
"""Makes layers wrong: what was used; q, k and v are captured as they were in the right ones."""


def _scaled(by: Callable[[Heads], float]) -> Fault:
    def fault(heads: Heads) -> tuple[Sequence[Layer], Right]:
        m = heads.multiplier * by(heads)
        return _with(heads, multiplier=m), differs("multiplier", multiplier=m)

    return fault


def _with(heads: Heads, **changed: Any) -> list[Layer]:
    return [replace(layer, how=replace(layer.how, **changed)) for layer in heads.layers]


def _without(*parts: str) -> Fault:
    names: dict[str, dict[str, Any]]
    names = {"softcap": {"softcap": None}, "sink": {"sinks": None}, "bias": {"bias": None},
             "mask": {"causal": False, "window": None, "chunk": None}}  # fmt: skip

    def fault(heads: Heads) -> tuple[Sequence[Layer], Right]:
        changed: dict[str, Any] = {}
        for part in parts:
            changed |= names[part]
        suspect = "bias" if "bias" in parts else ""
        shown = "mask" if "bias" in parts else parts[0]
        return _with(heads, **changed), differs(shown, suspect=suspect)

    return fault


def _window(by: int | None) -> Fault:
    def fault(heads: Heads) -> tuple[Sequence[Layer], Right]:
        layers = []
        for layer in heads.layers:
            if layer.how.window is not None:
                length = None if by is None else layer.how.window + by
                layer = replace(layer, how=replace(layer.how, window=length))
            layers.append(layer)
        return layers, differs("mask")

    return fault


def _unpadded(heads: Heads) -> tuple[Sequence[Layer], Right]:
    return [replace(layer, visible=None) for layer in heads.layers], differs("mask")


def _unchunked(heads: Heads) -> tuple[Sequence[Layer], Right]:
    return _with(heads, chunk=None), differs("mask")


def _kv_order(heads: Heads) -> tuple[Sequence[Layer], Right]:
    """Heads 0, 1, 0, 1 of keys and values where 0, 0, 1, 1 is right; of as many, the next."""
    layers = []
    for layer in heads.layers:
        of_q, of_k = layer.q.shape[1], layer.k.shape[1]
        order = np.arange(of_q) % of_k if of_k < of_q else np.roll(np.arange(of_q), 1)
        layers.append(replace(layer, k=layer.k[:, order], v=layer.v[:, order]))
    return layers, differs("kv_head")


def _stored(how: Callable[[Array], Array], name: str) -> Fault:
    def fault(heads: Heads) -> tuple[Sequence[Layer], Right]:
        return _with(heads, stored=how), replace(NOTHING, suspect=name)

    return fault


def _dropped(heads: Heads) -> tuple[Sequence[Layer], Right]:
    return _with(heads, dropout=0.1), replace(NOTHING, suspect="dropout")


def _other_values(heads: Heads) -> tuple[Sequence[Layer], Right]:
    values = [layer.v for layer in heads.layers]
    values = [*values[1:], values[0]]
    layers = [replace(a, v=v) for a, v in zip(heads.layers, values, strict=True)]
    return layers, NOTHING


def _unroped(heads: Heads) -> tuple[Sequence[Layer], Right]:
    layers = [replace(a, k=k) for a, k in zip(heads.layers, heads.unroped, strict=True)]
    return layers, replace(NOTHING, suspect="rope")


FAULTS: Mapping[str, Fault] = {
    "scale ×2": _scaled(lambda heads: 2.0),
    "scale ÷2": _scaled(lambda heads: 0.5),
    "scale 1/d": _scaled(lambda heads: 1 / heads.d / heads.multiplier),
    "scale 1/√hidden": _scaled(
        lambda heads: (heads.d * heads.layers[0].q.shape[1]) ** -0.5 / heads.multiplier
    ),
    "cap dropped": _without("softcap"),
    "sink dropped": _without("sink"),
    "mask dropped": _without("mask"),
    "window +1": _window(1),
    "window −1": _window(-1),
    "window dropped": _window(None),
    "chunk dropped": _unchunked,
    "padding mask dropped": _unpadded,
    "bias dropped": _without("bias"),
    "k before RoPE used": _unroped,
    "KV order": _kv_order,
    "softmax twice": lambda heads: (
        _with(heads, softmax_twice=True), differs("softmax_twice", suspect="softmax"),
    ),
    "fp8 KV": _stored(fp8, "fp8"),
    "int8 KV": _stored(int8, "int8"),
    "dropout": _dropped,
    "value scale .707": lambda heads: (_with(heads, value_scale=0.5**0.5), differs("value_scale")),
    "another layer's V": _other_values,
}  # fmt: skip
"""Everything that can be wrong, by name."""

EVERYWHERE = (
    "scale ×2", "scale ÷2", "scale 1/d", "scale 1/√hidden", "KV order", "softmax twice", "fp8 KV",
    "int8 KV", "dropout", "value scale .707", "another layer's V",
)  # fmt: skip
"""Faults that any heads may have."""


def cases(heads: Heads, dtype: str, path: Path) -> Iterator[Case]:
    """Yield the healthy case of heads, and one for each of their faults.

    Args:
        heads: The layers.
        dtype: That tensors are rounded to.
        path: Where attention rounds.
    """
    at = replace(
        heads, layers=[_rounded(layer, dtype) for layer in heads.layers],
        unroped=[rounded(keys, dtype) for keys in heads.unroped],
    )  # fmt: skip
    for name in ("healthy", *heads.faults):
        used, right = (at.layers, at.right) if name == "healthy" else FAULTS[name](at)
        tensors: Tensors = {}
        for number, (layer, wrong) in enumerate(zip(at.layers, used, strict=True)):
            out = attend(wrong.q, wrong.k, wrong.v, wrong.how, dtype, path, wrong.visible)
            parts = {"q": layer.q, "k": layer.k, "v": layer.v, "out": out, **layer.captured}
            tensors |= {f"{number}.{part}": tensor for part, tensor in parts.items()}
        yield Case(
            at.kind, name, dtype, path, right, tensors, at.config, at.trained, options=at.options
        )


def _rounded(layer: Layer, dtype: str) -> Layer:
    """Return a layer whose tensors are of a format."""
    q, k, v = (rounded(each, dtype) for each in (layer.q, layer.k, layer.v))
    how = layer.how
    bias = None if how.bias is None else rounded(how.bias, dtype)
    sinks = None if how.sinks is None else rounded(how.sinks, dtype)
    return replace(layer, q=q, k=k, v=v, how=replace(how, bias=bias, sinks=sinks))
