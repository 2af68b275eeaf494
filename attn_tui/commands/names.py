"""The names of all subcommands: where each is, and what it does in a line."""

from attn_tui.instruments import INSTRUMENTS

_OTHERS = {
    "doctor": ("attn_tui.commands.doctor:doctor", "which scale, cap, sink and mask a capture has"),
    "compare": ("attn_tui.heads.command:compare", "where two captures part"),
    "claims": ("attn_tui.claims.command:claims", "every claim, a line each with its verdict"),
    "demo": ("attn_tui.commands.demo:demo", "captures with sixteen faults, to try the doctor on"),
    "recipe": ("attn_tui.commands.recipe:recipe", "a script that captures a model's attention"),
    "tour": ("attn_tui.commands.tour:tour", "a guided tour of a dozen steps, or that of a file"),
}
"""Subcommands that are of no instrument, each with its place and a summary."""


def commands() -> dict[str, tuple[str, str]]:
    """Return the place and the summary of every subcommand, by name."""
    return {each.command_name: (each.command, each.summary) for each in INSTRUMENTS} | _OTHERS
