"""For every claim that is tried, one way to break its basis: a function or a number."""

import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import reduce
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from scipy import stats

from attn_tui.claims import checks
from attn_tui.claims.claim import StatedNumbers, TriedClaim, try_claim
from attn_tui.claims.ledger import find
from attn_tui.compute.heads.head import row_weights
from attn_tui.compute.sample import Number
from attn_tui.compute.scale import NONE, Scale

By = Callable[[Any], Any]
"""Returns the replacement of an object."""

ROOMS = [
    import_module(f"{checks.__name__}.{module.name}")
    for module in pkgutil.iter_modules(checks.__path__)
]


def result(change: By) -> By:
    """Break the result of a function."""
    return lambda function: lambda *rest, **asked: change(function(*rest, **asked))


def argument(change: By) -> By:
    """Break the first argument of a function."""
    return lambda function: lambda first, *rest, **asked: function(change(first), *rest, **asked)


def asked(**held: Any) -> By:
    """Fix keyword arguments of a function."""
    return lambda function: lambda *rest, **asked: function(*rest, **{**asked, **held})


def changed(**changes: Any) -> By:
    """Break some fields of the result of a function."""
    return result(lambda value: replace(value, **changes))


def each_row(change: By) -> By:
    """Break the drawn rows."""
    return result(lambda rows: {place: change(logs) for place, logs in rows.items()})


def each_model(**changes: By) -> By:
    """Return a change to the table of models, given a function of each model."""
    return lambda models: {
        name: replace(model, **{key: of(model) for key, of in changes.items()})
        for name, model in models.items()
    }


def read_as(**changes: Callable[[float], Number]) -> By:
    """Break the statistics of q·k, given a function of d_k."""
    return lambda sampled: (
        lambda law, trial: replace(
            sampled(law, trial), **{name: change(law.d_k) for name, change in changes.items()}
        )
    )


D_K = read_as(mean=lambda d_k: Number(d_k, 0.1))
ONE = Number(1.0, 0.1, 1.0)
TWICE = read_as(variance=lambda d_k: Number(2.0 * d_k, 0.01 * d_k))
SQUARE = read_as(variance=lambda d_k: Number(d_k**2, 0.01 * d_k**2, d_k**2))
NORMAL = read_as(kurtosis=lambda d_k: Number(3.0, 0.01, 3.0))
NORMAL_TAIL = {"outside": lambda _: lambda bound, d_k: 2.0 * float(stats.norm.sf(bound))}
UNCORRELATED, NOTHING_TIED = asked(correlation=0.0), asked(correlation=0.0, tied=False)
LEVEL = each_row(lambda logs: 0.0 * logs - 2.0)
EVEN = argument(lambda scores: 0.0 * np.asarray(scores))
D_MODEL = {"MODELS": each_model(d_k=lambda model: model.d_model)}

_OF: Mapping[str, Mapping[str, By]] = {
    "S0-2 S1-1 S1-12 L-2": {"removed": changed(value=2.0)},
    "S0-14 S0-24 S0-20 L-1": {"sampled": D_K},
    "S0-18 S2-2 S2-8 S2-9 S2-26": {"sampled": TWICE},
    "S0-16 S0-23": {"sampled": SQUARE},
    "S1-5 S1-6": {"sampled": NORMAL},
    "S0-10 S0-26 S1-13 S1-16": {"row_logs": LEVEL},
    "S2-12 S2-17 S2-25": NORMAL_TAIL,
    "S0-8 S1-10": {"jacobian": result(lambda value: 0.0 * value)},
    "S0-5": {"gradient": result(lambda value: 1.001 * value)},
    "L-6 L-7": {"softmax": EVEN},
    "S0-13 L-22": {"dot_law": UNCORRELATED},
    "S0-11 S0-25": {"multiplier": lambda _: lambda rule, d_k: 1.0},
    "S2-14 L-4": {"multiplier": lambda _: lambda rule, d_k: 1.0 / d_k},
    "S2-1 S2-21": D_MODEL,
    "S0-9 S1-9": {"statistics": changed(frobenius=0.5)},
    "S0-12": {
        "listed": lambda listed: lambda scale, one: listed(scale, replace(one, naive=False)),
        "row_logs": LEVEL,
    },
    "S0-15": {"sampled": read_as(mean_size=lambda d_k: ONE)},
    "S0-21": {"dot_law": NOTHING_TIED},
    "S0-22": {"dot_law": asked(tied=False)},
    "S1-7": {"dot_law": argument(lambda d_k: 64)},
    "S1-8": {"softmax": argument(lambda z: 1.01 * np.asarray(z))},
    "S1-11": {"logs_at_stds": each_row(lambda logs: 0.0 * logs)},
    "S2-3": {"sampled": read_as(standard_deviation=lambda d_k: ONE)},
    "S2-4": {"sum_law": argument(lambda entries: "die")},
    "S2-15": {"statistics": changed(max_weight=0.5)},
    "S2-20": {
        "statistics": lambda statistics: lambda scores, d_k, scale: replace(
            statistics(scores, d_k, scale), frobenius=1.0 if scale == NONE else 2.0
        )
    },
    "S2-22": {"MODELS": each_model(scale=lambda model: Scale())},
    "S2-24": {"sum_law": result(lambda law: replace(law, start=law.start - 3.5 * 1024))},
    "L-3": {"row_logs": each_row(lambda logs: 0.8 * logs)},
    "L-5": {"evaluate": EVEN},
    "L-9": {"clip": result(lambda gamma: 1.0)},
    "L-10": {"softmax": result(lambda p: np.array([1.0, 0.0, 0.0]))},
    "L-11": {"least_entropy": result(lambda entropy: 1.1 * entropy)},
    "L-12": {"spectral_norm": result(lambda norm: 1.0)},
    "L-13": {"Head.output": lambda _: property(lambda head: head.values)},
    "L-14": {"row_weights": argument(lambda z: 1.2 * z)},
    "L-15": {"trace_at": argument(lambda n_keys: 64)},
    "L-16": {"softmax": argument(lambda z: 2.0 * z)},
    "L-19": {"softmax": lambda softmax: lambda z, scale=None: softmax(z)},
    "L-20": {
        "gradients_by_length": result(lambda value: (value[1], value[0], value[2]))
    },
    "L-24": {"halves": result(lambda value: replace(value, before=value.exact))},
    "L-25": {
        "statistics": lambda statistics: lambda z, **asked: replace(
            statistics(z, **asked), spectral=1.0 / (2.0 + max(z))
        )
    },
    "L-26": {"softmax": lambda _: lambda z: np.asarray(z) / 20.0},
    "L-28 L-33": {"evaluate": EVEN, "rounded": lambda _: lambda values, to: values},
    "L-29": {"sampled": read_as(variance=lambda d_k: ONE)},
    "L-30": {"row_logs": result(lambda rows: dict.fromkeys(rows, next(iter(rows.values()))))},
    "L-31": {
        "softmax": lambda softmax: lambda z, d_k, scale: softmax(
            np.tanh(z) if scale.rule == "inverse" else z, d_k, scale
        )
    },
    "L-32": {"multiplier": lambda _: lambda rule, d_k: 1.0},
    "L-34": {"softmax": lambda _: lambda z: np.full(4, 0.25)},
    "L-35": {"softmax": lambda softmax: lambda z, scale=None: softmax(z)},
    "L-36": {"Head.weights": lambda _: property(lambda head: np.full(head.scores.shape, 1e-3))},
    "L-37": {"row_weights": EVEN},
    "L-38": {"xavier": lambda _: lambda fan_in, fan_out: 1.0 / fan_in},
    "L-39": {"dropped": result(lambda kept: kept / kept.sum(axis=1, keepdims=True))},
    "L-40": {
        "additive_spreads": lambda spreads: lambda trial, width, size: spreads(trial, 16, size)
    },
    "L-41": {"softmax": argument(lambda z: z[:2])},
    "L-44": {"output_of": lambda of: lambda trial, n, m: of(trial, 64, m)},
    "L-43": {"linear_weights": result(lambda p: np.full(p.shape, 1.0 / p.shape[-1]))},
    "L-27": {"Head.weights": lambda _: property(lambda head: row_weights(head.logits))},
}  # fmt: skip

BROKEN = {name: parts for names, parts in _OF.items() for name in names.split()}
"""The functions to break, by their names in the modules of checks."""

STATED: Mapping[str, StatedNumbers] = {
    "S0-6": {"p_0": 0.5},
    "S2-10": {f"d = {d_k}": 1.0 for d_k in (2, 4, 512, 1024)},
    "S2-11": {"outside": float(np.exp(-np.sqrt(8.0)))},
    "S2-13": {"p_1": 0.1},
    "S2-16": {"scaled p_1": 0.2446},
    "S2-18": {"∂p_0/∂s_1": -1.8e-35},
    "S2-19": {"∂p_0/∂s_0": 0.1137707},
    "S2-23": {"variance": 5.0},
    "S2-27": {"share": 0.5},
    "S2-28": {"extremely": 100.0},
    "L-8": {"cap": 1.0},
    "L-17": {"length": 8192.0},
    "L-18": {"a": 0.05},
    "L-21": {"ratio of gradients": 8.0},
    "L-23": {"slope": 0.2},
    "L-42": {"cap": 1e9},
}
"""Wrong numbers in place of those that a claim states."""


def tried(id: str, patch: pytest.MonkeyPatch) -> TriedClaim:
    """Return the finding on a claim when its basis is broken."""
    for name, by in BROKEN.get(id, {}).items():
        *owner, last = name.split(".")
        for room in ROOMS:
            function = reduce(getattr, owner, room) if hasattr(room, name.split(".")[0]) else None
            if function is not None:
                patch.setattr(function, last, by(getattr(function, last)))
                if owner:
                    break
    claim = find(id)
    return try_claim(replace(claim, stated={**claim.stated, **STATED.get(id, {})}))
