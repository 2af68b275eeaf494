"""How the weights of a capture are made, and by how much they miss its output, in words."""

from collections.abc import Mapping
from math import inf, isnan

from attn_tui.compute.heads.reconstruction import By, Reconstruction
from attn_tui.compute.scale import as_root
from attn_tui.report.masks import mask_name
from attn_tui.report.numbers import fitted_logit, general, quantity
from attn_tui.report.words import percent


def m_text(found: Reconstruction) -> str:
    """Return the multiplier that a fit finds, or nothing.

    >>> from attn_tui.compute.heads.mask import HeadMask
    >>> m_text(Reconstruction(HeadMask("causal"), "fit", multiplier=7.996))
    'm = 8'
    """
    if found.multiplier is None:
        return ""
    return f"m = {as_root(found.multiplier) or general(found.multiplier, 3)}"


def made_text(found: Reconstruction, mask: str = "", with_m: bool = True) -> str:
    """Return how weights are made, as far as what was captured says.

    Args:
        found: How they are made.
        mask: What masks them, in words; the name of the mask unless given.
        with_m: Whether m is said.

    >>> from attn_tui.compute.heads.mask import HeadMask
    >>> made_text(Reconstruction(HeadMask("window", window=32), "fit", 7.996, softcap=20.0))
    'm = 8, window of 32 keys, soft cap 20.0'
    """
    parts = [m_text(found) if with_m else "", mask or mask_name(found.mask)]
    if found.softcap is not None:
        parts.append(f"soft cap {quantity(found.softcap)}")
    if found.sink is not None:
        parts.append(f"sink b = {quantity(fitted_logit(found.sink))}")
    elif found.drops_sink:
        parts.append("sink none")
    if found.value_scale != 1.0:
        parts.append(f"value scale {general(found.value_scale, 3)}")
    return ", ".join(filter(None, parts))


RULE = "1/√d_k"
"""The rule where nobody asks for another."""


SAID: Mapping[By, str] = {
    "output": "the output says",
    "weights": "the weights say",
}
"""What was captured, as it says how weights are made."""

MISSES: Mapping[By, str] = {
    "output": "P·V misses the output",
    "weights": "P misses the captured weights",
}
"""What is compared with what was captured."""


_CLOSE = 1e-3
"""That m may be off by a smaller share is not said."""


def doubt_text(doubt: float) -> str:
    """Return by how much m may be off, which what was captured does not tell, or nothing.

    >>> doubt_text(0.021), doubt_text(1e-4)
    ('m may be off by 2 %', '')
    """
    if doubt <= _CLOSE:
        return ""
    if doubt == inf:
        return f"m = {RULE} is assumed, since nothing captured depends on it"
    return f"m may be off by {percent(doubt)}"


def miss_text(residual: float) -> str:
    """Return by how much, relative to the output.

    >>> miss_text(0.36), miss_text(1.7), miss_text(float("nan"))
    ('36 %', '≥ 100 %', 'NaN')
    """
    if isnan(residual):
        return "NaN"
    return percent(residual) if residual < 1.0 else "≥ 100 %"
