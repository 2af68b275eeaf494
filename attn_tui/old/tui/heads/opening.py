"""What is asked when a head is opened on another instrument."""

from dataclasses import replace

from attn_tui.captures.capture import HeadId
from attn_tui.captures.source import Captured
from attn_tui.compute.attention import settings as attention_settings
from attn_tui.compute.attention.head import is_drawn
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.mask import Mask
from attn_tui.engine.settings import Settings
from attn_tui.engine.table import HeadTable
from attn_tui.files.captured import captured_at, with_found
from attn_tui.files.draft import Draft


def draft_of_head(table: HeadTable, settings: Settings, head: HeadId, draft: Draft) -> Draft:
    """Return the draft that asks about all rows of a head, causal if that was found and only then.

    Raises:
        InputError: If the capture cannot be read any more, or the head is too large.
    """
    shape, found = table.capture.shape(head), table.masks[head.layer].mask
    source = captured_at(
        settings.capture, batch=head.batch, layer=head.layer, head=head.head,
        layout=settings.layouts, names=settings.names,
    )  # fmt: skip
    # There, the last query stands at the last key, unless something says where it does.
    at_end = not source.supposed or found.offset == max(shape.n_keys - shape.n_queries, 0)
    causal = found.kind == "causal" and at_end
    attention = replace(draft.setup.get(attention_settings.Settings), causal=causal)
    setup = replace(draft.setup, mask=Mask(causal=causal)).put(attention)
    return replace(draft, setup=with_found(setup, source)).asking(source)


def leads(head: HeadId, settings: Settings, experiment: Experiment) -> bool:
    """Return whether Attention would show another head, or one that it draws."""
    source = experiment.source
    if isinstance(source, Captured):
        place = (head.batch, head.layer, head.head)
        return (source.paths, source.place, source.row) != (settings.capture, place, None)
    wants = experiment.setup.get(attention_settings.Settings).rows
    return wants == "auto" and is_drawn(experiment)
