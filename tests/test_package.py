"""What a package brings beside the program, and what its page says."""

import json
import re
import tomllib
from pathlib import Path

from attn_tui import __version__
from attn_tui.commands.names import places
from docs.manual import MANUAL, SHELLS, files
from docs.page import page
from tests.test_cli import call

PROJECT = Path(__file__).parent.parent
README = (PROJECT / "README.md").read_text("utf-8")


def test_the_page_of_a_package_leads_to_where_the_files_are() -> None:
    text = page(README, "https://example.org/blob/v1/")
    targets = re.findall(r"\]\(([^)]+)\)", text)
    assert targets
    assert all(target.startswith("https://example.org/blob/v1/") for target in targets)
    assert "(https://example.org/blob/v1/docs/pictures/explore.gif?raw=true)" in text


def test_the_page_has_no_dead_link_where_no_address_is_known() -> None:
    text = page(README, "")
    assert not re.findall(r"\]\([^)]+\)", text)
    assert "explore.gif" not in text
    assert "\ndocs/questions.md: " in text.replace("- docs", "docs")


def test_the_manual_has_each_command_and_no_request_by_accident() -> None:
    lines = files()[MANUAL].splitlines()
    text = "\n".join(lines)
    assert [name for name in places() if f'.SH "attn-tui {name}"' not in text] == []
    assert "\\-\\-rule" in text
    requests = {line.split()[0] for line in lines if line.startswith((".", "'"))}
    assert requests == {".TH", ".SH", ".nf", ".fi"}


def test_each_shell_gets_what_completes_the_command() -> None:
    for place in SHELLS.values():
        assert "_ATTN_TUI_COMPLETE" in files()[place]


def test_the_versions_that_a_report_needs_are_those_of_every_dependency() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    told = json.loads(call("--version", "--json").stdout)
    needed = {re.split(r"[^\w]", text)[0] for text in project["dependencies"]}
    assert told["attn-tui"] == __version__
    assert {name for name in needed if not told[name]} == set()


def test_the_citation_is_of_this_version() -> None:
    assert f"\nversion: {__version__}\n" in (PROJECT / "CITATION.cff").read_text("utf-8")
