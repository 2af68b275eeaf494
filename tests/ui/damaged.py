"""Files of ours as nobody should write them: values of other types, and bytes that are lost."""

import json
from collections.abc import Sequence
from dataclasses import fields
from random import Random
from typing import Any

from textual.theme import Theme

COLOURS = (
    "#ff0000",
    "red",
    "transparent",
    "ansi_red",
    "#12345678",
    "hsl(1,2%,3%)",
    "rgba(1,2,3,-5)",
)
STYLES = ("bold", "none", "not bold", "b reverse")
TEXTS = (
    "", " ", "\n", "x" * 5000, "\x1b[31m", "[red]", "[", "}", "{", "/*", "; color: red", "$primary",
    "$foo-style", "$block-cursor-text-style", "auto", "auto 50%", "red 50%", "initial", "#ggg",
    "rgba(1,2,3,nan)", "bold\nitalic", "boldest", "bold; color: red", "1", "ctrl+", "ctrl+s", "+",
    "u", "u,", ",", "f2", "f99", "é", "question_mark", "escape", "ctrl+q", "q,u,o,s",
)  # fmt: skip
BARE = (
    "1", "-1e308", "inf", "nan", "true", "false", "[]", "{}", "[1]", "1979-05-27", "9" * 40,
    "$x", "", "= 1", "'''", "1\n1", "0x1", "[[1]]",
)  # fmt: skip
VARIABLES = (
    "border", "block-cursor-text-style", "button-focus-text-style", "link-style-hover", "mark",
    "foo-style", "style", "primary", "primary-style", "unscaled", "text", "ansi-background",
    "", "a b", "x;y", "$z", "[red]", "}", "/*", "--x", "é", "scrollbar", "markdown-h1-text-style",
)  # fmt: skip


def value(draw: Random, right: Sequence[str], share: float) -> str:
    """Return a value as TOML has it, which is a right one at least so often."""
    if draw.random() < share:
        return json.dumps(draw.choice(right))
    return draw.choice((*map(json.dumps, TEXTS), *BARE))


def theme(draw: Random) -> bytes:
    """Return a theme: some are right, most are wrong in a place or two."""
    colours = ("primary", "background", "foreground")
    lines = [f"{name} = {value(draw, COLOURS, 0.95)}" for name in colours]
    others = [each.name for each in fields(Theme) if each.name not in (*colours, "variables")]
    for name in (*others, "colour"):
        if draw.random() < 0.06:
            lines.append(f"{name} = {value(draw, (*COLOURS, 'true'), 0.5)}")
    lines.append("[variables]")
    for name in draw.sample(VARIABLES, draw.randint(0, 3)):
        right = STYLES if "style" in name else COLOURS
        lines.append(f"{json.dumps(name)} = {value(draw, right, 0.8)}")
    return scratched(draw, "\n".join(lines).encode())


def keymap(draw: Random, known: Sequence[str]) -> bytes:
    """Return settings with keys for some actions."""
    names = [draw.choice((*known, *VARIABLES)) for _ in range(draw.randint(1, 5))]
    keys = [
        f"{json.dumps(name)} = {value(draw, ('f2', 'z', 'u', 'ctrl+k'), 0.6)}" for name in names
    ]
    return scratched(draw, "\n".join(["[keys]", *keys]).encode())


def scratched(draw: Random, data: bytes) -> bytes:
    """Return bytes of which some are lost, and others came, in a file of six."""
    lost = bytearray(data)
    for _ in range(draw.randint(1, 6) if draw.random() < 1 / 6 else 0):
        place = draw.randrange(len(lost) + 1)
        lost[place : place + draw.randint(0, 20)] = draw.randbytes(draw.randint(0, 4))
    return bytes(lost)


WILD: tuple[Any, ...] = (
    None, True, 0, -1, 1e308, 10**30, "", "\x1b[31m", "[red]", "a: 1e999", "nan", [], {}, [1],
    {"a": 1}, "x" * 3000, [[[[[]]]]], "../../etc/passwd", "@/dev/zero", "q: 1 0\nK: 1", "\ud800",
    "n = 1000000000, vectors = 9", "over-pane", "explore", "heads",
)  # fmt: skip


def changed(draw: Random, plain: Any) -> Any:
    """Return plain values of which some are others, are missing, or came."""
    if draw.random() < 0.12:
        return draw.choice(WILD)
    if isinstance(plain, list):
        return [changed(draw, each) if draw.random() < 0.3 else each for each in plain]
    if not isinstance(plain, dict):
        return plain
    found = {
        name: changed(draw, each) if draw.random() < 0.3 else each for name, each in plain.items()
    }
    if found and draw.random() < 0.1:
        del found[draw.choice([*found])]
    if draw.random() < 0.1:
        found[draw.choice(("zz", "text", "", "explore", "\x1b"))] = draw.choice(WILD)
    return found
