"""A question as it stands in the editor: the text as typed and everything else asked."""

import re
from dataclasses import dataclass, field
from json import dumps
from math import isfinite

from attn_tui.compute.experiment import Experiment, Setup, Vector
from attn_tui.files.grammar import parse_vectors

_BARE = re.compile(r"\w[\w.\-+*/#@]*(?: [\w.\-+*/#@]+)*(?:\[\d+\])?")


@dataclass(frozen=True)
class Draft:
    """What has been asked so far; the text may not be understood yet.

    Attributes:
        text: The scores as typed, in the vector grammar.
        setup: The rest of the question.
    """

    text: str
    setup: Setup = field(default_factory=Setup)


EXAMPLE = Draft("a: 100, 120, 150")
"""The worked example: at d_k = 1024 softmax saturates without the scale and does not with it."""


def parse(draft: Draft) -> Experiment:
    """Return the question a draft asks.

    Raises:
        InputError: If the text is not understood, with field ``"scores"`` and the line.
    """
    return Experiment(parse_vectors(draft.text), draft.setup)


def draft_of(experiment: Experiment) -> Draft:
    """Return the draft that asks a question: a line for each vector, every score exact."""
    return Draft("\n".join(map(_line, experiment.vectors)), experiment.setup)


def score_text(score: float) -> str:
    """Return the shortest text that reads back as exactly this score: ``100``, ``-inf``."""
    text = repr(score)
    return text.removesuffix(".0") if isfinite(score) else text


def _line(vector: Vector) -> str:
    name = vector.name if _BARE.fullmatch(vector.name) else dumps(vector.name, ensure_ascii=False)
    return f"{name}: " + ", ".join(map(score_text, vector.scores.tolist()))
