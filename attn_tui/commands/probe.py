"""``attn-tui probe``: call a function with inputs that tell, and say what it computes."""

from typing import Any

import click

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.field import whole
from attn_tui.console.options import (
    EXPECTED,
    JUNIT,
    REPORT,
    Command,
    any_file,
    config,
    form_options,
    option,
    switch,
)
from attn_tui.console.output import save, write

_EXAMPLES = """\
  attn-tui probe my_kernel.py:attention --causal
  attn-tui probe my_kernel.py:attention --heads 8 --kv-heads 2 --d-k 64
      --causal --like torch --dtype bfloat16
  attn-tui probe package.module:attention --softcap 50 --json
  attn-tui probe my_kernel.py:attention --reproduce > fault.py

\b
Exit status: 0 agrees; 1 differs; 2 bad input, or a function that cannot be
imported or raises in all calls; 3 cannot tell; 70 the program failed.
docs/testing.md says more.
"""

_COUNTS = ("heads", "kv_heads", "d_k", "d_v", "window", "chunk")
"""Options that are whole numbers from 1."""
_REAL = ("softcap", "sink", "value_scale")
"""Options that are numbers."""


@click.command("probe", cls=Command, examples=_EXAMPLES)
@click.argument("function", metavar="FILE.py:FUNCTION", shell_complete=any_file)
@option("--scale", "M", "m: a number or a rule.  [default: 1/sqrt(d_k)]", EXPECTED)
@option("--softcap", "C", "The soft cap of logits.", EXPECTED)
@option("--sink", "B", "The logit of a sink without a value.", EXPECTED)
@option("--value-scale", "C", "What the output is multiplied by.", EXPECTED)
@switch("--causal", "No query sees a later key.", EXPECTED)
@switch("--top-left", "Causal, aligned at the top left.", EXPECTED)
@option("--window", "KEYS", "A query sees so many keys, its own counted.", EXPECTED)
@option("--chunk", "KEYS", "Chunks of keys that do not see each other.", EXPECTED)
@config(EXPECTED)
@option("--heads", "N", "Query heads.  [default: 4]")
@option("--kv-heads", "N", "Heads of keys and values.  [default: as many]")
@option("--d-k", "N", "Length of queries and keys.  [default: 64]")
@option("--d-v", "N", "Length of values.  [default: d_k, and once another]")
@option("--dtype", "FORMAT", "float32, float64, bfloat16 or float16.  [default: float32]")
@option("--like", "LIBRARY", "Whose arrays it takes: numpy, torch, jax or mlx.")
@option("--layout", "AXES", "bhnd, bnhd, hnd, bnd …  [default: bhnd]")
@option("--lengths", "N,N,…", "Numbers of keys.  [default: 1,2,17,64,127,128,129,257,513]")
@switch("--decode", "Fewer queries than keys, too.")
@switch("--extremes", "|q·k| beyond 10,000, in float16 beyond 32,752.")
@option("--hidden-rows", "KIND", "A row without keys: zero, nan or mean.")
@switch("--gradient", "dq, dk and dv too, of torch or jax.")
@switch("--quick", "A few calls alone.")
@option("--seed", "S", "What is drawn.  [default: 1]")
@switch("--reproduce", "Print a script with the smallest wrong inputs.", REPORT)
@JUNIT
@form_options()
def probe(function: str, form: str, reproduce: bool, junit: str | None, **options: Any) -> int:
    """Call a function of q, k and v, and say whether it is the attention that is meant.

    It gets arrays [batch, heads, n, d] and returns the output. The options say what it should do;
    nothing is handed on to it.
    """
    from attn_tui.doctor.status import STATUSES
    from attn_tui.files.codec import report_text
    from attn_tui.probing.asking import probe as probed
    from attn_tui.probing.loading import loaded

    arguments = _arguments(options)
    f = loaded(function)
    try:
        diagnosis = probed(f, **arguments)
    except InputError as error:
        if error.field != "f":
            raise
        raise InputError("function", error.problem, error.expected) from None
    except Exception as error:
        said = f"{type(error).__name__}: {inert(str(error), 120)[1:-1]}"
        notes = "; ".join(getattr(error, "__notes__", ()))
        problem = f"it raises in all calls: {said}"
        expected = "a function of q, k and v" + (f" ({notes})" if notes else "")
        raise InputError("function", problem, expected) from None
    if junit is not None:
        from attn_tui.probing import junit as verdicts

        save(junit, "junit", verdicts.junit(diagnosis, function))
    if reproduce:
        write([diagnosis.reproduce()])
    elif form == "json":
        write(report_text(diagnosis.to_dict()))
    else:
        write([f"{diagnosis}\n"])
    return STATUSES[diagnosis.verdict]


def _arguments(options: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a probe, from the texts of options."""
    chosen: dict[str, Any] = {
        name: options[name] for name in ("decode", "extremes", "gradient", "quick") if options[name]
    }
    for name in ("dtype", "like", "layout", "hidden_rows", "config"):
        if options[name] is not None:
            chosen[name] = options[name]
    for name in _COUNTS:
        if options[name] is not None:
            chosen[name] = whole(1, 65_536).parse(name, options[name])
    for name in _REAL:
        if options[name] is not None:
            chosen[name] = _number(name, options[name])
    if options["seed"] is not None:
        chosen["seed"] = whole(0, 2**63 - 1).parse("seed", options["seed"])
    if options["lengths"] is not None:
        texts = options["lengths"].split(",")
        chosen["lengths"] = [whole(1, 8192).parse("lengths", text) for text in texts]
    if options["scale"] is not None:
        chosen["scale"] = _scale(options["scale"])
    if options["causal"]:
        chosen["causal"] = True
    if options["top_left"]:
        chosen["causal"] = "top left"
    return chosen


def _scale(text: str) -> float | str:
    """Return a number, or the text of a rule."""
    try:
        return float(text)
    except ValueError:
        return text


def _number(name: str, text: str) -> float:
    """Return a number."""
    try:
        return float(text)
    except ValueError:
        raise InputError(name, f"it is {inert(text)}", "a number") from None
