"""Every field that can be asked, for docs/json.md: its name in JSON, its option, what it may be."""

import sys
from collections.abc import Iterator
from pathlib import Path

from attn_tui.compute.draw import Draw
from attn_tui.compute.field import Field, fields_of
from attn_tui.compute.setup import FIELDS
from attn_tui.instruments import INSTRUMENTS, load

START = "<!-- fields: python -m attn_tui.commands.field_table docs/json.md -->\n"
END = "<!-- end of fields -->"


def field_rows() -> Iterator[str]:
    """Yield a row for each field: first those that all instruments share."""
    for name, field in FIELDS.items():
        yield _row(f"experiment.{name}", field)
    for field in fields_of(Draw).values():
        yield _row(f"experiment.draw.{field.key}", field)
    for instrument in INSTRUMENTS:
        place = f"experiment.settings.{instrument.name}"
        yield f"| `{place}` | | the settings of {instrument.title} |"
        for name, field in fields_of(load(instrument.settings)).items():
            yield _row(f"{place}.{name}", field)


def _row(place: str, field: Field) -> str:
    option = f"`{field.option}`" if field.option else ""
    called = f"; also {', '.join(field.synonyms)}" if field.synonyms else ""
    return f"| `{place}` | {option} | {field.help}{called}: {field.kind.expected} |"


def with_fields(document: str) -> str:
    """Return a Markdown document with the present table of fields between its two marks."""
    before, start, rest = document.partition(START)
    _, end, after = rest.partition(END)
    rows = "\n".join(["| field | option | what it is |", "|---|---|---|", *field_rows()])
    return f"{before}{start}\n{rows}\n\n{end}{after}"


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        path.write_text(with_fields(path.read_text("utf-8")), "utf-8")
