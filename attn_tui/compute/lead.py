"""A key that leads: how far ahead of the others its logit is, and what weight that leaves it."""

from math import exp, hypot, inf, sqrt, tanh

from attn_tui.compute.scale import LogitMap


def lead_logits(
    lead: float, d_k: int, to_logits: LogitMap, spread: float = 1.0, normalises: bool = False
) -> float:
    """Return by how many logits a leading key is ahead of keys whose score is 0.

    It is for q of the length √d_k, and under 1/√d_k the lead itself.

    Args:
        lead: g of `Setup`, 0 or more.
        d_k: The length of q.
        to_logits: The multiplier and the soft cap.
        spread: σ_q·σ_k.
        normalises: Whether q and k are normalised: then the key's length limits its cosine.
    """
    score = lead * sqrt(d_k) * spread
    if normalises:
        score = d_k * lead / hypot(lead, sqrt(d_k - 1.0)) if lead else 0.0
    logit = to_logits.multiplier * score
    cap = to_logits.softcap
    return logit if cap is None else cap * tanh(logit / cap)


def among_equals(logit: float, n_keys: int, sink: float | None = None) -> float:
    """Return e^g/(e^g + n − 1 + e^b), the weight of one of n keys if the others' logits are all 0.

    Args:
        logit: g, the logit of the one key.
        n_keys: n.
        sink: b, the logit of the sink; None for no sink.

    >>> round(among_equals(5.0, 64), 4), round(among_equals(5.0, 64, sink=5.0), 4)
    (0.702, 0.4125)
    """
    try:
        others = (n_keys - 1) * exp(-logit)
        others += 0.0 if sink is None else exp(sink - logit)
    except OverflowError:
        others = inf
    return 1.0 / (1.0 + others)
