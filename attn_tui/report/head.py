"""The question as labelled lines: the origin of the scores, the scale, precision and mask."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from attn_tui.captures.source import Captured
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.models import MODELS
from attn_tui.compute.numbers import general, whole
from attn_tui.compute.precision import ROUNDS
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.files.codec import experiment_to_plain
from attn_tui.files.draft import parse
from attn_tui.report.model import departures, model_texts
from attn_tui.report.origin import law, origin
from attn_tui.report.rows import labelled

if TYPE_CHECKING:
    from attn_tui.files.examples import Example

_LABEL = 11

SOFTCAP_SOURCE = "Gemma 2, arXiv 2408.00118"
SINK_SOURCE = "StreamingLLM, arXiv 2309.17453; gpt-oss learns b; b = 0 is softmax₁"
QK_NORM_SOURCE = "Dehghani et al. 2023, arXiv 2302.05442; Qwen3, Gemma 3"


Labelled = tuple[str, str]
"""A label and a text; without a label, the text continues the one before."""


def head(experiment: Experiment) -> Iterator[str]:
    """Yield the lines above the answer, each at most 80 columns wide."""
    yield from lines(question_lines(experiment))


def question_lines(experiment: Experiment) -> Iterator[Labelled]:
    """Yield the parts of the question, each with its label."""
    setup = experiment.setup
    yield from about_model(setup)
    yield "scores", origin(experiment)
    if text := law(experiment.source, setup):
        yield "", text
    yield "d_k", f"{setup.d_k:,}"
    yield from _scale(experiment, setup)
    yield from _precision(experiment, setup)
    if setup.mask:
        yield "mask", f"{setup.mask} (masked keys have weight 0 and gradient 0)"
        if setup.mask.causal:
            by_position = "causal: each query sees the keys up to its own position"
            by_index = "causal: vector i, counted from 0, sees keys 0 to i"
            yield "", by_position if experiment.vectors.positions else by_index


def about_example(example: "Example", experiment: Experiment) -> Iterator[Labelled]:
    """Yield the title of an example, and what to look at unless the question was changed."""
    yield "example", example.title
    if experiment_to_plain(parse(example.draft)) == experiment_to_plain(experiment):
        yield "look at", example.look
    else:
        yield "", "with other options than its own"


def about_model(setup: Setup) -> Iterator[Labelled]:
    """Yield the chosen model, if any: the changes made to it, and its own values."""
    if model := MODELS.get(setup.model):
        name = model_texts(setup)[0]
        if departures(setup):
            name = f"{name}; its own"
        yield "model", f"{name}: d_model {model.d_model:,}, {model.heads} heads, d_k {model.d_k:,}"
        if model.note:
            yield "", model.note


def _scale(experiment: Experiment, setup: Setup) -> Iterator[Labelled]:
    scale = setup.scale
    cap, sink = scale.softcap, scale.sink
    fitted = experiment.source.multiplier if isinstance(experiment.source, Captured) else None
    if scale.rule == "temperature" and fitted and scale.parameters["T"] == 1.0 / fitted:
        yield "scale", f"m = {general(fitted, 6)}, found by the doctor's fit"
    else:
        yield from rule_lines(scale)
    if (threshold := scale.threshold) is not None and experiment.vectors.n_keys < threshold:
        yield "", f"its factor is exactly 1 below L = {whole(threshold)} keys, as here"
    if cap is not None:
        yield "soft cap", f"z = c·tanh(m·s/c), c = {general(cap)}: no logit exceeds ±c"
        yield "", SOFTCAP_SOURCE
    if sink is not None:
        what = f"softmax over the logits and b = {general(sink)}, whose weight is dropped"
        yield "sink", what
        yield "", SINK_SOURCE
    if scale.normalises:
        if experiment.source.normalises:
            yield "QK-norm", "q and k divided by their root mean square: each has length √d_k then"
            yield "", QK_NORM_SOURCE
        else:
            yield "QK-norm", "has no q and k to normalise: the scores stay as they are"


def rule_lines(scale: Scale) -> Iterator[Labelled]:
    """Yield the multiplier of the scores, and its source."""
    yield "scale", f"{scale.rule}: m = {scale.formula}"
    yield "", scale.definition.source
    if users := scale.definition.users:
        yield "", f"used by {users}"


def left_out(scale: Scale) -> Iterator[Labelled]:
    """Yield which parts of a scale are left out by instruments that use only its multiplier."""
    if text := not_applied(scale):
        yield "", text


def not_applied(scale: Scale, but_qk_norm: bool = False) -> str:
    """Return which parts of a scale are not applied where only its rule is; or an empty text.

    Args:
        scale: The scale.
        but_qk_norm: Whether QK-norm is applied, which is then stated instead.
    """
    parts = {
        "soft cap": scale.softcap is not None,
        "sink": scale.sink is not None,
        "QK-norm": scale.normalises and not but_qk_norm,
    }
    present = ", ".join(name for name, there in parts.items() if there)
    applied = ["QK-norm applied: ∂L/∂q is not known"] if scale.qk_norm and but_qk_norm else []
    return "; ".join([*applied, *([f"Not applied here: {present}"] if present else [])])


def _precision(experiment: Experiment, setup: Setup) -> Iterator[Labelled]:
    precision = setup.precision
    how = "naive: no maximum subtracted" if precision.naive else "largest score subtracted"
    arithmetic = precision.arithmetic
    rounding = f", {arithmetic}: rounds {ROUNDS[arithmetic]}" if precision.is_narrow else ""
    yield "precision", f"softmax in {precision.format}, {how}{rounding}"
    if precision.vectors != "float64" and experiment.source.rounds:
        yield "", f"q and k are rounded to {precision.vectors} before their product"
    if precision.scores != "float64":
        yield "", f"scores are rounded to {precision.scores} before everything else"


def lines(labelled_texts: Iterable[Labelled]) -> Iterator[str]:
    """Yield labels followed by their texts, in lines of at most `WIDTH` columns."""
    for label, text in labelled_texts:
        yield line(label, text)


def line(label: str, text: str) -> str:
    """Return a label followed by text, in lines of at most `WIDTH` columns."""
    return labelled(label, text, _LABEL)
