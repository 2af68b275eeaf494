"""``attn-tui diff``: whether two captures of one model have the same attention."""

from functools import partial
from typing import Any

import click

from attn_tui.compute.errors import InputError, inert
from attn_tui.console.options import (
    ASSUME,
    CAPTURE,
    EXPECTED,
    JUNIT,
    READ_AS,
    ROWS,
    SCREEN_OPTIONS,
    TF32,
    Command,
    Options,
    all_of,
    any_file,
    config,
    form_options,
    option,
)
from attn_tui.console.output import INTERRUPTED, save, terminal_columns, write
from attn_tui.console.progress import worked
from attn_tui.instruments import INSTRUMENTS

_EXAMPLES = """\
  attn-tui diff reference.safetensors port.safetensors
  attn-tui diff eager.safetensors sdpa.safetensors --config config.json
  attn-tui diff torch.npz mlx.npz --port-layout bnhd --json
  attn-tui diff old.safetensors new.safetensors --match 0=1,1=2
  attn-tui diff a.safetensors b.safetensors --match names
  attn-tui diff 'a/rank*.safetensors' b.npz --match layers.{layer}=blk.{layer}
  attn-tui diff reference.safetensors port.safetensors --screen

\b
Exit status: 0 attention is the same; 1 it differs; 2 bad input;
3 cannot tell; 70 the program failed; 130 Ctrl+C. docs/doctor.md says more.
"""


@click.command("diff", cls=Command, examples=_EXAMPLES)
@click.argument("reference", required=False, metavar="REFERENCE", shell_complete=any_file)
@click.argument("port", required=False, metavar="PORT", shell_complete=any_file)
@config(EXPECTED)
@option(
    "--expect",
    "PARTS",
    "What REFERENCE is expected to be: m=1/sqrt(d_k),softcap=50.",
    EXPECTED,
)
@ASSUME
@TF32
@option(
    "--match",
    "names|PAIRS",
    "By name, or 0=1,1=2 or layers.{layer}=blk.{layer}.  [default: by number]",
    CAPTURE,
)
@ROWS
@partial(all_of, READ_AS)
@option("--port-layout", "AXES|PART=AXES,…", "The axes of PORT's tensors, if others.", CAPTURE)
@option("--port-names", "PATTERN", "What PORT's tensors are called, if otherwise.", CAPTURE)
@JUNIT
@form_options()
def diff(reference: str | None, port: str | None, form: str, **options: Any) -> int:
    """Say where two captures of one model diverge first, and whether it is attention.

    PORT's q, k and v are given to the head model that the doctor finds for REFERENCE, and PORT's
    output is held against the result. How far tensors differ is in units of their format.
    """
    from attn_tui.compute.blas import one_thread
    from attn_tui.diagnosis.asking import settings_of
    from attn_tui.diffing.asking import opened
    from attn_tui.diffing.difference import STATUSES
    from attn_tui.diffing.examine import compared
    from attn_tui.doctor.expect import parse_expected

    if reference is None or port is None:
        field = "reference" if reference is None else "port"
        raise InputError(field, "none is given", "two captures: REFERENCE and PORT")
    looks = {str(one.name): options.pop(str(one.name)) for one in SCREEN_OPTIONS}
    if looks.pop("screen"):
        _open_screen(reference, port, {**options, "json": form == "json" or None}, looks)
    settings = settings_of(_rows(options["rows"]), ",".join(options["assume"]), options["tf32"])
    typed = parse_expected(options["expect"]) if options["expect"] else None
    layout, names = options["layout"] or "", options["names"] or ""
    layouts = (layout, options["port_layout"] or layout)
    called = (names, options["port_names"] or names)
    both = opened((reference, port), options["config"] or "", typed, layouts, called)
    with one_thread():
        difference, interrupted = worked(
            "heads", lambda stop: compared(both, options["match"] or "", settings, stop)
        )
    assert difference
    if options["junit"] is not None:
        from attn_tui.diffing.junit import junit

        save(options["junit"], "junit", junit(difference))
    if form == "json":
        from attn_tui.diffing.json import render as render_json

        write(render_json(difference))
    else:
        from attn_tui.diffing.text import render

        write(render(difference, terminal_columns()))
    return INTERRUPTED if interrupted else STATUSES[difference.verdict]


BOTH = ("layout", "names", "config")
"""Options that the screen takes, too."""


def _open_screen(reference: str, port: str, options: dict[str, Any], looks: dict[str, Any]) -> None:
    """Open Heads on PORT, held against REFERENCE; returns where there is no terminal.

    Raises:
        InputError: If an option has no place on the screen.
    """
    for name, value in options.items():
        if value and name not in BOTH:
            expected = f"no other option than {', '.join(f'--{one}' for one in BOTH)}"
            raise InputError("screen", f"it shows nothing of --{name.replace('_', '-')}", expected)
    instrument = next(one for one in INSTRUMENTS if one.name == "heads")
    asked = {name: options[name] for name in BOTH}
    more = {"captures": (port,), "reference": (reference,), "statistic": "difference"}
    click.get_current_context().obj(instrument, Options({**asked, **more}), **looks)


def _rows(text: str | None) -> int | str | None:
    """Return how many rows are compared, from the text of the option."""
    if text is None or text.strip() == "all":
        return None if text is None else "all"
    try:
        return int(text)
    except ValueError:
        raise InputError("rows", f"it is {inert(text)}", "a whole number, or all") from None


diff.params += SCREEN_OPTIONS
