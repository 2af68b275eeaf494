"""What the doctor found, as strict JSON; ``docs/json.md`` explains each field."""

from collections.abc import Iterator
from dataclasses import asdict, astuple
from typing import Any, get_args

from attn_tui import __version__
from attn_tui.compute.fit.diagnosis import Diagnosis, Estimate, Interval, Path
from attn_tui.doctor.report import Finding, Report
from attn_tui.doctor.verdict import SHOWN
from attn_tui.files.codec import report_text
from attn_tui.files.models.expected import Expected
from attn_tui.files.plain import named
from attn_tui.report.doctor.line import verdict_line, why
from attn_tui.report.doctor.words import suspect_text


def render(report: Report) -> Iterator[str]:
    """Yield the text of a report, piece by piece."""
    common = report.expected
    yield from report_text(
        {
            "version": __version__,
            "capture": _capture(report),
            "verdict": report.verdict,
            "why": [verdict_line(report), *why(report)],
            "counts": dict(report.counts),
            "elapsed_s": round(report.elapsed, 3),
            "rows_seed": report.settings.seed,
            "expected": _expected(common, report.expectation.source if report.expectation else ""),
            "heads": [_head(each, common) for each in report.findings],
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


def _expected(expected: Expected | None, source: str) -> dict[str, Any] | None:
    if expected is None:
        return None
    plain = named(expected, ("multiplier", "softcap", "sink", "mask", "value_scale"))
    window = {} if expected.window is None else {"window": expected.window}
    return {**plain, **window, "source": source}


def _head(finding: Finding, common: Expected | None) -> dict[str, Any]:
    found, expected = finding.diagnosis, finding.expected
    mask, used = found.mask, found.used
    plain = {
        **asdict(finding.id),
        **named(finding.shape, ("kv_head", "d_k", "d_v")),
        "verdict": finding.judgement.verdict,
        "differs": finding.judgement.differs,
        "rows": {
            "used": len(used),
            "odd": found.odd,
            "first": used[0] if used else None,
            "last": used[-1] if used else None,
            "keys_min": found.keys[0],
            "keys_max": found.keys[1],
        },
        "multiplier": _estimate(found.multiplier),
        "value_scale": _estimate(found.value_scale),
        "softcap": _estimate(found.softcap),
        "sink": _estimate(found.sink),
        "mask": None if mask is None else mask.kind,
        "query_offset": mask.offset if mask is not None and mask.by_position else None,
        "hidden_keys": mask.hidden if mask is not None else None,
        "packed": mask.packed if mask is not None and mask.packed else None,
        "window": _estimate(found.window),
        "temperature": _temperature(found),
        "residual": found.residual,
        "rounding": {path: found.rounding.get(path) for path in get_args(Path)},
        "path": found.path,
        "paths": found.paths,
        "fits": found.fits,
        "undetermined": [
            {"name": name, "reason": reason} for name, reason in finding.judgement.undetermined
        ],
        "confounded": found.confounded,
        "tested": [*map(suspect_text, found.suspects)],
        "names": finding.names,
    }
    if expected is not None and common is not None and expected != common:
        plain["expected"] = _expected(expected, expected.source)
    return plain


def _estimate(found: Estimate | None) -> Interval | None:
    return None if found is None else found.at(SHOWN)


def _temperature(found: Diagnosis) -> dict[str, Any] | None:
    if found.temperature is None:
        return None
    rows = found.temperature.rows
    plain = [[position, *astuple(estimate.at(SHOWN))] for position, estimate in rows]
    return {"kind": found.temperature.kind, "rows": plain}
