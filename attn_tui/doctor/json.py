"""The doctor's report as strict JSON; ``docs/json.md`` explains each field."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any, get_args

from attn_tui import __version__
from attn_tui.compute.fit.estimates import Estimate
from attn_tui.compute.fit.head import Path
from attn_tui.compute.fit.model import SHOWN, Candidate
from attn_tui.compute.heads.head_model import Alibi, HeadModel
from attn_tui.doctor.finding import Finding
from attn_tui.doctor.report import DoctorReport
from attn_tui.doctor.sentences import verdict_line, why
from attn_tui.doctor.words import assumed_text
from attn_tui.files.codec import report_text
from attn_tui.files.models.promise import Promise
from attn_tui.files.plain import named


def render(report: DoctorReport, evidence: bool = False) -> Iterator[str]:
    """Yield the text of a report, piece by piece.

    Args:
        report: The report.
        evidence: Whether to give all that is known about each head, or only its verdict and m.
    """
    common = report.promise
    source = report.expectation.source if report.expectation else ""
    granted = dict.fromkeys(filter(None, map(assumed_text, report.findings)))
    yield from report_text(
        {
            "version": __version__,
            "capture": _capture(report),
            "verdict": report.verdict,
            "why": [verdict_line(report), *why(report)],
            "counts": dict(report.counts),
            "silent": [
                {"layer": layer, "part": part, "heads": heads}
                for (layer, part), heads in report.silent.items()
            ],
            "assumed": [*granted],
            "mask_applied": report.mask_applied,
            "elapsed_s": round(report.elapsed, 3),
            "rows_seed": report.settings.seed,
            "expected": _promise(common, source),
            "heads": [_head(finding, common, evidence) for finding in report.findings],
        }
    )


def _capture(report: DoctorReport) -> dict[str, Any]:
    capture = report.capture
    return {
        "paths": capture.paths,
        "fingerprint": capture.fingerprint.digest,
        "layers": capture.layers,
        "heads": len(capture.heads),
        "stated": report.stated,
    }


def _promise(promise: Promise | None, source: str) -> dict[str, Any] | None:
    if promise is None:
        return None
    plain = named(promise, ("multiplier", "softcap", "sink", "mask", "value_scale"))
    lengths = {"window": promise.window, "chunk": promise.chunk}
    bias = None
    if promise.bias is not None:
        bias = promise.bias if isinstance(promise.bias, str) else "by position"
    return {
        **plain,
        **{name: length for name, length in lengths.items() if length is not None},
        "bias": bias,
        "source": source,
    }


def _head(finding: Finding, common: Promise | None, evidence: bool) -> dict[str, Any]:
    explanation = finding.explanation
    candidate = explanation.candidate
    m = _interval(candidate.estimates.get("multiplier")) if candidate.explains else None
    plain: dict[str, Any] = {
        **asdict(finding.id),
        "verdict": finding.judgement.verdict,
        "differs": finding.judgement.parts,
        "multiplier": m,
        "residual": explanation.gap,
        "rounding": explanation.gap_rounding,
        "silent": explanation.silent,
        "differences": [asdict(difference) for difference in finding.judgement.differences],
    }
    if evidence:
        plain |= _evidence(finding)
        if finding.promise != common:
            plain["expected"] = _promise(finding.promise, finding.promise.source)
    return plain


def _evidence(finding: Finding) -> dict[str, Any]:
    explanation, counts = finding.explanation, finding.explanation.counts
    used = explanation.rows
    return {
        **named(finding.shape, ("kv_head", "d_k", "d_v")),
        "reason": finding.judgement.reason,
        "assumed": assumed_text(finding) or None,
        "mask_applied": finding.mask_applied,
        "completed": finding.comparable.completions,
        "coarseness": explanation.coarseness,
        "rows": {
            "used": len(used),
            "first": used[0] if used else None,
            "last": used[-1] if used else None,
            "keys_min": explanation.keys[0],
            "keys_max": explanation.keys[1],
            "wrong": counts.wrong,
            "not_finite": counts.not_finite,
            "hidden": counts.hidden,
            "padding": counts.padding,
            "spoilt": counts.spoilt,
        },
        "told": dict(explanation.fineness),
        "models": [_candidate(candidate) for candidate in explanation.best],
        "where": explanation.where,
        "suspect": explanation.suspect.name if explanation.suspect else None,
        "names": finding.names,
    }


def _candidate(candidate: Candidate) -> dict[str, Any]:
    return {
        "explains": candidate.explains,
        "changes": candidate.changes,
        **_model(candidate.model),
        "intervals": {part: _interval(one) for part, one in candidate.estimates.items()},
        "unknown": dict(candidate.unknown),
        "windows": candidate.window,
        "residual": candidate.residual,
        "rounding": {path: candidate.rounding.get(path) for path in get_args(Path)},
        "paths": candidate.paths,
        "cause": candidate.cause,
    }


def _model(model: HeadModel) -> dict[str, Any]:
    mask = model.mask
    plain = named(model, ("multiplier", "value_scale", "softcap", "sink", "softmax_twice"))
    law = None if model.law is None else asdict(model.law)
    bias = asdict(model.bias) if isinstance(model.bias, Alibi) else model.bias
    offset = mask.offset if mask.by_position else None
    return {**plain, "law": law, "bias": bias, "mask": asdict(replace(mask, offset=offset))}


def _interval(estimate: Estimate | None) -> list[float | None] | None:
    """Return a number with the ends of its interval, or None if it is unknown."""
    if estimate is None:
        return None
    interval = estimate.at(SHOWN)
    return [interval.value, interval.low, interval.high]
