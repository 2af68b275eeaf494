"""What the doctor says of the calls of a function, and what is wrong with them besides."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from math import log

from attn_tui.captures.opening import open_arrays
from attn_tui.captures.stored import Raw
from attn_tui.compute.blas import one_thread
from attn_tui.doctor.examine import examine
from attn_tui.doctor.report import DoctorReport, Settings
from attn_tui.doctor.verdict import overall
from attn_tui.probing.beyond import Fault, hidden_rows, leaks, mixing, unsteady
from attn_tui.probing.extreme import extreme_verdict
from attn_tui.probing.function_call import CallPromise, FunctionCall
from attn_tui.probing.inputs import ProbePlan
from attn_tui.probing.probed import explains, smallness

NAMED_AT = 64
"""Causes are sought first in the wrong call whose n is nearest to this."""
MOST_SEARCHED = 3
"""In how many wrong calls a cause is sought at most."""
PATIENCE, QUICK_PATIENCE = 2, 1
"""In how many heads of such a call a cause is sought, if none of them has one."""
EXCHANGED = str.maketrans("hn", "nh")
"""Makes the other order of heads and positions of a layout that has both."""
Faults = frozenset[Hashable]
"""What is wrong with a call: an error, or parts that differ, with causes; empty if nothing is."""


def examined(
    cases: Sequence[FunctionCall], promise: CallPromise, patience: int = 0
) -> DoctorReport:
    """Return the doctor's report about calls, each a layer.

    Args:
        cases: The calls.
        promise: What is meant of them.
        patience: In how many heads a cause is sought, if none of them has one.
    """
    tensors: dict[str, Raw] = {}
    for layer, case in enumerate(cases):
        assert case.called.out is not None
        parts = {**case.arrays, "out": case.called.out, **case.stated.tensors(case.inputs.shape)}
        tensors |= {f"{layer}.{part}": array for part, array in parts.items()}
    capture = open_arrays(tensors, "bhnd")
    expectation = promise.expectation([case.inputs.shape for case in cases])
    settings = Settings(search=patience > 0, patience=patience, is_trusted=True)
    with one_thread():
        *_, report = examine(capture, expectation, settings)
    return report


def faults_of(case: FunctionCall, promise: CallPromise) -> Faults:
    """Return what is wrong with a call."""
    shape, called = case.inputs.shape, case.called
    if called.out is None:
        return frozenset({type(called.raised).__name__})
    if case.inputs.largest is not None:
        verdict, _, _ = extreme_verdict(
            promise.promise(shape), case.stated, shape, case.arrays, called.out
        )
        return frozenset() if verdict in ("agrees", "silent") else frozenset({verdict})
    report = examined([case], promise)
    if overall(report.findings) not in ("differs", "cannot tell"):
        return frozenset()
    # Of an output that nothing explains the cause says which rows are wrong.
    return frozenset(
        (one.part, "" if one.part == "output" else one.cause)
        for finding in report.findings
        for one in finding.judgement.differences
    )


def written_inputs(cases: Sequence[FunctionCall]) -> Iterator[Fault]:
    """Yield that inputs were written to."""
    written = dict.fromkeys(name for case in cases for name in case.called.written)
    if written:
        inputs = "input" if len(written) == 1 else "inputs"
        yield Fault(f"it writes to its {inputs} {', '.join(written)}", shows="writes")


def beyond_one_call(
    cases: Sequence[FunctionCall], hidden: str | None, remarks: list[str]
) -> Iterator[Fault]:
    """Yield what one call cannot show."""
    plain = [case for case in cases if not case.inputs.is_strided]
    several = max(plain, key=lambda case: (case.inputs.shape.batch, -case.inputs.shape.keys))
    out = several.called.out
    assert out is not None
    for text, is_fault in unsteady(several.arrays, out, several.again):
        if is_fault:
            # Whatever else changes may change by itself.
            kind = text.partition(", in")[0]
            yield Fault(text, shows="unsteady", kind=kind)
            return
        remarks.append(text)
    yield from mixing(several.arrays, out, several.inputs.shape, several.again)
    for case in plain:
        out = case.called.out
        assert out is not None
        faults = [*leaks(case.arrays, out, case.seen(), case.inputs.shape, case.again)]
        if hidden is not None:
            faults += hidden_rows(out, case.seen(), case.arrays["v"], hidden)
        if faults:
            yield from faults
            break


def other_axes(
    wrong: Sequence[FunctionCall], promise: CallPromise, plan: ProbePlan
) -> Iterator[Fault]:
    """Yield that a function is right if its arrays have heads and positions in the other order."""
    for text in fitting_axes(wrong, promise, plan):
        yield Fault(f"{text}: are these the axes that it takes?", explains=True)


def fitting_axes(
    cases: Sequence[FunctionCall], promise: CallPromise, plan: ProbePlan
) -> Iterator[str]:
    """Yield with which order of heads and positions a function agrees in the likeliest call."""
    caller = cases[0].caller
    other = replace(caller, layout=caller.layout.translate(EXCHANGED))
    plain = [case for case in cases if not case.inputs.is_strided and case.inputs.largest is None]
    if not {*"hn"} <= {*caller.layout} or not plain:
        return
    likeliest = min(plain, key=lambda case: abs(log(case.inputs.shape.keys / NAMED_AT)))
    if not faults_of(FunctionCall.of(other, likeliest.inputs, promise, plan), promise):
        yield f'with layout="{other.layout}" it agrees'


def report_of_cause(
    wrong: Sequence[FunctionCall], promise: CallPromise, plan: ProbePlan
) -> DoctorReport:
    """Return the report about the wrong call that shows the cause, or about the likeliest."""

    def likelihood(case: FunctionCall) -> tuple[bool, bool, float, int]:
        shape = case.inputs.shape
        is_odd = shape.d_v != shape.d_k and plan.d_v is None
        return case.inputs.is_strided, is_odd, abs(log(shape.keys / NAMED_AT)), shape.batch

    order = sorted(wrong, key=likelihood)
    reports = []
    if plan.quick:
        order = [_shortened(order[0], promise)]
    for case in order[:MOST_SEARCHED]:
        report = examined([case], promise, QUICK_PATIENCE if plan.quick else PATIENCE)
        reports.append(report)
        if explains(report):
            return report
    return reports[0]


def _shortened(case: FunctionCall, promise: CallPromise) -> FunctionCall:
    """Return the first sequence of a wrong call, if that is wrong by itself; else the call."""
    arrays = {name: array[:1] for name, array in case.arrays.items()}
    inputs = replace(case.inputs, shape=replace(case.inputs.shape, batch=1))
    assert case.called.out is not None
    alone = replace(
        case, inputs=inputs, arrays=arrays, called=replace(case.called, out=case.called.out[:1])
    )
    return alone if faults_of(alone, promise) else case


def report_of_largest(judged: Sequence[FunctionCall], promise: CallPromise) -> DoctorReport:
    """Return the report about the largest call."""
    plain = [case for case in judged if not case.inputs.is_strided] or judged
    return examined([max(plain, key=lambda case: smallness(case.inputs))], promise)
