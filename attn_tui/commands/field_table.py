"""Every field that can be asked, for docs/json.md: its name in JSON, its option, what it may be."""

from collections.abc import Iterator

from attn_tui.compute.draw import Draw
from attn_tui.compute.field import Field, fields_of
from attn_tui.compute.setup import FIELDS
from attn_tui.instruments import INSTRUMENTS, load
from attn_tui.report.generated import Generated


def field_rows() -> Iterator[str]:
    """Yield a table with a row for each field: first those that all instruments share."""
    yield from ("| field | option | what it is |", "|---|---|---|")
    for name, field in FIELDS.items():
        yield _row(f"experiment.{name}", field)
    for field in fields_of(Draw).values():
        yield _row(f"experiment.draw.{field.key}", field)
    for instrument in INSTRUMENTS:
        place = f"experiment.settings.{instrument.name}"
        yield f"| `{place}` | | the settings of {instrument.title} |"
        for name, field in fields_of(load(instrument.settings)).items():
            yield _row(f"{place}.{name}", field)
    yield ""


def _row(place: str, field: Field) -> str:
    option = f"`{field.option}`" if field.option else ""
    called = f"; also {', '.join(field.synonyms)}" if field.synonyms else ""
    return f"| `{place}` | {option} | {field.help}{called}: {field.kind.expected} |"


FIELD_TABLE = Generated("fields", "attn_tui.commands.field_table docs/json.md", field_rows)

if __name__ == "__main__":
    FIELD_TABLE.write()
