"""What a shell completes: names of rules, models and examples, and files, also after ``@``."""

from __future__ import annotations  # CompletionItem takes a parameter from click 8.5 on

import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class

from attn_tui.commands.names import commands
from attn_tui.compute.visible import visible

Complete = Callable[[click.Context, click.Parameter, str], list["CompletionItem[str]"]]

Names = Mapping[str, str]
"""Names with what each means."""


def of_names(names: Names | Callable[[], Names], lists: bool = False) -> Complete:
    """Return what completes one of some names, or the last of several with commas between them.

    A function is called when it is needed.
    """

    def complete(
        context: click.Context, parameter: click.Parameter, typed: str
    ) -> list[CompletionItem[str]]:
        before, comma, _ = typed.rpartition(",") if lists else ("", "", "")
        every, taken = names() if callable(names) else names, before.split(",")
        left = {before + comma + name: every[name] for name in every if name not in taken}
        return _starting(left, typed)

    return complete


def scores(
    context: click.Context, parameter: click.Parameter, typed: str
) -> list[CompletionItem[str]]:
    """Complete a file after ``@``; where nothing stands before, a subcommand too."""
    if typed.startswith("@"):
        return _files(typed)
    if context.parent is None or context.info_name in _subcommands() or context.params["scores"]:
        return []
    return _starting(_subcommands(), typed)


def matrices(
    context: click.Context, parameter: click.Parameter, typed: str
) -> list[CompletionItem[str]]:
    """Complete a file after ``@``."""
    return _files(typed) if typed.startswith("@") else []


def experiment_files(
    context: click.Context, parameter: click.Parameter, typed: str
) -> list[CompletionItem[str]]:
    """Complete any file."""
    return [CompletionItem(typed, type="file")]


def _subcommands() -> Names:
    return {name: summary for name, (_, summary) in commands().items()}


def _starting(names: Names, typed: str) -> list[CompletionItem[str]]:
    return [
        CompletionItem(name, help=meaning or None)
        for name, meaning in names.items()
        if name.startswith(typed)
    ]


def _files(typed: str) -> list[CompletionItem[str]]:
    """Return the folders, and the files that can be read, that a path after ``@`` begins."""
    from attn_tui.files.paths import entries
    from attn_tui.files.readers import SUFFIXES

    folder, name = os.path.split(typed[1:])
    found = []
    for entry in entries(os.path.expanduser(folder)):
        # What a shell is told is lines: a name that is none in itself has to be typed.
        is_hidden = entry.startswith(".") > name.startswith(".") or entry != visible(entry)
        is_read = entry.endswith(os.sep) or entry.lower().endswith(SUFFIXES)
        if entry.startswith(name) and is_read and not is_hidden:
            found.append(CompletionItem("@" + os.path.join(folder, entry)))
    return found


class _Bash(BashComplete):
    """Bash, which takes ``=``, ``:`` and ``@`` for the ends of words."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words of the command line, as they were before Bash cut them up."""
        before, last = super().get_completion_args()
        *arguments, typed = rejoined([*before, last])
        # Bash replaces what stands behind = and :, but an @ with what stands behind it.
        self._before = re.sub("@?[^=:@]*$", "", typed)
        return arguments, typed

    def format_completion(self, item: CompletionItem[Any]) -> str:
        """Return the part that Bash has not got yet."""
        value = str(item.value)
        if self._before and item.type == "plain":
            value = value.removeprefix(self._before)
        return f"{item.type},{value}"


def rejoined(words: Iterable[str]) -> list[str]:
    """Return words with those put together that an ``=``, ``:`` or ``@`` stands between."""
    found: list[str] = []
    goes_on = False
    for word in words:
        is_end = word[:1] in ("=", ":") and set(word) <= set("=:@")
        if found and (goes_on or is_end):
            found[-1] += word
        else:
            found.append(word)
        goes_on = is_end or word == "@"
    return found


add_completion_class(_Bash)
