"""Examples: questions worth asking, each with what to look at."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from attn_tui.files.codec import experiment_from_plain
from attn_tui.files.content import read_tables
from attn_tui.files.draft import Draft
from attn_tui.files.sources import source_of
from attn_tui.files.values import Values


@dataclass(frozen=True)
class Example:
    """A question with an answer worth seeing.

    Attributes:
        name: Its name on the command line.
        title: Its name on screen.
        draft: The question.
        look: What to look at, in one sentence; a test checks its numbers.
    """

    name: str
    title: str
    draft: Draft
    look: str


def _example(table: Values) -> Example:
    text = table.get("text", str)
    experiment = experiment_from_plain(table.get("asks", dict, {}), source_of(text))
    draft = Draft(text, experiment.setup)
    return Example(table.get("name", str), table.get("title", str), draft, table.get("look", str))


EXAMPLES: Mapping[str, Example] = {
    example.name: example
    for example in map(_example, read_tables(str(Path(__file__).with_suffix(".toml")), "example"))
}
"""Every example by its name, the worked example first."""
