"""``attn-tui schema``: the JSON Schema of what ``--json`` prints."""

import click

from attn_tui.console.options import Command
from attn_tui.console.output import write

_EXAMPLES = """\
  attn-tui schema > attn-tui.schema.json
  attn-tui schema doctor
"""


@click.command("schema", cls=Command, examples=_EXAMPLES)
@click.argument("command", metavar="[COMMAND]", required=False)
def schema(command: str | None) -> None:
    """Print the JSON Schema of what --json prints, of one command or of all.

    Questions have the bounds of their options. docs/json.md says what every name means.
    """
    from attn_tui.files.plain import json_text
    from attn_tui.report.schema import schema as schema_of

    write(json_text(schema_of(command)))
