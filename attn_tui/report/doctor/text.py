"""What the doctor found as text: the line to paste first, the evidence below it."""

import re
from collections.abc import Iterator

from attn_tui.compute.counted import counted
from attn_tui.doctor.names import named
from attn_tui.doctor.report import Finding, Report
from attn_tui.doctor.verdict import SHOWN
from attn_tui.files.paths import shown_path
from attn_tui.report.doctor.groups import Group, groups, multipliers
from attn_tui.report.doctor.line import PLURALS, range_text, unknown, verdict_line, why
from attn_tui.report.doctor.words import (
    BY_ROW,
    ROUNDED,
    WORDS,
    dialects,
    expected_texts,
    found_texts,
    joined,
    narrow_texts,
    rule_text,
    suspect_text,
)
from attn_tui.report.numbers import quantity
from attn_tui.report.rows import WIDTH, cells, labelled

LABEL = 13
"""Columns that labels have."""
ROOMY = 70
"""Columns from which numbers have their intervals beside them."""
_FOUND = 12
"""Columns of what was found at least."""
_MOST = 6
"""Groups of heads that are shown in full."""


def render(report: Report) -> Iterator[str]:
    """Yield the verdict in one line, however long; then lines of at most 80 columns."""
    yield verdict_line(report) + "\n"
    yield "\n"
    yield from _about(report)
    every = groups(report)
    for group in every[:_MOST]:
        yield "\n"
        yield from _group(group)
    if left := every[_MOST:]:
        count = sum(len(each.findings) for each in left)
        yield "\n"
        yield from _line(
            "and",
            f"{counted(count, 'more head')} in {counted(len(left), 'other group')}: --json has all",
        )


def _about(report: Report) -> Iterator[str]:
    capture = report.capture
    paths = list(capture.paths)
    named = shown_path(paths[0])
    if len(paths) > 1:
        named += f" and {len(paths) - 1:,} more"
    yield from _line("capture", named)
    for each in report.stated:
        yield from _line("", each)
    expected = report.expectation.source if report.expectation else "nothing; --config gives it"
    yield from _line("expected by", expected)
    rows = f"{report.settings.rows} a head at most, drawn with seed {report.settings.seed}"
    yield from _line("rows", f"{rows}; {report.elapsed:.1f} s")
    if len(report.counts) > 1:
        counts = ", ".join(
            f"{count:,} {PLURALS.get(verdict, verdict) if count > 1 else verdict}"
            for verdict, count in report.counts.items()
        )
        yield from _line("heads", counts)
    sentences = [*why(report)]
    for each in sentences[
        len(groups(report)) + report.interrupted + (report.expectation is not None) :
    ]:
        yield from _line("note", each)


def _group(group: Group) -> Iterator[str]:
    finding = group.first
    apart = f", m = {range_text(group)}" if multipliers(group) > 1 else ""
    several = f"; of layer {finding.id.layer}, head {finding.id.head}:" * (len(group.findings) > 1)
    yield f"{group.places}: {group.verdict}{apart}{several}\n"
    yield from evidence(finding)


def evidence(finding: Finding, width: int = WIDTH) -> Iterator[str]:
    """Yield what was found of a head, beside what was expected, in lines of a width.

    Where there is little room an interval is one number, or left out.
    """
    found = finding.diagnosis
    if found.fits:
        yield from _table(finding, expected_texts(finding.expected), width)
    if found.used:
        rounding = _rounding(finding) if width >= ROOMY else ""
        yield from _line("residual", f"{quantity(found.residual)}{rounding}", width)
    for reason, names in unknown(finding).items():
        yield from _line("not known", f"{joined(names)}: {reason}", width)
    for pair in found.confounded:
        told = " and ".join(WORDS.get(name, name) for name in pair)
        yield from _line("not apart", f"{told} cannot be told from each other here", width)
    for suspect in found.suspects:
        yield from _line("tested", suspect_text(suspect), width)
    for miss in finding.misses:
        thread = f" ({miss.thread})" if miss.thread else ""
        text = f"{miss.form or quantity(miss.value)}: {miss.meaning}{thread}"
        yield from _line("may be", text, width)
    m = found.multiplier.at(SHOWN).value if found.multiplier is not None else None
    if m is not None and finding.names:
        m = named(finding.names[0], finding.shape.d_k) or m
    if m is not None and found.fits:
        yield from _line("elsewhere", "; ".join(dialects(m)), width)


def _table(finding: Finding, expected: dict[str, str], room: int) -> Iterator[str]:
    """Yield a row for each number: what was found, and beside it what was expected."""
    differs = {"mask" if name == "window" else name for name in finding.judgement.differs}
    if "temperature" in differs:
        differs.add("multiplier")
    texts = found_texts(finding.diagnosis, finding.placed)
    rule = rule_text(finding.names)
    if rule and finding.diagnosis.multiplier is not None:
        texts["multiplier"] += f" = {rule}"
    width = max(map(cells, texts.values())) + 2
    most = max(map(cells, expected.values()), default=0)
    if expected and LABEL + width + 2 + most > room:
        # What it is called the verdict says too.
        texts["multiplier"] = texts["multiplier"].removesuffix(f" = {rule}")
        width = max(map(cells, texts.values())) + 2
    if room < ROOMY:
        narrow = narrow_texts(finding.diagnosis)
        least = max(_FOUND, *(cells(text) + 1 for text in narrow.values()))
        expected = {name: _brief(text, room - LABEL - least - 2) for name, text in expected.items()}
        most = max(map(cells, ["expected", *expected.values()]))
        width = max(room - LABEL - 2 - most, _FOUND) if expected else room - LABEL
        texts = {name: _brief(text, width - 1, narrow.get(name)) for name, text in texts.items()}
    yield f"{'':{LABEL}}{'found':{width}}{'  expected' * bool(expected)}".rstrip() + "\n"
    for name, text in texts.items():
        beside = f"{'≠' if name in differs else ' '} {expected[name]}" if name in expected else ""
        row = f"{WORDS[name]:{LABEL}}{text:{width}}{beside}".rstrip()
        if cells(row) <= room or not beside:
            yield row + "\n"
        else:
            yield f"{WORDS[name]:{LABEL}}{text}\n"
            yield f"{'':{LABEL}}{beside.strip()} expected\n"


def _brief(text: str, width: int, narrow: str | None = None) -> str:
    """Return a number without its other names, and without its interval if there is no room."""
    short = text.partition(" (")[0].replace(BY_ROW, "by row: ")
    shorter = re.sub("^b = ", "", short)
    # Of a window its length is what matters.
    window = re.sub("^window of ([0-9,]+) keys?.*", r"window \1", short)
    ends = (shorter.partition(end)[0] for end in (" = ", ", or", " of", ":"))
    lengths = [window] if window != short else [*ends]
    forms = [text, *([narrow] if narrow else []), short, *lengths]
    return next((form for form in forms if cells(form) <= width), min(forms, key=cells))


def _rounding(finding: Finding) -> str:
    found = finding.diagnosis
    if not found.rounding:
        return ""
    known = {path: found.rounding[path] for path in ROUNDED if path in found.rounding}
    parts = ", ".join(f"{ROUNDED[path]} {quantity(size)}" for path, size in known.items())
    told = f"; it is {ROUNDED[found.path]}" if found.path else ""
    if found.path == "tf32":
        told = "; it was computed in TF32"
    if len(found.paths) > 1:
        told = f"; it may be {' or '.join(ROUNDED[path] for path in found.paths)}"
    return f" of the output; rounding alone makes {parts}{told}"


def _line(label: str, text: str, width: int = WIDTH) -> Iterator[str]:
    yield labelled(label, text, LABEL, width)
