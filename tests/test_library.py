"""What `import attn_tui` offers; mypy checks here that it is typed."""

import doctest
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import assert_type

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

import attn_tui
from attn_tui.compute.dots import answer as dots
from attn_tui.compute.explore import answer as explore
from attn_tui.compute.sweep import answer as sweep
from attn_tui.engine.request import Request
from tests.compute import exact

ROW = [3.0, -1.0, 0.5, -np.inf, 2.0]
EXPERIMENT = attn_tui.Experiment(attn_tui.Drawn(n_keys=4), attn_tui.Setup(d_k=16))


@pytest.mark.slow
def test_every_example_of_the_documentation_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(__file__).parents[1] / "docs" / "library.md"
    # The page saves a question where it is.
    monkeypatch.chdir(tmp_path)
    # The page sets how arrays are printed, which must not reach other tests.
    with np.printoptions():
        results = doctest.testfile(str(path), module_relative=False, encoding="utf-8")
    assert results.attempted > 30
    assert not results.failed


def imported_after(code: str) -> set[str]:
    told = f"import sys; {code}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    run = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_importing_it_imports_nothing_and_using_it_all_no_terminal() -> None:
    assert not {"numpy", "textual", "plotext", "click"} & imported_after("import attn_tui")
    # A module of the package is no name of the library.
    assert "numpy" not in imported_after("from attn_tui import instruments")
    used = imported_after(
        "from attn_tui import *; softmax([1, 2]); dot_law(4).coverage; crossover(2, draws=2);"
        "answer(Experiment(Drawn()));"
        "answer(Experiment(Drawn()), Dots(samples=9, d_ks=()));"
        "answer(Experiment(Drawn()), Sweep(n=2, d_k_range=(1, 2), draws=2))"
    )
    assert "numpy" in used
    assert not {"textual", "rich", "plotext", "click"} & used


def test_its_names_are_listed_and_no_other_is_there() -> None:
    assert {*attn_tui.__all__, "__version__"} <= {*dir(attn_tui)}
    assert all(getattr(attn_tui, name).__doc__ for name in attn_tui.__all__)
    with pytest.raises(AttributeError, match="no attribute 'sofmax'"):
        _ = attn_tui.sofmax  # type: ignore[attr-defined]


def test_a_row_agrees_with_arithmetic_of_50_digits() -> None:
    scaled = [s / 8.0 for s in ROW]
    p = exact.weights(scaled)
    assert exact.agrees(attn_tui.softmax(ROW, d_k=64), p)
    j = np.array([[float(x) for x in row] for row in exact.jacobian(p)])
    assert attn_tui.jacobian(ROW, d_k=64, wrt="logits") == pytest.approx(j, rel=1e-12)
    assert attn_tui.jacobian(ROW, d_k=64) == pytest.approx(j / 8.0, rel=1e-12)


@pytest.mark.parametrize(
    "scale", ["none", attn_tui.Scale("none", softcap=2.0, sink=0.5), attn_tui.Scale(sink=-1.0)]
)
def test_gradients_are_central_differences(scale: attn_tui.Scale | str) -> None:
    def loss(scores: NDArray[np.float64]) -> float:
        p = attn_tui.softmax(scores, 4, scale)
        return float(upstream @ p)

    upstream, step = np.array([1.0, -2.0, 0.5, 3.0, 0.25]), 1e-5
    differences = np.array(
        [
            0.0 if s == -np.inf else (loss(ROW + at) - loss(ROW - at)) / (2 * step)
            for s, at in zip(ROW, step * np.eye(5), strict=True)
        ]
    )
    found = attn_tui.gradient(ROW, upstream, 4, scale)
    assert found == pytest.approx(differences, abs=1e-9)
    assert found == pytest.approx(upstream @ attn_tui.jacobian(ROW, 4, scale), rel=1e-12)
    one = attn_tui.gradient(ROW, 2, 4, scale, "logits")
    assert one == pytest.approx(attn_tui.jacobian(ROW, 4, scale, "logits")[2], rel=1e-12)
    assert attn_tui.gradient(ROW, np.eye(5)[2], 4, scale, "logits") == pytest.approx(one)


def test_answers_are_those_of_the_instrument_whose_settings_are_given() -> None:
    row = assert_type(attn_tui.answer(EXPERIMENT), explore.Answer).vectors[0]
    drawn = attn_tui.drawn(16, n_keys=4)[0]
    assert row.scaled.weights() == pytest.approx(attn_tui.softmax(drawn, 16))
    of = attn_tui.answer(EXPERIMENT, attn_tui.Explore(of=3)).vectors[0].of
    assert of == 3
    settings = attn_tui.Dots(samples=10, d_ks=())
    assert assert_type(attn_tui.answer(EXPERIMENT, settings), dots.Answer).complete
    places = attn_tui.Sweep(n=2, d_k_range=(1, 4), draws=2)
    assert assert_type(attn_tui.answer(EXPERIMENT, places), sweep.Answer).progress == 1.0


SCORES = "a row of finite scores, or -inf for a masked key, of shape (n,) with n ≥ 1"


@pytest.mark.parametrize(
    ("scores", "problem"),
    [
        ([], "the shape is (0,)"),
        ([[1.0, 2.0]], "the shape is (1, 2)"),
        (3.0, "the shape is ()"),
        ([[1.0], [1.0, 2.0]], "these are no numbers, or rows that differ in length"),
        ("one", "these are no numbers, or rows that differ in length"),
    ],
)
def test_scores_of_another_shape_are_named(scores: ArrayLike, problem: str) -> None:
    for function in (attn_tui.softmax, attn_tui.jacobian, attn_tui.statistics):
        with pytest.raises(attn_tui.InputError) as error:
            function(scores)
        assert str(error.value) == f"scores: {problem}; expected {SCORES}"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: attn_tui.softmax([1, np.nan]), "NaN at key 1; expected finite scores"),
        (lambda: attn_tui.softmax([np.inf]), "∞ at key 0; expected finite scores"),
        (lambda: attn_tui.softmax([1], scale="inverse"), "d_k: there is none, and m = 1/d_k"),
        (lambda: attn_tui.softmax([1], d_k=0), "d_k: '0' will not do; expected"),
        (lambda: attn_tui.softmax([1], scale=0.5), "scale: '0.5' will not do; expected"),  # type: ignore[arg-type]
        (lambda: attn_tui.softmax([1], precision="half"), "precision: \"'half'\" will not do"),  # type: ignore[arg-type]
        (lambda: attn_tui.gradient([1, 2], 2), "of: there is no key 2; expected a key from 0 to 1"),
        (lambda: attn_tui.gradient([1, 2], [1]), "of: the shape is (1,); expected a key, or ∂L/∂p"),
        (lambda: attn_tui.gradient([1], [np.nan]), "of: it has NaN or an infinity; expected"),
        (lambda: attn_tui.gradient([1], 0, wrt="q"), "wrt: 'q' will not do; expected scores or"),  # type: ignore[arg-type]
        (lambda: attn_tui.Vector("a", [[1], [1, 2]]), "scores: these are no numbers, or rows"),  # type: ignore[arg-type]
        (lambda: attn_tui.drawn(4, n_keys=0), "draw: n = '0' will not do; expected"),
        (lambda: attn_tui.dot_law(0), "d_k: '0' will not do; expected"),
        (lambda: attn_tui.answer(EXPERIMENT, 1), "settings: '1' will not do; expected"),  # type: ignore[call-overload]
    ],
)
def test_other_input_that_will_not_do_is_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(attn_tui.InputError) as error:
        call()
    assert message in str(error.value)


def test_what_is_normalised_or_has_no_q_and_k_refuses_the_rule_cosine() -> None:
    q = np.ones((1, 1, 3, 4))
    refused: tuple[tuple[str, Callable[[], object]], ...] = (
        ("scale", lambda: attn_tui.softmax([1.0, 2.0], 64, "cosine")),
        ("scale", lambda: attn_tui.diagnose(q, q, q, q, scale="cosine:g=8")),
        ("rule", lambda: Request(attn_tui.Scale("cosine"))),
    )
    for field, ask in refused:
        with pytest.raises(attn_tui.InputError, match="cosine normalises q and k, and") as caught:
            ask()
        assert caught.value.field == field
