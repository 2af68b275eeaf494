"""The subcommands by purpose: where each is and what it does; and arguments as click takes them."""

from collections.abc import Mapping

from attn_tui.instruments import INSTRUMENTS

PURPOSES: Mapping[str, Mapping[str, str]] = {
    "One question": {
        "show": "weights and their gradient, unscaled beside scaled",
        "attention": "every row of a head: who looks at whom",
    },
    "Random vectors": {
        "dot": "where the variance d_k of q·k comes from",
        "sweep": "weights and gradients over d_k and the number of keys",
    },
    "A model's heads": {
        "heads": "statistics of every head of a capture",
        "doctor": "which scale, cap, sink and mask a capture has",
        "compare": "where two captures part",
        "recipe": "a script that captures a model's attention",
        "demo": "captures with sixteen faults, to try the doctor on",
    },
    "To learn": {
        "tour": "a guided tour of a dozen steps, or that of a file",
        "claim": "one thing said about dividing by √d_k, tried",
        "claims": "every claim, a line each with its verdict",
    },
}
"""What each subcommand does, under what it is for."""

_OTHERS = {
    "doctor": "attn_tui.commands.doctor:doctor",
    "compare": "attn_tui.heads.command:compare",
    "recipe": "attn_tui.commands.recipe:recipe",
    "demo": "attn_tui.commands.demo:demo",
    "tour": "attn_tui.commands.tour:tour",
    "claims": "attn_tui.claims.command:claims",
}
"""Where subcommands are that are of no instrument."""

SCREEN = "open"
"""The name of the command that opens the screen; it is called where there is no other."""


def places() -> dict[str, str]:
    """Return where each subcommand is, by name."""
    return {instrument.command_name: instrument.command for instrument in INSTRUMENTS} | _OTHERS


def summaries() -> dict[str, str]:
    """Return what each subcommand does, by name."""
    return {name: text for texts in PURPOSES.values() for name, text in texts.items()}


def protected(arguments: list[str]) -> list[str]:
    """Return arguments in which nothing but ``-h``, ``-x`` and ``--…`` looks like an option.

    Scores such as ``-1,0,1`` get a blank in front, which the vector grammar skips and the value of
    an option loses again.
    """
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return [*map(_protected, arguments[:end]), *arguments[end:]]


def _protected(argument: str) -> str:
    is_letter = len(argument) == 2 and argument[1].isalpha()
    is_option = argument.startswith("--") or argument == "-" or is_letter
    return f" {argument}" if argument.startswith("-") and not is_option else argument
