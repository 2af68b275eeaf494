"""What was asked on the screen, step by step, as a file keeps it."""

import json
import os
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from hashlib import sha256
from itertools import accumulate
from pathlib import Path, PurePath
from typing import Any, Protocol

from attn_tui import __version__
from attn_tui.captures.disk import place_of, regular
from attn_tui.captures.suffixes import EXAMPLE_NAME
from attn_tui.compute.errors import InputError
from attn_tui.compute.field import Field, fields_of
from attn_tui.compute.setup import Setup
from attn_tui.files.captured import absolute
from attn_tui.files.codec import setup_from_plain, setup_to_plain
from attn_tui.files.content import opened, read_json, read_text
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.files.history import History, Question
from attn_tui.files.plain import json_text
from attn_tui.files.sources import is_kept, kept_file, paths_in, with_paths
from attn_tui.files.values import Values
from attn_tui.instruments import INSTRUMENTS, load

SCHEMA = "attn-tui/session/1"
"""The schema of a file."""

MOST_STEPS = 900_000
"""Bytes of the steps that are kept; of more, the oldest are left out."""

MOST_OPENED = 1_000_000
"""Bytes of an opened file that is kept with the session; a larger one is named only."""

MOST_SHARED = 10_000_000
"""Bytes of all files inside of a session that is given to others."""

LARGEST = 32 * 2**20
"""Bytes of a file that is read."""

_START = 2**26
"""Bytes at the beginning of a file by which it is known again, besides its size: all of those that
are kept."""

_ARRAYS = (".npy", ".npz", ".csv", ".json", ".txt")
"""The endings of files that are kept with a session."""

_NAMES = ("schema", "version", "instrument", "place", "views", "pins", "files", "steps")


@dataclass(frozen=True)
class Session:
    """What a person has asked on the screen.

    Attributes:
        steps: The drafts in their order, at least one; undo and redo go through them.
        place: The index of the present one.
        instrument: The name of the instrument that shows it.
        views: The chosen view of each instrument that was open, by the name of the instrument.
        pins: The draft that is pinned on an instrument, by its name.
    """

    steps: tuple[Draft, ...]
    place: int
    instrument: str = INSTRUMENTS[0].name
    views: Mapping[str, str] = field(default_factory=dict)
    pins: Mapping[str, Draft] = field(default_factory=dict)

    @classmethod
    def of(
        cls, history: History, instrument: str, views: Mapping[str, str],
        pins: Mapping[str, Draft],
    ) -> "Session":  # fmt: skip
        """Return the session with all steps of a history."""
        steps = (*history.past, history.present.draft, *reversed(history.future))
        return cls(steps, len(history.past), instrument, views, pins)

    @property
    def present(self) -> Draft:
        """The present draft."""
        return self.steps[self.place]

    @property
    def history(self) -> History:
        """The history of these steps.

        A present draft that cannot be read stands over the newest one before it that can.
        """
        return History(self._question(), self.steps[: self.place], self.steps[: self.place : -1])

    def _question(self) -> Question:
        for draft in (*reversed(self.steps[: self.place + 1]), EXAMPLE):
            with suppress(InputError):
                return Question.first(draft).ask(self.present)
        raise AssertionError(EXAMPLE)


class Keeper(Protocol):
    """Keeps the bytes of files with a session."""

    def __call__(self, path: str, digest: str) -> Mapping[str, str]:
        """Keep a file, and return where; empty if it cannot be kept.

        Raises:
            OSError: If it cannot be read or written.
        """


@dataclass(frozen=True)
class FilesInFolder:
    """Keeps files in a folder, each once, named by a hash of its bytes.

    Attributes:
        folder: The folder, which appears with the first of them.
    """

    folder: Path

    def __call__(self, path: str, digest: str) -> Mapping[str, str]:
        """Copy a file that is typed scores, or not larger than `MOST_OPENED`."""
        if not is_kept(path) and os.path.getsize(path) > MOST_OPENED:
            return {}
        name = digest + PurePath(path).suffix.lower()
        target = self.folder / name
        if not target.exists():
            self.folder.mkdir(mode=0o700, exist_ok=True)
            # Whole or not at all, since a hash promises what is in it.
            temporary = self.folder / f".{os.urandom(8).hex()}"
            temporary.write_bytes(_bytes_of(path))
            temporary.replace(target)
        return {"kept": name}


class FilesInText:
    """Keeps files inside of the session, `MOST_SHARED` bytes together at most."""

    def __init__(self) -> None:
        self._room = MOST_SHARED

    def __call__(self, path: str, digest: str) -> Mapping[str, str]:
        """Return a file as base64, as long as there is room."""
        size = os.path.getsize(path)
        if size > self._room:
            return {}
        self._room -= size
        return {"bytes": b64encode(_bytes_of(path)).decode()}


def session_text(session: Session, keep: Keeper) -> Iterator[str]:
    """Yield a session as JSON text, a step a line.

    Args:
        session: The session; of too many steps the oldest are left out.
        keep: Keeps the files that steps name.

    Raises:
        OSError: If a file cannot be kept.
    """
    lines = [*map(_step_text, session.steps)]
    first = _first_kept(lines, session.place)
    drafts = (*session.steps[first:], *session.pins.values())
    paths = dict.fromkeys(path for draft in drafts for path in paths_of(draft))
    plain: dict[str, Any] = {
        "schema": SCHEMA,
        "version": __version__,
        "instrument": session.instrument,
        "place": session.place - first,
        "views": dict(session.views),
        "pins": {name: json.loads(_step_text(draft)) for name, draft in session.pins.items()},
        "files": {path: _file_to_plain(path, keep) for path in paths},
    }
    head = "".join(json_text(plain)).rstrip().removesuffix("}").rstrip()
    yield f'{head},\n  "steps": [\n'
    yield ",\n".join(lines[first:])
    yield "\n]\n}\n"


def _first_kept(lines: Sequence[str], place: int) -> int:
    """Return the index of the oldest step that is kept: the present one and all after it are."""
    room = MOST_STEPS - sum(map(len, lines[place:]))
    sizes = accumulate(map(len, reversed(lines[:place])))
    return place - sum(size <= room for size in sizes)


# Writing all steps anew at each save would take a tenth of a second of a long session.
@lru_cache(maxsize=2 * History.LIMIT)
def _step_text(draft: Draft) -> str:
    """Return a draft as one line of JSON, its paths absolute."""
    text = with_paths(draft.text, absolute)
    return json.dumps({"text": text, "setup": _changed(draft.setup)})


def _changed(setup: Setup) -> dict[str, Any]:
    """Return as plain values what a setup has changed."""
    plain, default = setup_to_plain(setup), setup_to_plain(Setup())
    if setup.model == default["model"]:
        changed = {name: value for name, value in plain.items() if value != default[name]}
        scale = {name: plain[name] for name in ("rule", "parameters")}
        changed |= scale if "rule" in changed or "parameters" in changed else {}
    else:
        # A model brings d_k and a scale, which may not be what it was left with.
        changed = plain
    settings = {
        name: {
            key: value for key, value in entry.items() if value != default["settings"][name][key]
        }
        for name, entry in plain["settings"].items()
    }
    changed["settings"] = {name: entry for name, entry in settings.items() if entry}
    return changed


def paths_of(draft: Draft) -> Iterator[str]:
    """Yield the absolute paths of the files that a draft names, in its text and its settings."""
    values = [draft.setup.value(field) for field in _path_fields()]
    of_settings = [path for value in values for path in _paths_in_value(value)]
    for path in (*paths_in(draft.text), *of_settings):
        if path != EXAMPLE_NAME:
            yield absolute(path)


@cache
def _path_fields() -> tuple[Field, ...]:
    """Return the settings of all instruments that are paths."""
    kinds = [load(instrument.settings) for instrument in INSTRUMENTS]
    return tuple(field for kind in kinds for field in fields_of(kind).values() if field.kind.paths)


def _paths_in_value(value: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return the paths in the value of such a setting."""
    if isinstance(value, tuple):
        return value
    return (value,) if value else ()


def _file_to_plain(path: str, keep: Keeper) -> dict[str, Any]:
    """Return what is said of a file: by what it is known again, and where a copy is."""
    digest = _digest_now(path)
    is_array = digest and PurePath(path).suffix.lower() in _ARRAYS
    return {"digest": digest, **(keep(path, digest) if is_array else {})}


def _digest_now(path: str) -> str:
    """Return by what a file is known again; nothing if it is no file that can be read."""
    try:
        return _digest(path, _stamp(path))
    except (OSError, ValueError):
        return ""


def _stamp(path: str) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns


@lru_cache(maxsize=64)
def _digest(path: str, stamp: tuple[int, int]) -> str:
    """Return a hash of a file's size and of its first `_START` bytes."""
    with regular(path) as file:
        return sha256(f"{stamp[0]}\n".encode() + file.read(_START)).hexdigest()[:32]


def _bytes_of(path: str) -> bytes:
    with regular(path) as file:
        return file.read()


@dataclass(frozen=True)
class Restored:
    """A session as it was read.

    Attributes:
        session: The session.
        notes: What could not be found again, a sentence a file.
    """

    session: Session
    notes: tuple[str, ...] = ()


MISSING = "{path} is missing: steps that use it say so"
"""What is said of a file that is no longer there, and of which there is no copy."""

CHANGED = "{path} has changed since: steps that use it show what it holds now"
"""What is said of a file that is another one by now, and of which there is no copy."""


def read_session(path: str, folder: Path | None = None) -> Restored:
    """Read the session in a file.

    Args:
        path: The file.
        folder: Where the files are that were kept beside it; None if there are none.

    Raises:
        InputError: With field ``"session"``, naming the file, the place in it and what was
            expected.
    """
    with opened(path, "session") as file:
        try:
            return _session_of(read_json(read_text(file, LARGEST)), folder)
        except InputError as error:
            raise replace(error, field="session") from None


def _session_of(plain: object, folder: Path | None) -> Restored:
    """Return the session that plain values describe."""
    schema = plain.get("schema") if isinstance(plain, dict) else None
    if schema != SCHEMA:
        expected = f'"{SCHEMA}", which this version of attn-tui writes'
        Values({"schema": schema}, "session").refuse("schema", expected)
    values = Values.only(plain, _NAMES, "session")
    names = [instrument.name for instrument in INSTRUMENTS]
    instrument = values.get("instrument", str)
    if instrument not in names:
        values.refuse("instrument", f"one of {', '.join(names)}")
    views = values.inner("views", *names)
    renamed, notes = _files_of(values.get("files", dict, {}), folder)
    drafts = tuple(
        _draft_of(f"steps[{index}]", step, renamed)
        for index, step in enumerate(values.get("steps", list))
    )
    place = values.get("place", int)
    if not 0 <= place < len(drafts):
        values.refuse("place", f"the index of one of {len(drafts):,} steps")
    pins = {
        name: _draft_of(f"pins.{name}", pin, renamed)
        for name, pin in values.inner("pins", *names).of.items()
    }
    shown = {name: views.get(name, str) for name in views.of}
    return Restored(Session(drafts, place, instrument, shown, pins), notes)


def _draft_of(name: str, plain: object, renamed: Mapping[str, str]) -> Draft:
    """Return the draft that plain values describe; raises InputError naming it."""
    values = Values.only(plain, ("text", "setup"), "session", name)
    text = values.get("text", str)
    setup: dict[str, Any] = values.get("setup", dict, {})
    try:
        return _renamed(Draft(text, setup_from_plain(setup)), renamed)
    except InputError as error:
        raise replace(error, problem=f'in "{name}", {error.problem}') from None


def _renamed(draft: Draft, renamed: Mapping[str, str]) -> Draft:
    """Return a draft that names other files, by the paths of those that it names."""

    def other(path: str) -> str:
        return renamed.get(path, path)

    def others(value: str | tuple[str, ...]) -> str | tuple[str, ...]:
        return tuple(map(other, value)) if isinstance(value, tuple) else other(value)

    setup = draft.setup
    for of_paths in _path_fields() if renamed else ():
        setup = setup.changed(of_paths, others)
    return Draft(with_paths(draft.text, other), setup)


def _files_of(
    files: Mapping[str, Any], folder: Path | None
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return copies of files that are not what they were, by path, and what is said of others."""
    renamed: dict[str, str] = {}
    notes: list[str] = []
    for path, plain in files.items():
        entry = Values.only(plain, ("digest", "kept", "bytes"), "session", "files")
        digest = entry.get("digest", str)
        if digest == _digest_now(path):
            continue
        copy = _copy_of(path, entry, folder)
        if copy:
            renamed[path] = copy
        elif os.path.exists(path):
            notes.append(CHANGED.format(path=place_of(path)))
        else:
            notes.append(MISSING.format(path=place_of(path)))
    return renamed, tuple(notes)


def _copy_of(path: str, entry: Values, folder: Path | None) -> str:
    """Return the path of a temporary file with what was kept of a file; empty if nothing was."""
    suffix = PurePath(path).suffix.lower()
    if suffix not in _ARRAYS:
        return ""
    if "bytes" in entry.of:
        try:
            return kept_file(b64decode(entry.get("bytes", str), validate=True), suffix)
        except (NotBase64, ValueError):
            entry.refuse("bytes", "base64")
    name = entry.get("kept", str, "")
    # A name and no path: what lies elsewhere is not ours.
    if name and folder is not None and PurePath(name).name == name:
        with suppress(OSError):
            return kept_file(_bytes_of(str(folder / name)), suffix)
    return ""


def kept_names(path: str) -> set[str]:
    """Return the names of files that are kept beside a session; none if it cannot be read."""
    with suppress(InputError), opened(path, "session") as file:
        plain = read_json(read_text(file, LARGEST))
        files = plain.get("files") if isinstance(plain, dict) else None
        entries = files.values() if isinstance(files, dict) else ()
        return {str(entry.get("kept")) for entry in entries if isinstance(entry, dict)} - {"None"}
    return set()
