"""What docs/ says of the program: its tables, and every name of JSON and CSV."""

import csv
import json
import re
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from attn_tui.compute.rules import RULES
from attn_tui.instruments import INSTRUMENTS
from docs.notebook import CELLS, NOTEBOOK, PAGES
from docs.tables import DOCS, HELP, TABLES, renewed
from tests.test_cli_heads import call

NAMES = set(re.findall(r"`([^`\s]+)`", (DOCS / "json.md").read_text("utf-8")))

OPEN = {"parameters", "differences", "counts", "intervals", "unknown", "told", "edges", "where"}
"""Objects whose names are data: parts, verdicts, parameters of a rule."""


def names(value: Any) -> Iterator[str]:
    """Yield the name of every field of an object and of those in it."""
    if isinstance(value, list):
        for item in value[:50]:
            yield from names(item)
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            items = list(inner.values()) if name in OPEN and isinstance(inner, dict) else inner
            yield from names(items)


@pytest.mark.parametrize("page", [*DOCS.rglob("*.md")], ids=lambda page: page.stem)
def test_the_tables_and_the_help_of_a_page_are_those_of_the_program(page: Path) -> None:
    """``python -m docs.tables`` writes them anew."""
    document = page.read_text("utf-8")
    assert renewed(document) == document


def test_each_key_of_the_table_has_what_it_does_itself() -> None:
    table = (DOCS / "keys.md").read_text("utf-8")
    assert "`-, [` Lower d_k · `+, ], =` Raise d_k" in table


def test_every_table_stands_in_one_page() -> None:
    pages = "".join(page.read_text("utf-8") for page in DOCS.glob("*.md"))
    assert all(pages.count(f"<!-- table: {name} -->") == 1 for name in TABLES)


def test_every_help_file_stands_in_the_page_of_its_instrument() -> None:
    for page in (DOCS / "instruments").glob("*.md"):
        document = page.read_text("utf-8")
        named = re.findall(r"^<!-- help: (\S+) -->$", document, re.MULTILINE)
        # A forge shows the page as it is.
        assert all(read(name) in document for name in named)
        assert sorted(named) == sorted(file.stem for file in HELP.glob(f"{page.stem}*.md"))


def read(name: str) -> str:
    return (HELP / f"{name}.md").read_text("utf-8").strip()


def test_every_name_in_json_and_csv_is_explained(tmp_path: Path) -> None:
    saved = tmp_path / "saved.json"
    saved.write_text(call("show", "1,2", "--json").stdout)
    assert unexplained([
        "show 1,2 3,-inf --top 2 --lab --rule mup",
        f"show 1,3 --against {saved}",
        "show --query 1,0 --keys [[1,0],[0,1]] --values [[1],[2]] --softcap 9",
        "dot --samples 99",
        "sweep --points 2 --draws 9 --n 4",
        "attention --n 4",
        "claim S0-14",
    ]) == {}  # fmt: skip


@pytest.mark.slow
def test_every_name_in_json_of_captures_is_explained(tmp_path: Path) -> None:
    made = call("demo", str(tmp_path / "demo"))
    assert made.exit_code == 0, made.output
    good = min(map(str, (tmp_path / "demo").rglob("*.safetensors")))
    assert unexplained([
        "show --draw 9 --vectors 2",
        "sweep --map --points 3 --draws 50",
        "sweep --crossover --n 4 --draws 50",
        f"attention --capture {good} --layer 0 --head 0",
        f"heads {good} --rows 4 --fail-if entropy>0",
        f"doctor {good} --evidence",
    ]) == {}  # fmt: skip


def test_the_notebook_is_that_of_its_script() -> None:
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    assert tuple("".join(cell["source"]) for cell in cells) == CELLS
    shown = ["".join(cell["outputs"][0]["data"]["text/html"]) for cell in cells]
    assert ["✗ differs" in page for page in shown] == [True, False]
    assert all((DOCS / "pictures" / f"notebook-{theme}.png").is_file() for theme in PAGES)


@pytest.mark.slow
def test_the_notebook_still_says_what_its_pictures_show() -> None:
    names: dict[str, Any] = {}
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    for code, cell in zip(CELLS, cells, strict=True):
        before, _, last = code.rpartition("\n")
        exec(before, names)
        page = eval(last, names)._repr_html_()
        shown = "".join(cell["outputs"][0]["data"]["text/html"])
        # All but digits, which differ between processors.
        assert re.sub(r"[0-9.e-]+", "", page) == re.sub(r"[0-9.e-]+", "", shown)


def unexplained(commands: Sequence[str]) -> dict[str, set[str]]:
    """Return the names that docs/json.md does not have, by the command that prints them."""
    known = NAMES | set(RULES) | {instrument.name for instrument in INSTRUMENTS}
    missing: dict[str, set[str]] = {}
    for command in commands:
        plain = set(names(json.loads(call(*command.split(), "--json").stdout)))
        columns: list[str] = []
        if not command.startswith(("doctor", "heads")):
            columns = next(csv.reader(StringIO(call(*command.split(), "--csv").stdout)))
        for column in columns:
            name = re.sub("^(second|difference)_", "first_", column.replace("unscaled_", "scaled_"))
            bare = name.removeprefix("scaled_")
            plain.add(bare if bare in known else name.replace("scaled_", "unscaled_"))
        if plain - known:
            missing[command] = plain - known
    return missing


def test_the_how_to_pages_link_to_pages_that_are_there() -> None:
    folder = Path(__file__).parents[1] / "docs" / "howto"
    for page in folder.glob("*.md"):
        for target in re.findall(r"\]\(([^)#]+)", page.read_text("utf-8")):
            assert (folder / target).exists(), (page.name, target)
