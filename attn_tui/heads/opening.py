"""Drafts that open a capture in Heads, or one of its heads in Attention."""

import os
from dataclasses import replace

from attn_tui.captures.capture import HeadId
from attn_tui.captures.suffixes import SUFFIXES, suffix_of
from attn_tui.compute.attention import settings as attention_settings
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.mask import Mask
from attn_tui.engine.plan import Plan
from attn_tui.engine.settings import Settings
from attn_tui.files.captured import captured_at, with_reconstruction
from attn_tui.files.draft import Draft


def open_capture(path: str, draft: Draft) -> Draft:
    """Return the draft that asks about the heads of a capture; only file headers are read.

    Args:
        path: A .safetensors, .npz or .npy file of q, k, v and outputs.
        draft: The current draft, whose other settings stay.

    Raises:
        InputError: With field ``"capture"``, or the field of a setting that says how to read it.
    """
    from attn_tui.files.models.opening import open_configured

    if suffix_of(path) not in SUFFIXES:
        problem = f"{inert(path)} is no capture"
        raise InputError("capture", problem, f"a name that ends in {', '.join(SUFFIXES)}")
    settings, path = draft.setup.get(Settings), os.path.expanduser(path)
    # A configuration describes the model of its folder, and no other.
    is_same_folder = {*map(os.path.dirname, settings.capture)} == {os.path.dirname(path)}
    config = settings.config if is_same_folder else ""
    try:
        configured = open_configured((path,), settings.layouts, settings.names, config).settled()
    except InputError as error:
        if not settings.layouts and error.field != "config":
            raise
        # The layouts belong to the previous capture: try without them.
        configured = open_configured((path,), "", settings.names).settled()
    updated = replace(
        settings, capture=(path,), config=configured.config, layouts=configured.layouts,
        batch=0, layer=None, head=None,
    )  # fmt: skip
    return replace(draft, setup=draft.setup.put(updated))


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
