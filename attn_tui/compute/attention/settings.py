"""The settings of Attention: where the rows of a head come from, and how many are drawn."""

import json
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.field import Checked, Kind, array, one_of, setting, switch, whole
from attn_tui.compute.log_scale import LogScale

RowsOrigin = Literal["auto", "asked", "drawn"]

MOST = 2000
"""The most queries and keys that are drawn, for four million scores."""

_STOPS = sorted(
    {MOST} | {stop for power in range(10) for stop in (2 << power, 3 << power) if stop < MOST}
)

N_SCALE = LogScale("n", 2, MOST, tuple(_STOPS))
"""The numbers of queries and keys that can be drawn."""


def read_tokens(text: str) -> tuple[str, ...]:
    """Return words separated by blanks, or the texts of a JSON list.

    >>> read_tokens("the cat"), read_tokens('["the", " cat"]'), read_tokens("none")
    (('the', 'cat'), ('the', ' cat'), ())

    Raises:
        InputError: If the text begins with ``[`` but is not valid JSON.
    """
    if text in ("", "none"):
        return ()
    if not text.startswith("["):
        return tuple(text.split())
    try:
        return tuple(json.loads(text))
    except ValueError:
        raise InputError("tokens", f"{inert(text)} is no JSON list", TOKENS.expected) from None


def _tokens_text(tokens: tuple[str, ...]) -> str:
    text = " ".join(tokens) or "none"
    is_plain = tuple(text.split()) == tokens and text != "none" and not text.startswith("[")
    return text if is_plain or not tokens else json.dumps(tokens, ensure_ascii=False)


TOKENS = Kind(
    "words with blanks between them, or a JSON list of texts", read_tokens,
    lambda value: type(value) is tuple and all(type(token) is str for token in value),
    _tokens_text, lambda tokens: " ".join(tokens) or "none", metavar="FILE",
    schema=array({"type": "string"}),
    # There, words would name a file.
    argument=partial(json.dumps, ensure_ascii=False),
)  # fmt: skip


MASKED = "This is for drawn rows; the setting mask is for these"
"""Why `Settings.causal` has no effect on rows that are asked."""


def draws_rows(setup: Any, source: Any) -> bool:
    """Return whether the head is drawn, and not made of the vectors of a source."""
    rows = setup.get(Settings).rows
    if rows != "auto":
        return bool(rows == "drawn")
    # A single vector of scores is no head; a query with its keys is one of a single row.
    has_keys = source.is_head or source.kind == "vectors"
    return len(source.vectors(setup)) == 1 and not has_keys


def is_open(setup: Any, source: Any) -> bool:
    """Return whether `Settings.causal` says which keys are seen, since nothing else does."""
    return draws_rows(setup, source) or (source.is_head and not source.is_masked)


@dataclass(frozen=True)
class Settings(Checked):
    """The choice of a head.

    Attributes:
        rows: Where its rows come from: the question's vectors, each with the scores of a query;
            or drawn here, as many queries as keys.
        n: How many queries and keys are drawn, 2 to `MOST`.
        seed: The seed of the draw, a whole number from 0.
        causal: Whether a drawn query sees only the keys up to its own.
        tokens: The token at each position, counted from the first query and the first key.
    """

    rows: RowsOrigin = setting(
        "auto", one_of({
            "auto": "the vectors that are asked where there are several, else drawn",
            "asked": "the vectors that are asked, each the scores of a query",
            "drawn": "drawn here, as many queries as keys",
        }), "rows", "where the rows of the head come from", option="--rows",
        synonyms=("head", "queries", "from"),
    )  # fmt: skip
    n: int = setting(
        12, N_SCALE.kind, "n", "how many queries and keys are drawn",
        option="--n", synonyms=("keys", "positions", "tokens", "length"),
    )  # fmt: skip
    seed: int = setting(
        9, whole(0, 2**63 - 1), "seed", "the seed of what is drawn", option="--seed", metavar="S",
        composed=True,
    )  # fmt: skip
    causal: bool = setting(
        True, switch("all keys", "up to its own"), "sees", "which keys a drawn query sees",
        option="--causal/--every-key",
        presets={
            "yes": ("causal", "causal mask", "mask causal", "triangle", "autoregressive"),
            "no": ("every key", "bidirectional", "no causal mask"),
        },
        stays={
            "yes": "Attention is causal already", "no": "Every query sees all keys already",
        },
        no_effect=lambda setup, source: "" if is_open(setup, source) else MASKED,
    )  # fmt: skip
    tokens: tuple[str, ...] = setting(
        (), TOKENS, "tokens", "the tokens that queries and keys are", option="--tokens",
        composed=True, synonyms=("words", "text"),
    )  # fmt: skip
