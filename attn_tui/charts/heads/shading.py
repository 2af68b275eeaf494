"""How dark each statistic of a head is: fixed sizes with a meaning, never relative to a capture."""

from dataclasses import dataclass
from math import isnan

from attn_tui.charts.glyphs import NAN, SHADES
from attn_tui.charts.rows import Row
from attn_tui.report.heads.values import SHARES
from attn_tui.report.numbers import general


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


def role_of(value: float, shade: int) -> str:
    """Return the role of a cell."""
    if isnan(value):
        return "muted"
    if not shade:
        return "zero"
    return f"{'negative' if value < 0.0 else 'positive'}{shade}"


def fill_of(value: float, shade: int) -> str:
    """Return what a cell is filled with: what is below 0 looks another way without colour too."""
    if isnan(value):
        return NAN
    if value < 0.0 and shade:
        return "-~=≡"[shade - 1]
    return SHADES[shade]


def legend(name: str) -> list[Row]:
    """Return what the shades of a statistic mean, in decreasing length."""
    scale = SCALES[name]
    sign, percent = "≤" if scale.falls else "≥", name in SHARES
    texts = [
        general(100 * step, 3) if percent else general(round(step, 5), 3) for step in scale.steps
    ]
    end = " %" if percent else ""
    darkest = list(zip(range(4, 0, -1), texts[::-1], strict=True))
    rest = "more" if scale.falls else "less"
    rows: list[Row] = []
    for form, last in ((f" {sign} {{}}{end}   ", f" {rest}"), (f"{sign}{{}} ", rest)):
        samples = tuple(
            span
            for shade, text in darkest
            for span in ((SHADES[shade], f"positive{shade}"), (form.format(text), "label"))
        )
        rows.append((*samples, (SHADES[0], "zero"), (last, "label")))
    return rows
