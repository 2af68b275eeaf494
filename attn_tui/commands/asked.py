"""What a command line of the program asks, where it stands in a file."""

import json
from collections.abc import Callable
from shlex import split
from typing import Any

import click

from attn_tui.commands.names import protected
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.experiment import Experiment
from attn_tui.instruments import INSTRUMENTS, Instrument, load


def asked_by(line: str) -> tuple[Instrument, Experiment]:
    """Return the instrument a command line is for, and what it asks; forms of output are let be.

    Args:
        line: Such as ``"show 1,2,3 --d-k 64"``, with or without the program's name.

    Raises:
        InputError: If it cannot be asked.
    """
    commands = {instrument.command_name: instrument for instrument in INSTRUMENTS}
    try:
        words = split(line)
    except ValueError:
        raise InputError("ask", f"{inert(line)} has an open quote", "a closed one") from None
    words = words[words[:1] == ["attn-tui"] :]
    name, *arguments = words or [""]
    if name not in commands:
        raise InputError("ask", f"{inert(name)} is no command", "one of " + ", ".join(commands))
    for word in ("-", "--help"):
        if word in arguments:
            raise InputError("ask", f"{word} asks nothing here", "scores, options and their values")
    instrument = commands[name]
    command: click.Command = load(instrument.command)
    try:
        context = command.make_context(name, protected(arguments))
    except click.UsageError as error:
        # It may repeat all that stands there.
        problem = inert(error.format_message().rstrip("."), 200)[1:-1]
        raise InputError("ask", problem, f"what attn-tui {name} --help lists") from None
    return instrument, load(instrument.asked)(context.params)


def answered(line: str) -> Callable[[], Any]:
    """Return what answers a command line, as plain values of JSON.

    Raises:
        InputError: If it cannot be asked.
    """
    instrument, experiment = asked_by(line)

    def answer() -> Any:
        *_, last = load(instrument.answer)(experiment)
        return json.loads("".join(load(instrument.json)(last)))

    return answer
