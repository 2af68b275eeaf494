"""``attn-tui demo``: small captures, one healthy and others with a fault, to try the doctor on."""

from pathlib import Path

import click

from attn_tui.compute.errors import InputError
from attn_tui.console.options import Command, needed, switch
from attn_tui.console.output import write

_EXAMPLES = """\
  attn-tui demo faults
  attn-tui doctor faults/mla/capture.safetensors --config faults/mla
"""


@click.command("demo", cls=Command, examples=_EXAMPLES)
@click.argument(
    "folder",
    metavar="DIR",
    type=click.Path(),
    required=False,
    callback=needed("folder", "a new folder, such as faults"),
)
@switch("--force", "Write into a folder that is not empty.")
def demo(folder: str, force: bool) -> None:
    """Write a healthy capture and sixteen with faults that people met, each with its config.json.

    README.txt in DIR says what to try on each and what the doctor finds. They are small, and the
    same every time.
    """
    from attn_tui.captures.demo import README, write_demos
    from attn_tui.captures.disk import place_of

    path = Path(folder)
    try:
        if not force and path.is_dir() and any(path.iterdir()):
            problem, expected = "it is not empty", "a new folder, or --force"
            raise InputError("folder", problem, expected, place_of(folder))
        written = [demo.name for demo in write_demos(path)]
    except OSError as error:
        problem = str(error.strerror)
        raise InputError("folder", problem, "a folder to write to", place_of(folder)) from None
    write(
        [f"{len(written)} captures are in {place_of(folder)}; {README} there says what to try.\n"]
    )
