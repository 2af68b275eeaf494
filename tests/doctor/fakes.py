"""Diagnoses made by hand."""

from dataclasses import dataclass
from math import exp, log, sqrt
from typing import Any

from scipy.stats import t as student

from attn_tui.compute.fit.diagnosis import Diagnosis, Interval, Temperature
from attn_tui.compute.heads.mask import HeadMask


@dataclass(frozen=True)
class Straight:
    """A number with a standard error."""

    value: float
    error: float
    df: float = 31.0

    def at(self, confidence: float = 0.95) -> Interval:
        by = self.error * float(student.isf((1.0 - confidence) / 2.0, self.df))
        return Interval(self.value, self.value - by, self.value + by)


@dataclass(frozen=True)
class Log:
    """A multiplier, of whose logarithm the error is known."""

    value: float
    error: float
    df: float = 31.0

    def at(self, confidence: float = 0.95) -> Interval:
        by = self.error * float(student.isf((1.0 - confidence) / 2.0, self.df))
        return Interval(self.value, self.value * exp(-by), self.value * exp(by))


@dataclass(frozen=True)
class Cap:
    """A cap, of whose g = 1/cap² the error is known."""

    g: float
    error: float
    df: float = 31.0

    def at(self, confidence: float = 0.95) -> Interval:
        by = self.error * float(student.isf((1.0 - confidence) / 2.0, self.df))
        least, most = self.g - by, self.g + by
        low = 1.0 / sqrt(most) if most > 0.0 else None
        high = 1.0 / sqrt(least) if least > 0.0 else None
        shown = self.g > 0.0 and high is not None
        return Interval(1.0 / sqrt(self.g) if shown else None, low, high)


@dataclass(frozen=True)
class Sink:
    """A sink, of whose e^b the error is known."""

    e_b: float
    error: float
    df: float = 31.0

    def at(self, confidence: float = 0.95) -> Interval:
        by = self.error * float(student.isf((1.0 - confidence) / 2.0, self.df))
        least, most = self.e_b - by, self.e_b + by
        high = log(most) if most > 0.0 else None
        low = log(least) if least > 0.0 else None
        return Interval(log(self.e_b) if low is not None else None, low, high)


def diagnosis(m: float = 0.125, **changes: Any) -> Diagnosis:
    """A plain causal head with m, as it is found."""
    given: dict[str, Any] = {
        "multiplier": Log(m, 1e-4),
        "value_scale": Straight(1.0, 1e-4),
        "softcap": Cap(0.0, 1e-6),
        "sink": Sink(0.0, 1e-4),
        "mask": HeadMask("causal"),
        "window": None,
        "temperature": Temperature("constant"),
        "residual": 2e-3,
        "rounding": {"float32": 1.7e-3, "flash": 2e-3, "eager": 4e-3},
        "path": "flash",
        "fits": True,
        "used": (0, 10, 20, 31),
        "keys": (1, 32),
    }
    return Diagnosis(**(given | changes))
