"""The charts of Claims: curves between their axes."""

import pytest

from attn_tui.charts.colour import HUES, Palette
from attn_tui.claims.charts import CurvesDrawing, curves_figure
from attn_tui.claims.ledger import ledger, unchanged_finding

PLAIN = Palette(
    dict.fromkeys((*HUES, "text", "muted", "frame", "accent"), "#808080")
    | {"background": "#000000"}
)


@pytest.mark.slow
def test_every_picture_has_room_at_each_size() -> None:
    for name in [claim.id for claim in ledger().values() if claim.check]:
        picture = unchanged_finding(name).picture
        if picture is None:
            continue
        for size in ((60, 10), (36, 7)):
            text = CurvesDrawing(picture).draw(*size, PLAIN).text()
            assert any(0x2800 < ord(character) < 0x2900 for character in text), text
            figure = curves_figure(picture, 20)
            assert figure.x.ticks
            assert figure.y.ticks
