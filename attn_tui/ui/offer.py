"""Offers: what the palette can find, each with its names and with what chooses it."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property, partial
from typing import Any

from textual.types import IgnoreReturnCallbackType

from attn_tui.compute.errors import InputError
from attn_tui.compute.field import Field, fields_of
from attn_tui.compute.log_scale import D_K as D_KS
from attn_tui.compute.models import MODELS
from attn_tui.compute.rules import RULES
from attn_tui.compute.scale import Scale
from attn_tui.compute.source import Drawn, Typed
from attn_tui.compute.typed_scale import typed_scale
from attn_tui.files import edits
from attn_tui.files.draft import draft_of
from attn_tui.files.history import Question
from attn_tui.files.sources import source_of
from attn_tui.instruments import ASKED_BY, INSTRUMENTS, Instrument, Item, load
from attn_tui.search import Query, spelled
from attn_tui.ui.action import DRAWN, KEYLESS, SCORES, declared
from attn_tui.ui.instrument_screen import InstrumentScreen
from attn_tui.ui.places import (
    SettingPlace,
    go,
    instrument,
    is_parameter,
    rule_place,
    taking,
    value_behind,
)
from attn_tui.ui.setting import (
    CAUSAL,
    D_K,
    MASK,
    MODEL,
    N_KEYS,
    PARAMETERS,
    RULE,
    Setting,
    of_field,
    read_rule,
    rule_names,
)


class OfferKind(IntEnum):
    """The kinds of offers, in the order in which those that fit equally well are listed."""

    VALUE = 0
    RULE = 1
    MODEL = 2
    VIEW = 3
    INSTRUMENT = 4
    ACTION = 5
    CHOICE = 6
    SETTING = 7
    EXAMPLE = 8
    QUESTION = 9
    CLAIM = 10
    REFUSED = 11
    """A value that cannot be set, with the reason."""


BEFORE = re.compile(r": .* → ")
"""What stands between the label of a setting and the value that is offered."""


@dataclass(frozen=True)
class Offer:
    """Something that the palette can find.

    Attributes:
        kind: Its kind.
        title: Its title.
        take: What chooses it.
        synonyms: Other names.
        help: What it is, in a phrase.
        group: What it is one of, which stands before the title; or empty.
        keys: The keys that choose it on the screen below, as they are shown and as they are named.
        sets: The name of the setting that it sets and the value as text, or None.
        is_typed: Whether the query names it and gives its value.
        is_present: Whether it is chosen now.
        preview: Returns what there would be to see, if that is known.
        topics: Words of its topics, which lead to it.
        unseen: What else there is to say about it, which is searched by whole words.
    """

    kind: OfferKind
    title: str
    take: IgnoreReturnCallbackType
    synonyms: tuple[str, ...] = ()
    help: str = ""
    group: str = ""
    keys: tuple[str, ...] = ()
    sets: tuple[str, str] | None = None
    is_typed: bool = False
    is_present: bool = False
    preview: Callable[[], str] | None = None
    topics: tuple[str, ...] = ()
    unseen: str = ""

    @property
    def description(self) -> str:
        """All that there is to say about it."""
        return f"{self.help} {self.unseen}"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All its names; the value that a setting has before is none of them."""
        title = BEFORE.sub(": ", self.title) if self.sets else self.title
        return (title, f"{self.group} {title}", *self.synonyms)

    @property
    def stays(self) -> str:
        """The name of the setting that it leaves as it is; empty if it changes anything."""
        is_value = self.kind in (OfferKind.VALUE, OfferKind.CHOICE)
        return self.sets[0] if self.sets and self.is_present and is_value else ""

    @property
    def line(self) -> str:
        """Its title after the group that it is one of, and before its key."""
        key = f"  ({self.keys[0]})" if self.keys else ""
        return f"{self.group}: {self.title}{key}" if self.group else f"{self.title}{key}"


def title_of(setting: Setting, question: Question, value: object) -> str:
    """Return the title of an offer to set a setting: its value before and after."""
    before, after = setting.value(question), setting.kind.shown(value)
    if before == value:
        return f"{setting.label}: {after}, as it is now"
    return f"{setting.label}: {setting.kind.shown(before)} → {after}"


def to_value(screen: InstrumentScreen, place: SettingPlace, text: str, kind: OfferKind) -> Offer:
    """Return the offer to set a setting to the value of a text, or one that says why not.

    Raises:
        InputError: If the text is no value.
    """
    setting, question = place.setting, screen.present
    value = setting.kind.parse(setting.name, text)
    take = taking(screen, place, text)
    reason = setting.no_effect(question)
    if reason:
        return Offer(OfferKind.REFUSED, f"{setting.label} {text}", take, (), reason, place.group)
    title = title_of(setting, question, value)
    is_present = setting.value(question) == value
    sets = effect(setting, value, screen)
    return Offer(kind, title, take, (), setting.help, place.group, sets=sets, is_present=is_present)


def effect(setting: Setting, value: Any, screen: InstrumentScreen) -> tuple[str, str]:
    """Return the setting that changes and its text, the same for all that lead to one mask."""
    if setting is CAUSAL:
        mask = screen.present.draft.setup.mask
        return MASK.name, MASK.kind.text(replace(mask, causal=value))
    return setting.name, setting.kind.text(value)


def is_switch(setting: Setting) -> bool:
    """Return whether a setting is a switch."""
    return [*setting.kind.choices] == ["no", "yes"]


def typed_value(screen: InstrumentScreen, place: SettingPlace, text: str) -> Offer:
    """Return the offer to set a setting to a value that is typed.

    Raises:
        InputError: If the text is no value, or the question has no answer with it.
    """
    question = screen.present
    if place.setting.no_effect(question):
        return replace(to_value(screen, place, text, OfferKind.VALUE), is_typed=True)
    edit = place.setting.read(question, text)
    instead = ""
    if is_parameter(place.setting):
        # What it changes is the rule.
        changed = question.ask(edit(question.draft)).draft.setup.scale
        instead = _instead(question.draft.setup.scale, changed)
        place, text = replace(place, setting=RULE), changed.text
    offer = to_value(screen, place, text, OfferKind.VALUE)
    offer = replace(offer, take=_saying(screen, offer.take, instead))
    return replace(offer, preview=partial(_preview, screen, place, text), is_typed=True)


def _instead(before: Scale, after: Scale) -> str:
    """Return that a rule takes the place of another, which might be thought to stay."""
    if before.rule == after.rule or before.rule == "none":
        return ""
    return f"{after.formula} replaces {before.formula}; the two are not multiplied"


def values(
    screen: InstrumentScreen, query: Query, places: Sequence[SettingPlace]
) -> Iterator[Offer]:
    """Yield the settings whose names and values are typed, and rules that are typed alone."""
    for place in places:
        text = value_behind(place.setting.names, query.text)
        if not text:
            continue
        try:
            yield typed_value(screen, place, text)
        except InputError as error:
            if place.there is None and not is_parameter(place.setting):
                title = f"{place.setting.label} {text}"
                say = partial(screen.notify, str(error), severity="warning", markup=False)
                # "mask the key" is an action first of all; "d_k 64k" and "mask 9" are meant.
                is_number = place.setting.kind.metavar in ("N", "X") or " " not in text
                is_meant = is_number and any(map(str.isdigit, text))
                yield Offer(OfferKind.REFUSED, title, say, help=str(error), is_typed=is_meant)
    with suppress(InputError):
        place, text = rule_place(screen), read_rule(query.text)
        offer = typed_value(screen, place, text)
        if divides_nothing(text):
            parameter = PARAMETERS[text][0]
            needs = NEEDS.format(symbol=parameter.label, help=parameter.help, rule=text)
            take = _with_parameter(screen, place, offer.take, text)
            offer = replace(offer, take=take, help=needs, preview=None)
        yield offer


NEEDS = "{symbol} is {help}. Its row opens; or type it here: {rule} 2"
"""What is said of a rule that does nothing until its parameter is set."""


def divides_nothing(rule: str) -> bool:
    """Return whether a rule leaves all scores as they are until its parameter is set."""
    if not PARAMETERS.get(rule):
        return False
    scale = Scale(rule)
    return all(scale.multiplier(d_k, 2) == 1.0 for d_k in (D_KS.minimum, D_KS.maximum))


def _with_parameter(
    screen: InstrumentScreen, place: SettingPlace, take: IgnoreReturnCallbackType, rule: str
) -> IgnoreReturnCallbackType:
    """Return a command that sets a rule, and opens the row of its parameter."""

    async def take_and_open() -> None:
        await take()
        shown = await go(screen, place.there)
        shown.call_after_refresh(shown.open_setting, PARAMETERS[rule][0].name)

    return take_and_open


def presets(screen: InstrumentScreen, places: Sequence[SettingPlace]) -> Iterator[Offer]:
    """Yield the values that have names of their own."""
    for place in places:
        for text, names in place.setting.presets.items():
            # A causal mask hides more keys; it shows none that are hidden.
            is_mask = place.setting.name == MASK.name and place.setting.edit is MASK.edit
            present = screen.present.draft.setup.mask
            value = MASK.kind.text(replace(present, causal=True)) if is_mask else text
            offer = to_value(screen, place, value, OfferKind.VALUE)
            take = _saying(screen, offer.take, LEADING.get(place.setting.name, ""))
            preview = partial(_preview, screen, place, value)
            yield replace(offer, synonyms=names, take=take, preview=preview)


LEADING: Mapping[str, str] = {
    "precision": "The precision lab has all formats side by side: t goes on to it in Explore",
}  # fmt: skip
"""Where more can be seen about a setting, by its name."""


def _saying(
    screen: InstrumentScreen, take: IgnoreReturnCallbackType, text: str
) -> IgnoreReturnCallbackType:
    """Return a command that sets a setting, and says where more can be seen about it."""

    async def take_and_say() -> None:
        await take()
        screen.comment(text)

    return take_and_say if text else take


def _preview(screen: InstrumentScreen, place: SettingPlace, text: str) -> str:
    """Return the headline with a setting at the value of a text, if that is known."""
    if place.there is not None:
        return ""
    with suppress(InputError):
        return screen.preview(place.setting.read(screen.present, text))
    return ""


def choices(screen: InstrumentScreen, places: Sequence[SettingPlace]) -> Iterator[Offer]:
    """Yield the values of settings that have few, but for rules and models."""
    for place in places:
        setting = place.setting
        if setting.name in (RULE.name, MODEL.name) or setting.no_effect(screen.present):
            continue
        for choice, meaning in setting.kind.choices.items():
            shown = setting.kind.shown(setting.kind.parse(setting.name, choice))
            names = [f"{setting.label} {choice}", f"{setting.label} {shown}"]
            offer = to_value(screen, place, choice, OfferKind.CHOICE)
            about = meaning or offer.help
            if is_switch(setting):
                # It stands for the setting. Without words of its own, what it is called is on.
                is_called = choice == "yes" or setting.kind.choices["yes"] != "yes"
                names += setting.names if is_called else ()
                about = setting.help
            yield replace(offer, synonyms=(*names,), help=about)


def bare_number(
    screen: InstrumentScreen, query: Query, places: Sequence[SettingPlace]
) -> Iterator[Offer]:
    """Yield the offer to set d_k to a number that is typed alone, or whose scale is typed."""
    place = next(place for place in places if place.setting.name == D_K.name)
    with suppress(InputError):
        # A digit that is the key of an instrument is first of all that key.
        yield replace(typed_value(screen, place, query.text), kind=OfferKind.CHOICE)
    scale = typed_scale(query.text)
    if scale is not None and scale.is_alone and str(scale.d_k) != query.text:
        with suppress(InputError):
            offer = typed_value(screen, place, str(scale.d_k))
            kind = OfferKind.QUESTION if query.text.isdigit() else offer.kind
            yield replace(offer, kind=kind, help=scale.means, preview=None)


LONGEST_TYPED = 200
"""The most characters of scores that are looked for in the palette."""


def typed_scores(screen: InstrumentScreen, query: Query) -> Iterator[Offer]:
    """Yield the offer of scores that are typed, or of some that are drawn: 1 2 3, n 512.

    A single number, with commas or without, is d_k.
    """
    text = value_behind(("scores",), query.text) or query.text
    if screen.NAME == "explore" and not isinstance(screen.present.experiment.source, Drawn):
        with suppress(InputError):
            n_keys = N_KEYS.kind.parse(N_KEYS.name, value_behind(N_KEYS.names, query.text))
            text = f"n = {n_keys}, seed = 1"
    if "@" in text or len(text) > LONGEST_TYPED:
        return
    with suppress(InputError):
        D_K.kind.parse(D_K.name, text)
        return
    with suppress(InputError):
        source = source_of(text)
        is_drawn = isinstance(source, Drawn)
        n_typed = sum(vector.n_keys for vector in source.scores) if isinstance(source, Typed) else 0
        if is_drawn or n_typed > 1:
            there = None if screen.NAME == "attention" else instrument("explore")
            take = partial(_do_scores, screen, there, text)
            about = "drawn at random" if is_drawn else "in place of the present ones"
            yield Offer(OfferKind.VALUE, f"Scores: {text}", take, help=about, is_typed=True)


async def _do_scores(screen: InstrumentScreen, there: Instrument | None, text: str) -> None:
    """Ask about other scores, where they are shown."""
    shown = await go(screen, there)
    shown.ask(edits.text(text))


RULE_ALONE = "This sets the rule alone. {models} have a soft cap too: m sets both."
"""What is said of a rule that models use with a soft cap."""


def rules(screen: InstrumentScreen) -> Iterator[Offer]:
    """Yield the scale rules."""
    scale, place = screen.present.draft.setup.scale, rule_place(screen)
    for rule in RULES.values():
        yield Offer(
            OfferKind.RULE, f"{rule.name}: {rule.formula}", _rule_alone(screen, place, rule.name),
            tuple(rule_names(rule)), f"{rule.summary}. {rule.users}", "rule",
            sets=(RULE.name, rule.name), is_present=scale.rule == rule.name,
            # Whoever types the name of a model means the rule that it is known for.
            topics=tuple(rule.users.split(",")[:1]),
        )  # fmt: skip


def _rule_alone(
    screen: InstrumentScreen, place: SettingPlace, name: str
) -> IgnoreReturnCallbackType:
    """Return a command that sets a rule, and says what else the models have that use it."""
    with_cap = [
        model.title
        for model in MODELS.values()
        if model.scale.rule == name and model.scale.softcap is not None
    ]
    take = taking(screen, place, name)
    if divides_nothing(name):
        return _with_parameter(screen, place, take, name)

    async def take_and_say() -> None:
        await take()
        if screen.present.draft.setup.scale.softcap is None:
            screen.notify(RULE_ALONE.format(models=" and ".join(with_cap)), timeout=8, markup=False)

    return take_and_say if with_cap else take


def models(screen: InstrumentScreen) -> Iterator[Offer]:
    """Yield the heads of well-known models."""
    present = screen.present.draft.setup.model
    for name, model in MODELS.items():
        parts = [f"d_k {model.d_k:,}", f"{model.heads} heads", model.scale.pipeline, model.note]
        yield Offer(
            OfferKind.MODEL, model.title, taking(screen, SettingPlace(MODEL), name), (name,),
            " · ".join(filter(None, parts)), "model", sets=(MODEL.name, name),
            is_present=name == present,
        )  # fmt: skip


def views(screen: InstrumentScreen) -> Iterator[Offer]:
    """Yield the views that are available now."""
    for name in screen.named_views:
        title, *others = screen.VIEW_TITLES[name]
        take = partial(screen.show_view, name)
        yield Offer(OfferKind.VIEW, title, take, tuple(others), "t goes through the views", "view")


def other_views(screen: InstrumentScreen) -> Iterator[Offer]:
    """Yield the views of the other instruments."""
    for there in INSTRUMENTS:
        if there.name == screen.NAME or not there.views:
            continue
        for name, (title, *others) in load(there.views).items():
            take = partial(_show_view, screen, there, name)
            yield Offer(OfferKind.VIEW, title, take, tuple(others), "", there.title)


async def _show_view(screen: InstrumentScreen, there: Instrument, name: str) -> None:
    shown = await go(screen, there)
    shown.call_after_refresh(shown.show_view, name)


def instruments(screen: InstrumentScreen) -> Iterator[Offer]:
    """Yield the instruments."""
    for one in INSTRUMENTS:
        names = (one.title, one.name, one.short or one.title, *one.synonyms)
        yield Offer(
            OfferKind.INSTRUMENT, f"{one.title}: {one.summary}", partial(_show, screen, one), names,
            keys=(str(one.number),),
        )  # fmt: skip


async def _show(screen: InstrumentScreen, there: Instrument) -> None:
    if there.name == screen.NAME:
        screen.notify(f"{there.title} is on the screen already")
    await go(screen, there)


def actions(screen: InstrumentScreen) -> Iterator[Offer]:
    """Yield what has a key on the screen, then what has none."""
    for one in KEYLESS:
        take = partial(screen.run_action, one.action)
        yield Offer(OfferKind.ACTION, one.title, take, one.synonyms, one.help)
    explore = instrument("explore")
    # In Explore, typing has a key, and is found among those.
    for one in [DRAWN] if explore.name == screen.NAME else [SCORES, DRAWN]:
        take = partial(_do_there, screen, explore, one.action)
        yield Offer(OfferKind.ACTION, one.title, take, one.synonyms, one.help)
    app, active = screen.app, [*screen.active_bindings.values()]
    # Bindings of ours have ids; Textual has others for some of the same actions.
    named = {binding.action for _, binding, _, _ in active if binding.id}
    seen = {"app.command_palette", "command_palette"}
    elsewhere = {one.name for one in INSTRUMENTS}
    for node, binding, is_enabled, _ in active:
        is_twice = binding.action in seen or (binding.action in named and not binding.id)
        if not binding.description or not is_enabled or is_twice or binding.id in elsewhere:
            continue
        seen.add(binding.action)
        title = binding.tooltip or binding.description
        run = partial(app.run_action, binding.action, node)
        actions = [*declared(node, binding.action)]
        synonyms = (word for action in actions for word in action.synonyms)
        yield Offer(
            OfferKind.ACTION, title, run, (binding.description, *synonyms),
            next((action.help for action in actions), ""),
            keys=(app.get_key_display(binding), binding.key),
        )  # fmt: skip


async def _do_there(screen: InstrumentScreen, there: Instrument, action: str) -> None:
    shown = await go(screen, there)
    await shown.run_action(action)


def settings(screen: InstrumentScreen, places: Sequence[SettingPlace]) -> Iterator[Offer]:
    """Yield the settings, each of which opens where it is set."""
    for place in places:
        setting = place.setting
        value = setting.kind.shown(setting.value(screen.present))
        reason = setting.no_effect(screen.present)
        if is_switch(setting) and not reason:
            # Its values are offered under the same names.
            continue
        title = setting.label if reason else f"{setting.label}: {value}"
        yield Offer(
            OfferKind.SETTING, title, partial(_open, screen, place), setting.names,
            reason or setting.help, place.group,
        )  # fmt: skip


async def _open(screen: InstrumentScreen, place: SettingPlace) -> None:
    shown = await go(screen, place.there)
    reason = place.setting.no_effect(screen.present)
    if reason:
        shown.notify(reason, markup=False)
        return
    has_row = place.setting.name in {setting.name for setting in shown.settings}
    # The rows of parameters stand behind that of the rule, while it is theirs.
    has_row |= is_parameter(place.setting) and place.setting.applies(screen.present)
    shown.call_after_refresh(shown.open_setting, place.setting.name if has_row else RULE.name)


def examples(screen: InstrumentScreen) -> Iterator[Offer]:
    """Yield the examples, which are questions worth asking."""
    # Imported here because this reads the examples.
    from attn_tui.files.examples import EXAMPLES

    for example in EXAMPLES.values():
        ask = partial(screen.ask, edits.become(example.draft))
        yield Offer(OfferKind.EXAMPLE, example.title, ask, (example.name,), example.look, "example")


def demos(screen: InstrumentScreen) -> Iterator[Offer]:
    """Yield the captures with a known fault, each of which opens in Heads beside the doctor."""
    # Imported here because this reads them.
    from attn_tui.captures.demo import demos

    for demo in demos():
        yield Offer(
            OfferKind.EXAMPLE, DEMO.format(about=demo.about), partial(screen.open_demo, demo.name),
            (demo.name,), "a small capture to try the doctor on",
            topics=("demonstration", "fault", "capture"),
        )  # fmt: skip


DEMO = "Doctor's demo: {about}"
"""The title of a capture with a known fault."""


def questions(screen: InstrumentScreen) -> Iterator[Offer]:
    """Yield what people ask, each of which opens the instrument whose headline replies."""
    # Imported here because this reads them.
    from attn_tui.files.faq import faq

    for entry in faq():
        take = partial(_show_reply, screen, entry.command, entry.reply)
        yield Offer(
            OfferKind.QUESTION, entry.asks, take, entry.topics, entry.reply, "question",
        )  # fmt: skip


def _show_reply(screen: InstrumentScreen, command: str, reply: str) -> None:
    there, experiment = load(ASKED_BY)(command)
    screen.ask(edits.become(draft_of(experiment)))
    screen.comment(reply)
    screen.post_message(screen.Go(there.name))


def listed_items() -> list[tuple[Instrument, Field, list[Item]]]:
    """Return what instruments list, such as claims, with the setting that shows one of them."""
    listed = []
    for there in INSTRUMENTS:
        if there.items:
            field = next(iter(fields_of(load(there.settings)).values()))
            listed.append((there, field, load(there.items)()))
    return listed


def read_ahead() -> None:
    """Read examples and what instruments list, and take their texts apart."""
    from attn_tui.captures.demo import demos
    from attn_tui.files.examples import EXAMPLES
    from attn_tui.files.faq import faq

    texts = [DEMO.format(about=demo.about) for demo in demos()]
    texts += [text for example in EXAMPLES.values() for text in (example.title, example.look)]
    texts += [text for example in faq() for text in (example.asks, example.reply, *example.topics)]
    for _, _, listed in listed_items():
        texts += [text for item in listed for text in (*item.names, *item.topics, item.description)]
    for text in texts:
        spelled(text)


def items(screen: InstrumentScreen) -> Iterator[Offer]:
    """Yield what instruments list."""
    for there, field, listed in listed_items():
        place = SettingPlace(of_field(field), there)
        for item in listed:
            take = taking(screen, place, item.text)
            yield Offer(
                OfferKind.CLAIM, item.title, take, item.synonyms, item.help, field.label,
                topics=item.topics, unseen=item.unseen,
            )  # fmt: skip
