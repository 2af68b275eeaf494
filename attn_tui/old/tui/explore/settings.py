"""What can be asked and looked at on the Explore screen."""

from dataclasses import replace
from typing import Any

from attn_tui.compute.draw import Draw
from attn_tui.compute.explore.settings import LARGEST, Settings
from attn_tui.compute.field import Kind, fields_of, one_of, or_none, switch, whole
from attn_tui.compute.source import Drawn
from attn_tui.files import edits
from attn_tui.files.draft import parse
from attn_tui.files.history import Gesture
from attn_tui.files.kinds import KINDS
from attn_tui.old.tui.explore import explanations
from attn_tui.old.tui.explore.view import View
from attn_tui.old.tui.scale import D_K, MODEL, REST
from attn_tui.old.tui.settings import (
    FROM,
    MASK,
    PRECISION,
    RULE,
    SIDE,
    Group,
    Seen,
    Setting,
    asked_for,
    axis,
    drawn_with,
    looked_at,
)

_TEXT = Kind(
    "scores, a draw, or q and K", str.strip, lambda value: isinstance(value, str),
    shown=lambda text: "; ".join(text.splitlines()),
)  # fmt: skip


def _check_scores(screen: Any, text: str) -> None:
    if screen.asked:
        parse(screen.asked.draft.with_text(text))


SCORES = Setting(
    "scores", "scores", "what softmax is taken of, as text", _TEXT,
    lambda seen: seen.asked.draft.text if seen.asked else "",
    lambda screen, change, gesture: screen.fields.ask_edit(
        lambda draft: edits.text(change(draft.text))(draft), gesture
    ),
    default=lambda seen: KINDS[seen.asked.draft.source if seen.asked else "typed"].template,
    synonyms=("numbers", "input"), check=_check_scores, opens="scores.edit",
)  # fmt: skip


def _see_vector(screen: Any, change: Any, _: Gesture | None) -> None:
    last = len(screen.asked.experiment.vectors)
    screen.look(screen.view.at(min(change(screen.view.vector + 1), last) - 1))


def _only_one(seen: Seen) -> str:
    many = seen.asked is not None and len(seen.asked.experiment.vectors) > 1
    return "" if many else "There is one vector: each line of scores is another"


VECTOR = Setting(
    "vector", "vector", "which line of scores is shown, counted from 1", whole(1),
    lambda seen: getattr(seen.view, "vector", 0) + 1, _see_vector, 1, ("query", "row"), _only_one,
)  # fmt: skip


def _see_key(screen: Any, change: Any, _: Gesture | None) -> None:
    last = screen.answer.answer.vector.n_keys - 1 if screen.answer else 0
    key = change(screen.view.key)
    at_leader = replace(screen.view, pointed=False)
    screen.look(at_leader if key is None else screen.view.pointing(min(key, last)))


def _key(seen: Seen) -> int | None:
    view = seen.view
    return view.key if isinstance(view, View) and view.pointed else None


KEY = Setting(
    "key", "cursor on key", "the key that the cursor is on, counted from 0",
    or_none(whole(0, marked=True), LARGEST), _key, _see_key, None, ("go to key",),
)  # fmt: skip

_DRAW = fields_of(Draw)
_OWN = fields_of(Settings)
_TYPED = "Scores are not drawn: there are as many keys as you type; from draws them"

GROUPS = (
    Group(
        "Scores",
        (
            FROM,
            SCORES,
            drawn_with(_DRAW["n_keys"], Drawn, _TYPED, name="n", help="how many keys are drawn"),
            MASK,
            VECTOR,
        ),
        folds=False,
        explanation=explanations.SCORES,
    ),
    Group("Scale", (D_K, RULE, MODEL, *REST), False, explanations.SCALE),
    replace(PRECISION, explanation=explanations.SCALE),
    Group("Gradient", (asked_for(_OWN["of"]), asked_for(_OWN["wrt"], synonyms=("s or z",)))),
    Group(
        "Draw",
        (
            drawn_with(_DRAW["seed"], Drawn, "Scores are not drawn: from draws them"),
            drawn_with(_DRAW["count"], Drawn, "Scores are not drawn: from draws them"),
        ),
    ),
    Group(
        "View",
        (
            KEY,
            looked_at(
                "sort", "sorted by", "what keys are listed by", one_of(
                    {"auto": "the largest first where not all fit", "position": "", "weight": ""}
                ), "auto", synonyms=("order", "top keys", "largest"),
            ),
            axis(View),
            SIDE,
            looked_at(
                "zoomed", "Jacobian", "how a Jacobian is seen that is too large for its map",
                switch("whole", "around the cursor"), False, synonyms=("zoom",),
            ),
        ),
    ),
)  # fmt: skip
