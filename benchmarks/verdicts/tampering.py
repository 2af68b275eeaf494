"""Faults put into captures of models: another m, cap, sink or mask than config.json promises.

    python -m benchmarks.verdicts.tampering FOLDER

FOLDER is one that ``benchmarks.verdicts.architectures`` wrote. Healthy captures of classes that we
know have to agree, and those with a fault to differ; the status is 1 if one does not.
"""

import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.capture import Capture
from attn_tui.captures.stored import Stored
from attn_tui.captures.writer import write_safetensors
from attn_tui.compute.heads.head_model import LEARNED
from attn_tui.files.models.opening import open_configured
from attn_tui.files.models.promise import NONE, Expectation, Promise
from benchmarks.verdicts.promise import Agreement, agreements, promised_output
from benchmarks.verdicts.proof.doctor import asked

LEAST = 0.05
"""The least spread of logits with which another m has to show."""

LARGEST = 1e-4
"""The largest error of a layer that agrees."""


def faults(promise: Promise) -> Iterator[tuple[str, Promise]]:
    """Yield the faults that a promise allows, by name."""
    assert promise.multiplier is not None
    yield "m doubled", replace(promise, multiplier=2.0 * promise.multiplier)
    if promise.softcap != NONE:
        yield "cap dropped", replace(promise, softcap=NONE)
    if promise.sink == LEARNED:
        yield "sink dropped", replace(promise, sink=NONE)
    if promise.mask_varies:
        return
    if promise.mask == "none":
        yield "causal in an encoder", replace(promise, mask="causal", window=None)
    elif promise.window is not None:
        # Over both sides, one more key to each.
        step = 2 if promise.mask == "local" else 1
        yield "window longer by one", replace(promise, window=promise.window + step)
        yield "window dropped", replace(promise, mask="causal", window=None)
    elif promise.chunk is not None:
        yield "chunk dropped", replace(promise, chunk=None)
    else:
        yield "not causal", replace(promise, mask="none")


def tampered(capture: Capture, expectation: Expectation, fault: str, path: Path) -> bool:
    """Write a capture whose output has a fault in every layer that allows it.

    Returns:
        Whether any layer does.
    """
    tensors, is_changed = {}, False
    for layer in capture.layers:
        heads = [head for head in capture.heads if head.layer == layer]
        promise = expectation.of(layer, capture.shape(heads[0]).d_k)
        faulty = dict(faults(promise)).get(fault, promise)
        is_changed |= faulty != promise
        outputs = [promised_output(capture.read(head), faulty, head.head) for head in heads]
        batch = capture.readings(layer)[0].dims.batch
        stacked = np.stack(outputs).astype(np.float32)
        tensors[f"{layer}.out"] = stacked.reshape(batch, -1, *stacked.shape[1:])
        for part, tensor in capture.tensors(layer).items():
            if part != "out":
                tensors[f"{layer}.{part}"] = _array(tensor.pieces[0])
    calls = {name: str(value) for name, value in capture.config.items() if _is_of_layer(name)}
    write_safetensors(path, tensors, {**calls, "layout": "bhnd"})
    return is_changed


def _array(stored: Stored) -> NDArray[Any]:
    lead, last = stored.shape[:-2], (slice(None),) * len(stored.shape[-2:])
    parts = [stored.take((*index, *last)) for index in np.ndindex(*lead)]
    return np.stack(parts).reshape(stored.shape)


def _is_of_layer(name: str) -> bool:
    return re.match(r"[0-9]+\.(module|config)$", name) is not None


def is_sound(layers: list[Agreement]) -> bool:
    """Return whether all layers are promised all parts, agree, and have rows that are not flat."""
    return all(
        layer.stated and layer.error < LARGEST and layer.spread > LEAST for layer in layers
    ) and bool(layers)


def verdicts(folder: Path, place: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the faults of a capture, and what the doctor says of each; the first is none."""
    if not is_sound([*agreements(folder)]):
        return
    answer = asked(folder)
    yield "healthy", answer.verdict, answer.why
    opened = open_configured(
        [str(folder / "capture.safetensors")], config=str(folder / "config.json")
    )
    assert opened.expectation is not None
    copyfile(folder / "config.json", place / "config.json")
    names: dict[str, None] = {}
    for layer in opened.capture.layers:
        head = next(head for head in opened.capture.heads if head.layer == layer)
        d_k = opened.capture.shape(head).d_k
        names |= dict.fromkeys(name for name, _ in faults(opened.expectation.of(layer, d_k)))
    for name in names:
        if tampered(opened.capture, opened.expectation, name, place / "capture.safetensors"):
            answer = asked(place, causes=True)
            yield name, answer.verdict, answer.why


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True))
@click.option("--only", multiple=True, help="A model type, or a variant.")
@click.option("--sample", type=int, help="How many captures to draw.")
@click.option("--seed", type=int, default=0, help="The seed of the draw.")
def main(folder: Path, only: tuple[str, ...], sample: int | None, seed: int) -> None:
    """Judge the captures in FOLDER, and those with faults."""
    counts: Counter[tuple[str, str]] = Counter()
    wrong = 0
    paths = sorted(folder.glob("*/capture.safetensors"))
    paths = [path for path in paths if not only or path.parent.name in only]
    if sample is not None:
        paths = random.Random(seed).sample(paths, min(sample, len(paths)))
    for path in paths:
        with TemporaryDirectory() as place:
            for fault, verdict, why in verdicts(path.parent, Path(place)):
                counts[fault, verdict] += 1
                if verdict != ("agrees" if fault == "healthy" else "differs"):
                    wrong += 1
                    click.echo(f"{path.parent.name}, {fault}: {why[:200]}")
                    sys.stdout.flush()
    for (fault, verdict), count in sorted(counts.items()):
        click.echo(f"{fault:24} {verdict:16} {count}")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
