"""The first minute: one line that says what to try next, each step gone once it is done."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from attn_tui.compute.dots import settings as dots
from attn_tui.compute.log_scale import D_K
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.old.tui.everywhere import KEYS as TABLE
from attn_tui.old.tui.everywhere import SHARED

PATIENCE = 3
"""So many keys that are for something else end it."""

_MOVES = [TABLE[name] for name in ("less", "more", "halve", "double", "fewer", "further")]
ARROWS = ("left", "right", "up", "down", "enter")

KEYS = {*ARROWS} | {key for action in (*_MOVES, *SHARED) for key in action.keys}
"""Keys that may belong to what it says."""


@dataclass(frozen=True)
class Moment:
    """What there is at a moment.

    Attributes:
        instrument: The name of the one that is shown.
        draft: What is asked.
        sign: What dividing does to the gradient there: larger 1, smaller −1, 0 where that is not
            told.
        looked_at: What is, where what to do depends on that.
    """

    instrument: str
    draft: Draft
    sign: int = 0
    looked_at: str = ""

    @property
    def is_own(self) -> bool:
        """Whether another question is asked than the example at the start, at whatever d_k."""
        asked, given = self.draft, EXAMPLE.setup
        setup = replace(asked.setup, d_k=given.d_k, settings=given.settings)
        drawn = asked.setup.get(dots.Settings)
        law = dots.Settings(samples=drawn.samples, seed=drawn.seed, d_ks=drawn.d_ks)
        here = asked.text, asked.source, setup, drawn
        return here != (EXAMPLE.text, EXAMPLE.source, given, law)


@dataclass(frozen=True)
class Step:
    """Something to try.

    Attributes:
        instrument: The name of the one where that is.
        texts: What to do, at decreasing length.
        done: Whether it is done at a moment on that instrument, after the signs seen there.
        others: What to do in their place where something else is looked at; nothing at what is not
            named.
    """

    instrument: str
    texts: tuple[str, ...]
    done: Callable[[Moment, frozenset[int]], bool] = lambda moment, signs: False
    others: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def at(self, moment: Moment) -> tuple[str, ...]:
        """Return what to do at a moment, at decreasing length; nothing on another instrument."""
        if moment.instrument != self.instrument:
            return ()
        return self.others.get(moment.looked_at, ()) if moment.looked_at else self.texts


STEPS = (
    Step(
        "explore",
        (
            "Hold + and watch · 2 where d_k comes from · x tour · ? help",
            "Hold + and watch · ? help",
        ),
        lambda moment, signs: moment.draft.setup.d_k == D_K.maximum,
    ),
    Step(
        "explore",
        (
            "Too much evens everything out. These scores are typed; real ones grow: press 2.",
            "Too much evens everything out. Typed scores stay, real ones grow: press 2.",
            "Too much evens all out: press 2.",
        ),
    ),
    Step(
        "dots",
        ("Hold - until the upper bell is as narrow as the lower one.", "Hold - and watch."),
        lambda moment, signs: moment.draft.setup.d_k == D_K.minimum,
    ),
    Step("dots", ("That is why √d_k. 3: does it help the gradient?", "So √d_k. 3: does it help?")),
    Step(
        "sweep",
        ("Move left or right until ▲ and ▼ change places.", "Move until ▲ and ▼ change places."),
        lambda moment, signs: len(signs) > 1,
        others={
            "over d_k": (
                "Move left or right past ◆: there the two curves change places.",
                "Move past ◆: the curves cross.",
            )
        },
    ),
)


@dataclass(frozen=True)
class FirstMinute:
    """How far somebody is.

    Attributes:
        step: The place among the steps of what to try next; behind the last one all is over.
        others: How many keys were for something else.
        signs: What dividing was seen to do to the gradient during this step.
    """

    step: int = 0
    others: int = 0
    signs: frozenset[int] = frozenset()

    @property
    def is_over(self) -> bool:
        """Whether there is nothing more to say."""
        return self.step >= len(STEPS)

    def texts(self, moment: Moment) -> Sequence[str]:
        """Return what to do at a moment, at decreasing length; nothing where there is nothing."""
        return () if self.is_over else STEPS[self.step].at(moment)

    def at(self, moment: Moment) -> "FirstMinute":
        """Return how far somebody is who comes to a moment: what was done is done, however."""
        if moment.is_own:
            return OVER
        places = (at for at, step in enumerate(STEPS) if step.instrument == moment.instrument)
        first = next(places, 0)
        now = replace(self, step=first, signs=frozenset()) if self.step < first else self
        if now.texts(moment):
            signs = now.signs | ({moment.sign} - {0})
            done = STEPS[now.step].done(moment, signs)
            now = replace(now, step=now.step + done, signs=frozenset() if done else signs)
        return now

    def pressed(self, key: str) -> "FirstMinute":
        """Return how far somebody is who presses a key, by Textual's name."""
        if key == "escape" or self.others + (key not in KEYS) >= PATIENCE:
            return OVER
        return replace(self, others=self.others + (key not in KEYS))


OVER = FirstMinute(len(STEPS))
