"""Reading input from the terminal: keys that arrive together."""

import pytest
from textual.constants import ESCAPE_DELAY
from textual.events import Key, MouseDown, MouseMove, MouseScrollUp, MouseUp, Paste
from textual.message import Message

from attn_tui.ui.terminal.flow import ANSWER
from attn_tui.ui.terminal.input import TORN, Parser, PasteLost, RestOfPaste
from attn_tui.ui.terminal.paste import LATE, SILENCE
from tests.ui.terminal.streams import stream, typed


def name_of(message: Message) -> str:
    """Return a key by its name, and a paste in quotes."""
    if isinstance(message, PasteLost):
        return message.reason
    assert isinstance(message, Key | Paste), message
    return message.key if isinstance(message, Key) else repr(message.text)


def read(*parts: str) -> list[str]:
    """Return what is read from input that arrives in parts."""
    parser = Parser()
    return [name_of(message) for part in parts for message in parser.feed(part)]


def test_escape_and_a_key_in_one_read_are_escape_and_then_the_key() -> None:
    for key in "rRfb5é>":
        assert read(f"\x1b{key}") == ["escape", *read(key)]
        assert read(f"\x1b{key}\x1b[A") == ["escape", *read(key), "up"]


@pytest.mark.parametrize("key", ["[", "O", "]", "P"])
def test_so_it_is_where_more_could_have_followed(key: str) -> None:
    parser = Parser()
    assert not list(parser.feed(f"\x1b{key}"))
    assert [name_of(message) for message in parser.tick()] == ["escape", *read(key)]


@pytest.mark.parametrize("key", ["\x1b[27u", "\x1b[24;5~", "\x1b[A", "\x1bOP", "\x1b[3$"])
def test_a_key_that_comes_in_parts_is_one(key: str) -> None:
    whole = read(key)
    assert len(whole) == 1
    for end in range(1, len(key)):
        assert read(key[:end], key[end:]) == whole


def test_alt_that_the_terminal_tells_of_types_nothing() -> None:
    (key,) = Parser().feed("\x1b[114;3u")
    assert isinstance(key, Key)
    assert (key.key, key.character) == ("alt+r", None)


def test_a_key_of_no_number_is_none() -> None:
    assert read("\x1b[114:82;4u", "\x1b[99999999999u", "a") == ["a"]


def test_a_paste_is_text_alone_in_whatever_parts_it_comes() -> None:
    pasted = "1 \x1bq \x1b]2;x\x07 \x1b[A\n"
    sent = f"\x1b[200~{pasted}\x1b[201~b\x1b[A\x1b[200~2\x1b[201~"
    for cut in range(len("\x1b[200~"), sent.index("b\x1b")):
        assert read("a", sent[:cut], sent[cut:]) == ["a", repr(pasted), "b", "up", "'2'"]


ANSWERS = ("\x1b]11;rgb:ffff/ffff/ffff\x1b\\", "\x1b]11;rgb:ff/ff/ff\x07")


@pytest.mark.parametrize("answer", ANSWERS)
def test_the_colour_of_the_background_is_no_keys_in_whatever_parts_it_comes(
    answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    colours: list[str] = []
    monkeypatch.setattr(Parser, "coloured", colours.append)
    for cut in range(1, len(answer)):
        assert read(f"a{answer[:cut]}", f"{answer[cut:]}b") == ["a", "b"]
    assert {*colours} == {answer[5:].rstrip("\x1b\\\x07")}


UNASKED = (
    "\x1b[?62;22c", "\x1b[?1;2;4;6;9;15;16;17;18;21;22;28;29;42c", "\x1b[>41;354;0c", "\x1b[113~",
    "\x1b[8;24;80t", "\x1b[?997;1n", "\x1bP>|XTerm(354)\x1b\\", "\x1b_Gi=1;OK\x1b\\", "\x1b[5A",
    "\x1b]52;c;MTIz\x07", "\x1b[4;2$y", "\x1b[?2027;2$y", "\x1b[113;1:3u", "\x1b[57344u", "\x1b[u",
    "\x1b[<0;-5;3M", "\x1b[M !!", "\x1b[48;0;0;0;0t", "\x1b[97;1;55296u\x1b[0u", "\x1b[1;2;3;4X",
)  # fmt: skip


@pytest.mark.parametrize("sequence", UNASKED)
def test_a_sequence_that_is_no_key_types_nothing(sequence: str) -> None:
    assert [key for key in read(f"a{sequence}b") if key != "a"] == ["b"]
    for end in range(1, len(sequence)):
        assert read("c", sequence[:end], sequence[end:], "b")[-1] == "b"


def test_what_has_no_end_types_nothing_and_escape_alone_is_a_key() -> None:
    for begun in ("\x1b[1;5", "\x1b[<0;1", "\x1b[?62", "\x1b]11;rg", "\x1bP1$r", "\x1bO5"):
        parser = Parser()
        assert not [*parser.feed(begun), *parser.tick()]
        # Its rest may still come.
        assert [name_of(message) for message in parser.feed("x")] == ["x"]
        assert read(f"{begun}\x1b[A") == ["up"]
    parser = Parser()
    assert not [*parser.feed("\x1b")]
    assert parser.patience is not None
    assert 0.0 < parser.patience <= ESCAPE_DELAY
    assert [name_of(message) for message in parser.tick()] == ["escape"]
    assert parser.patience is None


@pytest.mark.parametrize("rest", ["[B", "[1;5B", "OB", "[?62;22c", "]11;rgb:0/0/0\x07", "[<0;1;1M"])
def test_the_rest_of_a_torn_sequence_types_nothing(rest: str) -> None:
    now = 0.0
    parser = Parser(lambda: now)
    assert [name_of(message) for message in [*parser.feed("\x1b"), *parser.tick()]] == ["escape"]
    assert [name_of(message) for message in parser.feed(f"{rest}x")] == ["x"]
    assert [*parser.feed("\x1b"), *parser.tick()]
    assert [name_of(message) for message in parser.feed("[")] == read("[")
    assert [*parser.feed("\x1b"), *parser.tick()]
    assert [name_of(message) for message in parser.feed("[]")] == read("[", "]")
    assert [*parser.feed("\x1b"), *parser.tick()]
    now += TORN + 1
    # Keys, pressed much later.
    assert [name_of(message) for message in parser.feed("[B")] == read("[", "B")


KEYPAD = {
    "-": 57412,
    "+": 57413,
    "/": 57410,
    ".": 57409,
    "*": 57411,
    "=": 57415,
    "0": 57399,
    "7": 57406,
}


@pytest.mark.parametrize("character", KEYPAD)
def test_keys_of_the_keypad_do_what_the_main_keys_do(character: str) -> None:
    code = KEYPAD[character]
    for sequence in (
        f"{code};129;{ord(character)}",
        f"{code};1;{ord(character)}",
        f"{code};129",
        f"{code}",
    ):
        (key,) = Parser().feed(f"\x1b[{sequence}u")
        (main,) = Parser().feed(character)
        assert isinstance(key, Key)
        assert isinstance(main, Key)
        assert (key.key, key.character) == (main.key, main.character)
    assert read("\x1b[57414;129u") == ["enter"]
    assert read("\x1b[57414u") == ["enter"]


def test_a_word_of_an_input_method_is_typed_whole() -> None:
    word = "注意力的权重和梯度"
    sequence = f"\x1b[0;;{':'.join(str(ord(one)) for one in word)}u"
    assert [key.character for key in Parser().feed(sequence) if isinstance(key, Key)] == [*word]


# Pastes without an end


class Watch:
    """A parser, and the time as it takes it."""

    def __init__(self) -> None:
        self.now = 0.0
        self.parser = Parser(lambda: self.now)

    def read(self, *parts: str) -> list[str]:
        """Return what is read from parts that follow each other at once."""
        return [name_of(message) for part in parts for message in self.parser.feed(part)]

    def wait(self) -> list[str]:
        """Return what is read when nothing comes for as long as it takes."""
        assert self.parser.patience is not None
        self.now += self.parser.patience
        return [name_of(message) for message in self.parser.tick()]


def test_a_paste_without_an_end_is_inserted_after_a_silence() -> None:
    watch = Watch()
    assert not watch.read("\x1b[200~5,1,", "2\x1b[A")
    assert watch.parser.patience == SILENCE
    # What the terminal answers meanwhile is no part of it.
    watch.now += 1.0
    assert not watch.read(ANSWER)
    assert watch.parser.patience == SILENCE - 1.0
    assert watch.wait() == [repr("5,1,2\x1b[A")]
    assert watch.parser.patience is None
    # What belongs to it may still come, and keys are keys.
    assert watch.read("3,4", "q", "\x1b[A", "5\x1b[201~", "67") == [
        "'3,4'",
        "q",
        "up",
        "'5'",
        "6",
        "7",
    ]


def test_ctrl_c_drops_a_paste_without_an_end_and_says_so() -> None:
    for key in ("\x03", "\x1b[99;5u", "\x1b[99;133u"):
        watch = Watch()
        (lost,) = watch.read("\x1b[200~5,1,", key)
        assert "dropped" in lost
        assert watch.read("3,4", "q", "\x1b[A", "\r\n", key) == ["q", "up", "ctrl+c"]
        watch.now += LATE + 1
        assert watch.read("3,4") == read("3,4")
    assert read("\x1b[200~5,1\x03,", "2\x1b[201~") == [repr("5,1\x03,2")]


def test_a_paste_of_more_than_a_million_bytes_is_refused_with_its_size() -> None:
    piece = "123, 456" * 512
    parts = ["\x1b[200~", *[piece] * 300, "\x1b[201~q"]
    lost, key = read(*parts)
    assert f"{300 * len(piece):,} bytes" in lost
    assert key == "q"
    (text,) = read("\x1b[200~", *[piece] * 200, "\x1b[201~")
    assert len(text) == 200 * len(piece) + 2
    watch = Watch()
    watch.read(*parts[:-1])
    assert [f"{300 * len(piece):,} bytes" in lost for lost in watch.wait()] == [True]
    assert watch.read("3,4", "q") == ["q"]


# The mouse


@pytest.mark.parametrize("button", [1, 2, 128, 129])
def test_only_the_left_button_acts(button: int) -> None:
    drag = button + 32
    down, moved, up, *rest = Parser().feed(
        "\x1b[<0;2;3M\x1b[<32;4;3M\x1b[<0;4;3m"
        f"\x1b[<{button};2;3M\x1b[<{drag};4;3M\x1b[<{button};4;3m\x1b[<64;2;3M"
    )
    assert [type(one) for one in (down, moved, up)] == [MouseDown, MouseMove, MouseUp]
    move, wheel = rest
    assert isinstance(move, MouseMove)
    assert move.button == 0
    assert isinstance(wheel, MouseScrollUp)


def test_what_was_typed_before_the_program_read_keys_comes_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Parser, "ahead", "12")
    assert [name_of(message) for message in Parser().tick()] == ["1", "2"]
    Parser.ahead = "12"
    assert read("3") == ["1", "2", "3"]


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_whatever_comes_no_key_is_typed_that_was_not_pressed(first: int) -> None:
    for seed in range(first, first + 50):
        pieces, pressed = stream(seed)
        assert typed(pieces) == pressed, f"seed {seed}"


def test_the_rest_of_a_paste_carries_what_came_before_it() -> None:
    # Wherever the beginning went, nothing of another paste is put before the rest.
    watch = Watch()
    watch.read("\x1b[200~1, 2\x1b[201~", "\x1b[200~4, 5")
    watch.wait()
    rest = [event for data in (", 6", ", 7\x1b[201~") for event in watch.parser.feed(data)]
    name_of = [(one.before, one.text) for one in rest if isinstance(one, RestOfPaste)]
    assert name_of == [("4, 5", ", 6"), ("4, 5, 6", ", 7")]
