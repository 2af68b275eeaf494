"""A capture opened as its configuration says, wherever that is: one rule for all who open one."""

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
from attn_tui.files.models.expected import NONE, Expectation, Expected

_BESIDE = "config.json"

CALLS = "the arguments of the calls"
"""What such an expectation is called."""
_LEAST, _MOST = 1e-9, 1e9
"""A scale that is smaller or larger is none."""


@dataclass(frozen=True, eq=False)
class Configured:
    """A capture, and what is expected of it.

    Attributes:
        capture: The tensors; it states whose heads they have where these are a configuration's.
        expectation: What is expected, or None if nothing says.
        config: The file that says so; empty where that is the capture itself, or nothing does.
        layouts: How tensors are read: as asked, or with the heads that are expected.
        notes: What else is to be said, in sentences.
    """

    capture: Capture
    expectation: Expectation | None
    config: str
    layouts: str
    notes: tuple[str, ...] = ()

    def settled(self, layers: Sequence[int] | None = None) -> "Configured":
        """Return itself: for whoever takes numbers of heads, and judges nothing.

        Args:
            layers: Those that are to be read; None for all.

        Raises:
            InputError: With field ``"config"``, if the model that is expected has other heads; with
                ``"layout"``, if nothing tells how one of the layers is read.
        """
        if self.config and self.expectation:
            _refuse(_misfit(self.expectation, self.capture))
        self.capture.settled(layers)
        return self


def open_configured(
    paths: Sequence[str], layouts: str = "", names: str = "", config: str = "", anew: bool = True
) -> Configured:
    """Open a capture with the configuration that is named, or else as its own metadata says.

    Where these say nothing, it is the config.json in its folder, if that is of its model.

    Args:
        paths: Of its files, as `open_capture` takes them.
        layouts: The axes of tensors, as they are typed; empty is what is recognised.
        names: What tensors are called, as it is typed.
        config: The configuration that is named, if one is.
        anew: Whether its folder is looked into. It was when the capture was first opened, and what
            is given says what came of it.

    Raises:
        InputError: If files open in no layout, or the configuration that is named cannot be read.
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
        said = f"The heads are those of the configuration: --layout '{own}'."
        layouts, capture = own, open_capture(paths, own, names)
        states = capture.states
        capture = replace(capture, states=lambda chosen: (*states(chosen), said))
    return Configured(capture, expectation, file, layouts, tuple(notes))


def _layouts_of(capture: Capture, expectation: Expectation) -> str:
    """Return the layouts, as ``--layout`` takes them, in which a capture has a model's heads.

    It is empty where the capture has them as it is first read, and where no layout has. What else
    shapes leave open, as how an output is turned, its numbers tell.
    """
    shape, layer = expectation.shape, capture.layers[0]
    if shape.heads is None or not shape.d_k:
        return ""
    readings = capture.readings(layer)
    fitting = [
        each
        for each in readings
        if not expectation.problem([layer], each.dims.heads, {each.dims.d_k}, each.dims.kv_heads)
    ]
    # Fewer may be those of a rank, where nothing else tells which they are.
    whole = [each for each in capture.undecided(layer) if each.dims.heads == shape.heads]
    is_told = len(whole) == 1 and whole[0] in fitting
    if is_told:
        fitting = whole
    if not fitting or (readings[0] in fitting and not is_told):
        return ""
    named = {part: layout_text(axes) for part, axes in fitting[0].layouts if part in ("q", "k")}
    return ",".join(f"{part}={text}" for part, text in named.items())


def config_version(paths: Sequence[str], config: str) -> tuple[str, int]:
    """Return the configuration that is named, or beside a capture, and when it was written.

    The name is empty where there is none, and the time, in nanoseconds, 0 where no file is.
    """
    path = os.path.expanduser(config) or _near(paths)
    with suppress(OSError, ValueError):
        return path, os.stat(path).st_mtime_ns
    return path, 0


def _near(paths: Sequence[str]) -> str:
    """Return the configuration in the folder of a capture, or nothing."""
    if not paths or paths[0] == EXAMPLE_NAME:
        return ""
    first = os.path.expanduser(paths[0])
    path = os.path.join(first if os.path.isdir(first) else os.path.dirname(first), _BESIDE)
    return path if os.path.isfile(path) else ""


def _misfit(expectation: Expectation, capture: Capture, with_length: bool = False) -> str:
    """Return why no reading of a capture has the heads that are expected, or nothing.

    Args:
        expectation: Of the model.
        capture: The tensors.
        with_length: Whether heads are to be of the length that is expected: zeros may follow.
    """
    problems = []
    for dims in dict.fromkeys(each.dims for each in capture.readings(capture.layers[0])):
        lengths = {dims.d_k} if with_length else set()
        problems.append(expectation.problem(capture.layers, dims.heads, lengths, dims.kv_heads))
    return "" if "" in problems else problems[0]


def _refuse(problem: str) -> None:
    if problem:
        raise InputError("config", problem, "the configuration of the model that was captured")


def _other_kind(expectation: Expectation, capture: Capture) -> str:
    """Return that a capture says it is of another architecture than is expected, or nothing."""
    kind, said = expectation.kind, capture.config.get("model_type")
    if not kind or not isinstance(said, str) or kind.split("_text")[0] == said.split("_text")[0]:
        return ""
    return f"it is of {inert(kind)[1:-1]}, and the capture says {inert(said)[1:-1]}"


def with_calls(expectation: Expectation | None, capture: Capture) -> Expectation | None:
    """Return an expectation with what calls were given, where it says nothing of that itself.

    Args:
        expectation: What is expected by somebody else, if by anybody.
        capture: With ``LAYER.scale`` and the like in its metadata.
    """
    calls = calls_of(capture)
    if not calls:
        return expectation
    if expectation is None:
        return Expectation(CALLS, Expected(), calls=calls)
    said = {layer: expectation.said_of(layer) for layer in calls}
    adds = any(said[layer].completed(each) != said[layer] for layer, each in calls.items())
    source = f"{expectation.source}; {CALLS}" if adds else expectation.source
    return replace(expectation, source=source, calls=calls)


def calls_of(capture: Capture) -> Mapping[int, Expected]:
    """Return what the call of each layer was given, as far as the metadata says it."""
    found: dict[int, Expected] = {}
    shapes = {each.layer: each for each in reversed(capture.heads)}
    for layer, head in shapes.items():
        scale = _finite(capture.config.get(f"{layer}.scale"))
        cap = _finite(capture.config.get(f"{layer}.softcap"))
        shape = capture.shape(head)
        # Of fewer queries than keys libraries do not agree where the first of them stands.
        is_square = shape.n_queries == shape.n_keys
        masks = {"True": "causal", "False": "none"}
        mask = masks.get(str(capture.config.get(f"{layer}.is_causal"))) if is_square else None
        said = Expected(
            multiplier=scale if scale is not None and _LEAST <= scale <= _MOST else None,
            softcap=None if cap is None or cap < 0.0 else cap or NONE,
            mask=mask,  # type: ignore[arg-type]
        )
        if said != Expected():
            found[layer] = said
    return found


def _finite(value: Any) -> float | None:
    if isinstance(value, str | int | float):
        with suppress(ValueError, OverflowError):
            number = float(value)
            return number if isfinite(number) else None
    return None
