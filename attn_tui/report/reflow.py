"""A report in less room than it was written for: sentences wrapped anew, tables as they are."""

import re
from collections.abc import Iterable, Iterator
from textwrap import wrap

from attn_tui.report.rows import WIDTH, cells

_LABEL = re.compile(r"(?:\S+(?: \S+)*)? {2,}(?=\S)")


def reflowed(text: str, width: int) -> str:
    r"""Return a report of 80 columns in fewer: only lines of tables may be longer.

    >>> print(reflowed("d_k        64\nmask       key 3 (masked keys have weight 0)", 28))
    d_k        64
    mask       key 3 (masked
               keys have weight
               0)
    """
    if width >= WIDTH:
        return text
    return "\n".join(line for part in _joined(text.split("\n")) for line in _wrapped(part, width))


def _joined(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines, with each that goes on where one ended only for want of room joined to it."""
    part = last = ""
    for number, line in enumerate(lines):
        first = line.split(maxsplit=1)[:1]
        want = bool(first) and bool(last) and cells(f"{last} {first[0]}") > WIDTH
        if want and _hang(part) == len(line) - len(line.lstrip()) and "  " not in line.strip():
            part += " " + line.strip()
        else:
            if number:
                yield part
            part = line
        last = line
    yield part


def _hang(line: str) -> int | None:
    """Return in which column a sentence begins, behind its label if it has one; None in tables."""
    label = _LABEL.match(line)
    begin = label.end() if label else 0
    return None if "  " in line[begin:] else begin


def _wrapped(line: str, width: int) -> list[str]:
    begin = _hang(line)
    if begin is None or len(line) <= width:
        return [line]
    said = wrap(line[begin:], max(width - begin, 1), break_on_hyphens=False)
    return [line[:begin] + said[0], *(" " * begin + more for more in said[1:])]
