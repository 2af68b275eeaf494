"""How dark each statistic of a head is: fixed sizes with a meaning, never relative to a capture."""

from dataclasses import dataclass
from math import exp

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.glyphs import ABOVE, BELOW, SHADES
from attn_tui.compute.heads.statistic import SATURATED, SHARES
from attn_tui.report.heads.values import brief
from attn_tui.report.numbers import general
from attn_tui.report.rows import Row

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Scale:
    """From which value on a head has each shade.

    Attributes:
        steps: Four values: rising where more is darker, else falling.
    """

    steps: tuple[float, float, float, float]

    @property
    def falls(self) -> bool:
        """Whether less is darker."""
        return self.steps[0] > self.steps[-1]

    def shade(self, value: float) -> int:
        """Return 0, too little for a shade, to 4."""
        if self.falls:
            return sum(value <= step for step in self.steps)
        return sum(abs(value) >= step for step in self.steps)


_SHARES = Scale((0.05, 0.25, 0.5, 0.9))
_NORMS = Scale((4.0, 16.0, 64.0, 256.0))
SCALES = {
    **dict.fromkeys(SHARES, _SHARES),
    # Its darkest are the heads that the headline counts.
    "max_weight": Scale((0.05, 0.25, 0.5, SATURATED)),
    # Of float16, which ends at 65,504: an eightieth, an eighth, half, all.
    "largest_score": Scale((819.0, 8188.0, 32752.0, 65504.0)),
    "float16_margin": Scale((80.0, 8.0, 2.0, 1.0)),
    "max_logit": Scale((12.5, 25.0, 50.0, 100.0)),
    # Weights are off by up to half a step: 3, 13, 28 and 65 %.
    "bfloat16_spacing": Scale((0.0625, 0.25, 0.5, 1.0)),
    "qk_clip": Scale((0.999999, 0.75, 0.5, 0.25)),
    "entropy": Scale((3.0, 1.5, 0.7, 0.1)),
    "effective_keys": Scale((20.0, 5.0, 2.0, 1.1)),
    "gradient_norm": Scale((1e-2, 1e-3, 1e-4, 1e-6)),
    "query_norm": _NORMS,
    "key_norm": _NORMS,
    "cosine": Scale((0.05, 0.25, 0.5, 0.75)),
}
"""The scale of each statistic."""


_DIFFERENCES = {
    **dict.fromkeys(SHARES, Scale((0.02, 0.1, 0.25, 0.5))),
    "entropy": Scale((0.1, 0.5, 1.0, 2.0)),
    "cosine": Scale((0.02, 0.1, 0.25, 0.5)),
}
"""Statistics of which the change is a difference, and how large it is; of others it is a factor."""

_FACTORS = Scale((0.14, 0.69, 2.3, 6.9))
"""Natural logarithms of factors: 1.15, 2, 10 and 1,000."""


def change_scale(name: str) -> Scale:
    """Return how dark a change of a statistic is."""
    return _DIFFERENCES.get(name, _FACTORS)


def changes(name: str, now: Numbers, before: Numbers) -> Numbers:
    """Return what a statistic has become: the difference, or the logarithm of the factor."""
    with np.errstate(all="ignore"):
        if name in _DIFFERENCES:
            return now - before
        found = np.log(np.abs(now)) - np.log(np.abs(before))
        return np.where(now == before, 0.0, found)


def change_text(name: str, value: float) -> str:
    """Return a change in at most four cells."""
    sign = ABOVE if value > 0.0 else BELOW
    if name in _DIFFERENCES:
        text = brief(name, abs(value))
        return "=" if text in ("0", "~0", "<1") else sign + text
    return "=" if abs(value) < _FACTORS.steps[0] else sign + brief("max_logit", exp(abs(value)))


def change_legend(name: str) -> list[Row]:
    """Return what the cells of a map of changes mean."""
    how = "by so much" if name in _DIFFERENCES else "times so much"
    unit = ", %" if name in SHARES else ""
    full: Row = (
        (ABOVE, "positive4"), (f" more than before, {how}{unit}   ", "label"),
        (BELOW, "negative4"), (" less   ", "label"), ("=", "zero"), (" the same", "label"),
    )  # fmt: skip
    short: Row = (
        (ABOVE, "positive4"), (" more ", "label"), (BELOW, "negative4"), (" less ", "label"),
    )  # fmt: skip
    return [full, short]


def legend(name: str, with_digits: bool) -> list[Row]:
    """Return what the shades of a statistic mean, in decreasing length.

    Args:
        name: Of the statistic.
        with_digits: Whether cells hold their number: then one of no shade is empty beside it.
    """
    scale = SCALES[name]
    sign, percent = "≤" if scale.falls else "≥", name in SHARES
    texts = [
        general(100 * step, 3) if percent else general(round(step, 5), 3) for step in scale.steps
    ]
    end = " %" if percent else ""
    darkest = list(zip(range(4, 0, -1), texts[::-1], strict=True))
    rest, none = "more" if scale.falls else "less", "no shade:" if with_digits else SHADES[0]
    rows: list[Row] = []
    own = f" {rest}" if with_digits else rest
    forms = (f" {sign} {{}}{end}   ", f" {rest}"), (f"{sign}{{}} ", own), ("{} ", own)
    for form, last in forms:
        samples = tuple(
            span
            for shade, text in darkest
            for span in ((SHADES[shade], f"positive{shade}"), (form.format(text), "label"))
        )
        rows.append((*samples, (none, "zero"), (last, "label")))
    return rows
