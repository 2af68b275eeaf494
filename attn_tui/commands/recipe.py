"""``attn-tui recipe``: a script that captures what a model's attention layers compute."""

import click

from attn_tui.captures.disk import place_of
from attn_tui.captures.recipes import RECIPES, recipe_text
from attn_tui.compute.errors import InputError
from attn_tui.console.options import Command, any_file, of_names, option
from attn_tui.console.output import write

_EXAMPLES = """\
  attn-tui recipe transformers > capture.py
  attn-tui recipe onnx --out capture.py
"""
_NAMES = "\n".join(f"  {name:<14}{meaning}" for name, meaning in RECIPES.items())


@click.command(
    "recipe",
    cls=Command,
    examples=_EXAMPLES,
    help=f"""\
Print a short script that captures q, k, v and the output of every attention layer into a
.safetensors file, which the doctor reads. It says how to call it on a model of your own.
Without a name, list the scripts there are.

\b
NAME  what the model runs with:
{_NAMES}
""",
)
@click.argument(
    "name",
    metavar="[NAME]",
    required=False,
    shell_complete=of_names(RECIPES),
)
@option("--out", "FILE", "Write the script to a new file.", complete=any_file)
def recipe(name: str | None, out: str | None) -> None:
    """Print a script, or write it to a new file; without a name, list the scripts."""
    if name is None:
        if out is not None:
            raise InputError("recipe", "none is given", f"one of {', '.join(RECIPES)}")
        write(f"{kind:<14}{meaning}\n" for kind, meaning in RECIPES.items())
        return
    text = recipe_text(name)
    if out is None:
        write([text])
        return
    try:
        with open(out, "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise _refused(out, "it is there already", "a new file") from None
    except OSError as error:
        raise _refused(out, str(error.strerror), "a file that can be written") from None


def _refused(path: str, problem: str, expected: str) -> InputError:
    return InputError("out", problem, expected, place_of(path))
