"""Writes q, k, v and out of llama.cpp's attention into one file, by its evaluation callback.

On a processor, without flash attention, of one batch; `seen` has to live as long as the context:

    seen = Seen()
    parameters.cb_eval, parameters.flash_attn = seen.callback, False  # llama_context_params
    llama_cpp.llama_decode(context, batch)
    seen.save("capture.safetensors")

Then: attn-tui doctor capture.safetensors --config model.gguf
"""

import ctypes

import numpy as np
from safetensors.numpy import save_file

TYPES = {0: np.float32, 1: np.float16}
SOURCES = 10


class GgmlTensor(ctypes.Structure):
    """The ggml_tensor of ggml.h: axes from the one that changes first."""


Pointer = ctypes.POINTER(GgmlTensor)
GgmlTensor._fields_ = [
    ("type", ctypes.c_int), ("buffer", ctypes.c_void_p),
    ("ne", ctypes.c_int64 * 4), ("nb", ctypes.c_size_t * 4),
    ("op", ctypes.c_int), ("op_params", ctypes.c_float * 16), ("flags", ctypes.c_int32),
    ("src", Pointer * SOURCES), ("view_src", Pointer), ("view_offs", ctypes.c_size_t),
    ("data", ctypes.c_void_p), ("name", ctypes.c_char * 64), ("extra", ctypes.c_void_p),
]  # fmt: skip
Callback = ctypes.CFUNCTYPE(ctypes.c_bool, Pointer, ctypes.c_bool, ctypes.c_void_p)


def numbers(tensor):
    """Return a copy of a tensor's numbers, the axis that changes first last."""
    kind, lengths, steps = TYPES[tensor.type], tensor.ne[::-1], tensor.nb[::-1]
    size = sum((n - 1) * step for n, step in zip(lengths, steps, strict=True)) + kind().itemsize
    data = ctypes.string_at(tensor.data, size)
    return np.ascontiguousarray(np.ndarray(lengths, kind, data, 0, steps))


class Seen:
    """What the callback has seen: kq is k by q, kq_soft_max has scale and mask, kqv is v by it."""

    def __init__(self):
        self.tensors, self.claims, self.callback = {}, {"layout": "bhnd"}, Callback(self.see)

    def see(self, pointer, ask, _):
        """Say which tensors are wanted, and keep them once they are computed."""
        tensor = pointer.contents
        name, _, layer = tensor.name.decode().partition("-")
        if ask or name not in ("kq", "kq_soft_max", "kqv"):
            return name in ("kq", "kq_soft_max", "kqv")
        source = [each.contents for each in tensor.src[:2] if each]
        if name == "kq":
            self.tensors[f"{layer}.k"], self.tensors[f"{layer}.q"] = map(numbers, source)
        elif name == "kqv":  # V is stored transposed
            self.tensors[f"{layer}.v"] = np.ascontiguousarray(numbers(source[0]).swapaxes(-1, -2))
            self.tensors[f"{layer}.out"] = numbers(tensor)
        else:
            self.claims[f"{layer}.scale"] = str(tensor.op_params[0])
            self.claims[f"{layer}.max_bias"] = str(tensor.op_params[1])
            rows = tensor.ne[1]  # a mask may be padded to more
            if len(source) > 1:
                self.tensors[f"{layer}.mask"] = numbers(source[1])[..., :rows, :]
        return True

    def save(self, path):
        """Write what was seen."""
        if not self.tensors:
            raise RuntimeError("no kq was seen: is flash attention off?")
        if any(float(self.claims[name]) for name in self.claims if name.endswith("max_bias")):
            raise RuntimeError("ALiBi is added to logits, and this does not capture it")
        whole = {name: np.ascontiguousarray(each) for name, each in self.tensors.items()}
        save_file(whole, path, self.claims)
