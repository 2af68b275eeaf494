from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.mask import Mask
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Products, Typed
from attn_tui.compute.vector import Vector
from attn_tui.files.attachments import Attachment
from attn_tui.files.draft import Draft, draft_of, parse
from attn_tui.files.grammar import parse_vectors, vector_at
from attn_tui.files.kinds import source_text
from attn_tui.files.sources import parse_draw
from attn_tui.files.writing import MOST_TYPED
from tests.asking import asking


def compacted(draft: Draft) -> Draft:
    return draft.with_text(draft.text)


def attached(*arrays: object) -> tuple[Attachment, ...]:
    return tuple(Attachment(np.array(each, dtype=np.float64)) for each in arrays)


def counting(*shape: int) -> NDArray[np.float64]:
    return np.arange(float(np.prod(shape))).reshape(shape)


ROW, MATRIX = attached([1, 2, 3], [[4, 5], [6, 7]])


def test_a_text_names_what_is_attached() -> None:
    for text, vectors in [
        ("a: <#1 3 scores>", {"a": [1, 2, 3]}),
        ("<#1 3 scores>", {"a": [1, 2, 3]}),
        ("x y: <#1>\n1 2", {"x y": [1, 2, 3], "a": [1, 2]}),
        ("5\n6\n<#1 1,000,000 scores>\n7", {"a": [5, 6], "b": [1, 2, 3], "c": [7]}),
        ("m: <#2 2 × 2>", {"m[0]": [4, 5], "m[1]": [6, 7]}),
        ("<#2>", {"a": [4, 5], "b": [6, 7]}),
        ("m: <#1> <#2>", {"m[0]": [1, 2, 3], "m[1]": [4, 5], "m[2]": [6, 7]}),
        ("{m: [<#1>], n: <#1>}", {"m": [1, 2, 3], "n": [1, 2, 3]}),
    ]:
        found = parse_vectors(text, (ROW, MATRIX))
        assert {vector.name: vector.scores.tolist() for vector in found} == vectors


def test_what_is_not_attached_is_named() -> None:
    for text, line, problem in [
        ("1 2\na: <#3 5 scores>", 2, "'<#3 5 scores>': there is no attachment 3"),
        ("<#0>", 1, "there is no attachment 0"),
        ("1 <#1>", 1, "an attachment stands beside numbers"),
        ("<#1> 1", 1, "stands beside a list"),
        ("<#1 3 scores", 1, "'<#1'"),
        ("<#x>", 1, "'<#x>'"),
        ("<#-1>", 1, "'<#-1>'"),
        ("<#1\x1b>\n<#9>", 2, "'<#9>'"),
    ]:
        with pytest.raises(InputError) as caught:
            parse_vectors(text, (ROW, MATRIX))
        assert (caught.value.field, caught.value.line) == ("scores", line)
        assert problem in caught.value.problem
        assert str(caught.value).isprintable()


def test_nothing_attached_is_said() -> None:
    with pytest.raises(InputError, match="expected numbers: nothing is attached"):
        parse_vectors("<#1>")


def test_the_same_text_and_attachments_give_the_same_vectors_and_no_copy() -> None:
    many = Attachment(counting(5_000))
    first, again = (parse_vectors("a: <#1 5,000 scores>", (many,)) for _ in range(2))
    assert first is again
    assert np.shares_memory(first[0].scores, many.numbers)
    other = parse_vectors("a: <#1 5,000 scores>", attached(counting(5_000)))
    assert other[0] is not first[0]


def test_the_cursor_finds_rows_of_what_is_attached() -> None:
    assert vector_at("1 2\n<#2>\n3 4", 2, (ROW, MATRIX)) == 3


def test_a_vector_too_long_to_type_is_attached_and_keeps_its_name() -> None:
    draft = Draft("x: 1 2\n\n" + "5\n" * (MOST_TYPED + 1) + "y: " + "6 " * MOST_TYPED)
    short = compacted(draft)
    assert short.text == "x: 1, 2\na: <#1 2,001 scores>\ny: " + ", ".join(["6"] * MOST_TYPED)
    assert compacted(short) == short
    before, after = parse(draft).vectors, parse(short).vectors
    assert [v.name for v in after] == [v.name for v in before] == ["x", "a", "y"]
    assert [v.scores.tolist() for v in after] == [v.scores.tolist() for v in before]


def test_a_text_that_is_short_or_not_understood_stays() -> None:
    for draft in [
        Draft("1 2 3"),
        Draft("1 " * MOST_TYPED),
        Draft("1 " * 3_000 + "x"),
        Draft("n = 5" + " " * 5_000, source="drawn"),
        Draft("q: 1 2" + " " * 5_000, source="vectors"),
    ]:
        assert compacted(draft) == draft


def test_what_is_attached_stays_so_and_keeps_its_number() -> None:
    many, rows = Attachment(counting(10)), Attachment(counting(3, 2))
    text = "n: <#2 3 × 2>\nm: <#1 10 scores>\n" + "1 " * 3_000
    short = compacted(Draft(text, attachments=(many, rows)))
    assert short.text == "n: <#2 3 × 2>\nm: <#1 10 scores>\na: <#3 3,000 scores>"
    assert short.attachments[:2] == (many, rows)
    # Texts of other sources name attachments too, so none is dropped.
    assert compacted(Draft("1 " * 3_000, attachments=(many,))).text == "a: <#2 3,000 scores>"


def test_vectors_too_many_together_are_attached_row_by_row() -> None:
    lists = ", ".join("[" + "1, 2, " * 200 + "3]" for _ in range(30))
    assert compacted(Draft(f"m: [{lists}]")).text == "m: <#1 30 × 401>"
    assert compacted(Draft(f"[{lists}]")).text == "<#1 30 × 401>"
    named = compacted(Draft(f"x: 4\nm: [{lists}]\ny: 5"))
    assert named.text == "x: <#1 1 scores>\nm: <#2 30 × 401>\ny: <#3 1 scores>"
    assert [v.name for v in parse(named).vectors][:3] == ["x", "m[0]", "m[1]"]
    unlike = ", ".join("[" + "1, 2, " * size + "3]" for size in (900, 900, 901, 900) * 3)
    draft = Draft(f"m: [{unlike}]")
    assert compacted(draft).text.startswith("m: <#1 2 × 1,801>\nm[2]: <#2 1,803 scores>\nm[3]: <#3")
    before, after = parse(draft).vectors, parse(compacted(draft)).vectors
    assert [(v.name, v.n_keys) for v in after] == [(v.name, v.n_keys) for v in before]


def test_queries_keys_and_values_too_long_to_type_are_attached() -> None:
    rows = ", ".join("[" + "1, 2, " * 50 + "3]" for _ in range(30))
    q = "1, 2, " * 50 + "3"
    short = compacted(Draft(f"q: {q}\nkeys: [{rows}]", source="vectors"))
    assert short.text == f"q: {q}\nK: <#1 30 × 101>"
    source = parse(short).source
    assert isinstance(source, Products)
    assert source.keys is short.attachments[0].numbers
    assert compacted(short) == short
    assert draft_of(parse(short)).text == short.text


def test_a_million_scores_are_never_text() -> None:
    million = Vector("scores of a file", np.random.default_rng(1).standard_normal(1_000_000))
    draft = draft_of(asking(million))
    assert draft.text == "scores of a file: <#1 1,000,000 scores>"
    assert np.shares_memory(draft.attachments[0].numbers, million.scores)
    assert np.shares_memory(parse(draft).vectors[0].scores, million.scores)
    rows = [Vector(f"q[{row}]", each) for row, each in enumerate(counting(1_000, 1_000))]
    assert draft_of(asking(*rows)).text == "q: <#1 1,000 × 1,000>"


def test_masks_stay_in_the_setup() -> None:
    setup = Setup(mask=Mask(((0, 1),)))
    draft = draft_of(asking(Vector("a", np.array([1.0, 2.0])), setup=setup))
    assert (draft.text, draft.setup.mask) == ("a: 1, 2", setup.mask)
    assert parse(draft).vectors[0].scores.tolist() == [-inf, 2]


def test_the_draft_of_a_draw_is_its_text() -> None:
    draft = draft_of(Experiment(Drawn(1000, 7, 2)))
    assert (draft.source, draft.text) == ("drawn", "n = 1000, seed = 7, vectors = 2")


finite = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e150, max_value=1e150)


@st.composite
def matrices(draw: st.DrawFn, rows: int, columns: int) -> NDArray[np.float64]:
    """Rows of numbers, some too many to type."""
    array = np.array(draw(st.lists(finite, min_size=columns, max_size=columns)), ndmin=2)
    return np.repeat(array, rows, axis=0)


@st.composite
def sources(draw: st.DrawFn) -> Products:
    n, d_k, d_v = (draw(st.integers(1, 4)) for _ in range(3))
    n *= draw(st.sampled_from([1, 900]))
    values = draw(st.none() | matrices(n, d_v))
    return Products(draw(matrices(draw(st.integers(1, 3)), d_k)), draw(matrices(n, d_k)), values)


@given(sources(), st.integers(1, 65_536))
def test_the_draft_of_queries_and_keys_asks_exactly_for_these(source: Products, d_k: int) -> None:
    experiment = Experiment(source, Setup(d_k=d_k))
    draft = draft_of(experiment)
    again = parse(draft)
    assert parse(draft).source is again.source
    assert again.setup == experiment.setup
    assert isinstance(again.source, Products)
    for name in ("queries", "keys", "values"):
        left, right = getattr(again.source, name), getattr(source, name)
        assert (left is None) == (right is None)
        assert left is None or (left.shape, left.tobytes()) == (right.shape, right.tobytes())


@given(st.integers(1, 1_000_000), st.integers(0, 2**63 - 1), st.integers(1, 4))
def test_the_draft_of_a_draw_draws_the_same(n_keys: int, seed: int, count: int) -> None:
    source = Drawn(n_keys, seed, count)
    text, attachments = source_text(source)
    assert (parse_draw(text), attachments) == (source, ())


@given(st.lists(st.integers(1, 3), min_size=1, max_size=6), st.sampled_from([1, 1_999, 2_001]))
@settings(deadline=None)
def test_long_vectors_come_back_from_their_draft(sizes: list[int], times: int) -> None:
    vectors = [
        Vector(f"v[{place}]", counting(size * times) - 0.1) for place, size in enumerate(sizes)
    ]
    again = parse(draft_of(asking(*vectors))).source
    assert isinstance(again, Typed)
    assert [v.name for v in again.scores] == [v.name for v in vectors]
    for left, right in zip(again.scores, vectors, strict=True):
        assert left.scores.tobytes() == right.scores.tobytes()
