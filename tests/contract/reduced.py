"""What a program prints for programs, reduced to names and numbers, and compared with a recording.

A path is that of `docs/json.md`: `vectors[].scaled.weights` holds the weights of all vectors, one
after another, and `csv.scaled_weight` a column. Claims, which have ids, and trials of a number
format have paths of their own.

A line of a recording is a path and its values, `0.5*3` for three equal ones. Of many values it
holds how many there are, how often each word stands among them, how many are negative, the sum of
their sizes, the mean place of a size (both change with any of them), and a few of the values.
"""

import csv
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import StringIO
from itertools import groupby
from typing import Any

LONGEST = 12
"""How many values, or runs of equal ones, a line shows; of more it shows `SHOWN`, evenly spread."""

SHOWN = 8

WORD = re.compile(r"[A-Za-z0-9_.:=+-]{1,40}|[a-z]+ [a-z]+")
"""What a string of a fixed set looks like: a status, a name of an option, `cannot tell`. A sentence
has more blanks."""

LEFT_OUT = {
    "condition", "elapsed_s", "fingerprint", "formula", "generator", "headline", "id",
    "paths", "reason", "right", "says", "schema", "seconds", "source", "topics", "version", "why",
}  # fmt: skip
"""Names of what is text, or another on each machine."""

Value = float | int | str
"""A number, or a word: `true`, `null`, `NaN`, `holds`."""

Paths = dict[str, list[Value]]
"""The values of each path, in the order in which they are printed."""


def paths_of_json(text: str) -> Paths:
    """Return all names and numbers of a JSON text."""
    paths: Paths = {}
    for path, value in _leaves(json.loads(text), ""):
        paths.setdefault(path, []).append(value)
    return paths


def paths_of_csv(text: str) -> Paths:
    """Return the columns of a CSV text, and how many lines there are below their names."""
    rows = [*csv.reader(StringIO(text))]
    paths: Paths = {"csv": [len(rows) - 1]}
    for name, *cells in zip(*rows, strict=True):
        values = [value for cell in cells if (value := _cell(cell)) is not None]
        if name not in LEFT_OUT and len(values) == len(cells):
            paths[f"csv.{name}"] = values
    return paths


def line_of(values: Sequence[Value], digits: int) -> str:
    """Return what a recording holds of the values of a path, floats in so many digits."""
    texts = [_written(value, digits) for value in values]
    runs = [(text, len([*run])) for text, run in groupby(texts)]
    if len(runs) <= LONGEST:
        return " ".join(text if count == 1 else f"{text}*{count}" for text, count in runs)
    summary = _summary(values).items()
    return " ".join(f"{name}={_written(value, digits)}" for name, value in summary)


FITTED = {"heads[].multiplier"}
"""The paths of numbers that are fitted, each followed by the ends of its interval."""

SHARE = 0.1
"""The share of its interval by which a fitted number may differ: processors round differently."""


def differences(
    recorded: Mapping[str, str], actual: Paths, digits_of: Callable[[str], int]
) -> list[str]:
    """Return a line for each value that is not as recorded, with its path.

    Args:
        recorded: The line of each path.
        actual: What is printed now.
        digits_of: How many digits the recording has of a float at a path.
    """
    unlike = []
    for path, line in recorded.items():
        if path in actual and _fits(path, line, actual[path]):
            continue
        if path in actual:
            unlike += [f"{path}{text}" for text in _unlike(line, actual[path], digits_of(path))]
        else:
            unlike.append(f"{path}: recorded {_short(line)}, not there now")
    for path in sorted(actual.keys() - recorded.keys()):
        line = line_of(actual[path], digits_of(path))
        unlike.append(f"{path}: not recorded, now {_short(line)}")
    return unlike


def _fits(path: str, line: str, values: Sequence[Value]) -> bool:
    """Return whether numbers are fitted, and each is within a share of its recorded interval."""
    if path not in FITTED:
        return False
    try:
        recorded, actual = [*map(float, line.split(" "))], [*map(float, values)]
    except (TypeError, ValueError):
        return False
    if len(recorded) != len(actual) or len(recorded) % 3:
        return False
    reaches = [SHARE * abs(recorded[place + 2] - recorded[place + 1])
               for place in range(0, len(recorded), 3) for _ in range(3)]  # fmt: skip
    apart = [abs(one - other) for one, other in zip(recorded, actual, strict=True)]
    return all(by <= reach for by, reach in zip(apart, reaches, strict=True))


def _unlike(line: str, values: Sequence[Value], digits: int) -> Iterator[str]:
    if line.startswith("values="):
        recorded = dict(_named(word) for word in line.split(" "))
        actual = _summary(values)
    else:
        runs = [word.partition("*") for word in line.split(" ")]
        texts = [text for text, _, count in runs for _ in range(int(count or 1))]
        recorded = {f"[{index}]": text for index, text in enumerate(texts)}
        actual = {f"[{index}]": value for index, value in enumerate(values)}
    if recorded.keys() != actual.keys():
        yield f": recorded {_short(line)}, now {_short(line_of(values, digits))}"
        return
    for name, text in recorded.items():
        if not _agrees(text, actual[name], digits):
            place = "" if len(recorded) == 1 else f" {name}"
            yield f"{place}: recorded {text}, now {actual[name]}"


def _named(word: str) -> tuple[str, str]:
    """Return the name and the value of a word of a summary; each may hold an equals sign."""
    if word.startswith("["):
        name, _, value = word.partition("=")
    else:
        name, _, value = word.rpartition("=")
    return name, value


def _agrees(recorded: str, actual: Value, digits: int) -> bool:
    """Return whether a value is the recorded one but for its last digit."""
    if recorded == _written(actual, digits):
        return True
    if isinstance(actual, str) or not re.fullmatch(r"-?\d+\.\d*(e[+-]\d+)?|-?\de[+-]\d+", recorded):
        return False
    wanted = float(recorded)
    if not wanted:
        return False
    last_digit = 10.0 ** (math.floor(math.log10(abs(wanted))) + 1 - digits)
    return abs(actual - wanted) <= last_digit


def _summary(values: Sequence[Value]) -> dict[str, Value]:
    words = Counter(value for value in values if isinstance(value, str))
    sizes = [0.0 if isinstance(value, str) else abs(value) for value in values]
    negative = [value for value in values if not isinstance(value, str) and value < 0]
    summary: dict[str, Value] = {"values": len(values)}
    if len(words) <= LONGEST:
        summary |= dict(sorted(words.items()))
    if negative:
        summary["negative"] = len(negative)
    if total := math.fsum(sizes):
        places = math.fsum(index * size for index, size in enumerate(sizes))
        summary |= {"sum": total, "place": places / total}
    spread = [round(n * (len(values) - 1) / (SHOWN - 1)) for n in range(SHOWN)]
    return summary | {f"[{index}]": values[index] for index in spread}


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Value]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name not in LEFT_OUT:
                place = name.replace(" ", "_")
                yield from _leaves(inner, f"{path}.{place}" if path else place)
    elif isinstance(value, list):
        yield from _items(value, path)
    elif (word := _word(value)) is not None:
        yield path, word


def _items(items: list[Any], path: str) -> Iterator[tuple[str, Value]]:
    if not items:
        yield path, "[]"
    if any(isinstance(item, dict) for item in items):
        yield path, len(items)
    for item in items:
        if isinstance(item, dict):
            name = _name_of(item)
            yield from _leaves(item, f"{path}.{name}" if name else f"{path}[]")
        else:
            yield from _leaves(item, path)


def _name_of(item: Mapping[str, Any]) -> str:
    """Return what tells an item of a list from the others: its id, or a format and a method."""
    if {"precision", "naive"} <= item.keys():
        return f"{item['precision']}-{'naive' if item['naive'] else 'stable'}"
    return str(item.get("id", ""))


def _word(value: Any) -> Value | None:
    """Return a value as a recording has it, or nothing for free text."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, str):
        return value.replace(" ", "_") if WORD.fullmatch(value) else None
    number: float | int = value
    return number


def _cell(text: str) -> Value | None:
    if not text:
        return "-"
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        return number if math.isfinite(number) else text
    return _word(text)


def _written(value: Value, digits: int) -> str:
    if not isinstance(value, float):
        return str(value)
    text = f"{value:.{digits}g}"
    return text if set(".e") & set(text) else f"{text}.0"


def _short(line: str) -> str:
    return line if len(line) <= 80 else f"{line[:80]}…"
