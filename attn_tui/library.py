"""What `import attn_tui` offers: functions of a row of scores, the instruments, and the doctor.

Bad input raises `InputError`, a ValueError that says what was given and what was expected.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike

from attn_tui.compute.arrays import ALL, Floats
from attn_tui.compute.dots import answer as dots
from attn_tui.compute.dots.settings import Settings as Dots
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.evaluation import Evaluation, evaluate
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore import answer as explore
from attn_tui.compute.explore.settings import Settings as Explore
from attn_tui.compute.law import Entries
from attn_tui.compute.law.dot_law import DotLaw
from attn_tui.compute.mask import Mask
from attn_tui.compute.precision import Precision
from attn_tui.compute.rules import RULES
from attn_tui.compute.scale import PLAIN, SYMBOL, Scale, Wrt, parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Products, Typed, Vector, array_of
from attn_tui.compute.sweep import answer as sweep
from attn_tui.compute.sweep.crossover import Crossing, crossover
from attn_tui.compute.sweep.settings import Settings as Sweep
from attn_tui.instruments import load as loaded

if TYPE_CHECKING:
    from attn_tui.diagnosis.asking import diagnose
    from attn_tui.diagnosis.diagnosis import Diagnosis
    from attn_tui.diffing.asking import diff
    from attn_tui.diffing.capture_difference import CaptureDifference
    from attn_tui.probing.asking import probe
    from attn_tui.report.saved import SavedReport, load, save

__all__ = [
    "RULES",
    "CaptureDifference",
    "Crossing",
    "Diagnosis",
    "DotLaw",
    "Dots",
    "Drawn",
    "Experiment",
    "Explore",
    "InputError",
    "Mask",
    "Precision",
    "Products",
    "SavedReport",
    "Scale",
    "Setup",
    "Statistics",
    "Sweep",
    "Typed",
    "Vector",
    "answer",
    "crossover",
    "diagnose",
    "diff",
    "dot_law",
    "drawn",
    "gradient",
    "jacobian",
    "load",
    "log_softmax",
    "probe",
    "save",
    "softmax",
    "statistics",
]

_LATER: Mapping[str, str] = {
    "CaptureDifference": "attn_tui.diffing.capture_difference",
    "SavedReport": "attn_tui.report.saved",
    "Diagnosis": "attn_tui.diagnosis.diagnosis",
    "diagnose": "attn_tui.diagnosis.asking",
    "diff": "attn_tui.diffing.asking",
    "load": "attn_tui.report.saved",
    "probe": "attn_tui.probing.asking",
    "save": "attn_tui.report.saved",
}
"""Where names are that a row of scores does without: the doctor's take as long to load."""


def __getattr__(name: str) -> object:
    if name in _LATER:
        return loaded(f"{_LATER[name]}:{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_EXPECTED = "a row of finite scores, or -inf for a masked key, of shape (n,) with n ≥ 1"


def softmax(
    scores: ArrayLike,
    d_k: int | None = None,
    scale: Scale | str | None = None,
    precision: Precision = Precision(),
) -> Floats:
    """Return the weights p of one row of scores s, shape (n,): p_i = e^(z_i)/Σe^(z_j).

    The logits z are the scores, or what a scale makes of them: m·s, perhaps capped. With a sink
    of the scale the weights sum to less than 1. If every key is masked,
    softmax is 0/0; by convention every weight is 0, as in PyTorch's scaled_dot_product_attention.

    Args:
        scores: Shape (n,), n ≥ 1, finite; −∞ masks a key.
        d_k: Dimension of a query. Without a scale, the scores are divided by √d_k.
        scale: A scale or, as text, its rule: ``"temperature:T=4"``. It needs d_k if its
            multiplier depends on it. QK-norm, which is of q and k, plays no part here.
        precision: The number format, and how softmax is computed: in float64, the largest logit
            subtracted first, by default.

    Raises:
        InputError: If an argument will not do.

    >>> softmax([100, 120, 150], d_k=1024).round(4)
    array([0.1309, 0.2446, 0.6245])
    """
    return _evaluation(scores, d_k, scale, precision).weights()


def log_softmax(
    scores: ArrayLike,
    d_k: int | None = None,
    scale: Scale | str | None = None,
    precision: Precision = Precision(),
) -> Floats:
    """Return ln p, shape (n,), also where p is too small for float64; else as `softmax`.

    >>> log_softmax([0, 1000])
    array([-1000.,     0.])
    """
    return _evaluation(scores, d_k, scale, precision).log_weights()


def jacobian(
    scores: ArrayLike, d_k: int | None = None, scale: Scale | str | None = None, wrt: Wrt = "scores"
) -> Floats:
    """Return ∂p_i/∂s_j in row i and column j, shape (n, n).

    Args:
        scores: As for `softmax`, as are ``d_k`` and ``scale``.
        d_k: Dimension of a query.
        scale: From scores to logits.
        wrt: ``"logits"`` for ∂p_i/∂z_j = p_i(δ_ij − p_j), which lacks the factor ∂z_j/∂s_j.

    Raises:
        InputError: If an argument will not do.

    >>> jacobian([0, 0], d_k=4)
    array([[ 0.125, -0.125],
           [-0.125,  0.125]])
    """
    return _evaluation(scores, d_k, scale).jacobian(ALL, ALL, _checked(wrt))


def gradient(
    scores: ArrayLike,
    of: int | ArrayLike,
    d_k: int | None = None,
    scale: Scale | str | None = None,
    wrt: Wrt = "scores",
) -> Floats:
    """Return the gradient of a weight, or of a loss that depends on the weights, shape (n,).

    Args:
        scores: As for `softmax`, as are ``d_k`` and ``scale``.
        of: A key i, counted from 0, for ∂p_i/∂s; or ∂L/∂p, shape (n,), for ∂L/∂s.
        d_k: Dimension of a query.
        scale: From scores to logits.
        wrt: ``"logits"`` for ∂p_i/∂z or ∂L/∂z.

    Raises:
        InputError: If an argument will not do.

    >>> gradient([0, 0], of=0)
    array([ 0.25, -0.25])
    >>> gradient([0, 0], of=[1, 2])
    array([-0.25,  0.25])
    """
    side = _evaluation(scores, d_k, scale)
    if isinstance(of, int | np.integer):
        if not 0 <= of < side.n_keys:
            raise InputError("of", f"there is no key {of}", f"a key from 0 to {side.n_keys - 1:,}")
        return side.gradient(int(of), _checked(wrt))
    expected = f"a key, or ∂L/∂p: finite numbers of shape ({side.n_keys},)"
    upstream = _row("of", of, expected, side.n_keys)
    if not np.isfinite(upstream).all():
        raise InputError("of", "it has NaN or an infinity", expected)
    return side.pulled_back(upstream, _checked(wrt))


@dataclass(frozen=True)
class Statistics:
    """How spread out weights are, and how much they change.

    A sink counts as one more key, and its weight is none of a key.

    Attributes:
        entropy: H = −Σ p ln p, in nats.
        effective_keys: e^H.
        participation_ratio: 1/Σp².
        max_weight: The largest weight.
        sink_weight: 1 − Σp; 0 without a sink.
        frobenius: Root of the sum of the squares of all ∂p_i/∂s_j, or ∂p_i/∂z_j.
        spectral: Largest singular value of the same matrix.
        trace: Sum of its diagonal.
        log_entropy: ln H, also where H is too small for float64; −∞ where it is exactly 0.
        log_frobenius: The same of that norm.
        log_spectral: And of that one.
        log_trace: And of the trace.
    """

    entropy: float
    effective_keys: float
    participation_ratio: float
    max_weight: float
    sink_weight: float
    frobenius: float
    spectral: float
    trace: float
    log_entropy: float
    log_frobenius: float
    log_spectral: float
    log_trace: float


def statistics(
    scores: ArrayLike, d_k: int | None = None, scale: Scale | str | None = None, wrt: Wrt = "scores"
) -> Statistics:
    """Return the statistics of the weights of scores, shape (n,), in O(n); else as `jacobian`.

    >>> statistics([0, 0, 0, 0]).effective_keys
    4.0
    """
    side = _evaluation(scores, d_k, scale)
    return Statistics(
        entropy=side.entropy,
        log_entropy=side.log_entropy,
        effective_keys=side.effective_keys,
        participation_ratio=side.participation_ratio,
        max_weight=side.max_weight,
        sink_weight=side.sink_weight,
        **asdict(side.norms[_checked(wrt)]),
    )


def drawn(
    d_k: int, n_keys: int = 64, seed: int = 1, count: int = 1, qk_norm: bool = False,
    sigma_q: float = 1.0, sigma_k: float = 1.0, lead: float = 0.0,
) -> Floats:  # fmt: skip
    """Return scores q·k of random q and k, shape (count, n_keys): a query a row, unscaled.

    See `Drawn` for their law; the same arguments give the same numbers.

    Raises:
        InputError: If an argument will not do.

    >>> drawn(64, n_keys=3).round(3)
    array([[ -7.961, -10.402,   4.391]])
    """
    setup = Setup(
        d_k=d_k, scale=Scale(qk_norm=qk_norm), sigma_q=sigma_q, sigma_k=sigma_k, lead=lead
    )
    return np.stack([vector.scores for vector in Drawn(n_keys, seed, count).vectors(setup)])


def dot_law(
    d_k: int,
    entries: Entries = "normal",
    mean_q: float = 0.0,
    mean_k: float = 0.0,
    correlation: float = 0.0,
    tied: bool = False,
    sigma_q: float = 1.0,
    sigma_k: float = 1.0,
) -> DotLaw:
    """Return the exact law of q·k; `Dots` and `Setup` say what the arguments are.

    Raises:
        InputError: If one will not do.

    >>> dot_law(64).standard_deviation
    8.0
    """
    settings = Dots(entries, mean_q=mean_q, mean_k=mean_k, correlation=correlation, tied=tied)
    setup = Setup(d_k=d_k, sigma_q=sigma_q, sigma_k=sigma_k)
    return dots.law_of(settings, setup.d_k, setup.spread)


@overload
def answer(experiment: Experiment, settings: Explore | type[Explore] = ...) -> explore.Answer: ...
@overload
def answer(experiment: Experiment, settings: Dots | type[Dots]) -> dots.Answer: ...
@overload
def answer(experiment: Experiment, settings: Sweep | type[Sweep]) -> sweep.Answer: ...
def answer(experiment: Experiment, settings: object = Explore) -> object:
    """Return the complete answer of the instrument that these settings belong to.

    Args:
        experiment: Where scores come from and what is done with them. Dots and Sweep draw their
            own, and take d_k and the scale from it.
        settings: `Explore`, `Dots` or `Sweep`; the class stands for the settings that the
            experiment has, as one that was loaded.

    Raises:
        InputError: If what is asked has no answer.
    """
    answers: dict[type, Callable[[Experiment], Iterator[object]]] = {
        Explore: explore.answer,
        Dots: dots.answer,
        Sweep: sweep.answer,
    }
    instrument = settings if isinstance(settings, type) else type(settings)
    if instrument not in answers:
        problem = f"{inert(repr(settings))} will not do"
        raise InputError("settings", problem, "Explore, Dots or Sweep")
    asked = experiment
    if not isinstance(settings, type):
        asked = replace(experiment, setup=experiment.setup.put(settings))
    *_, last = answers[instrument](asked)
    return last


def _evaluation(
    scores: ArrayLike,
    d_k: int | None,
    scale: Scale | str | None,
    precision: Precision = Precision(),
) -> Evaluation:
    vector = Vector("scores", _row("scores", scores, _EXPECTED))
    _check("precision", precision, Precision)
    if scale is None and d_k is None:
        return evaluate(vector.scores, PLAIN, precision)
    rule = parse_scale(scale) if isinstance(scale, str) else scale or Scale()
    _check("scale", rule, Scale)
    rule.check_unnormalised("scale", "scores have none")
    if d_k is None and rule.uses_d_k(vector.n_attended):
        raise InputError("d_k", f"there is none, and m = {rule.formula}", "a whole number")
    at = Setup().d_k if d_k is None else Setup(d_k=d_k).d_k
    return evaluate(vector.scores, rule.logit_map(at, vector.n_attended), precision)


def _row(field: str, values: ArrayLike, expected: str, size: int | None = None) -> Floats:
    """Return a row as an array, shape (n,), where n is at least 1 and, if given, the size."""
    row = array_of(field, values, expected)
    if row.ndim != 1 or not row.size or size not in (None, row.size):
        raise InputError(field, f"the shape is {row.shape}", expected)
    return row


def _check(field: str, value: object, kind: type) -> None:
    if not isinstance(value, kind):
        raise InputError(field, f"{inert(repr(value))} will not do", f"a value of {kind.__name__}")


def _checked(wrt: Any) -> Wrt:
    if wrt not in SYMBOL:
        raise InputError("wrt", f"{inert(str(wrt))} will not do", " or ".join(SYMBOL))
    checked: Wrt = wrt
    return checked
