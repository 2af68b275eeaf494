"""The doctor's report as text: a line to paste first, the evidence below it."""

from collections.abc import Iterator

from attn_tui.compute.fit.estimates import usual
from attn_tui.compute.fit.explain import SHOWN, Test
from attn_tui.compute.text import counted, listed, visible
from attn_tui.doctor.report import Finding, Report
from attn_tui.report.doctor.sentences import (
    PLURALS,
    groups,
    notes,
    obstacle,
    places_of,
    verdict_line,
)
from attn_tui.report.doctor.words import (
    NUMBERS,
    ROUNDED,
    WORDS,
    dialects,
    expected_texts,
    found_texts,
    rule_text,
)
from attn_tui.report.numbers import quantity
from attn_tui.report.rows import WIDTH, cells, labelled

LABEL = 13
"""The width of labels, in columns."""
_MOST = 6
"""The most groups of heads to show in full."""
_LEVELS = "▁▂▃▄▅▆▇█"


def render(report: Report) -> Iterator[str]:
    """Yield the verdict in one line, however long, then lines of at most 80 columns."""
    yield verdict_line(report) + "\n\n"
    paths = report.capture.paths
    more = f" and {len(paths) - 1:,} more" if len(paths) > 1 else ""
    yield _line("capture", visible(paths[0]) + more)
    for sentence in report.stated:
        yield _line("", sentence)
    nothing = "nothing; --config gives it"
    yield _line("expected by", report.expectation.source if report.expectation else nothing)
    rows = f"{report.settings.rows} a head at most, drawn with seed {report.settings.seed}"
    yield _line("rows", f"{rows}; {report.elapsed:.1f} s")
    if len(report.counts) > 1:
        counts = [
            f"{count:,} {PLURALS.get(verdict, verdict) if count > 1 else verdict}"
            for verdict, count in report.counts.items()
        ]
        yield _line("heads", ", ".join(counts))
    for sentence in notes(report):
        yield _line("note", sentence)
    every = groups(report)
    for group in every[:_MOST]:
        first = group.first.id
        several = f"; of layer {first.layer}, head {first.head}:" if group.findings[1:] else ""
        yield f"\n{places_of(group.findings)}: {group.verdict}{several}\n"
        yield from evidence(group.first, group.test)
    if left := every[_MOST:]:
        count = counted(sum(len(other.findings) for other in left), "more head")
        yield "\n"
        yield _line("and", f"{count} in {counted(len(left), 'other group')}: --json has all")


def evidence(finding: Finding, test: Test | None = None) -> Iterator[str]:
    """Yield lines with the numbers found for a head beside the expected ones.

    Args:
        finding: The finding about the head.
        test: The test to show; None for the likeliest.
    """
    known = finding.known
    test = test or known.test
    if test.explains:
        yield from _table(finding, test)
    else:
        yield _line("not known", obstacle(finding))
    if known.used:
        yield _line("residual", _residual(finding, test))
    for axis, shares in known.where.items():
        picture = "".join(_LEVELS[min(int(8 * share), 7)] for share in shares)
        yield f"{f'by {axis}':{LABEL}}{picture}\n"
    if not test.explains:
        return
    for part, reason in test.unknown.items():
        yield _line("not known", f"{WORDS[part]}: {reason}")
    if known.silent:
        silent = listed([WORDS[part] for part in known.silent])
        yield _line("silent", f"another {silent} would not have shown")
    for other in known.best:
        if other is not test:
            texts = found_texts(other)
            yield _line("or", ", ".join(f"{WORDS[part]} {texts[part]}" for part in texts))
    for miss in finding.misses:
        thread = f" ({miss.thread})" if miss.thread else ""
        yield _line("may be", f"{miss.form or quantity(miss.value)}: {miss.meaning}{thread}")
    if "multiplier" in test.estimates:
        m = usual(test.estimates["multiplier"].at(SHOWN), finding.shape.d_k)
        yield _line("elsewhere", "; ".join(dialects(m or test.model.multiplier)))


def _residual(finding: Finding, test: Test) -> str:
    """Return the residual, and the one that rounding alone would leave."""
    known = finding.known
    if not test.explains:
        rounding = quantity(known.rounding)
        return f"{quantity(known.residual)} of the output; rounding alone makes {rounding}"
    made = [
        f"{ROUNDED[path]} {quantity(test.rounding[path])}"
        for path in ROUNDED
        if path in test.rounding
    ]
    text = f"{quantity(test.residual)} of the output; rounding alone makes {', '.join(made)}"
    paths = " or ".join(ROUNDED[path] for path in test.paths)
    return f"{text}; it {'is' if test.path else 'may be'} {paths}"


def _table(finding: Finding, test: Test) -> Iterator[str]:
    """Yield a row for each number: the value found, and the expected one beside it."""
    expected, texts = expected_texts(finding), found_texts(test)
    rule = rule_text(finding.names)
    if rule and "multiplier" in test.estimates and "multiplier" not in expected:
        texts["multiplier"] += f" = {rule}"
    if test.model.softmax_twice:
        texts["softmax_twice"], expected["softmax_twice"] = "taken twice", "once"
    width = max(map(cells, texts.values())) + 2
    title = "  expected" if expected else ""
    yield f"{'':{LABEL}}{'found':{width}}{title}".rstrip() + "\n"
    for part in ("softmax_twice", *NUMBERS):
        if part not in texts:
            continue
        sign = "≠" if part in test.changes else " "
        beside = f"{sign} {expected[part]}" if part in expected else ""
        row = f"{WORDS[part]:{LABEL}}{texts[part]:{width}}{beside}".rstrip()
        if cells(row) > WIDTH and beside:
            row = f"{WORDS[part]:{LABEL}}{texts[part]}\n{'':{LABEL}}{beside.strip()} expected"
        yield f"{row}\n"


def _line(label: str, text: str) -> str:
    return labelled(label, text, LABEL)
