"""What files hold packed: it is unpacked once, and kept as long as there is room."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock

from attn_tui.captures.stored import Raw

MOST = 2**30
"""Bytes that are kept together, which is also what the packed tensors of one layer may have."""

_kept: OrderedDict[Hashable, Raw] = OrderedDict()
_lock = Lock()


def kept(key: Hashable, size: int, unpack: Callable[[], Raw]) -> Raw:
    """Return what has been unpacked, or is now; what was used longest ago makes room for it.

    Args:
        key: What tells it from all others.
        size: Its bytes, at most `MOST`.
        unpack: Returns it.
    """
    with _lock:
        if key not in _kept:
            while _kept and sum(numbers.nbytes for numbers in _kept.values()) + size > MOST:
                _kept.popitem(last=False)
            numbers = unpack()
            numbers.flags.writeable = False
            _kept[key] = numbers
        _kept.move_to_end(key)
        return _kept[key]
