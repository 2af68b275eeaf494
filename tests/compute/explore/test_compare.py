from math import inf

import numpy as np
import pytest

from attn_tui.compute.explore.compare import compare
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.keys import ALL
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.vector import Vector
from tests.asking import answer_to
from tests.pairs import with_rows


def vector(*scores: float, name: str = "a") -> Vector:
    return Vector(name, np.array(scores))


def test_two_settings_of_one_vector_stand_beside_each_other() -> None:
    scores = vector(1.0, 2.0, 4.0)
    pinned = answer_to(scores, Setup(d_k=4))
    now = answer_to(scores, Setup(d_k=64).put(Settings(of=1, wrt="logits")))
    found = compare(pinned, now)
    assert found.names == ("pinned", "now")
    assert (found.unscaled, found.scaled) == (pinned.scaled, now.scaled)
    assert (found.vector, found.of, found.wrt) == (scores, 1, "logits")
    assert (found.status, found.reason, found.masked.tolist()) == ("ok", "", [])


@with_rows("sink", [None, 0.0, 9.0])
def test_a_shorter_vector_is_padded_with_masked_keys(sink: float | None) -> None:
    setup = Setup(d_k=1, scale=Scale(sink=sink))
    short = answer_to(vector(1.0, 3.0), setup)
    long = answer_to(vector(1.0, -inf, 4.0, -inf, name="b"), setup)
    for found, name in ((compare(short, long), "b"), (compare(long, short), "a")):
        assert (found.vector.n_keys, found.vector.name) == (4, name)
        assert found.masked.tolist() == [3]
    found = compare(short, long)
    padded = found.unscaled
    assert padded.weights().tolist() == [*short.scaled.weights(), 0.0, 0.0]
    assert padded.scores().tolist() == [1.0, 3.0, -inf, -inf]
    assert padded.sink_weight == short.scaled.sink_weight
    assert padded.entropy == pytest.approx(short.scaled.entropy, rel=1e-15)
    assert padded.complements()[:2].tolist() == short.scaled.complements().tolist()
    assert padded.norms["scores"].spectral == pytest.approx(short.scaled.norms["scores"].spectral)
    entries = padded.jacobian(ALL, ALL, "scores")
    np.testing.assert_array_equal(entries[:2, :2], short.scaled.jacobian(ALL, ALL, "scores"))
    assert not entries[2:].any()
    assert (padded.log_weights()[2:] == -inf).all()
    assert compare(long, short).vector.scores.tolist() == [1.0, 3.0, -inf, -inf]


def test_what_gave_out_is_named_by_its_side() -> None:
    naive = Setup(d_k=1, precision=Precision("float32", stable=False))
    broken, fine = answer_to(vector(100.0, 150.0), naive), answer_to(vector(1.0, 2.0))
    assert compare(broken, fine).reason.startswith("pinned: e^z overflows float32")
    assert compare(fine, broken).reason.startswith("now: e^z overflows float32")
    assert compare(broken, broken).reason.startswith("both: e^z overflows")


def test_a_comparison_is_masked_only_if_both_sides_are() -> None:
    hidden, seen = answer_to(vector(-inf, -inf)), answer_to(vector(1.0, 2.0))
    assert (compare(hidden, seen).status, compare(hidden, seen).masked.tolist()) == ("ok", [])
    assert compare(hidden, hidden).status == "masked"
