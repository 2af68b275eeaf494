"""How the weights of a capture are computed, and by how much they miss its output, in words."""

from collections.abc import Mapping
from math import inf, isnan

from attn_tui.compute.heads.head_model import fitted_logit
from attn_tui.compute.heads.reconstruction import By, Reconstruction
from attn_tui.compute.numbers import general, rough_percent
from attn_tui.compute.scale import as_root
from attn_tui.report.masks import mask_name


def m_text(reconstruction: Reconstruction) -> str:
    """Return the multiplier found by a fit, or an empty text.

    >>> from attn_tui.compute.heads.head_model import HeadModel
    >>> m_text(Reconstruction(HeadModel(7.996), "fit", ("multiplier",)))
    'm = 8'
    """
    if reconstruction.multiplier is None:
        return ""
    return f"m = {as_root(reconstruction.multiplier) or general(reconstruction.multiplier, 3)}"


def reconstruction_text(reconstruction: Reconstruction, mask: str = "", with_m: bool = True) -> str:
    """Return how weights are computed, as far as the capture tells.

    Args:
        reconstruction: How they are computed.
        mask: Their mask in words; by default, its name.
        with_m: Whether to include m.

    >>> from attn_tui.compute.heads.head_model import HeadModel
    >>> model = HeadModel(7.996, softcap=20.0)
    >>> reconstruction_text(Reconstruction(model, "fit", ("multiplier", "softcap")))
    'm = 8, causal, soft cap 20'
    """
    parts = [m_text(reconstruction) if with_m else "", mask or mask_name(reconstruction.mask)]
    if reconstruction.softcap is not None:
        parts.append(f"soft cap {general(reconstruction.softcap, 3)}")
    if reconstruction.sink is not None:
        parts.append(f"sink b = {general(fitted_logit(reconstruction.sink), 3)}")
    elif reconstruction.drops_sink:
        parts.append("sink none")
    if reconstruction.model.value_scale != 1.0:
        parts.append(f"value scale {general(reconstruction.model.value_scale, 3)}")
    return ", ".join(filter(None, parts))


RULE = "1/√d_k"
"""The default rule."""


SAID: Mapping[By, str] = {
    "output": "the output says",
    "weights": "the weights say",
}
"""What a captured output or captured weights say about how weights are computed."""

MISSES: Mapping[By, str] = {
    "output": "P·V misses the output",
    "weights": "P misses the captured weights",
}
"""The comparison with a captured output or with captured weights."""


_CLOSE = 1e-3
"""An uncertainty of m up to this share is not mentioned."""

NOTHING = 5e-4
"""A miss below this share is called almost nothing."""


def doubt_text(doubt: float) -> str:
    """Return by how much m may be off, given what was captured; or an empty text.

    >>> doubt_text(0.021), doubt_text(1e-4)
    ('m may be off by 2 %', '')
    """
    if doubt <= _CLOSE:
        return ""
    if doubt == inf:
        return f"m = {RULE} is assumed, since nothing captured depends on it"
    return f"m may be off by {rough_percent(doubt)}"


def miss_text(residual: float) -> str:
    """Return the text of a residual relative to the output.

    >>> miss_text(0.36), miss_text(1.7), miss_text(1e-6), miss_text(float("nan"))
    ('36 %', '≥ 100 %', 'almost nothing', 'NaN')
    """
    if residual >= 1.0:
        return "≥ 100 %"
    return rough_percent(residual) if residual >= NOTHING or isnan(residual) else "almost nothing"
