"""Compares what the program shows with what the command prints of the same question."""

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from decimal import Decimal, InvalidOperation
from itertools import count
from typing import Any

from click.testing import CliRunner

from attn_tui.claims.ledger import find
from attn_tui.commands.program import program
from tests.terminal.driven import Driven, FaultError
from tests.terminal.events import ESCAPE, LEAVE, Size, found

WINDOW = Size(100, 32)
"""The size in which is compared."""


OTHERS = {
    "dot": ("2", ("samples 1000",)),
    "sweep": ("3", ("draws 20", "points 5", "map_points 5", "n 64", "n_range 2:64")),
    "attention": ("4", ("rows drawn", "n 5")),
    "claim": ("6", ("claim S0-14",)),
}
"""The other commands: the key of the instrument, and settings that let it draw little.

What is drawn has a seed of its own, since draws that were stopped stay so.
"""


TRIES = 9
"""How often a text is read again until all is drawn."""


def compare(driven: Driven) -> bool:
    """Compare the table of Explore with ``show``; return whether the scores could be read."""
    go_to(driven, "1")
    if (asked := driven.ask()) is None:
        ask_example(driven)
        return False
    report = printed(driven, "show", asked, "--top", "100")
    with beside(report):
        compare_table(driven, report)
    return True


def compare_saved(driven: Driven, name: str) -> bool:
    """Compare the text of Explore, and the table, with ``show`` of what is saved there."""
    go_to(driven, "1")
    if (asked := saved(driven, name)) is None:
        ask_example(driven)
        return False
    report = printed(driven, "show", asked, "--top", "100")
    open_text(driven)
    with beside(report):
        driven.wait(lambda: place_of(said(driven.display), report), "text that show prints")
        place = place_of(said(driven.display), report)
        driven.send(ESCAPE)
        compare_table(driven, report[place:])
    return True


def compare_table(driven: Driven, report: Sequence[str]) -> None:
    """Compare the table of the vector that is shown with one of those in a report."""
    tables = reported(report)
    driven.wait(lambda: heads(driven.display), "table")
    if heads(driven.display)["side"] == "now":
        # It is compared with a pinned answer, which is let go.
        driven.send("p")
    driven.wait(
        lambda: any(agree(driven.display, table) for table in tables), "table that show prints"
    )


def go_to(driven: Driven, key: str) -> None:
    """Go to an instrument, in the size in which is compared."""
    driven.resize(WINDOW.columns, WINDOW.lines)
    # Keys go nowhere as long as it says that the window is too small, which takes few columns.
    driven.wait(lambda: any(len(line.rstrip()) > 45 for line in driven.display), "large window")
    # The instrument may have kept the focus in an editor.
    driven.send(f"{LEAVE}{key}{ESCAPE}")


def ask_example(driven: Driven) -> None:
    """Ask what can be read."""
    driven.send(f"{LEAVE}{found('worked example')}")


def compare_other(driven: Driven, command: str, seed: int) -> None:
    """Compare the beginning of what another instrument says with what the command prints."""
    key, little = OTHERS[command]
    go_to(driven, key)
    driven.send("".join(map(found, (*little, f"seed {seed}"))))
    unsaid = "nothing to say yet"
    report: list[str] = []
    for tries in count():
        asked = driven.ask()
        open_text(driven)
        # A box may be drawn in pieces: the line that names the seed must be there.
        driven.wait(lambda: seed_in(said(driven.display)) or sees(driven, unsaid), "a text")
        lines = said(driven.display)
        close_text(driven)
        # A text is of what was drawn until then, perhaps for an older question.
        if seed_in(lines) == str(seed):
            report = printed(driven, command, asked)
            # A short text ends with an empty line in its box.
            if report[: len(lines)] == lines or report == lines[:-1]:
                return
        if tries == TRIES:
            seen = ["it says:", *lines, "it prints:", *report]
            raise FaultError("\n".join([f"no text that {command} prints", *seen]))
        # A dialogue stops what is drawn, so it has longer and longer.
        driven.rest(0.1 * 2**tries)


def close_text(driven: Driven) -> None:
    """Close the text of what is shown, if it is open."""
    driven.send(ESCAPE)
    driven.wait(lambda: not sees(driven, "In words and"), "closed text")


def open_text(driven: Driven) -> None:
    """Open the text of what is shown."""
    driven.send("i")
    driven.wait(lambda: sees(driven, "In words and") or sees(driven, "nothing to say yet"), "a box")


def seed_in(lines: Sequence[str]) -> str:
    """Return the seed that a text names, or nothing."""
    found = (re.search(r"\bseed (\d+)\b", line) for line in lines)
    return next((match[1] for match in found if match), "")


def saved(driven: Driven, name: str) -> dict[str, Any] | None:
    """Save what is asked, and return what the file holds; None if scores cannot be read."""
    driven.send(f"\x13\x01\x0b{name}")
    # What came before has been read and drawn once this is.
    driven.wait(lambda: sees(driven, f" {name} "), "line that asks for a name")
    file = driven.folder / name
    driven.send("\r")
    unread = "the scores are not understood"

    def told() -> bool:
        lines = [line for line in driven.display if f"/{name}" in line]
        return bool(lines) and not any("Writes" in line for line in lines)

    # Once it is there a dialogue may still say how far it is.
    driven.wait(
        lambda: sees(driven, unread) or (told() and file.exists()), f"Saved {name}, or why not"
    )
    if not file.exists():
        return None
    # Captures that are opened by their names here are kept where they are.
    text = file.read_text().replace(f"{driven.folder}/", "")
    asked: dict[str, Any] = json.loads(text)
    file.unlink()
    return asked


def sees(driven: Driven, text: str) -> bool:
    """Return whether a text is on the screen."""
    return any(text in line for line in driven.display)


def printed(driven: Driven, command: str, plain: Any, *options: str) -> list[str]:
    """Return what a command prints of a question."""
    file = driven.folder / "asked.json"
    file.write_text(json.dumps(plain))
    asked = ["--experiment", os.fspath(file)]
    if command == "claim":
        trial = {**plain["settings"]["claims"]}
        asked = [trial.pop("claim")]
        for control in find(asked[0]).controls:
            asked += [f"--{control.replace('_', '-')}", str(trial[control])]
    # Files that are asked about may be named as they are from there.
    with chdir(file.parent):
        result = CliRunner().invoke(program, [command, *asked, *options])
    if result.exit_code:
        ended = f"{command} ends with {result.exit_code}"
        raise FaultError(f"{ended}: {result.output} {result.exception!r}")
    return [line.rstrip() for line in result.stdout.splitlines()]


@contextmanager
def beside(report: Sequence[str]) -> Iterator[None]:
    """Tell what was printed with a fault."""
    try:
        yield
    except FaultError as fault:
        raise FaultError(f"{fault}:\n" + "\n".join(report)) from None


def said(display: Sequence[str], width: int = 80) -> list[str]:
    """Return what is visible of the text in its box, down to what pops up over it.

    A text has at most 80 columns, but for one that is wrapped where the
    box ends: there, at 82, or where it is long a bar that scrolls it.
    """
    found = (re.search(r"╭─ In words and numbers ─+╮", line) for line in display)
    box = next(((n, *match.span()) for n, match in enumerate(found) if match), None)
    lines: list[str] = []
    if box:
        number, left, right = box
        for line in display[number + 1 :]:
            if not re.fullmatch(r"│ .*│", line[left:right]):
                break
            lines.append(
                line[left + 2 : left + 2 + width].rstrip(" ▁▂▃▄▅▆▇█" if width > 80 else None)
            )
    return lines


def place_of(lines: Sequence[str], report: Sequence[str]) -> int:
    """Return where in a report the vector's part of a text begins; 0 if the text is not from it."""
    first, _, behind = split(report)
    for text, above in ((lines, 0), (headline_moved(lines), len(first) + 1)):
        whole = behind if above else report
        head = text.index("") if "" in text else 0
        rest = [*text[head:]]
        if head and len(rest) >= 5 and [*text[:head]] == [*whole[:head]]:
            places = range(head, len(whole) - len(rest) + 1)
            return next((above + n for n in places if [*whole[n : n + len(rest)]] == rest), 0)
    return 0


def headline_moved(lines: Sequence[str]) -> list[str]:
    """Return a text with its headline below the name of its vector, as in a report of several.

    There what is said of all comes first.
    """
    said, has_more, rest = split(lines)
    head, has_name, vector = split(rest)
    if not (has_more and has_name):
        return [*lines]
    return [*head, "", *vector[:1], *said, *vector[1:]]


def split(lines: Sequence[str]) -> tuple[list[str], bool, list[str]]:
    """Return the lines above the first that is blank, whether there is one, and those below."""
    at = lines.index("") if "" in lines else len(lines)
    return [*lines[:at]], at < len(lines), [*lines[at + 1 :]]


def reported(report: Sequence[str]) -> list[dict[str, list[str]]]:
    """Return of each vector, by key, the weights, the gradients and the change, as printed."""
    tables: list[dict[str, list[str]]] = []
    inside = False
    for line in report:
        # A paragraph may begin a line with the same word.
        if re.match(r" *key .*\bchange$", line):
            tables.append({})
            inside = True
        elif inside and (inside := line.strip()[:1].isdigit()):
            key, _, *numbers = texts(line)
            tables[-1][key] = numbers
    return tables


def heads(display: Sequence[str]) -> dict[str, Any]:
    """Return the row of the names of the table's columns, and the second side's; or nothing."""
    found = (re.match(r"  +key [^│]* (\w+) +change$", line) for line in display)
    return next(({"row": n, "side": match[1]} for n, match in enumerate(found) if match), {})


def agree(display: Sequence[str], table: dict[str, list[str]]) -> bool:
    """Return whether the table on the screen has, key by key, the numbers of another."""
    head = heads(display)
    if not head or head["side"] == "now":
        return False
    rows = []
    for line in display[head["row"] + 1 :]:
        if not re.match(r"[▸ ][▪ ] *\d", line):
            break
        plain = re.sub(r"[▏▎▍▌▋▊▉█▒▸▪]", " ", line).replace(" %", "%")
        rows.append(texts(plain))
    return bool(rows) and all(
        len(row) == 7 and all(map(same, row[2:], table[row[0]])) for row in rows if row[0] in table
    )


def texts(line: str) -> list[str]:
    """Return the texts of a row of a table, in which a change may be two words."""
    return line.replace("from 0", "from_0").split()


def same(number: str, other: str) -> bool:
    """Return whether two numbers are one as far as the shorter is written; … is any.

    The first may be a share in percent, or that of a masked key.
    """
    number, other = (text.replace("−", "-") for text in (number, other))
    if number == other or "…" in (number, other) or (number == "masked" and other in ("0", "NaN")):
        return True
    if number.endswith("%"):
        return same_share(number, other)
    try:
        first, second = (Decimal(text.lstrip("×")) for text in (number, other))
        ends = [int(each.as_tuple().exponent) for each in (first, second)]
    except (InvalidOperation, ValueError):
        return False
    return abs(first - second) <= Decimal("0.6").scaleb(max(ends))


def same_share(share: str, weight: str) -> bool:
    """Return whether a share in percent is a weight, as far as it is written.

    With ~ it is not all of that, and without it 0 % is nothing that a double can hold.
    """
    if weight.startswith("10^-"):
        # Too small to be written otherwise.
        return share == "~0%"
    try:
        percent, exact = Decimal(share.lstrip("~").rstrip("%")), 100 * Decimal(weight)
        is_near = abs(percent - exact) <= Decimal("0.056")
    except InvalidOperation:
        # NaN is near nothing.
        return False
    if not is_near:
        return False
    if share == "0%":
        return exact < Decimal("1e-300")
    return share[0] != "~" or percent in (0, 100)
