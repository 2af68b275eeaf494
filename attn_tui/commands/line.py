"""The command line that asks a question: what options read, written again."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from json import dumps
from shlex import join
from typing import TYPE_CHECKING, Any

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.field import fields_of
from attn_tui.compute.models import NO_MODEL
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import FIELDS, Setup
from attn_tui.compute.sweep.rules import rule_text
from attn_tui.compute.visible import visible

if TYPE_CHECKING:
    from attn_tui.compute.experiment import Experiment
    from attn_tui.compute.source import Source
    from attn_tui.compute.sweep.settings import Settings as SweepSettings
    from attn_tui.engine.settings import Settings as HeadSettings
    from attn_tui.files.draft import Draft
    from attn_tui.files.history import Asked

_SAVED = "a .json file: save them first, and open it"


def show(asked: "Asked") -> str:
    """Return the command line that prints what Explore shows.

    Raises:
        InputError: If the scores are not understood, or no command line can ask it, with what can.
    """
    from attn_tui.compute.explore.answer import check_keys
    from attn_tui.compute.explore.settings import Settings
    from attn_tui.compute.source import Typed

    if asked.error:
        raise asked.error
    experiment = asked.experiment
    settings = experiment.setup.get(Settings)
    # As on the screen, the last key stands for one that is not there.
    if settings.of is not None:
        settings = replace(settings, of=min(settings.of, experiment.vectors.n_keys - 1))
    experiment = replace(experiment, setup=experiment.setup.put(settings))
    if isinstance(experiment.source, Typed):
        check_keys(experiment)
    return _of_scores("show", asked, experiment, settings)


def attention(asked: "Asked") -> str:
    """Return the command line that prints the head that is shown.

    Raises:
        InputError: If the scores are not understood, or no command line can ask it, with what can.
    """
    from attn_tui.compute.attention.head import is_drawn
    from attn_tui.compute.attention.settings import Settings

    experiment, settings = asked.experiment, asked.experiment.setup.get(Settings)
    if is_drawn(experiment):
        # Whatever scores are asked play no part, and what draws the head need not be said.
        setup, plain = experiment.setup, replace(settings, rows="auto")
        seed = ["--seed", str(settings.seed)] * (settings.seed != Settings().seed)
        options = [*_scaled(setup), *_options(setup.precision), *_options(plain)]
        return _line("attention", *options, *seed, *_tokens(settings.tokens))
    if asked.error:
        raise asked.error
    # What draws a head need not be said of rows that are there.
    rest = replace(settings, n=Settings().n, seed=Settings().seed)
    return _of_scores("attention", asked, experiment, rest)


def _of_scores(command: str, asked: "Asked", experiment: "Experiment", settings: Any) -> str:
    """Return the command line that asks a question of scores: typed ones, or those of files."""
    return _asking(command, experiment, settings, _scores(asked.draft, experiment.source))


def _asking(command: str, experiment: "Experiment", settings: Any, scores: Sequence[str]) -> str:
    """Return the command line that asks a question of scores that arguments stand for."""
    setup = experiment.setup
    arguments = [*scores, *_scaled(setup, experiment.source), *_options(setup.precision)]
    mask, found = setup.mask, getattr(experiment.source, "causal", None)
    if found is not None and command == "attention":
        mask = replace(mask, causal=mask.causal or settings.causal)
    if mask or found is not None:
        arguments += ["--mask", str(mask) or "none"]
    if command == "attention":
        # A capture has its own.
        words = () if experiment.source.is_head else experiment.source.words
        arguments += _tokens(settings.tokens or words)
    return _line(command, *arguments, *_options(settings))


def _tokens(tokens: Sequence[str]) -> Iterator[str]:
    """Yield the option for what queries and keys are called, if they are called anything."""
    if tokens:
        yield from ("--tokens", dumps(tokens, ensure_ascii=False))


def dot(asked: "Asked") -> str:
    """Return the command line that prints what Dot products shows."""
    from attn_tui.compute.dots.settings import Settings

    setup = asked.experiment.setup
    own, scale = _start(setup).scale, setup.scale
    if replace(own, rule=scale.rule, given=scale.given) != scale:
        # What departs from the model has no option here, where it plays no part.
        setup = replace(setup, scale=Scale(scale.rule, scale.given), model=NO_MODEL)
    return _line("dot", *_scaled(setup), *_options(setup.get(Settings)))


def sweep(asked: "Asked") -> str:
    """Return the command line that prints what Sweep shows."""
    from attn_tui.compute.sweep.settings import Settings, compared

    setup = asked.experiment.setup
    settings = setup.get(Settings)
    arguments = [*_places(settings, setup)]
    if (rules := compared(settings, setup.scale)) != compared(Settings(), Scale()):
        # One rule with a comma behind it is a list of one.
        names = ",".join(rules) if len(rules) > 1 else f"{rules[0]},"
        arguments += ["--rules", names]
    arguments += ["--qk-norm"] * setup.scale.qk_norm
    # Where there is nothing but none, there is nothing to compare it with.
    arguments += ["--ratio"] * (settings.ratio and len(rules) > 1)
    if settings.statistic != Settings().statistic:
        arguments += ["--statistic", settings.statistic]
    return _line("sweep", *arguments, *_options(settings))


def claim(asked: "Asked") -> str:
    """Return the command line that tries the claim that is shown."""
    from attn_tui.claims.ledger import find
    from attn_tui.claims.settings import Settings

    settings = asked.experiment.setup.get(Settings)
    tried = find(settings.claim)
    options: list[str] = []
    for name in tried.controls:
        if (value := getattr(settings, name)) != getattr(tried.trial, name):
            options += ["--" + name.replace("_", "-"), str(value)]
    return _line("claim", settings.claim, *options)


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
    words += _named_options(settings, names[:4] + names[5:] if compared else names)
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
    options = _named_options(settings, ("config", "seed", "layouts", "names"))
    return typed(["attn-tui", "doctor", *settings.capture, *options])


def _open(asked: "Asked") -> "HeadSettings":
    """Return what is asked of a capture; of the example where none is open."""
    from attn_tui.captures.suffixes import EXAMPLE_NAME
    from attn_tui.engine.settings import Settings

    settings = asked.draft.setup.get(Settings)
    return settings if settings.capture else replace(settings, capture=(EXAMPLE_NAME,))


def _named_options(settings: "HeadSettings", names: Sequence[str]) -> Iterator[str]:
    """Yield options for fields that are not at their default."""
    kind: Any = type(settings)
    fields = fields_of(kind)
    for name in names:
        value = getattr(settings, name)
        if value != fields[name].default:
            yield from (fields[name].option, fields[name].kind.text(value))


def _places(settings: "SweepSettings", setup: Setup) -> Iterator[str]:
    """Yield the options for what a sweep runs over, and for what it holds."""
    kind: Any = type(settings)
    fields = fields_of(kind)
    of_map, over_n = settings.view == "map", settings.over == "n"
    if of_map:
        yield "--map"
    elif over_n:
        yield from ("--over", "n")
    start = kind()
    for option, name, number, default, swept in (
        ("--n", "n_range", settings.n, start.n, of_map or over_n),
        ("--d-k", "d_k_range", setup.d_k, Setup().d_k, of_map or not over_n),
    ):
        text = str(number)
        if swept:
            text = fields[name].kind.text(getattr(settings, name))
            # Of a range the headline speaks of one place.
            if number != default:
                text = f"{text}@{number}"
        yield from (option, text)
    points = fields["map_points" if of_map else "points"]
    if (count := getattr(settings, points.name)) != points.default:
        yield from (points.option, str(count))


def typed(words: Sequence[str]) -> str:
    """Return words as a shell reads them.

    Raises:
        InputError: If one of them holds what a terminal would obey, or nobody sees.
    """
    for word in words:
        if visible(word) != word:
            raise InputError("capture", f"{inert(word)} cannot be typed", "another name")
    return join(words)


def _line(command: str, *arguments: str) -> str:
    line = typed(["attn-tui", command, *arguments])
    from attn_tui.files.sources import LONGEST

    if len(line) > LONGEST:
        raise _too_many()
    return line


def _too_many() -> InputError:
    return InputError("scores", "they are too many for a command line", _SAVED)


def _start(setup: Setup, source: "Source | None" = None) -> Setup:
    """Return what a line asks that names the scores and the model, if any, and nothing else."""
    from attn_tui.captures.source import Captured
    from attn_tui.files.captured import with_found

    start = with_found(Setup(), source) if isinstance(source, Captured) else Setup()
    return start.changed(FIELDS["model"], lambda _: setup.model)


def _scaled(setup: Setup, source: "Source | None" = None) -> Iterator[str]:
    """Yield the model, and d_k, unless the scores hold it, and the scale where they differ."""
    start = _start(setup, source)
    is_named = setup.model != NO_MODEL
    if is_named:
        yield from ("--model", setup.model)
    is_held = source is not None and source.d_k is not None
    is_brought = is_named and setup.d_k == start.d_k
    if not (is_held or is_brought):
        yield from ("--d-k", str(setup.d_k))
    text = rule_text(setup.scale)
    if text != rule_text(start.scale):
        yield from ("--rule", text)
    yield from _options(setup.scale, start.scale)


def _options(part: Any, start: Any = None) -> Iterator[str]:
    """Yield the options of a dataclass's object for fields that are not what they start as."""
    kind: Any = type(part)
    for name, field in fields_of(kind).items():
        value = getattr(part, name)
        if not field.option or field.fed or value == getattr(start, name, field.default):
            continue
        if "/" in field.option:
            yes, no = field.option.split("/")
            yield yes if value else no
        else:
            yield from (field.option, field.kind.text(value))


def _scores(draft: "Draft", source: "Source") -> list[str]:
    """Return SCORES, or the options that stand for them."""
    from attn_tui.captures.source import Captured
    from attn_tui.compute.source import Drawn, Products, Typed
    from attn_tui.files.entries import letters
    from attn_tui.files.sources import matrix_text, named_files, vector_lines

    if named_files(draft.text) and draft.source == source.kind:
        return _files(draft)
    words: list[str] = []
    match source:
        case Typed(scores=vectors):
            words = vector_lines(vectors)
            has_names = [vector.name for vector in vectors] != [*islice(letters(), len(vectors))]
            if not has_names and min(vector.n_keys for vector in vectors) > 1:
                # Single numbers side by side would be one vector.
                words = [line.partition(": ")[2].replace(", ", ",") for line in words]
        case Drawn():
            words = ["--draw", str(source.n_keys)]
            words += _options(replace(source, n_keys=Drawn().n_keys))
        case Captured(paths=paths, place=(batch, layer, head), row=row):
            for path in paths:
                words += ["--capture", path]
            if source.layout:
                words += ["--layout", source.layout]
            if source.called:
                words += ["--names", source.called]
            words += ["--layer", str(layer), "--head", str(head)]
            if batch:
                words += ["--batch", str(batch)]
            if row is not None:
                words += ["--row", str(row)]
        case Products(queries=queries, keys=keys, values=values):
            for option, rows in (("--query", queries), ("--keys", keys), ("--values", values)):
                if rows is not None:
                    words += [option, matrix_text(rows)]
    return words


def _files(draft: "Draft") -> list[str]:
    """Return the words for a text that names files, as far as they stay.

    Raises:
        InputError: If scores are in no file of somebody's, for they are too many to be typed.
    """
    from attn_tui.files.paths import true_path
    from attn_tui.files.sources import FIELDS, is_kept, part_of

    words = []
    for line in filter(str.strip, draft.text.split("\n")):
        name, at, path = line.partition("@")
        path = true_path(path.strip())
        if is_kept(path):
            raise _too_many()
        if draft.source != "typed":
            name, _, line = line.partition(":")
            part = part_of(name.strip())
            if part is None:
                raise _too_many()
            words.append(f"--{FIELDS[part]}")
        words.append(f"@{path}" if at else line.strip())
    return words
