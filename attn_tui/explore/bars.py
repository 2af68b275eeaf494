"""Weights of keys as bars, unscaled beside scaled."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.cells import Cells
from attn_tui.charts.colour import RAMP_START, Palette, mix
from attn_tui.charts.glyphs import FILLS, TRACK
from attn_tui.compute.arrays import largest
from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.numbers import fine_percent, fitted
from attn_tui.report.report import SIDES

EIGHTHS = " ▏▎▍▌▋▊▉"
"""Cells filled from the left by no to seven eighths."""

PERCENT, SCORE = 6, 8
"""Widths in columns: of a percentage, such as ``~100 %``, and of a score."""

FEW = 30
"""Up to this many keys stand in their order; more are ordered by falling weight."""


@dataclass(frozen=True, eq=False)
class WeightBars:
    """Weights of keys as bars, unscaled beside scaled.

    Attributes:
        answer: The vector.
        cursor: The key that is marked.
        heads: The headings above the bars of the two sides.
    """

    answer: VectorAnswer
    cursor: int
    heads: tuple[str, str]

    def keys(self, lines: int) -> NDArray[np.intp]:
        """Return the keys that are shown in a number of lines, always including the cursor's.

        These are all keys in order if there are at most `FEW` and they fit, otherwise those with
        the largest weights.
        """
        n_keys = self.answer.vector.n_keys
        if n_keys <= min(lines - 1, FEW):
            return np.arange(n_keys)
        keys = largest(self.answer.scaled.ranking(), self.count(lines))
        if self.cursor not in keys:
            keys[-1] = self.cursor
        return keys

    def count(self, lines: int) -> int:
        """Return how many keys are shown in a number of lines."""
        return min(self.answer.vector.n_keys, max(lines - 1, 1))

    def neighbour(self, steps: int) -> int:
        """Return the key ``steps`` places below the cursor, or above it if negative.

        Up to `FEW` keys are counted in their order, more by falling weight.
        """
        n_keys = self.answer.vector.n_keys
        if n_keys <= FEW:
            return min(max(self.cursor + steps, 0), n_keys - 1)
        ranking = self.answer.scaled.ranking()
        weight = ranking[self.cursor]
        rank = np.count_nonzero(ranking > weight) + np.count_nonzero(
            ranking[: self.cursor] == weight
        )
        return int(largest(ranking, max(int(rank) + steps, 0) + 1)[-1])

    def key_at(self, line: int, lines: int) -> int | None:
        """Return the key in a line of the drawing, if there is one."""
        keys = self.keys(lines)
        place = (line - 1) // self._pitch(len(keys), lines)
        return int(keys[place]) if line > 0 and place < len(keys) else None

    @staticmethod
    def _pitch(n_keys: int, lines: int) -> int:
        """Return the number of lines for each key."""
        return min(max((lines - 1) // n_keys, 1), 7)

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw the keys, each as high as fits; scores are left out if there is no room for them."""
        cells = Cells(columns, lines)
        keys = self.keys(lines)
        shares = [self._shares(side, keys) for side in self.answer.sides]
        layout = _BarLayout.of(
            columns,
            max(len(f"{key:,}") for key in keys.tolist()),
            max(PERCENT, *(len(text) for texts in shares for text in texts)),
        )
        if layout is None or lines < 2:
            return cells
        cells.write(2, 0, "key".rjust(layout.key), colours["muted"])
        if layout.score:
            cells.write(layout.left - len("score"), 0, "score", colours["muted"])
        for place, (kind, head) in enumerate(zip(SIDES, self.heads, strict=True)):
            # A heading stands above the bar, or above the whole side, or is cut to one word.
            start = layout.left + place * layout.side + 1
            heads = (head, kind, "")
            if colours.textured:
                heads = (f"{FILLS[kind]} {head}", f"{FILLS[kind]} {kind}", FILLS[kind])
            head = next(text for text in heads if len(text) < layout.side)
            if len(head) <= layout.bar:
                start += layout.percent + 1
            cells.write(start, 0, head, colours[kind])
        pitch = self._pitch(len(keys), lines)
        height = min(max(pitch - 1, 1), 5)
        for row, key in enumerate(keys.tolist()):
            texts = [side[row] for side in shares]
            self._draw_key(cells, 1 + row * pitch, height, key, texts, layout, colours)
        return cells

    @staticmethod
    def _shares(side: Evaluation, keys: NDArray[np.intp]) -> list[str]:
        """Return the weights of keys on a side in percent."""
        attended = side.attended[keys].tolist()
        return [
            fine_percent(*pair) if is_seen else "–"
            for pair, is_seen in zip(side.pairs(keys), attended, strict=True)
        ]

    def _draw_key(
        self, cells: Cells, line: int, height: int, key: int, texts: Sequence[str],
        layout: "_BarLayout", colours: Palette,
    ) -> None:  # fmt: skip
        chosen = key == self.cursor
        if chosen:
            cells.write(0, line, "▸", colours["accent"])
        label = colours["text"] if chosen else colours["muted"]
        cells.write(2, line, f"{key:,}".rjust(layout.key), label)
        if layout.score:
            score = float(self.answer.vector.scores[key])
            text = "masked" if score == -np.inf else fitted(score, layout.score)
            cells.write(layout.left - len(text), line, text, label)
        for place, kind in enumerate(SIDES):
            evaluation = self.answer.sides[place]
            weight, _ = evaluation.pairs(np.array([key]))[0]
            start = layout.left + place * layout.side + 1 + layout.percent
            cells.write(start - len(texts[place]), line, texts[place], colours[kind])
            bar = slice(start + 1, start + 1 + layout.bar)
            draw_bar(cells, slice(line, line + height), bar, weight, kind, colours)


@dataclass(frozen=True)
class _BarLayout:
    """How the columns of bars are divided.

    Attributes:
        key: Columns of a key's number, which follows two columns for the mark.
        score: Columns of a score, which follows a blank; 0 if scores are left out.
        left: Columns to the left of both sides.
        side: Columns of each side: a blank, a percentage, a blank and a bar.
        percent: Columns of the percentage among them.
        bar: Columns of the bar among them.
    """

    key: int
    score: int
    left: int
    side: int
    percent: int
    bar: int

    @classmethod
    def of(cls, columns: int, digits: int, percent: int) -> "_BarLayout | None":
        """Return the layout with scores if it fits, else the one without; None if neither does."""
        key = max(digits, len("key"))
        for score, left, least_bar in ((SCORE, 2 + key + 1 + SCORE, 8), (0, 2 + key, 1)):
            side = (columns - left) // 2
            bar = side - percent - 2
            if bar >= least_bar:
                return cls(key, score, left, side, percent, bar)
        return None


def draw_bar(
    cells: Cells, lines: slice, columns: slice, share: float, kind: str, colours: Palette
) -> None:
    """Draw a share from 0 to 1 as a bar on a track, brighter towards its end.

    If colours do not tell the sides apart, each side is filled with a glyph of its own.
    """
    width = columns.stop - columns.start
    steps = colours.ramp(kind)
    eighths = round(min(max(share, 0.0), 1.0) * width * 8) if share == share else 0
    if colours.textured and kind == "unscaled":
        # The glyph that fills this side has no eighths.
        eighths = (eighths + 4) // 8 * 8
    if share > 0.0:
        eighths = max(eighths, 1)
    full, part = divmod(eighths, 8)
    if colours.textured:
        bar = FILLS[kind] * full + EIGHTHS[part].strip()
        for line in range(lines.start, lines.stop):
            cells.write(columns.start, line, TRACK * width, colours["muted"])
            cells.write(columns.start, line, bar, colours[kind])
        return
    behind = mix(colours["background"], "#808080", RAMP_START)
    cells.backgrounds[lines, columns] = behind
    levels = 0.42 + 0.42 * np.arange(width) / width
    shades = np.array(steps, dtype=object)[np.round(levels * (len(steps) - 1)).astype(np.intp)]
    cells.backgrounds[lines, columns.start : columns.start + full] = shades[:full]
    if part:
        # Fonts leave a gap above or below partial blocks, so that the edge would be notched.
        edge = mix(behind, shades[full], part / 8)
        cells.backgrounds[lines, columns.start + full] = edge
