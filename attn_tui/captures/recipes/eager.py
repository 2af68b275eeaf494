"""Writes q, k, v, bias and out of attention that is made of product, softmax and product.

Such are bloom, falcon, gptj, gpt_neo and mpt of transformers, with attn_implementation="eager", and
most teaching codes, whose products are matmul, @, bmm or einsum, of all heads at once or by a
module for each. Around one forward pass in eval mode; what it returns stays the same:

    with capture("capture.safetensors"):
        model(**tokenizer("The quick brown fox", return_tensors="pt"))

Then: attn-tui doctor capture.safetensors --config config.json
"""

from contextlib import contextmanager
from math import prod
from unittest.mock import patch

from safetensors.torch import save_file
from torch import cat, is_tensor, zeros_like
from torch.nn import Module
from torch.overrides import TorchFunctionMode

PRODUCTS = ("matmul", "__matmul__", "bmm", "baddbmm")


class Watch(TorchFunctionMode):
    """Follows q·k to softmax and out; what is made of q·k = 0 on the way is the bias, and masks.

    Axes have letters: n of queries, m of keys, d of a head, capitals of sequences and heads.
    """

    def __init__(self):
        super().__init__()
        self.followed, self.inside, self.layers, self.source, self.claims = {}, [], [], None, {}

    def __torch_function__(self, func, types, args=(), options=None):
        name, options = func.__name__, options or {}
        if name == "einsum" and isinstance(args[1], list | tuple):
            args = (args[0], *args[1])
        given = [each for each in (*args, *options.values()) if is_tensor(each)]
        found = next((self.followed[id(each)] for each in given if id(each) in self.followed), None)
        letters = product(name, args, given[-2:])
        if name == "__get__" or not (found or letters):
            return func(*args, **options)
        is_last = letters and found and found["over"]
        followed = self.followed.items()
        if found:
            shadows = {key: each["bias"] for key, each in followed if each["q"] is found["q"]}
        else:
            found, shadows = scores(given[-2:], *letters), {id(given[-2]): zeros_like(given[-2])}
        if found and name != "softmax" and not found["over"]:
            # First, since the function may work in place.
            found = {**found, "bias": again(func, shadows, args, options)}
        out = func(*args, **options)
        if is_last:
            self.keep(found, given[-2:], letters, out)
        elif found and is_tensor(out):
            axis = options.get("dim", (*args, None)[1]) if name == "softmax" else None
            self.follow(found, out, axis)
        return out

    def follow(self, found, out, over):
        """Remember what was made of q·k, and the axis of a softmax."""
        axes = found["axes"] if out.dim() == len(found["axes"]) else "ABC"[: out.dim() - 2] + "nm"
        found = {**found, "tensor": out, "axes": axes}  # the tensor, since it is found by its id
        if over is not None:
            found |= {"over": axes[over], "bias": ordered(found["bias"], axes, "ABCnm")}
        self.followed[id(out)] = found

    def keep(self, found, factors, letters, out):
        """Keep a layer, or one more head of it, with four axes."""
        place = 0 if id(factors[0]) in self.followed else 1
        axes = dict(zip(letters[place], found["axes"], strict=True))
        of_v, of_out = ("".join(axes.get(each, "d") for each in letters[at])
                        for at in (1 - place, 2))  # fmt: skip
        v, out = ordered(factors[1 - place], of_v, "ABCmd"), ordered(out, of_out, "ABCnd")
        layer = {"q": found["q"], "k": found["k"], "v": v, "out": out, "bias": found["bias"]}
        count, source = self.sequences(found)
        layer = {
            name: tensor.detach().cpu().clone().reshape(count, -1, *tensor.shape[-2:])
            for name, tensor in layer.items()
            if name != "bias" or tensor.any()
        }
        self.followed = {}
        if layer["k"].shape[-2] != layer["v"].shape[-2]:
            return  # blocks of keys, which overlap in v
        if source is not None and source is self.source and layer["q"].shape[1] == 1:
            last = self.layers.pop()  # by one module for each head
            layer = {name: cat([last[name], layer[name]], 1) for name in layer}
        if found["over"] == "n":
            self.claims[f"{len(self.layers)}.softmax"] = "queries"
        for module, _ in self.inside:
            if kind := getattr(getattr(module, "config", None), "model_type", ""):
                self.claims[f"{len(self.layers)}.config"] = str(kind)  # the innermost one's
        self.source = source
        self.layers.append(layer)

    def sequences(self, found):
        """Return how many sequences there are, and what the innermost module was given."""
        if found["bias"].dim() > 3:
            return found["bias"].shape[0], None
        n, count = found["q"].shape[-2], found["q"].shape[0]
        given = [x for _, x in self.inside if is_tensor(x) and prod(x.shape[1:-1]) == n]
        given = [x for x in given if count % x.shape[0] == 0]
        return (given[0].shape[0], given[-1]) if given else (1, None)


def product(name, args, factors):
    """Return letters for the axes of two factors and of their product, or None."""
    if name == "einsum" and "->" in args[0] and "." not in args[0]:
        left, _, out = args[0].replace(" ", "").partition("->")
        letters = (*left.split(","), out)
        return letters if len(letters) == 3 and min(map(len, letters)) > 2 else None
    if name not in PRODUCTS or min(each.dim() for each in factors) < 3:
        return None
    lead = "abc"[: max(each.dim() for each in factors) - 2]
    first, second = (lead[len(lead) + 2 - each.dim() :] for each in factors)
    return first + "ij", second + "jk", lead + "ik"


def scores(factors, first, second, out):
    """Return q·k of two factors, if each has one axis of its own, and one is summed over."""
    left, right, rest = set(first), set(second), set(out)
    if [len(left & rest - right), len(right & rest - left), len(left & right - rest)] != [1, 1, 1]:
        return None
    lead = "".join(each for each in out if each in left & right)
    names = dict(zip(lead, "ABC", strict=False)) | dict.fromkeys(left & right - rest, "d")
    names |= dict.fromkeys(left - right, "n") | dict.fromkeys(right - left, "m")
    first, second, out = ("".join(names[each] for each in every) for every in (first, second, out))
    q, k = ordered(factors[0], first, "ABCnd"), ordered(factors[1], second, "ABCmd")
    return {"q": q, "k": k, "axes": out, "over": ""}


def ordered(tensor, axes, wanted):
    """Return a tensor with its axes in another order."""
    return tensor.permute([axes.index(each) for each in wanted if each in axes])


def again(func, others, args, options):
    """Return what a function returns of other tensors in place of some."""
    more = {name: others.get(id(each), each) for name, each in options.items()}
    return func(*(others.get(id(each), each) for each in args), **more)


@contextmanager
def capture(path):
    """Capture each attention within a ``with`` block: layers 0, 1, 2 … in their order."""
    watch, original = Watch(), Module.__call__

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
