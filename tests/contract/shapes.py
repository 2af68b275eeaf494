"""The shapes of JSON: recorded anew by ``python -m tests.contract.shapes``, and checked.

A shape is JSON Schema without what `attn_tui.report.schema` puts together of fields.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, is_dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from attn_tui.compute.heads.head_model import HeadModel
from attn_tui.diffing.distance import Distance
from attn_tui.doctor.difference import Difference
from attn_tui.files.codec import SCHEMA
from attn_tui.files.models.promise import Promise
from attn_tui.report.schema import EXPERIMENT, SHAPES

OPEN = {"parameters", "counts", "intervals", "unknown", "told", "differences", "rounding"}
"""Objects whose names are data: verdicts, parts, paths of rounding, parameters of a rule."""

NUMBER = {"$ref": "#/$defs/number"}
SPELLED = ("NaN", "Infinity", "-Infinity")
SOURCES = ("vectors", "queries", "keys", "values", "tokens", "capture")
"""What of an experiment is no field."""


@dataclass
class Shape:
    """What was seen at one place of JSON.

    Attributes:
        kinds: The types, as JSON Schema calls them.
        items: What was seen in lists.
        names: What was seen in objects, by name.
        required: The names that every object had.
    """

    kinds: set[str] = field(default_factory=set)
    items: "Shape | None" = None
    names: "dict[str, Shape]" = field(default_factory=dict)
    required: set[str] | None = None

    def see(self, value: Any) -> None:
        """Widen the shape so that a value has it."""
        match value:
            case None:
                self.kinds.add("null")
            case bool():
                self.kinds.add("boolean")
            case int():
                self.kinds.add("integer")
            case float():
                self.kinds.add("number")
            case str():
                self.kinds.add("number" if value in SPELLED else "string")
            case list():
                self.kinds.add("array")
                self.items = self.items or Shape()
                for item in value:
                    self.items.see(item)
            case dict():
                self.kinds.add("object")
                self.required = {*value} if self.required is None else self.required & {*value}
                for name, inner in value.items():
                    self.names.setdefault(name, Shape()).see(inner)

    def see_of(self, kind: Any) -> None:
        """Widen the shape by a type: what no line printed, such as null, may be printed once.

        Args:
            kind: A type; a dict of these for an object, of which ``"*"`` is any name; a list with
                one for a list; or a tuple of alternatives.
        """
        origin, inner = get_origin(kind), get_args(kind)
        if isinstance(kind, tuple) or origin in (Union, UnionType):
            for one in kind if isinstance(kind, tuple) else inner:
                self.see_of(one)
        elif origin is Literal:
            for one in inner:
                self.see(one)
        elif kind in (None, NoneType):
            self.see(None)
        elif isinstance(kind, list) or origin in (tuple, list):
            self.kinds.add("array")
            self.items = self.items or Shape()
            for one in kind if isinstance(kind, list) else inner:
                if one is not Ellipsis:
                    self.items.see_of(one)
        elif isinstance(kind, dict) or is_dataclass(kind):
            self.kinds.add("object")
            parts = kind if isinstance(kind, dict) else get_type_hints(kind)
            for name, one in parts.items():
                self.names.setdefault(name, Shape()).see_of(one)
        else:
            self.see(kind())

    def loosen(self) -> None:
        """Require nothing: a file with a question may leave out what has a default."""
        self.required = set()
        for inner in (*self.names.values(), *([self.items] if self.items else [])):
            inner.loosen()

    def schema(self, name: str = "") -> dict[str, Any]:
        """Return the shape as JSON Schema."""
        if name == "schema":
            return {"enum": [SCHEMA]}
        if self.kinds == {"null"}:
            # What it is elsewhere was not seen.
            return {}
        kinds = self.kinds - ({"integer"} if "number" in self.kinds else set())
        every = [self._of_kind(kind, name) for kind in sorted(kinds)]
        return every[0] if len(every) == 1 else {"anyOf": every} if every else {}

    def _of_kind(self, kind: str, name: str) -> dict[str, Any]:
        if kind == "number":
            return dict(NUMBER)
        if kind == "array":
            inner = (self.items or Shape()).schema()
            return {"type": kind, "items": inner} if inner else {"type": kind}
        if kind != "object":
            return {"type": kind}
        if name == "experiment":
            return {"$ref": EXPERIMENT}
        inner_names = {key: shape.schema(key) for key, shape in sorted(self.names.items())}
        if name in OPEN:
            every = [*{json.dumps(inner): inner for inner in inner_names.values()}.values()]
            inner = every[0] if len(every) == 1 else {"anyOf": every} if every else {}
            return {"type": kind, "additionalProperties": inner}
        required = {"required": sorted(self.required)} if self.required else {}
        return {"type": kind, "properties": inner_names, **required}


def faults(
    value: Any, schema: Mapping[str, Any], defs: Mapping[str, Any], at: str = "$"
) -> Iterator[str]:
    """Yield where a value is not as a schema says; a name that the schema lacks is a fault.

    Only what our schemas use is known here.
    """
    if "$ref" in schema:
        schema = defs[schema["$ref"].removeprefix("#/$defs/")]
    if "anyOf" in schema:
        every = [[*faults(value, one, defs, at)] for one in schema["anyOf"]]
        yield from min(every, key=len)
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is none of {schema['enum']}"
    if "type" in schema and not _is_of(value, schema["type"]):
        yield f"{at}: {value!r:.60} is no {schema['type']}"
        return
    for bound, holds in BOUNDS.items():
        if bound in schema and not holds(value, schema[bound]):
            yield f"{at}: {value!r:.60} breaks {bound} {schema[bound]}"
    if isinstance(value, list):
        for place, item in enumerate(value):
            yield from faults(item, schema.get("items", {}), defs, f"{at}[{place}]")
    if isinstance(value, dict):
        yield from (
            f"{at}: {name} is missing" for name in schema.get("required", ()) if name not in value
        )
        properties = schema.get("properties", {})
        for name, inner in value.items():
            one = properties.get(name, schema.get("additionalProperties"))
            if one is None:
                yield f"{at}: {name} is no name of the schema"
            else:
                yield from faults(inner, one, defs, f"{at}.{name}")


def _is_of(value: Any, kind: str) -> bool:
    kinds: dict[str, tuple[type, ...]] = {
        "object": (dict,), "array": (list,), "string": (str,), "boolean": (bool,),
        "integer": (int,), "number": (int, float), "null": (type(None),),
    }  # fmt: skip
    is_one = isinstance(value, kinds[kind])
    return is_one and (kind == "boolean" or not isinstance(value, bool))


_HINTS = get_type_hints(Promise)
PROMISED = {
    name: _HINTS[name]
    for name in ("multiplier", "softcap", "sink", "mask", "value_scale", "window", "chunk")
} | {"bias": (None, str), "source": str}
INTERVAL = (None, [float | None])
FOUND = {"multiplier": INTERVAL, "differences": [Difference], "silent": [str]}
EVIDENCE = {
    "kv_head": int | None, "assumed": str | None, "mask_applied": bool | None,
    "suspect": str | None, "completed": [str], "told": {"*": str}, "expected": PROMISED,
    "rows": {"first": int | None, "last": int | None},
    "models": [{
        **get_type_hints(HeadModel), "intervals": {"*": INTERVAL}, "unknown": {"*": str},
        "windows": (None, [int]), "rounding": {"*": float | None},
    }],
}  # fmt: skip
OF_DOCTOR = {
    "expected": (None, PROMISED), "mask_applied": bool | None, "assumed": [str],
    "silent": [{"layer": int, "part": str, "heads": int}], "heads": [FOUND],
}  # fmt: skip
OF_CAPTURE = {"paths": [str], "fingerprint": str, "layers": [int], "stated": [str]}
TYPED: Mapping[str, Any] = {
    "doctor": OF_DOCTOR | {"heads": [{**EVIDENCE, **FOUND}]},
    "probe": OF_DOCTOR | {"cases": [{"error": str | None, "note": str | None}]},
    "diff": {
        "first": int | None, "inputs_differ_from": int | None, "port": (None, OF_CAPTURE),
        "layers": [{
            "inputs": float | None,
            "heads": [{
                "differences": [Difference],
                "distances": dict.fromkeys(("q", "k", "v", "out"), Distance),
            }],
        }],
    },
}  # fmt: skip
"""What the doctor's reports may hold, by the types that they are made of."""

BOUNDS: Mapping[str, Callable[[Any, Any], bool]] = {
    "minimum": lambda value, bound: value >= bound,
    "maximum": lambda value, bound: value <= bound,
    "exclusiveMinimum": lambda value, bound: value > bound,
    "minItems": lambda value, bound: len(value) >= bound,
    "maxItems": lambda value, bound: len(value) <= bound,
}

KERNEL = """
import numpy as np

def attention(q, k, v):
    z = q @ k.swapaxes(2, 3) / q.shape[3]
    p = np.exp(z - z.max(3, keepdims=True))
    return p / p.sum(3, keepdims=True) @ v

def short(q, k, v):
    if q.shape[2] == 17:
        raise ValueError("17")
    k[:] = 0
    return attention(q, k, v)
"""

MORE = (
    "show --example thousand --answer 3 --json",
    "show 1,2,-inf --answer 2 --sink 1 --top 1 --json",
    "show --query '[[1,0],[0,1]]' --keys '[[1,0],[0,1]]' --answer 0 --lab --json",
    "show --draw 40 --vectors 2 --against saved.json --json",
    "attention 1,2,3 4,-inf,-inf --json",
    "attention --capture odd.npz --layer 1 --head 1 --json",
    "sweep --n 4 --d-k 16 --draws 50 --json",
    "sweep --over n --n 2:64 --points 3 --draws 50 --json",
    "sweep --n 4 --d-k 16 --draws 50 --lead 5 --sink 0 --json",
    "show --draw 40 --lead 5 --json",
    "show --capture captured.npz --layout out=bhnd --names {layer}.{part} --row 3 --json",
    "attention --query [[1,0],[0,1]] --keys [[1,0],[0,1]] --tokens words.json --json",
    "attention --capture demo/cap-dropped/capture.safetensors --json",
    "attention --capture demo/sink-dropped/capture.safetensors --json",
    "attention --capture demo/no-scale/capture.safetensors --json",
    "attention --capture demo/value-scale/capture.safetensors --json",
    "attention --capture demo/mask-missing/capture.safetensors --json",
    "heads demo/no-scale/capture.safetensors --json",
    "heads demo/cap-dropped/capture.safetensors --json",
    "heads demo/sink-dropped/capture.safetensors --json",
    "heads demo/window-missing/capture.safetensors --json",
    "claims overflow --json",
    "claims zzz --json",
    "heads captured.npz --layer 0 --head 1 --rule inverse --softcap 3 --json",
    "doctor captured.npz --evidence --json",
    "doctor odd.npz --evidence --expect m=1/sqrt(d_k) --json",
    "doctor capped.npz --evidence --expect m=0.25,softcap=4,sink=0.5 --json",
    "doctor demo/sink-dropped/capture.safetensors --evidence --json",
    "doctor demo/mask-missing/capture.safetensors --evidence --json",
    "doctor demo/yarn-twice/capture.safetensors --evidence --json",
    "doctor demo/window-missing/capture.safetensors --evidence --json",
    "diff captured.npz captured.npz --json",
    "diff captured.npz odd.npz --json",
    "diff odd.npz captured.npz --json",
    "diff demo/healthy/capture.safetensors demo/no-scale/capture.safetensors --json",
    "probe kernel.py:attention --quick --json",
    "probe kernel.py:attention --quick --scale inverse --json",
    "probe kernel.py:attention --lengths 17,33 --causal --softcap 5 --json",
    "probe kernel.py:short --json",
)
"""Command lines besides those whose numbers are recorded."""


def recorded(folder: Path) -> dict[str, Any]:
    """Return the shapes of what command lines print, asked in a folder."""
    from tests.contract.test_numbers import CASES, attn_tui

    every: dict[str, Shape] = {}
    # Both print claims.
    every["claim"] = every["claims"] = Shape()
    lines = {case.line: case.stdin for case in CASES.values()} | dict.fromkeys(MORE, "")
    for line, stdin in lines.items():
        done = attn_tui(line, folder, stdin)
        if "--json" not in line or not done.stdout:
            continue
        plain = json.loads(done.stdout)
        every.setdefault(line.split()[0], Shape()).see(plain)
        for question in _questions(plain):
            sources = {name: one for name, one in question.items() if name in SOURCES}
            every.setdefault("experiment", Shape()).see(sources)
    every["experiment"].loosen()
    for name, typed in TYPED.items():
        every[name].see_of(typed)
    return {name: every[name].schema() for name in sorted(every)}


def _questions(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the experiments in a report."""
    if isinstance(value, dict):
        if isinstance(value.get("experiment"), dict):
            yield value["experiment"]
        for inner in value.values():
            yield from _questions(inner)
    if isinstance(value, list):
        for inner in value[:50]:
            yield from _questions(inner)


if __name__ == "__main__":
    from attn_tui import report
    from tests.contract.test_numbers import fill, with_demo

    with TemporaryDirectory() as name:
        fill(Path(name))
        shapes = recorded(with_demo(Path(name)))
    text = json.dumps(shapes, indent=1)
    # One short object a line.
    text = re.sub(
        r"\{\s+(\"[^{}\[\]]*?)\s+\}", lambda match: "{" + re.sub(r"\s+", " ", match[1]) + "}", text
    )
    Path(report.__file__).with_name(SHAPES).write_text(text + "\n", "utf-8")
