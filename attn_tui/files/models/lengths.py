"""The lengths of queries in a layer, and how many heads have them."""

from dataclasses import dataclass

from attn_tui.files.models.architectures import Architecture
from attn_tui.files.models.fields import HEADS, WIDTHS, Fields
from attn_tui.files.models.multipliers import Lengths

_D_K = ("head_dim", "d_head", "d_kv", "attention_head_size", "attention_head_dim")
_WIDE = 512
"""The length of queries in Gemma 4's full layers by default."""


@dataclass(frozen=True)
class Heads:
    """The heads of a layer.

    Attributes:
        count: How many query heads there are, or None if that is not said or differs by stage.
        width: The width that they share, or None likewise.
        lengths: The lengths of their queries.
    """

    count: int | None
    width: int | None
    lengths: Lengths


def heads_of(fields: Fields, kind: str, architecture: Architecture) -> Heads:
    """Return the heads of a layer.

    Args:
        fields: The fields of the layer.
        kind: The architecture, as it is named.
        architecture: Says which fields count.

    Raises:
        InputError: With field ``"config"``, if a number in them is not valid.
    """
    count = None if fields.counts(*HEADS) else fields.whole(*(architecture.heads or HEADS))
    width = None if fields.counts(*WIDTHS) else fields.whole(*(architecture.width or WIDTHS))
    latent = _latent(fields)
    if latent is not None:
        return Heads(count, width, latent)
    stages = _stages(fields)
    d_k = fields.whole(*(architecture.length or _D_K))
    source = f"head_dim {d_k}"
    if d_k is None and count and width:
        if width < count:
            problem = f"{count:,} heads share a width of {width:,}"
            fields.fail(problem, "at least 1 for each")
        d_k = width // count
        source = f"head_dim {width}/{count} = {d_k}"
    elif d_k is None and len(stages) == 1:
        (d_k,) = stages
        source = f"head_dim {d_k} in every stage"
    wide = fields.whole("global_head_dim")
    if wide is None and kind.startswith("gemma4") and "per_layer_config" not in fields.of:
        wide = _WIDE
    queries = stages | frozenset(filter(None, (d_k, wide)))
    return Heads(count, width, Lengths(d_k, source, queries))


def _latent(fields: Fields) -> Lengths | None:
    """Return the lengths under MLA, in whose absorbed form queries are as long as latent keys."""
    nope, rope = fields.whole("qk_nope_head_dim"), fields.whole("qk_rope_head_dim")
    if not nope or not rope:
        return None
    rank = fields.whole("kv_lora_rank")
    absorbed = rank + rope if rank else nope + rope
    source = f"qk_nope_head_dim {nope} + qk_rope_head_dim {rope}"
    return Lengths(nope + rope, source, frozenset((nope + rope, absorbed)))


def _stages(fields: Fields) -> frozenset[int]:
    """Return the lengths in stages, whose heads and widths are lists."""
    heads, widths = fields.counts(*HEADS), fields.counts("hidden_sizes")
    first = fields.count("embed_dim")
    if heads and first and not widths:
        widths = tuple(first * 2**stage for stage in range(len(heads)))
    return frozenset(width // count for width, count in zip(widths, heads, strict=False))
