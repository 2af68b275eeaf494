"""What the doctor found as text: the line to paste first, the evidence below it."""

from collections.abc import Iterator

from attn_tui.compute.counted import counted
from attn_tui.compute.fit.explain import Test
from attn_tui.doctor.names import named
from attn_tui.doctor.report import Finding, Report
from attn_tui.files.paths import shown_path
from attn_tui.report.doctor.groups import Group, groups
from attn_tui.report.doctor.line import PLURALS, said, verdict_line, why
from attn_tui.report.doctor.words import (
    NUMBERS,
    ROUNDED,
    WORDS,
    dialects,
    expected_texts,
    found_texts,
    joined,
    rule_text,
)
from attn_tui.report.numbers import quantity
from attn_tui.report.rows import WIDTH, cells, labelled

LABEL = 13
"""Columns that labels have."""
ROOMY = 70
"""Columns from which numbers have their intervals beside them."""
_MOST = 6
"""Groups of heads that are shown in full."""
_LEVELS = "▁▂▃▄▅▆▇█"


def render(report: Report) -> Iterator[str]:
    """Yield the verdict in one line, however long; then lines of at most 80 columns."""
    yield verdict_line(report) + "\n"
    yield "\n"
    every = groups(report)
    yield from _about(report, every)
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


def _about(report: Report, every: tuple[Group, ...]) -> Iterator[str]:
    paths = [*report.capture.paths]
    named_path = shown_path(paths[0])
    if len(paths) > 1:
        named_path += f" and {len(paths) - 1:,} more"
    yield from _line("capture", named_path)
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
    begun = len(every) + report.interrupted + (report.expectation is not None)
    for each in [*why(report)][begun:]:
        yield from _line("note", each)


def _group(group: Group) -> Iterator[str]:
    finding = group.first
    several = ""
    if len(group.findings) > 1:
        several = f"; of layer {finding.id.layer}, head {finding.id.head}:"
    yield f"{group.places}: {group.verdict}{several}\n"
    yield from evidence(finding, test=group.test)


def evidence(finding: Finding, width: int = WIDTH, test: Test | None = None) -> Iterator[str]:
    """Yield what was found of a head, beside what was expected, in lines of a width.

    Args:
        finding: What is said of the head.
        width: Where there is little room an interval is one number, or left out.
        test: The model that explains it; None for the likeliest.
    """
    known = finding.known
    test = test or known.test
    if test.explains:
        yield from _table(finding, test, width)
    else:
        yield from _line("not known", _reason(finding), width)
    if known.used:
        yield from _line("residual", _residual(finding, test, width), width)
    for axis, shares in known.where.items():
        picture = "".join(_LEVELS[min(int(8 * share), 7)] for share in shares)
        yield f"{f'by {axis}':{LABEL}}{picture[: width - LABEL]}\n"
    reasons: dict[str, list[str]] = {}
    for part, reason in test.unknown.items():
        reasons.setdefault(reason, []).append(WORDS[part])
    for reason, parts in reasons.items() if test.explains else ():
        yield from _line("not known", f"{joined(parts)}: {reason}", width)
    if known.silent and test.explains:
        silent = joined([WORDS[part] for part in known.silent])
        yield from _line("silent", f"another {silent} would not have shown", width)
    for other in known.best:
        if other is not test:
            texts = found_texts(other, brief=True)
            words = ", ".join(f"{WORDS[part]} {texts[part]}" for part in texts)
            yield from _line("or", words, width)
    for miss in finding.misses:
        thread = f" ({miss.thread})" if miss.thread else ""
        text = f"{miss.form or quantity(miss.value)}: {miss.meaning}{thread}"
        yield from _line("may be", text, width)
    if test.explains and "multiplier" in test.estimates:
        m = test.model.multiplier
        if finding.names:
            m = named(finding.names[0], finding.shape.d_k) or m
        yield from _line("elsewhere", "; ".join(dialects(m)), width)


def _reason(finding: Finding) -> str:
    group = Group("cannot tell", (finding,), (finding.known.test,))
    return said(group)


def _residual(finding: Finding, test: Test, width: int) -> str:
    """Return what is left of the output, and what rounding makes of it."""
    known = finding.known
    if not test.explains:
        rounding = f"; rounding alone makes {quantity(known.rounding)}"
        if width < ROOMY:
            rounding = ""
        return f"{quantity(known.residual)} of the output{rounding}"
    text = quantity(test.residual)
    if width < ROOMY or not test.rounding:
        return text
    parts = [
        f"{ROUNDED[path]} {quantity(test.rounding[path])}"
        for path in ROUNDED
        if path in test.rounding
    ]
    told = ""
    if test.path:
        told = f"; it is {ROUNDED[test.path]}"
    elif test.paths:
        told = f"; it may be {' or '.join(ROUNDED[path] for path in test.paths)}"
    return f"{text} of the output; rounding alone makes {', '.join(parts)}{told}"


def _table(finding: Finding, test: Test, room: int) -> Iterator[str]:
    """Yield a row for each number: what was found, and beside it what was expected."""
    differs = {*test.changes}
    expected = expected_texts(finding)
    texts = found_texts(test, brief=room < ROOMY)
    if room < ROOMY:
        expected = {part: text.partition(" = ")[0] for part, text in expected.items()}
    rule = rule_text(finding.names)
    if rule and "multiplier" in test.estimates and room >= ROOMY:
        texts["multiplier"] += f" = {rule}"
    if test.model.softmax_twice:
        texts = {"softmax_twice": "taken twice", **texts}
        expected["softmax_twice"] = "once"
    width = max(map(cells, texts.values())) + 2
    most = max(map(cells, expected.values()), default=0)
    if expected and LABEL + width + 2 + most > room:
        # What it is called the verdict says too.
        texts["multiplier"] = texts["multiplier"].removesuffix(f" = {rule}")
        texts = {part: text.partition(", or ")[0] for part, text in texts.items()}
        width = max(map(cells, texts.values())) + 2
    title = "  expected" if expected else ""
    yield f"{'':{LABEL}}{'found':{width}}{title}".rstrip() + "\n"
    for part in ("softmax_twice", *NUMBERS):
        if part not in texts:
            continue
        beside = ""
        if part in expected:
            sign = "≠" if part in differs else " "
            beside = f"{sign} {expected[part]}"
        row = f"{WORDS[part]:{LABEL}}{texts[part]:{width}}{beside}".rstrip()
        if cells(row) <= room or not beside:
            yield row + "\n"
        else:
            yield f"{WORDS[part]:{LABEL}}{texts[part]}\n"
            yield f"{'':{LABEL}}{beside.strip()} expected\n"


def _line(label: str, text: str, width: int = WIDTH) -> Iterator[str]:
    yield labelled(label, text, LABEL, width)
