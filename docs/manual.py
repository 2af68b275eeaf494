"""What a shell and ``man`` read of the program: made of its help while a wheel is built."""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from os import environ
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import click
from click.shell_completion import get_completion_class
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SHELLS = {
    "bash": "share/bash-completion/completions/attn-tui",
    "zsh": "share/zsh/site-functions/_attn-tui",
    "fish": "share/fish/vendor_completions.d/attn-tui.fish",
}
"""Where each shell looks for what completes a command."""

MANUAL = "share/man/man1/attn-tui.1"


class ManualHook(BuildHookInterface[Any]):
    """Adds the manual page and the completions to a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write them, and say where they go."""
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        folder = Path(mkdtemp())
        for number, (place, text) in enumerate(files().items()):
            path = folder / str(number)
            path.write_text(text, "utf-8")
            build_data["shared_data"][str(path)] = place


def files() -> dict[str, str]:
    """Return the texts by their places below an environment."""
    from attn_tui.commands.program import program

    return {MANUAL: "\n".join(manual(program)) + "\n"} | {
        place: completion(program, shell) for shell, place in SHELLS.items()
    }


def completion(program: click.Command, shell: str) -> str:
    """Return the script by which a shell completes the program's command lines."""
    made = get_completion_class(shell)
    assert made is not None
    script = made(program, {}, "attn-tui", "_ATTN_TUI_COMPLETE")
    # Its `source` asks which bash is installed here.
    return script.source_template % script.source_vars()


def manual(program: click.Group) -> Iterator[str]:
    """Yield the lines of the manual page."""
    # A build that is repeated is the same: distributions set this variable.
    day = datetime.fromtimestamp(int(environ.get("SOURCE_DATE_EPOCH", "0")), UTC)
    context = click.Context(program, info_name="attn-tui", terminal_width=80)
    yield f'.TH ATTN-TUI 1 "{day:%Y-%m-%d}" "attn-tui" "User Commands"'
    yield ".SH NAME"
    yield r"attn-tui \- attention weights and their gradient, unscaled beside scaled"
    yield ".SH SYNOPSIS"
    yield ".nf"
    yield r"\fBattn-tui\fR [SCORES]... [OPTIONS]"
    yield r"\fBattn-tui\fR COMMAND --help"
    yield ".fi"
    yield ".SH DESCRIPTION"
    yield from _literal(program.get_help(context).partition("\n\n")[2])
    for name in program.list_commands(context):
        command = program.get_command(context, name)
        assert command is not None
        yield f'.SH "attn-tui {name}"'
        below = click.Context(command, parent=context, info_name=name, terminal_width=80)
        yield from _literal(command.get_help(below))
    yield ".SH EXIT STATUS"
    yield "0: all went well; 1 and 3: verdicts of the doctor; 2: the input was wrong;"
    yield "70: the program failed; 130: ctrl+c; 128 and a number: a signal."
    yield ".SH FILES"
    yield "$XDG_STATE_HOME/attn-tui, or ~/.local/state/attn-tui: sessions, and the last theme."


def _literal(text: str) -> Iterator[str]:
    """Yield lines that are shown as they are."""
    yield ".nf"
    for line in text.splitlines():
        escaped = line.replace("\\", "\\e").replace("-", "\\-")
        # A dot or an apostrophe at the start would be a request.
        yield f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped
    yield ".fi"
