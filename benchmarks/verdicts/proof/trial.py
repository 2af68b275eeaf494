"""One draw: a promise, a fault and a format, written as a capture, and the verdict on it."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from attn_tui.captures.writer import write_safetensors
from benchmarks.verdicts.proof.arithmetic import (
    ARITHMETICS,
    Arithmetic,
    Computation,
    Reals,
    exact,
    inside,
)
from benchmarks.verdicts.proof.doctor import Answer
from benchmarks.verdicts.proof.faults import FAULTS, Fault, Tampering
from benchmarks.verdicts.proof.oracle import Judgement, judge
from benchmarks.verdicts.proof.promise import Promise, Setting, draw_promise, draw_setting

Ask = Callable[[Path], Answer]
"""Asks the doctor about the capture in a folder."""


@dataclass(frozen=True, eq=False)
class Draw:
    """A capture that was drawn.

    Attributes:
        seed: Of the draw.
        fault: What was done.
        setting: What is promised.
        arithmetic: The name of the arithmetic that computed the output.
        tensors: What is captured, by name.
        metadata: Of the capture.
        judgement: What the oracle says.
    """

    seed: int
    fault: Fault
    setting: Setting
    arithmetic: str
    tensors: dict[str, NDArray[Any]]
    metadata: dict[str, str]
    judgement: Judgement

    def write(self, folder: Path) -> None:
        """Write the capture and its configuration into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        write_safetensors(folder / "capture.safetensors", self.tensors, self.metadata)
        config = json.dumps(dict(self.setting.config))
        (folder / "config.json").write_text(config, encoding="utf-8")


@dataclass(frozen=True)
class Trial:
    """What the oracle and the doctor say of a draw.

    Attributes:
        seed: Of the draw.
        fault: The name of the fault.
        setting: What is promised, in words.
        arithmetic: The name of the arithmetic that computed the output.
        judgement: What the oracle says.
        answer: What the doctor says.
        seconds: How long the doctor took.
        format: The name of the number format.
        held: For each interval of m whether it holds the promised one.
    """

    seed: int
    fault: str
    setting: str
    arithmetic: str
    judgement: Judgement
    answer: Answer
    seconds: float
    format: str = ""
    held: tuple[bool, ...] = ()

    @property
    def kind(self) -> str:
        """The fault, wherever it was captured."""
        return kind_of(self.fault)

    @property
    def is_judged(self) -> bool:
        """Whether something is required of the doctor."""
        return self.judgement.finding in ("honest", "wrong", "call")

    @property
    def violation(self) -> str:
        """Why the doctor is wrong, or an empty text."""
        finding, answer = self.judgement.finding, self.answer
        if answer.verdict == "crashed":
            return "the doctor crashed"
        if finding == "wrong" and (answer.verdict == "agrees" or answer.status == 0):
            return f"a wrong output passes ({self.judgement.times:.3g} times honest errors)"
        if finding == "honest" and answer.verdict != "agrees":
            return "an honest output is refused"
        if finding == "call" and answer.verdict != "differs":
            return "a wrong call passes"
        return ""

    @property
    def line(self) -> str:
        """In a line: the seed, the fault, what is wrong, the answer, and what was drawn."""
        answer = f"{self.answer.verdict} (status {self.answer.status}): {self.answer.why}"
        return (
            f"seed {self.seed}: {self.fault}: {self.violation or self.judgement.finding} | "
            f"{answer} | {self.setting}, {self.arithmetic}"
        )


def kind_of(fault: str) -> str:
    """Return the name of a fault without the words on where it was captured."""
    for mode in (", not captured", ", captured", ", not applied"):
        fault = fault.removesuffix(mode)
    return fault


def draw(seed: int, only: Sequence[str] = ()) -> Draw:
    """Return the capture of a seed, and what the oracle says of it.

    Args:
        seed: The seed.
        only: Words of which one is in the name of the fault; empty for all faults.
    """
    rng = np.random.default_rng(seed)
    faults = [fault for fault in FAULTS if not only or any(word in fault.name for word in only)]
    shares = np.array([fault.share for fault in faults])
    fault = faults[rng.choice(len(faults), p=shares / shares.sum())]
    promise, tampering = _tampered(rng, fault)
    with np.errstate(all="ignore"):
        name, outputs = computed(rng, promise, tampering)
        judgement = judge(promise, fault, tampering, outputs)
    tensors = _tensors(rng, promise, tampering, outputs)
    metadata = {"layout": "bhnd"}
    for layer in range(len(promise.layers)):
        metadata |= {f"{layer}.{part}": text for part, text in tampering.call.items()}
    return Draw(seed, fault, promise.setting, name, tensors, metadata, judgement)


def _tampered(rng: Generator, fault: Fault) -> tuple[Promise, Tampering]:
    """Return a promise in which a fault is possible, and what it does to it."""
    while True:
        setting = draw_setting(rng)
        if not fault.suits(setting):
            continue
        promise = draw_promise(rng, setting)
        tampering = fault.tamper(promise, rng)
        if tampering is not None:
            return promise, tampering


def computed(
    rng: Generator, promise: Promise, tampering: Tampering
) -> tuple[str, tuple[Reals, ...]]:
    """Return the name of an arithmetic drawn at random, and the output of each layer.

    Args:
        rng: Draws the arithmetic, and what it returns of rows that see no key.
        promise: What is promised.
        tampering: What the output is computed from.
    """
    setting = promise.setting
    choices: dict[str, Arithmetic] = dict(ARITHMETICS)
    if setting.format.output == "float64":
        choices["float64"] = exact
    name = [*choices][rng.integers(len(choices))]
    hidden_rows = int(rng.integers(3))

    def compute(layer: Computation) -> Reals:
        arithmetic = inside if layer.over_queries and name != "float64" else choices[name]
        return _with_hidden_rows(arithmetic(layer, setting.format), layer, hidden_rows)

    outputs = []
    for layer, tampered in zip(promise.layers, tampering.layers, strict=True):
        out = compute(tampered)
        if tampering.selected is not None:
            out = np.where(tampering.selected, out, compute(layer))
        out = setting.format.stored_output(tampering.ending(out))
        outputs.append(out)
    return name, tuple(outputs)


def _with_hidden_rows(out: Reals, layer: Computation, kind: int) -> Reals:
    """Return an output whose rows that see no key are 0, NaN or the mean of V, as kernels do."""
    if layer.over_queries:
        return np.asarray(np.nan_to_num(out))
    mean = layer.head_values.mean(axis=-2, keepdims=True)
    fills: Sequence[Reals] = (np.zeros_like(mean), np.full_like(mean, np.nan), mean)
    seen = layer.seen.any(axis=-1, keepdims=True)
    if layer.sinks is not None:
        return np.where(seen, out, 0)
    return np.where(seen, out, fills[kind])


def _tensors(
    rng: Generator, promise: Promise, tampering: Tampering, outputs: Sequence[Reals]
) -> dict[str, NDArray[Any]]:
    setting, tensors = promise.setting, dict[str, NDArray[Any]]()
    fill = tampering.fill
    if fill is None and rng.random() < 0.5:
        fill = _fill(rng, setting)
    for number, layer in enumerate(promise.layers):
        parts: dict[str, NDArray[Any]] = {
            "q": layer.queries, "k": layer.keys, "v": layer.values,
        }  # fmt: skip
        if layer.sinks is not None:
            parts["sink"] = layer.sinks.reshape(-1)
        if tampering.biases:
            parts["bias"] = tampering.biases[number][None]
        for part, values in parts.items():
            tensors[f"{number}.{part}"] = setting.format.tensor(values)
        tensors[f"{number}.out"] = outputs[number]
        mask = tampering.masks[number]
        if mask is not None:
            is_promised = bool((mask == layer.seen).all()) and tampering.fill is None
            tensors[f"{number}.mask"] = _mask(setting, mask, is_promised, fill)
    return tensors


def _fill(rng: Generator, setting: Setting) -> float:
    """Return what an additive mask adds to hidden keys."""
    finfo: Callable[..., Any] = ml_dtypes.finfo
    least = float(finfo(setting.format.tensor(np.zeros(1)).dtype).min)
    return float(rng.choice([-np.inf, least, -10_000.0]))


def _mask(
    setting: Setting, seen: NDArray[np.bool_], is_promised: bool, fill: float | None
) -> NDArray[Any]:
    """Return a captured mask: one row for all queries where that is asked, true or added."""
    if is_promised and setting.mask_form == "one row":
        keys = np.arange(setting.keys)
        rows = [(keys >= a) & (keys < setting.keys - b) for a, b in setting.paddings]
        seen = np.stack(rows)[:, None, None]
    if fill is None:
        return seen
    return setting.format.tensor(np.where(seen, np.float32(0), np.float32(fill)))
