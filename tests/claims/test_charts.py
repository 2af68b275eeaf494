"""What Claims draws: curves between their axes, and numbers beside what they are held against."""

import pytest

from attn_tui.charts.cells import Cells
from attn_tui.charts.colour import HUES, Palette
from attn_tui.claims.charts import (
    Curves,
    Tracks,
    curves_figure,
    ends_of,
)
from attn_tui.claims.claim import Case, Evidence
from attn_tui.claims.ledger import ledger, own_finding
from tests.pairs import with_rows

PLAIN = Palette(
    dict.fromkeys((*HUES, "text", "muted", "frame", "accent"), "#808080")
    | {"background": "#000000"}
)


def drawn(*evidence: Evidence, size: tuple[int, int] = (60, 8)) -> Cells:
    return Tracks([Case("somewhere", True, evidence)]).draw(*size, PLAIN)


@with_rows(
    "evidence",
    [
        Evidence("equal", 64.0, None, 64.0, 64.0),
        Evidence("but for rounding", 64.0, None, 64.0 + 1e-9),
        Evidence("within its error", 64.1, 0.3, 64.0),
        Evidence("all of them 0", 0.0, None, 0.0),
    ],
)
def test_equal_numbers_stand_together(evidence: Evidence) -> None:
    low, high = ends_of(evidence)
    places = [evidence.value, evidence.stated or 0.0]
    apart = abs(places[0] - places[1]) / (high - low)
    assert apart < 0.05
    line = drawn(evidence).text().splitlines()[0]
    assert abs(line.rindex("●") - line.rindex("▲" if "▲" in line else "●")) <= 2


def test_different_numbers_stand_apart() -> None:
    line = drawn(Evidence("mean of q·k", -0.03, 0.025, stated=64.0, exact=0.0)).text()
    first = line.splitlines()[0]
    assert first.startswith("mean of q·k")
    assert first.index("▲") - first.index("●") > 30


def test_an_error_is_drawn_two_standard_errors_to_either_side() -> None:
    wide, narrow = (
        drawn(Evidence("x", 1.0, error, stated=2.0)).text().splitlines()[0].count("━")
        for error in (0.2, 0.02)
    )
    assert wide > 4 * narrow


@pytest.mark.slow
def test_every_picture_has_room_at_each_size() -> None:
    for name in [claim.id for claim in ledger().values() if claim.check]:
        finding = own_finding(name)
        for size in ((60, 10), (36, 7)):
            if finding.picture is None:
                assert Tracks(finding.cases).draw(*size, PLAIN).text().strip()
                continue
            text = Curves(finding.picture).draw(*size, PLAIN).text()
            assert any(0x2800 < ord(character) < 0x2900 for character in text), text
            figure = curves_figure(finding.picture, 20)
            assert figure.x.ticks
            assert figure.y.ticks
