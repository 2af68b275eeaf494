"""Reading keys from a terminal that may send bytes that are not UTF-8."""

from codecs import IncrementalDecoder, getincrementaldecoder
from collections.abc import Callable
from functools import partial


def lenient(encoding: str) -> Callable[[], IncrementalDecoder]:
    """Return a decoder that reads a byte it does not understand as U+FFFD."""
    return partial(getincrementaldecoder(encoding), errors="replace")


def accept_any_bytes() -> None:
    """Make Textual read keys leniently; its own decoder ends the program on the first such byte."""
    try:
        from textual.drivers import linux_driver
    except ImportError:  # Windows has a driver of its own, which reads characters.
        return
    vars(linux_driver)["getincrementaldecoder"] = lenient
