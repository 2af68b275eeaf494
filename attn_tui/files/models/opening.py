"""Open a capture with the configuration of its model, by one rule for every caller."""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

from attn_tui.captures.capture import Capture
from attn_tui.captures.layouts import layout_text
from attn_tui.captures.opening import open_capture
from attn_tui.captures.suffixes import EXAMPLE_NAME
from attn_tui.compute.errors import InputError, inert
from attn_tui.files.models.configuration import claimed, read_expectation
from attn_tui.files.models.promise import NONE, Expectation, Promise

_BESIDE = "config.json"

CALLS = "the arguments of the calls"
"""The source of an expectation that rests on captured arguments alone."""
_LEAST, _MOST = 1e-9, 1e9
"""The bounds of a captured scale; others are ignored."""


@dataclass(frozen=True, eq=False)
class Configured:
    """A capture and what is expected of it.

    Attributes:
        capture: The tensors; it states if their layout follows from the configuration.
        expectation: What is expected, or None if nothing says.
        config: The file that says it; empty if the capture itself does, or nothing.
        layouts: How tensors are read: as asked, or with the expected heads.
        notes: Sentences on a configuration that was found but not used.
    """

    capture: Capture
    expectation: Expectation | None
    config: str
    layouts: str
    notes: tuple[str, ...] = ()

    def settled(self, layers: Sequence[int] | None = None) -> "Configured":
        """Return itself after checks, for callers that take numbers of heads and judge nothing.

        Args:
            layers: The numbers of the layers to be read; None for all.

        Raises:
            InputError: With field ``"config"``, if the expected model has other heads; with
                ``"layout"``, if nothing tells how one of the layers is read.
        """
        if self.config and self.expectation:
            _refuse(_misfit(self.expectation, self.capture))
        self.capture.settled(layers)
        return self


def open_configured(
    paths: Sequence[str], layouts: str = "", names: str = "", config: str = "", anew: bool = True
) -> Configured:
    """Open a capture with the named configuration, or else as its own metadata says.

    If neither says anything, the config.json in its folder is used, if it fits the model.

    Args:
        paths: The paths of its files, as `open_capture` takes them.
        layouts: The axes of tensors, as typed; empty to recognise them.
        names: What tensors are called, as typed.
        config: The path of the named configuration; empty for none.
        anew: Whether to look for a config.json in the folder; False if this was done when the
            capture was first opened, so that `config` has the result.

    Raises:
        InputError: If the files open in no layout, or the named configuration cannot be read.
    """
    capture = open_capture(paths, layouts, names)
    expectation = claimed(capture.config, capture.shape(capture.heads[0]).d_k)
    file, notes = config, []
    if config:
        expectation = read_expectation(config)
        _refuse(_other_kind(expectation, capture))
    elif expectation is None and anew and (near := _near(paths)):
        try:
            beside = read_expectation(near, f"{_BESIDE} beside it")
        except InputError as error:
            notes.append(f"{_BESIDE} beside it is no configuration: {error.problem}.")
        else:
            problem = _other_kind(beside, capture) or _misfit(beside, capture, with_length=True)
            if problem:
                notes.append(f"{_BESIDE} beside it is of another model: {problem}.")
            else:
                expectation, file = beside, near
    expectation = with_calls(expectation, capture)
    if expectation and (own := _layouts_of(capture, expectation)):
        sentence = f"The heads are those of the configuration: --layout '{own}'."
        layouts, capture = own, open_capture(paths, own, names)
        states = capture.states
        capture = replace(capture, states=lambda chosen: (*states(chosen), sentence))
    return Configured(capture, expectation, file, layouts, tuple(notes))


def _layouts_of(capture: Capture, expectation: Expectation) -> str:
    """Return the layouts, as ``--layout`` takes them, in which a capture has a model's heads.

    They are empty if the first reading has these heads already, and if no reading has. Whatever
    else shapes leave open, such as the axes of the output, its numbers tell.
    """
    shape, layer = expectation.shape, capture.layers[0]
    if shape.heads is None or not shape.d_k:
        return ""
    readings = capture.readings(layer)
    fitting = [
        reading
        for reading in readings
        if not expectation.problem(
            [layer], reading.dims.heads, {reading.dims.d_k}, reading.dims.kv_heads
        )
    ]
    # Fewer heads may be those of one rank, so only the full number settles an open reading.
    whole = [reading for reading in capture.undecided(layer) if reading.dims.heads == shape.heads]
    is_told = len(whole) == 1 and whole[0] in fitting
    if is_told:
        fitting = whole
    if not fitting or (readings[0] in fitting and not is_told):
        return ""
    named = {part: layout_text(axes) for part, axes in fitting[0].layouts if part in ("q", "k")}
    return ",".join(f"{part}={text}" for part, text in named.items())


def config_version(paths: Sequence[str], config: str) -> tuple[str, int]:
    """Return the path of a capture's configuration, named or beside it, and when it was written.

    The path is empty if there is none; the time, in nanoseconds, is 0 if there is no file.
    """
    path = os.path.expanduser(config) or _near(paths)
    with suppress(OSError, ValueError):
        return path, os.stat(path).st_mtime_ns
    return path, 0


def _near(paths: Sequence[str]) -> str:
    """Return the path of the config.json in the folder of a capture; empty if there is none."""
    if not paths or paths[0] == EXAMPLE_NAME:
        return ""
    first = os.path.expanduser(paths[0])
    path = os.path.join(first if os.path.isdir(first) else os.path.dirname(first), _BESIDE)
    return path if os.path.isfile(path) else ""


def _misfit(expectation: Expectation, capture: Capture, with_length: bool = False) -> str:
    """Return why no reading of a capture has the expected heads, or an empty text if one has.

    Args:
        expectation: What is expected of the model.
        capture: The tensors.
        with_length: Whether queries must have the expected length; zeros may pad them.
    """
    problems = []
    for dims in dict.fromkeys(reading.dims for reading in capture.readings(capture.layers[0])):
        lengths = {dims.d_k} if with_length else set()
        problems.append(expectation.problem(capture.layers, dims.heads, lengths, dims.kv_heads))
    return "" if "" in problems else problems[0]


def _refuse(problem: str) -> None:
    if problem:
        raise InputError("config", problem, "the configuration of the model that was captured")


def _other_kind(expectation: Expectation, capture: Capture) -> str:
    """Return that a capture names another architecture than expected, or an empty text."""
    kind, claim = expectation.kind, capture.config.get("model_type")
    if not kind or not isinstance(claim, str) or kind.split("_text")[0] == claim.split("_text")[0]:
        return ""
    return f"it is of {inert(kind)[1:-1]}, and the capture says {inert(claim)[1:-1]}"


def with_calls(expectation: Expectation | None, capture: Capture) -> Expectation | None:
    """Return an expectation with the captured arguments of calls, for what it does not say itself.

    Args:
        expectation: The expectation from another source, or None.
        capture: The capture, with ``LAYER.scale`` and the like in its metadata.
    """
    calls = calls_of(capture)
    if not calls:
        return expectation
    if expectation is None:
        return Expectation(CALLS, Promise(), calls=calls)
    stated = {layer: expectation.said_of(layer) for layer in calls}
    adds = any(stated[layer].completed(call) != stated[layer] for layer, call in calls.items())
    source = f"{expectation.source}; {CALLS}" if adds else expectation.source
    return replace(expectation, source=source, calls=calls)


def calls_of(capture: Capture) -> Mapping[int, Promise]:
    """Return the arguments of each layer's call, as far as the metadata has them."""
    calls: dict[int, Promise] = {}
    shapes = {head.layer: head for head in reversed(capture.heads)}
    for layer, head in shapes.items():
        scale = _finite(capture.config.get(f"{layer}.scale"))
        cap = _finite(capture.config.get(f"{layer}.softcap"))
        shape = capture.shape(head)
        # Libraries disagree on where the first query stands if queries are fewer than keys.
        is_square = shape.n_queries == shape.n_keys
        masks = {"True": "causal", "False": "none"}
        mask = masks.get(str(capture.config.get(f"{layer}.is_causal"))) if is_square else None
        call = Promise(
            multiplier=scale if scale is not None and _LEAST <= scale <= _MOST else None,
            softcap=None if cap is None or cap < 0.0 else cap or NONE,
            mask=mask,  # type: ignore[arg-type]
        )
        if call != Promise():
            calls[layer] = call
    return calls


def _finite(value: Any) -> float | None:
    if isinstance(value, str | int | float):
        with suppress(ValueError, OverflowError):
            number = float(value)
            return number if isfinite(number) else None
    return None
