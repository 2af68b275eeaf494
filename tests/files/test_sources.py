import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_tui.compute.errors import InputError
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Kind, Products, Source
from attn_tui.files.attachments import Attachment
from attn_tui.files.draft import Draft, parse
from attn_tui.files.kinds import KINDS
from attn_tui.files.sources import parse_draw, parse_products
from tests.pairs import with_rows


def refused(kind: Kind, text: str) -> InputError:
    with pytest.raises(InputError) as caught:
        KINDS[kind].read(text, ())
    assert str(caught.value).isprintable()
    return caught.value


def test_a_draw_is_said_in_any_order() -> None:
    for text, draw in [
        ("n = 1000, seed = 7, vectors = 2", Drawn(1000, 7, 2)),
        ("vectors=2 seed=7 n=1000", Drawn(1000, 7, 2)),
        ("N: 5;\tSeed : 0\r\n\n vectors= 3,", Drawn(5, 0, 3)),
        ("n = 1000000", Drawn(1_000_000)),
        ("seed = +9223372036854775807", Drawn(seed=2**63 - 1)),
        ("n = 1,000, seed = 2^20", Drawn(1000, 2**20)),
        ("seed = 1 000 000; n = 1e3", Drawn(1000, 10**6)),
        ("", Drawn()),
        (" \n,", Drawn()),
    ]:
        assert parse_draw(text) == draw


def test_a_draw_that_is_not_understood_names_the_token_and_its_line() -> None:
    for text, line, problem, expected in [
        ("n = 0", 1, "n = '0' will not do", "from 1 to 1,000,000"),
        ("n = 1000001", 1, "n = '1000001'", "from 1 to 1,000,000"),
        ("n = -5", 1, "n = '-5'", "from 1 to 1,000,000"),
        ("n = 5\nseed = 1.5", 2, "seed = '1.5' is not a whole number", "one such as"),
        ("seed = x\x1b", 1, r"seed = 'x\x1b' is not", "one such as"),
        ("seed = -1", 1, "seed = '-1'", "from 0 to"),
        ("seed = 9223372036854775808", 1, "seed = '9223372036854775808'", "from 0 to"),
        ("seed = " + "9" * 99, 1, "seed = '9999", "from 0 to 9,223,372,036,854,775,807"),
        ("seed = " + "9" * 9999, 1, "seed = '9999", "from 0 to 9,223,372,036,854,775,807"),
        ("n = 10_00", 1, "n = '10_00'", "one such as"),
        ("n = ٣", 1, "n = '٣'", "one such as"),
        ("n = 1000,\r\nvectors = 0", 2, "vectors = '0'", "from 1 to 4,000"),
        ("vectors = 5, n = 1000000", 1, "vectors = '5'", "from 1 to 4"),
        ("n = 3\n\nm = 4", 3, "'m' is unknown", "n, seed and vectors"),
        ("n = 3, N = 4", 1, "'n' stands there twice", "once"),
        ("n = 1,0000", 1, "'0000' is not understood", "n = 64"),
        ("n = 10,00", 1, "'00' is not understood", "n = 64"),
        ("n = 1,000\n000", 2, "'000' is not understood", "n = 64"),
        ("n", 1, "'n' is not understood", "n = 64"),
        ("n =", 1, "'n' is not understood", "n = 64"),
        ("n = = 3", 1, "'n' is not understood", "n = 64"),
        ("= 3", 1, "'=' is not understood", "n = 64"),
        ("seed = 1\n100, 120", 2, "'100' is not understood", "n = 64"),
    ]:
        error = refused("drawn", text)
        assert (error.field, error.line, error.where) == ("draw", line, f"line {line}")
        assert problem in error.problem
        assert expected in error.expected


TWO_BY_TWO = ([[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]])


def test_queries_and_keys_can_be_written_in_many_ways() -> None:
    for text in [
        "q: 1 2\nK: [[3, 4], [5, 6]]",
        "q: [1, 2]\nk: 3, 4\nk: 5, 6",
        "Query: 1 2\nKEYS:\n3 4\n5 6",
        "k: 3 4\nqueries: 1 2\nkey: 5 6",
        "K: tensor([[3., 4.],\n [5., 6.]])\nq: 1 2",
        '{"q": [1, 2], "k": [[3, 4], [5, 6]]}',
        "q: 1 2\nK[0]: 3 4\nK[1]: 5 6",
    ]:
        source = parse_products(text)
        assert (source.queries.tolist(), source.keys.tolist()) == TWO_BY_TWO
        assert source.values is None


def test_values_and_several_queries() -> None:
    source = parse_products("q: [[1, 0], [0, 1]]\nq: 1 1\nK: [[1, 0]]\nvalues: 7 8 9")
    assert source.queries.tolist() == [[1, 0], [0, 1], [1, 1]]
    assert source.values is not None
    assert source.values.tolist() == [[7, 8, 9]]
    assert [v.name for v in source.vectors(Setup())] == ["q0", "q1", "q2"]
    assert parse_products("q: 2\nK: 3\nk: 4").keys.tolist() == [[3], [4]]


def test_queries_and_keys_that_will_not_do_name_q_k_or_v_and_the_line() -> None:
    for text, line, problem in [
        ("q: 1 2", 0, "there is no K"),
        ("K: 1 2", 0, "there is no q"),
        ("", 0, "there is no q"),
        ("q: 1 2\nK: 1 2 3", 2, "a row of K has 3 numbers and q has 2"),
        ("q: 1 2\nK: [[1, 2],\n[3]]", 3, "a row of K has 1 number and its first row 2"),
        ("q: [[1, 2], [3]]\nK: 1 2", 1, "a row of q has 1 number and its first row 2"),
        ("q: 1\nK: 1\nV: [[1], [2]]", 3, "V has 2 rows and K has 1"),
        ("q: 1\nK: [[1], [2]]\nV: 5", 3, "V has 1 row and K has 2"),
        ("q: 1\nK: [[1], [2]]\nV: [[1, 2], [3]]", 3, "a row of V has 1 number"),
        ("q: 1 -inf\nK: 1 2", 1, "a row of q holds an infinity or NaN"),
        ("q: 1 2\nK: 1 2\nV: -inf", 3, "a row of V holds an infinity or NaN"),
        ("q: 1 2\nK: 1 NaN", 2, "'NaN' will not do"),
        ("q: 1 2\nK: 1 inf", 2, "'inf' will not do"),
        ("q: 1 2\nK: 1 x\x1b", 2, r"'x\x1b'"),
        ("q: 1 2\nM: 1 2", 2, "'M' is none of q, K and V"),
        ("q: 1 2\nK: 1 2\nV\x1b[31m: 1", 3, r"'V\x1b[31m'"),
        ("1 2\nK: 1 2", 1, "the first row has no name"),
        ("q: 1 2\nK: <#1 4 × 2>", 2, "there is no attachment 1"),
        ("q: 1e300\nK: 1e300\nk: 1e999", 3, "'1e999' is too large"),
    ]:
        error = refused("vectors", text)
        assert (error.field, error.line) == ("query", line)
        assert problem in str(error)
        assert "masked" not in error.expected


def test_too_many_scores_and_too_long_queries_are_refused() -> None:
    rows = Attachment(np.zeros((2001, 1)))
    with pytest.raises(InputError, match="2,001 of q and 2,001 keys make 4,004,001 scores"):
        parse_products("q: <#1>\nK: <#1>", (rows,))
    long = Attachment(np.zeros(65_537))
    with pytest.raises(InputError, match="q has 65,537 numbers; expected at most 65,536"):
        parse_products("q: <#1>\nK: <#1>", (long,))


def test_keys_are_not_vectors_and_may_be_many() -> None:
    text = "q: 1 2\nK:\n" + "1 2\n" * 20_000
    assert parse_products(text).keys.shape == (20_000, 2)


def test_a_line_belongs_to_a_query_or_to_none() -> None:
    text = "\nq: [[1, 0],\n[0, 1]]\nK: 1 0\nk: 0 1\nq: 2 2\n"
    index_at = KINDS["vectors"].index_at
    assert [index_at(text, line, ()) for line in range(6)] == [None, 0, 1, None, None, 2]
    assert index_at("q: x", 0, ()) is None
    assert KINDS["drawn"].index_at("n = 3", 0, ()) is None
    assert KINDS["typed"].index_at("1 2\n3 4", 1, ()) == 1


@with_rows("kind", ["typed", "drawn", "vectors"])
def test_every_kind_of_source_starts_with_a_question(kind: Kind) -> None:
    experiment = parse(Draft("", source="typed").from_source(kind) if kind != "typed" else _typed())
    assert experiment.source.kind == kind


def _typed() -> Draft:
    return Draft(KINDS["typed"].template)


@given(
    st.sampled_from(["drawn", "vectors"]),
    st.text(st.sampled_from("nqKV seed=:,;1.5e-+_ \n\r[]{}<#>×\x1b٢"), max_size=40),
)
def test_any_text_is_read_or_refused_in_one_printable_line(kind: Kind, text: str) -> None:
    found = _outcome(kind, text)
    if isinstance(found, InputError):
        assert str(found).isprintable()
        assert found.field == ("draw" if kind == "drawn" else "query")
        assert 0 <= found.line <= len(re.split("\r\n|\n|\r", text))
    else:
        assert isinstance(found, Drawn | Products)


def _outcome(kind: Kind, text: str) -> Source | InputError:
    try:
        return KINDS[kind].read(text, ())
    except InputError as error:
        return error
