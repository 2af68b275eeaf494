"""Helpers for tests of reports: answers of all kinds, and their reports read back."""

import csv as csv_module
from io import StringIO
from math import inf, nan
from typing import Any

import numpy as np

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import Answer, answer
from attn_tui.compute.explore.settings import Settings
from attn_tui.compute.mask import parse_mask
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale, parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Products, Source, Vector
from attn_tui.explore.report import Contents, report
from attn_tui.report.forms import csv, json
from attn_tui.report.text import text
from tests.asking import asking
from tests.documented import read

SPELLED = {"NaN": nan, "Infinity": inf, "-Infinity": -inf}
RANDOM = np.random.default_rng(11)
PRODUCTS = Products(RANDOM.normal(size=(2, 4)), RANDOM.normal(size=(5, 4)), np.eye(5, 3))
PIPELINE = Scale(softcap=50.0, sink=0.5)


def answered(*scores: list[float], setup: Setup | None = None) -> Answer:
    vectors = tuple(Vector(f"v{i}", np.array(row)) for i, row in enumerate(scores))
    return next(answer(asking(*vectors, setup=setup)))


def of(source: Source, setup: Setup | None = None) -> Answer:
    return next(answer(Experiment(source, setup or Setup())))


def as_json(result: Answer, top: int | None = None, **given: Any) -> Any:
    return read("".join(json(report(result, Contents(top, **given)))))


def as_csv(result: Answer, top: int | None = None, **given: Any) -> list[dict[str, str]]:
    written = "".join(csv(report(result, Contents(top, **given))))
    return [*csv_module.DictReader(StringIO(written))]


def as_text(result: Answer, top: int | None = None, **given: Any) -> str:
    return "".join(text(report(result, Contents(top, **given))))


def flat(result: Answer, top: int | None = None, **given: Any) -> str:
    return " ".join(as_text(result, top, **given).split())


def number(item: float | str) -> float:
    return SPELLED[item] if isinstance(item, str) else item


CASES = [
    answered([100, 120, 150]),
    answered([1, 2, -inf, 5000], [-inf, -inf], [3]),
    answered([100, 120, 150], setup=Setup(precision=Precision("float32", naive=True))),
    answered([1e308, -1e308], setup=Setup(64, parse_scale("temperature:T=0.5"))),
    answered([3, 1, 2, 3], setup=Setup().put(Settings(2, "logits"))),
    answered([3, 1, 2], [-inf, -inf], [9], setup=Setup(1, PIPELINE)),
    answered([100, 120, 150], setup=Setup(1, PIPELINE, Precision("float16", scores="bfloat16"))),
    of(Drawn(20, seed=3, count=2), Setup(64, mask=parse_mask("causal, 3"))),
    of(Products(np.eye(3, 4), np.ones((5, 4)), np.eye(5, 2))),
]
