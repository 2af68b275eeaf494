"""The registry of sources: of each kind its names, its text and its JSON.

What a source is, and its vectors, lives in `compute.source`; what a report says of it, in
`report.origin`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from attn_tui.captures.source import Captured
from attn_tui.compute.errors import InputError
from attn_tui.compute.source import Drawn, Kind, Products, Source, Typed
from attn_tui.files.attachments import Attachment
from attn_tui.files.captured import (
    TEMPLATE,
    captured_from_plain,
    captured_text,
    captured_to_plain,
    parse_captured,
)
from attn_tui.files.grammar import parse_vectors, vector_at
from attn_tui.files.source_json import (
    drawn_from_plain,
    drawn_to_plain,
    is_matrix,
    products_from_plain,
    products_to_plain,
    typed_from_plain,
    typed_to_plain,
)
from attn_tui.files.sources import parse_draw, parse_products, query_at
from attn_tui.files.writing import MOST_TYPED, Writer

Attachments = tuple[Attachment, ...]


@dataclass(frozen=True)
class SourceKind:
    """One way to have scores. Texts may name attachments.

    Attributes:
        title: Its name in a list.
        detail: What it is, and what d_k does to it.
        over_d_k: What the scores are in a chart over d_k, where that is to be said.
        template: A text to start with.
        source: Its class.
        read: From a text to the source; the same text gives the same vectors.
        write: From a source to the text that means it, every number exact.
        shorten: From a text that is long to one that names attachments; it may not be understood.
        index_at: From a text and a line, from 0, to the index of the vector it belongs to, if any.
        names: Names in JSON that only it has.
        is_in: Whether an object of JSON is a question about such a source.
        to_plain: From a source to what JSON holds of it.
        from_plain: And back; with one of the names, or none, among the values, and the folder of
            the file that holds them.
    """

    title: str
    detail: str
    over_d_k: str
    template: str
    source: type[Source]
    read: Callable[[str, Attachments], Source]
    write: Callable[[Writer, Any], str]
    shorten: Callable[[Writer, str, Attachments], str]
    index_at: Callable[[str, int, Attachments], int | None]
    names: tuple[str, ...]
    is_in: Callable[[dict[str, Any]], bool]
    to_plain: Callable[[Any], dict[str, Any]]
    from_plain: Callable[[dict[str, Any], str], Source]


KINDS: dict[Kind, SourceKind] = {
    kind.source.kind: kind
    for kind in (
        SourceKind(
            title="typed",
            detail="your own numbers; d_k moves only what they are divided by",
            over_d_k="",
            template="a: 100, 120, 150",
            source=Typed,
            read=lambda text, attachments: Typed(parse_vectors(text, attachments)),
            write=Writer.typed,
            shorten=Writer.compacted,
            index_at=vector_at,
            names=("vectors",),
            is_in=lambda plain: "vectors" in plain,
            to_plain=typed_to_plain,
            from_plain=lambda values, _: typed_from_plain(values),
        ),
        SourceKind(
            title="drawn",
            detail="q and k of independent N(0, 1) entries; d_k moves the scores too",
            over_d_k="Scores are drawn anew at each d_k:",
            template="n = 64, seed = 1, vectors = 1",
            source=Drawn,
            read=lambda text, _: parse_draw(text),
            write=Writer.draw,
            shorten=lambda _, text, __: text,
            index_at=lambda text, line, attachments: None,
            names=("draw",),
            is_in=lambda plain: isinstance(plain.get("draw"), dict),
            to_plain=drawn_to_plain,
            from_plain=lambda values, _: drawn_from_plain(values),
        ),
        SourceKind(
            title="from q and K",
            detail="your own queries and keys, values too; d_k is their length",
            over_d_k="These scores, had d_k been another:",
            template="q: 1, 0\nK: [[1, 0], [0, 1]]\nV: [[1, 0], [0, 1]]",
            source=Products,
            read=parse_products,
            write=Writer.products,
            shorten=lambda writer, text, given: writer.products(parse_products(text, given)),
            index_at=query_at,
            names=("queries", "keys", "values"),
            is_in=lambda plain: all(is_matrix(plain.get(name)) for name in ("queries", "keys")),
            to_plain=products_to_plain,
            from_plain=lambda values, _: products_from_plain(values),
        ),
        SourceKind(
            title="captured",
            detail="a head that a model computed, from a file; d_k is the length of its queries",
            over_d_k="These scores, had d_k been another:",
            template=TEMPLATE,
            source=Captured,
            read=lambda text, _: parse_captured(text),
            write=lambda _, source: captured_text(source),
            shorten=lambda _, text, __: text,
            index_at=lambda text, line, attachments: None,
            names=("capture",),
            is_in=lambda plain: isinstance(plain.get("capture"), dict),
            to_plain=captured_to_plain,
            from_plain=captured_from_plain,
        ),
    )
}
"""Every kind by its name, the default first."""


_BEGINNINGS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (Drawn.kind, re.compile(r"\A\s*(n|seed|vectors)\s*=")),
    (Captured.kind, re.compile(r"\A\s*file\s*:")),
    (Products.kind, re.compile(r"^\s*[qQKV]\s*:", re.MULTILINE)),
)


def kind_of(text: str) -> Kind:
    """Return the kind of source that a text is of, by what its lines begin with.

    >>> kind_of("n = 64, seed = 1"), kind_of("q: 1, 0"), kind_of("a: 100, 120, 150")
    ('drawn', 'vectors', 'typed')
    """
    for kind, beginning in _BEGINNINGS:
        if beginning.search(text):
            return kind
    return Typed.kind


def source_text(source: Source, attachments: Attachments = ()) -> tuple[str, Attachments]:
    """Return the text that means a source, every number exact, and what it names.

    Args:
        source: Of a kind in the registry.
        attachments: Those there are; the numbers of each stay what they are.
    """
    writer = Writer(attachments)
    return KINDS[source.kind].write(writer, source), writer.attachments


def compacted(kind: Kind, text: str, attachments: Attachments) -> tuple[str, Attachments]:
    """Return a text with what it has too much of attached instead, and what it names then.

    Where anything is, the whole text is written anew. A text that is short enough, or is not
    understood, is returned as it is.
    """
    if len(text) < 2 * MOST_TYPED:
        return text, attachments
    writer = Writer(attachments)
    try:
        shorter = KINDS[kind].shorten(writer, text, attachments)
    except InputError:
        return text, attachments
    return (text if writer.attachments == attachments else shorter), writer.attachments
