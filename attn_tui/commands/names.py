"""The subcommands: their places, summaries and purposes."""

from attn_tui.instruments import INSTRUMENTS

_PURPOSES = {
    "Scores, typed or drawn": ["show", "attention", "dot", "sweep"],
    "A model's heads": ["heads", "doctor", "diff", "probe", "recipe", "demo"],
    "To read": ["tour", "serve", "claim", "claims", "replay", "config", "agent", "schema"],
}
"""Subcommands by purpose; any others are listed last."""

_OTHERS = {
    "doctor": ("commands.doctor", "which scale, cap, sink and mask a capture has"),
    "diff": ("commands.diff", "where two captures of a model diverge, and if in attention"),
    "probe": ("commands.probe", "whether a function is the attention that is meant"),
    "recipe": ("commands.recipe", "a script that captures a model's attention"),
    "demo": ("commands.demo", "captures with sixteen faults, to try the doctor on"),
    "tour": ("commands.tour", "a guided tour of a dozen steps, or that of a file"),
    "serve": ("commands.serve", "the program, or a lesson, in the browsers of a class"),
    "replay": ("commands.replay", "what somebody asked on the screen, step by step"),
    "config": ("commands.config", "a file for your theme, keys and start, to fill in"),
    "agent": ("commands.agent", "one page for coding agents: what to run, and what it says"),
    "schema": ("commands.schema", "the JSON Schema of what --json prints"),
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
