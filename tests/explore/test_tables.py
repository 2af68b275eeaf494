"""The tables of the precision lab, and of q, K and V."""

import numpy as np
import pytest

from attn_tui.compute.setup import Setup
from attn_tui.explore.answer import answer
from attn_tui.explore.vectors import vectors_drawing
from attn_tui.files.draft import Draft, parse


def test_components_of_an_output_longer_than_q_are_not_lost() -> None:
    text = "q: 1 2\nK: 1 0\n0 1\n1 1\nV: 1 2 3 4\n5 6 7 8\n9 10 11 12"
    experiment = parse(Draft(text, Setup()))
    *_, last = answer(experiment, 0)
    assert last.through is not None
    table = vectors_drawing(last.through, last.vector)
    outputs = [column.texts for column in table.columns if column.title.startswith("output")]
    for side, texts in zip(last.vector.sides, outputs, strict=True):
        expected = side.weights() @ np.arange(1.0, 13.0).reshape(3, 4)
        assert [float(text) for text in texts] == pytest.approx(expected, abs=5e-5)
    # Headings differ even without colours.
    assert len({column.title for column in table.columns}) == len(table.columns)
