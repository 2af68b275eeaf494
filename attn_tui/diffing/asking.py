"""`diff`: whether two captures of one model have the same attention, and what differs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from attn_tui.captures.arrays import array_in
from attn_tui.compute.blas import one_thread
from attn_tui.compute.errors import InputError
from attn_tui.diagnosis.asking import configuration_of, paths_of, settings_of
from attn_tui.diffing.capture_difference import CaptureDifference
from attn_tui.diffing.examine import compared, naming
from attn_tui.doctor.expect import TypedExpectation, expecting, parse_expected
from attn_tui.files.models.opening import (
    Configuration,
    Configured,
    open_configured,
    open_configured_arrays,
)

EXPECTED = "the path of a capture, a list of paths, or a dict of arrays such as '0.q'"


def diff(
    reference: Any,
    port: Any,
    *,
    config: Any = None,
    expect: str = "",
    match: str = "",
    layout: str = "",
    names: str = "",
    port_layout: str | None = None,
    port_names: str | None = None,
    rows: int | str | None = None,
    assume: Sequence[str] | str = (),
    tf32: bool = False,
) -> CaptureDifference:
    """Say whether two captures of one model have the same attention, and what differs first.

    Args:
        reference: The capture that is right: its path, a list of paths, or a dict of arrays whose
            names are those of tensors: ``"0.q"``, ``"0.k"``, ``"0.v"``, ``"0.out"``.
        port: The capture that is held against it, likewise; of the same heads.
        config: What the model promises, as `attn_tui.diagnose` takes it. Without it, what REFERENCE
            says of itself, or what the doctor finds of it.
        expect: What REFERENCE is expected to be, whatever else is said: ``"m=1/sqrt(d_k)"``.
        match: Layers that belong together: by default those of the same number; ``"names"``: those
            of the same name; or pairs of numbers or names, ``"0=1,1=2"`` or
            ``"layers.{layer}=blk.{layer}"``.
        layout: The axes of tensors, as `attn_tui.diagnose` takes them; recognised by default.
        names: What tensors are called: ``"layers.{layer}.{part}"``.
        port_layout: The axes of PORT's tensors, if they are others.
        port_names: What PORT's tensors are called, if otherwise.
        rows: How many rows of each head the doctor compares; None for all of heads that are not
            large, ``"all"`` for all.
        assume: What is granted though it was not captured.
        tf32: Whether products may have been taken in TF32.

    Returns:
        The difference: ``verdict``, ``line``, ``layers``, ``rows()``, and, printed, what
        ``attn-tui diff`` prints.

    Raises:
        InputError: With the name of the argument that will not do.

    >>> import numpy as np
    >>> q, k, v = np.random.default_rng(1).standard_normal((3, 1, 2, 32, 16))
    >>> def capture(m):
    ...     p = np.exp(m * q @ k.swapaxes(2, 3))
    ...     return {"0.q": q, "0.k": k, "0.v": v, "0.out": p / p.sum(3, keepdims=True) @ v}
    >>> diff(capture(1 / 4), capture(1 / 4)).verdict, diff(capture(1 / 4), capture(1 / 8)).verdict
    ('same', 'differs')
    """
    settings = settings_of(rows, assume, tf32)
    typed = parse_expected(expect) if expect else None
    both = opened(
        (reference, port), configuration_of(config), typed,
        (layout, layout if port_layout is None else port_layout),
        (names, names if port_names is None else port_names),
    )  # fmt: skip
    with one_thread():
        *_, difference = compared(both, match, settings)
    return difference


def opened(
    both: tuple[Any, Any],
    config: Configuration,
    typed: TypedExpectation | None,
    layouts: tuple[str, str],
    names: tuple[str, str],
) -> tuple[Configured, Configured]:
    """Return REFERENCE, with what is expected of it, and PORT.

    Args:
        both: Their paths, or their arrays by name.
        config: What the model promises: a path or fields; empty for none.
        typed: What is expected of REFERENCE whatever else is said.
        layouts: The axes of the tensors of each.
        names: What the tensors of each are called.

    Raises:
        InputError: With field ``"reference"`` or ``"port"``, if it cannot be opened.
    """
    sides = []
    for index, side in enumerate(("reference", "port")):
        with naming(side):
            sides.append(_opened(both[index], layouts[index], names[index], config))
    reference, port = sides
    if typed is not None:
        reference = replace(reference, expectation=expecting(typed, reference.expectation))
    return reference, port


def _opened(capture: Any, layout: str, names: str, config: Configuration) -> Configured:
    """Return a capture with what is expected of it."""
    if isinstance(capture, Mapping):
        arrays = {str(name): array_in(str(name), array) for name, array in capture.items()}
        if names:
            raise InputError("names", "arrays have names already", "no names=, or a path")
        if not arrays:
            raise InputError("capture", "it is empty", EXPECTED)
        return open_configured_arrays(arrays, layout, config)
    paths = paths_of(capture)
    if not paths:
        raise InputError("capture", "it is none", EXPECTED)
    return open_configured(paths, layout, names, config)
