"""``attn-tui serve``: the program, or a lesson, in the browsers of a class."""

import click

from attn_tui.compute.errors import InputError
from attn_tui.console.options import SCREEN, Command, Option

_EXAMPLES = """\
  attn-tui serve
  attn-tui serve lesson.toml --host 0.0.0.0 --visitors 40
  ssh -L 9000:localhost:8000 server      then http://localhost:9000/
"""


@click.command("serve", cls=Command, examples=_EXAMPLES)
@click.argument("file", required=False, type=click.Path(), metavar="[LESSON.toml]")
@click.option(
    "--host",
    cls=Option,
    group=SCREEN,
    default="127.0.0.1",
    metavar="ADDRESS",
    show_default=True,
    help="The address to listen at.",
)
@click.option(
    "--port",
    cls=Option,
    group=SCREEN,
    type=click.IntRange(1, 65_535),
    default=8000,
    metavar="PORT",
    show_default=True,
    help="The port.",
)
@click.option(
    "--visitors", cls=Option, group=SCREEN, type=click.IntRange(1, 500), default=30,
    metavar="COUNT", show_default=True, help="How many may be there at once.",
)  # fmt: skip
def serve(file: str | None, host: str, port: int, visitors: int) -> None:
    """Show the program, or the lesson in a TOML file, in browsers.

    Each page that is open has a program of its own, in about 100 MB of memory. A visitor reads and
    writes no file of this machine, except that the captures of the lesson are read. Other machines
    reach it only with --host; there is no password.
    """
    from attn_tui.console.asking import asked_by
    from attn_tui.tour.reader import read_tour

    if file is not None:
        try:
            read_tour(file, asked_by)
        except InputError as error:
            raise InputError("tour", error.problem, error.expected, error.where) from None
    try:
        from attn_tui.serving.server import Classroom
    except ImportError:
        message = "textual-serve is not installed; expected pip install 'attn-tui[web]'"
        raise click.ClickException(message) from None
    try:
        Classroom(host, port, visitors, file or "").serve()
    except OSError as error:
        problem = f"{host} and port {port:,} cannot be listened at: {error.strerror or error}"
        raise click.ClickException(f"{problem}; expected others by --host or --port") from None
