"""The doctor's report as text: a line to paste first, the evidence below it."""

from collections.abc import Iterator
from functools import partial

from attn_tui.compute.fit.estimates import usual
from attn_tui.compute.fit.model import SHOWN, Candidate
from attn_tui.compute.numbers import fixed, quantity
from attn_tui.compute.text import counted, listed, visible
from attn_tui.doctor.finding import Finding
from attn_tui.doctor.group import Group, groups, places_of, rows_text
from attn_tui.doctor.obstacles import obstacle
from attn_tui.doctor.report import DoctorReport
from attn_tui.doctor.sentences import PLURALS, notes, verdict_line
from attn_tui.doctor.verdict import UNEXPLAINED
from attn_tui.doctor.words import (
    NUMBERS,
    ROUNDED,
    WORDS,
    dialects,
    observed_texts,
    promised_texts,
    rule_text,
)
from attn_tui.report.rows import WIDTH, cells, labelled

LABEL = 13
"""The width of labels, in columns."""
_MOST = 6
"""The most groups of heads to show in full."""
LIES = "what the promise leaves, from the first row, key, channel to the last:"
NOTHING = ("nothing; --config gives it", "nothing; config= or scale= gives it")
"""Who promises nothing, as a command line says it, and as Python does."""
_LEVELS = "▁▂▃▄▅▆▇█"


def render(report: DoctorReport, width: int | None = None) -> Iterator[str]:
    """Yield the verdict, then lines of at most 80 columns.

    Args:
        report: The report.
        width: The width at which the verdict is wrapped, in columns; None for one line, however
            long.
    """
    yield first_line(verdict_line(report), width)
    yield from capture_lines("capture", report)
    source = report.expectation.source if report.expectation else ""
    yield _line("promised by", source or NOTHING[report.settings.in_python])
    every = groups(report)
    if every:
        yield _line("rows", f"{rows_text(every[0])}; {fixed(report.elapsed, 1)} s")
    if len(report.counts) > 1:
        counts = [
            f"{count:,} {PLURALS.get(verdict, verdict) if count > 1 else verdict}"
            for verdict, count in report.counts.items()
        ]
        yield _line("heads", ", ".join(counts))
    for sentence in notes(report):
        yield _line("note", sentence)
    for group in every[:_MOST]:
        first = group.first.id
        several = f". Layer {first.layer}, head {first.head} of them:"
        yield f"\n{_verdict(group)}{several if group.findings[1:] else ''}\n"
        yield from evidence(group.first)
    if left := every[_MOST:]:
        count = counted(sum(len(other.findings) for other in left), "more head")
        yield "\n"
        yield _line("and", f"{count} in {counted(len(left), 'other group')}: --json has all")


def first_line(line: str, width: int | None) -> str:
    """Return a verdict to paste, wrapped at a width if there is one, and a blank line."""
    return (line + "\n" if width is None else labelled("", line, 0, width)) + "\n"


def capture_lines(label: str, report: DoctorReport) -> Iterator[str]:
    """Yield the path of a capture after a label, and how its tensors were read."""
    paths = report.capture.paths
    more = f" and {len(paths) - 1:,} more" if len(paths) > 1 else ""
    yield _line(label, visible(paths[0]) + more)
    for sentence in report.stated:
        yield _line("", sentence)


def _verdict(group: Group) -> str:
    """Return the verdict about the heads of a group."""
    places = places_of(group.findings)
    if group.findings[1:] and group.verdict in PLURALS:
        return f"{places} {PLURALS[group.verdict]}"
    return f"{places}: {group.verdict}"


def evidence(finding: Finding, width: int = WIDTH) -> Iterator[str]:
    """Yield lines with the numbers of a head beside the promised ones.

    Args:
        finding: The finding about the head.
        width: The width of the lines, in columns; the table of numbers has its own.
    """
    line = partial(labelled, size=LABEL, width=width)
    explanation = finding.explanation
    candidate = explanation.candidate
    if candidate.explains:
        yield from _table(finding, candidate)
    causes = [one.cause for one in finding.judgement.differences if one.cause]
    if not candidate.explains and causes in ([], [UNEXPLAINED]):
        causes = []
        yield line("not known", _obstacle(finding))
    for cause in causes:
        yield line("cause", cause)
    if explanation.rows:
        yield line("residual", _residual(finding, candidate))
    if explanation.where:
        yield line("", LIES)
    for axis, shares in explanation.where.items():
        picture = "".join(_LEVELS[min(int(8 * share), 7)] for share in shares)
        yield f"{f'by {axis}':{LABEL}}{picture}\n"
    if not candidate.explains:
        return
    for part, reason in candidate.unknown.items():
        yield line("not known", f"{WORDS[part]}: {reason}")
    if explanation.silent:
        silent = listed([WORDS[part] for part in explanation.silent])
        yield line("silent", f"another {silent} would not have shown")
    for other in explanation.best:
        if other is not candidate:
            texts = observed_texts(other)
            yield line("or", ", ".join(f"{WORDS[part]} {texts[part]}" for part in texts))
    for miss in finding.misses:
        thread = f" ({miss.thread})" if miss.thread else ""
        yield line("may be", f"{miss.form or quantity(miss.value)}: {miss.meaning}{thread}")
    if "multiplier" in candidate.estimates:
        m = usual(candidate.estimates["multiplier"].at(SHOWN), finding.shape.d_k)
        yield line("this m is", "; ".join(dialects(m or candidate.model.multiplier)))


def _obstacle(finding: Finding) -> str:
    """Return why no numbers are known of a head."""
    if finding.judgement.verdict == "cannot tell":
        return obstacle([finding])
    return UNEXPLAINED


def _residual(finding: Finding, candidate: Candidate) -> str:
    """Return the residual, and the one that rounding alone would leave."""
    explanation = finding.explanation
    if not candidate.explains:
        residual = f"{quantity(explanation.residual)} of the output"
        if explanation.path is None:
            return residual
        path = ROUNDED[explanation.path]
        return f"{residual}; {path} rounding alone makes {quantity(explanation.rounding)}"
    roundings = [
        f"{ROUNDED[path]} {quantity(candidate.rounding[path])}"
        for path in ROUNDED
        if path in candidate.rounding
    ]
    found = "" if explanation.passes else " with what was observed"
    share = f"{quantity(candidate.residual)} of the output{found}"
    text = f"{share}; rounding alone makes {', '.join(roundings)}"
    paths = " or ".join(ROUNDED[path] for path in candidate.paths)
    return f"{text}; it {'is' if candidate.path else 'may be'} {paths}"


def _table(finding: Finding, candidate: Candidate) -> Iterator[str]:
    """Yield a row for each number: the observed value, and the promised one beside it."""
    promised, texts = promised_texts(finding), observed_texts(candidate)
    rule = rule_text(finding.names)
    if rule and "multiplier" in candidate.estimates and "multiplier" not in promised:
        texts["multiplier"] += f" = {rule}"
    if candidate.model.softmax_twice:
        texts["softmax_twice"], promised["softmax_twice"] = "taken twice", "once"
    widest = max(map(cells, promised.values()), default=0) + 2
    # Where there is no room for what is promised, a law of m has a line of its own.
    sizes = [cells(text) for text in texts.values()]
    if LABEL + max(sizes) + 2 + widest > WIDTH:
        sizes = [cells(text.partition(" × ")[0]) for text in texts.values()]
    width = max([*sizes, cells("observed")]) + 2
    title = "  promised" if promised else ""
    yield f"{'':{LABEL}}{'observed':{width}}{title}".rstrip() + "\n"
    for part in ("softmax_twice", *NUMBERS):
        if part not in texts:
            continue
        is_other = part in candidate.changes or (part, "law") == ("multiplier", _law(candidate))
        mark = "≠" if is_other else " "
        promised_text = ""
        if part in promised:
            promised_text = f"{mark} {promised[part]}"
        text, times, law = texts[part].partition(" × ")
        if cells(texts[part]) <= width:
            text, times = texts[part], ""
        yield f"{WORDS[part]:{LABEL}}{text:{width}}{promised_text}".rstrip() + "\n"
        if times:
            yield _line("", f"× {law}")


def _law(candidate: Candidate) -> str:
    """Return ``"law"`` if m varies by position, which the line of m says; else an empty text."""
    return "law" if "law" in candidate.changes else ""


def _line(label: str, text: str) -> str:
    return labelled(label, text, LABEL)
