"""What is expected of a head, as something that a fit starts from."""

from attn_tui.compute.fit.diagnosis import Diagnosis
from attn_tui.compute.fit.supposed import supposed
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.compute.logit_map import LogitMap
from attn_tui.files.models.expected import LEARNED, NONE, Expected


def start_of(expected: Expected, head: HeadRows) -> Diagnosis:
    """Return what a head would be found to have, if it had what is expected."""
    m = expected.multiplier or head.d_k**-0.5
    sink = 0.0 if expected.sink == LEARNED else expected.sink
    cap, sink = (None if each in (None, NONE) else float(each) for each in (expected.softcap, sink))
    return supposed(LogitMap(m, cap, sink), _mask(expected, head), expected.value_scale or 1.0)


def _mask(expected: Expected, head: HeadRows) -> HeadMask | None:
    if head.seen is not None:
        return HeadMask("given")
    corner = head.corner
    if expected.mask == "window":
        return HeadMask("window", corner, expected.window)
    return (
        None
        if expected.mask is None
        else HeadMask(expected.mask, corner if expected.mask == "causal" else 0)
    )
