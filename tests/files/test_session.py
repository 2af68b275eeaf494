"""Sessions as files: every step comes back, with the arrays it names, or the file says why not."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.compute.errors import InputError
from attn_tui.compute.setup import Setup
from attn_tui.engine.settings import Settings as Heads
from attn_tui.files import edits
from attn_tui.files import session as session_module
from attn_tui.files.draft import EXAMPLE, Draft, parse
from attn_tui.files.examples import EXAMPLES
from attn_tui.files.history import History, Question
from attn_tui.files.session import FilesInFolder, FilesInText, Session, read_session, session_text
from tests.files.test_codec import masks, precisions, scales
from tests.ui.damaged import changed, scratched


def saved(path: Path, session: Session) -> Path:
    """Write a session, with its arrays beside it."""
    path.write_text("".join(session_text(session, FilesInFolder(path.parent / "arrays"))), "utf-8")
    return path


def returned(path: Path) -> Session:
    """Read a session and the arrays beside it, of which nothing may be missing."""
    opened = read_session(str(path), path.parent / "arrays")
    assert opened.notes == ()
    return opened.session


@given(
    st.lists(st.text(max_size=20) | st.just("n = 64, seed = 3"), min_size=1, max_size=5),
    st.integers(1, 65_536), scales, precisions, masks, st.sampled_from(["none", "gemma-2-9b"]),
)  # fmt: skip
@settings(max_examples=30)
def test_every_step_comes_back_even_what_cannot_be_read(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], d_k: int, scale: Any,
    precision: Any, mask: Any, model: str,
) -> None:  # fmt: skip
    setup = replace(Setup(d_k, scale, precision, mask), model=model)
    steps = (*(Draft(text) for text in texts), Draft(texts[0], setup))
    asked = Session(steps, len(texts) - 1, "sweep", {"sweep": "map"}, {"explore": EXAMPLE})
    path = tmp_path_factory.mktemp("session") / "a.session"
    again = returned(saved(path, asked))
    plain = [draft.text for draft in again.steps]
    # Lines of a text that name files name them by absolute paths.
    assert [text for text in plain if "@" not in text] == [
        t.text for t in steps if "@" not in t.text
    ]
    assert [draft.setup for draft in again.steps] == [draft.setup for draft in steps]
    assert (again.place, again.instrument) == (asked.place, asked.instrument)
    assert (again.views, again.pins) == (asked.views, asked.pins)


def test_undo_and_redo_go_through_the_steps_of_a_session(tmp_path: Path) -> None:
    history = History(Question.first(EXAMPLE))
    for d_k in (64, 128, 256):
        history = history.ask(edits.become(Draft(EXAMPLE.text, Setup(d_k))), None, 0.0)
    history = history.undo()
    session = Session.of(history, "explore", {}, {})
    again = returned(saved(tmp_path / "a.session", session)).history
    assert [again.present.draft, *again.past] == [history.present.draft, *history.past]
    assert again.redo().present.draft.setup.d_k == 256
    assert again.undo().undo().present.draft.setup.d_k == 1024


def test_a_step_that_cannot_be_read_stands_over_the_last_one_that_can(tmp_path: Path) -> None:
    session = Session((Draft("1, 2, 3"), Draft("1, 2, x")), 1)
    present = returned(saved(tmp_path / "a.session", session)).history.present
    assert present.draft.text == "1, 2, x"
    assert present.error is not None
    assert present.experiment.vectors[0].scores.tolist() == [1.0, 2.0, 3.0]


def test_an_opened_file_comes_back_when_it_is_gone_or_another_one(tmp_path: Path) -> None:
    scores = tmp_path / "scores.npy"
    np.save(scores, np.arange(5.0))
    path = saved(tmp_path / "a.session", Session((Draft(f"@{scores}"),), 0))
    saved(path, Session((Draft(f"@{scores}"), Draft(f"a: 1\n@{scores}")), 0))
    assert len([*(tmp_path / "arrays").iterdir()]) == 1
    assert returned(path).present.text == f"@{scores}"
    np.save(scores, np.zeros(5))
    changed = parse(returned(path).present)
    scores.unlink()
    for experiment in (changed, parse(returned(path).present)):
        assert experiment.vectors[0].scores.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_a_large_file_is_named_only_and_what_became_of_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "MOST_OPENED", 100)
    scores = tmp_path / "scores.npy"
    np.save(scores, np.arange(5.0))
    path = saved(tmp_path / "a.session", Session((Draft(f"@{scores}"),), 0))
    assert not (tmp_path / "arrays").exists()
    np.save(scores, np.zeros(5))
    (note,) = read_session(str(path)).notes
    assert "scores.npy' has changed since" in note
    scores.unlink()
    opened = read_session(str(path))
    assert "scores.npy' is missing" in opened.notes[0]
    error = opened.session.history.present.error
    assert error is not None
    assert "there is no such file" in str(error)


def test_typed_numbers_that_are_many_come_back_however_many(tmp_path: Path) -> None:
    many = Draft("").with_text(", ".join(map(str, range(5_000))))
    assert many.text.startswith("@")
    path = saved(tmp_path / "a.session", Session((many,), 0))
    kept = Path(many.text[1:])
    numbers = kept.read_bytes()
    kept.unlink()
    try:
        again = parse(returned(path).present)
    finally:
        kept.write_bytes(numbers)
    assert again.vectors[0].scores.tolist() == [*range(5_000)]


def test_arrays_that_differ_at_their_ends_alone_are_two(tmp_path: Path) -> None:
    paths = [tmp_path / "one.npy", tmp_path / "other.npy"]
    for last, path in enumerate(paths):
        scores = np.zeros(200_000)
        scores[-1] = last
        np.save(path, scores)
    shared = tmp_path / "a.session"
    steps = tuple(Draft(f"@{path}") for path in paths)
    shared.write_text("".join(session_text(Session(steps, 0), FilesInText())), "utf-8")
    # Where the other one stands in its place, the file is another one.
    paths[0].write_bytes(paths[1].read_bytes())
    again = read_session(str(shared)).session
    assert parse(again.steps[0]).vectors[0].scores[-1] == 0.0
    digests = {entry["digest"] for entry in json.loads(shared.read_text("utf-8"))["files"].values()}
    assert len(digests) == 2


def test_a_session_for_others_has_its_arrays_inside(tmp_path: Path) -> None:
    scores = tmp_path / "scores.npy"
    np.save(scores, np.arange(5.0))
    shared = tmp_path / "elsewhere.session"
    shared.write_text(
        "".join(session_text(Session((Draft(f"@{scores}"),), 0), FilesInText())), "utf-8"
    )
    scores.unlink()
    opened = read_session(str(shared))
    assert opened.notes == ()
    assert parse(opened.session.present).vectors[0].scores.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_files_that_settings_name_come_back_or_are_said_to_be_gone(tmp_path: Path) -> None:
    capture, config = tmp_path / "heads.npz", tmp_path / "huge.gguf"
    np.savez(capture, q=np.ones(3))
    config.write_bytes(b"GGUF")
    heads = Heads(capture=(str(capture),), config=str(config))
    path = saved(tmp_path / "a.session", Session((Draft("1, 2", Setup().put(heads)),), 0))
    capture.unlink()
    config.unlink()
    opened = read_session(str(path), path.parent / "arrays")
    (note,) = opened.notes
    assert "huge.gguf' is missing" in note
    kept = opened.session.present.setup.get(Heads)
    assert kept.config == str(config)
    assert np.load(kept.capture[0])["q"].tolist() == [1.0, 1.0, 1.0]


def test_of_too_many_steps_the_oldest_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "MOST_STEPS", 600)
    steps = tuple(Draft(f"a: {number}, " + "1" * 80) for number in range(20))
    path = saved(tmp_path / "a.session", Session(steps, 17))
    again = returned(path)
    assert again.present == steps[17]
    assert again.steps == steps[-len(again.steps) :]
    assert 3 < len(again.steps) < 8


DAMAGED: Mapping[str, Any] = {
    "nothing": "",
    "half": '{"schema": "attn-tui/session/1", "steps": [',
    "a list": "[]",
    "another schema": {"schema": "attn-tui/session/2"},
    "no steps": {"steps": []},
    "steps that are none": {"steps": [5]},
    "a step with another name": {"steps": [{"text": "1, 2", "colour": "red"}]},
    "a place outside": {"place": 9},
    "a place that is no number": {"place": "0"},
    "an unknown instrument": {"instrument": "piano"},
    "an unknown rule": {"steps": [{"text": "1, 2", "setup": {"rule": "loud"}}]},
    "a d_k of 0": {"steps": [{"text": "1, 2", "setup": {"d_k": 0}}]},
    "a view that is no text": {"views": {"explore": 5}},
    "a pin that is none": {"pins": {"explore": []}},
    "files that are a list": {"files": []},
    "bytes that are none": {"files": {"/gone/a.npy": {"digest": "x", "bytes": "%"}}},
}


@pytest.mark.parametrize("what", DAMAGED)
def test_a_damaged_session_is_named_with_the_place_and_what_was_expected(
    what: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.session"
    sound = json.loads(saved(path, Session((EXAMPLE,), 0)).read_text("utf-8"))
    damaged = DAMAGED[what]
    text = json.dumps(sound | damaged) if isinstance(damaged, dict) else damaged
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as raised:
        read_session(str(path))
    assert raised.value.field == "session"
    assert "a.session" in raised.value.where
    assert raised.value.expected
    assert path.read_text("utf-8") == text


@pytest.mark.slow
def test_a_session_damaged_in_any_way_is_read_or_named_in_a_line(tmp_path: Path) -> None:
    path, draw = tmp_path / "a.session", Random(5)
    drafts = tuple(Draft(example.draft.text) for example in EXAMPLES.values())
    session = Session(drafts[:4], 2, "dots", {"dots": "over-pane"}, {"explore": drafts[1]})
    sound = saved(path, session).read_bytes()
    for turn in range(600):
        other = json.dumps(changed(draw, json.loads(sound))).encode()
        data = other if turn % 2 else scratched(draw, scratched(draw, sound))
        path.write_bytes(data)
        error = None
        try:
            assert read_session(str(path)).session.history.present.draft
        except InputError as raised:
            error = raised
        if error is not None:
            assert str(error).isprintable()
            assert "a.session" in error.where
            assert error.expected
        assert path.read_bytes() == data


def test_a_file_kept_elsewhere_is_not_taken(tmp_path: Path) -> None:
    secret = tmp_path / "secret.npy"
    np.save(secret, np.arange(3.0))
    path = saved(tmp_path / "a.session", Session((Draft("@/gone/a.npy"),), 0))
    plain = json.loads(path.read_text("utf-8"))
    plain["files"] = {"/gone/a.npy": {"digest": "x", "kept": "../secret.npy"}}
    path.write_text(json.dumps(plain), "utf-8")
    opened = read_session(str(path), tmp_path / "arrays")
    assert opened.session.present.text == "@/gone/a.npy"
    assert "is missing" in opened.notes[0]
