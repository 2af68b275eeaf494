"""From a question to the command line that asks it: the inverse of `asking`."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from shlex import quote
from typing import TYPE_CHECKING, Any

from attn_tui.captures.disk import place_of
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.field import fields_of
from attn_tui.compute.models import NO_MODEL
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import FIELDS, Setup
from attn_tui.compute.text import visible
from attn_tui.files.marks import doubt
from attn_tui.files.paths import path_of

if TYPE_CHECKING:
    from attn_tui.compute.experiment import Experiment
    from attn_tui.compute.source import Source
    from attn_tui.compute.sweep.settings import Settings as SweepSettings
    from attn_tui.files.history import Question

LONGEST = 4_000
"""Characters of the longest command line we write."""

DRAWN = ("sigma_q", "sigma_k", "lead")
"""The fields of the setup that say how q and k are drawn."""


class TooLongError(InputError):
    """More scores than a command line holds; its text is a sentence of its own."""

    def __str__(self) -> str:
        return f"{self.problem}; {self.expected}"


def show(question: "Question") -> str:
    """Return the command line that prints what Explore shows.

    Raises:
        InputError: If the scores are not understood, or are too many for a command line.
    """
    from attn_tui.compute.explore.answer import check_keys
    from attn_tui.compute.explore.settings import Settings
    from attn_tui.compute.source import Typed

    if question.error:
        raise question.error
    experiment = question.experiment
    settings = experiment.setup.get(Settings)
    # As on the screen, a key that does not exist becomes the last one.
    if settings.of is not None:
        settings = replace(settings, of=min(settings.of, experiment.vectors.n_keys - 1))
    experiment = replace(experiment, setup=experiment.setup.put(settings))
    if isinstance(experiment.source, Typed):
        check_keys(experiment)
    return _of_scores("show", experiment, settings)


def attention(question: "Question") -> str:
    """Return the command line that prints what Attention shows.

    Raises:
        InputError: If the scores are not understood, or are too many for a command line.
    """
    from attn_tui.compute.attention.answer import is_drawn
    from attn_tui.compute.attention.settings import Settings

    experiment, settings = question.experiment, question.experiment.setup.get(Settings)
    if is_drawn(experiment):
        # The head is drawn, so the scores play no part.
        setup, plain = experiment.setup, replace(settings, rows="auto")
        options = [*_scaled(setup), *_options(setup.precision), *_options(plain)]
        return _line("attention", *options, *_options(settings, names=("seed", "tokens")))
    if question.error:
        raise question.error
    # The head is given, so the options of a drawn one play no part.
    rest = replace(settings, n=Settings().n, seed=Settings().seed)
    return _of_scores("attention", experiment, rest)


def _of_scores(command: str, experiment: "Experiment", settings: Any) -> str:
    """Return the command line of a question about typed scores or scores in files."""
    setup, source = experiment.setup, experiment.source
    arguments = [*_scores(source), *_scaled(setup, source), *_options(setup.precision)]
    mask, captured_causal = setup.mask, getattr(source, "causal", None)
    if captured_causal is not None and command == "attention":
        mask = replace(mask, causal=mask.causal or settings.causal)
    if mask or captured_causal is not None:
        arguments += ["--mask", str(mask) or "none"]
    if command == "attention":
        arguments += _options(settings, names=("tokens",))
    return _line(command, *arguments, *_options(settings))


def dot(question: "Question") -> str:
    """Return the command line that prints what Dot products shows."""
    from attn_tui.compute.dots.settings import Settings

    # One q·k at a time has no key that leads.
    setup = replace(question.experiment.setup, lead=FIELDS["lead"].default)
    start, scale = _start(setup).scale, setup.scale
    if replace(start, rule=scale.rule, arguments=scale.arguments) != scale:
        # Dot products has no option for what departs from the model, nor any use for it.
        setup = replace(setup, scale=scale.bare, model=NO_MODEL)
    return _line("dot", *_scaled(setup), *_options(setup.get(Settings)))


def sweep(question: "Question") -> str:
    """Return the command line that prints what Sweep shows."""
    from attn_tui.compute.sweep.settings import Settings, compared

    setup = question.experiment.setup
    settings = setup.get(Settings)
    arguments = [*_places(settings, setup)]
    if (rules := compared(settings, setup.scale)) != compared(Settings(), Scale()):
        arguments += _options(Settings(rules=tuple(rule.text for rule in rules)), names=("rules",))
    arguments += [*_options(setup, names=DRAWN), *_options(setup.scale, names=("qk_norm",))]
    if settings.statistic == "lead_weight":
        arguments += _options(setup.scale, names=("sink",))
    # With no rule but none, there is nothing to compare.
    named = ("ratio", "statistic") if len(rules) > 1 else ("statistic",)
    return _line("sweep", *arguments, *_options(settings, names=named), *_options(settings))


def claim(question: "Question") -> str:
    """Return the command line that tries the claim on the screen."""
    from attn_tui.claims.ledger import find
    from attn_tui.claims.settings import Settings

    settings = question.experiment.setup.get(Settings)
    tried = find(settings.claim)
    return _line("claim", settings.claim, *_options(settings.trial, tried.trial, tried.controls))


def heads(question: "Question") -> str:
    """Return the command line that opens Heads as it is, or prints it without a terminal.

    Raises:
        InputError: If there is no capture, or its name cannot be typed.
    """
    from attn_tui.captures.suffixes import EXAMPLE_NAME
    from attn_tui.engine.settings import Settings

    setup = question.draft.setup
    settings = setup.get(Settings)
    settings = replace(settings, capture=settings.capture or (EXAMPLE_NAME,))
    _check_there("capture", settings.capture)
    if settings.reference:
        words = ["attn-tui", "diff", *settings.reference, *settings.capture, "--screen"]
        return typed(
            [*words, *_options(replace(Settings(), layouts=settings.layouts, names=settings.names))]
        )
    words = ["attn-tui", *settings.capture]
    # The configuration is found beside the capture.
    words += _options(replace(settings, config=""))
    if not setup.scale.is_default:
        # A rule that depends on the layer is written for any layer.
        words += ["--rule", setup.scale.at_layer(0).text]
    words += _options(Scale(softcap=setup.scale.softcap, sink=setup.scale.sink))
    if settings.layer is not None and settings.head is not None:
        words += ["--layer", str(settings.layer), "--head", str(settings.head)]
    return typed(words)


def _places(settings: "SweepSettings", setup: Setup) -> Iterator[str]:
    """Yield the options for what a sweep varies, and for what it holds fixed."""
    from attn_tui.compute.sweep.settings import SweptRange

    kind: Any = type(settings)
    start = kind()
    if settings.swept == "map":
        yield "--map"
    else:
        yield from _options(settings, names=("over",))
    for option, ends, number, default, is_swept in (
        ("--n", settings.n_range, settings.n, start.n, settings.swept != "d_k"),
        ("--d-k", settings.d_k_range, setup.d_k, Setup().d_k, settings.swept != "n"),
    ):
        yield from (option, SweptRange(ends, number).text(default) if is_swept else str(number))
    yield from _options(settings, names=("map_points" if settings.swept == "map" else "points",))


def typed(words: Sequence[str]) -> str:
    """Return words quoted for a shell.

    Raises:
        InputError: If one has characters that no argument can have.
    """
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    r"""Return a word in quotes for a shell; what cannot be seen in it is spelled out: $'a\nb'.

    Raises:
        InputError: If it has characters that no argument can have.
    """
    if visible(word) == word:
        return quote(word)
    try:
        for character in word:
            os.fsencode(character)
    except UnicodeEncodeError:
        raise _untypable(word) from None
    if "\0" in word:
        raise _untypable(word)
    return "$'" + "".join(map(_spelled, word)) + "'"


def _spelled(character: str) -> str:
    r"""Return a character as it stands between $' and ': as it is, as \n, or as bytes in octal."""
    if character in _SPELLED:
        return _SPELLED[character]
    if visible(character) == character:
        return character
    # Octal has three digits in every shell; what follows is no part of it.
    return "".join(f"\\{byte:03o}" for byte in os.fsencode(character))


_SPELLED = {"\n": r"\n", "\t": r"\t", "\r": r"\r", "\\": r"\\", "'": r"\'", "!": r"\041"}
"""An exclamation mark would bring back an earlier command."""


def _untypable(word: str) -> InputError:
    return InputError("capture", f"{inert(word)} cannot be typed", "another name")


def _line(command: str, *arguments: str) -> str:
    line = typed(["attn-tui", command, *arguments])
    if len(line) > LONGEST:
        raise _too_many()
    return line


def _too_many() -> InputError:
    problem = "the scores are too many for a command line"
    return TooLongError("scores", problem, "s saves them in a .json file, which attn-tui opens")


def _check_there(field: str, paths: Iterable[str]) -> None:
    """Raise InputError, with that field, if a file is gone that the command line would name."""
    from attn_tui.captures.suffixes import EXAMPLE_NAME

    for path in paths:
        if path != EXAMPLE_NAME and not os.path.exists(os.path.expanduser(path)):
            raise InputError(field, "the file is gone", "it where it was", place_of(path))


def _argument(line: str) -> str:
    """Return a line of scores as an argument: one that names a file has its path as it is."""
    path = path_of(line[1:])
    is_hidden = line.startswith("@") and visible(path) != path
    return f"@{path}" if is_hidden else line


def _shortened(line: str) -> str:
    """Return numbers without blanks, where that can be read in one way only."""
    short = line.replace(", ", ",")
    return line if doubt(short) else short


def _start(setup: Setup, source: "Source | None" = None) -> Setup:
    """Return the setup of a command line with nothing but the scores and the model."""
    from attn_tui.captures.source import Captured
    from attn_tui.files.captured import with_reconstruction

    start = with_reconstruction(Setup(), source) if isinstance(source, Captured) else Setup()
    return start.changed(FIELDS["model"], lambda _: setup.model)


def _scaled(setup: Setup, source: "Source | None" = None) -> Iterator[str]:
    """Yield the options for the model, d_k and the scale, where they differ from the start."""
    start = _start(setup, source)
    yield from _options(setup, names=("model",))
    is_of_source = source is not None and source.d_k is not None
    is_brought = setup.model != NO_MODEL and setup.d_k == start.d_k
    if not (is_of_source or is_brought):
        yield from ("--d-k", str(setup.d_k))
    yield from _options(setup, names=DRAWN)
    text = setup.scale.text
    if text != start.scale.text:
        yield from ("--rule", text)
    yield from _options(setup.scale, start.scale)


def _options(part: Any, start: Any = None, names: Sequence[str] = ()) -> Iterator[str]:
    """Yield the options of the fields that differ from their start, or from their default.

    Args:
        part: A dataclass with fields.
        start: Another of the same type; None for the defaults.
        names: The fields; by default those that have an option of their own.
    """
    kind: Any = type(part)
    fields = fields_of(kind)
    by_itself = [name for name, field in fields.items() if field.option and not field.composed]
    for name in names or by_itself:
        field, value = fields[name], getattr(part, name)
        if value == getattr(start, name, field.default):
            continue
        if isinstance(value, bool):
            yes, _, no = field.option.partition("/")
            yield yes if value else no
        else:
            yield from (field.option, (field.kind.argument or field.kind.text)(value))


def _scores(source: "Source") -> list[str]:
    """Return SCORES, or the options for a draw or a capture.

    Raises:
        InputError: If they are too many to type, and in no file of the user's.
    """
    from attn_tui.captures.source import Captured
    from attn_tui.compute.source import Drawn, Products, Typed
    from attn_tui.files.captured import places_of
    from attn_tui.files.grammar import letters
    from attn_tui.files.sources import is_kept, named_files, text_of

    if isinstance(source, Drawn):
        return ["--draw", str(source.n_keys), *_options(replace(source, n_keys=Drawn().n_keys))]
    if isinstance(source, Captured):
        _check_there("capture", source.paths)
        words = [word for path in source.paths for word in ("--capture", path)]
        for name, value in places_of(source).items():
            words += [f"--{name}", str(value)]
        return words
    assert isinstance(source, Typed | Products)
    text = source.files or text_of(source)
    if is_kept(text):
        raise _too_many()
    _check_there("scores", [path for path, _ in named_files(source.files)])
    lines = [_argument(line) for line in text.split("\n") if line.strip()]
    if isinstance(source, Typed) and not source.files:
        has_names = [*source.names] != [*islice(letters(), len(lines))]
        if not has_names and min(vector.n_keys for vector in source.scores) > 1:
            # Names keep single numbers from becoming one vector.
            lines = [_shortened(line.partition(": ")[2]) for line in lines]
    return lines
