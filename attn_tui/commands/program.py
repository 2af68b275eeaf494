"""The command line: it finds the subcommand, and turns every error into one line."""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any, NoReturn

import click
from click.shell_completion import CompletionItem

from attn_tui import __version__
from attn_tui.captures.suffixes import SUFFIXES, suffix_of
from attn_tui.commands.names import by_purpose, places, summaries
from attn_tui.compute.errors import InputError, inert
from attn_tui.console.arguments import HELP_NAMES, SCREEN_IS_ADDED, protected
from attn_tui.console.output import (
    BAD_INPUT,
    FAILED,
    INTERRUPTED,
    NAME,
    drop_rest,
    prepare_output,
    tell,
    tell_lines,
)
from attn_tui.instruments import load
from attn_tui.ui.session_names import ENDING

_HELP = """\
softmax(QKᵀ/√d_k)V: attention weights and their gradient, unscaled beside
scaled. Opens a screen, or prints a report where there is no terminal.

\b
SCORES  one vector an argument, or single numbers; without them 100,120,150
        -1,0,-inf   numbers; -inf masks a key; q:3,4 is a vector with a name
        @FILE       a .npy, .npz, .csv, .json or .txt file; - reads a pipe
        FILE        scores (.npy, .npz); a capture or its folder; a .session
"""
_OPTIONS = """\
\b
--d-k 64, --draw 1000, --capture FILE, --theme NAME …  attn-tui show --help
--resume, --fresh, --session FILE, --version, -h, --help
"""
_EXAMPLES = """\
\b
Examples:
  attn-tui 100 120 150 --d-k 64
"""


NOT_FINITE = ("nan", "inf", "infinity")
"""The numbers that are words."""


class Program(click.Group):
    """The program: the screen by default, and a subcommand for each instrument and task."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the subcommands."""
        return [*places()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a subcommand."""
        place = places().get(cmd_name)
        command: click.Command | None = load(place) if place else None
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Find the subcommand; other arguments open the screen on scores or a capture.

        Raises:
            InputError: If the first argument is a word with no meaning here.
        """
        args = protected(args)
        options = (p for p in self.get_params(ctx) if not getattr(p, "hidden", False))
        names = {*places(), *(name for p in options for name in p.opts)}
        if not (args or ctx.resilient_parsing) or (args and args[0] not in names):
            first = args[0] if args else ""
            if first.endswith(ENDING):
                return super().parse_args(ctx, ["replay", *args])
            is_file = suffix_of(first) in SUFFIXES and not first.startswith(("@", "-"))
            is_folder = _is_folder(first)
            is_capture = is_folder or (is_file and _is_capture(first, args))
            if not (is_file or is_folder) and first.isalpha() and first.lower() not in NOT_FINITE:
                like = ", ".join(get_close_matches(first, places()) or places())
                expected = f"numbers: -1.5, 1e3, or -inf (masked); or a command: {like}"
                raise InputError("scores", f"{inert(first)} is not a number", expected)
            ctx.meta[SCREEN_IS_ADDED] = "--screen" not in args
            args = ["heads" if is_capture else "show", "--screen", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem[str]]":
        """Complete a subcommand, importing none, or a file of scores or a capture, or an option."""
        if incomplete.startswith("-"):
            command = load(places()["show"])
            context = command.make_context("show", [], parent=ctx, resilient_parsing=True)
            options: list[CompletionItem[str]] = command.shell_complete(context, incomplete)
            return options
        commands = [
            CompletionItem(name, help=text)
            for name, text in summaries().items()
            if name.startswith(incomplete)
        ]
        # First, since bash completes files only where nothing follows: no command begins like this.
        files = [CompletionItem(incomplete, type="file")] if incomplete else []
        return [*files, *commands]

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        """Read the options; some, such as --help, print something."""
        with _quiet_ends():
            return super().make_context(*arguments, **more, obj=_open_screen)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand."""
        with _quiet_ends():
            return super().invoke(ctx)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the two ways to call the program."""
        formatter.write_usage(NAME, f"[SCORES]... [OPTIONS], or {NAME} COMMAND --help")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the subcommands by purpose, and where to find the options."""
        width = max(map(len, summaries()))
        for purpose, texts in by_purpose().items():
            with formatter.section(purpose):
                formatter.write_dl([(name.ljust(width), text) for name, text in texts.items()])
        with formatter.section("Options"):
            formatter.write_text(_OPTIONS)

    def main(self, args: Any = None, *rest: Any, **extra: Any) -> NoReturn:
        """Run the program, and exit: 2 after a line that says what is wrong, 70 if it failed."""
        arguments = protected(list(sys.argv[1:] if args is None else args))
        sys.exit(self._status(arguments))

    def _status(self, arguments: list[str]) -> int:
        try:
            prepare_output()
            result = super().main(arguments, NAME, standalone_mode=False)
        except InputError as error:
            return _fail(_spelled(error))
        except click.NoSuchOption as error:
            return _fail(_no_option(error))
        except click.UsageError as error:
            return _fail(f"{error.format_message().rstrip('.')}; expected what --help lists")
        except click.ClickException as error:
            return _fail(error.format_message())
        except MemoryError:
            return _fail("not enough memory; expected less input")
        except (click.Abort, KeyboardInterrupt):
            return INTERRUPTED
        except Exception:
            import traceback

            # Some commands end with 1, which must not be taken for a failure of the program.
            tell_lines(traceback.format_exc())
            return FAILED
        return result if isinstance(result, int) else 0


MEANT = {
    "--causal": "--mask causal", "--cap": "--softcap", "--scale": "--rule", "--rule": "--scale",
    "--mask": "--causal", "--n": "--lengths",
}  # fmt: skip
"""What an option is called here that other programs call so."""


def _no_option(error: click.NoSuchOption) -> str:
    """Return what is wrong with an option that a command does not have, and which one was meant."""
    parameters = error.ctx.command.params if error.ctx is not None else []
    names = {name for parameter in parameters for name in parameter.opts}
    meant = MEANT.get(error.option_name, "")
    likely = get_close_matches(error.option_name, [*names], 1)
    expected = likely[0] if likely else "one that --help lists"
    if meant.partition(" ")[0] in names:
        expected = meant
    return f"{error.option_name}: there is no such option; expected {expected}"


def _open_screen(*arguments: Any, **more: Any) -> None:
    """Open the screen of an instrument; what a screen needs is imported only then."""
    from attn_tui.commands.screen import open_instrument

    open_instrument(*arguments, **more)


def _is_folder(path: str) -> bool:
    """Return whether an argument is a folder of captures, and neither a number nor a name."""
    is_text = not path.startswith(("@", "-")) and any(map(str.isalpha, path))
    is_number = path.lower() in NOT_FINITE
    return is_text and not is_number and os.path.isdir(os.path.expanduser(path))


def _is_capture(path: str, arguments: Sequence[str]) -> bool:
    """Return whether a file of arrays is a capture; one that is not there is told as one."""
    from attn_tui.files.kinds import is_capture, names_in

    return not os.path.isfile(os.path.expanduser(path)) or is_capture(path, names_in(arguments))


@contextmanager
def _quiet_ends() -> Iterator[None]:
    """Handle Ctrl+C and a closed pipe before click, which writes an empty line or ends with 1."""
    try:
        yield
    except KeyboardInterrupt:
        raise click.exceptions.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        drop_rest(sys.stdout)
        raise click.exceptions.Exit(0) from None


_ARGUMENTS = {
    "scores": "SCORES", "capture": "CAPTURE", "claim": "ID", "recipe": "NAME", "folder": "DIR",
    "function": "FUNCTION", "tour": "FILE", "replay": "FILE", "terminal": "terminal",
    "reference": "REFERENCE", "port": "PORT", "command": "COMMAND",
}  # fmt: skip
"""How errors name what is no option, by its field."""


def _spelled(error: InputError) -> str:
    """Return the text of an error, with its field spelled as on the command line."""
    name = _ARGUMENTS.get(error.field) or "--" + error.field.replace("_", "-")
    return str(InputError(name, error.problem, error.expected, error.where))


def _fail(message: str) -> int:
    """Print one line without control characters, and return the exit status."""
    tell(message)
    return BAD_INPUT


def _print_versions(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    """Print the program's version; as JSON, those of all that it runs on."""
    if not value or context.resilient_parsing:
        return
    if context.params.get("as_json"):
        from attn_tui.commands.versions import versions

        click.echo(json.dumps(versions(), indent=2))
    else:
        click.echo(f"{NAME} {__version__}")
    context.exit()


program = Program(
    NAME,
    # --json is eager, so that --version knows of it.
    params=[
        click.Option(["--json", "as_json"], is_flag=True, is_eager=True, hidden=True),
        click.Option(
            ["--version"],
            is_flag=True,
            expose_value=False,
            callback=_print_versions,
            help="Print the version; with --json those of all parts.",
        ),
    ],
    help=_HELP,
    epilog=_EXAMPLES,
    context_settings={"help_option_names": HELP_NAMES, "max_content_width": 80},
    subcommand_metavar="",
)
