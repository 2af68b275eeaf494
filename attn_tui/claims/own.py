"""Claims that somebody writes: a TOML file of questions, quantities and expected values."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from attn_tui.claims.claim import TOPICS, Case, Claim, Evidence, Stated
from attn_tui.claims.trial import Trial
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.visible import visible
from attn_tui.files.content import Table, read_tables

_KEYS = ("id", "says", "ask", "quantity", "expected", "within", "right", "source")
_PART = re.compile(r"(?P<name>[A-Za-z0-9_-]+)|\[(?P<index>\d+)\]")
WITHIN = 1e-6
"""How far a number may be from the expected one, relative to the larger, unless a file says."""


Ask = Callable[[str], Callable[[], Any]]
"""Reads a command line of the program, and returns what answers it as plain values of JSON; raises
InputError."""


def read_claims(path: str, ask: Ask) -> dict[str, Claim]:
    """Return the claims of a file, by id.

    Raises:
        InputError: With field ``"file"``, naming the file and the line.
    """
    claims: dict[str, Claim] = {}
    for table in read_tables(path, "claim"):
        made = _claim(table, ask)
        if made.id in claims:
            table.refuse(f"{inert(made.id)} stands twice", "each id once")
        claims[made.id] = made
    return claims


def _claim(table: Table, ask: Ask) -> Claim:
    table.know(*_KEYS)
    # As it is shown, so that what is shown can be typed.
    name, says = visible(table.get("id", str)), table.get("says", str)
    line, quantity = table.get("ask", str), table.get("quantity", str)
    expected, within = table.get("expected", float), table.get("within", float, WITHIN)
    if not within >= 0.0:
        table.refuse("within will not do", "a number from 0")
    try:
        answered = ask(line)
    except InputError as error:
        table.refuse(f"{error.field}: {error.problem}", error.expected)
    _parts(table, quantity)

    def check(trial: Trial, stated: Stated) -> Iterator[Case]:
        value, standard_error = _number(table, quantity, answered())
        evidence = Evidence(quantity, value, standard_error, stated["expected"])
        yield Case(line, evidence.is_near(stated["expected"], within=within), (evidence,))

    return Claim(
        name, table.get("source", str, table.path), says, table.get("right", str, ""),
        (TOPICS[0],), "undecided", "computed", check=check, stated={"expected": expected},
        command=line.strip().removeprefix("attn-tui ").replace("{", "{{").replace("}", "}}"),
    )  # fmt: skip


def _parts(table: Table, quantity: str) -> list[str | int]:
    """Return the names and places of a quantity such as ``vectors[0].scaled.max_weight``."""
    parts: list[str | int] = []
    for step in quantity.replace("[", ".[").split("."):
        found = _PART.fullmatch(step)
        if not found:
            table.refuse(
                f"{inert(quantity)} is not understood",
                "names with dots between them, such as vectors[0].scaled.max_weight",
            )  # fmt: skip
        parts.append(found["name"] or int(found["index"]))
    return parts


def _number(table: Table, quantity: str, plain: Any) -> tuple[float, float | None]:
    """Return the number that a quantity names in plain values, and its standard error if known.

    Raises:
        InputError: If it names none, with the names there are.
    """
    beside: dict[str, Any] = {}
    for part in _parts(table, quantity):
        known = _names(plain)
        if part not in known:
            table.refuse(
                f"{inert(str(part))} of {inert(quantity)} is not there",
                "one of " + ", ".join(map(str, known)) if known else "nothing behind a number",
            )  # fmt: skip
        beside, plain = plain if isinstance(plain, dict) else {}, plain[part]
    error = None
    if isinstance(plain, dict) and "value" in plain:
        beside, plain = plain, plain["value"]
        error = beside.get("standard_error")
    if error is None and all(type(beside.get(end)) in (int, float) for end in ("low", "high")):
        # The ends of a 95 % interval.
        error = (beside["high"] - beside["low"]) / 2.0 / 1.96
    if type(plain) not in (int, float):
        names = ", ".join(plain) if isinstance(plain, dict) else "a number that the answer has"
        table.refuse(f"{inert(quantity)} is no number", names)
    return float(plain), error if type(error) in (int, float) else None


def _names(plain: Any) -> list[Any]:
    """Return the names in an object, or the places in a list."""
    if isinstance(plain, dict):
        return [*plain]
    return [*range(len(plain))] if isinstance(plain, list) else []
