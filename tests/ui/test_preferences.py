"""What somebody prefers: theme, keys, the start; and files that are damaged in every way."""

import random
import re
import tomllib
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest
from click.testing import CliRunner
from textual.app import App
from textual.widgets import Footer

import attn_tui
from attn_tui.commands.config import template
from attn_tui.commands.program import program
from attn_tui.files.draft import EXAMPLE
from attn_tui.ui.app import AttnApp
from attn_tui.ui.help import help_text
from attn_tui.ui.keymap import keys_by_id
from attn_tui.ui.pane import Pane
from attn_tui.ui.preferences import Preferences
from attn_tui.ui.preferences_file import key_places, preferences
from tests.ui import damaged
from tests.ui.person import notices, press, shown

THEME = 'primary = "#ff0000"\nbackground = "#000000"\nforeground = "#ffffff"\n'


def read(folder: Path, text: str, **themes: str) -> Preferences:
    """Return the preferences in a file with that text, and themes beside it."""
    (folder / "config.toml").write_text(text, "utf-8")
    for name, theme in themes.items():
        (folder / "themes").mkdir(exist_ok=True)
        (folder / "themes" / f"{name}.toml").write_text(theme, "utf-8")
    return preferences(folder)


def test_what_is_preferred_is_read(tmp_path: Path) -> None:
    text = (
        'theme = "red"\nascii = true\nd_k = 64\noffer_tour = false\noffer_session = false\n'
        '[keys]\nundo = "z, ctrl+z"\nsettings = "!"\nsuspend = "f4"\n'
    )
    found = read(tmp_path, text, red=THEME)
    assert found.problems == ()
    assert (found.theme, found.ascii, found.d_k) == ("red", True, 64)
    assert (found.offer_tour, found.offer_session) == (False, False)
    assert found.keys == {"undo": "z,ctrl+z", "settings": "exclamation_mark", "suspend": "f4"}
    assert [theme.name for theme in found.themes] == ["red"]


def test_without_a_file_everything_is_ours(tmp_path: Path) -> None:
    assert preferences(tmp_path / "none") == Preferences()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("colour = 1", ['"colour" is unknown']),
        ("themes = 1", ['"themes" is unknown; expected theme']),
        ("ascii = 1", ['"ascii" is 1', "true or false"]),
        ("d_k = 0", ['"d_k" is 0', "a whole number from 1"]),
        ("d_k = true", ['"d_k" is true', "a whole number"]),
        ('theme = "atn"', ["\"theme\" is 'atn'", "attn"]),
        ("keys = 1", ['"keys" is 1', "an object"]),
        ("[keys]\nsav = 's'", ['"keys.sav" is unknown; expected save']),
        ("[keys]\nsave = 7", ['"keys.save" is 7', "a text in quotes"]),
        ("[keys]\nsave = ''", ["\"keys.save\" is ''", "keys, such as u"]),
        ("[keys]\nsave = 'ctrl+'", ['"keys.save"', "keys, such as u"]),
        ("[keys]\nsave = 'nonsense'", ['"keys.save"', "keys, such as u"]),
        ("d_k = 1\nd_k = 2", ["line 2"]),
        ("= 3", ["line 1"]),
    ],
)
def test_what_cannot_be_used_is_named_and_ours_stays(
    tmp_path: Path, text: str, named: Sequence[str]
) -> None:
    found = read(tmp_path, f"{text}\n")
    [problem] = found.problems
    assert "config.toml" in problem
    for part in named:
        assert part in problem
    assert found == Preferences(problems=found.problems)


def test_a_file_that_cannot_be_looked_at_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.toml").symlink_to("config.toml")
    [problem] = preferences(tmp_path).problems
    assert "config.toml" in problem


def test_other_settings_stay_beside_one_that_cannot_be_used(tmp_path: Path) -> None:
    found = read(tmp_path, "ascii = 1\nd_k = 64\n[keys]\nsave = 7\nundo = 'z'\n")
    assert len(found.problems) == 2
    assert (found.d_k, found.keys) == (64, {"undo": "z"})


@pytest.mark.parametrize(
    ("keys", "both"),
    [
        ("save = 'o'", ("save", "open")),
        ("save = 'f9'\nopen = 'f9'", ("save", "open")),
        ("undo = 'g'", ("undo", "settings")),
        ("axis = 'u'", ("axis", "undo")),
        ("again = 'v'", ("again", "axis")),
    ],
)
def test_one_key_for_two_actions_of_a_screen_is_named_by_both(
    tmp_path: Path, keys: str, both: tuple[str, str]
) -> None:
    found = read(tmp_path, f"[keys]\n{keys}\n")
    [problem] = found.problems
    for name in both:
        assert f'"keys.{name}"' in problem
    assert found.keys == {}


def test_two_keys_can_be_exchanged_and_a_key_of_one_screen_given_on_another(
    tmp_path: Path,
) -> None:
    found = read(tmp_path, "[keys]\nsave = 'o'\nopen = 's'\naxis = 'w'\n")
    assert found.problems == ()
    assert found.keys == {"save": "o", "open": "s", "axis": "w"}


@pytest.mark.parametrize(
    ("theme", "named"),
    [
        ("", '"primary" is missing'),
        ('primary = "blau"', "\"primary\" is 'blau'"),
        (f"{THEME}dark = 1", '"dark" is 1'),
        (f"{THEME}colour = 1", '"colour" is unknown'),
        (f"{THEME}[variables]\nborder = 1", '"variables.border" is 1'),
        (f"{THEME}[variables]\nborder = 'no colour'", '"variables.border" is'),
        (f"{THEME}[variables]\nlink-style = 'boldest'", "expected a style of text"),
        (f"{THEME}[variables]\nlink-style = '$link-style'", "expected a style of text"),
        (f"{THEME}ansi = 'red'", "expected true or false"),
        (f"{THEME}ansi = true", '"variables.ansi-background" is missing'),
        ("primary", "after a key"),
    ],
)
def test_a_theme_that_cannot_be_used_is_named(tmp_path: Path, theme: str, named: str) -> None:
    found = read(tmp_path, "", mine=theme)
    assert found.themes == ()
    assert len(found.problems) == 1
    assert "mine.toml" in found.problems[0]
    assert named in found.problems[0]


def test_a_theme_of_a_thousand_faults_is_one_line(tmp_path: Path) -> None:
    wrong = "".join(f"a{number} = 1\n" for number in range(1000))
    found = read(tmp_path, f"{wrong}", mine=f"{THEME}[variables]\n{wrong}")
    of_theme, *of_file = found.problems
    assert "(and 999 more)" in of_theme
    assert len(of_file) == 10
    assert "(and 990 more)" in of_file[-1]


@pytest.mark.slow
def test_a_file_damaged_in_any_way_keeps_what_is_ours(tmp_path: Path) -> None:
    whole = "".join(template()).replace("# ", "", 1).encode()
    draw = random.Random(5)
    known = [*keys_by_id(place for together in key_places() for place in together)]
    for turn in range(600):
        data = re.sub(rb"(?m)^# (\w+ = )", rb"\1", whole)
        data = damaged.scratched(draw, data) if turn % 2 else damaged.keymap(draw, known)
        (tmp_path / "config.toml").write_bytes(data)
        for problem in preferences(tmp_path).problems:
            assert problem.isprintable()
            assert "config.toml" in problem
            assert "expected" in problem
        assert (tmp_path / "config.toml").read_bytes() == data


@pytest.mark.slow
async def test_a_damaged_theme_is_one_line_and_any_other_can_be_shown(tmp_path: Path) -> None:
    """A colour, style or variable that Textual cannot read would end the program at the start."""
    place = tmp_path / "themes" / "mine.toml"
    place.parent.mkdir()
    draw = random.Random(5)
    shown_themes = 0
    async with AttnApp(EXAMPLE).run_test(size=(100, 32)) as pilot:
        await shown(pilot)
        app = pilot.app
        for _ in range(400):
            data = damaged.theme(draw)
            place.write_bytes(data)
            found = preferences(tmp_path)
            assert place.read_bytes() == data
            assert len(found.problems) + len(found.themes) == 1
            for problem in found.problems:
                assert problem.isprintable()
                assert "mine.toml" in problem
                assert "expected" in problem
            for own in found.themes:
                app.register_theme(own)
                app.set_reactive(App.theme, own.name)
                app.stylesheet.set_variables(app.get_css_variables())
                app.stylesheet.reparse()
                shown_themes += 1
    assert shown_themes > 50


async def test_chosen_keys_work_and_stand_in_footer_title_palette_and_help() -> None:
    chosen = Preferences(keys={"undo": "z", "edit": "E", "settings": "f2", "more": "k,plus"})
    async with AttnApp(EXAMPLE, preferred=chosen).run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        title = screen.query_one("#scores-pane", Pane)
        assert "E" in str(title.border_title)
        keys = [str(key.render()) for key in screen.query_one(Footer).children]
        assert any("F2" in key.upper() for key in keys)
        assert "`E`" in help_text(screen, None)
        await press(pilot, "k")
        assert screen.present.experiment.setup.d_k == 1280
        await press(pilot, "u")
        assert screen.present.experiment.setup.d_k == 1280
        await press(pilot, "z")
        assert screen.present.experiment.setup.d_k == 1024


async def test_what_cannot_be_used_is_said_once_at_the_start() -> None:
    found = Preferences(problems=("config.toml: [keys] is wrong",))
    async with AttnApp(EXAMPLE, preferred=found).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        assert notices(pilot).count("[keys] is wrong") == 1


def test_every_key_of_ours_can_be_chosen() -> None:
    nameless = {
        f"{place.__name__}: {binding.key}"
        for together in key_places()
        for place in together
        for owner in place.__mro__
        if owner.__module__.startswith("attn_tui")
        for binding in getattr(owner, "__dict__", {}).get("BINDINGS", ())
        if not binding.id
    }
    assert nameless == set()


def test_no_widget_with_keys_is_left_out_of_those_that_can_be_chosen() -> None:
    known = {place for together in key_places() for place in together}
    for module in walk_packages(attn_tui.__path__, "attn_tui."):
        if not module.name.endswith("__main__") and ".recipes." not in module.name:
            import_module(module.name)
    found = {place for together in key_places() for place in together}
    assert {place.__name__ for place in found - known} == set()


def test_the_file_that_is_printed_says_what_holds_already(tmp_path: Path) -> None:
    text = "".join(template())
    assert tomllib.loads(text) == {"keys": {}}
    # With every # taken away but those of sentences, it changes nothing.
    filled = re.sub(r"(?m)^# (\w+ = )", r"\1", text)
    found = read(tmp_path, filled)
    assert found.problems == ()
    assert (found.theme, found.ascii, found.d_k, found.offer_tour) == ("attn", False, 1024, True)


def test_the_place_is_printed_and_problems_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "attn-tui").mkdir()
    (tmp_path / "attn-tui" / "config.toml").write_text("d_k = 0\n")
    done = CliRunner().invoke(program, ["config", "--where"])
    assert done.stdout == f"{tmp_path}/attn-tui/config.toml\n"
    assert '"d_k" is 0' in done.stderr
