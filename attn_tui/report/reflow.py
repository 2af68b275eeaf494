"""A report in less room than it was written for: sentences wrapped anew, tables as they are."""

import re
from collections.abc import Iterable, Iterator
from textwrap import wrap

from attn_tui.report.rows import WIDTH, cells

_LABEL = re.compile(r"(?:\S+(?: \S+)*)? {2,}(?=\S)")


def reflowed(text: str, width: int) -> str:
    r"""Return a report in so many columns: only lines of tables may be longer.

    Where these are 80, for which it was written, or more, only sentences that are longer change.

    >>> print(reflowed("d_k        64\nmask       key 3 (masked keys have weight 0)", 28))
    d_k        64
    mask       key 3 (masked
               keys have weight
               0)
    """
    lines = text.split("\n")
    parts = lines if width >= WIDTH else _joined(lines)
    return "\n".join(line for part in parts for line in _wrapped(part, width))


def _joined(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines, with each that goes on where one ended only for want of room joined to it."""
    part: list[str] = []
    last = ""
    hang: int | None = None
    for line in lines:
        said = line.strip()
        if part and _ends_for_room(last, said) and hang == line.find(said) and "  " not in said:
            part.append(said)
        else:
            if part:
                yield " ".join(part)
            part, hang = [line], _hang(line)
        last = line
    yield " ".join(part)


def _ends_for_room(line: str, said: str) -> bool:
    """Say whether a line had no room for the first word that is said on the next."""
    first = said.split(maxsplit=1)[:1]
    return bool(line) and bool(first) and cells(line) <= WIDTH < cells(f"{line} {first[0]}")


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
