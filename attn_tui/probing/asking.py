"""`probe`: call a function with inputs that tell, and ask the doctor what it computes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import log
from typing import Any, Literal

import numpy as np

from attn_tui.captures.layouts import layout_text, parse_layout
from attn_tui.captures.opening import open_arrays
from attn_tui.captures.stored import Raw
from attn_tui.compute.blas import one_thread
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.scale import Scale
from attn_tui.diagnosis.asking import configuration_of
from attn_tui.diagnosis.call import CallShape
from attn_tui.diagnosis.promise import Stated
from attn_tui.doctor.examine import examine
from attn_tui.doctor.report import DoctorReport, Settings
from attn_tui.doctor.verdict import overall
from attn_tui.files.models.opening import expectation_of
from attn_tui.files.models.promise import Expectation, Promise
from attn_tui.probing.backward import are_other, backward_faults, backward_head
from attn_tui.probing.beyond import Fault, hidden_rows, leaks, mixing, unsteady
from attn_tui.probing.calling import Called, Caller, caller_of, libraries_to_try
from attn_tui.probing.extreme import extreme_verdict
from attn_tui.probing.inputs import CallInputs, ProbePlan, drawn, laid_out
from attn_tui.probing.probed import CallVerdict, ProbedCall, ProbeDiagnosis, explains, smallness
from attn_tui.probing.script import script
from attn_tui.probing.shrinking import Faults, smallest

DTYPES = ("float32", "float64", "bfloat16", "float16")
"""The formats that inputs may have."""
DTYPE_NAMES: Mapping[str, str] = {
    "bf16": "bfloat16", "fp16": "float16", "half": "float16", "fp32": "float32", "float": "float32",
    "fp64": "float64", "double": "float64",
}  # fmt: skip
"""Other names of formats."""
NAMED_AT = 64
"""Causes are sought first in the wrong call whose n is nearest to this."""
MOST_SEARCHED = 3
"""In how many wrong calls a cause is sought at most."""
PATIENCE, QUICK_PATIENCE = 2, 1
"""In how many heads of such a call a cause is sought, if none of them has one."""
DIFFERENTIATED = ("torch", "jax")
"""The libraries whose functions have a backward pass here."""
HIDDEN = ("zero", "nan", "mean")
EXCHANGED = str.maketrans("hn", "nh")
"""Makes the other order of heads and positions of a layout that has both."""
LIKE = 'like="torch" gives it those of PyTorch'
MASK = "it has a parameter mask, and mask= gives it one"
CLASS = "f is a class: an object of it may be meant"
"""What is noted on the exception of a function that raises in all calls."""


def probe(
    f: Callable[..., Any],
    *,
    heads: int | None = None,
    kv_heads: int | None = None,
    d_k: int = 64,
    d_v: int | None = None,
    dtype: Any = "float32",
    like: str | None = None,
    layout: str = "bhnd",
    scale: Scale | str | float | None = None,
    softcap: float | None = None,
    sink: Any = None,
    causal: bool | str | None = None,
    window: int | None = None,
    chunk: int | None = None,
    value_scale: float | None = None,
    mask: Callable[[int, int], Any] | None = None,
    bias: Callable[[int, int], Any] | None = None,
    config: Any = None,
    lengths: Sequence[int] | None = None,
    decode: bool = False,
    extremes: bool = False,
    hidden_rows: Literal["zero", "nan", "mean"] | None = None,
    gradient: bool = False,
    quick: bool = False,
    seed: int = 1,
) -> ProbeDiagnosis:
    """Say whether a function is the attention that is meant, and if not, what it is.

    It is called as ``f(q, k, v)`` with arrays [batch, heads, n, d]; whatever else it takes is bound
    beforehand, with `functools.partial` or a lambda. The arguments that describe attention are
    those of `attn_tui.diagnose`; by default m is 1/√d_k and every query sees every key.

    Args:
        f: The function. If it has a parameter ``mask``, it is given what ``mask`` returns.
        heads: How many query heads there are; None for 4, or 1 where ``layout`` has no heads.
        kv_heads: How many heads of keys and values; None for as many.
        d_k: The length of queries and keys.
        d_v: The length of values. None for d_k, and in one call another.
        dtype: The format of the inputs: float32, float64, bfloat16 or float16, as text or as a
            library has it.
        like: The library whose arrays f takes: numpy, torch, jax or mlx. None for NumPy, and if f
            refuses it, for torch or jax if it is imported.
        layout: The axes of q, k, v and out: ``"bhnd"``, ``"bnhd"``, or without b or h.
        scale: The m that f should use; None for 1/√d_k, or that of ``config``.
        softcap: The cap that it should have.
        sink: The sink's logit that it should have, one or one for each head.
        causal: Whether it should be causal; None for not, or as ``config`` says.
        window: How many keys a query should see, its own counted.
        chunk: The length of chunks of keys.
        value_scale: c in out = c·p·V.
        mask: A function of n_q and n that returns which keys are seen, True where they are.
        bias: A function of n_q and n that returns what is added to the logits.
        config: What the model promises in place of the defaults.
        lengths: The numbers of keys; None for 1, 2, 17, 64, 127 to 129, 257 and 513.
        decode: Whether f takes fewer queries than keys.
        extremes: Whether it should bear |q·k| beyond 10,000, in float16 beyond 32,752.
        hidden_rows: What rows are that see no key: ``"zero"``, ``"nan"`` or ``"mean"``, of V; None
            for any of these.
        gradient: Whether dq, dk and dv are looked at as well, of a function of PyTorch or JAX.
        quick: Whether a few calls are enough.
        seed: What is drawn; the same seed gives the same inputs.

    Returns:
        The diagnosis; ``cases`` has each call with its verdict.

    Raises:
        InputError: With the name of the argument that will not do.
        Exception: That of f, if it raises in all calls.
    """
    is_bare = config is None
    stated = Stated(
        "inverse-sqrt" if is_bare and scale is None else scale, softcap, sink,
        False if causal is None and is_bare and window is None and chunk is None else causal,
        window, chunk, value_scale, _function("mask", mask), _function("bias", bias),
    )  # fmt: skip
    if hidden_rows not in (None, *HIDDEN):
        raise InputError("hidden_rows", f"{inert(str(hidden_rows))} is none", " or ".join(HIDDEN))
    axes = layout_text(parse_layout(layout, "q"))
    if not {*"nd"} <= {*axes}:
        raise InputError("layout", f"{inert(layout)} has no positions", "bhnd, bnhd, hnd, bnd …")
    if heads is None:
        heads = 4 if "h" in axes else 1
    if heads != 1 and "h" not in axes:
        problem = f"there are {heads}, and layout={axes} has no axis for them"
        raise InputError("heads", problem, "1, or an axis h")
    plan = _plan(heads, kv_heads, d_k, d_v, lengths, decode, quick, extremes, dtype, seed)
    promise = _Promised(stated, configuration_of(config))
    cases = _called(f, like, axes, plan, promise)
    if gradient and cases[0].caller.library not in DIFFERENTIATED:
        problem = f"f takes arrays of {cases[0].caller.library}"
        raise InputError("gradient", problem, 'like="torch" or like="jax"')
    more = partial(_backward, promise=promise, plan=plan) if gradient else _nothing
    return _diagnosed(cases, promise, plan, hidden_rows, more)


def _nothing(cases: Sequence["_Case"]) -> Iterator[Fault]:
    """Yield no fault of a backward pass that is not asked about."""
    yield from ()


def _backward(cases: Sequence["_Case"], promise: "_Promised", plan: ProbePlan) -> Iterator[Fault]:
    """Yield what is wrong with the backward pass, as the smallest call shows it that does.

    With one or two keys several causes look alike: those calls count if no other is wrong.
    """
    small: list[Fault] = []
    for case in sorted(cases, key=lambda one: smallness(one.inputs)):
        shape = case.inputs.shape
        rng = np.random.default_rng([plan.seed, case.inputs.number, 1])
        upstream = rng.standard_normal((shape.batch, shape.heads, shape.queries, shape.d_v))
        dout = upstream.astype(case.arrays["q"].dtype)
        mask = None if case.stated.mask is None else np.asarray(case.stated.mask)
        gradients = case.caller.gradients(case.arrays, dout, mask)
        where = f"backward, {case.inputs.text}: "
        if isinstance(gradients, str):
            yield Fault(f"{where}{gradients}", shows="gradient", kind=gradients)
            return
        again = case.caller.gradients(case.arrays, dout, mask)
        promised = promise.promise(shape)
        head = backward_head(promised, case.stated, shape)
        simulated = backward_head(promised, case.stated, shape, plan.dtype)
        faults = [*backward_faults(head, simulated, case.arrays, dout, gradients)]
        if faults and not isinstance(again, str) and are_other(gradients, again):
            text = "the same inputs give other gradients: is dropout left on there?"
            yield Fault(f"{where}{text}", shows="gradient", kind=text)
            return
        if not faults:
            continue
        texts, causes = ("; ".join(every) for every in zip(*faults, strict=True))
        fault = Fault(f"{where}{texts}", shows="gradient", kind=causes)
        if shape.keys > 2:
            yield fault
            return
        small.append(fault)
    yield from small[:1]


@dataclass(frozen=True, eq=False)
class _Promised:
    """What a function is meant to do.

    Attributes:
        stated: What the caller says, with functions for mask and bias.
        config: The configuration; empty for none.
    """

    stated: Stated
    config: Any

    def at(self, shape: CallShape) -> Stated:
        """Return what is meant of a call, with its mask and bias."""
        parts = {}
        for name in ("mask", "bias"):
            maker = getattr(self.stated, name)
            parts[name] = None if maker is None else maker(shape.queries, shape.keys)
        return replace(self.stated, **parts)

    def promise(self, shape: CallShape) -> Promise:
        """Return the promise of a call."""
        base = Promise()
        if self.config:
            base = expectation_of(self.config).of(0, shape.d_k)
        typed = self.at(shape).typed(shape)
        return base if typed is None else typed.over(base, shape.d_k)

    def expectation(self, shapes: Sequence[CallShape]) -> Expectation:
        """Return what is promised of several calls, each a layer."""
        source = self.stated.text
        if self.config:
            source = "; ".join(filter(None, (expectation_of(self.config).source, source)))
        layers = tuple(self.promise(shape) for shape in shapes)
        return Expectation(source, layers[0], layers)


@dataclass(frozen=True, eq=False)
class _Case:
    """A call that was made.

    Attributes:
        inputs: What it was given.
        arrays: q, k and v.
        called: What it returned.
        caller: Calls the function again.
        stated: What is meant of it.
    """

    inputs: CallInputs
    arrays: Mapping[str, Raw]
    called: Called
    caller: Caller
    stated: Stated

    @property
    def is_judged(self) -> bool:
        """Whether the doctor looks at its numbers."""
        return self.called.out is not None and self.inputs.largest is None

    def again(self, arrays: Mapping[str, Raw]) -> Raw | None:
        """Return what the function makes of other numbers of the same sizes."""
        return _call(self.caller, arrays, self.inputs, self.stated).out

    def seen(self) -> "np.ndarray[Any, np.dtype[np.bool_]]":
        """Return which keys each query sees, shape (batch or 1, heads or 1, n_q, n)."""
        return self.stated.seen(self.inputs.shape)


def _call(caller: Caller, arrays: Mapping[str, Raw], inputs: CallInputs, stated: Stated) -> Called:
    """Return what a function makes of inputs, with its mask if it takes one."""
    mask = None if stated.mask is None else np.asarray(stated.mask)
    return caller(arrays, inputs.shape, mask, inputs.is_strided)


def _called(
    f: Callable[..., Any], like: str | None, layout: str, plan: ProbePlan, promise: _Promised
) -> list[_Case]:
    """Return all calls.

    Raises:
        Exception: That of f, if it raises in all of them.
    """
    every = plan.inputs()
    if "b" not in layout:
        every = tuple(replace(one, shape=replace(one.shape, batch=1)) for one in every)
    libraries = (like,) if like is not None else ("numpy", *libraries_to_try())
    raised: BaseException | None = None
    for library in libraries:
        caller = caller_of(f, library, layout)
        cases = []
        for inputs in every:
            cases.append(_case(caller, inputs, promise, plan))
        errors = [case.called.raised for case in cases]
        if None in errors:
            return cases
        raised = raised or errors[-1]
    assert raised is not None
    raised.add_note("; ".join((*_arguments(cases[0], like), *_fitting_axes(cases, promise, plan))))
    raise raised


def _arguments(case: _Case, like: str | None) -> Iterator[str]:
    """Yield what a function was given that raises, and what may be meant instead."""
    q, k, v = (
        "×".join(map(str, laid_out(case.arrays[part], case.caller.layout, False).shape))
        for part in "qkv"
    )
    others = f"k and v {k}" if k == v else f"k {k}, v {v}"
    yield f"f was given arrays of {case.caller.library}: q {q}, {others}, for example"
    if like is None and case.caller.library == "numpy":
        yield LIKE
    if case.caller.has_mask and case.stated.mask is None:
        yield MASK
    if isinstance(case.caller.function, type):
        yield CLASS


def _diagnosed(
    cases: Sequence[_Case],
    promise: _Promised,
    plan: ProbePlan,
    hidden: str | None,
    backward: Callable[[Sequence[_Case]], Iterator[Fault]],
) -> ProbeDiagnosis:
    """Return what the calls say together."""
    judged = [case for case in cases if case.is_judged]
    if not judged:
        problem = f"{cases[0].called.error}, and no call returns attention"
        raise InputError("f", problem, "an array with the axes of q and the length of v")
    remarks: list[str] = []
    faults: list[Fault] = []
    verdicts: dict[int, tuple[CallVerdict, str, str]] = {}
    for case in cases:
        number, shape = case.inputs.number, case.inputs.shape
        is_more = plan.d_v is None and shape.d_v != shape.d_k
        if is_more and case.called.raised is not None:
            remarks.append(f"It does not take d_v ≠ d_k: {case.called.error}.")
            continue
        if case.called.out is None:
            verdicts[number] = "fails", case.called.error, ""
        elif case.inputs.largest is not None:
            verdicts[number] = extreme_verdict(
                promise.promise(shape), case.stated, shape, case.arrays, case.called.out
            )
    first = _examined(judged, promise)
    for layer, case in enumerate(judged):
        findings = [one for one in first.findings if one.id.layer == layer]
        verdict = overall(findings)
        is_silent = {one.judgement.verdict for one in findings} <= {"silent"}
        verdicts[case.inputs.number] = ("silent" if is_silent else verdict), "", ""
    faults += [*_written(cases), *_beyond(judged, hidden, remarks)]
    calls = tuple(
        ProbedCall(case.inputs, *verdicts[case.inputs.number])
        for case in cases
        if case.inputs.number in verdicts
    )
    wrong = [
        case for case in judged if verdicts[case.inputs.number][0] in ("differs", "cannot tell")
    ]
    if not wrong:
        faults += backward(judged)
    if wrong:
        faults += _other_axes(wrong, promise, plan)
    report = _named(wrong, promise, plan) if wrong else _largest(judged, promise)
    failing = {call.inputs.number for call in calls if not call.is_right}
    bad = [case for case in cases if case.inputs.number in failing]
    shown = [case for case in bad if case.called.out is not None] or bad or judged
    right = [case for case in judged if case.inputs.number not in failing]

    def found(case: _Case) -> list[Fault]:
        return [*_written([case]), *_beyond([case], hidden, []), *backward([case])]

    def reproduced() -> str:
        least = min(shown, key=lambda case: smallness(case.inputs))
        inputs, fault = least.inputs, None
        if failing:
            inputs = _smallest(least, right, promise, plan)
        elif faults:
            inputs, fault = _smallest_fault(judged, faults[0], found, promise, plan)
        shape = inputs.shape
        return script(least.caller, inputs, plan, promise.promise(shape), promise.at(shape), fault)

    return ProbeDiagnosis(report, calls, tuple(faults), tuple(remarks), reproduced)


def _case(caller: Caller, inputs: CallInputs, promise: _Promised, plan: ProbePlan) -> _Case:
    """Return a call that was made."""
    arrays, stated = drawn(inputs, plan, promise.stated.softcap), promise.at(inputs.shape)
    called = _call(caller, arrays, inputs, stated)
    return _Case(inputs, arrays, called, caller, stated)


def _smallest(
    wrong: _Case, right: Sequence[_Case], promise: _Promised, plan: ProbePlan
) -> CallInputs:
    """Return the smallest inputs that are wrong as those of a call are."""

    def faults_of(inputs: CallInputs) -> Faults:
        try:
            return _faults_of(_case(wrong.caller, inputs, promise, plan), promise)
        except (InputError, ValueError):
            # What is promised, such as a mask or a sink a head, is of other sizes.
            return frozenset()

    def stays_right(shape: CallShape) -> bool:
        d_v = shape.d_k if usual.d_v == usual.d_k else usual.d_v
        kept = replace(usual, heads=shape.heads, kv_heads=shape.kv_heads, d_k=shape.d_k, d_v=d_v)
        return kept == usual or not faults_of(replace(least.inputs, shape=kept))

    if not right:
        return smallest(wrong.inputs, faults_of, lambda shape: True)
    least = min(right, key=lambda case: (case.inputs.shape.keys < 2, smallness(case.inputs)))
    usual = least.inputs.shape
    return smallest(wrong.inputs, faults_of, stays_right)


def _smallest_fault(
    cases: Sequence[_Case],
    fault: Fault,
    found: Callable[[_Case], list[Fault]],
    promise: _Promised,
    plan: ProbePlan,
) -> tuple[CallInputs, Fault]:
    """Return the smallest inputs with a fault that the output alone does not show, and the fault.

    Args:
        cases: Calls that were made.
        fault: The fault.
        found: Returns what is wrong with a call besides its output.
        promise: What is meant.
        plan: The format, and the seed.
    """

    def likeness(inputs: CallInputs) -> Fault | None:
        try:
            case = _case(cases[0].caller, inputs, promise, plan)
            every = found(case) if case.called.out is not None else []
        except (InputError, ValueError):
            # What is promised, such as a mask or a sink a head, is of other sizes.
            return None
        return next((one for one in every if one.shared == fault.shared), None)

    def faults_of(inputs: CallInputs) -> Faults:
        one = likeness(inputs)
        return frozenset() if one is None else frozenset({one.shared})

    # With one or two keys several causes look alike.
    order = sorted(cases, key=lambda case: (case.inputs.shape.keys <= 2, smallness(case.inputs)))
    for case in order:
        if faults_of(case.inputs):
            inputs = smallest(case.inputs, faults_of, lambda shape: True)
            return inputs, likeness(inputs) or fault
    return order[0].inputs, fault


def _written(cases: Sequence[_Case]) -> Iterator[Fault]:
    """Yield that inputs were written to."""
    written = dict.fromkeys(name for case in cases for name in case.called.written)
    if written:
        inputs = "input" if len(written) == 1 else "inputs"
        yield Fault(f"it writes to its {inputs} {', '.join(written)}", shows="writes")


def _faults_of(case: _Case, promise: _Promised) -> Faults:
    """Return what is wrong with a call."""
    shape, called = case.inputs.shape, case.called
    if called.out is None:
        return frozenset({type(called.raised).__name__})
    if case.inputs.largest is not None:
        verdict, _, _ = extreme_verdict(
            promise.promise(shape), case.stated, shape, case.arrays, called.out
        )
        return frozenset() if verdict in ("agrees", "silent") else frozenset({verdict})
    report = _examined([case], promise)
    if overall(report.findings) not in ("differs", "cannot tell"):
        return frozenset()
    # Of an output that nothing explains the cause says which rows are wrong.
    return frozenset(
        (one.part, "" if one.part == "output" else one.cause)
        for finding in report.findings
        for one in finding.judgement.differences
    )


def _beyond(cases: Sequence[_Case], hidden: str | None, remarks: list[str]) -> Iterator[Fault]:
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
        found = [*leaks(case.arrays, out, case.seen(), case.inputs.shape, case.again)]
        if hidden is not None:
            found += hidden_rows(out, case.seen(), case.arrays["v"], hidden)
        if found:
            yield from found
            break


def _other_axes(wrong: Sequence[_Case], promise: _Promised, plan: ProbePlan) -> Iterator[Fault]:
    """Yield that a function is right if its arrays have heads and positions in the other order."""
    for text in _fitting_axes(wrong, promise, plan):
        yield Fault(f"{text}: are these the axes that it takes?", explains=True)


def _fitting_axes(cases: Sequence[_Case], promise: _Promised, plan: ProbePlan) -> Iterator[str]:
    """Yield with which order of heads and positions a function agrees in the likeliest call."""
    caller = cases[0].caller
    other = replace(caller, layout=caller.layout.translate(EXCHANGED))
    plain = [case for case in cases if not case.inputs.is_strided and case.inputs.largest is None]
    if not {*"hn"} <= {*caller.layout} or not plain:
        return
    likeliest = min(plain, key=lambda case: abs(log(case.inputs.shape.keys / NAMED_AT)))
    if not _faults_of(_case(other, likeliest.inputs, promise, plan), promise):
        yield f'with layout="{other.layout}" it agrees'


def _named(wrong: Sequence[_Case], promise: _Promised, plan: ProbePlan) -> DoctorReport:
    """Return the report about the wrong call that shows the cause, or about the likeliest."""

    def likelihood(case: _Case) -> tuple[bool, bool, float, int]:
        shape = case.inputs.shape
        is_odd = shape.d_v != shape.d_k and plan.d_v is None
        return case.inputs.is_strided, is_odd, abs(log(shape.keys / NAMED_AT)), shape.batch

    order = sorted(wrong, key=likelihood)
    reports = []
    if plan.quick:
        order = [_shortened(order[0], promise)]
    for case in order[:MOST_SEARCHED]:
        report = _examined([case], promise, QUICK_PATIENCE if plan.quick else PATIENCE)
        reports.append(report)
        if explains(report):
            return report
    return reports[0]


def _shortened(case: _Case, promise: _Promised) -> _Case:
    """Return the first sequence of a wrong call, if that is wrong by itself; else the call."""
    arrays = {name: array[:1] for name, array in case.arrays.items()}
    inputs = replace(case.inputs, shape=replace(case.inputs.shape, batch=1))
    assert case.called.out is not None
    alone = replace(
        case, inputs=inputs, arrays=arrays, called=replace(case.called, out=case.called.out[:1])
    )
    return alone if _faults_of(alone, promise) else case


def _largest(judged: Sequence[_Case], promise: _Promised) -> DoctorReport:
    """Return the report about the largest call."""
    plain = [case for case in judged if not case.inputs.is_strided] or judged
    return _examined([max(plain, key=lambda case: smallness(case.inputs))], promise)


def _examined(cases: Sequence[_Case], promise: _Promised, patience: int = 0) -> DoctorReport:
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


def _function(name: str, function: Any) -> Any:
    """Return a mask or a bias, which has to be a function of n_q and n."""
    if function is not None and not callable(function):
        problem = f"it is {inert(type(function).__qualname__)[1:-1]}"
        raise InputError(name, problem, "a function of n_q and n that returns an array")
    return function


def _plan(
    heads: int,
    kv_heads: int | None,
    d_k: int,
    d_v: int | None,
    lengths: Sequence[int] | None,
    decode: bool,
    quick: bool,
    extremes: bool,
    dtype: Any,
    seed: int,
) -> ProbePlan:
    """Return which calls are made, after checking what was asked."""
    kv_heads = heads if kv_heads is None else kv_heads
    counts = {"heads": heads, "kv_heads": kv_heads, "d_k": d_k, "d_v": d_v or d_k}
    for name, count in counts.items():
        if type(count) is not int or not 1 <= count <= 4096:
            raise InputError(name, f"it is {inert(repr(count))}", "a whole number from 1 to 4,096")
    if heads % kv_heads:
        expected = f"a number that divides {heads}"
        raise InputError("kv_heads", f"it is {kv_heads}", expected)
    # np.float32 is a class, torch.float32 an object, "float32" a text.
    name = getattr(dtype, "__name__", str(dtype)).removeprefix("torch.")
    name = DTYPE_NAMES.get(name, name)
    if name not in DTYPES:
        raise InputError("dtype", f"{inert(name)} is none", " or ".join(DTYPES))
    is_list = lengths is None or (isinstance(lengths, Sequence) and len(lengths))
    sizes = tuple(lengths or ()) if is_list else (0,)
    if any(type(n) is not int or not 1 <= n <= 8192 for n in sizes):
        expected = "a list of numbers from 1 to 8,192, or None"
        raise InputError("lengths", f"they are {inert(repr(lengths))}", expected)
    if type(seed) is not int or seed < 0:
        raise InputError("seed", f"it is {inert(repr(seed))}", "a whole number from 0")
    return ProbePlan(heads, kv_heads, d_k, d_v, sizes, decode, quick, extremes, name, seed)
