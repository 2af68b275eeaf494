"""Small captures to try the doctor on: one of a sound model, others with faults met in practice."""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.writer import write_safetensors
from attn_tui.compute.arrays import dtype_of, rounded
from attn_tui.compute.fit.head import Path as Rounded
from attn_tui.compute.fit.simulate import CAUSAL, Arithmetic, computed
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows

POSITIONS, HEADS = 96, 4
FORMAT = "bfloat16"

Tensors = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Demo:
    """A capture and the configuration of its model.

    Attributes:
        name: The name of its folder.
        about: What is wrong with it, in a sentence.
        says: The beginning of the doctor's verdict.
        config: The fields of its config.json.
        m: The multiplier of each layer.
        status: The exit status of the doctor.
        d_k: The length of queries and keys.
        d_v: The length of values.
        std: The standard deviation of the logits of each head, if m is 1/√d_k.
        kv_heads: The KV head of each query head.
        causal: Whether the causal mask is applied.
        softmaxes: How often softmax is taken.
        value_scale: What the output is multiplied by.
        floor: How many positions in a row share a temperature of Llama 4; None for no temperature.
        path: Where the arithmetic rounds.
        sink: The logit of the captured sink, or None.
        projected: Whether the output was taken after the output projection.
    """

    name: str
    about: str
    says: str
    config: Mapping[str, Any]
    m: Sequence[float]
    status: int = 1
    d_k: int = 64
    d_v: int = 64
    std: Sequence[float] = (0.7, 1.0, 1.5, 2.0)
    kv_heads: Sequence[int] = (0, 0, 1, 1)
    causal: bool = True
    softmaxes: int = 1
    value_scale: float = 1.0
    floor: int | None = None
    path: Rounded = "flash"
    sink: float | None = None
    projected: bool = False

    def arithmetic(self, layer: int) -> Arithmetic:
        """Return how a layer computes its output."""
        m: float | NDArray[np.float64] = self.m[layer]
        if self.floor is not None:
            floors = np.floor((np.arange(POSITIONS) + 1.0) / self.floor)
            m *= 1.0 + 0.1 * np.log(floors + 1.0)
        mask = CAUSAL if self.causal else HeadMask()
        return Arithmetic(m, self.value_scale, mask=mask, path=self.path, softmaxes=self.softmaxes)


@cache
def demos() -> tuple[Demo, ...]:
    """Return a sound demo, then one for each fault; read once, since the palette lists them."""
    document = tomllib.loads(files("attn_tui.captures").joinpath("demos.toml").read_text("utf-8"))
    models = document["model"]
    return tuple(
        Demo(config=models[table.pop("model")] | table.pop("config", {}), **table)
        for table in document["demo"]
    )


def tensors_of(demo: Demo) -> Tensors:
    """Return the tensors of a demo by name, laid out like those of transformers."""
    tensors: Tensors = {}
    for layer in range(len(demo.m)):
        for name, values in _layer(demo, layer).items():
            tensors[f"{layer}.{name}"] = values.astype(dtype_of(FORMAT))
    return tensors


def _layer(demo: Demo, layer: int) -> Tensors:
    rng = np.random.default_rng([layer, demo.d_k])
    kv_heads = 1 + max(demo.kv_heads)

    def drawn(heads: int, length: int) -> NDArray[Any]:
        values = rng.standard_normal((heads, POSITIONS, length), np.float32)
        return np.asarray(rounded(values, FORMAT))

    stds = np.array(demo.std, np.float32)[:, None, None]
    q = rounded(drawn(HEADS, demo.d_k) * stds, FORMAT)
    k, v = drawn(kv_heads, demo.d_k), drawn(kv_heads, demo.d_v)
    outputs = []
    for kv_head, head in zip(demo.kv_heads, range(HEADS), strict=True):
        rows = HeadRows(np.arange(POSITIONS), POSITIONS, q[head], k[kv_head], v[kv_head])
        outputs.append(computed(rows, demo.arithmetic(layer)).output)
    out = np.stack([output for output in outputs if output is not None], 1)
    if demo.projected:
        width = HEADS * demo.d_v
        mixed = out.reshape(POSITIONS, width) @ rng.standard_normal((width, width), np.float32)
        out = (mixed / sqrt(width)).reshape(out.shape)
    tensors = {"q": q[None], "k": k[None], "v": v[None], "out": out[None]}
    return tensors if demo.sink is None else {**tensors, "sink": np.full(HEADS, demo.sink)}


def write_demo(folder: Path, demo: Demo) -> Path:
    """Write a demo into a folder of its own within a folder, and return the path of its capture.

    Raises:
        OSError: If a file cannot be written.
    """
    target = folder / demo.name
    target.mkdir(parents=True, exist_ok=True)
    capture = target / "capture.safetensors"
    write_safetensors(capture, tensors_of(demo), {"layout": "out=bnhd"})
    (target / "config.json").write_text(json.dumps(demo.config, indent=2) + "\n", "utf-8")
    return capture


def write_demos(folder: Path) -> Iterator[Demo]:
    """Write each demo into a folder of its own, and yield it; README.txt is written last.

    Raises:
        OSError: If a file cannot be written.
    """
    for demo in demos():
        write_demo(folder, demo)
        yield demo
    (folder / README).write_text(readme(), "utf-8")


def readme() -> str:
    """Return the text of README.txt: the commands to try, and what the doctor says."""
    return _BEGINNING + "\n".join(
        f"{demo.name}: {demo.about}\n"
        f"    attn-tui doctor {demo.name}/capture.safetensors --config {demo.name}\n"
        f"    {demo.says} …\n"
        for demo in demos()
    )


README = "README.txt"
_BEGINNING = f"""\
Captures of small models with random weights: what attention was given and what it returned, in
{FORMAT} as a flash kernel rounds, {POSITIONS} positions each. The first is in order, each other
has a fault that somebody met. Beside each stands what its model should do, config.json. In this
folder:

"""
