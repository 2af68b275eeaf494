"""More vectors where keys are few: how many follows from the question, and never from the time."""

from dataclasses import replace

import pytest

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep.answer import Answer, answer, at_place
from attn_tui.compute.sweep.crossover import crossovers
from attn_tui.compute.sweep.settings import Settings, draws_at

AUTO = Settings(
    view="map", n_range=(4, 256), d_k_range=(2, 8), map_points=3, n=4, crossovers=False
)  # fmt: skip


def asked(settings: Settings = AUTO, setup: Setup = Setup()) -> Experiment:
    return Experiment(Drawn(8), replace(setup, d_k=8).put(settings))


def numbers(found: Answer) -> list[object]:
    return [(point.n, point.d_k, point.rule, point.statistics) for point in found.points]


def draws(found: Answer) -> dict[int, int]:
    return {point.n: point.draws for point in found.points}


@pytest.mark.slow
def test_a_thousand_come_first_and_ten_times_as_many_follow_where_keys_are_few() -> None:
    answers = [*answer(asked())]
    progress = [each.progress for each in answers]
    assert progress == sorted(progress)
    assert progress[-1] == 1.0 > progress[-2]
    first = next(each for each in answers if set(draws(each).values()) == {1000})
    assert draws(answers[-1]) == {4: 10_000, 32: 10_000, 256: 1000}
    assert {n: draws_at(AUTO, n) for n in (100, 101)} == {100: 10_000, 101: 1000}
    # They are those of the seed, and the thousand are the first of them.
    alone = [*answer(asked(replace(AUTO, draws=10_000)))][-1]
    for point, other in zip(answers[-1].points, alone.points, strict=True):
        same = point.draws == other.draws
        assert (point.statistics == other.statistics) == same
    few = [*answer(asked(replace(AUTO, draws=1000)))][-1]
    assert [point.statistics for point in first.points] == [
        point.statistics for point in few.points
    ]


@pytest.mark.slow
def test_where_somebody_looks_changes_no_number() -> None:
    one, other = ([*answer(asked(replace(AUTO, n=n)))][-1] for n in (4, 32))
    assert [point.statistics for point in one.points] == [
        point.statistics for point in other.points
    ]


def test_a_number_that_is_given_is_the_number_everywhere() -> None:
    assert set(draws([*answer(asked(replace(AUTO, draws=64)))][-1]).values()) == {64}


def test_normalised_vectors_take_long_and_are_a_thousand() -> None:
    settings = replace(AUTO, n_range=(4, 4), d_k_range=(2, 2))
    found = [*answer(asked(settings, Setup(scale=Scale(qk_norm=True))))][-1]
    assert draws(found) == {4: 1000}


def test_a_place_and_crossovers_have_as_many() -> None:
    for n, d_k, expected in ((4, 8, 10_000), (256, 8, 1000), (4, 16_000, 1048), (4, 65_536, 1000)):
        place = at_place(asked(), n, d_k)
        assert place
        assert place.setup.get(Settings).draws == expected
    *_, (_, known) = crossovers([(2, "inverse-sqrt"), (4, "inverse-sqrt")], Settings(draws=40))
    assert {one.n: one.draws for one in known} == {2: 40, 4: 40}


def test_what_is_left_to_the_program_may_be_too_much_too() -> None:
    with pytest.raises(InputError, match="1,000 at 29,040 × 2 places"):
        next(
            answer(asked(replace(AUTO, n_range=(2, 99_999), d_k_range=(1, 65_535), map_points=200)))
        )
