"""The doctor, asked about the capture in a folder."""

import traceback
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from attn_tui.compute.errors import InputError
from attn_tui.compute.fit.estimates import Interval
from attn_tui.doctor.examine import examine
from attn_tui.doctor.report import Settings
from attn_tui.doctor.sentences import verdict_line
from attn_tui.doctor.status import status
from attn_tui.files.models.opening import open_configured


@dataclass(frozen=True)
class Answer:
    """What the doctor says of a capture.

    Attributes:
        verdict: Its verdict; ``refused`` if it does not take the capture, ``crashed`` if it fails.
        status: The exit status.
        why: The first line of its text.
        intervals: The 95 % intervals of m of the heads that are as promised; None is no bound.
    """

    verdict: str
    status: int
    why: str
    intervals: tuple[Interval, ...] = ()


def asked(folder: Path, causes: bool = False) -> Answer:
    """Return what the doctor says of the capture in a folder.

    Args:
        folder: Has capture.safetensors and config.json.
        causes: Whether it searches for the cause of what it finds, which takes longer.
    """
    options: dict[str, Any] = {}
    if "search" in {field.name for field in fields(Settings)}:
        options["search"] = causes
    capture, config = str(folder / "capture.safetensors"), str(folder / "config.json")
    try:
        configured = open_configured([capture], config=config)
        reports = examine(configured.capture, configured.expectation, Settings(**options))
        *_, report = reports
    except InputError as error:
        return Answer("refused", 2, str(error))
    except Exception:  # A crash is a finding, not the end of the run.
        return Answer("crashed", 1, traceback.format_exc(limit=-1).replace("\n", " "))
    passing = [finding.explanation for finding in report.findings if finding.explanation.passes]
    estimates = [explanation.promised.estimates.get("multiplier") for explanation in passing]
    intervals = tuple(estimate.at(0.95) for estimate in estimates if estimate is not None)
    return Answer(report.verdict, status(report), verdict_line(report), intervals)
