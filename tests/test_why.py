"""docs/why.md: each command prints the lines that stand below it."""

import re
import shlex
from pathlib import Path

import pytest

from tests.test_cli import call

WHY = Path(__file__).parents[1] / "docs" / "why.md"

PICTURE = re.compile(r"^!\[.+\]\((.+)\)$", re.MULTILINE)

COMMAND, LINE = "    attn-tui ", " " * 8


def words(text: str) -> str:
    """Return a text without its line breaks."""
    return " ".join(text.split())


def shown() -> dict[str, list[str]]:
    """Return the commands of the page, each with the lines that it is said to print."""
    lines_of: dict[str, list[str]] = {}
    for line in WHY.read_text("utf-8").splitlines():
        if line.startswith(COMMAND):
            lines = lines_of.setdefault(line.removeprefix(COMMAND), [])
        elif line.startswith(LINE):
            lines.append(words(line))
    return lines_of


def test_each_command_of_the_page_says_what_it_prints() -> None:
    assert len(shown()) > 15
    assert all(shown().values())


def test_the_page_can_be_read_in_ten_minutes() -> None:
    page = WHY.read_text("utf-8")
    prose = [line for line in page.splitlines() if not line.startswith(COMMAND[:4])]
    read = [word for word in words(" ".join(prose)).split() if any(map(str.isalpha, word))]
    assert len(read) <= 2_000
    pictures = PICTURE.findall(page)
    assert len(set(pictures)) == 6
    assert all((WHY.parent / picture).is_file() for picture in pictures)


@pytest.mark.slow
@pytest.mark.parametrize("command", shown())
def test_a_command_prints_what_the_page_says(command: str) -> None:
    printed = words(call(*shlex.split(command)).stdout)
    for line in shown()[command]:
        assert line in printed
