"""What a file holds, by its own account."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from attn_tui.captures.stored import Stored


@dataclass(frozen=True)
class Listing:
    """Tensors of one file and what is said of them.

    Attributes:
        tensors: In the file's order.
        metadata: What the file says besides; each a claim.
        header: A hash of that part of the file which lists them.
    """

    tensors: tuple[Stored, ...]
    metadata: Mapping[str, object] = field(default_factory=dict)
    header: str = ""
