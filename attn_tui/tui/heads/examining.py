"""Has the doctor look at a capture beside the screen, and writes down what the screen will show."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

from attn_tui.captures.capture import HeadId
from attn_tui.compute.experiment import Stop
from attn_tui.doctor.report import Finding, Report
from attn_tui.engine.settings import Settings
from attn_tui.report.doctor.line import verdict_line
from attn_tui.report.doctor.words import found_texts
from attn_tui.report.numbers import quantity

EVERY = 0.1
"""Seconds between two reports, while they grow."""

TITLES = ("layer", "head", "verdict", "m", "soft cap", "sink", "mask", "residual", "rounding")
"""The columns of what is said of each head."""

Line = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Examined:
    """What the doctor says, in words.

    Attributes:
        report: All of it.
        verdict: The line to paste; empty before the first head.
        lines: A text for each column, of each head.
        widths: Cells of each column.
    """

    report: Report
    verdict: str
    lines: tuple[Line, ...]
    widths: tuple[int, ...]

    @property
    def heads(self) -> tuple[HeadId, ...]:
        """The head of each line."""
        return tuple(each.id for each in self.report.findings)


def key_of(settings: Settings) -> tuple[object, ...]:
    """Return what the doctor's words depend on."""
    asked = settings.capture, settings.layouts, settings.names
    return (*asked, settings.config, settings.seed)


def examined(settings: Settings, stop: Stop) -> Iterator[Examined]:
    """Yield what the doctor says of a capture, more each time.

    Raises:
        InputError: If the capture or the configuration cannot be read, or says too little.
    """
    from attn_tui.doctor.configuration import claimed, read_expectation
    from attn_tui.doctor.examine import examine
    from attn_tui.doctor.report import Settings as Asked
    from attn_tui.engine.answer import opened

    capture = opened(settings, settings.capture)
    expectation = (
        read_expectation(settings.config)
        if settings.config
        else claimed(capture.config, capture.shape(capture.heads[0]).d_k)
    )
    lines: list[Line] = []
    last, report = -EVERY, None
    for report in examine(capture, expectation, Asked(seed=settings.seed), stop):
        lines += map(_line, report.findings[len(lines) :])
        if time.monotonic() - last >= EVERY:
            yield _worded(report, lines)
            last = time.monotonic()
    if report is not None:
        yield _worded(report, lines)


def _worded(report: Report, lines: list[Line]) -> Examined:
    columns = zip(TITLES, *lines, strict=True)
    widths = tuple(max(map(len, column)) for column in columns)
    verdict = verdict_line(report) if report.findings else ""
    return Examined(report, verdict, tuple(lines), widths)


def _line(finding: Finding) -> Line:
    found = finding.diagnosis
    texts = found_texts(found, finding.placed)
    if not found.fits:
        texts = dict.fromkeys(texts, "–")
    names = ("multiplier", "softcap", "sink", "mask")
    return (
        str(finding.id.layer),
        str(finding.id.head),
        finding.judgement.verdict,
        *(texts[name] for name in names),
        quantity(found.residual) if found.used else "–",
        found.path or "–",
    )
