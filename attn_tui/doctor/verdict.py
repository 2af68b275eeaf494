"""The verdict about a head, its layer and the model, from the models that explain each head."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from attn_tui.compute.fit.explain import Explained, Test
from attn_tui.compute.heads.head_model import Part

if TYPE_CHECKING:
    from attn_tui.doctor.report import Finding

Verdict = Literal["agrees", "silent", "no expectation", "differs", "cannot tell"]
VERDICTS: tuple[Verdict, ...] = ("differs", "cannot tell", "agrees", "no expectation", "silent")
"""All verdicts, in the order in which reports list them."""

Assumption = Literal["padding", "packed", "prefix"]
ASSUMPTIONS: tuple[Assumption, ...] = ("padding", "packed", "prefix")

TESTED = 5
"""The number of parts of a head that are compared: m, value scale, cap, sink, mask."""
_FALSE = 0.01
"""The largest rate of healthy captures reported to differ, whatever the number of heads."""
_ODD = 2.0
"""The residual, in units of rounding, from which on a head that differs alone counts."""


def confidence(heads: int) -> float:
    """Return the confidence of each deciding interval for this number of heads (Bonferroni)."""
    return 1.0 - _FALSE / (TESTED * max(heads, 1))


@dataclass(frozen=True)
class Judgement:
    """The verdict about a head, with its reasons.

    Attributes:
        verdict: The verdict; in a ``silent`` head another m would not have shown.
        differs: The parts that do not agree.
        reason: Why nothing can be told, or empty.
        assumes: The assumption under which the head agrees, or None.
    """

    verdict: Verdict
    differs: tuple[Part, ...] = ()
    reason: str = ""
    assumes: Assumption | None = None


def judge(known: Explained, stated: frozenset[Part]) -> Judgement:
    """Return the verdict about one head by itself.

    Args:
        known: The models that explain it.
        stated: The parts of the model that the expectation states; empty without an expectation.
    """
    if known.problem:
        return Judgement("cannot tell", reason=known.problem)
    test = known.test
    if not test.explains:
        return Judgement("cannot tell", reason="nothing fits")
    differs = tuple(part for part in test.changes if part in stated)
    kinds = {assumption_of(other) for other in known.best}
    if differs or kinds != {None}:
        if None not in kinds and test.changes == ("mask",):
            return Judgement("cannot tell", assumes=assumption_of(test))
        return Judgement("differs" if differs else "no expectation", differs)
    if "multiplier" in known.silent:
        why = test.unknown.get("multiplier", "")
        return Judgement("silent", reason=why or "not even twice")
    return Judgement("agrees" if "multiplier" in stated else "no expectation")


def assumption_of(test: Test) -> Assumption | None:
    """Return the assumption that a test's mask needs, or None if it needs none."""
    mask = test.model.mask
    if "mask" not in test.changes:
        return None
    if mask.hidden:
        return "padding"
    if mask.packed:
        return "packed"
    return "prefix" if mask.prefix else None


def settled(
    findings: Sequence["Finding"], granted: Collection[Assumption]
) -> tuple["Finding", ...]:
    """Return findings with verdicts that take all heads into account.

    Keys hidden alike in the heads of a sequence may be assumed to be padding; a head that hides
    others has a different mask. A head that differs alone in its layer counts only if its expected
    residual is at least twice rounding.
    """
    hidden = Counter(
        (finding.id.batch, _hiding(finding)) for finding in findings if finding.judgement.assumes
    )
    most: dict[int, int] = {}
    for (batch, _), count in hidden.items():
        most[batch] = max(count, most.get(batch, 0))
    told = []
    for finding in findings:
        judged = finding.judgement
        if judged.assumes and hidden[finding.id.batch, _hiding(finding)] < most[finding.id.batch]:
            judged = Judgement("differs", ("mask",))
        elif judged.assumes in granted:
            is_expected = bool(finding.expected and "multiplier" in finding.expected.said)
            judged = replace(judged, verdict="agrees" if is_expected else "no expectation")
        told.append(replace(finding, judgement=judged))
    layers: dict[tuple[int, int], list[Finding]] = {}
    for finding in told:
        layers.setdefault((finding.id.batch, finding.id.layer), []).append(finding)
    odd = set()
    for heads in layers.values():
        agree = sum(finding.judgement.verdict == "agrees" for finding in heads)
        unlike = [finding for finding in heads if finding.judgement.verdict == "differs"]
        if len(unlike) == 1 and agree > 1:
            known = unlike[0].known
            if not known.residual >= _ODD * known.rounding:
                odd.add(unlike[0].id)
    quiet = Judgement("silent", reason="it differs by less than twice what rounding makes, alone")
    return tuple(
        replace(finding, judgement=quiet) if finding.id in odd else finding for finding in told
    )


def _hiding(finding: "Finding") -> object:
    mask = finding.known.test.model.mask
    return (mask.hidden, mask.packed, mask.prefix)


def overall(findings: Sequence["Finding"]) -> Verdict:
    """Return the verdict about a model: that of most heads that do not agree, if any.

    If every head is silent, the verdict is ``cannot tell``.
    """
    counts = Counter(finding.judgement.verdict for finding in findings)
    if counts["differs"] or counts["cannot tell"]:
        return "differs" if counts["differs"] >= counts["cannot tell"] else "cannot tell"
    if counts["agrees"]:
        return "agrees"
    return "no expectation" if counts["no expectation"] else "cannot tell"


def silent_parts(findings: Sequence["Finding"]) -> dict[tuple[int, Part], int]:
    """Return each layer and part on which all heads of the layer are silent, with their number."""
    layers: dict[int, list[Finding]] = {}
    for finding in findings:
        if finding.judgement.verdict in ("agrees", "silent"):
            layers.setdefault(finding.id.layer, []).append(finding)
    silent: dict[tuple[int, Part], int] = {}
    for layer, heads in layers.items():
        needed = [part for finding in heads for part in finding.known.needed]
        for part in dict.fromkeys(needed):
            if all(
                part in finding.known.silent for finding in heads if part in finding.known.needed
            ):
                silent[layer, part] = len(heads)
    return silent
