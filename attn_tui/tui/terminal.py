"""What the terminal can show, as far as its name and the locale tell."""

import re
from collections.abc import Mapping

from attn_tui.charts.glyphs import SCALED, SHADES, UNSCALED

_WITHOUT_BLOCKS = re.compile(r"(linux|dumb|ansi|cons25|vt[0-9]+)([-+.].*)?")
"""Names of terminals whose fonts lack parts of blocks, or braille."""


def lacks_blocks(encoding: str, environment: Mapping[str, str]) -> bool:
    """Return whether what is drawn on a terminal that is written to so should keep to ASCII."""
    try:
        (SCALED + UNSCALED + SHADES).encode(encoding)
    except UnicodeEncodeError:
        return True
    return bool(_WITHOUT_BLOCKS.fullmatch(environment.get("TERM", "")))
