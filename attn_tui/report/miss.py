"""How the weights of a capture are made, and by how much they miss its output, in words."""

import re
from math import isnan

from attn_tui.report.headline import percent
from attn_tui.report.numbers import quantity


def made_text(mask: str, softcap: float | None, sink: float | None) -> str:
    """Return a mask in words with the cap and the sink that were found with it.

    >>> made_text("window of 32 keys", 20.0, None)
    'window of 32 keys, soft cap 20.0'
    """
    cap = "" if softcap is None else f", soft cap {quantity(softcap)}"
    return f"{mask}{cap}" + ("" if sink is None else f", sink b = {quantity(sink)}")


def made_texts(mask: str, softcap: float | None, sink: float | None) -> list[str]:
    """Return the same at decreasing length, as what a fit finds.

    >>> made_texts("window of 32 keys", 20.0, 1.0)[2:]
    ['window 32, cap 20.0, sink 1.00 by fit', 'window 32, cap 20.0, sink 1.00', 'window, cap, sink']
    """
    made = made_text(mask, softcap, sink)
    short = made.replace(" of ", " ").replace(" keys", "").replace("soft ", "")
    short = short.replace("sink b = ", "sink ").replace("no mask, ", "")
    bare = re.sub(" [0-9][0-9.,]*[0-9]", "", short)
    return [f"{made}, found by the doctor's fit", f"{made}, by fit", f"{short} by fit", short, bare]


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
