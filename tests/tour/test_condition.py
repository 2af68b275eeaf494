"""Conditions on what is asked: what they say, and what is wrong with others."""

import pytest

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep import settings as sweep
from attn_tui.files.draft import EXAMPLE, parse
from attn_tui.tour.condition import condition

SETUP = Setup(64, Scale("temperature", (("T", 4.0),))).put(sweep.Settings(n=8))
HERE = Experiment(Drawn(512, 3), SETUP)


def test_what_a_condition_says() -> None:
    for text, instrument, holds in [
        ("d_k >= 64", "explore", True),
        ("d_k > 64", "explore", False),
        ("d_k<=64", "explore", True),
        ("d_k != 64", "dots", False),
        ("d_k < 64 or d_k == 64", "dots", True),
        ("d_k == 64 and d_k > 64 or d_k < 64", "dots", False),
        ("d_k < 64 or d_k == 64 and d_k > 1", "dots", True),
        ("n == 512 and seed == 3", "explore", True),
        ("n <= 8", "sweep", True),
        ("rule == temperature:T=4", "explore", True),
        ("rule == temperature:T=5", "explore", False),
        ("rule != inverse-sqrt", "explore", True),
        ("softcap == none", "explore", True),
        ("softcap <= 50", "explore", False),
        ("stable == yes", "explore", True),
        ("statistic == gradient", "sweep", True),
        ("entries == die", "dots", False),
    ]:
        assert condition(text, instrument).holds(HERE) is holds


def test_the_seed_of_typed_scores_is_none() -> None:
    assert not condition("seed >= 0", "explore").holds(parse(EXAMPLE))


def test_what_is_wrong_with_a_condition() -> None:
    for text, said in [
        ("", "'' compares nothing; expected such as d_k >= 1024"),
        ("d_k = 64", "'d_k = 64' compares nothing"),
        ("d_k >= 64 and", "'' compares nothing"),
        ("width > 3", "'width' cannot be asked; expected one of d_k, "),
        ("d_k >= 0", "d_k: '0' will not do; expected a whole number from 1 to 65,536"),
        ("rule == half", "rule: "),
        ("rule > none", "rule has no order, for >; expected rule == none"),
        ("__import__('os') == 1", '\'__import__("os")'),
    ]:
        with pytest.raises(InputError) as error:
            condition(text, "explore")
        assert error.value.field == "until"
        assert said.replace('"', "'").strip("'") in str(error.value).replace('"', "'")
