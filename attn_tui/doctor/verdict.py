"""The verdict about a head and about a capture: by the output, and by what the call was given."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf, sqrt

from attn_tui.compute.fit.comparison import LEVEL, NewtonStep, pooled
from attn_tui.compute.fit.head import Name
from attn_tui.compute.fit.model import Candidate, Explanation
from attn_tui.compute.fit.noise import STEPWISE
from attn_tui.compute.heads.head_model import LEARNED, Part
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.numbers import interval, whole
from attn_tui.compute.text import counted
from attn_tui.doctor.causes import difference_of
from attn_tui.doctor.contradiction import OTHER_WEIGHTS
from attn_tui.doctor.difference import Assumption, Difference, Judgement, Verdict
from attn_tui.doctor.finding import Finding, assumption_of
from attn_tui.doctor.words import FEW


def judge(finding: Finding, granted: Collection[Assumption] = ()) -> Judgement:
    """Return the verdict about one head by itself.

    Args:
        finding: What is known of the head.
        granted: The assumptions that the user grants.
    """
    explanation, call = finding.explanation, finding.comparable.differences
    if call:
        more = () if explanation.passes else tuple(_observed(finding))
        parts = {difference.part for difference in call}
        return Judgement("differs", (*call, *(other for other in more if other.part not in parts)))
    if finding.comparable.obstacle and not _is_wrong(finding, granted):
        return Judgement("cannot tell", reason=finding.comparable.obstacle)
    if explanation.problem:
        return Judgement("cannot tell", reason=explanation.problem)
    if explanation.counts.unspoilt and (explanation.passes or explanation.explains):
        rows = counted(explanation.counts.unspoilt, "row")
        return Judgement("cannot tell", reason=f"{UNSPOILT} in {rows}")
    if explanation.passes:
        return _of_power(finding)
    return _of_failure(finding, granted)


def _is_wrong(finding: Finding, granted: Collection[Assumption]) -> bool:
    """Return whether a head differs whatever its captured weights are."""
    if finding.comparable.obstacle != OTHER_WEIGHTS or finding.explanation.passes:
        return False
    return _of_failure(finding, granted).verdict == "differs"


def _of_power(finding: Finding) -> Judgement:
    """Return the verdict about a head that is as promised: could another m have shown?"""
    if "multiplier" in finding.explanation.silent:
        unknown = finding.explanation.candidate.unknown.get("multiplier", "")
        return Judgement("silent", reason=unknown or "not even half of it or twice")
    is_promised = "multiplier" in finding.comparable.stated
    return Judgement("agrees" if is_promised else "no expectation")


def _of_failure(finding: Finding, granted: Collection[Assumption]) -> Judgement:
    """Return the verdict about a head whose output is not promised, or not the promised one."""
    explanation = finding.explanation
    candidate, suspect = explanation.candidate, explanation.suspect
    if suspect is not None and not candidate.explains:
        return _of_suspect(finding, granted)
    if not candidate.explains:
        rows = rows_off([finding])
        if rows and explanation.counts.far == len(explanation.counts.wrong):
            return Judgement("differs", (Difference("output", None, None, cause=rows),))
        if finding.comparable.model.bias == LEARNED:
            return Judgement("cannot tell", reason=NO_BIAS)
        return Judgement("cannot tell", reason=UNEXPLAINED)
    assumption = assumption_of(candidate, finding.comparable)
    differences = tuple(_observed(finding))
    if assumption is not None and candidate.changes == ("mask",):
        if assumption in granted:
            return replace(_of_power(finding), assumes=assumption)
        return Judgement("cannot tell", assumes=assumption)
    if assumption in granted:
        differences = tuple(one for one in differences if one.part != "mask")
    if _is_learned(finding, differences):
        return Judgement("cannot tell", reason=CAPTURE_SINK)
    if differences:
        return Judgement("differs", differences)
    is_mask_alone = candidate.changes == ("mask",) and not candidate.model.mask.inverted
    if is_mask_alone and "multiplier" in finding.comparable.stated:
        # m is as promised under a mask that nothing promises, which is named.
        return _of_power(finding)
    return _of_power(finding) if "multiplier" in explanation.silent else Judgement("no expectation")


UNSPOILT = "the output is a number although q, k or v, as captured, hold NaN or infinity"
OFF_TOGETHER = "the heads together are off, none of them alone, in a way that no m or cap gives"
UNEXPLAINED = "no multiplier, cap, sink or mask gives this output"
CAPTURE_SINK = "it agrees with some sink b, but which is promised was not captured: capture `sink`"
NO_BIAS = (
    "without the promised bias nothing gives this output, and it was not captured: capture `bias`"
)
CAPTURE_BIAS = "it agrees with some bias, but which is promised was not captured: capture `bias`"


_UNKNOWN = Difference("output", None, None, cause=UNEXPLAINED)

MOST_SOME = 0.5
"""Up to this share of wrong rows, the sentence speaks of these rows."""


def rows_off(findings: Sequence[Finding]) -> str:
    """Return that some rows of each head are not as promised and the others are, or an empty text.

    Rows are named if they are the same in all heads.
    """
    if not all(map(_is_off_in_some, findings)):
        return ""
    wrong = [sorted(finding.explanation.counts.wrong) for finding in findings]
    sizes, compared = (
        interval(min(counts), max(counts), whole)
        for counts in (
            [*map(len, wrong)],
            [finding.explanation.counts.compared for finding in findings],
        )
    )
    are = "is" if sizes == "1" else "are"
    which = ""
    if all(rows == wrong[0] for rows in wrong):
        few = ", ".join(f"{row:,}" for row in wrong[0][:FEW])
        more = " …" if len(wrong[0]) > FEW else ""
        which = f" ({'row' if len(wrong[0]) == 1 else 'rows'} {few}{more})"
    return f"{sizes} of {compared} rows {are} not what is promised{which}; the others are"


def _is_off_in_some(finding: Finding) -> bool:
    """Return whether some rows of a head are not as promised and the others are."""
    counts = finding.explanation.counts
    is_promised = "multiplier" in finding.comparable.stated
    return is_promised and 0 < len(counts.wrong) <= MOST_SOME * counts.compared


def _is_learned(finding: Finding, differences: Sequence[Difference]) -> bool:
    """Return whether all that is left open is the number of a learned sink.

    One row does not tell a sink from a value scale, so that its number stays unknown.
    """
    if finding.comparable.model.sink != LEARNED:
        return False
    has_sink = finding.explanation.candidate.model.sink is not None
    return has_sink and {difference.part for difference in differences} <= {"sink"}


def _of_suspect(finding: Finding, granted: Collection[Assumption]) -> Judgement:
    """Return the verdict about a head that something was done to."""
    suspect = finding.explanation.suspect
    assert suspect is not None
    if suspect.part == "bias" and finding.comparable.model.bias == LEARNED:
        return Judgement("cannot tell", reason=CAPTURE_BIAS)
    if suspect.blame == "capture":
        return Judgement("cannot tell", reason=f"{suspect.name} ({suspect.evidence})")
    if suspect.blame in ("float8", "int8"):
        if suspect.blame in granted:
            is_promised = "multiplier" in finding.comparable.stated
            verdict: Verdict = "agrees" if is_promised else "no expectation"
            return Judgement(verdict, assumes=suspect.blame)
        return Judgement("cannot tell", reason=suspect.name, assumes=suspect.blame)
    part = suspect.part or "output"
    difference = Difference(part, None, None, cause=f"{suspect.name}{suspect.reason}")
    return Judgement("differs", (difference,))


def _observed(finding: Finding) -> Iterator[Difference]:
    """Yield the parts in which the output differs from the promise, or from what was captured."""
    candidate = finding.explanation.candidate
    if not candidate.explains:
        return
    captured: set[Part] = set()
    if finding.call.multiplier is not None:
        captured.add("multiplier")
    if finding.comparable.model.mask.hidden and not candidate.model.mask.hidden:
        captured.add("mask")
    for part in candidate.changes:
        if part in finding.comparable.stated | captured:
            yield difference_of(finding, candidate, part)


def commonest_first(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings in which, of candidates that explain a head alike, the commonest is first."""
    counts = Counter(
        _key(finding, candidate)
        for finding in findings
        for candidate in finding.explanation.best
        if candidate.explains
    )
    ordered = []
    for finding in findings:
        best = finding.explanation.best
        if len(best) > 1:
            ranked = sorted(best, key=lambda candidate: -counts[_key(finding, candidate)])
            explanation = replace(finding.explanation, best=(*ranked,))
            finding = replace(finding, explanation=explanation)
        ordered.append(finding)
    return ordered


def _key(finding: Finding, candidate: Candidate) -> object:
    """Return what candidates of the heads of a layer share that have one cause."""
    changes = candidate.cause or (candidate.changes, candidate.model.mask)
    return (finding.id.layer, changes)


def settled(
    findings: Sequence[Finding], granted: Collection[Assumption], is_trusted: bool = False
) -> tuple[Finding, ...]:
    """Return findings with verdicts.

    Keys hidden alike in the heads of a sequence may be assumed to be padding; a head that hides
    others has a different mask, and so have all of them where a head sees these keys.

    Args:
        findings: What is known of each head.
        granted: The assumptions that the user grants.
        is_trusted: Whether the capture is at fault for nothing, as `Settings` has it.
    """
    ordered = commonest_first(findings)
    judged = [replace(finding, judgement=judge(finding, granted)) for finding in ordered]
    if is_trusted:
        named = [_with_trusted_phrase(one) for one in judged]
        judged = [replace(one, judgement=_of_trusted(one)) for one in named]
    assumed = common_masks(judged)
    refuted = {finding.sequence for finding in judged if finding.refutes}
    results = []
    for finding in judged:
        is_odd = finding.sequence in refuted
        if finding.judgement.assumes in SEQUENCES:
            is_odd |= _hiding(finding) != assumed[finding.sequence]
        if finding.judgement.assumes in SEQUENCES and is_odd:
            difference = difference_of(finding, finding.explanation.candidate, "mask")
            judgement = Judgement("differs", (difference,))
            finding = replace(finding, judgement=judgement)
        results.append(finding)
    return together(results)


def _with_trusted_phrase(finding: Finding) -> Finding:
    """Return a finding whose suspect does not speak of what was captured."""
    suspect = finding.explanation.suspect
    if suspect is None or not suspect.trusted:
        return finding
    named = replace(suspect, phrase=suspect.trusted)
    return replace(finding, explanation=replace(finding.explanation, suspect=named))


def _of_trusted(finding: Finding) -> Judgement:
    """Return the verdict about a head whose capture has all that its call was given.

    Nothing is left to be granted then, and an output that nothing explains is not the promised one.
    """
    judgement, explanation = finding.judgement, finding.explanation
    if judgement.verdict != "cannot tell" or explanation.passes or explanation.problem:
        return judgement
    if explanation.candidate.explains:
        return Judgement("differs", tuple(_observed(finding)) or (_UNKNOWN,))
    suspect = explanation.suspect
    if suspect is None:
        return Judgement("differs", (_UNKNOWN,))
    part = suspect.part or "output"
    cause = f"{suspect.name}{suspect.reason}"
    return Judgement("differs", (Difference(part, None, None, cause=cause),))


SEQUENCES: tuple[Assumption, ...] = ("padding", "packed", "prefix")
"""The assumptions that are about a sequence: they hold in all of its heads, or in none."""


def common_masks(findings: Sequence[Finding]) -> dict[tuple[int, int], HeadMask]:
    """Return the mask that most heads of a sequence need to agree, if any assumes one."""
    counts: dict[tuple[int, int], Counter[HeadMask]] = {}
    for finding in findings:
        if finding.judgement.assumes in SEQUENCES:
            counts.setdefault(finding.sequence, Counter())[_hiding(finding)] += 1
    return {sequence: masks.most_common(1)[0][0] for sequence, masks in counts.items()}


def _hiding(finding: Finding) -> HeadMask:
    """Return what the mask of a head hides or shows beside its rule."""
    mask = finding.explanation.candidate.model.mask
    return HeadMask("none", hidden=mask.hidden, packed=mask.packed, prefix=mask.prefix)


APPROXIMATE, APPROXIMATE_CAPPED = 2.0**-14, 2.0**-11
"""The relative error of m below which heads show nothing together. PyTorch's flash attention on a
processor approximates e^x in 16 bits as if m were 2.1e-5 larger. Under a cap, two honest layers of
6,000 whose logits were rounded looked as if m were 2.2e-4 and 2.6e-4 larger."""
SHARED: Mapping[Name, Part] = {"multiplier": "multiplier", "curvature": "softcap"}
"""The parts whose numbers the heads of a layer share."""


def together(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return findings in which heads differ that agree alone, but show another number together."""
    layers: dict[int, list[Finding]] = {}
    for finding in findings:
        if finding.judgement.verdict in ("agrees", "silent") and finding.explanation.passes:
            layers.setdefault(finding.id.layer, []).append(finding)
    by_id = {finding.id: finding for finding in findings}
    for heads in layers.values():
        judgement = _shown_together(heads, LEVEL / len(layers))
        if judgement is not None:
            by_id |= {finding.id: replace(finding, judgement=judgement) for finding in heads}
    return tuple(by_id[finding.id] for finding in findings)


def _shown_together(heads: Sequence[Finding], level: float) -> Judgement | None:
    """Return the judgement about the heads of a layer if they show another number together."""
    shown: dict[Part, NewtonStep] = {}
    rooms = _rooms(heads)
    for name, part in SHARED.items():
        step = pooled(_steps(heads, name), level)
        if step is not None and abs(step.value) > rooms[part] * step.error:
            shown[part] = step
    if not shown:
        return None
    cap = shown.get("softcap")
    if cap is not None and heads[0].comparable.model.softcap is None and cap.value < 0.0:
        # No cap makes logits grow faster than they should; another m may.
        del shown["softcap"]
    if not shown:
        return Judgement("cannot tell", reason=OFF_TOGETHER)
    part = max(shown, key=lambda one: abs(shown[one].value) / shown[one].error)
    return Judgement("differs", (_of_step(heads[0], part, shown[part]),))


def _steps(heads: Sequence[Finding], name: Name) -> list[NewtonStep]:
    """Return the steps of a number in all heads that show it."""
    steps = [finding.explanation.steps.get(name) for finding in heads]
    return [step for step in steps if step is not None and 0 < step.error < inf]


def _rooms(heads: Sequence[Finding]) -> dict[Part, float]:
    """Return how many standard errors approximate arithmetic may move each number in all heads.

    An m that is hardly another one looks like a cap, too, as surely as its step is one of m.
    """
    model = heads[0].comparable.model
    is_rounded = model.softcap is not None and heads[0].explanation.path in STEPWISE
    weight = sum(step.error**-2 for step in _steps(heads, "multiplier"))
    sure = abs(model.multiplier) * sqrt(weight)
    of_m = APPROXIMATE_CAPPED if is_rounded else APPROXIMATE
    return {"multiplier": of_m * sure, "softcap": APPROXIMATE * sure}


def _of_step(finding: Finding, part: Part, step: NewtonStep) -> Difference:
    """Return the difference that the heads of a layer show together."""
    model, cause = finding.comparable.model, "the heads show it together, none of them alone"
    if part == "multiplier":
        m = model.multiplier + step.value
        half = 2 * step.error
        return Difference(part, model.multiplier, m, m - half, m + half, cause)
    curvature = 0.0 if model.softcap is None else model.softcap**-2
    ends = [curvature + step.value + by * step.error for by in (2.0, 0.0, -2.0)]
    low, cap, high = (None if end <= 0 else end**-0.5 for end in ends)
    is_none = high is None
    return Difference(part, model.softcap, None if is_none else cap, low, high, cause)


def overall(findings: Sequence[Finding]) -> Verdict:
    """Return the verdict about a capture.

    One head that differs makes it differ, and then one that cannot be told. If a layer has no
    expectation, the capture has none. If no head could have shown another m, nothing can be told.
    """
    counts = Counter(finding.judgement.verdict for finding in findings)
    order: tuple[Verdict, ...] = ("differs", "cannot tell", "no expectation", "agrees")
    return next((verdict for verdict in order if counts[verdict]), "cannot tell")


def silent_parts(findings: Sequence[Finding]) -> dict[tuple[int, Part], int]:
    """Return each layer and part on which all heads of the layer are silent, with their number."""
    layers: dict[int, list[Explanation]] = {}
    for finding in findings:
        if finding.judgement.verdict in ("agrees", "silent"):
            layers.setdefault(finding.id.layer, []).append(finding.explanation)
    silent: dict[tuple[int, Part], int] = {}
    for layer, heads in layers.items():
        needed = [part for head in heads for part in head.needed]
        for part in dict.fromkeys(needed):
            if all(part in head.silent for head in heads if part in head.needed):
                silent[layer, part] = len(heads)
    return silent
