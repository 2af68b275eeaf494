"""What the doctor found, as strict JSON; ``docs/json.md`` explains each field."""

from collections.abc import Iterator
from typing import Any, get_args

from attn_tui import __version__
from attn_tui.compute.fit.diagnosis import Diagnosis, Estimate, Interval, Path
from attn_tui.doctor.expected import Expected
from attn_tui.doctor.report import Finding, Report
from attn_tui.doctor.verdict import SHOWN
from attn_tui.files.codec import SCHEMA
from attn_tui.files.plain import json_text, plain_number, plain_or_none
from attn_tui.report.doctor.line import verdict_line, why


def render(report: Report) -> Iterator[str]:
    """Yield the text of a report, piece by piece."""
    common = report.expected
    yield from json_text(
        {
            "schema": SCHEMA,
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
        "paths": [*capture.paths],
        "fingerprint": capture.fingerprint.digest,
        "layers": [*capture.layers],
        "heads": len(capture.heads),
        "stated": [*report.stated],
    }


def _expected(expected: Expected | None, source: str) -> dict[str, Any] | None:
    if expected is None:
        return None
    plain = {
        name: getattr(expected, name)
        for name in ("multiplier", "softcap", "sink", "mask", "value_scale")
    }
    window = {} if expected.window is None else {"window": expected.window}
    return {**plain, **window, "source": source}


def _head(finding: Finding, common: Expected | None) -> dict[str, Any]:
    place, shape, found = finding.id, finding.shape, finding.diagnosis
    mask, used, expected = found.mask, found.used, finding.expected
    plain = {
        "batch": place.batch,
        "layer": place.layer,
        "head": place.head,
        "kv_head": shape.kv_head,
        "d_k": shape.d_k,
        "d_v": shape.d_v,
        "verdict": finding.judgement.verdict,
        "differs": [*finding.judgement.differs],
        "rows": {
            "used": len(used),
            "odd": [*found.odd],
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
        "query_offset": mask.offset if mask is not None and mask.kind != "none" else None,
        "window": _estimate(found.window),
        "temperature": _temperature(found),
        "residual": plain_number(found.residual),
        "rounding": {path: plain_number(found.rounding.get(path, 0.0)) for path in get_args(Path)},
        "path": found.path,
        "paths": [*found.paths],
        "fits": found.fits,
        "undetermined": [
            {"name": name, "reason": reason} for name, reason in finding.judgement.undetermined
        ],
        "confounded": [[*names] for names in found.confounded],
        "tested": [*found.suspects],
        "names": [*finding.names],
    }
    if expected is not None and common is not None and expected != common:
        plain["expected"] = _expected(expected, expected.source)
    return plain


def _estimate(found: Estimate | None) -> dict[str, Any] | None:
    return None if found is None else _interval(found.at(SHOWN))


def _interval(interval: Interval) -> dict[str, Any]:
    return {name: plain_or_none(getattr(interval, name)) for name in ("value", "low", "high")}


def _temperature(found: Diagnosis) -> dict[str, Any] | None:
    if found.temperature is None:
        return None
    rows = []
    for position, estimate in found.temperature.rows:
        at = estimate.at(SHOWN)
        rows.append([position, *map(plain_or_none, (at.value, at.low, at.high))])
    return {"kind": found.temperature.kind, "rows": rows}
