"""The palette: it finds settings, rules, models, views, actions, questions and claims by words.

One provider lists all of them, since Textual asks several in no particular order.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.widgets import Input, LoadingIndicator

from attn_tui import search
from attn_tui.compute.text import visible
from attn_tui.search import MOST_HAVING, Grade, Query
from attn_tui.ui import offer as offers
from attn_tui.ui import places
from attn_tui.ui.action import SCORES
from attn_tui.ui.dialogs import ClosingOnce
from attn_tui.ui.instrument_screen import InstrumentScreen
from attn_tui.ui.markup import plain
from attn_tui.ui.offer import Offer, OfferKind
from attn_tui.ui.theme import THEME_SYNONYMS, THEMES

PLACEHOLDER = "Type to find the rest: d_k 64, gemma 2, causal, explosion…"
"""Stands in the palette before anything is typed."""

MOST = 50
"""The most offers that are listed: nobody reads more, and each costs time at every letter."""

NEAREST = 3
"""How many offers are listed where nothing fits."""

READ = (OfferKind.QUESTION, OfferKind.CLAIM)
"""The kinds of offers that are read, and set nothing."""

PRESENT = "  ✓ chosen"
"""Behind the present choice in a list."""

NOTHING = "Nothing has all of “{typed}”. Perhaps one of these:"
"""The first line where nothing fits."""


class StillPalette(CommandPalette, ClosingOnce[None]):
    """Textual's palette, in which nothing moves while nobody types."""

    def on_mount(self) -> None:
        """Keep the cursor, and the dots of a search, which move even where they are hidden."""
        self.query_one(Input).cursor_blink = False
        self.query_one(LoadingIndicator).auto_refresh = None


def ranked(offered: Iterable[Offer], query: Query) -> list[Offer]:
    """Return the offers that fit a query, the best first.

    How well they fit comes first, then their kind, then their order. What a setting is already is
    left out where a change of it fits as well.
    """
    fitting: list[tuple[int, OfferKind, int, int, Offer]] = []
    for place, offer in enumerate(offered):
        fit = query.fit(offer.names, offer.description, offer.keys, offer.topics)
        kind = offer.kind
        if offer.is_typed:
            fit = Grade.EXACT
        elif kind is OfferKind.REFUSED:
            fit = min(fit, Grade.DESCRIBED)
        elif kind is OfferKind.VALUE and fit < Grade.EXACT:
            # A value is only meant where its whole name is typed.
            kind = OfferKind.CHOICE
        # What one can read about a thing stands behind the thing itself.
        rank = min(fit, Grade.BEGUN) if kind in READ else fit
        if fit is not Grade.NOT:
            fitting.append((-rank, kind, -fit, place, offer))
    fitting.sort(key=lambda row: row[:4])
    changes: dict[str, int] = {}
    for place, *_, offer in fitting:
        if offer.sets and not offer.is_present:
            changes.setdefault(offer.sets[0], place)
    fitting = [
        row for row in fitting if not row[-1].stays or changes.get(row[-1].stays, 1) > row[0]
    ]
    best = {offer.sets or place: offer for *_, place, offer in reversed(fitting)}
    return [offer for *_, place, offer in fitting if best[offer.sets or place] is offer]


def with_replies(fitting: Sequence[Offer], offered: Iterable[Offer], query: Query) -> list[Offer]:
    """Return offers, and before them what one can read if they are only values that are refused.

    Who types "QK-norm: divide as well?" means no value of QK-norm. A refused number is meant, and
    so is a single word behind a name: "mask all".
    """
    is_refused = all(each.kind is OfferKind.REFUSED and not each.is_typed for each in fitting)
    if not (fitting and is_refused) or len(query.text.split()) < 3:
        return [*fitting]
    read = (offer for offer in offered if offer.kind in READ)
    return [*search.most(read, query)[:MOST_HAVING], *fitting]


def nearest(offered: Iterable[Offer], query: Query) -> list[Offer]:
    """Return the few offers that have most of what is typed, or are most like it."""
    every = sorted(offered, key=lambda offer: offer.kind)
    having = search.most(every, query)
    like = search.nearest(
        (each for each in every if each.kind < OfferKind.QUESTION), query, NEAREST
    )
    return having[:MOST_HAVING] or like


class InstrumentProvider(Provider):
    """Finds what a screen offers, by words."""

    _offered: list[Offer] | None = None

    @property
    def instrument(self) -> InstrumentScreen | None:
        """The instrument below the palette, or None if another screen is, or nothing is asked."""
        screen = self.screen
        if isinstance(screen, InstrumentScreen) and screen.question is not None:
            return screen
        return None

    def listed(self, screen: InstrumentScreen) -> Iterable[Offer]:
        """Return what is listed before anything is typed."""
        raise NotImplementedError

    def typed(self, screen: InstrumentScreen, query: Query) -> Iterable[Offer]:
        """Return what is found because its value is typed."""
        return ()

    def offered(self, screen: InstrumentScreen) -> Iterable[Offer]:
        """Return all else that can be found."""
        return self.listed(screen)

    def line(self, offer: Offer) -> str:
        """Return the line of an offer."""
        return offer.line

    async def discover(self) -> Hits:
        """Yield what is listed before anything is typed."""
        if self.instrument is not None:
            for offer in self.listed(self.instrument):
                line = self.line(offer)
                yield DiscoveryHit(Content(line), offer.take, line, plain(offer.help))

    async def search(self, query: str) -> Hits:
        """Yield what fits, or that nothing does and what is nearest."""
        screen = self.instrument
        if screen is None:
            return
        typed = Query.of(query)
        if self._offered is None:
            # The question does not change while the palette is open.
            self._offered = [*self.offered(screen)]
        fitting = ranked([*self.typed(screen, typed), *self._offered], typed)[:MOST]
        fitting = with_replies(fitting, self._offered, typed)
        if not fitting:
            title = NOTHING.format(typed=visible(typed.text[:40]))
            say = partial(screen.notify, title.partition(" Perhaps")[0], markup=False)
            yield Hit(MOST + 1.0, Content(title), say, title)
            fitting = nearest(self._offered, typed) or [*self.listed(screen)][:NEAREST]
        for rank, offer in enumerate(fitting):
            line = self.line(offer)
            content = Content(line)
            for start, end in typed.spans(line):
                content = content.stylize(self.match_style or "underline", start, end)
            about = offer.help
            if offer.preview is not None and rank == 0:
                about = offer.preview() or about
            yield Hit(float(MOST - rank), content, offer.take, line, plain(about))


BEFORE_EXAMPLES = ("Take the tour", "Questions people ask")
"""The actions that stand in one list with the examples."""

FIRST = (
    SCORES.title,
    "Set d_k", "Choose a rule", "Choose a model", "Try an example", "Open a file",
    "Save what is shown", "Settings", "Take the tour", "Help",
    "List the claims with some words", "Open the instrument that shows it", "Read the report",
)  # fmt: skip
"""The actions that are listed before anything is typed."""


def beginning(screen: InstrumentScreen) -> list[Offer]:
    """Return the first things that one can do, ten of them."""
    actions = {offer.title: offer for offer in offers.actions(screen)}
    return [replace(actions[title], help="") for title in FIRST if title in actions][:10]


def themes(screen: InstrumentScreen) -> Iterator[Offer]:
    """Yield the themes, ours first."""
    app = screen.app

    def take(name: str) -> None:
        if name == app.theme:
            screen.notify(f"The theme is {name} already")
        app.theme = name

    for name in sorted(app.available_themes, key=lambda name: (name not in THEMES, name)):
        yield Offer(
            OfferKind.CHOICE, name, partial(take, name), THEME_SYNONYMS.get(name, ()),
            group="theme", is_present=name == app.theme,
        )  # fmt: skip


class PaletteProvider(InstrumentProvider):
    """Finds everything."""

    _reading: asyncio.Task[None] | None = None

    def listed(self, screen: InstrumentScreen) -> Iterable[Offer]:
        """Return ten things that one can do first."""
        return beginning(screen)

    def typed(self, screen: InstrumentScreen, query: Query) -> Iterator[Offer]:
        """Yield the settings whose names and values are typed, d_k for a number, and scores."""
        settings = places.places(screen)
        yield from offers.values(screen, query, settings)
        yield from offers.bare_number(screen, query, settings)
        yield from offers.typed_scores(screen, query)

    def offered(self, screen: InstrumentScreen) -> Iterator[Offer]:
        """Yield all else that can be found."""
        settings = places.places(screen)
        yield from offers.presets(screen, settings)
        yield from offers.rules(screen)
        yield from offers.models(screen)
        yield from offers.views(screen)
        yield from offers.other_views(screen)
        yield from offers.instruments(screen)
        yield from offers.actions(screen)
        yield from themes(screen)
        yield from offers.choices(screen, settings)
        yield from offers.settings(screen, settings)
        yield from offers.examples(screen)
        yield from offers.demos(screen)
        yield from offers.questions(screen)
        yield from offers.items(screen)

    async def startup(self) -> None:
        """Begin to read what takes a moment the first time, so that typing need not wait for it."""
        self._reading = asyncio.create_task(asyncio.to_thread(offers.read_ahead))

    async def search(self, query: str) -> Hits:
        """Yield what fits."""
        if self._reading is not None:
            await self._reading
        async for hit in super().search(query):
            yield hit


class ListProvider(InstrumentProvider):
    """Lists the choices of one kind; the present one is marked."""

    def line(self, offer: Offer) -> str:
        """Return the title of an offer, with a mark if it is the present one."""
        return f"{offer.title}{PRESENT}" if offer.is_present else offer.title


class RulesProvider(ListProvider):
    """Lists the scale rules, and finds their parameters."""

    def listed(self, screen: InstrumentScreen) -> Iterable[Offer]:
        """Return the rules."""
        return offers.rules(screen)

    def typed(self, screen: InstrumentScreen, query: Query) -> Iterable[Offer]:
        """Return the rules whose parameters are typed."""
        return offers.values(screen, query, places.rule_places(screen))


class ModelsProvider(ListProvider):
    """Lists the heads of well-known models."""

    def listed(self, screen: InstrumentScreen) -> Iterable[Offer]:
        """Return the models."""
        return offers.models(screen)


class ExamplesProvider(ListProvider):
    """Lists the tour, where questions are, examples and faulty captures; typing finds questions."""

    def listed(self, screen: InstrumentScreen) -> Iterator[Offer]:
        """Yield the tour, the list of questions, the examples, then captures for the doctor."""
        yield from (offer for offer in offers.actions(screen) if offer.title in BEFORE_EXAMPLES)
        yield from offers.examples(screen)
        yield from offers.demos(screen)

    def offered(self, screen: InstrumentScreen) -> Iterator[Offer]:
        """Yield the same, then the questions."""
        yield from self.listed(screen)
        yield from offers.questions(screen)


class QuestionsProvider(ListProvider):
    """Lists the questions that people ask."""

    def listed(self, screen: InstrumentScreen) -> Iterator[Offer]:
        """Yield the questions, each with its reply."""
        return offers.questions(screen)


class ThemesProvider(ListProvider):
    """Lists the themes."""

    def listed(self, screen: InstrumentScreen) -> Iterable[Offer]:
        """Return the themes."""
        return themes(screen)


LISTS: Mapping[str, tuple[type[ListProvider], str]] = {
    "rule": (RulesProvider, "a scale rule"),
    "model": (ModelsProvider, "a model"),
    "example": (ExamplesProvider, "the tour, an example or a question"),
    "question": (QuestionsProvider, "what people ask"),
    "theme": (ThemesProvider, "a theme"),
}
"""What can be chosen from a list of its own, by name: the provider, and what it offers."""
