"""How much memory a process has held at most."""

import re
import sys
from pathlib import Path
from resource import RUSAGE_SELF, getrusage


def peak() -> int:
    """Return the most bytes this process has held.

    On Linux the resource module counts what the process that started this one held, too.
    """
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s*(\d+) kB", status.read_text()) if status.exists() else None
    if found:
        return int(found[1]) * 1024
    return getrusage(RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
