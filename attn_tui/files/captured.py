"""Captured heads as text and as JSON."""

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Any

from attn_tui.captures.source import Captured, read_head
from attn_tui.captures.suffixes import EXAMPLE_NAME
from attn_tui.compute.attention.settings import Settings
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.field import parse_whole
from attn_tui.compute.scale import scale_of
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Source
from attn_tui.files.grammar import assignments, refused
from attn_tui.files.paths import path_of, path_text
from attn_tui.files.values import Values, checked

if TYPE_CHECKING:
    from attn_tui.files.models.opening import Configured

_HOW = ("layout", "names")
_PLACES = ("batch", "layer", "head", "row")
_NAMES = ("path", "fingerprint", *_PLACES, *_HOW)
_EXPECTED = "lines such as file: capture.safetensors, and layer = 0, head = 0, row = 7"


def parse_captured(text: str) -> Captured:
    """Read ``file: PATH`` lines, and ``batch = 0, layer = 0, head = 0, row = 7`` in any order.

    ``layout: out=bnhd`` and ``names: q={layer}.q`` say how to read the tensors, ``config: PATH``
    which configuration their model has. Files are read once; a file that has changed since is
    noticed each time.

    Raises:
        InputError: With field ``"capture"``, naming what is not understood or cannot be used.
    """
    paths: list[str] = []
    options: dict[str, Any] = {}
    rest: list[str] = []
    for line in text.split("\n"):
        name, _, value = line.partition(":")
        key = name.strip().lower()
        if key == "file":
            paths.append(os.path.expanduser(path_of(value)))
        elif key in (*_HOW, "config"):
            options[key] = value.strip()
        # Lines that stay empty keep those below where they are.
        rest.append("" if key in ("file", *_HOW, "config") else line)
    for number, name, value in assignments("\n".join(rest), "capture", _EXPECTED):
        if name not in _PLACES:
            raise refused("capture", f"{inert(name)} is unknown", ", ".join(_PLACES), number)
        try:
            options[name] = parse_whole(name, value)
        except InputError as error:
            what = f"{name} = {error.problem}"
            raise refused("capture", what, error.expected, number) from None
    try:
        return captured_at(tuple(paths), **options)
    except InputError as error:
        is_said = error.field in (*_HOW, "config")
        expected = f"{error.field}: {error.expected}" if is_said else error.expected
        raise InputError("capture", error.problem, expected, error.where) from None


def captured_at(
    paths: tuple[str, ...],
    *,
    batch: int | None = None,
    layer: int | None = None,
    head: int | None = None,
    row: int | None = None,
    layout: str = "",
    names: str = "",
    config: str = "",
) -> Captured:
    """Return a head, or a row of one; the same object as long as its files do not change.

    Its tensors are read as `open_configured` decides, and the object records that layout.

    Raises:
        InputError: With field ``"capture"``, or the field of the place, layout, names or
            configuration.
    """
    try:
        # Imported here so that starting the program does not wait for it.
        from attn_tui.files.models.opening import config_version

        version = config_version(paths, config)
        opened = _opened(paths, layout, names, config, version).settled([layer or 0])
        opened.capture.fingerprint.verify()
        captured = _read(paths, batch or 0, layer or 0, head or 0, row, opened.layouts, names)
        assert captured.fingerprint
        captured.fingerprint.verify()
    except InputError as error:
        # The next call reads the files again.
        _opened.cache_clear()
        _read.cache_clear()
        field = error.field if error.field in (*_NAMES, "config") else "capture"
        raise InputError(field, error.problem, error.expected, error.where) from None
    return captured


@lru_cache(maxsize=4)
def _opened(
    paths: tuple[str, ...], layout: str, names: str, config: str, _: tuple[str, int]
) -> "Configured":
    """Open a capture; the last argument is the version of its configuration, for the cache."""
    from attn_tui.files.models.opening import open_configured

    return open_configured(paths, layout, names, config)


@lru_cache(maxsize=4)
def _read(
    paths: tuple[str, ...],
    batch: int,
    layer: int,
    head: int,
    row: int | None,
    layout: str,
    names: str,
) -> Captured:
    """Read a head; if no mask was captured, take the one that explains its output."""
    # Imported here so that starting the program does not wait for it.
    from attn_tui.captures.capture import HeadId
    from attn_tui.captures.opening import open_capture
    from attn_tui.engine.reconstruction import of_head, reconstructions
    from attn_tui.engine.request import Request

    place = HeadId(batch, layer, head)
    capture = open_capture(paths, layout, names)
    # Refuse a head that does not exist before fitting anything.
    capture.shape(place)
    reconstruction = of_head(capture, reconstructions(capture, Request(), (layer,))[layer], place)
    reading = capture.readings(layer)[reconstruction.reading] if reconstruction.fits else None
    source = replace(
        read_head(capture, place, row, reading), paths=paths, reconstruction=reconstruction
    )
    if "sink" in reconstruction.changes:
        source = replace(source, sink=reconstruction.sink)
    if reconstruction.mask.by_position and source.supposed and reconstruction.fits:
        rows_read = range(len(source.queries)) if row is None else [row]
        offset = reconstruction.mask.offset or 0
        positions = tuple(number + offset for number in rows_read)
        source = replace(source, positions=positions, supposed=False)
    return source


def as_captured(setup: Setup, source: Source) -> Setup:
    """Return a setup with the scale and the mask of a captured head.

    A scale that is already set stays. If no mask was captured, it is the one that explains the
    head's output.
    """
    if not isinstance(source, Captured):
        return setup
    setup = with_reconstruction(setup, source)
    if source.causal is None:
        return setup
    settings = replace(setup.get(Settings), causal=source.causal)
    return replace(setup, mask=replace(setup.mask, causal=source.causal)).put(settings)


def with_reconstruction(setup: Setup, source: Captured) -> Setup:
    """Return a setup with the m, cap and sink of a head, unless they are already set."""
    scale = setup.scale.at_layer(source.place[1])
    if source.multiplier is not None and scale.is_default:
        fitted = scale_of(source.multiplier, source.d_k)
        scale = replace(scale, rule=fitted.rule, arguments=fitted.arguments)
    if scale.softcap is None:
        scale = replace(scale, softcap=source.reconstruction.softcap)
    if scale.sink is None and source.sink is not None and isfinite(source.sink):
        scale = replace(scale, sink=source.sink)
    return replace(setup, scale=scale)


def places_of(source: Captured) -> dict[str, int | str]:
    """Return the place of a head or row, and how its tensors are read, by option name."""
    batch, layer, head = source.place
    places: dict[str, int | str] = {"layout": source.layout, "names": source.called, "batch": batch}
    places = {name: value for name, value in places.items() if value}
    places |= {"layer": layer, "head": head}
    return places if source.row is None else places | {"row": source.row}


def captured_text(source: Captured) -> str:
    """Return the text that describes a head or a row."""
    places = places_of(source)
    lines = [f"file: {path_text(path)}" for path in source.paths]
    lines += [f"{name}: {places.pop(name)}" for name in _HOW if name in places]
    return "\n".join([*lines, ", ".join(f"{name} = {value}" for name, value in places.items())])


def absolute(path: str) -> str:
    """Return an absolute path; the built-in example stays as it is."""
    return path if path == EXAMPLE_NAME else os.path.abspath(os.path.expanduser(path))


def captured_to_plain(source: Captured) -> dict[str, Any]:
    """Return the place of a head, and the fingerprint of its files."""
    assert source.fingerprint
    paths = [absolute(path) for path in source.paths]
    path = paths[0] if len(paths) == 1 else paths
    places = {"batch": 0, "layer": 0, "head": 0, "row": None, **places_of(source)}
    return {"capture": {"path": path, "fingerprint": source.fingerprint.digest, **places}}


def captured_from_plain(values: Mapping[str, Any]) -> Captured:
    """Return the head; its files must have the fingerprint they had."""
    plain = Values(values, "experiment").inner("capture", *_NAMES)
    if isinstance(plain.of.get("path"), list) and plain.of["path"]:
        paths = plain.each("path", str)
    else:
        paths = (plain.get("path", str),)
    places: dict[str, Any] = {
        name: plain.get(name, int) for name in _PLACES if plain.of.get(name) is not None
    }
    places |= {name: plain.get(name, str) for name in _HOW if name in plain.of}
    source = checked(lambda: captured_at(paths, **places))
    wanted = plain.of.get("fingerprint")
    assert source.fingerprint
    if wanted not in (None, source.fingerprint.digest):
        problem = f"{inert(paths[0])} is another file than was asked about"
        raise InputError("experiment", problem, f"that with the fingerprint {inert(str(wanted))}")
    return source
