"""Clears what would change a picture, before Textual is imported, and keeps the user's folders."""

import gc
import os
import signal
import sys
import tempfile
from contextlib import suppress
from importlib.util import find_spec

import pytest

from tests.claims.shared import FOLDER, share
from tests.styles import parse_once

# In the background, or under nohup, signals are ignored, and what a test starts would ignore them
# too; a handler is forgotten there. Workers outlive a lost terminal as the first process does.
_IGNORED = "ATTN_TUI_TESTS_IGNORE"
for signal_number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    ignored = os.environ.get(_IGNORED, "").split()
    if signal.getsignal(signal_number) is signal.SIG_IGN:
        os.environ[_IGNORED] = " ".join([*ignored, signal_number.name])
    if signal_number.name in os.environ.get(_IGNORED, "").split():
        signal.signal(signal_number, lambda *_: None)

for name in ("NO_COLOR", "TEXTUAL_THEME", "TEXTUAL_ANIMATIONS", "COLORTERM", "FORCE_COLOR"):
    os.environ.pop(name, None)
os.environ["COLORTERM"] = "truecolor"
os.environ["TEXTUAL_ANIMATIONS"] = "none"

# Hundreds of programs are started: each would compile all of it again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# No test asserts how long anything takes, and many run at once. What is drawn is the same in each
# run, unless `--hypothesis-profile drawn` asks for others. Not all have hypothesis.
with suppress(ImportError):
    from hypothesis import settings

    settings.register_profile("fixed", deadline=None, max_examples=50, derandomize=True)
    settings.register_profile("drawn", deadline=None, max_examples=50, database=None)
    settings.load_profile("fixed")

_home = tempfile.TemporaryDirectory(prefix="attn-tui-tests-")
for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
    os.environ[name] = os.path.join(_home.name, name.lower())
# Only the first start offers the tour.
_state = os.path.join(os.environ["XDG_STATE_HOME"], "attn-tui")
os.makedirs(_state)
with open(os.path.join(_state, "started"), "w", encoding="utf-8") as file:
    file.write("yes")
# The first process makes the folder; workers, and what they start, find it there.
os.environ.setdefault(FOLDER, _home.name)
share()
parse_once()

pytest.register_assert_rewrite("tests.golden")

# Not all have it; it imports Textual.
pytest_plugins = ["pytest_textual_snapshot"] if find_spec("pytest_textual_snapshot") else []


def pytest_collection_finish() -> None:
    """Leave what all tests share out of every later search for garbage, and search less often.

    As it comes, the search takes a sixth of the time of tests of screens.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 50, 100)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes minutes, so that no worker is left alone with it."""
    items.sort(key=lambda item: "test_driver.py" not in item.nodeid)


def pytest_xdist_auto_num_workers() -> int:
    """Return more workers than there are cores: tests of screens wait for these to rest."""
    cores = os.cpu_count() or 1
    return min(2 * cores, cores + 8)
