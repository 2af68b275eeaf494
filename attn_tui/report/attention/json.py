"""What Attention found, as strict JSON; ``docs/json.md`` explains each field."""

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.source import Captured
from attn_tui.compute.attention.answer import Answer
from attn_tui.compute.attention.rows import HIDDEN, Side
from attn_tui.compute.source import Source
from attn_tui.files.codec import experiment_to_plain, report_text
from attn_tui.files.plain import named
from attn_tui.report.attention.csv import STATISTICS
from attn_tui.report.attention.headline import headline


def render(answer: Answer) -> Iterator[str]:
    """Yield the text of an answer, piece by piece."""
    known = answer.known
    yield from report_text(
        {
            "experiment": experiment_to_plain(answer.experiment),
            "headline": headline(answer),
            "drawn": answer.is_drawn,
            "mask": str(answer.head.setup.mask),
            "captured": _captured(answer.experiment.source),
            "n_queries": answer.n_queries,
            "n_keys": answer.n_keys,
            "rows": answer.done,
            "known": None if answer.done == answer.n_queries else answer.rows,
            "keys": answer.attended[known],
            "not_finite_rows": answer.rows[answer.odd[known]],
            "keys_a_cell": answer.block,
            "unscaled": _side(answer.unscaled, known),
            "scaled": _side(answer.scaled, known),
        }
    )


def _captured(source: Source) -> dict[str, Any] | None:
    """Return what is known of how the weights of a captured head are made."""
    if not isinstance(source, Captured):
        return None
    mask, given = source.mask, source.is_masked and source.mask is None
    kind = "given" if given else "causal" if source.causal else "none"
    if mask is not None:
        kind = "padded" if mask.hidden and mask.window is None else mask.kind
    return {
        "mask": kind,
        "causal": mask.by_position if mask else source.causal,
        "window": mask and mask.window,
        "hidden_keys": mask and mask.hidden,
        "packed": (mask and mask.packed) or None,
        "known_by": "captured" if given else source.told,
        **named(source, ("softcap", "sink", "multiplier")),
        "value_scale": source.value_scale if source.stretch is None else None,
        "residual": source.miss,
        "not_finite": source.odd,
    }


def _side(side: Side, known: slice | NDArray[np.intp]) -> dict[str, Any]:
    numbers = {name: getattr(side, name)[known] for name in STATISTICS if name != "key"}
    blocks = side.blocks[known]
    cells = np.where(blocks == HIDDEN, cast(Any, None), blocks)
    return {**numbers, "key": side.key[known], "map": cells}
