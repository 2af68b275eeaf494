"""Open a capture with the configuration of its model, by one rule for every caller."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite
from typing import Any

from attn_tui.captures.capture import Capture
from attn_tui.captures.layouts import layout_text
from attn_tui.captures.opening import open_arrays, open_capture
from attn_tui.captures.readings import VARIABLES, Reading, readings_of
from attn_tui.captures.stored import Raw
from attn_tui.captures.suffixes import EXAMPLE_NAME
from attn_tui.compute.errors import InputError, inert
from attn_tui.files.models import transformers
from attn_tui.files.models.configuration import claimed, read_expectation
from attn_tui.files.models.promise import NONE, Expectation, Promise
from attn_tui.files.models.towers import bound, captured_layers

_CONFIG = "config.json"

Configuration = str | Mapping[str, Any]
"""A configuration: the path of its file, or its fields."""


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
    paths: Sequence[str],
    layouts: str = "",
    names: str = "",
    config: Configuration = "",
    anew: bool = True,
) -> Configured:
    """Open a capture with the named configuration, or else as its own metadata says.

    If neither says anything, the config.json in its folder is used, if it fits the model.

    Args:
        paths: The paths of its files, as `open_capture` takes them.
        layouts: The axes of tensors, as typed; empty to recognise them.
        names: What tensors are called, as typed.
        config: The named configuration: its path, or its fields; empty for none.
        anew: Whether to look for a config.json in the folder; False if this was done when the
            capture was first opened, so that `config` has the result.

    Raises:
        InputError: If the files open in no layout, or the named configuration cannot be read.
    """

    def opened(layouts: str) -> Capture:
        return open_capture(paths, layouts, names)

    return _configured(opened, layouts, config, paths if anew and not config else ())


def open_configured_arrays(
    arrays: Mapping[str, Raw], layouts: str = "", config: Configuration = ""
) -> Configured:
    """Open arrays in memory with the configuration of their model, or without any.

    Args:
        arrays: The arrays, as `open_arrays` takes them.
        layouts: The axes of tensors, as typed; empty to recognise them.
        config: The configuration: its path, or its fields; empty for none.

    Raises:
        InputError: If the arrays do not fit each other, or the configuration cannot be read.
    """
    return _configured(partial(open_arrays, arrays), layouts, config, ())


def _configured(
    opened: Callable[[str], Capture], layouts: str, config: Configuration, paths: Sequence[str]
) -> Configured:
    """Return a capture with what is expected of it.

    Args:
        opened: Opens the capture with tensors read in some layouts, as typed.
        layouts: The axes of tensors, as typed; empty to recognise them.
        config: The configuration that was named: its path, or its fields; empty for none.
        paths: The paths of the capture if its folder may have a configuration, or nothing.
    """
    capture = opened(layouts)
    expectation = claimed(capture.config, capture.shape(capture.heads[0]).d_k)
    first_head = _first_head(capture)
    if expectation is not None:
        expectation = expectation.with_first_head(first_head)
    file, notes = config if isinstance(config, str) else "", []
    if config:
        expectation = expectation_of(config).with_first_head(first_head)
        _refuse(_other_kind(expectation, capture))
    elif expectation is None and (neighbour := _neighbour(paths)):
        try:
            found = read_expectation(neighbour, f"{_CONFIG} beside it").with_first_head(first_head)
        except InputError as error:
            notes.append(f"{_CONFIG} beside it is no configuration: {error.problem}.")
        else:
            problem = _other_kind(found, capture) or _misfit(found, capture, with_length=True)
            if problem:
                notes.append(f"{_CONFIG} beside it is of another model: {problem}.")
            else:
                expectation, file = found, neighbour
    if expectation is None:
        return Configured(capture, None, file, layouts, tuple(notes))
    expectation = bound(expectation, captured_layers(capture))
    stated = "" if layouts else _layouts_of(capture, expectation)
    if stated:
        sentence = f"The heads are those of the configuration: --layout '{stated}'."
        layouts, capture = stated, opened(stated)
        states = capture.states
        capture = replace(capture, states=lambda chosen: (*states(chosen), sentence))
        expectation = bound(expectation, captured_layers(capture))
    return Configured(capture, expectation, file, layouts, tuple(notes))


def expectation_of(config: Configuration) -> Expectation:
    """Return what a configuration expects that a caller named or has read.

    Raises:
        InputError: With field ``"config"``, if it cannot be read.
    """
    if isinstance(config, str):
        return read_expectation(config)
    return transformers.expectation(dict(config), "the configuration")


def _layouts_of(capture: Capture, expectation: Expectation) -> str:
    """Return the layouts, as ``--layout`` takes them, in which a capture has a model's heads.

    They are empty if the first reading has these heads already, and if no reading has. Whatever
    else shapes leave open, such as the axes of the output, its numbers tell.
    """
    layer = capture.layers[0]
    tower = expectation.tower(layer)
    heads = tower.shape.heads
    if heads is None or not tower.shape.d_k:
        return ""
    fitting = [
        reading
        for reading in _readings(capture, layer, heads)
        if not tower.problem((), reading.dims.heads, {reading.dims.d_k}, reading.dims.kv_heads)
    ]
    # Fewer heads may be those of one rank, so only the full number settles an open reading.
    complete = {
        reading.layout("q"): reading for reading in reversed(fitting) if reading.dims.heads == heads
    }
    first, is_open = capture.readings(layer)[0], bool(capture.undecided(layer))
    chosen = fitting[0] if fitting else first
    if len(complete) == 1:
        (reading,) = complete.values()
        # More heads than models have, or a single key, are likely if the configuration says so.
        is_usual = "hn" in layout_text(reading.layout("q"))
        chosen = reading if is_open or is_usual or first not in fitting else first
    elif first in fitting:
        chosen = first
    if chosen.layout("q") == first.layout("q") and not (is_open and chosen in complete.values()):
        return ""
    named = {part: layout_text(axes) for part, axes in chosen.layouts if part in ("q", "k")}
    return ",".join(f"{part}={text}" for part, text in named.items())


def _readings(capture: Capture, layer: int, heads: int) -> tuple[Reading, ...]:
    """Return the ways to read a layer, unlikely ones too if they have this number of heads."""
    readings = capture.readings(layer)
    tensors = capture.tensors(layer)
    if len(tensors["q"].pieces) > 1 or "layout" in capture.config:
        return readings
    shapes = tuple((part, tensors[part].shape) for part in VARIABLES if part in tensors)
    more = readings_of(shapes, counts=(("heads", heads),))
    return tuple(dict.fromkeys((*readings, *more)))


def config_version(paths: Sequence[str], config: str) -> tuple[str, int]:
    """Return the path of a capture's configuration, named or beside it, and when it was written.

    The path is empty if there is none; the time, in nanoseconds, is 0 if there is no file.
    """
    path = os.path.expanduser(config) or _neighbour(paths)
    with suppress(OSError, ValueError):
        return path, os.stat(path).st_mtime_ns
    return path, 0


def _neighbour(paths: Sequence[str]) -> str:
    """Return the path of the config.json in the folder of a capture; empty if there is none."""
    if not paths or paths[0] == EXAMPLE_NAME:
        return ""
    first = os.path.expanduser(paths[0])
    path = os.path.join(first if os.path.isdir(first) else os.path.dirname(first), _CONFIG)
    return path if os.path.isfile(path) else ""


def _misfit(expectation: Expectation, capture: Capture, with_length: bool = False) -> str:
    """Return why no reading of a capture has the expected heads, or an empty text if one has.

    Args:
        expectation: What is expected of the model.
        capture: The tensors.
        with_length: Whether queries must have the expected length; zeros may pad them.
    """
    layers = captured_layers(capture)
    for layer in layers if expectation.towers else ():
        problems = [layer.problem(tower, with_length) for tower in expectation.towers]
        if "" not in problems:
            return problems[0]
    if expectation.towers:
        return ""
    placed, layer = bound(expectation, layers), layers[0]
    if expectation.shape.heads is not None:
        # A reading may be likely only because the configuration has as many heads.
        more = _readings(capture, layer.number, expectation.shape.heads)
        dims = dict.fromkeys((*layer.dims, *(reading.dims for reading in more)))
        layer = replace(layer, dims=tuple(dims))
    return placed.problem(capture.layers, 0, (), 0) or layer.problem(expectation, with_length)


def _refuse(problem: str) -> None:
    if problem:
        raise InputError("config", problem, "the configuration of the model that was captured")


def _first_head(capture: Capture) -> int | None:
    """Return which head of the model is the first captured one, if the metadata says it."""
    number = capture.config.get("first_head")
    return number if type(number) is int and number >= 0 else None


def _other_kind(expectation: Expectation, capture: Capture) -> str:
    """Return that a capture names another architecture than expected, or an empty text."""
    kind, claim = expectation.kind, capture.config.get("model_type")
    if not kind or not isinstance(claim, str) or kind.split("_text")[0] == claim.split("_text")[0]:
        return ""
    return f"it is of {inert(kind)[1:-1]}, and the capture says {inert(claim)[1:-1]}"


def calls_of(capture: Capture) -> Mapping[int, Promise]:
    """Return what each layer's call was given, as far as the metadata has it.

    It is no promise: multiplier, soft cap, and a causal mask, as they were passed.
    """
    calls: dict[int, Promise] = {}
    shapes = {head.layer: head for head in reversed(capture.heads)}
    for layer, head in shapes.items():
        cap = _finite(capture.config.get(f"{layer}.softcap"))
        shape = capture.shape(head)
        # Libraries disagree on where the first query stands if queries are fewer than keys; and
        # long masks are left out of captures, so that False says nothing.
        is_square = shape.n_queries == shape.n_keys
        is_causal = str(capture.config.get(f"{layer}.is_causal")) == "True"
        call = Promise(
            multiplier=_finite(capture.config.get(f"{layer}.scale")),
            softcap=None if cap is None or cap < 0.0 else cap or NONE,
            mask="causal" if is_square and is_causal else None,
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
