"""Call the function of a probe with arrays of its library, and check what it returns."""

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from attn_tui.captures.arrays import array_in
from attn_tui.captures.stored import Raw
from attn_tui.compute.errors import InputError, inert
from attn_tui.diagnosis.call import CallShape
from attn_tui.probing.inputs import from_layout, laid_out

LIBRARIES = ("numpy", "torch", "jax", "mlx")
"""The libraries whose arrays a function may be given."""

LIBRARY_NAMES = {"pytorch": "torch", "np": "numpy"}
"""Other names of libraries."""

PART_NAMES = {
    "q": ("q", "query", "queries"), "k": ("k", "key", "keys"), "v": ("v", "value", "values"),
}  # fmt: skip
"""What functions call q, k and v."""

POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
"""The kinds of parameters that may be given by place."""

TRIED = ("torch", "jax")
"""The libraries that are tried, if they are imported, with a function that refuses NumPy."""

Function = Callable[..., Any]


@dataclass(frozen=True)
class Called:
    """What one call did.

    Attributes:
        out: What it returned, [batch, heads, n_q, d_v]; None if that is no such array.
        error: Why there is no output, in a phrase; empty if there is one.
        raised: The exception that the function raised, or None.
        written: The inputs that were written to.
    """

    out: Raw | None
    error: str = ""
    raised: BaseException | None = None
    written: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Caller:
    """Calls a function with arrays of a library.

    Attributes:
        function: The function.
        library: The name of the library, in `LIBRARIES`.
        layout: The axes of q, k, v and out.
        has_mask: Whether the function has a parameter ``mask``.
        keywords: The names of q, k and v, by part, where it takes these by keyword alone.
    """

    function: Function
    library: str
    layout: str
    has_mask: bool
    keywords: Mapping[str, str] = field(default_factory=dict)

    def __call__(
        self,
        arrays: Mapping[str, Raw],
        shape: CallShape,
        mask: Raw | None = None,
        is_strided: bool = False,
    ) -> Called:
        """Return what the function makes of q, k and v, [batch, heads, n, d].

        Args:
            arrays: q, k and v.
            shape: Their sizes.
            mask: What the function is given as ``mask``, if it has such a parameter.
            is_strided: Whether the arrays are to be parts of larger ones.
        """
        inputs = {name: laid_out(array, self.layout, is_strided) for name, array in arrays.items()}
        before = {name: array.tobytes() for name, array in inputs.items()}
        converted = {name: to_library(self.library, array) for name, array in inputs.items()}
        more = {}
        if self.has_mask and mask is not None:
            more["mask"] = to_library(self.library, mask)
        try:
            # Whatever a kernel warns of, such as NaN, is seen in what it returns.
            with np.errstate(all="ignore"):
                returned = self.applied(*converted.values(), **more)
        except Exception as error:
            return Called(None, f"it raises {_named(error)}", error)
        written = tuple(
            name for name, array in converted.items()
            if array_in(name, array).tobytes() != before[name]
        )  # fmt: skip
        wanted = _shape(self.layout, shape)
        if isinstance(returned, list):
            returned = _stacked(returned, wanted)
        if isinstance(returned, tuple | list):
            number = f"a {type(returned).__name__} of {len(returned)}"
            return Called(None, f"it returns {number}, not the output alone, f(q, k, v)[0] say")
        try:
            out = array_in("out", returned)
        except InputError as error:
            return Called(None, f"it returns {type(returned).__qualname__}: {error.problem}")
        if out.shape != wanted:
            sizes = ["×".join(map(str, one)) or "a scalar" for one in (out.shape, wanted)]
            return Called(None, f"it returns {sizes[0]}, not {sizes[1]}", written=written)
        if "float" not in out.dtype.name:
            return Called(None, f"it returns {out.dtype.name}", written=written)
        # What it returns may be the memory that it writes the next output to.
        return Called(from_layout(out, self.layout).copy(), written=written)

    def applied(self, *arrays: Any, **more: Any) -> Any:
        """Return what the function makes of q, k and v, each by its keyword if it has to be."""
        parts = dict(zip("qkv", arrays, strict=True))
        named = {name: parts.pop(part) for part, name in self.keywords.items()}
        return self.function(*parts.values(), **named, **more)

    def gradients(
        self, arrays: Mapping[str, Raw], upstream: Raw, mask: Raw | None = None
    ) -> dict[str, Raw] | str:
        """Return dq, dk and dv, [batch, heads, n, d], or why there are none.

        Args:
            arrays: q, k and v, [batch, heads, n, d].
            upstream: ∂L/∂out, [batch, heads, n_q, d_v].
            mask: What the function is given as ``mask``, if it has such a parameter.
        """
        inputs = [
            to_library(self.library, laid_out(array, self.layout, False))
            for array in arrays.values()
        ]
        dout = to_library(self.library, laid_out(upstream, self.layout, False))
        more = {}
        if self.has_mask and mask is not None:
            more["mask"] = to_library(self.library, mask)
        try:
            if self.library == "torch":
                gradients = _by_torch(self.applied, inputs, dout, more)
            else:
                gradients = _by_jax(self.applied, inputs, dout, more)
            parts = zip(arrays, gradients, strict=True)
            return {
                name: from_layout(array_in(name, array), self.layout).copy()
                for name, array in parts
            }
        except Exception as error:
            return f"it raises {_named(error)}"


def _stacked(returned: list[Any], wanted: tuple[int, ...]) -> Any:
    """Return a list of numbers or of arrays as an array, if it has the shape of the output."""
    try:
        array = np.array(returned)
    except (TypeError, ValueError):
        return returned
    is_output = array.shape == wanted and array.dtype.kind == "f"
    return array if is_output else returned


def _by_torch(
    function: Function, inputs: list[Any], upstream: Any, more: Mapping[str, Any]
) -> Sequence[Any]:
    """Return the gradients of a function of PyTorch."""
    torch = sys.modules["torch"]
    leaves = [tensor.requires_grad_() for tensor in inputs]
    out = function(*leaves, **more)
    if not out.requires_grad:
        return [torch.zeros_like(leaf) for leaf in leaves]
    # What the output does not depend on has no gradient, which is 0.
    gradients: Sequence[Any] = torch.autograd.grad(
        out, leaves, upstream.to(out.dtype), materialize_grads=True
    )
    return gradients


def _by_jax(
    function: Function, inputs: list[Any], upstream: Any, more: Mapping[str, Any]
) -> Sequence[Any]:
    """Return the gradients of a function of JAX."""
    jax = import_module("jax")
    out, pulled = jax.vjp(lambda *arrays: function(*arrays, **more), *inputs)
    gradients: Sequence[Any] = pulled(upstream.astype(out.dtype))
    return gradients


def caller_of(function: Function, like: str, layout: str) -> Caller:
    """Return what calls a function.

    Raises:
        InputError: If it cannot be called, or the library is none of `LIBRARIES` or not installed.
    """
    if not callable(function):
        problem = f"{inert(type(function).__qualname__)[1:-1]} cannot be called"
        raise InputError("f", problem, "a function of q, k and v")
    like = LIBRARY_NAMES.get(like, like)
    if like not in LIBRARIES:
        raise InputError("like", f"{inert(str(like))} is none", " or ".join(LIBRARIES))
    _module(like)
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return Caller(function, like, layout, has_mask=False)
    return Caller(function, like, layout, "mask" in parameters, _keywords(parameters))


def _keywords(parameters: Mapping[str, inspect.Parameter]) -> dict[str, str]:
    """Return the names of q, k and v, by part, where a function takes these by keyword alone.

    Where three are taken by place, a ``key`` among the keywords is something else, such as JAX's.
    """
    kinds = [parameter.kind for parameter in parameters.values()]
    by_place = sum(kind in POSITIONAL for kind in kinds)
    if by_place >= len(PART_NAMES) or inspect.Parameter.VAR_POSITIONAL in kinds:
        return {}
    return {
        part: name
        for part, names in PART_NAMES.items()
        for name in names
        if name in parameters and parameters[name].kind is inspect.Parameter.KEYWORD_ONLY
    }


def libraries_to_try() -> tuple[str, ...]:
    """Return the libraries whose arrays a function may take that refuses those of NumPy."""
    return tuple(name for name in TRIED if name in sys.modules)


def _module(like: str) -> Any:
    """Return the module that makes arrays of a library."""
    name = {"jax": "jax.numpy", "mlx": "mlx.core"}.get(like, like)
    try:
        return import_module(name)
    except ImportError:
        raise InputError("like", f"{like} is not installed", "one that is") from None


def to_library(like: str, array: Raw) -> Any:
    """Return an array of NumPy as one of a library, which shares its memory where it can."""
    if like == "numpy":
        return array
    module = _module(like)
    narrow = array.dtype.name if array.dtype.kind == "V" else ""
    if like == "torch":
        words = array.view({1: np.uint8, 2: np.int16}[array.dtype.itemsize]) if narrow else array
        tensor = module.from_numpy(words)
        return tensor.view(getattr(module, narrow)) if narrow else tensor
    if like == "mlx" and narrow:
        return module.array(array.astype(np.float32)).astype(getattr(module, narrow))
    return module.asarray(array) if like == "jax" else module.array(array)


def _shape(layout: str, shape: CallShape) -> tuple[int, ...]:
    """Return the shape of the output in a layout."""
    lengths = {"b": shape.batch, "h": shape.heads, "n": shape.queries, "d": shape.d_v}
    return tuple(lengths[axis] for axis in layout)


def _named(error: BaseException) -> str:
    """Return an exception in a few words."""
    text = inert(str(error).partition("\n")[0], 100)
    return f"{type(error).__name__}: {text[1:-1]}" if text[1:-1] else type(error).__name__
