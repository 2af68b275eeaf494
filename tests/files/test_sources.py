import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.compute.errors import InputError
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Products, Typed, Vector
from attn_tui.files.grammar import MOST_TYPED, Entry
from attn_tui.files.sources import (
    VectorPart,
    kind_of,
    read_matrix,
    score_text,
    source_of,
    text_of,
)

HERE = Path(__file__).parent


def refused(text: str) -> InputError:
    with pytest.raises(InputError) as caught:
        source_of(text)
    assert str(caught.value).isprintable()
    return caught.value


def rows(entry: Entry) -> list[list[float]]:
    return [list(map(float, row)) for row in np.asarray(entry.scores)]


def products(text: str) -> Products:
    source = source_of(text)
    assert isinstance(source, Products)
    return source


def test_how_a_text_begins_says_what_it_is() -> None:
    for text, kind in [
        ("n = 64, seed = 1", "drawn"),
        ("vectors=2", "drawn"),
        ("a: 100, 120, 150", "typed"),
        ("q: 1, 0", "typed"),
        ("q: 1, 0\nk: 1, 0", "vectors"),
        ('"q": 1, 0\n"K": 1, 0', "typed"),
    ]:
        assert source_of(text).kind == kind
    assert source_of("1 2") is source_of("1 2")


def test_signs_that_a_chinese_keyboard_types_are_read_in_draws_and_queries() -> None:
    assert source_of("ｎ＝６４，ｓｅｅｄ＝３") == source_of("n = 64, seed = 3")
    source = source_of("q 猫 坐：1，0；0，1\nK：［［1，0］，［0，1］］")
    assert text_of(source) == "q 猫 坐: [[1, 0], [0, 1]]\nK: [[1, 0], [0, 1]]"


def test_a_query_with_tokens_and_no_keys_says_that_k_is_missing() -> None:
    with pytest.raises(InputError, match="line 2: K is missing") as caught:
        source_of("\nq cat sat: 1, 0")
    assert (caught.value.field, caught.value.line) == ("keys", 2)
    assert kind_of("q: 1, 0") == kind_of('"q cat sat": 1, 0') == "typed"


def test_a_draw_is_said_in_any_order() -> None:
    for text, draw in [
        ("n = 1000, seed = 7, vectors = 2", Drawn(1000, 7, 2)),
        ("vectors=2 seed=7 n=1000", Drawn(1000, 7, 2)),
        ("N = 5;\tSeed = 0\r\n\n vectors= 3,", Drawn(5, 0, 3)),
        ("n = 1,000, seed = 2^20", Drawn(1000, 2**20)),
        ("seed = 1 000 000; n = 1e3", Drawn(1000, 10**6)),
    ]:
        assert source_of(text) == draw


def test_a_draw_that_is_not_understood_names_the_token_and_its_line() -> None:
    for text, line, problem, expected in [
        ("n = 0", 1, "n = '0' will not do", "from 1 to 1,000,000"),
        ("n = 5\nseed = 1.5", 2, "seed = '1.5' is not a whole number", "one such as"),
        ("seed = x\x1b", 1, r"seed = 'x\x1b' is not", "one such as"),
        ("seed = " + "9" * 9999, 1, "seed = '9999", "from 0 to 9,223,372,036,854,775,807"),
        ("vectors = 5, n = 1000000", 1, "vectors = '5'", "from 1 to 4"),
        ("n = 3\n\nm = 4", 3, "'m' is unknown", "n, seed and vectors"),
        ("n = 3, N = 4", 1, "'n' stands there twice", "once"),
        ("n = 10,00", 1, "'00' is not understood", "n = 64"),
        ("n =", 1, "'n' is not understood", "n = 64"),
        ("seed = 1\n100, 120", 2, "'100' is not understood", "n = 64"),
    ]:
        error = refused(text)
        assert (error.field, error.line, error.where) == ("draw", line, f"line {line}")
        assert problem in error.problem
        assert expected in error.expected


def test_queries_and_keys_can_be_written_in_many_ways() -> None:
    for text in [
        "q: 1 2\nK: [[3, 4], [5, 6]]",
        "q: [1, 2]\nk: 3, 4\nk: 5, 6",
        "Query: 1 2\nKEYS:\n3 4\n5 6",
        "K: tensor([[3., 4.],\n [5., 6.]])\nq: 1 2",
        "q: 1 2\nK[0]: 3 4\nK[1]: 5 6",
    ]:
        source = products(text)
        assert (source.queries.tolist(), source.keys.tolist()) == ([[1, 2]], [[3, 4], [5, 6]])
        assert source.values is None
    source = products("q: [[1, 0], [0, 1]]\nq: 1 1\nK: [[1, 0]]\nvalues: 7 8 9")
    assert source.queries.tolist() == [[1, 0], [0, 1], [1, 1]]
    assert source.values is not None
    assert source.values.tolist() == [[7, 8, 9]]
    assert [v.name for v in source.vectors(Setup())] == ["q0", "q1", "q2"]
    # Keys are not vectors, and may be many.
    assert len(products("q: 1 2\nK:\n" + "1 2\n" * 20_000).keys) == 20_000


def test_queries_and_keys_that_will_not_do_name_q_k_or_v_and_the_line() -> None:
    for text, field, line, problem in [
        ("q: 1 2\nK: 1 2 3", "keys", 2, "a row of K has 3 numbers and q has 2"),
        ("q: 1 2\nK: [[1, 2],\n[3]]", "keys", 2, "a row of K has 1 number and its first row 2"),
        ("q: 1\nK: 1\nV: [[1], [2]]", "values", 3, "V has 2 rows and K has 1"),
        ("q: 1 -inf\nK: 1 2", "query", 1, "a row of q holds an infinity or NaN"),
        ("q: 1 2\nK:\n1 2\n1 NaN", "keys", 4, "'NaN' will not do"),
        ("q: 1 2\nK: 1 x\x1b", "keys", 2, r"'x\x1b'"),
        ("q: 1 2\nK: 1 2\nM: 1 2", "keys", 3, "'M' is none of q, K and V"),
        ("1 2\nq: 1 2\nK: 1 2", "query", 1, "the first row has no name"),
        ("q:\nK: 1", "query", 1, "there are none"),
    ]:
        error = refused(text)
        assert (error.field, error.line) == (field, line), text
        assert problem in str(error)
        assert "masked" not in error.expected


def test_rows_are_typed_or_come_from_a_file(tmp_path: Path) -> None:
    keys = [[3.0, 4.0], [5.0, 6.0]]
    np.save(tmp_path / "rows.npy", np.array(keys))
    np.save(tmp_path / "row.npy", np.array([3.0, 4.0]))
    np.savez(tmp_path / "both.npz", q=[[1.0, 2.0]], keys=keys)
    (tmp_path / "rows.csv").write_text("3,4\n5,6\n")
    (tmp_path / "rows.json").write_text("[[3, 4], [5, 6]]")
    for argument in ("[[3, 4], [5, 6]]", "3 4\n5 6"):
        assert rows(read_matrix(argument, "K")) == keys
    for name in ("rows.npy", "both.npz", "rows.csv", "rows.json"):
        assert rows(read_matrix(f"@{tmp_path / name}", "K")) == keys
    assert rows(read_matrix(f"@{tmp_path / 'both.npz'}", "q")) == [[1, 2]]
    assert rows(read_matrix(f"@{tmp_path / 'row.npy'}", "q")) == keys[:1]


def test_rows_that_will_not_do_are_refused() -> None:
    cases: list[tuple[str, VectorPart, str]] = [
        ("1 x", "q", "query, line 1: 'x' is not a number; expected finite numbers"),
        ("1 -inf", "K", "keys: a row of K holds an infinity or NaN"),
        ("[[1, 2], [3]]", "V", "values: a row of V has 1 number and its first row 2"),
        ("", "q", "query: there are none"),
        ("@missing.npy", "K", "keys, 'missing.npy': there is no such file"),
        (
            f"@{HERE / 'valid' / 'keys.npz'}",
            "V",
            "keys.npz': it holds 'k, q'; expected one named V",
        ),
        (f"@{HERE / 'valid' / 'half.npy'}", "q", "half.npy': a row of q holds an infinity"),
        (f"@{HERE / 'invalid' / 'nan.npy'}", "q", "nan.npy': nan stands at row 1, key 1"),
        (f"@{HERE / 'invalid' / 'cut.npz'}", "q", "cut.npz': it is no zip archive"),
    ]
    for argument, part, expected in cases:
        with pytest.raises(InputError) as caught:
            read_matrix(argument, part)
        assert expected in str(caught.value)


def test_too_many_scores_and_too_long_queries_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.npy"
    for shape, problem in (
        ((2001, 1), "2,001 of q and 2,001 keys make 4,004,001 scores"),
        ((1, 65_537), "q has 65,537 numbers; expected at most 65,536"),
    ):
        np.save(path, np.zeros(shape))
        assert problem in str(refused(f"q: @{path}\nK: @{path}"))


def test_a_text_names_files(tmp_path: Path) -> None:
    np.save(tmp_path / "row.npy", [1.0, 2.0])
    np.savez(tmp_path / "cache.npz", q=[1.0, 0.0], k=[[1.0, 0.0], [0.0, 1.0]])
    text = f"5\n6\n@{tmp_path / 'row.npy'}\n7"
    typed = source_of(text)
    assert isinstance(typed, Typed)
    found = {vector.name: vector.scores.tolist() for vector in typed.scores}
    assert found == {"a": [5, 6], "row": [1, 2], "b": [7]}
    assert source_of(text) is typed
    np.save(tmp_path / "row.npy", [1.0, 2.0, 3.0])
    assert source_of(text).vectors(Setup())[1].n_keys == 3
    cache = tmp_path / "cache.npz"
    source = products(f"q: 2 2\nK: @{cache}\nquery: @{cache}")
    assert sorted(source.queries.tolist()) == [[1, 0], [2, 2]]
    assert source.keys.tolist() == [[1, 0], [0, 1]]
    for wrong, problem in [
        (f"1 2\n@{tmp_path / 'none.npy'}", "there is no such file"),
        ("1 2\n@\x1b.npy", "there is no such file"),
        (f"q: 1 2\nK: @{tmp_path / 'none.npy'}", "keys, .*there is no such file"),
        (f"q: @{cache}\nK: @{cache}\nV: @{cache}", "it holds 'k, q'; expected one named V"),
    ]:
        error = refused(wrong)
        assert re.search(problem, str(error))
        assert error.line == wrong.count("\n") + 1


def test_many_numbers_stand_in_a_file_that_the_text_names() -> None:
    source = source_of("x: 1 2\n" + "5 " * 3_000)
    text = text_of(source)
    assert re.fullmatch(r"@\S+\.npz", text)
    assert [(v.name, v.n_keys) for v in source_of(text).vectors(Setup())] == [
        ("x", 2),
        ("a", 3_000),
    ]
    rows = ", ".join("[" + "1, 2, " * 50 + "3]" for _ in range(30))
    source = products(f"q: {'1 ' * 101}\nkeys: [{rows}]")
    text = text_of(source)
    assert re.fullmatch(r"q: (1, ){100}1\nK: @\S+\.npz", text)
    assert np.array_equal(products(text).keys, source.keys)


@given(
    st.lists(st.integers(1, 3), min_size=1, max_size=4),
    st.sampled_from([1, 1_001]),
    st.sampled_from(["v[{}]", "q[{}]", "k, {}", "{}x"]),
)
@settings(deadline=None)
def test_vectors_come_back_from_their_text(sizes: list[int], times: int, name: str) -> None:
    vectors = tuple(
        Vector(name.format(place), np.arange(float(size * times)) - 0.1)
        for place, size in enumerate(sizes)
    )
    again = source_of(text_of(Typed(vectors)))
    assert isinstance(again, Typed)
    assert [v.name for v in again.scores] == [v.name for v in vectors]
    for left, right in zip(again.scores, vectors, strict=True):
        assert left.scores.tobytes() == right.scores.tobytes()


def test_scores_are_written_as_short_as_exactness_allows() -> None:
    written = [score_text(score) for score in (100.0, -0.0, 0.1, -np.inf, 1e22)]
    assert written == ["100", "-0", "0.1", "-inf", "1e+22"]
    assert sum(vector.n_keys for vector in source_of("1 " * 2_000).vectors(Setup())) == MOST_TYPED
