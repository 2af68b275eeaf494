"""Claims that somebody writes: a TOML file of questions, quantities and expected values."""

from collections.abc import Callable, Iterator
from typing import Any

from attn_tui.claims.claim import Case, Claim, Evidence, Stated
from attn_tui.claims.trial import Trial
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.text import visible
from attn_tui.files.content import Table, read_tables

_KEYS = ("id", "says", "ask", "quantity", "expected", "within", "right", "source")
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

    def check(trial: Trial, stated: Stated) -> Iterator[Case]:
        value, standard_error = _number(table, quantity, answered())
        evidence = Evidence(quantity, value, standard_error, stated["expected"])
        yield Case(line, evidence.is_near(stated["expected"], within=within), (evidence,))

    return Claim(
        name, table.get("source", str, table.path), says, table.get("right", str, ""),
        (), "undecided", "computed", check=check, stated={"expected": expected},
        command=line.strip().removeprefix("attn-tui ").replace("{", "{{").replace("}", "}}"),
    )  # fmt: skip


def _number(table: Table, quantity: str, plain: Any) -> tuple[float, float | None]:
    """Return the number that a quantity names in plain values, and its standard error if known.

    Raises:
        InputError: If it names none, with the names there are.
    """
    for part in quantity.replace("[", ".").replace("]", "").split("."):
        parts = _parts(plain)
        if part not in parts:
            known = "one of " + ", ".join(parts) if parts else "nothing behind a number"
            table.refuse(f"{inert(part)} of {inert(quantity)} is not there", known)
        plain = parts[part]
    sample = _parts(plain)
    value = sample.get("value", plain)
    if type(value) not in (int, float):
        names = ", ".join(sample) or "a number that the answer has"
        table.refuse(f"{inert(quantity)} is no number", names)
    return float(value), sample.get("standard_error")


def _parts(plain: Any) -> dict[str, Any]:
    """Return what is in an object by its names, or in a list by its places."""
    if isinstance(plain, list):
        return {str(place): value for place, value in enumerate(plain)}
    return plain if isinstance(plain, dict) else {}
