"""A question about one vector of many makes that one."""

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import pytest

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import answer, answer_vector, over_d_k
from attn_tui.compute.explore.attention import attention
from attn_tui.compute.explore.precision_lab import lab
from attn_tui.compute.mask import Mask
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Source
from attn_tui.compute.vector import Vector, Vectors


@dataclass(frozen=True, eq=False)
class Capture(Source):
    """A million vectors of ten keys, each with what it was asked for."""

    kind: ClassVar = "capture"
    read: list[int] = field(default_factory=list)

    def vectors(self, setup: Setup) -> Vectors:
        return Vectors(10**6, 10, self.vector)

    def vector(self, index: int) -> Vector:
        self.read.append(index)
        return Vector(f"row {index}", np.arange(10.0) + index)


SETUP = Setup(64, mask=Mask(((0, 2),), causal=True))


def test_one_vector_is_read_once_for_all_that_is_asked_of_it() -> None:
    capture = Capture()
    experiment = Experiment(capture, SETUP)
    assert capture.read == []
    assert len(experiment.vectors) == 10**6
    row = answer_vector(experiment, 5)
    assert row.scaled.weights() == pytest.approx(
        [0, 0, *np.exp(np.arange(4) / 8) / np.exp(np.arange(4) / 8).sum(), 0, 0, 0, 0]
    )
    assert over_d_k(experiment, 5, [1, 4]) is not None
    assert attention(experiment, 5) is None
    assert capture.read == [5]
    assert experiment.vectors[5] is row.vector
    assert experiment.vectors[-1].name == "row 999999"
    with pytest.raises(IndexError):
        experiment.vectors[10**6]


def test_the_lab_reads_one_vector() -> None:
    capture = Capture()
    assert lab(Experiment(capture, SETUP), 3, 0) is not None
    assert set(capture.read) == {3}


def test_an_answer_about_all_reads_them_as_it_comes_to_them() -> None:
    capture = Capture()
    stops = iter([False, False, True])
    assert list(answer(Experiment(capture, SETUP), lambda: next(stops))) == []
    assert capture.read == [0, 1]


def test_what_no_vector_can_be_asked_is_refused_before_any_is_read() -> None:
    capture = Capture()
    with pytest.raises(InputError, match="mask: there is no key 10"):
        Experiment(capture, replace(SETUP, mask=Mask(((3, 11),))))
    assert capture.read == []


def test_a_multiplier_that_overflows_for_many_keys_is_asked_of_those_there_are() -> None:
    # ln 512 times the factor is finite, ln 10**6 times is not.
    scale = Scale("ssmax", (("a", 2e307),))
    scores = np.zeros(10**6)
    scores[2:] = -np.inf

    @dataclass(frozen=True, eq=False)
    class One(Source):
        attended: int
        kind: ClassVar = "one"

        def vectors(self, setup: Setup) -> Vectors:
            made = Vector("a", scores if self.attended == 2 else np.zeros(10**6))
            return Vectors(1, 10**6, lambda index: made)

    assert Experiment(One(2), Setup(1, scale)).vectors[0].n_attended == 2
    with pytest.raises(InputError, match=r"rule: .* makes the multiplier inf"):
        Experiment(One(10**6), Setup(1, scale))
