"""Has the doctor look at a capture beside the screen, and writes down what the screen will show."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from attn_tui.captures.capture import HeadId
from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Stop
from attn_tui.compute.fit.explain import SHOWN
from attn_tui.doctor.report import Finding, Report
from attn_tui.doctor.verdict import VERDICTS
from attn_tui.engine.settings import Settings
from attn_tui.files.paths import shown_path
from attn_tui.report.doctor.headline import headline
from attn_tui.report.doctor.words import NUMBERS, ROUNDED, found_texts
from attn_tui.report.headline import Headline
from attn_tui.report.numbers import general, quantity

TITLES = (
    "layer", "head", "verdict", "m", "95 % interval", "soft cap", "sink", "mask", "residual",
    "rounding",
)  # fmt: skip
"""The columns of what is said of each head."""

Line = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Examined:
    """What the doctor says, in words.

    Attributes:
        report: All of it.
        headline: The verdict.
        findings: What is said of each head, the worst first.
        lines: A text for each column, of each of them.
    """

    report: Report
    headline: Headline
    findings: tuple[Finding, ...]
    lines: tuple[Line, ...]

    @property
    def heads(self) -> tuple[HeadId, ...]:
        """The head of each line."""
        return tuple(each.id for each in self.findings)


def key_of(settings: Settings) -> tuple[object, ...]:
    """Return what the doctor's words depend on."""
    asked = settings.capture, settings.layouts, settings.names
    return (*asked, settings.config, settings.seed)


def examined(settings: Settings, stop: Stop) -> Iterator[Examined]:
    """Yield what the doctor says of a capture, more each time.

    Raises:
        InputError: If the capture or the configuration cannot be read, or says too little.
    """
    from attn_tui.doctor.examine import examine
    from attn_tui.doctor.report import Settings as Asked
    from attn_tui.engine.answer import now_and_then, opened
    from attn_tui.files.models.opening import open_configured

    # What lies beside it was taken when it was opened, if it was not set aside since.
    found = open_configured(
        settings.capture, settings.layouts, settings.names, settings.config, anew=False
    )
    if found.layouts != settings.layouts:
        heads = 1 + opened(settings, settings.capture).heads[-1].head
        problem = f"its heads are not those that are read, {heads} a layer"
        raise InputError("config", problem, f"layouts {found.layouts}: tab sets them")
    try:
        reports = examine(
            found.capture, found.expectation, Asked(seed=settings.seed), stop, found.notes
        )
        for report in now_and_then(reports):
            # What the heads before it say of a head may change with those behind it.
            lines = [_line(each) for each in report.findings]
            yield _worded(report, lines)
    except InputError as error:
        if error.field != "config":
            raise
        # It stays where another capture of its folder is opened.
        where = "/".join(PurePath(settings.config).parts[-2:])
        expected = "one of this model, or none: tab, expects, del"
        raise InputError("config", error.problem, expected, shown_path(where)) from None


def _worded(report: Report, lines: list[Line]) -> Examined:
    verdicts = [VERDICTS.index(each.judgement.verdict) for each in report.findings]
    order = sorted(range(len(verdicts)), key=verdicts.__getitem__)
    findings = tuple(report.findings[at] for at in order)
    return Examined(report, headline(report), findings, tuple(lines[at] for at in order))


def _line(finding: Finding) -> Line:
    known, test = finding.known, finding.known.test
    texts = {**dict.fromkeys(NUMBERS, "–"), **found_texts(test)}
    if not known.explains:
        texts = dict.fromkeys(NUMBERS, "–")
    ends, m = "", test.estimates.get("multiplier") if known.explains else None
    at = None if m is None else m.at(SHOWN)
    if at is not None and at.value is not None and at.low is not None and at.high is not None:
        # As many digits for each, so that they stand below one another.
        texts["multiplier"], low, high = (f"{each:#.6g}" for each in (at.value, at.low, at.high))
        # Ends may part behind these digits.
        half = f"± {general((at.high - at.low) / 2.0, 1)}"
        ends = f"{low} to {high}" if low != high or at.low == at.high else half
    first, *others = (
        texts[part].partition(" (")[0] for part in ("multiplier", "softcap", "sink", "mask")
    )
    return (
        str(finding.id.layer),
        str(finding.id.head),
        finding.judgement.verdict,
        first,
        ends or "–",
        *others,
        quantity(test.residual if known.explains else known.residual) if known.used else "–",
        "/".join(ROUNDED[path] for path in test.paths) or "–",
    )
