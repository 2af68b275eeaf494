"""A diagnosis as HTML for a notebook: the verdict, the heads, and m with its intervals as SVG.

Colours are of middling lightness, so that they show on white and on black alike; text has the
colour of the page.
"""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from math import ceil, isfinite, log10
from typing import TYPE_CHECKING, NamedTuple

from attn_tui.compute.numbers import fixed, general, quantity
from attn_tui.doctor.words import interval_text

if TYPE_CHECKING:
    from attn_tui.diagnosis.diagnosis import DiagnosedHead

COLOURS: Mapping[str, str] = {
    "agrees": "#2a8f4a", "differs": "#e0443e", "cannot tell": "#b0701a",
    "no expectation": "#2f7fd6", "silent": "#808080",
}  # fmt: skip
"""The colour of each verdict."""
MARKS: Mapping[str, str] = {
    "agrees": "✓", "differs": "✗", "cannot tell": "?", "no expectation": "●", "silent": "○",
}  # fmt: skip
"""The sign of each verdict, for who cannot tell colours apart."""
MOST_HEADS = 64
"""The most heads that are shown one by one."""
TOP, HEIGHT, LEFT, STEP, MARGIN = 14, 120, 100, 18, 30
"""Sizes of the chart, in pixels: above it, of it, to its left, of a head, and below it."""
ROOM = 0.15
"""The share of the axis that is left free at both ends."""
CAPTION = "head; dashes: the promised m"
CAPTION_WIDTH = 170
"""What stands below the chart, and how many pixels it takes at most."""
CELL = "text-align:left;padding:1px 12px 1px 0"
"""The style of a cell; only what stands in the last column may wrap."""
ONE_LINE = f"{CELL};white-space:nowrap"


def html(line: str, heads: "Sequence[DiagnosedHead]", text: str) -> str:
    """Return the HTML of a diagnosis.

    Args:
        line: The verdict line.
        heads: The heads.
        text: The doctor's text, which is folded away.
    """
    verdict, _, rest = line.partition(": ")
    colour = COLOURS.get(verdict, COLOURS["silent"])
    mark = MARKS.get(verdict, "")
    shown = heads[:MOST_HEADS]
    parts = [
        f'<p><b style="color:{colour}">{mark} {escape(verdict)}</b>: {escape(rest)}</p>',
        *_chart(shown),
        *_table(shown),
    ]
    if left := len(heads) - len(shown):
        parts.append(f"<p>{left:,} more heads: rows() has all.</p>")
    parts.append(f"<details><summary>Report</summary><pre>{escape(text)}</pre></details>")
    return f'<div class="attn-tui">{"".join(parts)}</div>'


def _table(heads: "Sequence[DiagnosedHead]") -> Iterator[str]:
    """Yield a table with a row for each head; the only layer or sequence is not named."""
    has_layers = any(head.layer for head in heads)
    has_sequences = any(head.batch for head in heads)
    titles = ["verdict", "m", "promised", "residual", "why"]
    titles = [*["layer"] * has_layers, "head", *["sequence"] * has_sequences, *titles]
    cells = "".join(f'<th style="{ONE_LINE}">{title}</th>' for title in titles)
    yield f'<table style="border-collapse:collapse"><thead><tr>{cells}</tr></thead><tbody>'
    for head in heads:
        colour = COLOURS[head.verdict]
        promised = "–" if head.promised is None else general(head.promised, 6)
        verdict = (
            f'<span style="color:{colour}">{MARKS[head.verdict]} {escape(head.verdict)}</span>'
        )
        texts = [
            *[f"{head.layer:,}"] * has_layers, f"{head.head:,}",
            *[f"{head.batch:,}"] * has_sequences, verdict,
            escape(interval_text(head.multiplier)), escape(promised),
            escape(quantity(head.residual)),
        ]  # fmt: skip
        row = "".join(f'<td style="{ONE_LINE}">{text}</td>' for text in texts)
        yield f'<tr>{row}<td style="{CELL}">{escape(head.sentence)}</td></tr>'
    yield "</tbody></table>"


class MultiplierAxis(NamedTuple):
    """The axis of m.

    Attributes:
        low: The number at the bottom.
        high: The number at the top.
        labels: The least and the largest number that is shown.
    """

    low: float
    high: float
    labels: tuple[float, float]

    def y(self, m: float) -> float:
        """Return how many pixels from the top a number stands."""
        inside = min(max(m, self.low), self.high)
        return TOP + HEIGHT * (self.high - inside) / (self.high - self.low)

    def text(self, m: float) -> str:
        """Return a number with as many digits as tell the ends of the axis apart."""
        decimals = min(max(ceil(-log10(self.high - self.low)) + 2, 0), 12)
        return fixed(m, decimals)


def _chart(heads: "Sequence[DiagnosedHead]") -> Iterator[str]:
    """Yield an SVG with m of each head, its interval, and the promised m, if any m is known."""
    measured = [head for head in heads if head.multiplier.value is not None]
    if not measured:
        return
    axis = _axis(measured)
    right = LEFT + STEP * len(heads) + 6
    width = max(right + 6, LEFT + CAPTION_WIDTH)
    label = f"m of {len(measured)} heads, with 95 % intervals"
    yield (
        f'<svg role="img" aria-label="{label}" width="{width}" height="{TOP + HEIGHT + MARGIN}" '
        'xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="11" '
        f'fill="currentColor"><title>{label}</title>'
    )
    yield (
        f'<path d="M{LEFT} {TOP}V{TOP + HEIGHT}H{right}" fill="none" stroke="currentColor" '
        'stroke-opacity="0.5"/>'
    )
    for end in dict.fromkeys(axis.labels):
        y = axis.y(end)
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{axis.text(end)}</text>'
    yield f'<text x="4" y="{TOP + HEIGHT / 2 + 4:.1f}" font-style="italic">m</text>'
    for place, head in enumerate(heads):
        yield from _head(head, LEFT + STEP * (place + 0.5), axis)
    yield f'<text x="{LEFT}" y="{TOP + HEIGHT + 26}">{CAPTION}</text></svg>'


def _head(head: "DiagnosedHead", x: float, axis: MultiplierAxis) -> Iterator[str]:
    """Yield the marks of one head: its number, the promised m, its interval, and its m."""
    yield (
        f'<text x="{x:.1f}" y="{TOP + HEIGHT + 13}" text-anchor="middle" font-size="9">'
        f"{head.head}</text>"
    )
    if head.promised is not None:
        y, half = axis.y(head.promised), STEP / 2
        yield (
            f'<path d="M{x - half:.1f} {y:.1f}H{x + half:.1f}" stroke="{COLOURS["silent"]}" '
            'stroke-dasharray="3 2"/>'
        )
    interval = head.multiplier
    if interval.value is None:
        return
    colour = COLOURS[head.verdict]
    low, high = _ends(head)
    yield (
        f'<path d="M{x:.1f} {axis.y(low):.1f}V{axis.y(high):.1f}" stroke="{colour}" '
        f'stroke-width="2"><title>{escape(interval_text(interval))}</title></path>'
        f'<circle cx="{x:.1f}" cy="{axis.y(interval.value):.1f}" r="3.5" fill="{colour}"/>'
    )


def _ends(head: "DiagnosedHead") -> tuple[float, float]:
    """Return the ends of the interval of m; m itself where there is none."""
    value = head.multiplier.value or 0.0
    ends = [value if end is None else end for end in (head.multiplier.low, head.multiplier.high)]
    return ends[0], ends[1]


def _axis(heads: "Sequence[DiagnosedHead]") -> MultiplierAxis:
    """Return the axis that holds all intervals and what is promised."""
    numbers = [end for head in heads for end in _ends(head)]
    numbers += [head.promised for head in heads if head.promised is not None]
    finite = [number for number in numbers if isfinite(number)]
    low, high = min(finite), max(finite)
    room = ROOM * (high - low) or 0.01 * abs(high) or 1.0
    return MultiplierAxis(low - room, high + room, (low, high))
