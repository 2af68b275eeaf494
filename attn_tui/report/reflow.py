"""A report in less room than it was written for: sentences wrapped anew, tables as they are."""

import re
from collections.abc import Callable, Iterable, Iterator
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
    parts = _joined(text.split("\n"))
    return "\n".join(line for part, _ in parts for line in _wrapped(part, width))


def respelled(text: str, spell: Callable[[str], str]) -> str:
    """Return a report of 80 columns in other signs, its sentences wrapped anew where they grow.

    Args:
        text: The report, or a piece of it in whole paragraphs.
        spell: From text to text in those signs.
    """
    found: list[str] = []
    for part, lines in _joined(text.split("\n")):
        new = [spell(line) for line in lines]
        if max(map(cells, new)) > WIDTH >= max(map(cells, lines)):
            # Spelled with it, a sentence that grows would take the blanks of its label.
            begin = _hang(part) or 0
            new = _wrapped(spell(part[:begin]) + spell(part[begin:]), WIDTH)
        found += new
    return "\n".join(found)


def _joined(lines: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield lines, with each that goes on where one ended only for want of room joined to it.

    Each comes with the lines it is of.
    """
    part, last = "", ""
    own: list[str] = []
    for number, line in enumerate(lines):
        first = line.split(maxsplit=1)[:1]
        want = bool(first) and bool(last) and cells(f"{last} {first[0]}") > WIDTH
        if want and _hang(part) == len(line) - len(line.lstrip()) and "  " not in line.strip():
            part += " " + line.strip()
        else:
            if number:
                yield part, own
            part, own = line, []
        own.append(line)
        last = line
    yield part, own


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
