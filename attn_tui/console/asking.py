"""From SCORES and options, or a file, to an experiment."""

import os
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from shlex import split
from stat import S_ISFIFO, S_ISREG
from typing import TYPE_CHECKING, Any

import click

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.field import whole
from attn_tui.compute.mask import parse_mask
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale, parse_scale
from attn_tui.compute.setup import FIELDS, Setup
from attn_tui.compute.text import visible
from attn_tui.console.arguments import protected
from attn_tui.console.options import Options, changes_of, reading
from attn_tui.console.output import tell
from attn_tui.instruments import INSTRUMENTS, Instrument, load

if TYPE_CHECKING:
    from attn_tui.compute.experiment import Experiment
    from attn_tui.compute.source import Source

NONE = "none"
"""The value that removes a mask."""

_VECTORS = {"query": "q", "keys": "K", "values": "V"}
"""The heading of each in a text, by its option."""

_DRAWN = ("draw", "seed", "vectors")
_CAPTURED = ("layer", "head", "row", "batch", "layout", "names", "config")


def experiment_of(
    options: Mapping[str, Any], *edits: Callable[[Setup], Setup], source: "Source | None" = None
) -> "Experiment":
    """Return the experiment that SCORES and options describe, starting from a file or an example.

    Args:
        options: The shared options.
        edits: Changes that an instrument's own options make to the setup.
        source: The source to use if nothing says where scores come from, and if a file has none;
            without it the file must have one.

    Raises:
        InputError: Naming the input that cannot be used.
    """
    from attn_tui.compute.experiment import Experiment
    from attn_tui.files.draft import EXAMPLE, parse

    options = Options(options)
    _check_ways(options)

    def edited(setup: Setup) -> Setup:
        return reduce(lambda before, edit: edit(before), edits, _setup(options, setup))

    # Report a bad option before reading any file.
    edited(EXAMPLE.setup)
    start = _start(options, source)
    if start is None:
        start = parse(EXAMPLE)
        start = start if source is None else replace(start, source=source)
    source = _source(options, start.source)
    if options["capture"]:
        from attn_tui.captures.source import Captured
        from attn_tui.files.captured import as_captured

        assert isinstance(source, Captured)
        setup = edited(as_captured(start.setup, source))
        if not setup.scale.arguments:
            # A rule that depends on the layer takes the captured one, unless another is given.
            setup = setup.put(setup.scale.at_layer(source.place[1]))
    else:
        setup = edited(start.setup)
    setup = with_tokens(setup, options["tokens"])
    if options["d_k"] is not None and source.d_k not in (None, setup.d_k):
        raise InputError(
            "d_k",
            f"{setup.d_k:,} contradicts q, which has {source.d_k:,} numbers",
            f"{source.d_k}, or no --d-k",
        )
    try:
        return Experiment(source, setup)
    except InputError as error:
        origin = "experiment" if options["experiment"] is not None else "example"
        if options[origin] is not None and options[error.field] is None:
            raise InputError(origin, error.problem, error.expected, error.field) from None
        raise


def setup_experiment_of(
    options: Mapping[str, Any], *edits: Callable[[Setup], Setup]
) -> "Experiment":
    """Return the experiment of an instrument that draws its own vectors.

    Args:
        options: The options it shares with others.
        edits: Changes that its own options make to the setup.

    Raises:
        InputError: Naming the input that cannot be used.
    """
    # Its own --seed is not the seed of drawn scores.
    names = ("experiment", "d_k", "sigma_q", "sigma_k", "rule", "model")
    shared = {name: options[name] for name in names}
    return experiment_of(shared, *edits, source=idle_source(options["rule"]))


def idle_source(rule: str | None) -> "Source":
    """Return the source of a question whose instrument draws its own vectors.

    It is that of the example, unless the rule of the option refuses typed scores.
    """
    from attn_tui.compute.source import Drawn
    from attn_tui.files.draft import EXAMPLE, parse

    normalises = rule is not None and parse_scale(rule).normalises
    return Drawn() if normalises else parse(EXAMPLE).source


def mention_unread_input(options: Mapping[str, Any]) -> None:
    """Warn on standard error if the example is shown although standard input holds something."""
    places = ("scores", "capture", "draw", *_VECTORS, "example", "experiment")
    if not any(options.get(name) for name in places) and input_waits():
        click.echo("attn-tui: standard input is left unread; - among SCORES reads it", err=True)


def mention_left_out(experiment: "Experiment", form: str) -> None:
    """Say on standard error what was left out of files, if the form of a report has no room."""
    if form != "text" and experiment.source.note:
        tell(experiment.source.note)


def input_waits() -> bool:
    """Return whether standard input is a file or pipe that already holds something.

    We do not wait for a pipe, which may never deliver anything.
    """
    try:
        from fcntl import ioctl
        from termios import FIONREAD

        status = os.fstat(0)
        if S_ISREG(status.st_mode):
            return os.lseek(0, 0, os.SEEK_CUR) < status.st_size
        if not S_ISFIFO(status.st_mode):
            return False
        (waiting,) = struct.unpack("i", ioctl(0, FIONREAD, bytes(struct.calcsize("i"))))
        return bool(waiting > 0)
    except (ImportError, OSError):
        return False


def _check_ways(options: Options) -> None:
    """Check that scores come from one place only, and so does the rest of the question."""
    if [*(options["scores"] or ()), options["experiment"]].count("-") > 1:
        raise InputError("scores", "standard input is asked for twice", "- once")
    if options["example"] is not None and options["experiment"] is not None:
        raise InputError("example", "--experiment is given too", "one of them")
    for name in _CAPTURED:
        if options[name] is not None and not options["capture"]:
            raise InputError(name, "nothing is captured", "--capture FILE beside it")
    groups = (("scores",), _DRAWN, tuple(_VECTORS), ("capture",))
    ways = [next((name for name in group if options[name]), None) for group in groups]
    ways = [name for name in ways if name]
    if len(ways) > 1:
        first = "SCORES" if ways[0] == "scores" else f"--{ways[0]}"
        raise InputError(str(ways[1]), f"{first} is given too", "scores from one place")


def _start(options: Options, source: "Source | None") -> "Experiment | None":
    """Return the experiment of a file or an example, if one is given."""
    if options["experiment"] is not None:
        from attn_tui.files.codec import read_experiment

        return read_experiment(options["experiment"], source)
    if options["example"] is not None:
        from attn_tui.files.draft import parse
        from attn_tui.files.examples import EXAMPLES

        name = options["example"]
        if name not in EXAMPLES:
            expected = "one of " + ", ".join(EXAMPLES)
            raise InputError("example", f"{inert(name)} is not an example", expected)
        return parse(EXAMPLES[name].draft)
    return None


def _source(options: Options, start: "Source") -> "Source":
    """Return the source that options describe, or the one we start from."""
    from attn_tui.compute.source import Drawn
    from attn_tui.files.sources import source_of

    if options["capture"]:
        from attn_tui.files.captured import captured_at

        places: dict[str, Any] = {
            name: whole(0).parse(name, options[name])
            for name in ("layer", "head", "row", "batch")
            if options[name] is not None
        }
        layout, names, config = reading(options)
        paths = tuple(options["capture"])
        return captured_at(paths, layout=layout, names=names, config=config, **places)
    if options["scores"]:
        return read_scores(options["scores"])
    if any(options[name] is not None for name in _DRAWN):
        if options["draw"] is None and not isinstance(start, Drawn):
            field = "seed" if options["seed"] is not None else "vectors"
            raise InputError(field, "nothing is drawn", "--draw N beside it")
        draw = start if isinstance(start, Drawn) else Drawn()
        changes = changes_of(Drawn, options)
        try:
            return replace(draw, **changes)
        except InputError as error:
            # Each is valid by itself; together they are too many.
            count = changes.get("count", draw.count)
            raise InputError("vectors", f"'{count}' will not do", error.expected) from None
    vectors = {name: options[name] for name in _VECTORS if options[name] is not None}
    if vectors:
        for name in ("query", "keys"):
            if name not in vectors:
                present = next(iter(vectors))
                raise InputError(present, f"--{name} is missing", "both --query and --keys")
        text = "\n".join(f"{_VECTORS[name]}: {value}" for name, value in vectors.items())
        try:
            return source_of(text)
        except InputError as error:
            # The lines are those of a text that the user never sees.
            where = "" if error.where == f"line {error.line}" else error.where
            raise replace(error, where=where) from None
    return start


def read_scores(arguments: Sequence[str]) -> "Source":
    """Return the source that the SCORES of a command line describe.

    Each argument is a line of text, so that single numbers side by side make one vector; ``-``
    is standard input.

    Raises:
        InputError: Naming the argument or the file, and the place in it.
    """
    from attn_tui.files.content import STANDARD_INPUT, opened, read_text
    from attn_tui.files.grammar import plain_lines
    from attn_tui.files.kinds import are_scores
    from attn_tui.files.paths import path_text
    from attn_tui.files.sources import source_of

    texts = []
    for argument in arguments:
        if argument == "-":
            with opened("-", "scores") as file:
                # Empty lines keep the arguments beside it out of its columns.
                texts.append(f"\n{read_text(file)}\n")
        elif argument.startswith("@") and visible(argument) != argument:
            texts.append(f"@{path_text(argument[1:])}")
        elif are_scores(argument):
            texts.append(_text_of_file(argument))
        else:
            texts.append(plain_lines(argument))
    try:
        return source_of("\n".join(texts))
    except InputError as error:
        if error.where != f"line {error.line}":
            if not error.where and [*arguments] == ["-"]:
                raise replace(error, where=STANDARD_INPUT) from None
            raise
        line, place = error.line, 0
        while line > texts[place].count("\n") + 1:
            line -= texts[place].count("\n") + 1
            place += 1
        where = ""
        if arguments[place] == "-":
            where = f"{STANDARD_INPUT}, line {line - 1}"
        elif len(arguments) > 1:
            where = f"argument {place + 1}"
        raise replace(error, where=where) from None


def _text_of_file(path: str) -> str:
    """Return the text that asks what opening a file on the screen asks: its scores, or q and K."""
    from attn_tui.files.draft import open_draft

    try:
        return open_draft(path, Setup()).text
    except InputError as error:
        raise replace(error, field="scores") from None


def _setup(options: Options, setup: Setup) -> Setup:
    """Return a setup changed by the shared options."""
    if options["model"] is not None:
        field = FIELDS["model"]
        name = field.kind.parse(field.parameter, options["model"])
        setup = setup.changed(field, lambda _: name)
    if options["rule"] is not None:
        rule = parse_scale(options["rule"])
        setup = setup.put(replace(setup.scale, rule=rule.rule, arguments=rule.arguments))
    for kind in (Setup, Scale, Precision):
        setup = edited(kind, options, setup)
    if options["mask"] is not None:
        mask = options["mask"].strip()
        setup = replace(setup, mask=parse_mask("" if mask == NONE else mask))
    return setup


def with_tokens(setup: Setup, typed: str | None) -> Setup:
    """Return a setup with the tokens in a file, or in a JSON list given instead.

    Raises:
        InputError: With field ``"tokens"``, if there is no such file, or no list in it.
    """
    if typed is None:
        return setup
    from attn_tui.compute.attention.settings import TOKENS
    from attn_tui.compute.attention.settings import Settings as AttentionSettings
    from attn_tui.files.content import opened, read_text

    text = typed
    if not typed.startswith("["):
        with opened(typed, "tokens") as file:
            text = read_text(file)
    tokens: tuple[str, ...] = ()
    if text.lstrip().startswith("["):
        tokens = TOKENS.parse("tokens", text)
    elif text:
        # Blanks belong to a token, and an empty line is a token too.
        tokens = tuple(text.removesuffix("\n").split("\n"))
    return setup.put(replace(setup.get(AttentionSettings), tokens=tokens))


def edited(kind: type, options: Mapping[str, Any], setup: Setup) -> Setup:
    """Return a setup in which options have changed the fields of one dataclass.

    Raises:
        InputError: Naming the option that cannot be used.
    """
    return setup.put(replace(setup.get(kind), **changes_of(kind, options)))


def asked_by(line: str) -> tuple[Instrument, "Experiment"]:
    """Return the instrument and the experiment of a command line; output options are ignored.

    Args:
        line: Such as ``"show 1,2,3 --d-k 64"``, with or without the program's name.

    Raises:
        InputError: If it is not a command line of an instrument.
    """
    commands = {instrument.command_name: instrument for instrument in INSTRUMENTS}
    try:
        words = split(line)
    except ValueError:
        raise InputError("ask", f"{inert(line)} has an open quote", "a closed one") from None
    words = words[words[:1] == ["attn-tui"] :]
    name, *arguments = words or [""]
    if name not in commands:
        raise InputError("ask", f"{inert(name)} is no command", "one of " + ", ".join(commands))
    for word in ("-", "--help"):
        if word in arguments:
            raise InputError("ask", f"{word} asks nothing here", "scores, options and their values")
    instrument = commands[name]
    command: click.Command = load(instrument.command)
    try:
        context = command.make_context(name, protected(arguments))
    except click.UsageError as error:
        # The message may repeat the whole line.
        problem = inert(error.format_message().rstrip("."), 200)[1:-1]
        raise InputError("ask", problem, f"what attn-tui {name} --help lists") from None
    return instrument, load(instrument.to_experiment)(context.params)
