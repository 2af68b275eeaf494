"""What a file asks that is opened on the screen, and the instrument that reads it."""

import os
from dataclasses import dataclass, replace

from attn_tui.captures.suffixes import SUFFIXES, suffix_of
from attn_tui.compute.errors import InputError, inert
from attn_tui.engine.settings import Settings
from attn_tui.files.draft import Draft, open_draft, parse
from attn_tui.files.kinds import is_capture
from attn_tui.files.paths import path_text
from attn_tui.ui.session_names import ENDING

ELSEWHERE = {
    ENDING: ("it is a session", "attn-tui replay {file} in a shell, which goes through its steps"),
    ".toml": ("it may be a lesson", "attn-tui tour {file} in a shell, which opens one"),
}
"""What a file is that a command of its own opens, and that command, by the ending of its name."""


@dataclass(frozen=True)
class Opened:
    """What a file asks.

    Attributes:
        draft: The question.
        n_vectors: How many vectors of scores it has.
        instrument: The instrument that reads it, if not every one does; else empty.
    """

    draft: Draft
    n_vectors: int = 1
    instrument: str = ""


def opened(path: str, draft: Draft) -> Opened:
    """Return what a file or a folder asks: a capture asks about heads, any other about scores.

    Args:
        path: A file, or a folder of captures.
        draft: The current draft, whose other settings stay.

    Raises:
        InputError: If it cannot be read, or is neither.
    """
    path = os.path.expanduser(path)
    for ending, (problem, expected) in ELSEWHERE.items():
        if path.endswith(ending):
            raise InputError("file", problem, expected.format(file=path_text(path)))
    names = draft.setup.get(Settings).names
    if os.path.isdir(path) or (suffix_of(path) in SUFFIXES and is_capture(path, names)):
        return Opened(open_capture(path, draft), instrument="heads")
    question = open_draft(path, draft.setup)
    # Counted here, since by the time that the dialogue closes the file may be gone.
    return Opened(question, len(parse(question).vectors))


def open_capture(path: str, draft: Draft) -> Draft:
    """Return the draft that asks about the heads of a capture; only file headers are read.

    Args:
        path: A .safetensors, .npz or .npy file of q, k, v and outputs, or a folder of such.
        draft: The current draft, whose other settings stay.

    Raises:
        InputError: With field ``"capture"``, or the field of a setting that says how to read it.
    """
    from attn_tui.files.models.opening import open_configured

    settings, path = draft.setup.get(Settings), os.path.expanduser(path)
    if suffix_of(path) not in SUFFIXES and not os.path.isdir(path):
        problem = f"{inert(path)} is no capture"
        raise InputError("capture", problem, f"a name that ends in {', '.join(SUFFIXES)}")
    # A configuration describes the model of its folder, and no other.
    is_same_folder = {*map(os.path.dirname, settings.capture)} == {os.path.dirname(path)}
    config = settings.config if is_same_folder else ""
    try:
        configured = open_configured((path,), settings.layouts, settings.names, config).settled()
    except InputError as error:
        if not settings.layouts and error.field != "config":
            raise
        # The layouts belong to the previous capture: try without them.
        configured = open_configured((path,), "", settings.names).settled()
    updated = replace(
        settings, capture=(path,), config=configured.config, layouts=configured.layouts,
        batch=0, layer=None, head=None,
    )  # fmt: skip
    return replace(draft, setup=draft.setup.put(updated))
