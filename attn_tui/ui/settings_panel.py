"""The panel of settings: each setting of an instrument as a standard widget with a label."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from textual import events, on
from textual.containers import Horizontal, VerticalScroll
from textual.geometry import Size
from textual.message import Message
from textual.reactive import var
from textual.widget import Widget
from textual.widgets import Input, Label, Select, Switch

from attn_tui.compute.errors import InputError
from attn_tui.files.history import Edit, Question
from attn_tui.ui.editors import StepField, ValueInput
from attn_tui.ui.setting import PARAMETERS, RULE, Setting


class SettingLine(Horizontal):
    """The label of a setting and its widget, to which a click anywhere in the line leads."""

    def on_click(self, event: events.Click) -> None:
        """Focus the widget if the line is clicked beside it; a switch is turned."""
        label, widget = self.children
        if event.widget not in (self, label) or widget.disabled:
            return
        widget.focus()
        if isinstance(widget, Switch):
            widget.toggle()


class SettingsPanel(VerticalScroll):
    """Settings under headings, one a line.

    Its widgets are mounted when it is first opened, so that starting does not wait for them. From
    then on it is hidden and not removed: Textual keeps what is left of widgets that are removed.

    Args:
        groups: Headings, each with its settings.
    """

    BORDER_TITLE = "Settings"
    BORDER_SUBTITLE = "tab goes on, esc leaves"

    question: var[Question | None] = var(None, init=False)
    """The question whose settings are shown."""

    @dataclass
    class Changed(Message):
        """The user changes a setting.

        Attributes:
            edit: The change to the question.
            name: The name of the setting.
        """

        edit: Edit
        name: str

    def __init__(self, groups: Sequence[tuple[str, Sequence[Setting]]]) -> None:
        super().__init__(id="settings")
        self._groups = [(heading, [*_with_parameters(group)]) for heading, group in groups]
        self._settings = {setting.name: setting for _, group in self._groups for setting in group}
        self._is_filled = False

    async def open(self, name: str) -> None:
        """Show the panel, with the focus on a setting, or on the first if it is not shown here."""
        # The palette and a key may both open it at once.
        async with self.lock:
            if not self._is_filled:
                await self.mount_all(self._lines())
                self._is_filled = True
        self.display = True
        self._show_all()
        is_shown = name in self._settings and self._line_of(name).display
        widget = self.widget_of(name if is_shown else next(iter(self._settings)))
        widget.focus()
        # Where it is, is only known once the panel has been laid out.
        self.call_after_refresh(widget.scroll_visible, animate=False)

    def close(self) -> None:
        """Hide the panel."""
        self.display = False

    def _lines(self) -> Iterator[Widget]:
        """Yield headings, and a line with a label and a widget for each setting."""
        for heading, group in self._groups:
            yield Label(heading, classes="heading")
            for setting in group:
                widget = self._widget(setting)
                widget.tooltip = setting.help
                yield SettingLine(Label(setting.label), widget, classes="setting")
        problem = Label("", markup=False, id="problem")
        problem.display = False
        yield problem

    def _widget(self, setting: Setting) -> Input | Select[str] | Switch:
        name = id_of(setting.name)
        choices = setting.kind.choices
        if [*choices] == ["no", "yes"]:
            return Word(choices["no"], choices["yes"], name)
        if choices:
            options = [(setting.kind.shown(choice), choice) for choice in choices]
            return Select(options, allow_blank=False, compact=True, id=name)
        kind = StepField if setting.kind.has_steps else ValueInput
        field = kind(compact=True, select_on_focus=True, id=name)
        field.is_path = setting.kind.paths
        field.is_number = setting.kind.numeric
        return field

    def watch_question(self) -> None:
        """Show the values of the new question, or wait with it until the panel is opened."""
        if self.display and self._is_filled:
            self._show_all()

    def _show_all(self) -> None:
        if self.question is None:
            return
        with self.prevent(Input.Changed, Select.Changed, Switch.Changed):
            for setting in self._settings.values():
                self._show(setting, self.question)

    def _show(self, setting: Setting, question: Question) -> None:
        widget = self.widget_of(setting.name)
        self._line_of(setting.name).display = setting.applies(question)
        why = setting.no_effect(question)
        widget.disabled = bool(why)
        widget.tooltip = why or setting.help
        value = setting.value(question)
        text = setting.kind.text(value)
        if isinstance(widget, Switch):
            widget.value = value
        elif isinstance(widget, Select):
            # A rule in use stands for its parameters as they are: they have lines of their own.
            rule, _, _ = text.partition(":")
            choices = [
                (setting.kind.shown(choice), text if choice == rule else choice)
                for choice in setting.kind.choices
            ]
            widget.set_options(choices)
            widget.value = text
        elif isinstance(widget, Input) and not widget.has_focus:
            widget.value = text

    @on(Input.Submitted)
    def _take_text(self, event: Input.Submitted) -> None:
        event.stop()
        self._take(event.input.id or "", event.value)

    @on(Input.Blurred)
    def _take_what_is_left(self, event: Input.Blurred) -> None:
        """Take the text of a field that is left; one that is emptied has its value again."""
        event.stop()
        setting = self._setting(event.input.id or "")
        if not event.value.strip() and self.question is not None:
            try:
                setting.kind.parse(setting.name, event.value)
            except InputError:
                event.input.value = setting.kind.text(setting.value(self.question))
        self._take(event.input.id or "", event.input.value)

    @on(StepField.Stepped)
    def _step(self, event: StepField.Stepped) -> None:
        """Move the value that is typed, or else that of the question."""
        event.stop()
        setting = self._setting(event.field.id or "")
        if self.question is None:
            return
        try:
            value = setting.kind.parse(setting.name, event.field.value)
        except InputError:
            value = setting.value(self.question)
        event.field.value = setting.kind.text(setting.kind.step(value, event.steps))
        event.field.select_all()
        self._take(event.field.id or "", event.field.value)

    @on(Select.Changed)
    def _take_choice(self, event: Select.Changed) -> None:
        event.stop()
        # A list says its first value when it is mounted, and by now may show another.
        if event.value == event.select.value:
            self._take(event.select.id or "", str(event.value))

    @on(Switch.Changed)
    def _take_switch(self, event: Switch.Changed) -> None:
        event.stop()
        if event.value == event.switch.value:
            self._take(event.switch.id or "", "yes" if event.value else "no")

    def _take(self, id: str, text: str) -> None:
        """Ask for the value of a text, or show what is wrong with the text."""
        setting = self._setting(id)
        self._warn(setting, "")
        if self.question is None or text == setting.kind.text(setting.value(self.question)):
            return
        try:
            edit = setting.read(self.question, text)
        except InputError as error:
            self._warn(setting, str(error))
            return
        self.post_message(self.Changed(edit, setting.name))

    def _warn(self, setting: Setting, problem: str) -> None:
        """Show below a setting why its text will not do; as a notice if the panel is closed."""
        label = self.query_one("#problem", Label)
        label.display = bool(problem) and self.display
        if label.display:
            label.update(problem)
            self.move_child(label, after=self._line_of(setting.name))
            self.call_after_refresh(label.scroll_visible)
        elif problem:
            self.notify(problem, severity="warning", markup=False)

    def _setting(self, id: str) -> Setting:
        """Return the setting whose widget has an id."""
        return next(one for one in self._settings.values() if id_of(one.name) == id)

    def _line_of(self, name: str) -> SettingLine:
        """Return the line with the label and the widget of a setting."""
        line = self.widget_of(name).parent
        assert isinstance(line, SettingLine)
        return line

    def widget_of(self, name: str) -> Widget:
        """Return the widget of a setting by the name of the setting."""
        return self.query_one(f"#{id_of(name)}")


class Word(Switch):
    """A switch that shows a word, since its position cannot be seen without colours.

    Args:
        off: The word when it is off.
        on: The word when it is on.
        id: The id of the widget.
    """

    def __init__(self, off: str, on: str, id: str) -> None:
        super().__init__(animate=False, id=id)
        self._words = (off, on)

    def render(self) -> str:
        """Return the word for the present state."""
        return self._words[self.value]

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """Return the width of the longer word, in columns."""
        return max(map(len, self._words))


def id_of(name: str) -> str:
    """Return the id of the widget of a setting."""
    return f"set-{re.sub('[^a-zA-Z0-9_-]', '-', name)}"


def _with_parameters(group: Sequence[Setting]) -> Iterator[Setting]:
    """Yield settings; behind the rule also the parameters of all rules."""
    for setting in group:
        yield setting
        if setting is RULE:
            yield from chain.from_iterable(PARAMETERS.values())
