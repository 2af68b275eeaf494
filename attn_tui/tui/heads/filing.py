"""Opens captures where heads are looked at: there arrays are heads, and not scores."""

from typing import ClassVar

from attn_tui.tui.filing import Filing


class CaptureFiling(Filing):
    """Opens files, of which more are captures than elsewhere."""

    CAPTURES: ClassVar = (*Filing.CAPTURES, ".npz", ".npy")
