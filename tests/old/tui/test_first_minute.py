"""The first minute: what it says, when a step is done, and when all is over."""

from dataclasses import replace

import pytest

from attn_tui.compute.dots import settings as dots
from attn_tui.compute.setup import Setup
from attn_tui.compute.sweep import settings as sweep
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.instruments import INSTRUMENTS, load
from attn_tui.old.tui.app import AttnApp
from attn_tui.old.tui.everywhere import SHARED
from attn_tui.old.tui.first_minute import OVER, STEPS, FirstMinute, Moment
from attn_tui.old.tui.running import opening
from attn_tui.old.tui.widgets.hint import Hint
from tests.old.tui.person import MEDIUM, NARROW, Clock, Person, settle, still

START = FirstMinute()


def moment(instrument: str, d_k: int = 1024, sign: int = 0) -> Moment:
    return Moment(instrument, Draft(EXAMPLE.text, Setup(d_k=d_k)), sign)


def after(*moments: Moment) -> int:
    minute = START
    for each in moments:
        minute = minute.at(each)
    return minute.step


def test_each_step_is_gone_when_it_is_done_and_not_before() -> None:
    at_end = moment("explore", 65_536)
    assert after(moment("explore"), moment("explore", 57_344)) == 0
    assert after(at_end) == 1
    assert after(at_end, moment("explore", 64)) == 1
    assert after(at_end, moment("dots", 65_536)) == 2
    assert after(at_end, moment("dots", 65_536), moment("dots", 2)) == 2
    assert after(at_end, moment("dots", 65_536), moment("dots", 1)) == 3
    assert after(at_end, moment("dots", 1), moment("sweep", 1)) == 4
    # Who goes ahead is not told what was before.
    assert after(moment("sweep")) == 4
    assert after(moment("dots"), moment("explore", 65_536)) == 2


@pytest.mark.parametrize(
    ("signs", "is_over"), [((0, -1, -1, 0), False), ((0, -1, 0, 1), True), ((1, 0, -1), True)]
)
def test_the_last_step_is_done_where_the_sign_changes(
    signs: tuple[int, ...], is_over: bool
) -> None:
    minute = START
    for sign in signs:
        minute = minute.at(moment("sweep", 1024, sign))
    assert minute.is_over == is_over


def test_it_speaks_of_one_instrument_at_a_time() -> None:
    for step in range(len(STEPS)):
        minute = FirstMinute(step)
        spoken = [each.name for each in INSTRUMENTS if minute.texts(moment(each.name))]
        assert spoken == [STEPS[step].instrument]
    assert not any(OVER.texts(moment(each.name)) for each in INSTRUMENTS)


def test_of_curves_it_says_where_these_cross_and_of_numbers_nothing() -> None:
    at = moment("sweep", 1024, 1)
    minute = START.at(at)
    assert "▲ and ▼" in minute.texts(at)[0]
    assert "past ◆" in minute.texts(replace(at, looked_at="over d_k"))[0]
    for view in ("over n", "numbers"):
        assert not minute.texts(replace(at, looked_at=view))
    assert minute.at(replace(at, sign=-1, looked_at="over d_k")).is_over


def test_escape_three_other_keys_or_a_question_of_ones_own_end_it() -> None:
    assert START.pressed("escape").is_over
    minute = START
    for key in ("plus", "t", "right_curly_bracket", "v", "minus", "2", "u", "left"):
        minute = minute.pressed(key)
        assert not minute.is_over
    assert minute.pressed("t").is_over
    asked = moment("explore")
    assert not START.at(asked).is_over
    for own in (
        replace(EXAMPLE, text="1, 2"),
        replace(EXAMPLE, source="drawn"),
        replace(EXAMPLE, setup=replace(EXAMPLE.setup, scale=replace(EXAMPLE.setup.scale, sink=1))),
        replace(EXAMPLE, setup=EXAMPLE.setup.put(dots.Settings(tied=True))),
    ):
        assert START.at(replace(asked, draft=own)).is_over
    swept = EXAMPLE.setup.put(sweep.Settings(n=128)).put(dots.Settings(seed=2))
    assert not START.at(replace(asked, draft=replace(EXAMPLE, setup=swept))).is_over


def test_it_names_only_keys_that_work_there_and_has_words_for_every_width() -> None:
    for each in STEPS:
        screen = load(next(i.screen for i in INSTRUMENTS if i.name == each.instrument))
        keys = {action.shown for action in (*screen.ACTIONS, *SHARED)}
        for text in each.texts:
            words = text.replace(":", "").replace(".", "").split()
            assert {word for word in words if len(word) == 1 and word not in "·▲▼"} <= keys
        assert [*each.texts] == sorted(each.texts, key=len, reverse=True)
        assert len(each.texts[-1]) <= NARROW[0] - 2


@pytest.mark.parametrize("size", [MEDIUM, NARROW])
async def test_it_leads_from_explore_to_the_map(size: tuple[int, int]) -> None:
    clock = Clock()
    app = AttnApp(opening(EXAMPLE), clock=clock, guided=True)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        still(app)
        person = Person(app, pilot, clock)
        person.sees("Hold + and watch")
        await person.press("d")
        await person.write("65536\n")
        person.misses("Hold")
        person.sees("Too much evens")
        await person.press("2")
        person.sees("Hold -")
        await person.press("f")
        person.misses("Hold -")
        await person.press("escape")
        await person.put("d_k", "1")
        person.misses("Hold")
        person.sees("3: does it help")
        await person.press("1")
        person.misses("Too much", "3: does")
        await person.press("3")
        person.sees("▲ and ▼ change places")
        for _ in range(11):
            await person.press("right")
            if "change places" not in person.text:
                break
        assert 256 <= app.history.present.draft.setup.d_k <= 1024
        assert not person.app.screen.query_one(Hint).display


async def test_escape_takes_it_away_for_good_and_a_dialogue_has_keys_of_its_own() -> None:
    clock = Clock()
    app = AttnApp(opening(EXAMPLE), clock=clock, guided=True)
    async with app.run_test(size=MEDIUM) as pilot:
        await settle(pilot)
        person = Person(app, pilot, clock)
        await person.press("question_mark", "down", "down", "down", "escape")
        person.sees("Hold + and watch")
        await person.press("escape")
        person.misses("Hold +")
        await person.press("2")
        await person.put("d_k", "1")
        person.misses("Hold", "That is why")


async def test_an_example_says_what_to_look_at_in_the_same_place() -> None:
    clock = Clock()
    app = AttnApp(opening(EXAMPLE), clock=clock, guided=True)
    async with app.run_test(size=MEDIUM) as pilot:
        await settle(pilot)
        person = Person(app, pilot, clock)
        await person.press("x", "down", "down", "enter")
        assert person.lines[-3].startswith(" A gap of 10 is enough")
        person.misses("Hold +")
