"""The fields of a draw: what they are called, how they are shown and what arrows do to them."""

from dataclasses import dataclass, replace
from math import ceil, floor, log10
from typing import get_args

from attn_tui.compute.dots.answer import MOST_SAMPLES, Settings
from attn_tui.compute.law.entries import Entries
from attn_tui.report.numbers import general


@dataclass(frozen=True)
class Field:
    """A field of the settings.

    Attributes:
        name: Its name there.
        label: What it is called.
        key: The key that asks for it.
    """

    name: str
    label: str
    key: str


FIELDS = (
    Field("entries", "entries", "e"),
    Field("samples", "samples", "n"),
    Field("seed", "seed", "s"),
    Field("tied", "components", "T"),
    Field("correlation", "ρ(q_i, k_i)", "c"),
    Field("mean_q", "μ_q", "m"),
    Field("mean_k", "μ_k", "M"),
)

LABELS = {field.name: field.label for field in FIELDS}

ENTRIES: dict[Entries, str] = {
    "normal": "normal",
    "uniform": "uniform",
    "coins": "±1 coins",
    "die": "die 1–6",
}
"""Laws of entries in a word or two."""

STEP = 0.1
"""What an arrow adds to ρ or to a shift."""


def shown(settings: Settings, name: str) -> str:
    """Return the value of a field as the screen shows it."""
    value = getattr(settings, name)
    if name == "entries":
        return ENTRIES[settings.entries]
    if name == "tied":
        return "tied" if settings.tied else "independent"
    return f"{value:,}" if isinstance(value, int) and name == "samples" else general(value, 12)


def stepped(settings: Settings, name: str, steps: int) -> Settings:
    """Return settings with a field one or more steps further, as far as it goes."""
    if name == "entries":
        names: tuple[Entries, ...] = get_args(Entries)
        at = (names.index(settings.entries) + steps) % len(names)
        return replace(settings, entries=names[at])
    if name == "tied":
        return replace(settings, tied=not settings.tied)
    if name == "samples":
        power = log10(settings.samples)
        power = floor(power + 1e-9) + steps if steps > 0 else ceil(power - 1e-9) + steps
        return replace(settings, samples=min(10 ** max(power, 0), MOST_SAMPLES))
    if name == "seed":
        return replace(settings, seed=min(max(settings.seed + steps, 0), 2**63 - 1))
    value = round(getattr(settings, name) + steps * STEP, 10)
    most = 1.0 if name == "correlation" else 1e6
    return replace(settings, **{name: min(max(value, -most), most) + 0.0})
