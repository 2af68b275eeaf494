"""Arguments as they are typed: what asks for help, and what only looks like an option."""

HELP_NAMES = ["-h", "--help"]
"""The options that ask for help."""

SCREEN_IS_ADDED = "attn_tui.screen_is_added"
"""What the context of a command says where the program, and not the user, wrote ``--screen``."""


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
