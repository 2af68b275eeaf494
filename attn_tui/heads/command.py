"""``attn-tui heads``: statistics of the heads of a capture."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from attn_tui.compute.errors import InputError
from attn_tui.compute.field import fields_of, number, parse_wholes
from attn_tui.compute.heads.statistic import STATISTICS
from attn_tui.compute.scale import Scale, parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.console.asking import with_tokens
from attn_tui.console.options import (
    CAPTURE,
    PLOT,
    READ_AS,
    REPORT,
    RULE,
    SCALE,
    Command,
    all_of,
    any_file,
    changes_of,
    config,
    field_option,
    form_options,
    of_names,
    option,
    reading,
    tokens,
)
from attn_tui.console.output import INTERRUPTED, tell, write
from attn_tui.console.progress import until_interrupted, worked
from attn_tui.engine.settings import Settings

if TYPE_CHECKING:
    from attn_tui.compute.experiment import Experiment
    from attn_tui.compute.heads.head_model import Part
    from attn_tui.engine.plan import Plan, Selection
    from attn_tui.engine.request import Request
    from attn_tui.engine.survey import Survey
    from attn_tui.files.models.opening import Configured

HOLDS, PARTLY = 1, 3
"""Exit statuses: a --fail-if holds; or it cannot be told whether one does, since blocks failed,
rows meet NaN, or weights miss the output."""

DEFAULT = (
    "max_weight", "effective_keys", "max_logit", "first_key_mass", "dead_gradient_share",
)  # fmt: skip
"""The statistics of a report if --statistic names none."""

_EXAMPLES = """\
  attn-tui heads capture.safetensors
  attn-tui heads capture.safetensors --statistic max_logit --rows all
  attn-tui heads rank*.safetensors --softcap 50 --csv
  attn-tui heads capture.safetensors --fail-if 'max_logit > 100'
  attn-tui heads big.safetensors --rows all --scheduler tcp://host:8786

\b
Exit status: 0; 1 a --fail-if holds; 2 bad input; 3 cannot tell: parts could
not be worked off, or rows meet NaN or weights miss the output, and a
--fail-if holds nowhere else; 130 Ctrl+C, after what there is.
"""


_MASKS = {
    "auto": "captured, or what the output says",
    "none": "all keys",
    "causal": "up to the query's own",
    "given": "captured",
}

_OPTIONS: Sequence[Callable[[Any], Any]] = (
    option("--rows", "N|all", "How many rows of each head are drawn.  [default: 128]", CAPTURE),
    option("--seed", "S", "Which rows are drawn, a whole number.  [default: 1]", CAPTURE),
    option("--layer", "L,…", "Only these layers.  [default: all]", CAPTURE),
    option("--head", "H,…", "Only these heads of each layer.  [default: all]", CAPTURE),
    *READ_AS,
    config(CAPTURE),
    RULE,
    option("--scale", "M", "The multiplier itself, such as 0.125.", SCALE),
    field_option(fields_of(Scale)["softcap"], SCALE),
    option("--sink", "B", "The logit of one more key.  [default: as captured, else none]", SCALE),
    option(
        "--mask", "NAME", "Which keys are seen: none, causal, window:KEYS, given.  [default: auto]",
        SCALE, of_names(_MASKS),
    ),
    option(
        "--statistic", "NAME,…", f"Which statistics.  [default: {', '.join(DEFAULT)}]",
        REPORT,
        of_names({name: statistic.words for name, statistic in STATISTICS.items()}, lists=True),
    ),
    option("--fail-if", "CONDITION", "Status 1 if any: 'max_logit > 100'.", REPORT, multiple=True),
    PLOT,
    form_options("Print CSV: a line for each head and statistic."),
    option("--scheduler", "ADDRESS", "A Dask cluster's: tcp://host:8786, or the file it wrote."),
    tokens,
)  # fmt: skip


@click.command("heads", cls=Command, examples=_EXAMPLES, lists={"Statistics": STATISTICS})
@click.argument("captures", nargs=-1, metavar="CAPTURE...", shell_complete=any_file)
@partial(all_of, _OPTIONS)
def heads(captures: tuple[str, ...], form: str, plot: bool, ascii: bool, **options: Any) -> int:
    """Print statistics of every head of a capture, layers × heads.

    Weights are made anew from q and k, with 1/√d_k unless asked otherwise or the captured output
    says another multiplier. Ctrl+C prints what there is.
    """
    from attn_tui.console.plotting import check_plot, plotted
    from attn_tui.engine.condition import parse_condition, read_statistic
    from attn_tui.engine.plan import Plan
    from attn_tui.engine.survey import Survey
    from attn_tui.heads.plots import plots
    from attn_tui.heads.report import failing, report
    from attn_tui.report.forms import WRITERS

    if plot:
        check_plot(form)
    named = DEFAULT if options["statistic"] is None else options["statistic"].split(",")
    statistics = [*dict.fromkeys(read_statistic("statistic", name) for name in named)]
    conditions = [parse_condition("fail_if", text) for text in options["fail_if"]]
    selection = question(options)
    configured = opened(captures, options).settled(selection.layers)
    with until_interrupted() as stop:
        plan = Plan.of(configured.capture, selection, stop)
        interrupted = stop()
    if interrupted:
        result = Survey(plan)
    else:
        result, interrupted = _surveyed(plan, options["scheduler"])
    write(WRITERS[form](report(result, statistics, conditions)))
    if plot:
        write(plotted(plots(result, statistics[0]), ascii))
    if interrupted:
        return INTERRUPTED
    outcomes = [failing(result, condition) for condition in conditions]
    if any(holds for holds, _ in outcomes):
        return HOLDS
    return PARTLY if any(unknown for _, unknown in outcomes) or not result.complete else 0


def _surveyed(plan: "Plan", scheduler: str | None) -> tuple["Survey", bool]:
    """Return the survey of a plan, and whether Ctrl+C ended it early."""
    from attn_tui.engine.executors import cluster
    from attn_tui.engine.survey import Survey, survey

    if scheduler is None:
        result, interrupted = worked("heads", lambda stop: survey(plan, stop=stop))
        return result or Survey(plan), interrupted
    with cluster(scheduler) as (executor, at_once, gone):
        result, interrupted = worked(
            "heads", lambda stop: survey(plan, executor, lambda: stop() or bool(gone()), at_once)
        )
        result = result or Survey(plan)
        if gone() and result.progress < 1.0:
            tell(f"{gone()}; what was known before is printed")
    return result, interrupted


def opened(captures: Sequence[str], options: dict[str, Any]) -> "Configured":
    """Return the capture that arguments and options name.

    Raises:
        InputError: Naming the argument or option that cannot be used.
    """
    from attn_tui.files.captured import absolute
    from attn_tui.files.models.opening import open_configured

    if not captures:
        raise InputError("capture", "none is given", "a file, such as capture.safetensors")
    if options.get("scheduler") is not None:
        # A worker would look for a relative path in a folder of its own.
        captures = [*map(absolute, captures)]
    return open_configured(captures, *reading(options))


def question(options: dict[str, Any]) -> "Selection":
    """Return the question that options ask about a capture.

    Raises:
        InputError: Naming the option that cannot be used.
    """
    from attn_tui.engine.plan import Selection

    drawn = changes_of(Settings, {name: options[name] for name in ("rows", "seed")})
    selection = Selection(request=_request(options), **drawn)
    if options["layer"] is not None:
        selection = replace(
            selection, layers=tuple(sorted(parse_wholes("layer", options["layer"])))
        )
    if options["head"] is not None:
        selection = replace(selection, heads=tuple(sorted(parse_wholes("head", options["head"]))))
    return selection


def to_experiment(options: dict[str, Any]) -> "Experiment":
    """Return the question with which the Heads screen opens.

    Raises:
        InputError: Naming the option that cannot be used, or the capture that cannot be opened.
    """
    from attn_tui.files.draft import EXAMPLE, parse

    # So that the map, the table and the doctor all have the heads of the configuration.
    configured = opened(options["captures"], options).settled()
    wanted = question(options)
    first = (options["statistic"] or "").split(",")[0] or None
    settings = Settings(
        options["captures"],
        reference=options.get("reference", ()),
        layer=(wanted.layers or (None,))[0],
        head=(wanted.heads or (None,))[0],
        **changes_of(Settings, {**options, "statistic": first}),
    )
    settings = replace(settings, layouts=configured.layouts, config=configured.config)
    setup = with_tokens(Setup(scale=wanted.request.scale).put(settings), options["tokens"])
    return parse(replace(EXAMPLE, setup=setup))


def _request(options: dict[str, Any]) -> "Request":
    from attn_tui.engine.request import Request, parse_mask

    scale = Scale() if options["rule"] is None else parse_scale(options["rule"])
    if scale.is_by_layer and scale.arguments:
        problem = "each head has the rule of its own layer"
        raise InputError("rule", problem, f"{scale.rule}, without a layer")
    if options["scale"] is not None:
        if options["rule"] is not None:
            raise InputError("scale", "--rule gives the multiplier", "one of the two")
        multiplier = number(above=0.0).parse("scale", options["scale"])
        scale = Scale("temperature", (("T", 1.0 / multiplier),))
    scale = replace(scale, **changes_of(Scale, options))
    parts: set[Part] = set()
    if options["rule"] is not None or options["scale"] is not None:
        parts.add("multiplier")
    if options["softcap"] is not None:
        parts.add("softcap")
    if options["sink"] is not None:
        parts.add("sink")
    mask = None if options["mask"] is None else parse_mask(options["mask"].strip())
    return Request(scale, frozenset(parts), mask)
