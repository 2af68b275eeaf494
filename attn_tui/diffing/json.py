"""The difference of two captures as strict JSON; ``docs/json.md`` explains each field."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from attn_tui import __version__
from attn_tui.diffing.difference import (
    INPUTS,
    TENSORS,
    DiffReport,
    HeadDifference,
    LayerDifference,
)
from attn_tui.diffing.sentences import said, verdict_line, why
from attn_tui.doctor.report import DoctorReport
from attn_tui.files.codec import report_text


def render(difference: DiffReport) -> Iterator[str]:
    """Yield the text of a difference, piece by piece."""
    first, parting = difference.first, difference.parting
    yield from report_text(
        {
            "version": __version__,
            "reference": _capture(difference.reference),
            "port": None if difference.port is None else _capture(difference.port),
            "verdict": difference.verdict,
            "why": [verdict_line(difference), *why(difference)],
            "first": None if first is None else first.layer,
            "inputs_differ_from": None if parting is None else parting.layer,
            "missing": dict(zip(("port", "reference"), difference.missing, strict=True)),
            "elapsed_s": round(difference.elapsed, 3),
            "layers": [_layer(layer) for layer in difference.layers],
        }
    )


def _capture(report: DoctorReport) -> dict[str, Any]:
    capture = report.capture
    return {
        "paths": capture.paths,
        "fingerprint": capture.fingerprint.digest,
        "layers": capture.layers,
        "stated": report.stated,
    }


def _layer(layer: LayerDifference) -> dict[str, Any]:
    farthest = layer.farthest(INPUTS)
    return {
        "layer": layer.layer,
        "port_layer": layer.port_layer,
        "verdict": layer.verdict,
        "reason": layer.reason,
        "said": {"reference": said(layer.references), "port": said(layer.ports)},
        "inputs": None if farthest is None else farthest[0].distances[farthest[1]].largest,
        "heads": [_head(head) for head in layer.heads],
    }


def _head(head: HeadDifference) -> dict[str, Any]:
    finding = head.port
    return {
        "batch": head.id.batch,
        "head": head.id.head,
        "verdict": finding.judgement.verdict,
        "differs": finding.judgement.parts,
        "differences": [asdict(difference) for difference in finding.judgement.differences],
        "residual": finding.explanation.gap,
        "rounding": finding.explanation.gap_rounding,
        "distances": {part: asdict(one) for part, one in head.distances.items()},
    }


def head_row(layer: LayerDifference, head: HeadDifference) -> dict[str, Any]:
    """Return the numbers of a head by name, without objects, as for a row of a table."""
    distances = head.distances
    return {
        "batch": head.id.batch,
        "layer": layer.layer,
        "port_layer": layer.port_layer,
        "head": head.id.head,
        "verdict": head.port.judgement.verdict,
        **{part: distances[part].largest if part in distances else None for part in TENSORS},
        "format": next((one.format for one in distances.values()), None),
        "residual": head.port.explanation.gap,
        "rounding": head.port.explanation.gap_rounding,
        "differs": ", ".join(head.port.judgement.parts),
        "cause": "; ".join(one.cause for one in head.port.judgement.differences if one.cause),
    }
