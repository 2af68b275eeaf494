"""What people ask: each reply is what its command shows."""

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
from click.testing import CliRunner

from attn_tui.commands.program import program
from attn_tui.compute.sweep.settings import Settings
from attn_tui.console.asking import asked_by
from attn_tui.files.faq import FaqEntry, faq
from tests.pairs import slow_after

NUMBER = re.compile(r"(?<![\w.√/^_{(−-])[−-]?(?:\d[\d,]*)?\.?\d+(?:e[−-]?\d+)?(?: %)?(?![\w/])")
"""A number that stands by itself: neither in a formula nor in a name."""

ALWAYS = {"0", "1", "2"}
"""Numbers that no command needs to print."""


def said(entry: FaqEntry) -> list[str]:
    """Return the numbers that a reply adds to what is asked."""
    asked = NUMBER.findall(entry.asks) + re.findall(r"\d[\d.,]*", entry.command)
    return [text for text in NUMBER.findall(entry.reply) if text not in {*asked, *ALWAYS}]


def printed(value: Any) -> Iterator[float]:
    """Yield every number of a report in JSON, and those of its headlines and situations."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, str) and name in ("headline", "case", "name"):
                texts = re.findall(r"\d[\d,]*\.?\d*(?:e-?\d+)?", inner.replace("−", "-"))
                yield from (float(text.replace(",", "")) for text in texts)
            yield from printed(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from printed(inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)


def is_rounding(text: str, value: float) -> bool:
    """Return whether a number as text is a value, rounded to the digits that it has."""
    plain = text.removesuffix(" %").replace("−", "-").replace(",", "")
    times = 100.0 if text.endswith("%") else 1.0
    mantissa, _, power = plain.partition("e")
    digits = len(mantissa.partition(".")[2])
    half = 0.5 * 10.0 ** (int(power or 0) - digits)
    return abs(abs(float(plain)) - abs(value) * times) <= half * 1.0001


def shown(command: str) -> list[float]:
    result = CliRunner().invoke(program, [*shlex.split(command), "--json"])
    assert result.exit_code == 0, result.stderr
    return [*printed(json.loads(result.stdout))]


@pytest.mark.parametrize("entry", slow_after(6, faq()), ids=lambda entry: entry.asks)
def test_every_number_of_a_reply_is_shown_by_its_command(entry: FaqEntry) -> None:
    numbers = shown(entry.command)
    missing = [
        text for text in said(entry) if not any(is_rounding(text, value) for value in numbers)
    ]
    assert missing == []


def test_a_number_is_a_rounding_of_what_it_comes_from() -> None:
    assert is_rounding("61.5", 61.4678)
    assert not is_rounding("61.5", 61.56)
    assert is_rounding("4.6 %", 0.0455)
    assert is_rounding("2.3e-4", 2.27e-4)
    assert not is_rounding("2.3e-4", 2.27e-3)
    assert is_rounding("−0.06", -0.0577)
    entry = FaqEntry(
        "Why 8?", "√64 is 8, float32 is not; 41 of 64, .70 and 5 %.", "show --n 64", ()
    )
    assert said(entry) == ["41", ".70", "5 %"]


def test_the_headline_on_the_screen_is_about_the_place_that_the_command_names() -> None:
    for entry in faq():
        instrument, experiment = asked_by(entry.command)
        if instrument.name != "sweep":
            continue
        settings = experiment.setup.get(Settings)
        if settings.over == "n" and settings.view == "curves":
            at = re.search(r"--n [\d:]+@(\d+)", entry.command)
            assert at, entry.command
            assert settings.n == int(at[1])
            assert settings.n_range[0] < settings.n < settings.n_range[-1]
            continue
        place = re.search(r"--d-k [\d:]+@(\d+)", entry.command)
        assert place, entry.command
        assert experiment.setup.d_k == int(place[1])
        assert settings.d_k_range[0] < int(place[1]) < settings.d_k_range[-1]


def test_entries_are_questions_with_short_replies_that_can_be_opened() -> None:
    entries = faq()
    assert len(entries) >= 40
    assert len({entry.asks for entry in entries}) == len(entries)
    for entry in entries:
        assert entry.asks.endswith("?")
        assert len(entry.asks) <= 76
        assert entry.reply.endswith(".")
        assert len(entry.reply) <= 260
        assert entry.topics
        asked_by(entry.command)
