"""The options that subcommands share, and the question they ask together."""

from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

import click

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.precision import FORMATS, Precision
from attn_tui.compute.scale import RULES, parse_scale

if TYPE_CHECKING:
    from attn_tui.compute.experiment import Experiment
    from attn_tui.compute.setup import Setup

F = TypeVar("F", bound=Callable[..., Any])


class Given(TypedDict):
    """The values of `shared`, as typed; None where nothing was given."""

    scores: tuple[str, ...]
    d_k: str | None
    rule: str | None
    precision: str | None
    naive: bool | None
    experiment: str | None


class GivenGradient(Given):
    """Those of `gradient` too."""

    of: str | None
    wrt: str | None


def protected(arguments: list[str]) -> list[str]:
    """Return arguments in which nothing but ``-h`` and ``--…`` looks like an option.

    Scores such as ``-1,0,1`` get a blank in front, which the vector grammar skips and
    `unprotected` takes away again.
    """
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return [*map(_protected, arguments[:end]), *arguments[end:]]


def _protected(argument: str) -> str:
    is_option = argument.startswith("--") or argument in ("-", "-h")
    return f" {argument}" if argument.startswith("-") and not is_option else argument


def unprotected(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> str | None:
    """Return an option's value as it was typed."""
    return value[1:] if value and value.startswith(" -") else value


def option(name: str, metavar: str, text: str) -> Callable[[F], F]:
    """Return an option whose value is text, checked where it is used."""
    return click.option(name, metavar=metavar, help=text, callback=unprotected)


_SHARED: tuple[Callable[[Any], Any], ...] = (
    click.argument("scores", nargs=-1),
    option(
        "--d-k", "N", f"Dimension of a head, {D_K.minimum} to {D_K.maximum:,}.  [default: 1024]"
    ),
    option(
        "--rule",
        "NAME[:PARAMETER=VALUE]",
        f"What multiplies the scores: {', '.join(RULES)}.  [default: {next(iter(RULES))}]",
    ),
    option(
        "--precision", "FORMAT", f"Number format, {' or '.join(FORMATS)}.  [default: {FORMATS[0]}]"
    ),
    click.option(
        "--naive/--stable",
        default=None,
        help="Whether softmax omits to subtract the largest score.  [default: stable]",
    ),
    option(
        "--experiment",
        "FILE",
        "Ask what a file asks that `show --json` printed (- is standard input); SCORES and other "
        "options replace what it says.",
    ),
)

_GRADIENT = (
    option("--of", "KEY", "The key whose weight is differentiated, from 0.  [default: 0]"),
    option(
        "--wrt",
        "scores|logits",
        "What the gradient is taken with respect to.  [default: scores]",
    ),
)


def shared(command: F) -> F:
    """Add the argument SCORES and the options of every instrument."""
    return reduce(lambda inner, add: add(inner), reversed(_SHARED), command)


def gradient(command: F) -> F:
    """Add the options that choose a gradient."""
    return reduce(lambda inner, add: add(inner), reversed(_GRADIENT), command)


def whole_number(field: str, text: str, minimum: int) -> int:
    """Read a whole number.

    Raises:
        InputError: If it is none, or too small.
    """
    digits = text.strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) < 20 and int(digits) >= minimum):
        raise InputError(field, f"{inert(digits)} will not do", f"a whole number from {minimum}")
    return int(digits)


def experiment_of(given: Given, *edits: "Callable[[Setup], Setup]") -> "Experiment":
    """Return the question that SCORES and options ask, starting from a file or the example.

    Args:
        given: The shared options.
        edits: What an instrument's own options put into the setup.

    Raises:
        InputError: Naming the input that will not do.
    """
    from attn_tui.compute.experiment import Experiment
    from attn_tui.compute.source import Typed
    from attn_tui.files.draft import EXAMPLE, parse
    from attn_tui.files.readers import read_arguments, read_experiment

    scores, file = given["scores"], given["experiment"]
    if [*scores, file].count("-") > 1:
        raise InputError("scores", "standard input is asked for twice", "- once")

    def edited(setup: "Setup") -> "Setup":
        return reduce(lambda before, edit: edit(before), edits, _setup(given, setup))

    # What is wrong with an option is said before a file is read.
    edited(parse(EXAMPLE).setup)
    start = parse(EXAMPLE) if file is None else read_experiment(file)
    source = Typed(read_arguments(scores)) if scores else start.source
    return Experiment(source, edited(start.setup))


def gradient_experiment_of(given: GivenGradient) -> "Experiment":
    """Return the question with the gradient that options choose, of a key that is there.

    Raises:
        InputError: Naming the input that will not do.
    """
    from attn_tui.compute.explore import check_keys

    experiment = experiment_of(given, lambda setup: _gradient(given, setup))
    try:
        check_keys(experiment)
    except InputError as error:
        if given["of"] is None:
            raise InputError("experiment", error.problem, error.expected, "of") from None
        raise
    return experiment


def _setup(given: Given, setup: "Setup") -> "Setup":
    """Return a setup with what the options say in place of what it said."""
    precision = setup.precision
    if given["precision"] is not None:
        precision = Precision(given["precision"], precision.stable)
    if given["naive"] is not None:
        precision = replace(precision, stable=not given["naive"])
    return replace(
        setup,
        d_k=setup.d_k if given["d_k"] is None else D_K.parse(given["d_k"]),
        scale=setup.scale if given["rule"] is None else parse_scale(given["rule"]),
        precision=precision,
    )


def _gradient(given: GivenGradient, setup: "Setup") -> "Setup":
    """Return a setup with the gradient that the options say in place of what it said."""
    from attn_tui.compute.explore import Settings

    settings = setup.get(Settings)
    if given["of"] is not None:
        settings = replace(settings, of=whole_number("of", given["of"], 0))
    if given["wrt"] is not None:
        settings = Settings(settings.of, given["wrt"])  # type: ignore[arg-type]
    return setup.put(settings)
