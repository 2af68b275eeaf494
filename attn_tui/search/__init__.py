"""Search by words: what is typed fits a text if each of its words begins a word of the text.

Case, hyphens and spaces make no difference: ``gemma 2``, ``Gemma-2`` and ``gemma2`` are the same.
Nor do the ways in which a thing is written: ``fp16``, ``float16`` and ``half precision``. The
palette, the filter of Claims and ``attn-tui claims WORDS`` all search so.
"""

from attn_tui.search.query import Grade, Query
from attn_tui.search.ranking import MOST_HAVING, Searchable, found, having_all, most, nearest
from attn_tui.search.spelling import spelled
from attn_tui.search.text import Words, words

__all__ = [
    "MOST_HAVING", "Grade", "Query", "Searchable", "Words", "found", "having_all", "most",
    "nearest", "spelled", "words",
]  # fmt: skip
