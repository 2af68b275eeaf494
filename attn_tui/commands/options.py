"""The options that subcommands share, grouped as ``--help`` shows them."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial, reduce
from typing import Any, TypeVar

import click

from attn_tui.commands.completion import Complete, experiment_files, matrices, of_names, scores
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.field import Field, fields_of
from attn_tui.compute.models import NAMED
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import RULES, Scale
from attn_tui.compute.setup import Setup
from attn_tui.instruments import INSTRUMENTS

F = TypeVar("F", bound=Callable[..., Any])

SCORES, CAPTURE, EXPECTED, DRAWS, SCALE, PRECISION, GRADIENT, REPORT, SCREEN, OTHER = GROUPS = (
    "Where scores come from",
    "What of a capture",
    "What is expected",
    "What is drawn",
    "From scores to softmax",
    "Number formats",
    "Gradient",
    "Report",
    "Screen",
    "Other",
)
"""Groups of options, in their order."""


class Given(dict[str, Any]):
    """The values of options and SCORES, as typed; None for what was not given."""

    def __missing__(self, name: str) -> None:
        """Return nothing for what is no option of this command."""


class Option(click.Option):
    """An option with the group it stands in."""

    def __init__(self, *arguments: Any, group: str = OTHER, **given: Any) -> None:
        super().__init__(*arguments, **given)
        self.group = group


class Command(click.Command):
    """A command whose help shows its options in groups, and ends with examples.

    That of an instrument opens its screen where ``--screen`` is given.
    """

    def __init__(self, *arguments: Any, examples: str = "", **given: Any) -> None:
        super().__init__(*arguments, **given)
        self.epilog = f"\b\nExamples:\n{examples}"
        self.instrument = next((one for one in INSTRUMENTS if one.command_name == self.name), None)
        if self.instrument is not None:
            text = "Open the screen on it, unless standard output is no terminal."
            self.params.append(Option(["--screen"], group=SCREEN, is_flag=True, help=text))

    def invoke(self, ctx: click.Context) -> Any:
        """Print a report, or open the screen."""
        if self.instrument is not None and ctx.params.pop("screen"):
            from attn_tui.commands.screen import open_instrument

            status = open_instrument(self.instrument, ctx.params)
            if status is not None:
                return status
        return super().invoke(ctx)

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


def needed(field: str, expected: str) -> Callable[..., Any]:
    """Return what checks that an argument is given, and else says what it may be."""

    def check(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
        if value is None and not context.resilient_parsing:
            raise InputError(field, "none is given", expected)
        return value

    return check


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


def forms(csv: str = "") -> Callable[[F], F]:
    """Return the options that choose ``form``: ``"csv"``, ``"json"``, or neither, ``"text"``.

    Args:
        csv: What ``--csv`` does; empty where there is none.
    """
    chosen = _one_of("--csv", "--json", "text")
    form = partial(click.option, cls=Option, group=REPORT, multiple=True, callback=chosen)
    as_csv = [form("--csv", "form", flag_value="csv", help=csv)] if csv else []
    return partial(all_of, [*as_csv, form("--json", "form", flag_value="json", help="Print JSON.")])


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


def field_option(field: Field, group: str = OTHER) -> Callable[[F], F]:
    """Return the option of a field: its value is text, or of a switch yes, no or nothing."""
    kind = field.kind
    text = (field.help[0].upper() if field.help[0].isascii() else field.help[0]) + field.help[1:]
    if "/" in field.option:
        default = field.option.split("/")[not field.default].removeprefix("--")
        return flag(field.option, f"{text}.  [default: {default}]", group)
    text += f": {kind.expected}.  [default: {kind.text(field.default)}]"
    complete = of_names(kind.choices) if kind.choices else None
    return option(field.option, field.metavar or kind.metavar, text, group, complete)


def field_options(kind: type, group: str) -> tuple[Callable[[Any], Any], ...]:
    """Return the options of the fields of a dataclass that have one to themselves."""
    own = (field for field in fields_of(kind).values() if field.option and not field.fed)
    return tuple(field_option(field, group) for field in own)


def changes_of(kind: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what options say of the fields of a dataclass, by name.

    Raises:
        InputError: Naming the option that will not do.
    """
    return {
        name: field.kind.parse(field.parameter, value) if isinstance(value, str) else value
        for name, field in fields_of(kind).items()
        if field.option and not field.fed and (value := given.get(field.parameter)) is not None
    }


_scores = partial(option, group=SCORES)

RULE = option(
    "--rule",
    "NAME[:PARAMETER=VALUE]",
    f"What multiplies the scores: {', '.join(RULES)}.  [default: {next(iter(RULES))}]",
    SCALE,
    of_names({name: rule.formula for name, rule in RULES.items()}),
)

READ_AS: tuple[Callable[[Any], Any], ...] = (
    option(
        "--layout",
        "AXES|PART=AXES,…",
        "The axes of tensors, of b, h, n and d: bnhd, or out=bnhd.  [default: what fits]",
        CAPTURE,
    ),
    option(
        "--names",
        "PATTERN",
        "What tensors are called, such as 'model.layers.{layer}.self_attn.{part}'.",
        CAPTURE,
    ),
)
"""Options that say how a capture is read."""


def config(group: str) -> Callable[[F], F]:
    """Return the option that names the configuration of a captured model."""
    return option(
        "--config",
        "FILE",
        "What the heads of the capture should be: a config.json of transformers, the folder of "
        "one, or a GGUF file.  [default: what the capture says of itself, else the config.json "
        "beside it]",
        group,
        experiment_files,
    )


def reading(given: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return how a capture is read, as options say: layouts, names and the configuration."""
    layouts, names, file = (given[name] or "" for name in ("layout", "names", "config"))
    return layouts, names, file


tokens = option(
    "--tokens",
    "FILE",
    "What queries and keys are called in Attention: a file with one token a line, or a JSON list.",
    SCORES,
    experiment_files,
)


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
    *field_options(Setup, SCALE),
    RULE,
    option(
        "--model",
        "NAME",
        "The d_k and the scale of a model, such as gpt-2 or gemma-2-27b, but for what is given "
        "beside it.",
        SCALE,
        of_names(NAMED.choices),
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
    click.option(
        "--capture",
        cls=Option,
        group=SCORES,
        metavar="FILE",
        multiple=True,
        default=(),
        help="Take q and K from a head that a model computed: a .safetensors, .npz, .npy or HDF5 "
        "file, or one of several.",
        shell_complete=experiment_files,
    ),
    _scores("--layer", "L", "Its layer.  [default: 0]"),
    _scores("--head", "H", "Its head.  [default: 0]"),
    _scores("--row", "R", "One query of it alone.  [default: all]"),
    _scores("--batch", "B", "Which sequence of the capture.  [default: 0]"),
    _scores("--layout", "AXES|PART=AXES,…", "The axes of its tensors: bnhd, or out=bnhd."),
    _scores("--names", "PATTERN", "What its tensors are called, such as '{layer}.attn.{part}'."),
    config(SCORES),
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
    *field_options(Scale, SCALE),
    *field_options(Precision, PRECISION),
)


def settings(kind: type, group: str) -> Callable[[F], F]:
    """Return what adds the options of an instrument's settings."""
    return partial(all_of, field_options(kind, group))


def all_of(options: Iterable[Callable[[Any], Any]], command: F) -> F:
    """Add options to a command, the first of which stand first."""
    return reduce(lambda inner, add: add(inner), reversed((*options,)), command)


def shared(command: F) -> F:
    """Add the argument SCORES and the options of every instrument."""
    return all_of(_SHARED, command)


def setup(command: F) -> F:
    """Add the options of instruments that draw by themselves: d_k, the rule, where to start."""
    return all_of((experiment(DRAWS), *_SETUP), command)
