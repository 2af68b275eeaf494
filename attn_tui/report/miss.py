"""By how much weights miss the output that was captured with them, in words."""

from math import isnan

from attn_tui.report.headline import percent


def miss_text(residual: float) -> str:
    """Return by how much, relative to the output.

    >>> miss_text(0.36), miss_text(1.7), miss_text(float("nan"))
    ('36 %', '≥ 100 %', 'NaN')
    """
    if isnan(residual):
        return "NaN"
    return percent(residual) if residual < 1.0 else "≥ 100 %"


def miss_texts(made: str, residual: float, more: str) -> list[str]:
    """Return it at decreasing length.

    Args:
        made: How the weights are made: their mask.
        residual: ‖out − P·V‖/‖out‖.
        more: What is to be said besides, where there is room.
    """
    miss = miss_text(residual)
    begin = made[:1].upper() + made[1:]
    return [
        f"{begin} misses the output by {miss}: {more}",
        f"{begin} misses the output by {miss}",
        f"P·V misses output by {miss}",
        f"misses {miss}",
    ]
