"""What Dot products found, as strict JSON; ``docs/json.md`` explains each field."""

from collections.abc import Iterator
from typing import Any

from attn_tui.compute.dots.answer import Answer
from attn_tui.files.codec import experiment_to_plain, report_text
from attn_tui.files.plain import named
from attn_tui.report.dots.derivation import steps
from attn_tui.report.dots.headline import headline
from attn_tui.report.dots.readouts import STATISTICS


def render(answer: Answer) -> Iterator[str]:
    """Yield the text of an answer, piece by piece."""
    yield from report_text(
        {
            "experiment": experiment_to_plain(answer.experiment),
            "headline": headline(answer.experiment, answer),
            "samples": answer.drawn,
            "seed": answer.settings.seed,
            "generator": answer.generator,
            "complete": answer.complete,
            "multiplier": answer.multiplier,
            "unscaled": named(answer.unscaled, STATISTICS),
            "scaled": named(answer.scaled, STATISTICS),
            "bound": {"unscaled": answer.unscaled.bound, "scaled": answer.scaled.bound},
            "table": [
                {
                    "d_k": row.d_k,
                    "samples": row.draws,
                    **named(row, ("bound", "variance", "coverage")),
                }
                for row in answer.table
            ],
            "pairs": answer.pairs,
            "derivation": [
                {
                    "name": step.name,
                    "formula": step.formula,
                    "reason": step.words,
                    "number": step.number,
                }
                for step in steps(answer)
            ],
            "histogram": _histogram(answer),
            "growth": [
                named(line, ("rule", "slope", "d_k", "standard_deviation"))
                for line in answer.growth
            ],
        }
    )


def _histogram(answer: Answer) -> dict[str, Any]:
    counted = named(answer.histogram, ("edges", "counts", "below", "above"))
    return counted | {"curves": named(answer.curves, ("x", "exact", "normal"))}
