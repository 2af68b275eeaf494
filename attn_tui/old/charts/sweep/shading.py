"""Shades of a map of a statistic: of sizes, and of ratios that are above or below 1."""

from collections.abc import Mapping, Sequence
from math import floor, isfinite, log, log10

import numpy as np

from attn_tui.charts.glyphs import ABOVE, BELOW, RULE, SHADES
from attn_tui.compute.sweep.answer import Answer
from attn_tui.compute.sweep.points import Place
from attn_tui.compute.sweep.readouts import READOUTS
from attn_tui.old.charts.axis import power_text
from attn_tui.old.charts.heat import Cell, Shading
from attn_tui.old.charts.rows import first_fit, packed
from attn_tui.report.headline import Factor
from attn_tui.report.numbers import LN10, general, quantity
from attn_tui.report.rows import Row, Span

FACTOR_STEPS = (1.15, 2.0, 10.0, 1000.0)
"""From which factor on, up or down, a cell has each shade of its colour."""

LEAST_FACTOR = 4
"""Columns of a cell from which on it holds its factor."""

SOLID = " ▂▄▆█"
"""What is solid of a cell that holds a factor larger than 1, by its shade."""

LEAST_VALUES = 10
"""Columns of a cell from which on it holds its number."""

LINEAR_PARTS = (1 / 16, 1 / 4, 1 / 2, 3 / 4)
"""From which share of the largest possible size on a size gets each shade, if not logarithmic."""


class FactorShading(Shading):
    """What dividing does: its sign says whether it makes larger or smaller, its number how much."""

    def cell(self, factor: Factor, body: int) -> Cell:
        """Return the cell of what dividing does to a number."""
        if not factor.known:
            return Cell(0, "NaN"[:body], "error")
        if factor.is_open:
            return Cell(0, "?".rjust(min(body, LEAST_FACTOR)), "muted")
        shade = self.shade(log(factor.size))
        if not shade:
            return Cell(0, "=".rjust(min(body, LEAST_FACTOR)), "zero")
        sign, role = (ABOVE, "positive") if factor.log > 0.0 else (BELOW, "negative")
        text = sign + times(factor) if body >= LEAST_FACTOR else sign
        # It has a row for itself; where a cell has more they are shaded, or if it is larger solid:
        # that is seen without colour too.
        fill = SOLID[shade] if factor.log > 0.0 else ""
        shown = text.rjust(min(body, LEAST_FACTOR)).center(body)
        return Cell(shade, shown, f"{role}{shade}", fill)

    @property
    def scale(self) -> list[Row]:
        """What the shades of cells mean that have rows for them."""
        shades = (("smaller", SHADES[1:], "negative"), ("larger", SOLID[1:], "positive"))
        row: list[Span] = []
        for way, signs, role in shades:
            row += [(sign, f"{role}{at}") for at, sign in enumerate(signs, 1)]
            row.append((f" {way}  ", "label"))
        *least, most = self.texts
        row.append((f"from {', '.join(least)} and {most} times on", "label"))
        return [tuple(row)]

    def legend(self, mark: str, width: int, height: int) -> list[Row]:
        """Return what the cells mean, and what the marked one is, in at most so many rows."""
        smaller: Row = (
            (f"{BELOW}26", "negative4"),
            (" dividing makes it 26 times smaller", "label"),
        )
        larger: Row = ((f"{ABOVE}26", "positive4"), (" larger", "label"))
        same: Row = (("=", "zero"), (" the same, within 15 %", "label"))
        most: Row = ((f"{ABOVE}≫", "positive4"), (" over a million", "label"))
        here: Row = (("[ ]", "cursor"), (f" {mark}", "label"))
        about: Row = ((f"{ABOVE}300", "positive4"), (" one digit: about so", "label"))
        untold: Row = (("?", "muted"), (" these draws do not tell", "label"))
        every = [smaller, larger, most, about, same, untold, here]
        if height > len(every):
            return [((" " * (3 - len(sign[0])), "text"), sign, text) for sign, text in every]
        short: Row = ((BELOW, "negative4"), (" dividing makes it smaller", "label"))
        shorter: Row = ((BELOW, "negative4"), (" smaller", "label"))
        above: Row = ((ABOVE, "positive4"), (" larger", "label"))
        rough: Row = ((about[1][0].strip(), "label"),)
        undecided: Row = (untold[0], (" undecided", "label"))
        choices = [
            [smaller, larger, same, most, here, about, untold],
            [smaller, larger, same, most, here, rough, undecided],
            [smaller, larger, same, undecided, here], [smaller, larger, undecided],
            [short, above, undecided], [shorter, above, undecided], [shorter, above],
        ]  # fmt: skip
        return packed([((), parts) for parts in choices], width, height, gap=3)


def times(factor: Factor) -> str:
    """Return how many times in at most three cells: ``1.7``, ``26``, ``10⁴``, ``≫``."""
    size, power = factor.size, int(min(abs(factor.log) / LN10 + 1e-9, 6.0))
    if power == 6:
        return "≫"
    if size >= 999.5:
        return f"10{'⁰¹²³⁴⁵'[max(power, 3)]}"
    return f"{size:.0f}" if factor.digits == 1 or size >= 2.95 else f"{size:.1f}"


FACTORS = FactorShading(
    tuple(map(log10, FACTOR_STEPS)),
    tuple(f"{step:,g}" for step in FACTOR_STEPS),
    "what dividing does",
)


class SizeShading(Shading):
    """Shades of a number that is not negative."""

    scale: Sequence[Row] = ()

    def cell(self, value: float, body: int) -> Cell:
        """Return the cell of a number, given as its natural logarithm."""
        shade = self.shade(value)
        role = f"positive{shade}" if shade else "zero"
        if body < LEAST_VALUES:
            return Cell(shade, "" if shade else SHADES[0], role)
        number = np.exp(value) if isfinite(value) else 0.0
        return Cell(shade, f" {quantity(float(number), value, width=body - 3)} ", role)

    def legend(self, mark: str, width: int, height: int) -> list[Row]:
        """Return what the shades mean, and the line that is marked, in a row."""
        steps = self.samples(" ≥{}  ")
        less: Row = ((f"{SHADES[0]} less  ", "zero"),)
        rule: Row = ((f"{RULE} ", "strong"), (mark, "label")) if mark else ()
        short_less: Row = ((f"{SHADES[0]}less ", "zero"),)
        short_rule: Row = ((RULE, "strong"), (mark.partition(":")[0], "label")) if mark else ()
        tight = self.samples("≥{} ")
        brief: Row = (*tight, *short_less, *short_rule)
        rows = [(*steps, *less, *rule), (*steps, *less, *short_rule), brief, steps, steps[:4]]
        return [first_fit(rows, width)]


def size_shading(answer: Answer, cells: Mapping[Place, float], by_log: bool) -> SizeShading:
    """Return the shades for the sizes in a map's cells, given as natural logarithms."""
    known = [value / LN10 for value in cells.values() if isfinite(value)]
    top = max(known, default=0.0)
    if not by_log:
        bound = READOUTS[answer.settings.statistic].bound(answer.settings.n_range[1])
        bound = 10.0 ** min(top, 300.0) if bound is None else bound
        sizes = [part * bound for part in LINEAR_PARTS]
        texts = tuple(general(size, 2) for size in sizes)
        powers = tuple(log10(size) for size in sizes)
        return SizeShading(powers, texts, f"0 to {general(bound, 3)}")
    # Each shade has about a fifth of the cells, so that wherever the map changes it is seen.
    fifths = np.quantile(known or [0.0], (0.2, 0.4, 0.6, 0.8)).tolist()
    by_digits = [dict(_round_below(each, digits) for each in fifths) for digits in (1, 2, 3)]
    steps = next((each for each in by_digits if len(each) == len(fifths)), by_digits[-1])
    return SizeShading(tuple(steps), tuple(steps.values()), "shades of about a fifth each")


def _round_below(power: float, digits: int) -> tuple[float, str]:
    """Return a number of a few digits not above ten to a power: its decimal logarithm, its text."""
    whole = floor(power + 1e-9)
    unit = 10.0 ** (digits - 1)
    mantissa = max(floor(10.0 ** (power - whole) * unit + 1e-9) / unit, 1.0)
    plain = -4 < whole < 4
    text = general(mantissa * 10.0**whole, digits) if plain else power_text(whole, mantissa)
    return whole + log10(mantissa), text
