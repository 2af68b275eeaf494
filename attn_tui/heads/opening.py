"""Captures that are opened, and heads of them that are asked about elsewhere."""

import os
from dataclasses import replace

from attn_tui.captures.capture import HeadId
from attn_tui.captures.suffixes import SUFFIXES, suffix_of
from attn_tui.compute.attention import settings as attention_settings
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.mask import Mask
from attn_tui.engine.plan import Plan
from attn_tui.engine.settings import Settings
from attn_tui.files.captured import captured_at, with_found
from attn_tui.files.draft import Draft


def open_capture(path: str, draft: Draft) -> Draft:
    """Return the draft that asks about the heads of a capture; of its files only headers are read.

    Args:
        path: A .safetensors, .npz or .npy file of q, k, v and outputs.
        draft: What was asked before.

    Raises:
        InputError: With field ``"capture"`` or that which tells how it is read.
    """
    from attn_tui.files.models.opening import open_configured

    if suffix_of(path) not in SUFFIXES:
        problem = f"{inert(path)} is no capture"
        raise InputError("capture", problem, f"a name that ends in {', '.join(SUFFIXES)}")
    settings, path = draft.setup.get(Settings), os.path.expanduser(path)
    # What is expected is of the model of one folder.
    is_beside = {*map(os.path.dirname, settings.capture)} == {os.path.dirname(path)}
    config = settings.config if is_beside else ""
    try:
        found = open_configured((path,), settings.layouts, settings.names, config).settled()
    except InputError as error:
        if not settings.layouts and error.field != "config":
            raise
        # They were of the capture before.
        found = open_configured((path,), "", settings.names).settled()
    own = replace(
        settings, capture=(path,), config=found.config, layouts=found.layouts,
        batch=0, layer=None, head=None,
    )  # fmt: skip
    return replace(draft, setup=draft.setup.put(own))


def draft_of_head(plan: Plan, settings: Settings, head: HeadId, draft: Draft) -> Draft:
    """Return the draft that asks about all rows of a head, causal if that was found and only then.

    Raises:
        InputError: If the capture cannot be read any more, or the head is too large.
    """
    shape, found = plan.capture.shape(head), plan.masks[head.layer].mask
    source = captured_at(
        plan.capture.paths, batch=head.batch, layer=head.layer, head=head.head,
        layout=settings.layouts, names=settings.names,
    )  # fmt: skip
    # There, the last query stands at the last key, unless something says where it does.
    at_end = not source.supposed or found.offset == max(shape.n_keys - shape.n_queries, 0)
    causal = found.kind == "causal" and at_end
    attention = replace(draft.setup.get(attention_settings.Settings), causal=causal)
    setup = replace(draft.setup, mask=Mask(causal=causal)).put(attention)
    return replace(draft, setup=with_found(setup, source)).asking(source)
