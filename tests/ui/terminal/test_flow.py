"""Nothing follows the data that give the terminal back: it would stand in the shell."""

from attn_tui.ui.terminal.flow import REQUEST, Flow

HELD, LAST = "a picture that is held", "the terminal is given back"


def test_a_held_picture_does_not_follow_the_last_data_when_an_answer_comes_then() -> None:
    sent: list[str] = []

    def send(data: str, request: str) -> bool:
        sent.append(data + request)
        return True

    flow = Flow(send)
    flow.begin()
    flow.answered()
    flow.write("\x1b[1;1Ha picture")
    flow.write(f"\x1b[1;1H{HELD}")
    assert not any(HELD in each for each in sent)

    def write_last() -> None:
        sent.append(LAST)
        # Two answers, as a thread that reads the terminal may note them: to the picture and to
        # what is asked last.
        flow.answered()
        flow.answered()

    flow.end(write_last)
    assert sent[-2:] == [LAST, REQUEST]
    assert not any(HELD in each for each in sent)
