"""History: what is a step, and what is not."""

from dataclasses import replace

from attn_tui.files import edits
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.files.history import Edit, Gesture, History, Question

TYPING = Gesture("typing")


def to_d_k(d_k: int) -> Edit:
    return edits.setup(lambda setup: replace(setup, d_k=d_k))


def history() -> History:
    return History(Question.first(EXAMPLE))


def test_edits_of_one_gesture_within_its_pause_are_one_step() -> None:
    one = history().ask(edits.text("1"), TYPING, 0.0)
    two = one.ask(edits.text("1, 2"), TYPING, 0.9)
    assert two.undo().present.draft == EXAMPLE
    assert two.undo().redo().present.draft.text == "1, 2"


def test_a_rest_or_another_gesture_begins_a_step() -> None:
    one = history().ask(edits.text("1"), TYPING, 0.0)
    assert one.ask(edits.text("2"), TYPING, 1.1).undo().present.draft.text == "1"
    assert one.ask(to_d_k(8), Gesture("slide"), 0.1).undo().present.draft.text == "1"
    assert one.ask(edits.text("2"), None, 0.1).undo().present.draft.text == "1"


def test_an_edit_after_undo_forgets_what_was_undone_and_begins_a_step() -> None:
    one = history().ask(edits.text("1"), TYPING, 0.0)
    other = one.undo().ask(edits.text("2"), TYPING, 0.1)
    assert other.redo() is other
    assert other.undo().present.draft == EXAMPLE


def test_what_changes_nothing_is_no_step() -> None:
    one = history()
    assert one.ask(edits.become(EXAMPLE), None, 0.0) is one
    assert one.undo() is one
    assert one.redo() is one


def test_text_that_cannot_be_read_is_a_step_like_any_other() -> None:
    bad = history().ask(edits.text("1, two"), TYPING, 0.0)
    assert bad.present.error is not None
    assert bad.present.error.line == 1
    assert bad.present.draft.text == "1, two"
    moved = bad.ask(to_d_k(8), None, 5.0)
    assert moved.present.experiment.setup.d_k == 8
    assert [*moved.present.experiment.vectors] == [*history().present.experiment.vectors]
    good = moved.ask(edits.text("1, 2"), TYPING, 9.0)
    assert good.present.error is None
    undone = good.undo().present
    assert (undone.draft, undone.error is None) == (moved.present.draft, False)
    assert [*undone.experiment.vectors] == [*good.present.experiment.vectors]


def test_history_holds_only_so_many_steps() -> None:
    long = history()
    for step in range(History.LIMIT + 50):
        long = long.ask(edits.text(str(step)), None, float(step))
    assert len(long.past) == History.LIMIT


def test_edits_are_made_on_the_newest_draft() -> None:
    draft = replace(EXAMPLE, text="5")
    assert to_d_k(2)(draft) == Draft("5", replace(EXAMPLE.setup, d_k=2))


def test_what_the_newest_setup_cannot_become_leaves_it_as_it_was() -> None:
    assert to_d_k(0)(EXAMPLE) is EXAMPLE
