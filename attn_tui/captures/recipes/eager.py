"""Writes q, k, v, bias and out of attention that is made of product, softmax and product.

Such are bloom, falcon, gptj, gpt_neo and mpt of transformers, with attn_implementation="eager", and
most teaching codes, whose products are matmul, @, bmm or einsum, of all heads at once or by a
module for each. Around one forward pass in eval mode; what it returns stays the same:

    with capture("capture.safetensors", model):
        model(**tokenizer("The quick brown fox", return_tensors="pt"))

Without the model, nothing says which module a layer is. Then:

    attn-tui doctor capture.safetensors --config config.json
"""

from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import prod
from unittest.mock import patch

from safetensors.torch import save_file
from torch import Tensor, cat, is_tensor, zeros_like
from torch.nn import Module
from torch.overrides import TorchFunctionMode

PRODUCTS = ("matmul", "__matmul__", "bmm", "baddbmm")
LETTERS = "abcdefg"


@dataclass
class Scores:
    """q·k, or what was made of it; the axes of q and k are those of `lead`, and two more."""

    tensor: Tensor  # kept, since it is found by its id
    q: Tensor
    k: Tensor
    bias: Tensor  # what the same steps made of q·k = 0
    axes: str  # a letter for each axis
    row: str  # the axis of queries
    column: str  # the axis of keys
    over: str = ""  # the axis of the softmax, once it was taken

    @property
    def lead(self):
        """The axes of sequences and heads."""
        return self.axes.replace(self.row, "").replace(self.column, "")


class Watch(TorchFunctionMode):
    """Follows q·k to softmax and out."""

    def __init__(self, names):
        super().__init__()
        self.names, self.claims, self.layers, self.inside = names, {}, [], []
        self.followed, self.source = {}, None

    def __torch_function__(self, func, types, args=(), options=None):
        name, options = func.__name__, options or {}
        if name == "einsum" and isinstance(args[1], list | tuple):
            args = (args[0], *args[1])
        given = [each for each in (*args, *options.values()) if is_tensor(each)]
        found = next((self.followed[id(each)] for each in given if id(each) in self.followed), None)
        axes = axes_of(name, args, given[-2:])
        if name == "__get__" or not (found or axes):
            return func(*args, **options)
        if found and found.over and axes:
            out = func(*args, **options)
            self.keep(found, given[-2:], axes, out)
            return out
        followed = self.followed.items()
        shadows = {key: each.bias for key, each in followed if found and each.q is found.q}
        if not found:
            found, shadows = scores(given[-2:], axes), {id(given[-2]): zeros_like(given[-2])}
        if found and name != "softmax" and not found.over:
            bias = again(func, shadows, args, options)  # first, since func may work in place
            found = replace(found, bias=bias)
        out = func(*args, **options)
        if found and is_tensor(out):
            if out.dim() != len(found.axes):
                *_, row, column = axes = LETTERS[: out.dim()]
                found = replace(found, axes=axes, row=row, column=column)
            if name == "softmax":
                axis = options.get("dim", args[1] if len(args) > 1 else None)
                bias = ordered(found.bias, found.axes, found.lead + found.row + found.column)
                found = replace(found, bias=bias, over=found.axes[-1 if axis is None else axis])
            self.followed[id(out)] = replace(found, tensor=out)
        return out

    def keep(self, found, factors, axes, out):
        """Keep a layer, or one more head of it, with four axes."""
        place = 0 if id(factors[0]) in self.followed else 1
        letters = dict(zip(axes[place], found.axes, strict=True))  # no letter: the axis of v alone
        v_axes = "".join(letters.get(each, "·") for each in axes[1 - place])
        out_axes = "".join(letters.get(each, "·") for each in axes[2])
        tensors = {"q": found.q, "k": found.k}
        tensors["v"] = ordered(factors[1 - place], v_axes, f"{found.lead}{found.column}·")
        tensors["out"] = ordered(out, out_axes, f"{found.lead}{found.row}·")
        if found.bias.any():
            tensors["bias"] = found.bias
        count, source = self.sequences(found)
        layer = {
            name: tensor.detach().cpu().clone().reshape(count, -1, *tensor.shape[-2:])
            for name, tensor in tensors.items()
        }
        self.followed = {}
        if layer["k"].shape[-2] != layer["v"].shape[-2]:  # blocks of keys, joined for v
            return
        if source is not None and source is self.source and layer["q"].shape[1] == 1:
            joined = {name: cat([self.layers[-1][name], layer[name]], 1) for name in layer}
            self.layers[-1] = joined  # by one module for each head
            return
        self.source = source
        number = len(self.layers)
        if found.over == found.row:
            self.claims[f"{number}.softmax"] = "queries"
        for module, _ in self.inside:  # from the outermost to the innermost
            if module in self.names:
                self.claims[f"{number}.module"] = self.names[module]
            if kind := getattr(getattr(module, "config", None), "model_type", ""):
                self.claims[f"{number}.config"] = str(kind)
        self.layers.append(layer)

    def sequences(self, found):
        """Return how many sequences there are, and what the innermost module was given."""
        if found.bias.dim() > 3:
            return found.bias.shape[0], None
        n = found.q.shape[-2]
        given = [x for _, x in self.inside if x is not None and prod(x.shape[1:-1]) == n]
        if given and found.q.shape[0] % given[0].shape[0] == 0:
            return given[0].shape[0], given[-1]
        return 1, None


def axes_of(name, args, factors):
    """Return letters for the axes of two factors and of their product, or None."""
    if name == "einsum" and "->" in args[0] and "." not in args[0]:
        left, _, out = args[0].replace(" ", "").partition("->")
        axes = (*left.split(","), out)
        return axes if len(axes) == 3 and min(map(len, axes)) > 2 else None
    if name not in PRODUCTS or min(each.dim() for each in factors) < 3:
        return None
    *lead, row, inner, column = LETTERS[: max(each.dim() for each in factors) + 1]
    first, second = ("".join(lead[len(lead) + 2 - each.dim() :]) for each in factors)
    return first + row + inner, second + inner + column, "".join(lead) + row + column


def scores(factors, axes):
    """Return q·k of two factors, if each has one axis of its own, and one is summed over."""
    first, second, out = axes
    rows = [each for each in out if each in first and each not in second]
    columns = [each for each in out if each in second and each not in first]
    inner = [each for each in first if each in second and each not in out]
    if [len(rows), len(columns), len(inner)] != [1, 1, 1]:
        return None
    found = Scores(None, None, None, None, out, *rows, *columns)
    found.q = ordered(factors[0], first, f"{found.lead}{rows[0]}{inner[0]}")
    found.k = ordered(factors[1], second, f"{found.lead}{columns[0]}{inner[0]}")
    return found


def ordered(tensor, axes, wanted):
    """Return a tensor with its axes in another order; it may lack some."""
    return tensor.permute([axes.index(each) for each in wanted if each in axes])


def again(func, others, args, options):
    """Return what a function returns of other tensors in place of some."""
    more = {name: others.get(id(each), each) for name, each in options.items()}
    return func(*(others.get(id(each), each) for each in args), **more)


@contextmanager
def capture(path, model=None):
    """Capture each attention within a ``with`` block: layers 0, 1, 2 … in their order."""
    watch = Watch({module: name for name, module in model.named_modules()} if model else {})

    original = Module.__call__

    def call(module, *args, **options):
        given = next(filter(is_tensor, (*args, *options.values())), None)
        watch.inside.append((module, given))
        try:
            return original(module, *args, **options)
        finally:
            watch.inside.pop()

    with patch.object(Module, "__call__", call), watch:
        yield
    if not watch.layers:
        raise RuntimeError("no softmax stood between two products of matmul, @, bmm or einsum")
    tensors = {
        f"{layer}.{name}": tensor.contiguous()
        for layer, parts in enumerate(watch.layers)
        for name, tensor in parts.items()
    }
    save_file(tensors, path, {**watch.claims, "layout": "bhnd"})
