"""Search by words."""

import pytest

from attn_tui.instruments import Item
from attn_tui.search import Grade, Query, found, most, nearest
from attn_tui.ui.places import value_behind

NAMES = ("Gemma-2-9B", "model Gemma-2-9B", "head of 256")
ABOUT = "d_k 256 · 16 heads"


@pytest.mark.parametrize(
    ("typed", "fit"),
    [
        ("gemma-2-9b", Grade.EXACT), ("GEMMA 2 9B", Grade.EXACT), ("gemma29b", Grade.EXACT),
        ("gemma 2", Grade.BEGUN), ("9b gem", Grade.BEGUN), ("gemma2", Grade.BEGUN),
        ("mod 9", Grade.BEGUN), ("16", Grade.DESCRIBED), ("gemma heads", Grade.DESCRIBED),
        ("gemma head", Grade.BEGUN),
        # Letters inside words, words that are only begun in the description, and no word at all.
        ("emma", Grade.NOT), ("gma", Grade.NOT), ("gemma 1", Grade.NOT), ("-", Grade.NOT),
        ("", Grade.NOT), ("m", Grade.EXACT), ("/m", Grade.EXACT), ("M", Grade.BEGUN),
    ],
)  # fmt: skip
def test_each_typed_word_begins_a_word_of_a_name_or_is_one_of_the_description(
    typed: str, fit: Grade
) -> None:
    assert Query.of(typed).fit(NAMES, ABOUT, ("m",)) is fit


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("T 0.5", "0.5"), ("t=0.5", "0.5"), ("T = 0.5", "0.5"), ("softmax temperature 2", "2"),
        ("softmax-temperature 2", "2"), ("set T to 2", "2"), ("temperature:T=0.5", ""),
        ("T", ""), ("T=", ""), ("0.5", ""), ("too 2", ""), ("T a=b", "a=b"),
    ],
)  # fmt: skip
def test_a_value_stands_behind_the_whole_name(typed: str, value: str) -> None:
    assert value_behind(["T", "Softmax temperature"], typed) == value


def test_a_letter_and_the_beginning_of_the_next_word_are_no_word() -> None:
    names = ("Map over n and d_k",)
    found = {text: Query.of(text).fit(names) for text in ("n and", "and d", "dk", "nan", "over n")}
    assert [text for text, fit in found.items() if fit is Grade.NOT] == ["nan"]


def test_what_is_typed_is_marked_where_it_stands() -> None:
    line = "model: Gemma-2-9B"
    spans = Query.of("gemma2").spans(line), Query.of("9 gem").spans(line)
    assert [[line[i:j] for i, j in own] for own in spans] == [["Gemma-2"], ["9", "Gem"]]
    assert Query.of("√ d").spans("1/sqrt(d_k)") == [(2, 8)]


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("sqrt", "1/√d_k"), ("square root", "1/√d_k"), ("µP", "muP"), ("mup", "µP"),
        ("-inf", "−∞"), ("fp16", "float16"), ("half precision", "float16"),
        ("half pre", "half precision"),
        ("bf16", "bfloat16"), ("soft cap", "softcap"), ("softcap at 50", "a soft cap at 50"),
        ("softmax1", "softmax₁"), ("QK-norm", "query-key normalisation"),
        ("query key normalization", "QK-norm"), ("initialization", "initialisation"),
    ],
)  # fmt: skip
def test_a_thing_is_found_however_it_is_written(typed: str, name: str) -> None:
    assert Query.of(typed).fit([name]) >= Grade.BEGUN
    assert Query.of(typed).fit(["size of the logits"]) is Grade.NOT


def test_a_possessive_is_no_word() -> None:
    assert Query.of("s1").fit(["µP's 1/d_k"]) is Grade.NOT
    assert Query.of("µP 1/d_k").fit(["µP's 1/d_k"]) is Grade.EXACT


ITEMS = [
    Item("gradient", "Gradients vanish", "by the scores", topics=("backpropagation",)),
    Item("rounding", "Softmax in float32", "rounds less", ("upcast",), ("overflow", "precision")),
    Item("overflow", "Overflow in float16", "above 65,504", (), ("precision",), "only of q·k"),
]


@pytest.mark.parametrize(
    ("typed", "hits"),
    [
        # A name before a topic, and a topic before whole words of what is said.
        ("overflow", ["overflow", "rounding"]), ("precision", ["rounding", "overflow"]),
        ("scores", ["gradient"]), ("score", []), ("only", ["overflow"]),
        # Little words count for nothing; if nothing has all others, what has most is found.
        ("Why is softmax done in float32?", ["rounding"]), ("why", []),
        ("float32 overflow zebra", ["rounding"]), ("zebra", []), ("", []),
        # Then endings make no difference, and a word of the description alone is half a word.
        ("overflowed zebra", ["overflow", "rounding"]), ("vanished scores", ["gradient"]),
        ("float16 precision less", ["overflow", "rounding"]),
    ],
)  # fmt: skip
def test_the_best_comes_first_and_without_all_words_what_has_most(
    typed: str, hits: list[str]
) -> None:
    assert [item.text for item in found(ITEMS, Query.of(typed))] == hits


def test_a_rare_word_tells_more_than_one_that_many_have() -> None:
    every = [
        Item("one", "Attention and its scale", "", (), ()),
        Item("two", "Scale of attention at first", "", (), ()),
        Item("three", "Attention, scale and length", "", (), ()),
        Item("rare", "LongRoPE", "", (), ()),
    ]
    typed = Query.of("LongRoPE attention scale")
    assert [item.text for item in most(every, typed)] == ["rare"]
    # Common words alone are not enough of what is asked.
    unknown = Query.of("GAT attention scale")
    # Where two words stand together, as they are typed, is best.
    assert [item.text for item in most(every, unknown)] == ["three", "one", "two"]
    assert most(every, unknown, least=0.5) == []


def test_of_what_has_only_some_of_the_words_a_few_are_found() -> None:
    every = [Item(str(number), f"Attention {number}", "", (), ()) for number in range(40)]
    assert len(found(every, Query.of("attention zebra"))) == 8
    assert len(found(every, Query.of("attention"))) == 40


def test_the_nearest_are_like_what_is_typed() -> None:
    assert [item.text for item in nearest(ITEMS, Query.of("gradeint"), 1)] == ["gradient"]
    assert nearest(ITEMS, Query.of("zzz"), 1) == []
