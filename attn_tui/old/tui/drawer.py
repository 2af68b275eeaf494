"""The settings drawer: a line for each setting, and what is done on the line of the cursor."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Any

from textual.widget import Widget

from attn_tui.charts.glyphs import POINTER
from attn_tui.compute.field import Kind
from attn_tui.old.tui.actions import Action, Section, down_a_list, quiet
from attn_tui.old.tui.parts import Host, Part
from attn_tui.old.tui.scene import LOW, is_narrow
from attn_tui.old.tui.settings import Group, Seen, Setting
from attn_tui.old.tui.view import View
from attn_tui.report.rows import Row, cells, fitted

WIDTH = 36
"""Columns of the drawer beside a picture."""

DOCKED = 110
"""Columns from which the drawer stays open when the keys go elsewhere."""

_LINE = tuple[Row, str]
"""A row, and the name of what it stands for, or nothing."""

_MOVE = Action(
    "drawer.move(-1)", ("up", "k"), "arrows", "Step",
    "Go to another setting, and step its value; with shift by little", bar=3, palette=False,
)  # fmt: skip
_ENTER = Action(
    "drawer.enter", ("enter",), "enter", "Type",
    "Type it, choose it or flip it; a digit begins to type a number", bar=1, palette=False,
)  # fmt: skip
_DEFAULT = Action(
    "drawer.default", ("delete", "backspace"), "del", "Default", "Go back to its default",
    bar=2, palette=False,
)  # fmt: skip
ACTIONS = (
    _MOVE,
    *down_a_list("drawer.move", "drawer.move(-8)", "drawer.move(8)", "j"),
    quiet("drawer.step(-1)", "left", "h"),
    quiet("drawer.step(1)", "right", "l"),
    quiet("drawer.step(-1, True)", "shift+left"),
    quiet("drawer.step(1, True)", "shift+right"),
    _ENTER,
    *(quiet(f"drawer.digit('{digit}')", digit) for digit in "0123456789"),
    _DEFAULT,
    Action(
        "drawer.close", ("escape",), "esc", "Close", "Close the settings", bar=1, palette=False
    ),
)  # fmt: skip

SECTION = Section("In the settings", ACTIONS)


def places(groups: Sequence[Group], seen: Seen, unfolded: frozenset[str]) -> list[Setting | Group]:
    """Return what the cursor can be on: settings, and groups that are folded."""
    found: list[Setting | Group] = []
    for group in groups:
        found += [group] if is_folded(group, seen, unfolded) else group.settings
    return found


def is_folded(group: Group, seen: Seen, unfolded: frozenset[str]) -> bool:
    """Return whether a group is one line: all is at its default, and nobody unfolded it."""
    at_defaults = all(each.is_default(seen) for each in group.settings)
    return group.folds and at_defaults and group.title not in unfolded


def group_of(groups: Sequence[Group], name: str) -> Group | None:
    """Return the group of a place by its name."""
    names = ({group.title, *(each.name for each in group.settings)} for group in groups)
    return next((group for group, own in zip(groups, names, strict=True) if name in own), None)


def name_of(place: Setting | Group) -> str:
    """Return what the view calls a place."""
    return place.name if isinstance(place, Setting) else place.title


def place_in(found: Sequence[Setting | Group], name: str) -> int:
    """Return the index of a place by its name; the first one where it is not there."""
    return next((at for at, each in enumerate(found) if name_of(each) == name), 0)


def found_at(found: Sequence[Setting | Group], name: str) -> Setting | Group:
    """Return a place by its name; the first one where it is not there."""
    return found[place_in(found, name)]


@dataclass(frozen=True)
class Sheet:
    """The drawer as lines.

    Attributes:
        lines: Rows, each with the name of the place it stands for.
        at: The index of the line the cursor is on.
        typed: Where on it a value is typed.
    """

    lines: Sequence[_LINE]
    at: int
    typed: int

    def top(self, height: int) -> int:
        """Return the first line that is in sight, so that the cursor's line is."""
        last = max(len(self.lines) - height, 0)
        return min(max(self.at - height + 2, 0), last)


def sheet(groups: Sequence[Group], seen: Seen, view: View, focused: bool, width: int) -> Sheet:
    """Return the settings, a line each, under the titles of their groups.

    Args:
        groups: All settings there are.
        seen: What they are read from.
        view: Where the cursor is, and what is unfolded.
        focused: Whether the drawer has the keys.
        width: Cells.
    """
    found = places(groups, seen, view.unfolded)
    here = found_at(found, view.setting)
    label = max(cells(each.label) for each in found if isinstance(each, Setting))
    lines: list[_LINE] = []
    for group in groups:
        if group in found:
            count = len(group.settings)
            text = f"{group.title}: {count} at {'their' if count > 1 else 'its'} default"
            text += "s" * (count > 1)
            lines.append((_line(text, "muted", here is group, focused, width), group.title))
            continue
        lines.append((fitted(((f" {group.title}", "label"),), width), ""))
        for each in group.settings:
            row = _setting(each, seen, label, each is here, focused)
            lines.append((fitted(row, width), each.name))
    at = next(at for at, (_, name) in enumerate(lines) if name == name_of(here))
    return Sheet(lines, at, label + 4)


def _line(text: str, role: str, here: bool, focused: bool, width: int) -> Row:
    pointer = (POINTER if here else " ", "cursor")
    return fitted((pointer, (text, "focus" if here and focused else role)), width)


def _setting(setting: Setting, seen: Seen, label: int, here: bool, focused: bool) -> Row:
    held = setting.held(seen)
    role = "muted" if held else "text" if setting.is_default(seen) else "strong"
    value = setting.value(seen)
    text = "not here" if held else setting.kind.shown(value) or "none"
    opening, closing = ("‹ ", " ›") if _moves(setting, seen) else ("  ", "")
    return (
        (POINTER if here else " ", "cursor"),
        (f" {setting.label:<{label}} ", "muted" if held else "label"),
        (opening, "axis"),
        (text, "focus" if here and focused else role),
        (closing, "axis"),
    )


def help_lines(groups: Sequence[Group], seen: Seen, view: View, width: int, most: int) -> list[str]:
    """Return what there is to say of the line of the cursor: why it is held, or what it is."""
    here = found_at(places(groups, seen, view.unfolded), view.setting)
    if isinstance(here, Group):
        text = f"{here.title}: " + ", ".join(each.label for each in here.settings)
    elif text := here.held(seen):
        pass
    else:
        text = f"{here.title}: {here.expected}."
    return wrap(text, max(width, 10), max_lines=most, placeholder=" …")


def on_line(groups: Sequence[Group], seen: Seen, view: View) -> Sequence[Action]:
    """Return what keys do on the line of the cursor, called as it is there."""
    here = found_at(places(groups, seen, view.unfolded), view.setting)
    arrows, words = ("Go", "drawer.move(1)"), {_ENTER: "Open", _DEFAULT: ""}
    if isinstance(here, Setting):
        held = here.held(seen)
        if _moves(here, seen):
            arrows = "Step", "drawer.step(1)"
        words[_ENTER] = "" if held else _entered(here.kind)
        words[_DEFAULT] = "" if held or here.is_default(seen) else "Default"
    # A click on arrows does what one of them does that changes something.
    moving = replace(_MOVE, label=arrows[0], run=arrows[1])
    called = [(each, words.get(each, each.label)) for each in ACTIONS if each is not _MOVE]
    return [moving, *(replace(each, label=label) for each, label in called if label)]


def _entered(kind: Kind) -> str:
    """Return what enter does to a setting, in a word."""
    if not kind.choices or kind.digits:
        return "Type"
    return "Change" if len(kind.choices) == 2 else "Choose"


def _moves(setting: Setting, seen: Seen) -> bool:
    """Return whether a setting has a next value, or one before."""
    value = setting.value(seen)
    steps = (setting.kind.step(value, by) for by in (-1, 1))
    return not setting.held(seen) and any(step != value for step in steps)


class Drawer(Part[Host]):
    """What is done in the drawer, on the line of its cursor."""

    NAME = "drawer"

    @property
    def _found(self) -> list[Setting | Group]:
        screen = self._screen
        return places(screen.GROUPS, screen, screen.view.unfolded)

    @property
    def here(self) -> Setting | Group:
        """What the cursor is on."""
        return found_at(self._found, self._screen.view.setting)

    @property
    def _is_held(self) -> bool:
        """Whether the value is of no use now; the lines below say why."""
        return isinstance(here := self.here, Setting) and bool(here.held(self._screen))

    def can(self, verb: str) -> bool:
        """Leave digits to the instruments where no number is typed."""
        if verb == "digit":
            here = self.here
            return isinstance(here, Setting) and here.kind.digits and not self._is_held
        return super().can(verb)

    def point(self, name: str) -> None:
        """Put the cursor on a place, and unfold what it is in."""
        view = self._screen.view
        folded = [each for each in self._found if isinstance(each, Group)]
        opened = {each.title for each in folded if name in map(name_of, each.settings)}
        self._screen.look(replace(view, setting=name, unfolded=view.unfolded | opened))

    def move(self, by: int) -> None:
        """Go so many places down."""
        found = self._found
        at = place_in(found, self._screen.view.setting) + by
        self.point(name_of(found[min(max(at, 0), len(found) - 1)]))

    def step(self, steps: int, fine: bool = False) -> None:
        """Step the value, or unfold."""
        if self._is_held:
            return
        if isinstance(here := self.here, Setting):
            self._screen.fields.change(here.name, steps, fine)
        elif steps > 0:
            self.enter()

    def step_at(self, name: str, steps: int) -> None:
        """Go to a setting and step it."""
        self.point(name)
        self.step(steps)

    def enter(self) -> None:
        """Type the value, choose or flip it; or unfold."""
        if self._is_held:
            return
        if isinstance(here := self.here, Setting):
            self._screen.fields.enter(here.name)
        else:
            view = self._screen.view
            first = here.settings[0].name
            self._screen.look(replace(view, unfolded=view.unfolded | {here.title}, setting=first))

    def digit(self, digit: str) -> None:
        """Begin to type a number."""
        if isinstance(here := self.here, Setting):
            self._screen.fields.type(here.name, digit)

    def default(self) -> None:
        """Go back to the default."""
        if not self._is_held and isinstance(here := self.here, Setting):
            self._screen.fields.default(here.name)

    @property
    def ring(self) -> list[Any]:
        """What the keys go through: the picture, the settings, what else there is."""
        (pane,) = self._screen.query("#settings")
        has_line = bool(self._screen.GROUPS) and not self._screen.view.full
        # Not in the chain's order: that is by places, which what was hidden has none of yet.
        chain = self._screen.focus_chain
        every = [each for each in self._screen.query("*") if each in chain]
        there = [each for each in every if pane not in each.ancestors_with_self]
        return [*there[:1], *[pane] * has_line, *there[1:]]

    async def next_pane(self, by: int) -> None:
        """Give the keys to the next pane, or to the one before; the drawer opens for them."""
        screen = self._screen
        held = screen.focused.ancestors_with_self if screen.focused else ()
        if screen.view.settings and screen.size.width < DOCKED:
            # In its place there may be nothing else to go to.
            self._open(False)
        ring = self.ring
        at = next((index for index, each in enumerate(ring) if each in held), -by)
        goal = ring[(at + by) % len(ring)]
        is_drawer = goal.id == "settings"
        if is_drawer:
            await goal.build()
            self._open(True)
        screen.set_focus(goal)

    def left(self) -> None:
        """Close the drawer where it is not docked, once the keys are elsewhere."""
        (pane,) = self._screen.query("#settings")
        focused = self._screen.focused
        elsewhere = focused is not None and pane not in focused.ancestors_with_self
        if elsewhere and self._screen.size.width < DOCKED:
            self._open(False)

    def lay_out(self) -> None:
        """Take its place: beside the picture, or where there is no room in its place."""
        screen, width = self._screen, self._screen.size.width
        alone, is_open = is_narrow(width, LOW), screen.view.settings and not screen.view.full
        for pane in screen.query("#settings"):
            pane.styles.width = width if alone else WIDTH
        for pane in screen.query("#panes"):
            pane.display = not (is_open and alone)
        screen.set_class(screen.narrow, "-narrow")

    def close(self) -> None:
        """Close the drawer, and give the keys to the picture."""
        self._open(False)
        self._screen.set_focus(self.home)

    @property
    def home(self) -> Widget | None:
        """What has the keys at first: the picture, where there is room for one."""
        return next((each for each in self.ring if each.id != "settings"), None)

    def _open(self, is_open: bool) -> None:
        view = self._screen.view
        if view.settings != is_open:
            self._screen.look(replace(view, settings=is_open))
