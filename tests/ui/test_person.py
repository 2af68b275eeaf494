"""A test that waits for what does not come fails, and says what it was."""

import pytest

from attn_tui.files.draft import EXAMPLE
from attn_tui.ui.app import AttnApp
from attn_tui.ui.file_dialogs import FileScreen
from tests.ui import person
from tests.ui.person import shown, until


@pytest.mark.slow
async def test_what_does_not_come_is_named_and_a_tree_of_files_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(person, "PATIENCE", 3)
    async with AttnApp(EXAMPLE).run_test(size=(80, 24)) as pilot:
        await shown(pilot)
        await pilot.press("o")
        await until(pilot, lambda: isinstance(pilot.app.screen, FileScreen))
        await shown(pilot)
        with pytest.raises(AssertionError, match=r"vain: await until.*screen is None(.|\n)*esc"):
            await until(pilot, lambda: pilot.app.screen is None)
