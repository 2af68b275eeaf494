"""What vLLM-Hook writes beside its tensors: heads, lengths and ranks, in a .json file."""

import json
import os
from pathlib import PurePath

from attn_tui.captures.disk import opened, refuse
from attn_tui.captures.listing import Listing

_LARGEST = 2**24
"""Bytes of it."""


def sidecar(path: str, listing: Listing) -> dict[str, object]:
    """Return what stands beside a file with names of vLLM-Hook, or nothing.

    Raises:
        InputError: If it is broken, or tells of keys that grew while tokens were generated.
    """
    beside = str(PurePath(path).with_suffix(".json"))
    is_its = bool(listing.tensors) and all("__" in each.name for each in listing.tensors)
    if not is_its or not os.path.isfile(beside):
        return {}
    with opened(beside) as disk:
        if disk.size > _LARGEST:
            refuse(beside, f"it has {disk.size:,} bytes", f"at most {_LARGEST:,}")
        try:
            found = json.loads(disk.read(0, disk.size))
        except (ValueError, RecursionError):
            refuse(beside, "it is no JSON", "what vLLM-Hook writes")
    if not isinstance(found, dict):
        refuse(beside, "it is no JSON object", "what vLLM-Hook writes")
    ends = found.get("k_prefix_ends")
    if isinstance(ends, list) and any(isinstance(each, list) and len(each) > 1 for each in ends):
        problem = "its keys grew while tokens were generated (k_prefix_ends)"
        refuse(beside, problem, "a capture of the prompt only, without generated tokens")
    return {name: value for name, value in found.items() if name != "layer_order"}
