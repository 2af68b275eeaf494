"""What stands on the terminal after a key, of which little is painted."""

from tests.contract.terminal import Terminal

PANES = slice(5, 39)


def is_whole(terminal: Terminal) -> bool:
    """Return whether all panes have their frames, on the left and on the right, and curves."""
    frames = ("│", "╭", "╰", "╮", "╯")
    lines = terminal.display[PANES]
    has_curves = "of 3 keys ─╯" in lines[-1]
    return has_curves and all(line.startswith(frames) and line.endswith(frames) for line in lines)


def test_a_step_of_d_k_leaves_what_a_start_at_that_d_k_shows() -> None:
    with Terminal(120, 40, ["--d-k", "2048"]) as terminal:
        terminal.until_shows("divided by 45.3")
        terminal.until(lambda: is_whole(terminal), "panes")
        started = terminal.display
    with Terminal(120, 40) as terminal:
        terminal.until_shows("divided by 32")
        terminal.until(lambda: is_whole(terminal), "panes")
        terminal.press("}")
        terminal.until_like(started, PANES)
