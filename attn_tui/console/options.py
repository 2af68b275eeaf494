"""Options that subcommands share, grouped as in ``--help``, and their completion."""

from __future__ import annotations  # CompletionItem takes a parameter from click 8.5 on

import gc
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial, reduce
from typing import Any, TypeVar

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.field import Field, fields_of
from attn_tui.compute.models import NAMED
from attn_tui.compute.precision import Precision
from attn_tui.compute.rules import RULES
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.console.arguments import HELP_NAMES, SCREEN_IS_ADDED
from attn_tui.instruments import INSTRUMENTS

F = TypeVar("F", bound=Callable[..., Any])

Complete = Callable[[click.Context, click.Parameter, str], list["CompletionItem[str]"]]

Names = Mapping[str, str]
"""Names and their meanings."""

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
"""Groups of options, in the order of ``--help``."""


class Options(dict[str, Any]):
    """The values of options and SCORES, as typed; None for those not given."""

    def __missing__(self, name: str) -> None:
        """Return None for an option that this command does not have."""


class Option(click.Option):
    """An option that belongs to a group."""

    def __init__(self, *arguments: Any, group: str = OTHER, **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.group = group


def of_names(names: Names | Callable[[], Names], lists: bool = False) -> Complete:
    """Return the completion of a name, or of the last name in a comma-separated list.

    A function in place of the names is called when completion needs them.
    """

    def complete(
        context: click.Context, parameter: click.Parameter, typed: str
    ) -> list[CompletionItem[str]]:
        before, comma, last = typed.rpartition(",") if lists else ("", "", typed)
        every = names() if callable(names) else names
        taken = before.split(",")
        return [
            CompletionItem(before + comma + name, help=meaning or None)
            for name, meaning in every.items()
            if name.startswith(last) and name not in taken
        ]

    return complete


def _themes() -> Names:
    from textual.theme import BUILTIN_THEMES

    return dict.fromkeys(BUILTIN_THEMES, "")


THEME_HELP = "Its colours, such as textual-light.  [default: as chosen last]"

themed = click.option(
    "--theme", cls=Option, group=SCREEN, metavar="NAME", shell_complete=of_names(_themes),
    help=THEME_HELP,
)  # fmt: skip
"""Gives a command that opens a screen of its own the option of its theme."""

SCREEN_OPTIONS = (
    Option(
        ["--screen"], group=SCREEN, is_flag=True, help="Open the screen on it, where there is one."
    ),
    Option(
        ["--theme"], group=SCREEN, metavar="NAME", shell_complete=of_names(_themes),
        help=THEME_HELP,
    ),
    Option(
        ["--no-mouse"], group=SCREEN, is_flag=True, help="Leave the mouse to the terminal."
    ),
    Option(["--ascii"], group=SCREEN, is_flag=True, help="Draw in ASCII, as under TERM=linux."),
    # The help of the program and docs/sessions.md have these; they are the same everywhere.
    Option(["--resume"], group=SCREEN, is_flag=True, hidden=True, help="Take up the last session."),
    Option(["--fresh"], group=SCREEN, is_flag=True, hidden=True, help="Offer no session."),
    Option(
        ["--session"], group=SCREEN, metavar="FILE", hidden=True, type=click.Path(),
        help="Take up a session, and keep it current.",
    ),
)  # fmt: skip
"""Options for opening the screen of an instrument."""


def _is_typed(context: click.Context, name: str) -> bool:
    """Return whether an option or argument stands on the command line."""
    return context.get_parameter_source(name) is not ParameterSource.DEFAULT


class Command(click.Command):
    """A command whose help groups its options and ends with examples.

    The command of an instrument opens its screen if ``--screen`` is given: the program's context
    has the function that does so.

    Args:
        examples: Command lines.
        lists: Long lists of names that options take, by title, shown below the options.
    """

    def __init__(
        self,
        *arguments: Any,
        examples: str = "",
        lists: Mapping[str, Iterable[str]] | None = None,
        **attributes: Any,
    ) -> None:
        super().__init__(*arguments, **attributes)
        # Click keeps these names from the first call, which may be without the program's context.
        self.context_settings["help_option_names"] = HELP_NAMES
        named = [f"{title}: {', '.join(names)}." for title, names in (lists or {}).items()]
        self.epilog = "\n\n".join([*named, f"\b\nExamples:\n{examples}"])
        self.instrument = next((one for one in INSTRUMENTS if one.command_name == self.name), None)
        if self.instrument is not None:
            self.params += SCREEN_OPTIONS

    def invoke(self, ctx: click.Context) -> Any:
        """Print a report, or open the screen."""
        if self.instrument is not None:
            looks = {str(option.name): ctx.params.pop(option.name) for option in SCREEN_OPTIONS}
            if looks.pop("screen"):
                # The screen shows these options as a command line.
                is_asked = not ctx.meta.get(SCREEN_IS_ADDED, False)
                has_question = is_asked or any(map(partial(_is_typed, ctx), ctx.params))
                asked = {name: value for name, value in ctx.params.items() if name != "plot"}
                ctx.obj(
                    self.instrument, asked, is_asked=is_asked, has_question=has_question,
                    **looks,
                )  # fmt: skip
            if "plot" in ctx.params:
                ctx.params["ascii"] = looks["ascii"]
        gc.enable()
        return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a section for each group of options."""
        records: dict[str, list[tuple[str, str]]] = {group: [] for group in GROUPS}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record:
                records[getattr(parameter, "group", OTHER)].append(record)
        for group, texts in records.items():
            if texts:
                with formatter.section(group):
                    formatter.write_dl(texts)


def any_file(
    context: click.Context, parameter: click.Parameter, typed: str
) -> list[CompletionItem[str]]:
    """Complete any file."""
    return [CompletionItem(typed, type="file")]


def unprotected(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> str | None:
    """Return an option's value as it was typed.

    Raises:
        InputError: If the value is missing and the next option took its place.
    """
    if value and value.startswith("--"):
        raise InputError(str(parameter.name), f"{inert(value)} is an option", "a value before it")
    return value[1:] if value and value.startswith(" -") else value


def needed(field: str, expected: str) -> Callable[..., Any]:
    """Return a callback that requires an argument, and says what may be given."""

    def check(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
        if value is None and not context.resilient_parsing:
            raise InputError(field, "none is given", expected)
        return value

    return check


def option(
    name: str,
    metavar: str,
    text: str,
    group: str = OTHER,
    complete: Complete | None = None,
    multiple: bool = False,
) -> Callable[[F], F]:
    """Return an option whose value is text; whoever uses it checks it."""
    return click.option(
        name,
        cls=Option,
        group=group,
        metavar=metavar,
        help=text,
        callback=None if multiple else unprotected,
        shell_complete=complete,
        multiple=multiple,
    )


def switch(name: str, text: str, group: str = OTHER) -> Callable[[F], F]:
    """Return an option without a value."""
    return click.option(name, cls=Option, group=group, is_flag=True, help=text)


PLOT = click.option(
    "--plot", cls=Option, group=REPORT, is_flag=True, help="Print its pictures, too."
)
"""The option that prints pictures below a report."""


def form_options(csv: str = "") -> Callable[[F], F]:
    """Return the options that set ``form``, which is ``"text"``, to ``"csv"`` or ``"json"``.

    Args:
        csv: The help of ``--csv``; empty if the command has no CSV.
    """
    form = partial(click.option, cls=Option, group=REPORT, default="text")
    as_csv = [form("--csv", "form", flag_value="csv", help=csv)] if csv else []
    return partial(all_of, [*as_csv, form("--json", "form", flag_value="json", help="Print JSON.")])


def flag(names: str, text: str, group: str = OTHER) -> Callable[[F], F]:
    """Return an option that is yes, no or not given."""
    return click.option(names, cls=Option, group=group, help=text, default=None)


def field_option(field: Field, group: str = OTHER) -> Callable[[F], F]:
    """Return the option of a field; that of a switch is yes, no or not given."""
    kind = field.kind
    # The rest of the help is for the settings panel, which has room for it.
    text = re.split(r"[,;:] | \(", field.help)[0]
    if text[0].isascii():
        text = text[0].upper() + text[1:]
    if "/" in field.option:
        default = field.option.split("/")[not field.default].removeprefix("--")
        return flag(field.option, f"{text}.  [default: {default}]", group)
    text += f".  [default: {kind.text(field.default)}]"
    complete = of_names(kind.choices) if kind.choices else None
    return option(field.option, field.metavar or kind.metavar, text, group, complete)


def field_options(kind: type, group: str) -> tuple[Callable[[Any], Any], ...]:
    """Return the options of a dataclass's fields, leaving out fields that another option sets."""
    fields = (field for field in fields_of(kind).values() if field.option and not field.composed)
    return tuple(field_option(field, group) for field in fields)


def changes_of(kind: type, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that options give to the fields of a dataclass, by name.

    Raises:
        InputError: Naming the option that cannot be used.
    """
    changes: dict[str, Any] = {}
    for name, field in fields_of(kind).items():
        value = options.get(field.parameter) if field.option and not field.composed else None
        if isinstance(value, str):
            changes[name] = field.kind.parse(field.parameter, value)
        elif value is not None:
            changes[name] = value
    return changes


RULE = option(
    "--rule",
    "NAME[:PARAMETER=VALUE]",
    f"What multiplies scores, as none.  [default: {next(iter(RULES))}]",
    SCALE,
    of_names({name: rule.formula for name, rule in RULES.items()}),
)

READ_AS: tuple[Callable[[Any], Any], ...] = (
    option(
        "--layout", "AXES|PART=AXES,…", "The axes of tensors, such as bnhd or out=bnhd.", CAPTURE
    ),
    option(
        "--names", "PATTERN", "What tensors are called, such as 'h.{layer}.attn.{part}'.", CAPTURE
    ),
)
"""Options for reading a capture."""


def config(group: str) -> Callable[[F], F]:
    """Return the option that names a captured model's configuration."""
    text = "The model's config.json, its folder, or a GGUF file."
    return option("--config", "FILE", text, group, any_file)


ASSUME = option(
    "--assume", "KINDS", "Meant though not captured: padding, packed, prefix, float8, int8.",
    EXPECTED, multiple=True,
)  # fmt: skip
TF32 = switch("--tf32", "Products may have been taken in TF32.", EXPECTED)
ROWS = option(
    "--rows", "N|all", "How many rows of each head.  [default: all, 32 of large ones]", CAPTURE
)
JUNIT = option("--junit", "FILE", "Write verdicts as XML of JUnit.", REPORT, any_file)


def reading(options: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return layouts, names and configuration: how options say to read a capture."""
    layouts, names, file = (options[name] or "" for name in ("layout", "names", "config"))
    return layouts, names, file


_scores = partial(option, group=SCORES)

tokens = _scores("--tokens", "FILE", "The tokens: one a line, or JSON.", complete=any_file)


def _examples() -> Names:
    from attn_tui.files.examples import EXAMPLES

    return {name: example.title for name, example in EXAMPLES.items()}


def experiment(group: str) -> Callable[[F], F]:
    """Return the option that starts from a saved experiment."""
    text = "Start from what a file asks that --json printed."
    return option("--experiment", "FILE", text, group, any_file)


_LEAD = fields_of(Setup)["lead"]

_SETUP: tuple[Callable[[Any], Any], ...] = (
    *(field_option(field, SCALE) for field in fields_of(Setup).values()
      if not field.composed and field != _LEAD),
    RULE,
    option("--model", "NAME", "The d_k and scale of a model.", SCALE, of_names(NAMED.choices)),
)  # fmt: skip

_SHARED: tuple[Callable[[Any], Any], ...] = (
    click.argument("scores", nargs=-1, shell_complete=any_file),
    _scores("--draw", "N", "Draw scores q·k of N keys."),
    _scores("--seed", "S", "What is drawn.  [default: 1]"),
    _scores("--vectors", "M", "How many vectors are drawn.  [default: 1]"),
    field_option(_LEAD, SCORES),
    _scores("--query", "Q", "Rows of q: 1,0 or [[1,0],[0,1]] or @FILE."),
    _scores("--keys", "K", "Rows of K, as long as those of q."),
    _scores("--values", "V", "Rows of V, one for each of K."),
    _scores(
        "--capture", "FILE", "A head that a model computed: .safetensors, .npz, .npy.",
        complete=any_file, multiple=True,
    ),
    _scores("--layer", "L", "Its layer.  [default: 0]"),
    _scores("--head", "H", "Its head.  [default: 0]"),
    _scores("--row", "R", "One query of it alone.  [default: all]"),
    _scores("--batch", "B", "Which sequence of the capture.  [default: 0]"),
    _scores("--layout", "AXES|PART=AXES,…", "The axes of its tensors: bnhd, or out=bnhd."),
    _scores("--names", "PATTERN", "What its tensors are called, such as '{layer}.attn.{part}'."),
    config(SCORES),
    _scores("--mask", "KEYS", "Masked keys, such as 2,5:8 or causal.  [default: none]"),
    _scores(
        "--example", "NAME", "Start from an example, such as ties.", complete=of_names(_examples)
    ),
    experiment(SCORES),
    tokens,
    *_SETUP,
    *field_options(Scale, SCALE),
    *field_options(Precision, PRECISION),
)  # fmt: skip


def settings(kind: type, group: str) -> Callable[[F], F]:
    """Return a decorator that adds the options of an instrument's settings."""
    return partial(all_of, field_options(kind, group))


def all_of(options: Iterable[Callable[[Any], Any]], command: F) -> F:
    """Add options to a command, in this order."""
    return reduce(lambda inner, add: add(inner), reversed((*options,)), command)


def shared(command: F) -> F:
    """Add the argument SCORES and the options of every instrument."""
    return all_of(_SHARED, command)


def setup(command: F) -> F:
    """Add the options of instruments that draw their own vectors: d_k, the rule, a saved file."""
    return all_of((experiment(DRAWS), *_SETUP), command)
