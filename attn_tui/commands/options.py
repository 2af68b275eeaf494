"""The options that subcommands share, grouped as ``--help`` shows them."""

from collections.abc import Callable, Iterable
from functools import partial, reduce
from typing import Any, TypedDict, TypeVar

import click

from attn_tui.commands.completion import Complete, experiment_files, matrices, of_names, scores
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.models import MODELS
from attn_tui.compute.precision import FORMATS
from attn_tui.compute.scale import RULES

F = TypeVar("F", bound=Callable[..., Any])

SCORES, DRAWS, SCALE, PRECISION, GRADIENT, REPORT, SCREEN, OTHER = GROUPS = (
    "Where scores come from",
    "What is drawn",
    "From scores to softmax",
    "Number formats",
    "Gradient",
    "Report",
    "Screen",
    "Other",
)
"""Groups of options, in their order."""


class Given(TypedDict):
    """The values of `shared`, as typed; None where nothing was given."""

    scores: tuple[str, ...]
    draw: str | None
    seed: str | None
    vectors: str | None
    query: str | None
    keys: str | None
    values: str | None
    mask: str | None
    example: str | None
    experiment: str | None
    d_k: str | None
    rule: str | None
    model: str | None
    softcap: str | None
    sink: str | None
    qk_norm: bool | None
    precision: str | None
    naive: bool | None
    arithmetic: str | None
    round_scores: str | None
    round_vectors: str | None


class GivenSetup(TypedDict):
    """The values of `setup`, as typed; None where nothing was given."""

    experiment: str | None
    d_k: str | None
    rule: str | None
    model: str | None


class GivenGradient(Given):
    """Those of `gradient` too."""

    of: str | None
    wrt: str | None


class Option(click.Option):
    """An option with the group it stands in."""

    def __init__(self, *arguments: Any, group: str = OTHER, **given: Any) -> None:
        super().__init__(*arguments, **given)
        self.group = group


class Command(click.Command):
    """A command whose help shows its options in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options."""
        write_options(self.get_params(ctx), ctx, formatter)


def write_options(
    parameters: Iterable[click.Parameter], ctx: click.Context, formatter: click.HelpFormatter
) -> None:
    """Write a section for each group of options."""
    records: dict[str, list[tuple[str, str]]] = {group: [] for group in GROUPS}
    for parameter in parameters:
        record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
        if record:
            records[getattr(parameter, "group", OTHER)].append(record)
    for group, found in records.items():
        if found:
            with formatter.section(group):
                formatter.write_dl(found)


def protected(arguments: list[str]) -> list[str]:
    """Return arguments in which nothing but ``-h``, ``-x`` and ``--…`` looks like an option.

    Scores such as ``-1,0,1`` get a blank in front, which the vector grammar skips and
    `unprotected` takes away again.
    """
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return [*map(_protected, arguments[:end]), *arguments[end:]]


def _protected(argument: str) -> str:
    is_letter = len(argument) == 2 and argument[1].isalpha()
    is_option = argument.startswith("--") or argument == "-" or is_letter
    return f" {argument}" if argument.startswith("-") and not is_option else argument


def unprotected(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> str | None:
    """Return an option's value as it was typed.

    Raises:
        InputError: If there is the next option in its place.
    """
    if value and value.startswith("--"):
        raise InputError(str(parameter.name), f"{inert(value)} is an option", "a value before it")
    return value[1:] if value and value.startswith(" -") else value


def option(
    name: str, metavar: str, text: str, group: str = OTHER, complete: Complete | None = None
) -> Callable[[F], F]:
    """Return an option whose value is text, checked where it is used."""
    return click.option(
        name,
        cls=Option,
        group=group,
        metavar=metavar,
        help=text,
        callback=unprotected,
        shell_complete=complete,
    )


def forms(csv: str) -> Callable[[F], F]:
    """Return the options that choose ``form``: ``"csv"``, ``"json"``, or neither, ``"text"``.

    Args:
        csv: What ``--csv`` does.
    """
    chosen = _one_of("--csv", "--json", "text")
    form = partial(click.option, cls=Option, group=REPORT, multiple=True, callback=chosen)
    as_csv = form("--csv", "form", flag_value="csv", help=csv)
    as_json = form("--json", "form", flag_value="json", help="Print JSON.")
    return lambda command: as_csv(as_json(command))


def flag(names: str, text: str, group: str = OTHER) -> Callable[[F], F]:
    """Return an option that says yes or no, or nothing."""
    chosen = _one_of(*names.split("/"))
    kinds: dict[str, Any] = {"multiple": True, "default": None, "callback": chosen}
    return click.option(names, cls=Option, group=group, help=text, **kinds)


def _one_of(one: str, other: str, *default: str) -> Callable[..., Any]:
    """Return what checks that not both of two options are given, and gives what one stands for."""

    def chosen(context: click.Context, parameter: click.Parameter, given: tuple[Any, ...]) -> Any:
        if len(set(given)) > 1:
            raise click.UsageError(f"{one} and {other} exclude each other", context)
        return next(iter((*given, *default)), None)

    return chosen


_scores = partial(option, group=SCORES)
_scale = partial(option, group=SCALE)
_precision = partial(option, group=PRECISION)
_formats = of_names(dict.fromkeys(FORMATS, ""))
_FORMATS = f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}"


def _examples() -> dict[str, str]:
    from attn_tui.files.examples import EXAMPLES

    return {name: example.title for name, example in EXAMPLES.items()}


def experiment(group: str) -> Callable[[F], F]:
    """Return the option that starts from a file."""
    return option(
        "--experiment",
        "FILE",
        "Ask what a file asks that --json printed (- is standard input); what is given beside it "
        "replaces what it says.",
        group,
        experiment_files,
    )


_SETUP: tuple[Callable[[Any], Any], ...] = (
    _scale(
        "--d-k", "N", f"Dimension of a head, {D_K.minimum} to {D_K.maximum:,}.  [default: 1024]"
    ),
    _scale(
        "--rule",
        "NAME[:PARAMETER=VALUE]",
        f"What multiplies the scores: {', '.join(RULES)}.  [default: {next(iter(RULES))}]",
        complete=of_names({name: rule.formula for name, rule in RULES.items()}),
    ),
    _scale(
        "--model",
        "NAME",
        "The d_k and the scale of a model, such as gpt-2 or gemma-2-27b.",
        complete=of_names({name: model.title for name, model in MODELS.items()}),
    ),
)

_SHARED: tuple[Callable[[Any], Any], ...] = (
    click.argument("scores", nargs=-1, shell_complete=scores),
    _scores("--draw", "N", "Draw scores of N keys at random: q·k, standard normal entries."),
    _scores("--seed", "S", "What is drawn, a whole number.  [default: 1]"),
    _scores("--vectors", "M", "How many vectors are drawn.  [default: 1]"),
    _scores(
        "--query",
        "Q",
        "Take scores from q and K: rows such as 1,0 or [[1,0],[0,1]], or @FILE.",
        complete=matrices,
    ),
    _scores(
        "--keys",
        "K",
        "A row for each key, as long as those of q; several need brackets, as in [[1,0],[0,1]], "
        "or lines of their own.",
        complete=matrices,
    ),
    _scores(
        "--values",
        "V",
        "A row for each key, as in K, to be multiplied by weights.",
        complete=matrices,
    ),
    _scores("--mask", "KEYS", "Keys that are masked, such as 2,5:8 or causal.  [default: none]"),
    _scores(
        "--example",
        "NAME",
        "Ask what an example asks, such as ties or thousand; what is given beside it replaces "
        "what it says.",
        complete=of_names(_examples),
    ),
    experiment(SCORES),
    *_SETUP,
    _scale("--softcap", "C", "Cap the logits: z = C·tanh(m·s/C).  [default: none]"),
    _scale("--sink", "B", "Add a key with logit B and no value.  [default: none]"),
    flag(
        "--qk-norm/--no-qk-norm",
        "Whether q and k are normalised before their product.  [default: no]",
        SCALE,
    ),
    _precision(
        "--precision",
        "FORMAT",
        f"What softmax is computed in: {_FORMATS}.  [default: {FORMATS[0]}]",
        complete=_formats,
    ),
    flag(
        "--naive/--stable",
        "Whether softmax omits to subtract the largest score.  [default: stable]",
        PRECISION,
    ),
    _precision(
        "--arithmetic",
        "fused|stepwise",
        "Whether 16 bits round logits and weights, or every operation.  [default: fused]",
        complete=of_names({"fused": "as hardware does", "stepwise": "every operation"}),
    ),
    _precision(
        "--round-scores",
        "FORMAT",
        f"What scores are rounded to first.  [default: {FORMATS[0]}]",
        complete=_formats,
    ),
    _precision(
        "--round-vectors",
        "FORMAT",
        f"What q and k are rounded to before their product.  [default: {FORMATS[0]}]",
        complete=_formats,
    ),
)

_GRADIENT = (
    option(
        "--of", "KEY", "The key whose weight is differentiated, from 0.  [default: 0]", GRADIENT
    ),
    option(
        "--wrt",
        "scores|logits",
        "What the gradient is taken with respect to.  [default: scores]",
        GRADIENT,
        of_names({"scores": "s", "logits": "z"}),
    ),
)


def shared(command: F) -> F:
    """Add the argument SCORES and the options of every instrument."""
    return reduce(lambda inner, add: add(inner), reversed(_SHARED), command)


def setup(command: F) -> F:
    """Add the options of instruments that draw by themselves: d_k, the rule, where to start."""
    return reduce(lambda inner, add: add(inner), reversed((experiment(DRAWS), *_SETUP)), command)


def gradient(command: F) -> F:
    """Add the options that choose a gradient."""
    return reduce(lambda inner, add: add(inner), reversed(_GRADIENT), command)
