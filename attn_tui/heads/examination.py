"""The doctor on a capture, in the plain values that his pane shows."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath

from attn_tui.captures.capture import HeadId
from attn_tui.compute.errors import InputError, Stop
from attn_tui.compute.text import visible
from attn_tui.doctor.pane import Diagnosis, Multiplier, factor_text
from attn_tui.doctor.report import Finding, Report
from attn_tui.engine.settings import Settings

SAYS = {
    "agrees": "agrees", "differs": "differs", "cannot tell": "tells nothing",
    "no expectation": "is explained", "silent": "would not show another m",
}  # fmt: skip
"""What each verdict is called of one head."""

SAME = 0.0005
"""An m that is off by less, relatively, is not said to be off."""

SHOWN = 0.95
"""The confidence of the intervals that are shown."""


@dataclass(frozen=True, eq=False)
class Examination:
    """What the doctor says so far.

    Attributes:
        report: All of it.
        diagnosis: What his pane shows.
    """

    report: Report
    diagnosis: Diagnosis

    @cached_property
    def findings(self) -> Mapping[HeadId, Finding]:
        """What is said of each head that was examined."""
        return {finding.id: finding for finding in self.report.findings}


def key_of(settings: Settings) -> tuple[object, ...]:
    """Return what the doctor's words depend on."""
    asked = settings.capture, settings.layouts, settings.names
    return (*asked, settings.config, settings.seed)


def examinations(settings: Settings, stop: Stop) -> Iterator[Examination]:
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
        heads = 1 + opened(settings).heads[-1].head
        problem = f"its heads are not those that are read, {heads} a layer"
        raise InputError("config", problem, f"layouts {found.layouts} in the settings")
    asked = Asked(seed=settings.seed)
    try:
        reports = examine(found.capture, found.expectation, asked, stop, found.notes)
        for report in now_and_then(reports):
            yield Examination(report, diagnosis(report))
    except InputError as error:
        if error.field != "config":
            raise
        # It stays where another capture of its folder is opened.
        where = "/".join(PurePath(settings.config).parts[-2:])
        expected = "one of this model, or none, in the settings"
        raise InputError("config", error.problem, expected, visible(where)) from None


def diagnosis(report: Report) -> Diagnosis:
    """Return what the pane shows of a report."""
    from attn_tui.report.doctor.sentences import headline

    rows = report.settings.rows
    made = f"{rows} rows of each head" if report.findings else ""
    if report.progress < 1.0:
        made = f"{made}, {report.progress:.0%}".lstrip(", ").replace("%", " %")
    verdict = report.verdict if report.findings else ""
    known = {finding.id: multiplier(finding) for finding in report.findings}
    multipliers = [
        known.get(head) or Multiplier((head.batch, head.layer, head.head), "", 1.0)
        for head in report.capture.heads
    ]
    return Diagnosis(verdict, headline(report), multipliers, made)


def multiplier(finding: Finding) -> Multiplier:
    """Return the m of one head, with what was expected of it, 1/√d_k unless that is said."""
    head, wanted = finding.id, finding.wanted
    place = (head.batch, head.layer, head.head)
    found = finding.known.test.estimates.get("multiplier") if finding.known.explains else None
    at = None if found is None else found.at(SHOWN)
    if at is None or at.value is None or at.low is None or at.high is None or at.value <= 0.0:
        return Multiplier(place, finding.judgement.verdict, wanted)
    return Multiplier(
        place, finding.judgement.verdict, wanted, float(at.value), float(at.low), float(at.high)
    )


def words_of(finding: Finding) -> str:
    """Return what was found of a head, beside what was expected, in lines."""
    from attn_tui.report.doctor.text import evidence
    from attn_tui.report.doctor.words import found_texts

    first = f"Layer {finding.id.layer} head {finding.id.head} {SAYS[finding.judgement.verdict]}"
    known = multiplier(finding)
    if known.value is not None:
        first += f": m = {found_texts(finding.known.test)['multiplier']}"
        if abs(known.off[0]) > SAME:
            first += f", {factor_text(known.off[0])}"
    return "\n".join([first, "".join(evidence(finding)).rstrip()])
