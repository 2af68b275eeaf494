"""The line that is written for a question asks it again."""

from dataclasses import replace
from functools import partial
from shlex import split
from typing import Any

import click
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.commands import line
from attn_tui.compute.dots import settings as dots
from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore import settings as explore
from attn_tui.compute.field import fields_of
from attn_tui.compute.mask import Mask
from attn_tui.compute.models import MODELS, brought
from attn_tui.compute.precision import Precision
from attn_tui.compute.rules import RULES
from attn_tui.compute.scale import Scale, parse_scale
from attn_tui.compute.setup import FIELDS, Setup
from attn_tui.compute.source import Drawn, Products, Source, Typed, Vector
from attn_tui.compute.sweep import settings as sweep
from attn_tui.console.arguments import protected
from attn_tui.console.asking import asked_by, edited, setup_experiment_of
from attn_tui.explore.command import to_experiment as gradient_experiment_of
from attn_tui.files.draft import draft_of
from attn_tui.files.grammar import LONGEST_NAME, usable
from attn_tui.files.history import Question
from attn_tui.instruments import INSTRUMENTS, load
from attn_tui.sweep.command import _changes, _experiment

D_KS = st.integers(1, 65_536)
NUMBERS = st.floats(-1e6, 1e6)
NAMES = st.sampled_from(["a", "b", "c", "show", "-x", "@f", "two words", "it's", "é"]) | st.text(
    min_size=1, max_size=LONGEST_NAME
).filter(usable)


def values(kind: type) -> st.SearchStrategy[Any]:
    """Return a dataclass's objects with some of its fields not at their defaults."""
    known: dict[str, st.SearchStrategy[Any]] = {}
    for name, field in fields_of(kind).items():
        if field.kind.choices:
            known[name] = st.sampled_from([*field.kind.choices]).map(field.kind.read)
        else:
            known[name] = st.integers(0, 3).map(partial(field.kind.step, field.default))
    return st.builds(kind, **known)


@st.composite
def setups(draw: st.DrawFn) -> Setup:
    rule = draw(st.sampled_from([*RULES, "temperature:T=0.3", "fixed:a=7", "yarn:factor=2.5"]))
    scale = replace(
        parse_scale(rule), softcap=draw(st.none() | st.floats(1e-3, 1e3)),
        sink=draw(st.none() | NUMBERS), qk_norm=draw(st.booleans()),
    )  # fmt: skip
    low = draw(st.integers(0, 4))
    masked = st.sampled_from([Mask(), Mask(((low, low + 2),)), Mask(((low, None),), causal=True)])
    setup = Setup(
        draw(D_KS), scale, draw(values(Precision)), draw(masked),
        sigma_q=draw(st.sampled_from([1.0, 0.5])), sigma_k=draw(st.sampled_from([1.0, 2.25])),
        lead=draw(st.sampled_from([0.0, 2.5])),
    )  # fmt: skip
    if (model := MODELS.get(draw(st.sampled_from(["none", *MODELS])))) is None:
        return setup
    # Something is its own, or else the name goes.
    kept: list[dict[str, Any]] = [{"d_k": model.d_k}, {"scale": model.scale}, brought(model.name)]
    return replace(setup, **draw(st.sampled_from(kept)), model=model.name)


@st.composite
def sources(draw: st.DrawFn) -> Source:
    rows = st.lists(NUMBERS | st.just(-np.inf), min_size=6, max_size=9)
    finite = st.lists(NUMBERS, min_size=2, max_size=2)
    called = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    matrix = draw(st.lists(finite, min_size=6, max_size=7))
    return draw(
        st.sampled_from(
            [
                Typed(tuple(Vector(name, np.array(draw(rows))) for name in called)),
                Drawn(draw(st.integers(6, 99)), draw(st.integers(0, 9)), draw(st.integers(1, 3))),
                Products(np.array(matrix[:1]), np.array(matrix), np.array(matrix)),
            ]
        )
    )


def given_by(command: str, text: str) -> dict[str, Any]:
    """Return the values of a line's options."""
    program, name, *arguments = split(text)
    assert (program, name) == ("attn-tui", command)
    commands = {each.command_name: each.command for each in INSTRUMENTS}
    found: click.Command = load(commands[command])
    return found.make_context(command, protected(arguments)).params


def ask(experiment: Experiment) -> Question:
    return Question(draft_of(experiment), experiment)


def alike(left: Experiment, right: Experiment) -> None:
    assert [vector.name for vector in left.vectors] == [vector.name for vector in right.vectors]
    for one, other in zip(left.vectors, right.vectors, strict=True):
        np.testing.assert_array_equal(one.scores, other.scores)


GRADIENTS = st.builds(explore.Settings, of=st.integers(0, 5), target=st.none() | st.integers(0, 5))


@settings(max_examples=25)
@given(sources(), setups(), GRADIENTS)
def test_what_explore_asks_is_asked_by_its_line(
    source: Source, setup: Setup, gradient: explore.Settings
) -> None:
    try:
        asked = Experiment(source, setup.put(gradient))
    except InputError:
        return
    again = gradient_experiment_of(given_by("show", line.show(ask(asked))))
    assert again.setup == asked.setup
    alike(again, asked)


@given(setups(), values(dots.Settings))
@settings(deadline=None)
def test_what_dot_products_asks_is_asked_by_its_line(setup: Setup, drawn: dots.Settings) -> None:
    setup = replace(setup, precision=Precision(), mask=Mask()).put(drawn)
    asked = Experiment(Drawn(), setup)
    params = given_by("dot", line.dot(ask(asked)))
    again = setup_experiment_of(params, lambda before: edited(dots.Settings, params, before))
    if again.setup.model == "none":
        # What departs from a model has no option here, and neither has what plays no part.
        setup = replace(setup, scale=Scale(setup.scale.rule, setup.scale.arguments), model="none")
    # One product at a time has no key that leads.
    assert again.setup == replace(setup, lead=0.0)


@given(
    setups(), values(sweep.Settings), st.sampled_from([(), ("none",), ("none", "temperature:T=4")])
)
@settings(deadline=None)
def test_what_sweep_asks_is_asked_by_its_line(
    setup: Setup, swept: sweep.Settings, rules: tuple[str, ...]
) -> None:
    if rules == ("none",):
        swept = replace(swept, ratio=False)
    swept = replace(swept, rules=rules)
    asked = Experiment(Drawn(swept.n), setup.put(swept))
    again = _experiment(given_by("sweep", line.sweep(ask(asked))), _changes)
    found = again.setup.get(sweep.Settings)
    compared = sweep.compared(swept, setup.scale)
    assert sweep.compared(found, again.setup.scale) == compared
    assert again.setup.scale.qk_norm == setup.scale.qk_norm
    assert (again.setup.sigmas, again.setup.lead) == (setup.sigmas, setup.lead)
    if swept.statistic == "lead_weight":
        assert again.setup.scale.sink == setup.scale.sink
    names = {"view", "statistic", "draws", "seed"}
    if swept.view == "map":
        names |= {"n_range", "d_k_range", "map_points"}
    elif swept.over == "n":
        names |= {"over", "n_range", "points"}
        assert again.setup.d_k == setup.d_k
    else:
        names |= {"over", "n", "d_k_range", "points"}
    assert [getattr(found, name) for name in names] == [getattr(swept, name) for name in names]
    assert found.ratio == (swept.ratio and len(compared) > 1)


@pytest.mark.parametrize(
    ("asked", "n", "d_k"),
    [
        ("attn-tui sweep --n 64 --d-k 64", 64, 64),
        ("attn-tui sweep --n 64 --d-k 64@128", 64, 128),
        ("attn-tui sweep --over n --n 8 --d-k 32", 8, 32),
        ("attn-tui sweep --over n --n 8@16 --d-k 32", 16, 32),
    ],
)
def test_a_sweep_of_one_place_speaks_of_it(asked: str, n: int, d_k: int) -> None:
    _, experiment = asked_by(asked)
    assert (experiment.setup.get(sweep.Settings).n, experiment.setup.d_k) == (n, d_k)
    assert line.sweep(ask(experiment)) == asked


@pytest.mark.parametrize("n_keys", [1500, 2001])
def test_scores_too_many_for_a_line_are_not_cut(n_keys: int) -> None:
    long = Experiment(Typed((Vector("a", np.arange(float(n_keys))),)))
    with pytest.raises(InputError, match="too many for a command line; s saves them"):
        line.show(ask(long))


def test_a_line_is_short_where_little_is_asked() -> None:
    asked = Experiment(Typed((Vector("a", np.array([-1.0, 0.5])),)), Setup(64))
    assert line.show(ask(asked)) == "attn-tui show -1,0.5 --d-k 64"


def test_a_model_is_named_with_what_departs_from_it() -> None:
    def lines(**other: Any) -> tuple[str, str]:
        named = Setup().changed(FIELDS["model"], lambda _: "gemma-2-27b")
        asked = ask(Experiment(Drawn(9), replace(named, **other)))
        return line.show(asked).removeprefix("attn-tui show --draw 9 "), line.dot(asked)

    own = MODELS["gemma-2-27b"].scale
    assert lines() == ("--model gemma-2-27b", "attn-tui dot --model gemma-2-27b")
    assert lines(d_k=64)[0] == "--model gemma-2-27b --d-k 64"
    assert lines(scale=replace(own, softcap=None)) == (
        "--model gemma-2-27b --softcap none",
        "attn-tui dot --d-k 128 --rule fixed:a=144",
    )


@pytest.mark.parametrize("instrument", INSTRUMENTS)
def test_every_instrument_has_a_line_that_its_command_understands(instrument: Any) -> None:
    asked, write = ask(Experiment(Drawn())), load(instrument.line)
    text = write(asked)
    if instrument.name == "heads":
        # A capture alone opens the screen.
        assert text == "attn-tui example"
    else:
        assert given_by(instrument.command_name, text)
