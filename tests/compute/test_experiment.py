from dataclasses import dataclass
from math import inf, nan

import numpy as np
import pytest

from attn_tui.compute.errors import InputError
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.precision import Precision
from attn_tui.compute.setup import Setup
from attn_tui.compute.vector import Vector
from tests.asking import asking
from tests.pairs import with_rows


@dataclass(frozen=True)
class Other:
    """Settings of another instrument."""

    number: int = 1


def test_settings_of_each_instrument_are_kept_apart() -> None:
    setup = Setup().put(Settings(of=2)).put(Other(7)).put(Settings(of=3))
    assert setup.get(Settings) == Settings(of=3)
    assert setup.get(Other) == Other(7)
    assert len(setup.settings) == 2


def test_settings_nobody_set_are_the_defaults() -> None:
    assert Setup().get(Settings) == Settings()
    assert Setup().put(Settings(of=2)).put(Settings()) == Setup()


@with_rows("d_k", [0, -3, 65_537, 10**30, 2.5, True])
def test_a_setup_has_a_d_k_on_the_scale(d_k: int) -> None:
    with pytest.raises(InputError) as caught:
        Setup(d_k=d_k)
    assert caught.value.field == "d_k"


def test_a_vector_owns_its_scores_in_float64() -> None:
    given = np.array([1, 2], dtype=np.int32)
    vector = Vector("a", given)  # type: ignore[arg-type]
    given[0] = 9
    assert vector.scores.tolist() == [1.0, 2.0]
    assert vector.scores.dtype == np.float64
    with pytest.raises(ValueError, match="read-only"):
        vector.scores[0] = 3.0


def test_a_vector_counts_masked_keys() -> None:
    assert Vector("a", np.array([1.0, -inf])).n_keys == 2


@with_rows(
    ("scores", "message"),
    [
        ([1.0, nan], "nan at key 1; expected finite scores"),
        ([inf, 1.0], "inf at key 0"),
        ([], r"shape \(0,\); expected at least one score"),
        ([[1.0]], r"shape \(1, 1\)"),
    ],
)
def test_scores_that_softmax_cannot_take_are_refused(scores: list[float], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        Vector("a", np.array(scores))
    assert caught.value.field == "scores"


def test_two_vectors_are_equal_if_they_are_one() -> None:
    one, other = Vector("a", np.zeros(1)), Vector("a", np.zeros(1))
    assert one != other
    assert asking(one) == asking(one) != asking(other)


def test_an_experiment_needs_a_vector() -> None:
    with pytest.raises(InputError, match="at least one vector"):
        asking()


def test_an_unknown_format_is_refused_with_those_there_are() -> None:
    with pytest.raises(InputError, match=r"'float8'.* expected .*float16, bfloat16") as caught:
        Precision("float8")
    assert caught.value.field == "precision"


def test_an_error_says_where_what_and_what_was_expected() -> None:
    error = InputError("scores", "'x' is not a number", "a number", "line 2", 2)
    assert str(error) == "scores, line 2: 'x' is not a number; expected a number"
    assert str(InputError("d_k", "no", "yes")) == "d_k: no; expected yes"
