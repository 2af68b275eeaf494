"""The subcommands: their places, summaries and purposes; and arguments protected from click."""

from attn_tui.instruments import INSTRUMENTS

HELP_NAMES = ["-h", "--help"]
"""The options that ask for help."""

SCREEN_IS_ADDED = "attn_tui.screen_is_added"
"""What the context of a command says where the program, and not the user, wrote ``--screen``."""

_PURPOSES = {
    "One question": ["show", "attention"],
    "Random vectors": ["dot", "sweep"],
    "A model's heads": ["heads", "doctor", "recipe", "demo"],
    "To learn": ["tour", "claim", "claims"],
}
"""Subcommands by purpose; any others are listed last."""

_OTHERS = {
    "doctor": ("commands.doctor", "which scale, cap, sink and mask a capture has"),
    "recipe": ("commands.recipe", "a script that captures a model's attention"),
    "demo": ("commands.demo", "captures with sixteen faults, to try the doctor on"),
    "tour": ("commands.tour", "a guided tour of a dozen steps, or that of a file"),
    "claims": ("claims.command", "every claim, a line each with its verdict"),
}
"""Subcommands that belong to no instrument: their module and summary."""


def places() -> dict[str, str]:
    """Return the place of each subcommand, by name."""
    others = {name: f"attn_tui.{module}:{name}" for name, (module, _) in _OTHERS.items()}
    return {instrument.command_name: instrument.command for instrument in INSTRUMENTS} | others


def summaries() -> dict[str, str]:
    """Return the summary of each subcommand, by name."""
    others = {name: text for name, (_, text) in _OTHERS.items()}
    return {instrument.command_name: instrument.summary for instrument in INSTRUMENTS} | others


def by_purpose() -> dict[str, dict[str, str]]:
    """Return the summaries of subcommands by purpose and name."""
    texts = summaries()
    groups = {
        purpose: {name: texts.pop(name) for name in names} for purpose, names in _PURPOSES.items()
    }
    return groups | ({"Others": texts} if texts else {})


def protected(arguments: list[str]) -> list[str]:
    """Return arguments in which nothing but ``-h``, ``-x`` and ``--…`` looks like an option.

    Scores such as ``-1,0,1`` get a leading blank, which the vector grammar skips and options
    remove again.
    """
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return [*map(_protected, arguments[:end]), *arguments[end:]]


def _protected(argument: str) -> str:
    is_letter = len(argument) == 2 and argument[1].isalpha()
    is_option = argument.startswith("--") or argument == "-" or is_letter
    return f" {argument}" if argument.startswith("-") and not is_option else argument
