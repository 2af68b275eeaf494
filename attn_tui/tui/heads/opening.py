"""What is asked when a head is opened on another instrument."""

from dataclasses import replace

import numpy as np

from attn_tui.captures.capture import HeadId
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.source import Typed
from attn_tui.compute.vector import Vector
from attn_tui.engine.table import HeadTable
from attn_tui.files.draft import Draft, draft_of


def row_of(table: HeadTable, head: HeadId) -> int:
    """Return the row of a head that is looked at first: that of its largest logit."""
    partial = table.partials.get(head)
    row = partial.value("max_logit").row if partial else None
    last = table.capture.shape(head).n_queries - 1
    return last if row is None or row < 0 else row


def draft_of_row(table: HeadTable, head: HeadId, row: int, draft: Draft) -> Draft:
    """Return the draft that asks about the scores of one row, −∞ where a key is masked.

    Raises:
        InputError: If the capture cannot be read any more.
    """
    rows = table.capture.read(head, [row])
    scores = (rows.keys.astype(np.float64) @ rows.queries[0].astype(np.float64)).copy()
    seen = table.masks[head.layer].mask.seen(rows)[0]
    scores[~seen] = -np.inf
    name = f"L{head.layer}.H{head.head}.row{row}"
    setup = replace(draft.setup, d_k=rows.d_k)
    return draft_of(Experiment(Typed((Vector(name, scores),)), setup))
