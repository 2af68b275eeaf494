"""``attn-tui agent``: one page for coding agents, which the package carries as ``SKILL.md``."""

from importlib.resources import files

import click

from attn_tui.console.options import Command
from attn_tui.console.output import write

_EXAMPLES = """\
  attn-tui agent
  attn-tui agent > .claude/skills/attn-tui/SKILL.md
"""


@click.command("agent", cls=Command, examples=_EXAMPLES)
def agent() -> None:
    """Print one page for coding agents.

    What to run when a port writes fluent nonsense, what each exit status means, and the fields of
    the JSON. The text is a skill as it stands.
    """
    write([files("attn_tui").joinpath("SKILL.md").read_text("utf-8")])
