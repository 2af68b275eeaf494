"""The commands of the palette: settings with a value, models, examples, views and actions."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.fuzzy import Matcher
from textual.types import IgnoreReturnCallbackType

from attn_tui.compute.attention.settings import Settings as HeadSettings
from attn_tui.compute.errors import InputError
from attn_tui.compute.field import fields_of
from attn_tui.compute.models import MODELS
from attn_tui.files import edits
from attn_tui.instruments import INSTRUMENTS, load
from attn_tui.ui.instrument_screen import InstrumentScreen
from attn_tui.ui.markup import plain
from attn_tui.ui.setting import MODEL, RULE, Setting, of_field

SURE = 1e6
"""The score of a setting whose name and value are typed: above all others."""

UNREADABLE = 1e-6
"""The score if the value cannot be used: "mask the key" is an action first of all."""

OTHER_WORDS = {
    "start": ("reset", "start over"),
    "again": ("draw again", "new sample"),
    "go_on": ("play d_k", "pause"),
    "full": ("maximise", "zoom"),
    "examples": ("lessons",),
}
"""Other words for an action, by the id of its binding."""


class InstrumentProvider(Provider):
    """A provider for the instrument below the palette."""

    @property
    def instrument(self) -> InstrumentScreen | None:
        """The instrument, or None if another screen is below the palette."""
        return self.screen if isinstance(self.screen, InstrumentScreen) else None


class SettingsProvider(InstrumentProvider):
    """Sets a setting whose name and value are typed, as in ``d_k 64``; opens others by name."""

    async def search(self, query: str) -> Hits:
        """Yield the settings that a typed name and value would set, and those found by name."""
        if self.instrument is None or self.instrument.question is None:
            return
        matcher = self.matcher(query)
        for setting in self.instrument.settings:
            text = value_behind(setting, query)
            if text:
                yield self._hit(self.instrument, setting, text)
                continue
            for preset in setting.presets:
                is_named = query.strip().casefold() == preset
                score = SURE if is_named else matcher.match(f"{preset} {setting.label}")
                if score > 0:
                    yield replace(self._hit(self.instrument, setting, preset), score=score)
            best = max(matcher.match(name) for name in setting.names)
            if best > 0:
                focus = partial(self.instrument.open_setting, setting.name)
                value = setting.kind.shown(setting.value(self.instrument.question))
                title = Content(f"{setting.label}: {value}")
                yield Hit(best, title, focus, setting.label, plain(setting.help))

    def _hit(self, screen: InstrumentScreen, setting: Setting, text: str) -> Hit:
        assert screen.question
        before = setting.kind.shown(setting.value(screen.question))
        try:
            edit = setting.read(screen.question, text)
        except InputError as error:
            say = partial(screen.notify, str(error), severity="warning", markup=False)
            title = Content(f"{setting.label} {text}")
            return Hit(UNREADABLE, title, say, text=title.plain, help=plain(str(error)))
        after = setting.kind.shown(setting.value(screen.question.ask(edit(screen.question.draft))))
        title = Content(f"{setting.label}: {before} → {after}")
        preview = plain(screen.preview(edit) or setting.help)
        return Hit(SURE, title, partial(screen.ask, edit), text=title.plain, help=preview)


def value_behind(setting: Setting, query: str) -> str:
    """Return the text typed after a name of a setting, or nothing."""
    words = query.lstrip("/").replace("=", " ").split()
    for name in setting.names:
        parts = name.casefold().split()
        if [word.casefold() for word in words[: len(parts)]] == parts and len(words) > len(parts):
            return " ".join(words[len(parts) :])
    return ""


class WholeHeadProvider(InstrumentProvider):
    """Offers a whole head if somebody looks for a causal mask and there is only one vector.

    On a single row the mask would leave only key 0, which is not what "causal" is meant to do.
    """

    async def search(self, query: str) -> Hits:
        """Yield the head, with a score above that of the mask."""
        screen = self.instrument
        if screen is None or screen.question is None or "causal" not in query.casefold():
            return
        if screen.NAME == "attention" or len(screen.question.experiment.vectors) > 1:
            return
        title = Content("A causal head: every row of it, in Attention")
        why = "of one vector a causal mask would leave key 0 alone"
        yield Hit(2.0 * SURE, title, partial(self._open, screen), title.plain, why)

    def _open(self, screen: InstrumentScreen) -> None:
        screen.ask(
            edits.setup(
                lambda setup: setup.put(replace(setup.get(HeadSettings), rows="drawn", causal=True))
            )
        )
        screen.post_message(screen.Go("attention"))


Offer = tuple[str, str, str, IgnoreReturnCallbackType]
"""The title of an item, its meaning, another name it is found by, and what chooses it."""


class OffersProvider(InstrumentProvider):
    """Finds items by title, name or meaning; lists all of them before a search."""

    def offers(self, screen: InstrumentScreen) -> Iterator[Offer]:
        """Yield all items."""
        raise NotImplementedError

    async def discover(self) -> Hits:
        """Yield all items as hits."""
        if self.instrument is not None:
            for title, meaning, _, take in self.offers(self.instrument):
                yield DiscoveryHit(Content(title), take, title, help=plain(meaning))

    async def search(self, query: str) -> Hits:
        """Yield the items that match."""
        if self.instrument is None:
            return
        matcher = self.matcher(query)
        for title, meaning, name, take in self.offers(self.instrument):
            score = max(matcher.match(title), matcher.match(name), 0.6 * matcher.match(meaning))
            if score > 0:
                yield Hit(score, highlighted(matcher, title), take, title, plain(meaning))


def highlighted(matcher: Matcher, title: str) -> Content:
    """Return a title with the letters that match marked; Textual's own reads it as markup."""
    content = Content(title)
    _, offsets = matcher.fuzzy_search.match(matcher.query, title)
    for offset in offsets:
        content = content.stylize(matcher.match_style, offset, offset + 1)
    return content


def taking(screen: InstrumentScreen, setting: Setting, text: str) -> IgnoreReturnCallbackType:
    """Return a command that gives a setting the value of a text, or says why it cannot."""

    def take() -> None:
        try:
            screen.ask(setting.read(screen.present, text))
        except InputError as error:
            screen.notify(str(error), severity="warning", markup=False)

    return take


class RulesProvider(OffersProvider):
    """Finds scale rules."""

    def offers(self, screen: InstrumentScreen) -> Iterator[Offer]:
        """Yield the rules."""
        for name, meaning in RULE.kind.choices.items():
            yield name, meaning, "", taking(screen, RULE, name)


class ModelsProvider(OffersProvider):
    """Finds the heads of well-known models."""

    def offers(self, screen: InstrumentScreen) -> Iterator[Offer]:
        """Yield the models."""
        for name, model in MODELS.items():
            parts = [f"d_k {model.d_k:,}", f"{model.heads} heads", model.scale.pipeline, model.note]
            meaning = " · ".join(part for part in parts if part)
            yield model.title, meaning, name, taking(screen, MODEL, name)


class ExamplesProvider(OffersProvider):
    """Finds the tour and the examples, which are questions worth asking."""

    def offers(self, screen: InstrumentScreen) -> Iterator[Offer]:
        """Yield the tour, then the examples."""
        # Imported here because this reads the examples.
        from attn_tui.files.examples import EXAMPLES

        tour = partial(self.app.run_action, "go('tour')")
        steps = "from q·k to where the usual story is wrong, in a dozen steps"
        yield "The tour", steps, "", tour
        for example in EXAMPLES.values():
            ask = partial(screen.ask, edits.become(example.draft))
            yield example.title, example.look, "", ask


class ViewsProvider(InstrumentProvider):
    """Finds the views of the instrument by what they show."""

    async def search(self, query: str) -> Hits:
        """Yield the matching views that are available now."""
        if self.instrument is None:
            return
        matcher = self.matcher(query)
        for name in self.instrument.views:
            title = self.instrument.VIEW_TITLES.get(name, "")
            score = matcher.match(title)
            if score > 0:
                show = partial(self.instrument.show_view, name)
                yield Hit(score, matcher.highlight(title), show, help="a view, as t goes through")


class ElsewhereProvider(InstrumentProvider):
    """Finds the other instruments and their settings, and goes there.

    It imports no screen and never waits: otherwise enter would choose a hit for a shorter word.
    """

    async def search(self, query: str) -> Hits:
        """Yield the instruments and settings that match."""
        if self.instrument is None:
            return
        matcher, own = self.matcher(query), {setting.name for setting in self.instrument.settings}
        for there in INSTRUMENTS:
            if there.name == self.instrument.NAME:
                continue
            score = max(matcher.match(words) for words in (there.title, there.summary, there.finds))
            if score > 0:
                go = partial(self.app.run_action, f"go('{there.name}')")
                yield Hit(score, f"{there.title}: {there.summary}", go, help=f"key {there.number}")
            # The settings of Claims belong to each claim's trial, and are slow to import.
            fields = {} if there.name == "claims" else fields_of(load(there.settings))
            for setting in map(of_field, fields.values()):
                text = value_behind(setting, query)
                # "mask the key" is an action, even if another instrument has a mask to set.
                if text and not is_readable(setting, text):
                    continue
                score = max(matcher.match(name) for name in setting.names)
                if setting.name not in own and (text or score > 0):
                    title = f"{setting.label} {text}".strip()
                    act = partial(self._set, there.name, setting, text)
                    about = plain(f"in {there.title}: {setting.help}")
                    yield Hit(
                        SURE / 2.0 if text else score / 2.0, Content(title), act, title, about
                    )

    async def _set(self, name: str, setting: Setting, text: str) -> None:
        await self.app.switch_mode(name)
        screen = self.app.screen
        if not isinstance(screen, InstrumentScreen):
            return
        if not text:
            screen.call_after_refresh(screen.open_setting, setting.name)
            return
        taking(screen, setting, text)()


def is_readable(setting: Setting, text: str) -> bool:
    """Return whether a text can be read as a value of a setting."""
    try:
        setting.kind.parse(setting.name, text)
    except InputError:
        return False
    return True


class ActionsProvider(InstrumentProvider):
    """Finds every action that has a key on this screen, and shows the key."""

    async def search(self, query: str) -> Hits:
        """Yield the bindings whose descriptions or other words match."""
        matcher = self.matcher(query)
        seen: set[str] = set()
        for active in self.screen.active_bindings.values():
            binding = active.binding
            if not binding.description or binding.action in seen or not active.enabled:
                continue
            seen.add(binding.action)
            text = binding.tooltip or binding.description
            others = OTHER_WORDS.get(binding.id or "", ())
            score = max(matcher.match(words) for words in (binding.description, text, *others))
            if score > 0:
                run = partial(self.app.run_action, binding.action, active.node)
                key = self.app.get_key_display(binding)
                yield Hit(score, f"{text}  ({key})", run, help=f"key {key}")
