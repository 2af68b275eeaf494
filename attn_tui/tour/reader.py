"""Reads a tour from a TOML file: our own, or one that a teacher writes."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.experiment import Experiment
from attn_tui.files.content import read_tables
from attn_tui.files.draft import Draft, draft_of, parse
from attn_tui.files.values import Values
from attn_tui.instruments import Instrument
from attn_tui.tour.condition import Condition, condition
from attn_tui.tour.step import Guess, Step, Tour

OURS = Path(__file__).parent / "ours.toml"

KEYS = {"ask": 400, "picture": 400, "say": 156, "guess": 110, "answers": 34, "right": 34, "do": 110,
        "until": 200, "why": 190}  # fmt: skip
"""The keys of a step, each with the most characters that fit on a small screen."""

ANSWERS = 3

MOST_STEPS = 50

CommandReader = Callable[[str], tuple[Instrument, Experiment]]
"""Reads a command line of the program; may raise InputError."""


def read_tour(path: str, ask: CommandReader) -> Tour:
    """Read a tour from a file.

    Raises:
        InputError: Naming the file, the line and what was expected there.
    """
    tables = read_tables(path, "step")
    if len(tables) > MOST_STEPS:
        tables[MOST_STEPS].fail(f"{len(tables)} steps are too many", f"up to {MOST_STEPS}")
    digest = sha256(repr([table.of for table in tables]).encode()).hexdigest()
    return Tour(digest[:16], tuple(_step(table, ask) for table in tables))


def our_tour(ask: CommandReader) -> Tour:
    """Return the tour that comes with the program."""
    return read_tour(str(OURS), ask)


def _step(table: Values, ask: CommandReader) -> Step:
    table.know(*KEYS)
    instrument, draft = _asked(table, ask)
    until = _until(table, instrument)
    start = parse(draft)
    if until.holds(start):
        reason = f"until holds as the step begins: {until.reason(start)}"
        table.fail(reason, "what is still to be done")
    says, task, learnt = (_text(table, key) for key in ("say", "do", "why"))
    picture, asks = _picture(table, instrument, ask), _text(table, "ask")
    return Step(instrument, draft, says, task, until, learnt, _guess(table), picture, asks)


def _text(table: Values, key: str) -> str:
    text = " ".join(table.get(key, str).split())
    if not text:
        table.fail(f"{key} is empty", "a text")
    return _short(table, key, text)


def _short(table: Values, key: str, text: str) -> str:
    if len(text) > KEYS[key]:
        table.fail(f"{inert(text)} has {len(text)} characters", f"at most {KEYS[key]}")
    return text


def _guess(table: Values) -> Guess | None:
    if "guess" not in table.of:
        for key in ("answers", "right"):
            if key in table.of:
                table.fail(f"{key} is of no use without guess", "a guess")
        return None
    answers = table.each("answers", str)
    different = {answer for answer in answers if answer.strip()}
    if len(answers) != ANSWERS or len(different) != ANSWERS:
        table.fail(f"answers has {len(different)}", f"{ANSWERS} different texts")
    for answer in answers:
        _short(table, "answers", answer)
    right = table.get("right", str)
    if right not in answers:
        table.fail(f"{inert(right)} is none of the answers", "one of them, word for word")
    return Guess(_text(table, "guess"), answers, answers.index(right))


def _picture(table: Values, instrument: str, ask: CommandReader) -> Draft | None:
    """Return the question whose picture stands beside the guess, if there is one."""
    if "picture" not in table.of:
        return None
    if "guess" not in table.of:
        table.fail("picture is of no use without guess", "a guess")
    name, draft = _asked(table, ask, "picture")
    if name != instrument:
        table.fail("picture is of another instrument", "the command of ask")
    return draft


def _asked(table: Values, ask: CommandReader, key: str = "ask") -> tuple[str, Draft]:
    """Return the instrument and the question of a command line such as ``c`` copies."""
    try:
        instrument, experiment = ask(_text(table, key))
    except InputError as error:
        problem = error.problem if error.field == "ask" else f"{error.field}: {error.problem}"
        table.fail(problem, error.expected)
    return instrument.name, draft_of(experiment)


def _until(table: Values, instrument: str) -> Condition:
    try:
        return condition(_text(table, "until"), instrument)
    except InputError as error:
        table.fail(error.problem, error.expected)
