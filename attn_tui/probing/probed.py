"""What a probe says: a diagnosis, with each call that was made and what one call cannot show."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from attn_tui.compute.text import counted, listed
from attn_tui.diagnosis.diagnosis import Diagnosis
from attn_tui.doctor.difference import Verdict
from attn_tui.doctor.report import DoctorReport
from attn_tui.doctor.sentences import verdict_line
from attn_tui.doctor.text import LABEL, render
from attn_tui.probing.beyond import Fault
from attn_tui.probing.inputs import CallInputs
from attn_tui.report.rows import labelled

CallVerdict = Verdict | Literal["fails"]
"""The verdict about a call: that of its heads, or that it fails: there is no output to look at."""


@dataclass(frozen=True)
class ProbedCall:
    """One call of a probe.

    Attributes:
        inputs: What it was given.
        verdict: What the doctor says of it, or ``"fails"``.
        error: Why there is no output, or what is wrong with it, in a phrase; empty if the doctor
            says it.
        observation: What was seen of it, in a phrase, where the doctor did not look at it.
    """

    inputs: CallInputs
    verdict: CallVerdict
    error: str = ""
    observation: str = ""

    @property
    def is_right(self) -> bool:
        """Whether nothing is wrong with it; one that could not have shown m counts."""
        return self.verdict in ("agrees", "silent")

    @property
    def text(self) -> str:
        """The call in words."""
        return f"{self.inputs.text}: {self.error or self.observation or self.verdict}"


@dataclass(frozen=True, eq=False, repr=False)
class ProbeDiagnosis(Diagnosis):
    """What a probe says of a function.

    The report is about the largest call, or, where a call is wrong, about the one that shows the
    cause.

    Attributes:
        cases: The calls, each with its verdict.
        faults: What the calls together show to be wrong.
        remarks: What is no fault but good to know, in sentences.
        script: Returns the script of `reproduce`.
    """

    cases: tuple[ProbedCall, ...]
    faults: tuple[Fault, ...]
    remarks: tuple[str, ...]
    script: Callable[[], str]

    @property
    def verdict(self) -> Verdict:
        """``"agrees"``, ``"differs"`` or ``"cannot tell"``."""
        is_wrong = any(call.verdict in ("fails", "differs") for call in self.cases)
        if self.faults or is_wrong:
            return "differs"
        return super().verdict

    @cached_property
    def line(self) -> str:
        """The verdict and what it rests on, in one line to paste into an issue."""
        said = verdict_line(self.report).partition(": ")[2]
        is_shown = self.report.verdict == "differs"
        is_explained = explains(self.report)
        cause = [fault.text for fault in self.faults if fault.explains]
        sure = [fault.text for fault in self.faults if fault.is_sure and not fault.explains]
        others = [fault.text for fault in self.faults if not fault.is_sure]
        is_explained |= bool(cause)
        parts = cause or ([said] if is_explained else [])
        parts += sure
        if not is_explained:
            parts += others
        if self._wrong and self.report.verdict in ("agrees", "no expectation"):
            # The report is about a call that is right: what is wrong comes first.
            parts += [self._least.text, *self._calls(), f"the others: {said}"]
            return f"{self.verdict}: {'; '.join(parts)}"
        if not is_explained and (is_shown or not parts):
            parts.append(said)
        parts += self._calls()
        if self._wrong:
            least = self._least
            parts.append(f"the smallest: {least.text if least.error else least.inputs.text}")
        return f"{self.verdict}: {'; '.join(parts)}"

    @property
    def why(self) -> tuple[str, ...]:
        """The sentences behind the verdict, the most important first."""
        return (*super().why, *self.remarks)

    def reproduce(self) -> str:
        """Return a script of NumPy that shows the fault with the smallest inputs that show it."""
        return self.script()

    def to_dict(self) -> dict[str, Any]:
        """Return what ``attn-tui probe --json`` prints, as ``docs/json.md`` explains it."""
        plain = super().to_dict()
        calls = [
            {
                "text": call.inputs.text, "verdict": call.verdict, "error": call.error or None,
                "note": call.observation or None,
                "n_queries": call.inputs.shape.queries, "n_keys": call.inputs.shape.keys,
                "batch": call.inputs.shape.batch, "d_v": call.inputs.shape.d_v,
                "strided": call.inputs.is_strided,
            }
            for call in self.cases
        ]  # fmt: skip
        faults = [fault.text for fault in self.faults]
        return plain | {
            "verdict": self.verdict, "why": [self.line, *self.why[1:]], "cases": calls,
            "faults": faults,
        }  # fmt: skip

    def __str__(self) -> str:
        _, _, evidence = "".join(render(self.report)).partition("\n\n")
        return "".join((self.line, "\n\n", *self._lines(), evidence)).rstrip("\n")

    @property
    def _wrong(self) -> list[ProbedCall]:
        """The calls that are not right."""
        return [call for call in self.cases if not call.is_right]

    @property
    def _least(self) -> ProbedCall:
        """The smallest call that is not right."""
        return min(self._wrong, key=lambda call: smallness(call.inputs))

    def _calls(self) -> Iterator[str]:
        """Yield how many calls are right, and what those that are not have in common."""
        wrong = self._wrong
        if not wrong:
            n = sorted({call.inputs.shape.keys for call in self.cases})
            ends = " to ".join(dict.fromkeys((f"{n[0]:,}", f"{n[-1]:,}")))
            yield f"{counted(len(self.cases), 'call')}, n = {ends}"
            return
        where = common(self.cases)
        if all(call.verdict == "fails" for call in wrong):
            # What raises is no wrong number, whose cause could be asked for.
            where = where.partition(":")[0]
        if where:
            yield f"only {where}"
        yield f"in {len(wrong)} of {counted(len(self.cases), 'call')}"

    def _lines(self) -> Iterator[str]:
        """Yield a line for each fault, remark, and call that is not right."""
        for fault in self.faults:
            yield labelled("fault", fault.text, LABEL)
        for remark in self.remarks:
            yield labelled("note", remark, LABEL)
        for call in self.cases:
            if not call.is_right:
                yield labelled("call", call.text, LABEL)
        right = [call for call in self.cases if call.is_right]
        compared = [call.inputs.text for call in right if not call.observation]
        if compared:
            yield labelled("right", "; ".join(compared), LABEL)
        for call in right:
            if call.observation:
                yield labelled("finite", call.text, LABEL)


def explains(report: DoctorReport) -> bool:
    """Return whether a report names the cause of some head that differs."""
    wrong = (one.explanation for one in report.findings if one.judgement.verdict == "differs")
    return any(one.candidate.explains or one.suspect is not None for one in wrong)


def smallness(inputs: CallInputs) -> tuple[int, bool, int]:
    """Return the sort key by which the smallest inputs come first."""
    shape = inputs.shape
    return shape.batch * shape.keys * shape.queries, inputs.is_strided, inputs.number


def common(calls: Sequence[ProbedCall]) -> str:
    """Return what wrong calls have in common and no other has, or an empty text.

    Calls that could not have shown a fault say nothing.
    """
    decisive = [call for call in calls if call.verdict != "silent"]
    wrong = {call.inputs.number for call in decisive if not call.is_right}
    if not wrong or len(wrong) == len(decisive):
        return ""
    for words, holds in TRAITS:
        if {call.inputs.number for call in decisive if holds(call.inputs)} == wrong:
            return words
    lengths = sorted({call.inputs.shape.keys for call in decisive if call.inputs.number in wrong})
    others = {call.inputs.shape.keys for call in decisive if call.inputs.number not in wrong}
    if not others & {*lengths}:
        return f"at n = {listed([f'{n:,}' for n in lengths])}"
    return ""


TRAITS: tuple[tuple[str, Callable[[CallInputs], bool]], ...] = (
    ("with strided arrays: are strides ignored?", lambda inputs: inputs.is_strided),
    ("with d_v ≠ d_k", lambda inputs: inputs.shape.d_v != inputs.shape.d_k),
    ("with fewer queries than keys", lambda inputs: inputs.shape.queries < inputs.shape.keys),
    ("with several sequences", lambda inputs: inputs.shape.batch > 1),
    ("with extreme |q·k|", lambda inputs: inputs.largest is not None),
    *(
        (
            f"where n is no multiple of {block}",
            lambda inputs, block=block: inputs.shape.keys % block > 0,
        )
        for block in (64, 32, 16, 128)
    ),
    *(
        (f"where n is larger than {block}", lambda inputs, block=block: inputs.shape.keys > block)
        for block in (257, 256, 128, 127, 64, 17)
    ),
)
"""What calls may have in common, the most telling first."""
