"""The doctor's examination of a capture, as the plain values that his pane shows."""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePath

from attn_tui.captures.capture import HeadId
from attn_tui.compute.errors import InputError, Stop
from attn_tui.compute.numbers import progress
from attn_tui.compute.text import listed, visible
from attn_tui.doctor.finding import Finding
from attn_tui.doctor.report import DoctorReport
from attn_tui.engine.settings import Settings
from attn_tui.heads.doctor_pane import HeadMultiplier, PaneDiagnosis, factor_text

SAYS = {
    "agrees": "{head} agrees", "differs": "{head} differs", "cannot tell": "{head} tells nothing",
    "no expectation": "{head} is explained", "silent": "{head} leaves m open",
}  # fmt: skip
"""The sentence for each verdict on one head, without a capital."""

SAME = 0.0005
"""The relative deviation of m below which it is not mentioned."""

UNBROKEN = 1000
"""A width at which no line of evidence is broken: the pane breaks them where it ends."""

SHOWN = 0.95
"""The confidence of the intervals in the chart."""


@dataclass(frozen=True, eq=False)
class Examination:
    """The doctor's examination so far.

    Attributes:
        report: The full report.
        diagnosis: The part of it that his pane shows.
    """

    report: DoctorReport
    diagnosis: PaneDiagnosis

    @cached_property
    def findings(self) -> Mapping[HeadId, Finding]:
        """The finding on each head examined so far."""
        return {finding.id: finding for finding in self.report.findings}

    @property
    def is_promised(self) -> bool:
        """Whether anything is promised of the model."""
        return self.report.expectation is not None

    @cached_property
    def differing(self) -> Set[HeadId]:
        """The heads that differ."""
        findings = self.findings.items()
        return {head for head, finding in findings if finding.judgement.verdict == "differs"}


def key_of(settings: Settings) -> tuple[object, ...]:
    """Return the settings that the doctor's report depends on, as a key."""
    source = settings.capture, settings.layouts, settings.names
    return (*source, settings.config, settings.seed)


def examinations(settings: Settings, stop: Stop) -> Iterator[Examination]:
    """Yield the doctor's examination of a capture as it grows.

    Raises:
        InputError: If the capture or the configuration cannot be read, or says too little.
    """
    from attn_tui.doctor.examine import examine
    from attn_tui.doctor.report import Settings as DoctorSettings
    from attn_tui.engine.answer import now_and_then, opened
    from attn_tui.files.models.opening import open_configured

    # A config.json beside the capture was found when it was opened, and may be unset since.
    configured = open_configured(
        settings.capture, settings.layouts, settings.names, settings.config, anew=False
    )
    if configured.layouts != settings.layouts:
        heads = 1 + opened(settings).heads[-1].head
        problem = f"its heads are not those that are read, {heads} a layer"
        raise InputError("config", problem, f"layouts {configured.layouts} in the settings")
    question = DoctorSettings(seed=settings.seed)
    try:
        reports = examine(
            configured.capture, configured.expectation, question, stop, configured.notes
        )
        for report in now_and_then(reports):
            yield Examination(report, diagnosis(report))
    except InputError as error:
        if error.field != "config":
            raise
        # The setting is kept if another capture of the same folder is opened.
        where = "/".join(PurePath(settings.config).parts[-2:])
        expected = "one of this model, or none, in the settings"
        raise InputError("config", error.problem, expected, visible(where)) from None


def diagnosis(report: DoctorReport) -> PaneDiagnosis:
    """Return the diagnosis that the pane shows for a report."""
    from attn_tui.doctor.group import groups, rows_text
    from attn_tui.doctor.sentences import headline

    every = groups(report)
    rows = rows_text(every[0]) if every else ""
    if report.progress < 1.0:
        rows = f"{rows}, {progress(report.progress)}".lstrip(", ")
    verdict = report.verdict if report.findings else ""
    examined = {finding.id: multiplier(finding) for finding in report.findings}
    multipliers = [
        examined.get(head) or HeadMultiplier((head.batch, head.layer, head.head), "", 1.0)
        for head in report.capture.heads
    ]
    return PaneDiagnosis(verdict, headline(report), multipliers, rows)


def multiplier(finding: Finding) -> HeadMultiplier:
    """Return the m of one head with its interval, and the expected m, by default 1/√d_k."""
    head, explanation = finding.id, finding.explanation
    place = (head.batch, head.layer, head.head)
    unknown = HeadMultiplier(place, finding.judgement.verdict, finding.wanted)
    estimate = explanation.candidate.estimates.get("multiplier")
    if estimate is None or not explanation.explains:
        return unknown
    interval = estimate.at(SHOWN)
    if not interval.value or interval.value <= 0.0 or interval.low is None or interval.high is None:
        return unknown
    low, high = float(interval.low), float(interval.high)
    return replace(unknown, value=float(interval.value), low=low, high=high)


def words_of(finding: Finding) -> str:
    """Return lines on a head: in which parts it differs and its m, then the evidence."""
    from attn_tui.doctor.text import evidence
    from attn_tui.doctor.words import WORDS, observed_texts

    head = f"layer {finding.id.layer} head {finding.id.head}"
    first = SAYS[finding.judgement.verdict].format(head=head).capitalize()
    parts = [difference.part for difference in finding.judgement.differences]
    others = [WORDS[part] for part in parts if part != "multiplier"]
    if others:
        first += f" in its {listed(others)}"
    observed = multiplier(finding)
    if observed.value is not None:
        # The evidence below, and the chart, have the interval.
        m, _, _ = observed_texts(finding.explanation.candidate)["multiplier"].partition(" (")
        first += f"; m = {m}" if others else f": m = {m}"
        if abs(observed.off[0]) > SAME:
            first += f", {factor_text(observed.off[0])}"
    return "\n".join([first, "".join(evidence(finding, UNBROKEN)).rstrip()])
