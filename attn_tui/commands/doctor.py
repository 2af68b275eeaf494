"""``attn-tui doctor``: which multiplier, cap, sink and mask a capture was computed with."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from attn_tui.commands.completion import experiment_files
from attn_tui.commands.options import CAPTURE, EXPECTED, REPORT, Command, Option, option
from attn_tui.commands.output import INTERRUPTED, write
from attn_tui.commands.progress import Progress, until_interrupted
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.whole import parse_whole

if TYPE_CHECKING:
    from attn_tui.captures.capture import Capture
    from attn_tui.doctor.expected import Expectation
    from attn_tui.doctor.report import Settings

_EXAMPLES = """\
\b
Examples:
  attn-tui doctor capture.safetensors
  attn-tui doctor capture.safetensors --config config.json
  attn-tui doctor rank*.safetensors --config model.gguf --layer 3 --json
  attn-tui doctor dump.npz --layout out=bnhd --names 'layers.{layer}.{part}'

\b
Exit status: 0 agrees, or nothing was expected; 1 a head differs; 2 bad input;
3 cannot tell; 70 the program failed; 130 Ctrl+C. docs/doctor.md says more.
"""


@click.command("doctor", cls=Command, epilog=_EXAMPLES)
@click.argument("captures", nargs=-1, metavar="CAPTURE...", shell_complete=experiment_files)
@option(
    "--config",
    "FILE",
    "What should be: a config.json of transformers, the folder of one, or a GGUF file.  "
    "[default: what the capture says of itself, if anything]",
    EXPECTED,
    experiment_files,
)
@click.option(
    "--require",
    cls=Option,
    group=EXPECTED,
    is_flag=True,
    help="End with status 3 where nothing is expected.",
)
@option("--layer", "L", "Only this layer.  [default: all]", CAPTURE)
@option("--head", "H", "Only this head of each layer.  [default: all]", CAPTURE)
@option(
    "--rows",
    "N|all",
    "How many rows of each head are used, at most; all: up to 4,096.  [default: 32]",
    CAPTURE,
)
@option("--seed", "S", "Which rows are drawn, a whole number.  [default: 1]", CAPTURE)
@option(
    "--layout",
    "AXES|PART=AXES,…",
    "The axes of tensors, of b, h, n and d: bnhd, or out=bnhd.  [default: what fits]",
    CAPTURE,
)
@option(
    "--names",
    "PATTERN",
    "What tensors are called, such as 'model.layers.{layer}.self_attn.{part}'.",
    CAPTURE,
)
@click.option("--json", "as_json", cls=Option, group=REPORT, is_flag=True, help="Print JSON.")
def doctor(captures: tuple[str, ...], require: bool, as_json: bool, **given: Any) -> int:
    """Say which multiplier, soft cap, sink and mask attention was really computed with.

    From q, k, v and what attention returned, and with their errors. A configuration says
    what should be; the first line can be pasted into an issue. Ctrl+C prints what there is.
    """
    from attn_tui.captures.layouts import parse_layouts
    from attn_tui.captures.opening import open_capture
    from attn_tui.compute.blas import one_thread
    from attn_tui.doctor.examine import examine
    from attn_tui.doctor.report import status
    from attn_tui.report.doctor import json, text

    if not captures:
        raise InputError("capture", "none is given", "a file, such as capture.safetensors")
    settings = _settings(given)
    layouts = parse_layouts([given["layout"]]) if given["layout"] is not None else {}
    capture = open_capture([*captures], layouts=layouts, names=given["names"])
    expectation = _expectation(given["config"], capture)
    # Its products are small: threads that wait for each other take most of the time.
    with until_interrupted() as stop, Progress("heads") as progress, one_thread():
        for report in examine(capture, expectation, settings, stop):
            progress.show(report.progress)
        interrupted = stop()
    write((json if as_json else text).render(report))
    return INTERRUPTED if interrupted else status(report, require)


def _settings(given: dict[str, Any]) -> "Settings":
    from attn_tui.doctor.report import MOST_ROWS, Settings

    most = {"rows": MOST_ROWS, "seed": 2**63 - 1, "layer": 999_999, "head": 999_999}
    read = {name: _whole(name, given[name], most[name]) for name in most if given[name] is not None}
    return Settings(**read)


def _whole(name: str, text: str, most: int) -> int:
    least = name == "rows"
    if least and text.strip() == "all":
        return most
    with suppress(InputError):
        found = parse_whole(name, text)
        if least <= found <= most:
            return found
    bound = f"a whole number from {int(least)} to {most:,}" + ", or all" * least
    raise InputError(name, f"{inert(text)} will not do", bound)


def _expectation(path: str | None, capture: "Capture") -> "Expectation | None":
    from attn_tui.doctor.configuration import claimed, read_expectation

    if path is not None:
        return read_expectation(path)
    if not capture.config:
        return None
    return claimed(capture.config, capture.shape(capture.heads[0]).d_k)
