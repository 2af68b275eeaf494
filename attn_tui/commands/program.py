"""The command line: finds the subcommand, and turns every error into one line."""

import gc
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import click

from attn_tui import __version__
from attn_tui.commands.names import commands
from attn_tui.commands.options import protected, write_options
from attn_tui.commands.output import (
    BAD_INPUT,
    FAILED,
    INTERRUPTED,
    NAME,
    drop_rest,
    prepare_output,
    report,
    tell,
)
from attn_tui.commands.screen import open_screen
from attn_tui.compute.errors import InputError
from attn_tui.instruments import load

_SCORES = """\
Shows attention weights, softmax of scaled scores, and their gradient: unscaled beside scaled.
Opens a screen, or prints a report where standard output is no terminal.

\b
SCORES  one vector an argument; single numbers side by side are one vector.
        100,120,150    numbers; -inf masks a key
        a:100,120,150  a vector with a name
        @FILE          a .npy, .npz, .csv, .json or .txt file
        -              standard input: text or .npy
        Without SCORES: the worked example, 100,120,150.
"""
_EXAMPLES = """\
\b
Examples:
  attn-tui 100 120 150
  attn-tui -1,0,1 q:3,4 --d-k 64 --rule temperature:T=2
  attn-tui show @scores.npy --json --top 10
  attn-tui --draw 1000 --seed 7 --model gemma-2-27b
  attn-tui show --query 1,0 --keys "[[1,0],[0,1]]" --rule none
"""


class Program(click.Group):
    """The screen as the default, a subcommand for each instrument in the registry, and others."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the subcommands."""
        return [*commands()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a subcommand, imported now."""
        if cmd_name in commands():
            command: click.Command = load(commands()[cmd_name][0])
            gc.enable()
            return command
        return open_screen if cmd_name == open_screen.name else None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Find the subcommand; arguments that name none belong to the screen."""
        args = protected(args)
        known = {*self.list_commands(ctx), *(name for p in self.get_params(ctx) for name in p.opts)}
        if not args or args[0] not in known:
            args = [str(open_screen.name), *args]
        return super().parse_args(ctx, args)

    def make_context(self, *given: Any, **more: Any) -> click.Context:
        """Read the options, of which some, as --help, print."""
        with _own_ends():
            return super().make_context(*given, **more)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand."""
        with _own_ends():
            return super().invoke(ctx)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write both ways to call the program."""
        formatter.write_usage(NAME, "[OPTIONS] [SCORES]...")
        formatter.write_usage(NAME, "COMMAND [OPTIONS] [SCORES]...")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of the screen, those of the program, and the subcommands."""
        own = self.get_params(ctx)
        write_options([*open_screen.params, *own], ctx, formatter)
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in commands().items()])

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
        except click.UsageError as error:
            return _fail(f"{error.format_message().rstrip('.')}; expected what --help lists")
        except click.ClickException as error:
            return _fail(error.format_message())
        except MemoryError:
            return _fail("not enough memory; expected less input")
        except (click.Abort, KeyboardInterrupt):
            return INTERRUPTED
        except Exception:
            # 1 is what some commands say; that the program failed is never taken for it.
            report(traceback.format_exc())
            return FAILED
        return result if isinstance(result, int) else 0


@contextmanager
def _own_ends() -> Iterator[None]:
    """End as the program does, where click would write an empty line or call a closed pipe 1."""
    try:
        yield
    except KeyboardInterrupt:
        raise click.exceptions.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        drop_rest(sys.stdout)
        raise click.exceptions.Exit(0) from None


_ARGUMENTS = {
    "scores": "SCORES", "capture": "CAPTURE", "claim": "ID", "recipe": "NAME", "folder": "DIR",
    "tour": "FILE",
}  # fmt: skip
"""What is no option, by the field of its errors."""


def _spelled(error: InputError) -> str:
    """Return the text of an error with its field as the command line spells it."""
    name = _ARGUMENTS.get(error.field) or "--" + error.field.replace("_", "-")
    return str(InputError(name, error.problem, error.expected, error.where))


def _fail(message: str) -> int:
    """Print one line without control characters, and return the exit status."""
    tell(message)
    return BAD_INPUT


program = Program(
    NAME,
    params=[],
    help=_SCORES,
    epilog=_EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    subcommand_metavar="",
)
click.version_option(__version__, prog_name=NAME, message="%(prog)s %(version)s")(program)
