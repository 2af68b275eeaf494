"""``attn-tui sweep``: drawn vectors over d_k, over n or over both, as text, CSV or JSON."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import click

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.field import fields_of
from attn_tui.compute.log_scale import D_K, N_KEYS
from attn_tui.compute.mask import Mask
from attn_tui.compute.rules import RULES
from attn_tui.compute.scale import NONE
from attn_tui.compute.setup import FIELDS as SETUP
from attn_tui.compute.setup import Setup
from attn_tui.compute.sweep.settings import (
    LISTED,
    STATISTICS,
    Settings,
    SweepStatistic,
    SweptAxis,
    SweptRange,
    compared,
    draws_at,
)
from attn_tui.console.options import (
    DRAWS,
    PLOT,
    REPORT,
    SCALE,
    Command,
    Option,
    changes_of,
    experiment,
    field_option,
    flag,
    form_options,
    of_names,
    option,
    settings,
)

if TYPE_CHECKING:
    from attn_tui.compute.errors import Stop
    from attn_tui.compute.experiment import Experiment
    from attn_tui.compute.sweep.answer import Answer

_Read = Callable[[dict[str, Any], Settings, int], tuple[int, dict[str, Any]]]

FIELDS = fields_of(Settings)

_flag = partial(click.option, cls=Option, group=REPORT, is_flag=True)
_drawn = partial(option, group=DRAWS)


def _statistics() -> dict[str, str]:
    from attn_tui.compute.sweep.readouts import READOUTS

    return {name: named.words for name, named in READOUTS.items()}


_EXAMPLES = """\
  attn-tui sweep --n 512 --d-k 1:8192 --rules none,inverse-sqrt
  attn-tui sweep --over n --n 2:4096 --d-k 64 --statistic entropy
  attn-tui sweep --over n --d-k 64 --lead 5 --statistic lead_weight
  attn-tui sweep --map --ratio
  attn-tui sweep --crossover --n 2,8,512
"""


@click.command(
    "sweep", cls=Command, examples=_EXAMPLES, lists={"Rules": RULES, "Statistics": STATISTICS}
)
@_drawn(
    "--n",
    "N|LOW:HIGH[@N]",
    "How many keys; a list with --crossover.  [default: 64; swept 2:4096@64]",
)
@_drawn(
    "--d-k",
    "LOW:HIGH[@N]|N",
    "Dimension of a head; @N is looked at.  [default: 1024; swept 1:8192@1024]",
)
@_drawn(
    "--over",
    "d_k|n",
    "What to sweep.  [default: n if only --n is a range, else d_k]",
    complete=of_names({"d_k": "dimension of a head", "n": "number of keys"}),
)
@_drawn("--points", "N", "At how many places; of a map, each side.  [default: 27; 14]")
@settings(Settings, DRAWS)
@field_option(SETUP["sigma_q"], DRAWS)
@field_option(SETUP["sigma_k"], DRAWS)
@field_option(SETUP["lead"], DRAWS)
@experiment(DRAWS)
@option(
    "--rules",
    "NAME,NAME:…",
    "Rules to compare.  [default: none,inverse-sqrt]",
    SCALE,
    of_names({name: rule.formula for name, rule in RULES.items()}, lists=True),
)
@flag(
    "--qk-norm/--no-qk-norm",
    "Whether q and k are normalised first.  [default: no]",
    SCALE,
)
@option("--sink", "B", "A sink beside key 0, for lead_weight.  [default: none]", SCALE)
@option(
    "--statistic",
    "NAME,…",
    "What of.  [default: gradient; all in CSV and JSON]",
    REPORT,
    of_names(_statistics, lists=True),
)
@_flag("--map", "is_map", help="Sweep n and d_k both.")
@_flag("--ratio", help="Print unscaled over each rule, too.")
@_flag("--crossover", help="Print only where removing a rule shrinks median gradients.")
@PLOT
@form_options("Print CSV.")
def sweep(form: str, crossover: bool, plot: bool, ascii: bool, **options: Any) -> int:
    """Print what drawn vectors say over d_k or n under several scale rules.

    Ctrl+C prints what there is.
    """
    from attn_tui.compute.sweep.answer import answer
    from attn_tui.console.answering import print_answer
    from attn_tui.sweep.plots import plots
    from attn_tui.sweep.report import crossover_report, report

    if crossover and plot:
        raise InputError("plot", "--crossover has no picture", "one of the two")
    if crossover:
        answers = partial(_crossovers, crossover_experiment(options))
        return print_answer("crossovers", answers, crossover_report, form)
    experiment, chosen = to_experiment(options), options["statistic"]
    statistics = () if chosen is None else read_statistics(chosen)
    return print_answer(
        "sweep", partial(answer, experiment), lambda drawn: report(drawn, statistics), form,
        plots=plots if plot else None, ascii=ascii,
    )  # fmt: skip


def to_experiment(options: dict[str, Any]) -> "Experiment":
    """Return the experiment that the options of a sweep describe; ``--crossover`` is not read.

    Raises:
        InputError: Naming the option that cannot be used.
    """
    return _experiment(options, _changes)


def _experiment(options: dict[str, Any], read: _Read) -> "Experiment":
    """Return the experiment that options describe, starting from that of a file if one is given.

    Args:
        options: The options.
        read: Takes the options, the initial settings and the initial d_k; returns the new d_k and
            the changed settings.

    Raises:
        InputError: Naming the option that cannot be used.
    """
    from attn_tui.compute.experiment import Experiment
    from attn_tui.compute.source import Drawn

    setup = Setup()
    if options["experiment"] is not None:
        from attn_tui.files.codec import read_experiment

        # A sweep uses no mask, and the file's might name keys that its vectors do not have.
        setup = replace(read_experiment(options["experiment"], Drawn()).setup, mask=Mask())
    if options["qk_norm"] is not None:
        setup = replace(setup, scale=replace(setup.scale, qk_norm=options["qk_norm"]))
    for name in ("sigma_q", "sigma_k", "lead", "sink"):
        if options[name] is not None:
            field = SETUP[name]
            part: Any = setup.get(field.owner)
            value = field.kind.parse(name, options[name])
            setup = setup.put(replace(part, **{name: value}))
    start = setup.get(Settings)
    d_k, changes = read(options, start, setup.d_k)
    if options["rules"] is not None:
        changes["rules"] = LISTED.parse("rules", options["rules"])
    wanted = replace(start, **changes_of(Settings, options), **changes)
    # `show --experiment` on the printed JSON then draws one of these vectors.
    n = wanted.n_range[1] if wanted.over == "n" else wanted.n
    return Experiment(Drawn(n, wanted.seed), replace(setup, d_k=d_k).put(wanted))


def _changes(options: dict[str, Any], start: Settings, d_k: int) -> tuple[int, dict[str, Any]]:
    """Return the d_k at which n is swept, and the changed settings."""
    is_map = options["is_map"] or (start.view == "map" and options["over"] is None)
    over = _over(options, start.over)
    changes: dict[str, Any] = {
        "view": "map" if is_map else "curves",
        "ratio": start.ratio or options["ratio"],
        "over": over,
    }
    n, swept = options["n"], options["d_k"]
    if n is not None:
        changes |= n_changes(n, "range" if is_map or over == "n" else "number")
    if swept is not None and not is_map and over == "n":
        d_k = D_K.parse(swept)
    elif swept is not None:
        d_ks = SweptRange.parse("d_k_range", D_K, swept)
        changes["d_k_range"], d_k = d_ks.ends, d_ks.at or d_k
    if options["points"] is not None:
        field = FIELDS["map_points" if is_map else "points"]
        changes[field.name] = field.kind.parse("points", options["points"])
    if options["statistic"] is not None:
        changes["statistic"] = read_statistics(options["statistic"])[0]
    return d_k, changes


def _crossover_changes(
    options: dict[str, Any], start: Settings, d_k: int
) -> tuple[int, dict[str, Any]]:
    """Return d_k unchanged, and the n to search for crossovers: always at least one."""
    if options["n"] is not None:
        return d_k, n_changes(options["n"], "list")
    return d_k, {"crossover_n": start.crossover_n or (start.n,)}


def n_changes(text: str, wanted: Literal["number", "range", "list"]) -> dict[str, Any]:
    """Return the settings that ``--n`` changes: a number, a range to sweep or a list.

    A range may end in the n at the cursor: ``2:4096@64``.

    Args:
        text: As typed.
        wanted: What the option has to be. One number also counts as a range of one place, and as
            a list of one.

    Raises:
        InputError: With field ``"n"``, if the text is of another kind.
    """
    if wanted == "range":
        ns = SweptRange.parse("n_range", N_KEYS, text)
        return {"n_range": ns.ends} | ({"n": ns.at} if ns.at else {})
    if wanted == "number":
        if is_range(text):
            raise InputError("n", "a range is not one number", "a number, --over n or --map")
        return {"n": N_KEYS.parse(text)}
    if is_range(text):
        problem = f"{inert(text.strip())} is a range"
        raise InputError("n", problem, "with --crossover a list such as 2,8,512")
    # An empty text gives an empty list; parsing it as a number refuses it.
    listed = FIELDS["crossover_n"].kind.parse("n", text) or (N_KEYS.parse(text),)
    return {"n": listed[0], "crossover_n": listed}


def is_range(text: str) -> bool:
    """Return whether a text is meant as a range: whether it has a colon."""
    return ":" in text


def _over(options: dict[str, Any], start: SweptAxis) -> SweptAxis:
    """Return the axis to sweep: that of ``--over``, else the option that is a range."""
    if options["over"] is not None and options["is_map"]:
        raise InputError("over", "--map sweeps both", "one of the two")
    if options["over"] is not None:
        over: SweptAxis = FIELDS["over"].kind.parse("over", options["over"])
        return over
    if options["is_map"]:
        return start
    n_is_range, d_k_is_range = (is_range(options[name] or "") for name in ("n", "d_k"))
    if n_is_range and d_k_is_range:
        raise InputError("n", "both --n and --d-k are ranges", "--map, or one of them a number")
    if n_is_range:
        return "n"
    if d_k_is_range or options["n"] is not None:
        return "d_k"
    return start


def read_statistics(text: str) -> tuple[SweepStatistic, ...]:
    """Read names of statistics separated by commas.

    Raises:
        InputError: If a name is not that of a statistic, or is repeated.
    """
    read = FIELDS["statistic"].kind.parse
    names = [read("statistic", part) for part in text.split(",")]
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError("statistic", f"{twice[0]} stands twice", "each statistic once")
    return tuple(names)


def crossover_experiment(options: dict[str, Any]) -> "Experiment":
    """Return the experiment that the options of a sweep describe with ``--crossover``.

    Raises:
        InputError: Naming the option that cannot be used.
    """
    for name in ("d_k", "over", "points", "statistic"):
        if options[name] is not None:
            problem = "--crossover looks at all of them"
            raise InputError(name, problem, "--n, --rules, --draws and --seed beside it")
    for name, field in (("is_map", "map"), ("ratio", "ratio"), ("qk_norm", "qk_norm")):
        if options[name]:
            raise InputError(field, "--crossover shows none", "one of the two")
    return _experiment(options, _crossover_changes)


def _crossovers(experiment: "Experiment", stop: "Stop") -> "Iterator[Answer]":
    """Yield answers that have the crossovers at every n of the settings, and no points."""
    from attn_tui.compute.sweep.answer import Answer
    from attn_tui.compute.sweep.crossover import crossovers, search_cost
    from attn_tui.compute.sweep.points import Points

    settings, setup = experiment.setup.get(Settings), experiment.setup
    rules = [rule for rule in compared(settings, setup.scale) if rule != NONE]
    if not rules:
        raise InputError("rules", "there is only none", "a rule that is removed")
    pairs = [(n, rule) for n in dict.fromkeys(settings.crossover_n) for rule in rules]
    total = sum(search_cost(n, draws_at(settings, n)) for n, _ in pairs)
    for spent, crossings in crossovers(pairs, settings, setup.sigmas, setup.lead):
        yield Answer(experiment, settings, tuple(rules), Points(), (), crossings, spent / total)
        if stop():
            return
