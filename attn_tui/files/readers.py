"""What a command line names: scores, a question, tokens."""

from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO

from numpy.lib.format import MAGIC_PREFIX

from attn_tui.compute.attention.settings import TOKENS
from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.source import Source
from attn_tui.compute.vector import Vector
from attn_tui.files.codec import experiment_from_plain
from attn_tui.files.content import STANDARD_INPUT, opened, read_bytes, read_json, read_text
from attn_tui.files.entries import LARGEST_ARRAYS
from attn_tui.files.formats import array_entry, read_npy
from attn_tui.files.grammar import plain_lines
from attn_tui.files.paths import folder_of, shown_path
from attn_tui.files.sources import kept, parse_vectors, read_vectors


def arguments_text(arguments: Sequence[str]) -> str:
    """Return the text that SCORES are, a line each: ``@FILE`` is one of it, too."""
    return "\n".join(
        f"@{shown_path(argument[1:])}" if argument.startswith("@") else plain_lines(argument)
        for argument in arguments
    )


def read_arguments(arguments: Sequence[str]) -> tuple[Vector, ...]:
    """Read the vectors of a command line.

    Each argument is a line of the grammar, so that single numbers side by side are one vector;
    but ``@FILE`` is a file, and ``-`` standard input.

    Raises:
        InputError: Naming the argument or the file, and the place in it.
    """
    if "-" not in arguments:
        texts = [arguments_text([argument]) for argument in arguments]
    else:
        # It ends where it ends: what stands beside it is no part of its columns.
        texts = [
            f"\n{_input_text()}\n" if argument == "-" else arguments_text([argument])
            for argument in arguments
        ]
    try:
        text = "\n".join(texts)
        return read_vectors(text) if "-" in arguments else parse_vectors(text)
    except InputError as error:
        if not error.where and [*arguments] == ["-"]:
            raise replace(error, where=STANDARD_INPUT) from None
        if error.where != f"line {error.line}":
            raise
        raise _placed(error, arguments, texts) from None


def _placed(error: InputError, arguments: Sequence[str], texts: Sequence[str]) -> InputError:
    """Return an error with the number of the argument, or the line of standard input."""
    line = error.line
    where = ""
    for place, (argument, text) in enumerate(zip(arguments, texts, strict=True), 1):
        lines = text.count("\n") + 1
        if line <= lines:
            if argument == "-":
                where = f"{STANDARD_INPUT}, line {line - 1}"
            elif len(arguments) > 1:
                where = f"argument {place}"
            break
        line -= lines
    return InputError(error.field, error.problem, error.expected, where, error.line)


def _input_text() -> str:
    """Return standard input as text in the grammar; the numbers of .npy data, as a file."""
    with opened("-", "scores") as file:
        begun = file.read(len(MAGIC_PREFIX))
        if begun != MAGIC_PREFIX:
            return read_text(file, begun=begun)
        data = begun + read_bytes(file, LARGEST_ARRAYS)
        array = read_npy(BytesIO(data), len(data))
        array_entry(array, "")
        return f"@{kept([('', array)])}"


def read_experiment(path: str, default_source: Source | None = None) -> Experiment:
    """Read the question in what ``show --json`` printed; ``-`` is standard input.

    Args:
        path: Of the file.
        default_source: Where scores come from if the file does not say; without it it must.

    Raises:
        InputError: Naming the file and the place in it, with field ``"experiment"``.
    """
    with opened(path, "experiment") as file:
        plain = read_json(read_text(file))
        return experiment_from_plain(plain, default_source, folder_of(path))


def read_tokens(given: str) -> tuple[str, ...]:
    """Return the tokens of a file, one a line or a JSON list, or of such a list in its place.

    Raises:
        InputError: With field ``"tokens"``, if there is no such file, or no list in it.
    """
    text = given
    if not given.startswith("["):
        with opened(given, "tokens") as file:
            text = read_text(file)
    if text.lstrip().startswith("["):
        tokens: tuple[str, ...] = TOKENS.parse("tokens", text)
        return tokens
    # Blanks are part of a token, and so is an empty line.
    return tuple(text.removesuffix("\n").split("\n")) if text else ()
