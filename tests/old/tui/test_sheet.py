"""The style sheet: what is parsed, and when."""

from typing import Any

import pytest
from textual.css import stylesheet
from textual.css.parse import parse

from tests.old.tui.person import MEDIUM, NARROW, WIDE, at_screen


async def test_what_one_program_has_parsed_is_not_parsed_by_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with at_screen() as person:
        before = person.app.screen.styles.background
    parsed = list[str]()

    def noted(scope: str, css: str, *rest: Any, **more: Any) -> Any:
        parsed.append(css)
        return parse(scope, css, *rest, **more)

    monkeypatch.setattr(stylesheet, "parse", noted)
    async with at_screen() as person:
        assert not parsed
        assert person.app.screen.styles.background == before
        person.app.theme = "textual-light"
        await person.press("1")
        assert parsed
    async with at_screen() as person:
        assert person.app.screen.styles.background == before


async def test_a_small_screen_takes_on_its_styles_no_oftener_than_a_large_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    applied, apply = list[object](), stylesheet.Stylesheet.apply

    def noted(sheet: stylesheet.Stylesheet, node: Any, **how: Any) -> None:
        applied.append(node)
        apply(sheet, node, **how)

    monkeypatch.setattr(stylesheet.Stylesheet, "apply", noted)
    counts = []
    for size in (WIDE, MEDIUM, NARROW):
        applied.clear()
        async with at_screen(size):
            counts.append(len(applied))
    assert max(counts) < 1.2 * counts[0], counts
