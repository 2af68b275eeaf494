from itertools import cycle

import numpy as np
import pytest

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import VectorAnswer, answer_vector
from attn_tui.compute.explore.attention import Attention, attention
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Products
from attn_tui.old.charts.explore.attention import attention_chart
from attn_tui.report.rows import plain
from tests.old.charts.cases import check_block, lines, text_of

PLAIN = Setup(scale=Scale("none"))


def ask(source: Products, setup: Setup = PLAIN) -> tuple[VectorAnswer, Attention]:
    """Return the answer for the first query, and where its scores come from."""
    experiment = Experiment(source, setup)
    known = attention(experiment, 0)
    assert known is not None
    return answer_vector(experiment, 0), known


def random(d_k: int, n_keys: int, d_v: int | None = None, size: float = 1.0) -> Products:
    """Return standard normal queries, keys and values."""
    draw = np.random.default_rng(3).normal
    values = None if d_v is None else draw(size=(n_keys, d_v))
    return Products(draw(size=(1, d_k)) * size, draw(size=(n_keys, d_k)), values)


IDENTITY = Products(np.array([[1.0, 0.0]]), np.eye(2), np.array([[1.0, 2.0, 3.0], [5.0, 6.0, 7.0]]))
CASES = {
    "identity": ask(IDENTITY),
    "one key, one component": ask(random(1, 1, 1)),
    "no values": ask(random(7, 5)),
    "many components": ask(random(128, 40, 200), Setup()),
    "most components": ask(random(65_536, 2, 1), Setup()),
    "saturated": ask(random(64, 9, 3, 1e6)),
    "NaN": ask(random(8, 4, 2, 1e3), Setup(precision=Precision("float16", stable=False))),
    "zero": ask(Products(np.zeros((1, 3)), np.zeros((2, 3)), np.zeros((2, 2)))),
}


@pytest.mark.parametrize("name", CASES)
def test_every_size_gives_a_block_of_that_size(name: str) -> None:
    answer, known = CASES[name]
    firsts = cycle((0, 5, 10**6, 0))
    for width in (*range(0, 45, 2), 58, 76, 99, 116, 200):
        for height in (*range(12), 30):
            rows = attention_chart(answer, known, 1, width, height, next(firsts), width % 3 == 0)
            check_block(rows, width, height)


def test_each_column_says_what_it_is_of_what_and_with_respect_to_what() -> None:
    rows = lines(attention_chart(*CASES["identity"], 1, 116, 10))
    assert "gradient of p₀ with respect to q and to key 1" in rows[0]
    assert rows[1].split() == ["q", "∂p₀/∂q", "∂p₀/∂q", "k₁", "∂p₀/∂k₁", "∂p₀/∂k₁"]
    assert rows[2].split() == ["c", "unscaled", "scaled", "unscaled", "scaled"]


@pytest.mark.parametrize("width", [116, 78, 38])
def test_worked_values(width: int) -> None:
    # p = (e, 1)/(e + 1), so ∂p₀/∂s = (p₀p₁, −p₀p₁); over q it is p₀p₁(k₀ − k₁), over k₁ −p₀p₁ q.
    p = np.e / (np.e + 1)
    slope = p * (1 - p)
    rows = lines(attention_chart(*CASES["identity"], 1, width, 10))
    assert rows[3].split() == (
        ["0", "1"] + [f"+{slope:.2e}"] * (2 if width > 40 else 1) + ["0"]
        + [f"−{slope:.2e}"] * (2 if width > 40 else 1)
    )  # fmt: skip
    text = "\n".join(rows)
    assert f"‖∂p₀/∂q‖ = {slope * 2**0.5:.3f} unscaled" in text or width == 38
    output = ", ".join(f"{p * v + (1 - p) * (v + 4):.2f}" for v in (1, 2, 3))
    assert text.count(output) == 2


def test_of_many_components_those_from_the_first_asked_for_are_shown() -> None:
    answer, known = CASES["many components"]
    for first, shown in ((0, range(8)), (50, range(50, 58)), (10**6, range(120, 128))):
        rows = lines(attention_chart(answer, known, 2, 116, 14, first))
        assert f"components {shown[0]} to {shown[-1]} of 128" in rows[0]
        assert [int(row.split()[0]) for row in rows[3:11]] == list(shown)
        assert f"{known.keys[2, shown[0]]:.4g}".lstrip("-") in rows[3]


def test_a_number_of_the_output_is_never_cut() -> None:
    answer, known = CASES["many components"]
    whole = known.output(answer.scaled)
    assert whole is not None
    for width in range(20, 120):
        for first in (0, 60, 10**6):
            last = lines(attention_chart(answer, known, 2, width, 8, first))[-1].strip()
            numbers = last.split(": ")[1].replace("…", "").strip(", ").replace("−", "-")
            start = min(first, 199)
            for at, number in enumerate(numbers.split(", ") if numbers else []):
                assert float(number) == pytest.approx(whole[start + at], rel=0.006)


@pytest.mark.parametrize("width", [116, 76, 38])
def test_nan_is_an_error_with_its_reason(width: int) -> None:
    errors = text_of(attention_chart(*CASES["NaN"], 1, width, 14), "error")
    assert "NaN" in errors
    assert "float32" in errors


def test_the_other_side_is_shown_where_there_is_room_for_one() -> None:
    answer, known = CASES["many components"]
    rows = attention_chart(answer, known, 2, 38, 8, side="unscaled")
    assert lines(rows)[2].split() == ["c", "unscaled", "unscaled"]
    gradient = float(known.query_gradient(answer.unscaled, answer.of)[0])
    assert f"{abs(gradient):.2e}" in plain(rows)
