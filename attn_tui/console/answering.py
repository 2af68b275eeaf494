"""Runs an instrument on the command line: from its answers to a report in the form asked for."""

from collections.abc import Callable, Iterable
from typing import Any, Protocol, TypeVar

from attn_tui.compute.errors import Stop
from attn_tui.compute.experiment import Experiment
from attn_tui.console.asking import mention_left_out
from attn_tui.console.output import INTERRUPTED, tell, write
from attn_tui.console.plotting import Plot, check_plot, plotted
from attn_tui.console.progress import worked
from attn_tui.report.forms import WRITERS
from attn_tui.report.report import Report


class Answered(Protocol):
    """An answer of an instrument."""

    @property
    def experiment(self) -> Experiment:
        """The question."""


A = TypeVar("A", bound=Answered)


def print_answer(
    what: str,
    answers: Callable[[Stop], Iterable[A]],
    report: Callable[[A], Report],
    form: str,
    share: Callable[[Any], float] = lambda answer: answer.progress,
    plots: Callable[[A], Iterable[Plot]] | None = None,
    ascii: bool = False,
) -> int:
    """Print the report on the best answer; return the exit status.

    Ctrl+C ends the computation: what is known by then is printed, and the status tells of it.

    Args:
        what: A word for the work, shown beside its progress.
        answers: A function from a stop to better and better answers.
        report: Makes the report on an answer.
        form: ``"text"``, ``"csv"`` or ``"json"``.
        share: The share of the work that an answer holds, from 0 to 1.
        plots: The pictures to print below the report, if any are wanted.
        ascii: Whether they keep to ASCII.

    Raises:
        InputError: With field ``"plot"``, if pictures cannot stand below a report in this form.
    """
    if plots is not None:
        check_plot(form)
    answer, is_interrupted = worked(what, answers, share)
    if answer is None:
        tell("stopped before there was anything to print")
    else:
        mention_left_out(answer.experiment, form)
        write(WRITERS[form](report(answer)))
        if plots is not None:
            write(plotted(plots(answer), ascii))
    return INTERRUPTED if is_interrupted else 0
