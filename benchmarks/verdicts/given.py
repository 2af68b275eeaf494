"""Heads of trained models, and captures of models at random weights, as scripts wrote them."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.verdicts.arithmetic import Attention
from benchmarks.verdicts.case import AGREES, Case
from benchmarks.verdicts.heads import EVERYWHERE, Heads, Layer

NAMES = {
    "minilm": "MiniLM", "minilm-padded": "MiniLM, padded", "albert": "ALBERT",
    "recogniser": "recogniser of text",
}  # fmt: skip
"""Models by file."""


def models(folder: Path, layers: int | None = None) -> Iterator[Heads]:
    """Yield the models in a folder.

    Args:
        folder: With .npz and .json files.
        layers: So many, evenly through each model; None is all.
    """
    for file, kind in NAMES.items():
        path = folder / f"{file}.npz"
        if not path.exists():
            continue
        with np.load(path) as found:
            tensors = dict(found)
        config = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        count = sum(name.endswith(".q") for name in tensors)
        chosen = range(count)
        if layers is not None and layers < count:
            chosen = range(0, count, count // layers)[:layers]
        visible = tensors.get("visible")
        padded = visible is not None and not visible.all()
        whole = visible[:, None, None] if visible is not None and padded else None
        made = []
        for number in chosen:
            q, k, v = (tensors[f"{number}.{part}"] for part in "qkv")
            how = Attention(q.shape[-1] ** -0.5, causal=False)
            seen = {} if whole is None else {"mask": np.repeat(whole, q.shape[2], axis=2)}
            made.append(Layer(q, k, v, how, whole, seen))
        config = {**config, "num_hidden_layers": len(made)}
        faults = (*EVERYWHERE, "padding mask dropped") if padded else EVERYWHERE
        yield Heads(kind, made, config, trained=True, faults=faults)


def captures(folder: Path) -> Iterator[Case]:
    """Yield the captures that ``benchmarks.verdicts.architectures`` wrote into a folder."""
    for path in sorted(folder.glob("*/capture.safetensors")):
        kind = "transformers at random weights"
        yield Case(kind, "healthy", "float32", "eager", AGREES, {}, {}, source=path)
