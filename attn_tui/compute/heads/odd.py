"""NaN and infinities in a tensor of a head: how many, and where the first is."""

from dataclasses import dataclass

from attn_tui.compute.counted import counted, listed


@dataclass(frozen=True)
class Odd:
    """What of a tensor of a head is no finite number.

    Attributes:
        part: Which tensor: ``q``, ``k``, ``v``, ``out`` …
        nan: How many are NaN.
        infinite: How many are infinite, without the −∞ that masks.
        row: The row of the first: a query, or a key of k and v.
        column: Its place there.
    """

    part: str
    nan: int
    infinite: int
    row: int
    column: int

    @property
    def count(self) -> str:
        """How many there are of each kind, in words."""
        kinds = []
        if self.nan:
            kinds.append(f"{self.nan:,} NaN")
        if self.infinite:
            kinds.append(counted(self.infinite, "infinity", "infinities"))
        return listed(kinds)

    def __str__(self) -> str:
        return f"{self.part} holds {self.count}, first at row {self.row:,}, column {self.column:,}"
