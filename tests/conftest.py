"""Clears what would change a picture, before Textual is imported."""

import os

import pytest

for name in ("NO_COLOR", "TEXTUAL_THEME", "TEXTUAL_ANIMATIONS", "COLORTERM", "FORCE_COLOR"):
    os.environ.pop(name, None)
os.environ["COLORTERM"] = "truecolor"
os.environ["TEXTUAL_ANIMATIONS"] = "none"

pytest.register_assert_rewrite("tests.golden", "tests.tui.person")
