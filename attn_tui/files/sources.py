"""The text of each kind of source, and what it means."""

from collections.abc import Mapping
from functools import lru_cache

from attn_tui.compute.errors import InputError
from attn_tui.compute.source import Drawn, Kind, Products, Source, Typed
from attn_tui.files.attachments import Attachment
from attn_tui.files.grammar import parse_vectors

TEMPLATES: Mapping[Kind, str] = {
    "typed": "a: 100, 120, 150",
    "drawn": "n = 64, seed = 1, vectors = 1",
    "vectors": "q: 1, 0\nK: [[1, 0], [0, 1]]\nV: [[1, 0], [0, 1]]",
}
"""What a kind of source starts with."""


def read_source(kind: Kind, text: str, attachments: tuple[Attachment, ...] = ()) -> Source:
    """Return the source that a text means; the same text gives the same vectors.

    Raises:
        InputError: Naming the token that is not understood, and its line.
    """
    if kind == "typed":
        return Typed(parse_vectors(text))
    if kind == "drawn":
        return parse_draw(text)
    return parse_products(text, attachments)


def parse_draw(text: str) -> Drawn:
    """Read ``n = 64, seed = 1, vectors = 1``, in any order; what is left out has its default."""
    names = {"n": "n_keys", "seed": "seed", "vectors": "count"}
    given: dict[str, int] = {}
    for assignment in text.replace("\n", ",").split(","):
        if not assignment.strip():
            continue
        name, _, value = (part.strip() for part in assignment.partition("="))
        try:
            given[names[name]] = int(value)
        except (KeyError, ValueError):
            raise InputError(
                "draw", f"{assignment.strip()!r} will not do", "n = 64, seed = 1, vectors = 1"
            ) from None
    return Drawn(**given)


@lru_cache(maxsize=8)
def parse_products(text: str, attachments: tuple[Attachment, ...] = ()) -> Products:
    """Read ``q:``, ``K:`` and, if there are values, ``V:``."""
    from attn_tui.files.grammar import read_entries

    rows: dict[str, list[list[float]]] = {"q": [], "k": [], "v": []}
    for entry in read_entries(text):
        name = entry.name.partition("[")[0].lower()[:1]
        if name not in rows:
            raise InputError("query", f"{entry.name!r} is none of ours", "q:, K: and V:")
        rows[name].append(list(entry.scores))
    return Products(rows["q"], rows["k"], rows["v"] or None)  # type: ignore[arg-type]
