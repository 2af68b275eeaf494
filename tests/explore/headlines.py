"""Helpers for tests of headlines: the headline of a typed question."""

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import OverDk, VectorAnswer, compare
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.mask import Mask
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale, Wrt, parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.explore.answer import answer
from attn_tui.explore.headline import headline
from attn_tui.files.draft import Draft, parse


def of(
    text: str,
    d_k: int = 1024,
    rule: Scale | str = "inverse-sqrt",
    precision: Precision = Precision(),
    mask: Mask = Mask(),
    wrt: Wrt = "scores",
    typical: float | None = None,
    pinned: str | None = None,
    key: int | None = None,
    target: int | None = None,
) -> str:
    """Return the headline of a question, or of two side by side; a text with n is a draw."""
    scale = rule if isinstance(rule, Scale) else parse_scale(rule)
    setup = Setup(d_k, scale, precision, mask).put(Settings(key, wrt, target))
    experiment = parse(Draft(text, setup))
    vector, over = answered(experiment)
    if pinned is not None:
        vector = compare(answered(parse(Draft(pinned, setup)))[0], vector)
    return headline(vector, experiment, over, typical)


def answered(experiment: Experiment) -> tuple[VectorAnswer, OverDk]:
    *_, last = answer(experiment, 0)
    assert last.over is not None
    return last.vector, last.over
