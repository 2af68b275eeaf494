"""The draft that opens a head of a capture in Attention."""

from dataclasses import replace

from attn_tui.captures.capture import HeadId
from attn_tui.compute.attention import settings as attention_settings
from attn_tui.compute.mask import Mask
from attn_tui.engine.plan import Plan
from attn_tui.engine.settings import Settings
from attn_tui.files.captured import captured_at, with_reconstruction
from attn_tui.files.draft import Draft


def draft_of_head(plan: Plan, settings: Settings, head: HeadId, draft: Draft) -> Draft:
    """Return the draft that asks about all rows of a head, causal if its mask was found to be.

    Raises:
        InputError: If the capture can no longer be read, or the head is too large.
    """
    shape, mask = plan.capture.shape(head), plan.masks[head.layer].mask
    source = captured_at(
        plan.capture.paths, batch=head.batch, layer=head.layer, head=head.head,
        layout=settings.layouts, names=settings.names,
    )  # fmt: skip
    # Attention puts the last query at the last key, unless positions were captured.
    at_end = not source.supposed or mask.offset == max(shape.n_keys - shape.n_queries, 0)
    causal = mask.kind == "causal" and at_end
    attention = replace(draft.setup.get(attention_settings.Settings), causal=causal)
    setup = replace(draft.setup, mask=Mask(causal=causal)).put(attention)
    return replace(draft, setup=with_reconstruction(setup, source)).asking(source)
