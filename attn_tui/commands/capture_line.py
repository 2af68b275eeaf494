"""Command lines about captures: what their options ask, and what is asked as a line again."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from attn_tui.captures.suffixes import EXAMPLE_NAME, SUFFIXES, suffix_of
from attn_tui.commands.line import typed
from attn_tui.commands.options import Given, changes_of
from attn_tui.compute.errors import InputError
from attn_tui.compute.field import fields_of
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.sweep.rules import rule_text
from attn_tui.engine.settings import Settings

if TYPE_CHECKING:
    from attn_tui.compute.experiment import Experiment
    from attn_tui.files.history import Asked


def are_captures(words: Sequence[str]) -> bool:
    """Return whether arguments are the names of captures: scores are numbers, or begin with @."""
    return bool(words) and all(
        suffix_of(word) in SUFFIXES and not word.startswith("@") for word in words
    )


def asked(given: Mapping[str, Any]) -> "Experiment":
    """Return the question that options of ``heads`` ask.

    Raises:
        InputError: Naming the option that will not do.
    """
    from attn_tui.files.draft import EXAMPLE, parse
    from attn_tui.heads.command import question

    if not given.get("captures"):
        raise InputError("capture", "none is given", "a file, such as capture.safetensors")
    wanted = question(Given(given))
    first = (given.get("statistic") or "").split(",")[0] or None
    changes = changes_of(Settings, {**given, "statistic": first})
    settings = Settings(
        tuple(given["captures"]), layer=(wanted.layers or (None,))[0],
        head=(wanted.heads or (None,))[0],
        what_if=wanted.making.own_rule and wanted.making.scale.is_default, **changes,
    )  # fmt: skip
    return parse(replace(EXAMPLE, setup=Setup(scale=wanted.making.scale).put(settings)))


def heads(asked: "Asked") -> str:
    """Return the command line that opens Heads as it is, or prints it without a terminal.

    Captures that are compared are printed.

    Raises:
        InputError: If there is no capture, or its name cannot be typed.
    """
    setup, settings = asked.draft.setup, _open(asked)
    compared = len(settings.compared) == 1 and len(settings.capture) == 1
    words = ["attn-tui", *settings.capture]
    if compared:
        words = ["attn-tui", "compare", *settings.compared, *settings.capture]
    names = ("statistic", "rows", "seed", "mask", "tau", "layouts", "names")
    words += _options(settings, names[:4] + names[5:] if compared else names)
    if settings.what_if or not setup.scale.is_default:
        # Each head has the rule of its own layer.
        words += ["--rule", rule_text(setup.scale.at_layer(0))]
    for name, field in fields_of(Scale).items():
        value = getattr(setup.scale, name)
        if value is not None and name in ("softcap", "sink"):
            words += [field.option, field.kind.text(value)]
    if not compared and settings.layer is not None and settings.head is not None:
        words += ["--layer", str(settings.layer), "--head", str(settings.head)]
    return typed(words)


def doctor(asked: "Asked") -> str:
    """Return the command line that prints what the doctor says on the screen.

    He looks at every head, and at rows of his own: the cursor, rule and mask play no part.

    Raises:
        InputError: If there is no capture, or its name cannot be typed.
    """
    settings = _open(asked)
    options = _options(settings, ("config", "seed", "layouts", "names"))
    return typed(["attn-tui", "doctor", *settings.capture, *options])


def _open(asked: "Asked") -> Settings:
    """Return what is asked of a capture; of the example where none is open."""
    settings = asked.draft.setup.get(Settings)
    return settings if settings.capture else replace(settings, capture=(EXAMPLE_NAME,))


def _options(settings: Settings, names: Sequence[str]) -> Iterator[str]:
    """Yield options for fields that are not at their default."""
    fields = fields_of(Settings)
    for name in names:
        value = getattr(settings, name)
        if value != fields[name].default:
            yield from (fields[name].option, fields[name].kind.text(value))
