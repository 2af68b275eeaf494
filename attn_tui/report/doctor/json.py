"""The doctor's report as strict JSON; ``docs/json.md`` explains each field."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any, get_args

from attn_tui import __version__
from attn_tui.compute.fit.estimates import Estimate
from attn_tui.compute.fit.explain import SHOWN, Test
from attn_tui.compute.fit.head import Path
from attn_tui.compute.heads.head_model import HeadModel
from attn_tui.doctor.report import Finding, Report
from attn_tui.files.codec import report_text
from attn_tui.files.models.promise import Promise
from attn_tui.files.plain import named
from attn_tui.report.doctor.sentences import verdict_line, why
from attn_tui.report.doctor.words import assumed_text


def render(report: Report, evidence: bool = False) -> Iterator[str]:
    """Yield the text of a report, piece by piece.

    Args:
        report: The report.
        evidence: Whether to give all that is known about each head, or only its verdict and m.
    """
    common = report.expected
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
            "expected": _expected(common, source),
            "heads": [_head(finding, common, evidence) for finding in report.findings],
        }
    )


def _capture(report: Report) -> dict[str, Any]:
    capture = report.capture
    return {
        "paths": capture.paths,
        "fingerprint": capture.fingerprint.digest,
        "layers": capture.layers,
        "heads": len(capture.heads),
        "stated": report.stated,
    }


def _expected(expected: Promise | None, source: str) -> dict[str, Any] | None:
    if expected is None:
        return None
    plain = named(expected, ("multiplier", "softcap", "sink", "mask", "value_scale"))
    lengths = {"window": expected.window, "chunk": expected.chunk}
    return {
        **plain,
        **{name: length for name, length in lengths.items() if length is not None},
        "source": source,
    }


def _head(finding: Finding, common: Promise | None, evidence: bool) -> dict[str, Any]:
    known = finding.known
    test = known.test
    m = _interval(test.estimates.get("multiplier")) if test.explains else None
    plain: dict[str, Any] = {
        **asdict(finding.id),
        "verdict": finding.judgement.verdict,
        "differs": finding.judgement.differs,
        "multiplier": m,
        "residual": known.residual,
        "rounding": known.rounding,
        "silent": known.silent,
    }
    if evidence:
        plain |= _evidence(finding)
        if finding.expected is not None and finding.expected != common:
            plain["expected"] = _expected(finding.expected, finding.expected.source)
    return plain


def _evidence(finding: Finding) -> dict[str, Any]:
    known, used = finding.known, finding.known.used
    return {
        **named(finding.shape, ("kv_head", "d_k", "d_v")),
        "reason": finding.judgement.reason,
        "assumed": assumed_text(finding) or None,
        "mask_applied": finding.mask_applied,
        "rows": {
            "used": len(used),
            "first": used[0] if used else None,
            "last": used[-1] if used else None,
            "keys_min": known.keys[0],
            "keys_max": known.keys[1],
        },
        "told": dict(known.told),
        "models": [_test(test) for test in known.best],
        "where": known.where,
        "suspect": finding.known.suspect.name if finding.known.suspect else None,
        "names": finding.names,
    }


def _test(test: Test) -> dict[str, Any]:
    return {
        "explains": test.explains,
        "changes": test.changes,
        **_model(test.model),
        "intervals": {part: _interval(estimate) for part, estimate in test.estimates.items()},
        "unknown": dict(test.unknown),
        "windows": test.window,
        "residual": test.residual,
        "rounding": {path: test.rounding.get(path) for path in get_args(Path)},
        "paths": test.paths,
    }


def _model(model: HeadModel) -> dict[str, Any]:
    mask = model.mask
    plain = named(model, ("multiplier", "value_scale", "softcap", "sink", "softmax_twice"))
    law = None if model.law is None else asdict(model.law)
    offset = mask.offset if mask.by_position else None
    return {**plain, "law": law, "mask": asdict(replace(mask, offset=offset))}


def _interval(estimate: Estimate | None) -> list[float | None] | None:
    """Return a number with the ends of its interval, or None if it is unknown."""
    if estimate is None:
        return None
    interval = estimate.at(SHOWN)
    return [interval.value, interval.low, interval.high]
