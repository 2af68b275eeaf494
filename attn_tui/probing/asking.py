"""`probe`: call a function with inputs that tell, and ask the doctor what it computes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from attn_tui.captures.layouts import layout_text, parse_layout
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.scale import Scale
from attn_tui.diagnosis.asking import configuration_of
from attn_tui.diagnosis.promise import Stated
from attn_tui.doctor.verdict import overall
from attn_tui.probing.backward import backward_pass
from attn_tui.probing.beyond import Fault
from attn_tui.probing.calling import caller_of, libraries_to_try
from attn_tui.probing.extreme import extreme_verdict
from attn_tui.probing.function_call import CallPromise, FunctionCall
from attn_tui.probing.inputs import ProbePlan, laid_out
from attn_tui.probing.judging import (
    beyond_one_call,
    examined,
    fitting_axes,
    other_axes,
    report_of_cause,
    report_of_largest,
    written_inputs,
)
from attn_tui.probing.probed import CallVerdict, ProbedCall, ProbeDiagnosis, smallness
from attn_tui.probing.script import script
from attn_tui.probing.shrinking import smallest_fault, smallest_wrong

DTYPES = ("float32", "float64", "bfloat16", "float16")
"""The formats that inputs may have."""
DTYPE_NAMES: Mapping[str, str] = {
    "bf16": "bfloat16", "fp16": "float16", "half": "float16", "fp32": "float32", "float": "float32",
    "fp64": "float64", "double": "float64",
}  # fmt: skip
"""Other names of formats."""
DIFFERENTIATED = ("torch", "jax")
"""The libraries whose functions have a backward pass here."""
HIDDEN = ("zero", "nan", "mean")
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
    promise = CallPromise(stated, configuration_of(config))
    cases = _called(f, like, axes, plan, promise)
    if gradient and cases[0].caller.library not in DIFFERENTIATED:
        problem = f"f takes arrays of {cases[0].caller.library}"
        raise InputError("gradient", problem, 'like="torch" or like="jax"')
    more = partial(backward_pass, promise=promise, plan=plan) if gradient else _nothing
    return _diagnosed(cases, promise, plan, hidden_rows, more)


def _nothing(cases: Sequence[FunctionCall]) -> Iterator[Fault]:
    """Yield no fault of a backward pass that is not asked about."""
    yield from ()


def _called(
    f: Callable[..., Any], like: str | None, layout: str, plan: ProbePlan, promise: CallPromise
) -> list[FunctionCall]:
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
            cases.append(FunctionCall.of(caller, inputs, promise, plan))
        errors = [case.called.raised for case in cases]
        if None in errors:
            return cases
        raised = raised or errors[-1]
    assert raised is not None
    raised.add_note("; ".join((*_arguments(cases[0], like), *fitting_axes(cases, promise, plan))))
    raise raised


def _arguments(case: FunctionCall, like: str | None) -> Iterator[str]:
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
    cases: Sequence[FunctionCall],
    promise: CallPromise,
    plan: ProbePlan,
    hidden: str | None,
    backward: Callable[[Sequence[FunctionCall]], Iterator[Fault]],
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
    first = examined(judged, promise)
    for layer, case in enumerate(judged):
        findings = [one for one in first.findings if one.id.layer == layer]
        verdict = overall(findings)
        is_silent = {one.judgement.verdict for one in findings} <= {"silent"}
        verdicts[case.inputs.number] = ("silent" if is_silent else verdict), "", ""
    faults += [*written_inputs(cases), *beyond_one_call(judged, hidden, remarks)]
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
        faults += other_axes(wrong, promise, plan)
    report = report_of_cause(wrong, promise, plan) if wrong else report_of_largest(judged, promise)
    failing = {call.inputs.number for call in calls if not call.is_right}
    bad = [case for case in cases if case.inputs.number in failing]
    shown = [case for case in bad if case.called.out is not None] or bad or judged
    right = [case for case in judged if case.inputs.number not in failing]

    def found(case: FunctionCall) -> list[Fault]:
        return [*written_inputs([case]), *beyond_one_call([case], hidden, []), *backward([case])]

    def reproduced() -> str:
        least = min(shown, key=lambda case: smallness(case.inputs))
        inputs, fault = least.inputs, None
        if failing:
            inputs = smallest_wrong(least, right, promise, plan)
        elif faults:
            inputs, fault = smallest_fault(judged, faults[0], found, promise, plan)
        shape = inputs.shape
        return script(least.caller, inputs, plan, promise.promise(shape), promise.at(shape), fault)

    return ProbeDiagnosis(report, calls, tuple(faults), tuple(remarks), reproduced)


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
