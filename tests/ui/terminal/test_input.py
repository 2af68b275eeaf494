"""Reading input from the terminal: keys that arrive together."""

import pytest
from textual.events import Key, Paste
from textual.message import Message

from attn_tui.ui.terminal.input import Parser


def told(message: Message) -> str:
    """Return a key by its name, and a paste in quotes."""
    assert isinstance(message, Key | Paste)
    return message.key if isinstance(message, Key) else repr(message.text)


def read(*parts: str) -> list[str]:
    """Return what is read from input that arrives in parts."""
    parser = Parser()
    return [told(message) for part in parts for message in parser.feed(part)]


def test_escape_and_a_key_in_one_read_are_escape_and_then_the_key() -> None:
    for key in "rRfb5é>":
        assert read(f"\x1b{key}") == ["escape", *read(key)]
        assert read(f"\x1b{key}\x1b[A") == ["escape", *read(key), "up"]


@pytest.mark.parametrize("key", ["[", "O", "\r"])
def test_so_it_is_where_more_could_have_followed(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("textual._parser.get_time", lambda: now)
    parser = Parser()
    assert not list(parser.feed(f"\x1b{key}"))
    now += 10.0
    assert not list(parser.tick())
    assert [told(message) for message in parser.tick()] == ["escape", *read(key)]


@pytest.mark.parametrize("key", ["\x1b[27u", "\x1b[24;5~", "\x1b[A", "\x1bOP"])
def test_a_key_stays_one_however_late_its_parts_are_read(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr("textual._parser.get_time", lambda: now)
    for end in range(1, len(key)):
        parser, messages = Parser(), []
        for part in (key[:end], key[end:]):
            messages += [told(message) for message in parser.feed(part)]
            # The time until the program, held up by others, looks for more input.
            now += 10.0
            messages += [told(message) for message in parser.tick()]
        assert messages == read(key)


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
    monkeypatch.setattr(Parser, "is_due", True)
    for cut in range(1, len(answer)):
        Parser.is_due = True
        assert read(f"a{answer[:cut]}", f"{answer[cut:]}b") == ["a", "b"]
    # One that nobody waits for any more, too.
    assert read(f"a{answer}b") == ["a", "b"]
    assert {*colours} == {answer[5:].rstrip("\x1b\\\x07")}


def test_keys_that_an_answer_could_begin_with_arrive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Parser, "is_due", True)
    now = 0.0
    monkeypatch.setattr("textual._parser.get_time", lambda: now)
    for keys in ("\x1b", "\x1b]", "\x1b]1"):
        parser = Parser()
        messages = [*parser.feed(f"a{keys}")]
        for _ in range(5):
            now += 1.0
            messages += parser.tick()
        assert [told(message) for message in messages][:2] == ["a", "escape"]
        assert not parser._held


def test_what_was_typed_before_the_program_read_keys_comes_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Parser, "ahead", "12")
    assert [told(message) for message in Parser().tick()] == ["1", "2"]
    Parser.ahead = "12"
    assert read("3") == ["1", "2", "3"]
