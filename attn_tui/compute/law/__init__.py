"""The exact law of q·k for each law of its entries, and these laws by name."""

from collections.abc import Mapping
from typing import Literal

Entries = Literal["normal", "uniform", "coins", "die"]
"""Standard normal; uniform of variance 1; +1 or −1; a fair die's 1 to 6."""

TITLES: Mapping[Entries, str] = {
    "normal": "standard normal",
    "uniform": "uniform from −√3 to √3",
    "coins": "+1 or −1",
    "die": "a die's 1 to 6",
}
"""The name of each law in a sentence, the default first."""
