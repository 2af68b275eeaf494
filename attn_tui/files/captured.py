"""The grammar of captured heads: their text and their JSON."""

import re
from dataclasses import replace
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Any

from attn_tui.captures.source import Captured, read_head
from attn_tui.compute.attention.settings import Settings
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.scale import scale_of
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Source
from attn_tui.compute.whole import parse_whole
from attn_tui.files.paths import absolute, beside, shown_path, true_path
from attn_tui.files.plain import checked, known, of_type

if TYPE_CHECKING:
    from attn_tui.files.models.opening import Configured

TEMPLATE = "file: capture.safetensors\nlayer = 0, head = 0"
_HOW = ("layout", "names")
_READ = (*_HOW, "config")
_PLACES = ("batch", "layer", "head", "row")
_PLACE = re.compile(rf"\b({'|'.join(_PLACES)})\s*[=:]\s*([^\s,;]+)", re.IGNORECASE)
_EXPECTED = "lines such as file: capture.safetensors, and layer = 0, head = 0, row = 7"
_NAMES = ("path", "fingerprint", *_PLACES, *_HOW)
_FIELDS = (*_NAMES, "config")


def parse_captured(text: str) -> Captured:
    """Read ``file: PATH`` lines, and ``batch = 0, layer = 0, head = 0, row = 7`` in any order.

    ``layout: out=bnhd`` and ``names: q={layer}.q`` say how tensors are read, or ``config: PATH``
    whose they are.
    The files are read once; that one has changed since is noticed whenever it is asked about.

    Raises:
        InputError: With field ``"capture"``, naming what is not understood, or will not do.
    """
    paths: list[str] = []
    places: dict[str, Any] = {}
    for number, line in enumerate(text.splitlines(), 1):
        name, colon, path = line.partition(":")
        key = name.strip().lower() if colon else ""
        if key in ("file", "capture"):
            paths.append(path.strip())
            continue
        if key in _READ:
            places[key] = path.strip()
            continue
        rest = _PLACE.sub("", line).strip(" \t,;")
        if rest:
            raise _refused(f"{inert(rest)} is not understood", _EXPECTED, number)
        for found in _PLACE.finditer(line):
            try:
                places[found[1].lower()] = parse_whole(found[1], found[2])
            except InputError as error:
                raise _refused(f"{found[1]} = {error.problem}", error.expected, number) from None
    if not paths:
        raise _refused("no file is named", _EXPECTED, 1)
    try:
        return captured_at(tuple(map(true_path, paths)), **places)
    except InputError as error:
        expected = error.expected
        if error.field in _READ:
            expected = f"{error.field}: {expected}"
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
    """Return a head, or a row; the same object while its files are what they were.

    Its tensors are read as `open_configured` says, and the object's layout is that.

    Raises:
        InputError: With field ``"capture"``, or that of the place, the layout, the names or the
            configuration.
    """
    try:
        # No start waits for what fits heads, and reads configurations.
        from attn_tui.files.models.opening import config_version

        version = config_version(paths, config)
        opened = _opened(paths, layout, names, config, version).settled([layer or 0])
        opened.capture.fingerprint.verify()
        found = _read(paths, batch or 0, layer or 0, head or 0, row, opened.layouts, names)
        assert found.fingerprint
        found.fingerprint.verify()
    except InputError as error:
        # Whoever asks again is shown what there is then.
        _opened.cache_clear()
        _read.cache_clear()
        field = error.field if error.field in _FIELDS else "capture"
        raise InputError(field, error.problem, error.expected, error.where) from None
    return found


@lru_cache(maxsize=4)
def _opened(
    paths: tuple[str, ...], layout: str, names: str, config: str, _: tuple[str, int]
) -> "Configured":
    """Open a capture by that version of its configuration."""
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
    """Return a head read, and masked, as its output says, where that was not captured."""
    # What fits masks is long to import, and no start waits for it.
    from attn_tui.captures.capture import HeadId
    from attn_tui.captures.opening import open_capture
    from attn_tui.engine.finding import found_masks, of_head
    from attn_tui.engine.making import Making

    place = HeadId(batch, layer, head)
    capture = open_capture(paths, layout, names)
    # A head that is not there is refused before anything is fitted.
    capture.shape(place)
    known = of_head(capture, found_masks(capture, Making(), (layer,))[layer], place)
    reading = capture.readings(layer)[known.reading] if known.fits else None
    source = replace(read_head(capture, place, row, reading), paths=paths, found=known)
    if known.sink is not None or known.drops_sink:
        source = replace(source, sink=known.sink)
    if known.mask.by_position and source.supposed and known.fits:
        rows_read = range(len(source.queries)) if row is None else [row]
        offset = known.mask.offset or 0
        positions = tuple(number + offset for number in rows_read)
        source = replace(source, positions=positions, supposed=False)
    return source


def as_captured(setup: Setup, source: Source) -> Setup:
    """Return a setup with what made a captured head's weights, unless other is asked, and its mask.

    Where no mask was captured, that is the one which its output says.
    """
    if not isinstance(source, Captured):
        return setup
    setup = with_found(setup, source)
    if source.causal is None:
        return setup
    settings = replace(setup.get(Settings), causal=source.causal)
    return replace(setup, mask=replace(setup.mask, causal=source.causal)).put(settings)


def with_found(setup: Setup, source: Captured) -> Setup:
    """Return a setup with the m, the cap and the sink of a head, unless others are asked."""
    scale = setup.scale.at_layer(source.place[1])
    if source.multiplier is not None and scale.is_default:
        own = scale_of(source.multiplier, source.d_k)
        scale = replace(scale, rule=own.rule, given=own.given)
    if scale.softcap is None:
        scale = replace(scale, softcap=source.found.softcap)
    if scale.sink is None and source.sink is not None and isfinite(source.sink):
        scale = replace(scale, sink=source.sink)
    return replace(setup, scale=scale)


def _refused(problem: str, expected: str, line: int) -> InputError:
    return InputError("capture", problem, expected, f"line {line}", line)


def captured_text(source: Captured) -> str:
    """Return the text that means a head or a row."""
    lines = [f"file: {shown_path(path)}" for path in source.paths]
    lines += [f"{name}: {text}" for name, text in _how(source).items()]
    batch, layer, head = source.place
    places = [f"layer = {layer}", f"head = {head}"]
    if batch:
        places.insert(0, f"batch = {batch}")
    if source.row is not None:
        places.append(f"row = {source.row}")
    return "\n".join([*lines, ", ".join(places)])


def _how(source: Captured) -> dict[str, str]:
    """Return what was said of how tensors are read."""
    given = zip(_HOW, (source.layout, source.called), strict=True)
    return {name: text for name, text in given if text}


def captured_to_plain(source: Captured) -> dict[str, Any]:
    """Return where the head is, and what tells its files from others."""
    assert source.fingerprint
    paths = [absolute(path) for path in source.paths]
    path = paths[0] if len(paths) == 1 else paths
    places = dict(zip(_PLACES, (*source.place, source.row), strict=True))
    digest = source.fingerprint.digest
    return {"capture": {"path": path, "fingerprint": digest, **places, **_how(source)}}


def captured_from_plain(values: dict[str, Any], folder: str) -> Captured:
    """Return the head, whose files must be those that they were, there or in a folder."""
    plain = known("capture", values["capture"], _NAMES)
    path = plain.get("path")
    listed = path if isinstance(path, list) and path else [path]
    paths = tuple(beside(of_type("path", each, str), folder) for each in listed)
    places: dict[str, Any] = {
        name: None if plain.get(name) is None else of_type(name, plain[name], int)
        for name in _PLACES
    }
    places |= {name: of_type(name, plain[name], str) for name in _HOW if name in plain}
    found = checked(lambda: captured_at(paths, **places))
    wanted = plain.get("fingerprint")
    assert found.fingerprint
    if wanted not in (None, found.fingerprint.digest):
        problem = f"{inert(paths[0])} is another file than was asked about"
        raise InputError("experiment", problem, f"that with the fingerprint {inert(str(wanted))}")
    return found
