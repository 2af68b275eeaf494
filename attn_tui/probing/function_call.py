"""A call of a probed function: what it was given, what it returned, and what is meant of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attn_tui.captures.stored import Raw
from attn_tui.compute.arrays import Truths
from attn_tui.diagnosis.call import CallShape
from attn_tui.diagnosis.promise import Stated
from attn_tui.files.models.opening import expectation_of
from attn_tui.files.models.promise import Expectation, Promise
from attn_tui.probing.calling import Called, Caller
from attn_tui.probing.inputs import CallInputs, ProbePlan, drawn


@dataclass(frozen=True, eq=False)
class CallPromise:
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
class FunctionCall:
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

    @staticmethod
    def of(
        caller: Caller, inputs: CallInputs, promise: CallPromise, plan: ProbePlan
    ) -> "FunctionCall":
        """Call a function with what a plan draws."""
        arrays, stated = drawn(inputs, plan, promise.stated.softcap), promise.at(inputs.shape)
        called = _called(caller, arrays, inputs, stated)
        return FunctionCall(inputs, arrays, called, caller, stated)

    @property
    def is_judged(self) -> bool:
        """Whether the doctor looks at its numbers."""
        return self.called.out is not None and self.inputs.largest is None

    def again(self, arrays: Mapping[str, Raw]) -> Raw | None:
        """Return what the function makes of other numbers of the same sizes."""
        return _called(self.caller, arrays, self.inputs, self.stated).out

    def seen(self) -> Truths:
        """Return which keys each query sees, shape (batch or 1, heads or 1, n_q, n)."""
        return self.stated.seen(self.inputs.shape)


def _called(
    caller: Caller, arrays: Mapping[str, Raw], inputs: CallInputs, stated: Stated
) -> Called:
    """Return what a function makes of inputs, with its mask if it takes one."""
    mask = None if stated.mask is None else np.asarray(stated.mask)
    return caller(arrays, inputs.shape, mask, inputs.is_strided)
