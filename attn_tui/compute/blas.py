"""Control of the threads of OpenBLAS, the library that multiplies matrices for NumPy."""

import ctypes
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any

_SPELLINGS = ("scipy_openblas_{}64_", "scipy_openblas_{}", "openblas_{}64_", "openblas_{}")


@contextmanager
def one_thread() -> Iterator[None]:
    """Run products on one thread inside the context; leaving the last one restores the setting.

    It does nothing if NumPy uses another library.
    """
    ask, tell = _call("get_num_threads", ctypes.c_int), _call("set_num_threads", None)
    if ask is None or tell is None:
        yield
        return
    with _LOCK:
        if not _within:
            _before[:] = [ask()]
            tell(1)
        _within.append(None)
    try:
        yield
    finally:
        with _LOCK:
            _within.pop()
            if not _within:
                tell(_before[0])


_LOCK, _within, _before = threading.Lock(), list[None](), list[int]()


@cache
def _call(name: str, result: Any) -> Callable[..., Any] | None:
    """Return a function of OpenBLAS, if NumPy has it."""
    try:
        # Symbols are also looked up in the libraries that NumPy's own module is linked to.
        library = ctypes.CDLL(str(import_module("numpy._core._multiarray_umath").__file__))
    except (ImportError, OSError):
        return None
    for spelling in _SPELLINGS:
        function = getattr(library, spelling.format(name), None)
        if function is not None:
            function.restype = result
            return function  # type: ignore[no-any-return]
    return None
