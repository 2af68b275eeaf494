"""Writes q, k, v, bias and out of attention that is made of matmul, softmax and matmul.

Such are bloom, falcon, gptj, gpt_neo and mpt of transformers, with attn_implementation="eager", and
most teaching codes. Around one forward pass in eval mode; what it returns stays the same:

    with capture("capture.safetensors"):
        model(**tokenizer("The quick brown fox", return_tensors="pt"))

Then: attn-tui doctor capture.safetensors --config config.json
"""

from contextlib import contextmanager

from safetensors.torch import save_file
from torch import is_tensor, zeros_like
from torch.overrides import TorchFunctionMode

PRODUCTS = ("matmul", "__matmul__", "bmm", "baddbmm")


class Watch(TorchFunctionMode):
    """Follows q·k to softmax and out; what is made of q·k = 0 on the way is the bias, and masks."""

    def __init__(self):
        super().__init__()
        self.tensors, self.followed, self.layers = {}, {}, 0

    def __torch_function__(self, func, types, args=(), options=None):
        name, options = func.__name__, options or {}
        given = [each for each in (*args, *options.values()) if is_tensor(each)]
        found = next((self.followed[id(each)] for each in given if id(each) in self.followed), None)
        is_product = name in PRODUCTS and min(each.dim() for each in given[-2:]) > 2
        if name == "__get__" or not (found or is_product):
            return func(*args, **options)
        _, q, k, bias, is_weights = found or (None, *given[-2:], None, False)
        if is_product and not is_weights:
            q, k = given[-2], given[-1].transpose(-1, -2)
            bias = again(func, {id(q): zeros_like(q)}, args, options)
        elif name != "softmax" and not is_weights:
            shadows = {key: each[3] for key, each in self.followed.items()}
            bias = again(func, shadows, args, options)  # first, since func may work in place
        out = func(*args, **options)
        if is_product and is_weights:
            self.keep({"q": q, "k": k, "v": given[-1], "out": out}, bias)
        elif is_tensor(out):
            self.followed[id(out)] = (out, q, k, bias, is_weights or name == "softmax")
        return out

    def keep(self, found, bias):
        """Keep a layer, with four axes."""
        batch = bias.shape[0] if bias.dim() > 3 else 1
        if bias.any():
            found["bias"] = bias
        for name, tensor in found.items():
            copy = tensor.detach().cpu().clone().contiguous()
            self.tensors[f"{self.layers}.{name}"] = copy.reshape(batch, -1, *copy.shape[-2:])
        self.followed, self.layers = {}, self.layers + 1


def again(func, others, args, options):
    """Return what a function returns of other tensors in place of some."""
    more = {name: others.get(id(each), each) for name, each in options.items()}
    return func(*(others.get(id(each), each) for each in args), **more)


@contextmanager
def capture(path):
    """Capture each attention within a ``with`` block: layers 0, 1, 2 … in their order."""
    with Watch() as watch:
        yield
    if not watch.layers:
        raise RuntimeError("no softmax stood between two products of matmul, @ or bmm")
    save_file(watch.tensors, path, {"layout": "bhnd"})
