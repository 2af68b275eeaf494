"""Questions for tests."""

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import VectorAnswer, answer_vector
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Typed, Vector


def asking(*vectors: Vector, setup: Setup | None = None) -> Experiment:
    return Experiment(Typed(vectors), setup or Setup())


def answer_to(vector: Vector, setup: Setup | None = None) -> VectorAnswer:
    return answer_vector(asking(vector, setup=setup), 0)
