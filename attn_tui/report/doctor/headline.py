"""The headline of the doctor: what was found, beside what was expected, in two short lines."""

import re
from collections.abc import Iterator

from attn_tui.doctor.report import Report
from attn_tui.report.doctor.groups import Group, groups
from attn_tui.report.doctor.line import others, said
from attn_tui.report.headline import Headline

_THREAD = re.compile(r" \(as in [^)]*\)")
_SIZE = re.compile(r" \(d_k = \d+\)")


def headline(report: Report) -> Headline:
    """Return what is said of most heads of the verdict, and of how many."""
    every = groups(report)
    if not every:
        text = f"The doctor looks at the first of {report.total:,} heads …"
        return Headline(text, "The doctor looks …")
    main = every[0]
    text = said(main)
    bare = _THREAD.sub("", text)
    begin = f"{_count(report, main)}: "
    counted = ", ".join([_count(report, main), *others(every)]) + ": "
    known = [counted + each for each in (text, bare, _SIZE.sub("", bare))]
    return Headline.fitting(
        map(_sentence, [*known, *(begin + each for each in (text, bare, *_shorter(bare)))]),
        (
            _sentence(start + each)
            for each in _shorter(bare)
            for start in (begin, begin.replace(" heads", ""), f"{_verb(main)}: ")
        ),
    )


def _sentence(text: str) -> str:
    return text if text.endswith("?") else f"{text}."


def _verb(group: Group) -> str:
    return "Found" if group.verdict == "no expectation" else group.verdict.capitalize()


def _count(report: Report, group: Group) -> str:
    """Return in how many heads it is so: ``8 of 12 heads differ``."""
    n, known = len(group.findings), len(report.findings)
    count = f"all {n:,} heads" if n > 1 else "the head"
    if n < known:
        count = f"{n:,} of {known:,} heads"
    if group.verdict in ("agrees", "differs"):
        text = f"{count} {group.verdict if n == 1 else group.verdict[:-1]}"
    else:
        text = f"{_verb(group).lower()}, in {count}"
    text = f"So far {text}" if known < report.total else text
    return text[0].upper() + text[1:]


def _shorter(text: str) -> Iterator[str]:
    """Yield what was found and expected, with less and less beside it."""
    text = _SIZE.sub("", text)
    yield text
    # What it may be says more than what was expected.
    unexpected = text.partition(", expected")[0]
    if "?" in unexpected:
        yield unexpected
    plain = re.sub(r": [^:]*\?", "", text)
    yield plain
    yield unexpected
    for end in (";", "(", ":", ","):
        yield plain.partition(end)[0].strip()
