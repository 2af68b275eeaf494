"""``attn-tui doctor``: which multiplier, cap, sink and mask a capture was computed with."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from attn_tui.compute.errors import InputError
from attn_tui.compute.field import whole
from attn_tui.compute.text import counted
from attn_tui.console.options import (
    ASSUME,
    CAPTURE,
    EXPECTED,
    JUNIT,
    READ_AS,
    REPORT,
    ROWS,
    TF32,
    Command,
    all_of,
    any_file,
    config,
    form_options,
    option,
    reading,
    switch,
)
from attn_tui.console.output import INTERRUPTED, save, tell, terminal_columns, write
from attn_tui.console.progress import worked

if TYPE_CHECKING:
    from attn_tui.doctor.report import DoctorReport, Settings

_EXAMPLES = """\
  attn-tui doctor capture.safetensors
  attn-tui doctor capture.safetensors --config config.json
  attn-tui doctor rank*.safetensors --config config.json --layer 3 --json
  attn-tui doctor capture.npz --expect 'm=1/sqrt(d_k),softcap=50' --strict
  attn-tui doctor dump.npz --layout out=bnhd --names 'layers.{layer}.{part}'
  attn-tui doctor capture.safetensors --config config.json --reproduce 3.7

\b
Exit status: 0 agrees, or nothing was expected; 1 differs; 2 bad input;
3 cannot tell; 70 the program failed; 130 Ctrl+C. docs/doctor.md says more.
"""


@click.command("doctor", cls=Command, examples=_EXAMPLES)
@click.argument("captures", nargs=-1, metavar="CAPTURE...", shell_complete=any_file)
@config(EXPECTED)
@switch("--require", "Status 3 where nothing is expected.", EXPECTED)
@option(
    "--expect",
    "PARTS",
    "What is expected, whatever else is said: m=1/sqrt(d_k),softcap=50.",
    EXPECTED,
    multiple=True,
)
@ASSUME
@switch("--strict", "Status 3 where a fault would not have shown.", EXPECTED)
@TF32
@option("--layer", "L", "Only this layer.  [default: all]", CAPTURE)
@option("--head", "H", "Only this head of each layer.  [default: all]", CAPTURE)
@ROWS
@option("--seed", "S", "Turns which rows of large heads are compared.  [default: 1]", CAPTURE)
@partial(all_of, READ_AS)
@switch("--evidence", "Of each head all that is known, in JSON.", REPORT)
@option(
    "--reproduce",
    "LAYER.HEAD",
    "Print a NumPy script that computes one row.",
    REPORT,
)
@JUNIT
@option("--fail-if", "CONDITION", "Status 1 if any: 'residual > 1 %'.", REPORT, multiple=True)
@form_options()
def doctor(
    captures: tuple[str, ...],
    require: bool,
    strict: bool,
    evidence: bool,
    form: str,
    **options: Any,
) -> int:
    """Say which multiplier, soft cap, sink and mask attention was really computed with.

    They follow, with their errors, from q, k, v and the output of attention. A configuration says
    what to expect; the first line can be pasted into an issue. Ctrl+C prints the result so far.
    """
    from attn_tui.compute.blas import one_thread
    from attn_tui.doctor.examine import examine
    from attn_tui.doctor.expect import expecting, parse_expected
    from attn_tui.doctor.status import holding, parse, status, status_notes, unknown
    from attn_tui.files.models.opening import open_configured

    if not captures:
        raise InputError("capture", "none is given", "a file, such as capture.safetensors")
    settings = _settings(options)
    typed = parse_expected(",".join(options["expect"])) if options["expect"] else None
    conditions = tuple(parse(condition) for condition in options["fail_if"])
    opened = open_configured(captures, *reading(options))
    expectation = expecting(typed, opened.expectation) if typed else opened.expectation
    # The products are small: with several threads, most of the time goes into waiting.
    try:
        with one_thread():
            report, interrupted = worked(
                "heads",
                lambda stop: examine(opened.capture, expectation, settings, stop, opened.notes),
            )
    except InputError as error:
        if options["reproduce"] is not None and error.field in ("layer", "head"):
            raise replace(error, field="reproduce") from None
        raise
    assert report
    if not interrupted:
        more = status_notes(report, require, strict, conditions)
        report = replace(report, notes=(*report.notes, *more))
    if options["reproduce"] is not None:
        write(_script(report))
        return INTERRUPTED if interrupted else 0
    if options["junit"] is not None:
        from attn_tui.doctor.junit import junit

        save(options["junit"], "junit", junit(report, conditions))
    write(_rendered(report, form, evidence))
    if interrupted:
        return INTERRUPTED
    if any(holding(finding, conditions) for finding in report.findings):
        return 1
    ended = status(report, require, strict)
    for condition in conditions:
        count = unknown(report, condition)
        if count and not ended:
            heads = counted(count, "head")
            tell(f"--fail-if '{condition.text}': {condition.statistic} of {heads} is unknown")
            return 3
    return ended


def _rendered(report: "DoctorReport", form: str, evidence: bool) -> Iterator[str]:
    """Return the report as text or as JSON."""
    if form == "text":
        from attn_tui.doctor.text import render

        return render(report, terminal_columns())
    from attn_tui.doctor.json import render as render_json

    return render_json(report, evidence)


def _script(report: "DoctorReport") -> Iterator[str]:
    """Yield the script that ``--reproduce`` prints, for the one head that was examined."""
    from attn_tui.doctor.examine import first_head
    from attn_tui.doctor.reproduce import reproduce

    for finding in report.findings[:1]:
        head = first_head(report)
        called = f"layer {finding.id.layer}, head {finding.id.head}"
        yield from reproduce(called, head.rows, head.comparable.model)


def _settings(options: dict[str, Any]) -> "Settings":
    from attn_tui.doctor.difference import assumptions
    from attn_tui.doctor.report import MOST_ROWS, Settings
    from attn_tui.doctor.reproduce import place_of

    rows = whole(1, MOST_ROWS)
    rows = replace(rows, expected=f"{rows.expected}, or all")
    place = whole(0, 999_999)
    kinds = {"rows": rows, "seed": whole(0, 2**63 - 1), "layer": place, "head": place}
    if options["reproduce"] is not None:
        layer, head = place_of(options["reproduce"])
        options = {**options, "layer": str(layer), "head": str(head)}
    if (options["rows"] or "").strip() == "all":
        options = {**options, "rows": str(MOST_ROWS)}
    chosen = {
        name: kinds[name].parse(name, options[name]) for name in kinds if options[name] is not None
    }
    words = ",".join(options["assume"]).split(",")
    return Settings(**chosen, assume=assumptions(words), tf32=options["tf32"])
