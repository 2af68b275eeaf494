"""One capture whose fault is known: its tensors, its configuration, and what is right to say."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.writer import write_safetensors
from benchmarks.verdicts.arithmetic import DTYPES

Tensors = dict[str, NDArray[Any]]


_SIGNS = {"×": "times ", "÷": "over ", "+": "plus ", "−": "minus ", "√": "root "}
"""Words for signs in names of folders, where two faults would else have one."""


@dataclass(frozen=True)
class Right:
    """What the doctor should say.

    Attributes:
        verdict: ``agrees``, ``differs``, ``no model`` or ``assumes``.
        parts: What differs, as JSON names it, one of these sets.
        multiplier: m, where that differs.
        suspect: A word for the cause where no model has it: one of `SUSPECTS` in `judge`.
    """

    verdict: str
    parts: tuple[frozenset[str], ...] = ()
    multiplier: float | None = None
    suspect: str = ""

    @property
    def text(self) -> str:
        """In words."""
        parts = " or ".join(" and ".join(sorted(each)) for each in self.parts)
        m = "" if self.multiplier is None else f" (m = {self.multiplier:.6g})"
        cause = f", or no model: {self.suspect}" if self.suspect else ""
        return " ".join(filter(None, [self.verdict, parts])) + m + cause


AGREES = Right("agrees")
NOTHING = Right("no model")
ASSUMES = Right("assumes")


def differs(*parts: str, multiplier: float | None = None, suspect: str = "") -> Right:
    """Return that these parts differ."""
    return Right("differs", (frozenset(parts),), multiplier, suspect)


@dataclass(frozen=True, eq=False)
class Case:
    """A capture.

    Attributes:
        kind: The row of the table it is counted in.
        fault: What is wrong, or ``healthy``.
        dtype: Of its tensors.
        path: Where it was rounded.
        right: What is right to say.
        tensors: By name, in float32 where they are numbers.
        config: What config.json says.
        trained: Whether q, k and v are a trained model's.
        layout: The axes of tensors, as the metadata say.
        options: More arguments of the command.
        source: A capture with its config.json beside, which is taken in place of the tensors.
    """

    kind: str
    fault: str
    dtype: str
    path: str
    right: Right
    tensors: Tensors
    config: Mapping[str, Any]
    trained: bool = False
    layout: str = "bhnd"
    options: tuple[str, ...] = ()
    source: Path | None = None

    @property
    def name(self) -> str:
        """Of its folder."""
        own = "" if self.source is None else self.source.parent.name
        words = f"{self.kind} {own} {self.fault} {self.dtype} {self.path}"
        for sign, word in _SIGNS.items():
            words = words.replace(sign, word)
        return "-".join("".join(c if c.isalnum() else " " for c in words).split()).lower()

    def write(self, folder: Path) -> list[str]:
        """Write it into a folder of its own, and return the arguments of the command."""
        at = folder / self.name
        at.mkdir(parents=True, exist_ok=True)
        capture, config = at / "capture.safetensors", at / "config.json"
        if self.source is not None:
            capture.write_bytes(self.source.read_bytes())
            config.write_bytes(self.source.with_name("config.json").read_bytes())
        else:
            self._write(capture, config)
        command = ["doctor", str(capture), "--config", str(config), *self.options]
        about = f"attn-tui {' '.join(command)}\nright: {self.right.text}\n"
        (at / "right.txt").write_text(about, encoding="utf-8")
        return command

    def _write(self, capture: Path, config: Path) -> None:
        dtype = DTYPES[self.dtype]
        tensors = {
            name: each.astype(dtype) if each.dtype == np.float32 else each
            for name, each in self.tensors.items()
        }
        write_safetensors(capture, tensors, {"layout": self.layout})
        config.write_text(json.dumps(dict(self.config)), encoding="utf-8")
