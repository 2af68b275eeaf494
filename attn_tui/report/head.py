"""What was asked, as labelled lines: where scores come from, the scale, the precision, the mask."""

from collections.abc import Iterator
from math import sqrt
from textwrap import wrap

import numpy as np

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Products
from attn_tui.compute.vector import Vector
from attn_tui.report import sentences
from attn_tui.report.numbers import general, quantity

WIDTH = 80
_LABEL = 11

SOFTCAP_SOURCE = "Gemma 2, arXiv 2408.00118"
SINK_SOURCE = "StreamingLLM, arXiv 2309.17453; gpt-oss learns b; b = 0 is softmax₁"
QK_NORM_SOURCE = "Dehghani et al. 2023, arXiv 2302.05442; Qwen3, Gemma 3"


def head(experiment: Experiment) -> Iterator[str]:
    """Yield the lines that stand above the answer, each at most 80 columns wide."""
    setup = experiment.setup
    yield line("scores", sentences.source(experiment))
    if isinstance(experiment.source, Drawn):
        yield line("", _law(experiment.source, setup.d_k))
    yield line("d_k", str(setup.d_k))
    yield from _scale(experiment, setup)
    yield from _precision(experiment, setup)
    if setup.mask:
        yield line("mask", f"{setup.mask} (masked keys have weight 0 and gradient 0)")


def _scale(experiment: Experiment, setup: Setup) -> Iterator[str]:
    scale = setup.scale
    cap, sink = scale.softcap, scale.sink
    yield from rule_lines(scale)
    if cap is not None:
        yield line("soft cap", f"z = c·tanh(m·s/c), c = {general(cap)}: no logit exceeds ±c")
        yield line("", SOFTCAP_SOURCE)
    if sink is not None:
        what = f"softmax over the logits and b = {general(sink)}, whose weight is dropped"
        yield line("sink", what)
        yield line("", SINK_SOURCE)
    if scale.qk_norm:
        if isinstance(experiment.source, Products):
            yield line("QK-norm", "q and k divided by their root mean square before the product")
            yield line("", QK_NORM_SOURCE)
        else:
            yield line("QK-norm", "has no q and k to normalise: the scores stay as they are")


def rule_lines(scale: Scale) -> Iterator[str]:
    """Yield what multiplies the scores, and who says so."""
    yield line("scale", f"{scale.rule}: m = {scale.formula}")
    yield line("", scale.definition.source)
    if users := scale.definition.users:
        yield line("", f"used by {users}")


def _precision(experiment: Experiment, setup: Setup) -> Iterator[str]:
    precision = setup.precision
    how = "largest score subtracted" if precision.stable else "naive: no maximum subtracted"
    yield line("precision", f"softmax in {precision.format}, {how}")
    if precision.vectors != "float64" and isinstance(experiment.source, Products):
        yield line("", f"q and k are rounded to {precision.vectors} before their product")
    if precision.scores != "float64":
        yield line("", f"scores are rounded to {precision.scores} before everything else")


def _law(draw: Drawn, d_k: int) -> str:
    """Say what the law of drawn scores is."""
    which = "its q" if draw.count == 1 else "the q of a vector"
    return (
        f"given {which}, scores are independent N(0, ‖q‖²); over all q their variance is d_k, "
        f"their standard deviation √d_k = {quantity(d_k**0.5)} ({draw.GENERATOR})"
    )


def drawn(draw: Drawn, d_k: int, index: int, vector: Vector) -> str:
    """Return a line on the scores of a drawn vector: what their spread is, and should be."""
    scores = vector.scores[vector.scores > -np.inf]
    if not scores.size:
        return ""
    exact = draw.query_norm(d_k, index)
    spread = float(np.sqrt(np.square(scores).mean()))
    error = exact / sqrt(2.0 * scores.size)
    n_scores = "score" if scores.size == 1 else f"{scores.size} scores"
    text = (
        f"root mean square of the {n_scores} {quantity(spread)} ± {quantity(error)}"
        f" (standard error), by law ‖q‖ = {quantity(exact)}"
    )
    return "\n".join(wrap(text, WIDTH)) + "\n"


def line(label: str, text: str) -> str:
    """Return text behind a label, in as many lines of at most `WIDTH` columns as it takes."""
    lines = wrap(text, WIDTH - _LABEL) or [""]
    first, *rest = lines
    return "".join([f"{label:<{_LABEL}}{first}\n", *(f"{'':<{_LABEL}}{line}\n" for line in rest)])
