"""The JSON Schema of ``--json``: of questions from their fields, of reports as recorded.

`SHAPES` is recorded from reports of every command (``python -m tests.contract.shapes``), and holds
no question: that is put together here, of the same fields as options and settings.
"""

import json
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.field import Field, fields_of
from attn_tui.compute.setup import FIELDS, Draw
from attn_tui.files.codec import SCHEMA
from attn_tui.instruments import INSTRUMENTS, load

SHAPES = "shapes.json"
"""The file beside this module that has the shape of each command's report."""

DIALECT = "https://json-schema.org/draft/2020-12/schema"
NUMBER: Mapping[str, Any] = {
    "description": "a number; what JSON has no number for is spelled out",
    "anyOf": [{"type": "number"}, {"enum": ["NaN", "Infinity", "-Infinity"]}],
}

EXPERIMENT = "#/$defs/experiment"
"""Where shapes refer to a question."""


def shapes() -> dict[str, Any]:
    """Return the recorded shapes by command, and that of sources of scores as ``"experiment"``."""
    text = files("attn_tui.report").joinpath(SHAPES).read_text("utf-8")
    recorded: dict[str, Any] = json.loads(text)
    return recorded


def schema(command: str | None = None) -> dict[str, Any]:
    """Return the JSON Schema of what a command prints with ``--json``, or of what any prints.

    Args:
        command: The name of a command; None for all that print JSON.

    Raises:
        InputError: With field ``"command"``, if it prints no JSON.
    """
    recorded = shapes()
    sources = recorded.pop("experiment")
    if command is not None and command not in recorded:
        problem = f"{inert(command)} prints no JSON"
        raise InputError("command", problem, f"one of {', '.join(recorded)}")
    chosen = recorded if command is None else {command: recorded[command]}
    shared = {"number": NUMBER}
    if EXPERIMENT in json.dumps(chosen):
        shared["experiment"] = _experiment(sources)
    every = [{"$ref": f"#/$defs/{name}"} for name in chosen]
    return {
        "$schema": DIALECT,
        "title": f"{SCHEMA}: what --json prints",
        **({"anyOf": every} if command is None else every[0]),
        "$defs": {**shared, **chosen},
    }


def _experiment(sources: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a question, of which everything but a source may be left out."""
    settings = {
        instrument.name: _object(fields_of(load(instrument.settings)).values())
        for instrument in INSTRUMENTS
    }
    law = {name: {"type": "string"} for name in ("law", "generator")}
    drawn = _object(fields_of(Draw).values())
    others = {
        "rule": {"type": "string", "description": "the scale rule as text"},
        "parameters": {"type": "object", "additionalProperties": {"$ref": "#/$defs/number"}},
        "mask": {"type": "string", "description": "the keys that are hidden, as text"},
        "settings": {"type": "object", "properties": settings},
        "draw": drawn | {"properties": {**drawn["properties"], **law}},
    }
    asked = _object(FIELDS.values())["properties"]
    return {"type": "object", "properties": {**sources["properties"], **asked, **others}}


def _object(fields: Iterable[Field]) -> dict[str, Any]:
    """Return the schema of an object of fields, by their keys."""
    properties = {field.key: {"description": field.help, **field.kind.schema} for field in fields}
    return {"type": "object", "properties": properties}
