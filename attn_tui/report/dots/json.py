"""What Dot products found, as strict JSON; ``docs/json.md`` explains each field."""

from collections.abc import Iterator
from typing import Any

from attn_tui.compute.dots.answer import Answer
from attn_tui.compute.dots.moments import Readouts
from attn_tui.files.codec import SCHEMA, experiment_to_plain
from attn_tui.files.plain import json_text, plain_number, plain_numbers, plain_sampled
from attn_tui.report.dots.derivation import steps
from attn_tui.report.dots.headline import headline
from attn_tui.report.dots.readouts import STATISTICS


def render(answer: Answer) -> Iterator[str]:
    """Yield the text of an answer, piece by piece."""
    yield from json_text(
        {
            "schema": SCHEMA,
            "experiment": experiment_to_plain(answer.experiment),
            "headline": headline(answer.experiment, answer).as_plain(),
            "samples": answer.drawn,
            "seed": answer.settings.seed,
            "generator": answer.generator,
            "complete": answer.complete,
            "multiplier": plain_number(answer.multiplier),
            "unscaled": _readouts(answer.unscaled),
            "scaled": _readouts(answer.scaled),
            "bound": {
                "unscaled": plain_number(answer.unscaled.bound),
                "scaled": plain_number(answer.scaled.bound),
            },
            "table": [
                {
                    "d_k": row.d_k,
                    "samples": row.draws,
                    "bound": plain_number(row.bound),
                    "variance": plain_sampled(row.variance),
                    "coverage": plain_sampled(row.coverage),
                }
                for row in answer.table
            ],
            "pairs": answer.pairs,
            "derivation": [
                {
                    "name": step.name,
                    "formula": step.formula,
                    "reason": step.words,
                    "number": plain_sampled(step.number),
                }
                for step in steps(answer)
            ],
            "histogram": _histogram(answer),
            "growth": [
                {
                    "rule": line.rule,
                    "slope": line.slope,
                    "d_k": line.d_k.tolist(),
                    "standard_deviation": plain_numbers(line.standard_deviation.tolist()),
                }
                for line in answer.growth
            ],
        }
    )


def _readouts(found: Readouts) -> dict[str, Any]:
    return {name: plain_sampled(getattr(found, name)) for name in STATISTICS}


def _histogram(answer: Answer) -> dict[str, Any]:
    counted, curves = answer.histogram, answer.curves
    exact = None if curves.exact is None else plain_numbers(curves.exact.tolist())
    return {
        "edges": plain_numbers(counted.edges.tolist()),
        "counts": counted.counts.tolist(),
        "below": counted.below,
        "above": counted.above,
        "curves": {
            "x": plain_numbers(curves.x.tolist()),
            "exact": exact,
            "normal": plain_numbers(curves.normal.tolist()),
        },
    }
