"""Answers about the vector in view: at once, or where there are many keys beside the screen."""

from collections.abc import Sequence
from dataclasses import replace

from attn_tui.compute.experiment import Experiment
from attn_tui.old.tui.computing import Computing
from attn_tui.old.tui.explore.found import Found, Question, find
from attn_tui.old.tui.explore.view import View
from attn_tui.old.tui.job import Job
from attn_tui.old.tui.parts import Host
from attn_tui.report.rows import Row


class Answering:
    """Has the newest question answered, one at a time.

    Args:
        screen: It is sent what takes long, and gives it to `computing`.

    Attributes:
        question: What is to be shown.
        found: What there is to show, which may be older; None before all.
        computing: Answers what takes long.
    """

    def __init__(self, screen: Host) -> None:
        self.question: Question | None = None
        self.found: Found | None = None
        self.computing: Computing[Found] = Computing(screen)

    @property
    def job(self) -> Job[Found]:
        """How an answer stands that takes long."""
        return self.computing.job

    @property
    def is_old(self) -> bool:
        """Whether what there is to show answers something else."""
        return self.found is not None and self.found.question != self.question

    def go_on(self, experiment: Experiment, view: View) -> View:
        """Answer what is asked of the vector in view, and return the view of what is found."""
        index = min(view.vector, len(experiment.vectors) - 1)
        question = self.question = Question(experiment, index, view.sort, view.pinned)
        before = self.found
        if not self.is_old and before:
            self.computing.forget()
            return self.take(before, view)
        if not question.is_long:
            self.computing.forget()
            return self.take(find(question, before), view)
        if not self.job.running:
            self.computing.ask(question, lambda stop: find(question, before))
        return view

    def taken(self, view: View) -> View:
        """Take what was found beside the screen, if that is new, and return the view of it."""
        newest = self.job.result(self.job.question) if self.job.state == "done" else None
        return self.take(newest, view) if newest else view

    def problem_rows(self, width: int) -> Sequence[Row]:
        """Return what failed, if it is the answer to what is asked, in lines of a width."""
        failed = self.job.problem and self.job.question == self.question
        return self.job.problem_rows(width) if failed else ()

    def take(self, found: Found, view: View) -> View:
        """Take what was found, and return the view with its places inside of that."""
        self.found = found
        if view.anew:
            # Until now it may have been seen in the order of the keys before.
            view = replace(view.at(view.vector), anew=False)
        answer = found.answer
        n_vectors = len(found.question.experiment.vectors)
        return view.held(n_vectors, answer.vector.n_keys, answer.leader)
