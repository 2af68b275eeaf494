"""For tests: `assert_attention` fails with what the doctor says."""

from collections.abc import Callable
from typing import Any

from attn_tui.compute.errors import InputError
from attn_tui.probing.asking import probe


def assert_attention(f: Callable[..., Any], **described: Any) -> None:
    """Check that a function is the attention that is meant.

    Args:
        f: The function of q, k and v.
        described: What it should do, and the sizes of its inputs: the arguments of
            `attn_tui.probe`.

    Raises:
        AssertionError: With what the doctor says, unless the verdict is *agrees*.
        InputError: With the name of the argument that will not do.

    >>> import numpy as np
    >>> def attention(q, k, v):
    ...     z = q @ k.swapaxes(2, 3) / np.sqrt(q.shape[3])
    ...     p = np.exp(z - z.max(3, keepdims=True))
    ...     return p / p.sum(3, keepdims=True) @ v
    >>> assert_attention(attention, quick=True)
    """
    __tracebackhide__ = True
    try:
        diagnosis = probe(f, **described)
    except InputError as error:
        # pytest shows where an exception was raised; what was asked is in the test.
        raise error.with_traceback(None) from None
    if diagnosis.verdict != "agrees":
        raise AssertionError(str(diagnosis))
