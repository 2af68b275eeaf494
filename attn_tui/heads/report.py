"""The report of Heads: every statistic of every head of a capture, as text, JSON and CSV."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import asdict
from math import isfinite, isnan
from typing import Any

import numpy as np

from attn_tui import __version__
from attn_tui.captures.capture import HeadId
from attn_tui.compute.heads.partial import NORMS, Partial, Value
from attn_tui.compute.heads.reconstruction import Reconstruction
from attn_tui.compute.heads.statistic import OF_SEVERAL_KEYS, STATISTICS
from attn_tui.compute.text import counted
from attn_tui.engine.answer import Answer
from attn_tui.engine.condition import HeadCondition
from attn_tui.engine.settings import Settings
from attn_tui.engine.survey import Survey
from attn_tui.files.plain import named
from attn_tui.heads.headline import headline
from attn_tui.heads.words import UNCOUNTED, about, head_text, number
from attn_tui.report.report import Column, Fact, Facts, Report, ReportPart, Table, data, records
from attn_tui.report.report import listed as rows_of
from attn_tui.report.rows import WIDTH, cells


def report(
    survey: Survey, statistics: Sequence[str], conditions: Sequence[HeadCondition] = ()
) -> Report:
    """Return the report of a survey.

    Args:
        survey: The statistics of the heads so far.
        statistics: The names of the statistics to show, at least one.
        conditions: Conditions that no head should meet.
    """
    parts: list[ReportPart] = [data(_data(survey, statistics, conditions))]
    parts += [failure(survey, condition) for condition in conditions]
    parts.append(Facts([Fact(label, (text,)) for label, text in about(survey)]))
    for name in statistics:
        parts += grid(name, survey.heads)
    parts.append(_csv(survey.heads, statistics))
    return Report("", parts, headline=headline(survey, statistics[0]), csv="heads")


def report_of(answer: Answer) -> Report:
    """Return the report of an answer with every statistic, that of the map first."""
    settings = answer.experiment.setup.get(Settings)
    names = [*dict.fromkeys((settings.statistic, *STATISTICS))]
    return report(answer.survey, [name for name in names if name in STATISTICS])


def _data(
    survey: Survey, statistics: Sequence[str], conditions: Sequence[HeadCondition]
) -> Mapping[str, Any]:
    """Return the fields of the JSON report, which ``docs/json.md`` explains."""
    plan = survey.plan
    outcomes = []
    for condition in conditions:
        holds, unknown = failing(survey, condition)
        outcomes.append({"condition": condition.text, "heads": [*holds], "cannot_tell": unknown})
    failed = [
        {**asdict(lost.block.head), "block": lost.block.index, "reason": lost.reason}
        for lost in survey.failed
    ]
    return {
        "version": __version__,
        "capture": {
            "paths": plan.capture.paths,
            "fingerprint": plan.capture.fingerprint.digest,
            "stated": plan.stated,
        },
        "question": plan.selection.as_plain(),
        "masks": [_mask(layer, mask) for layer, mask in plan.masks.items()],
        "computed_in": plan.computed_in,
        "elapsed_s": round(survey.elapsed, 3),
        "complete": survey.complete,
        "progress": survey.progress,
        "failed": failed,
        "conditions": outcomes,
        "heads": [_head(head, partial, statistics) for head, partial in survey.heads.items()],
    }


def _mask(layer: int, reconstruction: Reconstruction) -> dict[str, Any]:
    """Return, for JSON, how the weights of a layer are reconstruction."""
    return {
        "layer": layer,
        "mask": reconstruction.mask.kind,
        "query_offset": reconstruction.mask.offset if reconstruction.mask.by_position else None,
        "window": reconstruction.mask.window,
        "known_by": reconstruction.how,
        **named(reconstruction, ("softcap", "sink", "multiplier")),
        "value_scale": reconstruction.model.value_scale,
        "rule_residual": reconstruction.rule_residual,
        **_residual(reconstruction),
        "residual_of": reconstruction.by,
        "multiplier_within": reconstruction.doubt if reconstruction.fits else None,
        "path": reconstruction.path,
        "drops_sink": reconstruction.drops_sink,
    }


def _residual(judged: Reconstruction | Partial) -> dict[str, Any]:
    """Return, for JSON, the residual of a layer or a head, if the output judges its weights."""
    if judged.residual is None:
        return {"residual": None, "rounding": None, "fits": None}
    return named(judged, ("residual", "rounding", "fits"))


def _head(head: HeadId, partial: Partial, statistics: Sequence[str]) -> dict[str, Any]:
    values = {name: value_to_plain(partial, name) for name in statistics}
    return {
        **asdict(head),
        **named(partial, ("n_queries", "n_keys", "rows")),
        "masked_rows": partial.masked,
        "not_finite_rows": partial.not_finite,
        "first_not_finite": partial.first_not_finite,
        "not_finite": partial.odd,
        **_residual(partial),
        "multiplier": partial.multiplier,
        "multiplier_untold": partial.untold,
        "score_bound": partial.score_bound,
        "statistics": values,
    }


def value_to_plain(partial: Partial, name: str) -> dict[str, Any]:
    """Return a statistic with its error and place, for JSON, rounded to the digits that hold."""
    value = partial.value(name)

    def printed(number: float | None) -> float | None:
        digits = partial.digits
        if number is None or digits is None or not isfinite(number):
            return number
        return number if STATISTICS[name].of in NORMS else float(f"{number:.{digits - 1}e}")

    return {
        "value": printed(value.value),
        "standard_error": printed(value.error),
        "row": None if value.row in (None, -1) else value.row,
        "key": None if value.key in (None, -1) else value.key,
        "counts": partial.counts(name),
    }


def _csv(heads: Mapping[HeadId, Partial], statistics: Sequence[str]) -> Table:
    """Return the CSV table, with a row for each head and statistic."""
    rows = []
    for head, partial in heads.items():
        sizes = {"rows": partial.rows, "n_queries": partial.n_queries, "n_keys": partial.n_keys}
        for name in statistics:
            value = value_to_plain(partial, name)
            counts = value.pop("counts")
            rows.append(asdict(head) | {"statistic": name} | value | sizes | {"counts": counts})
    names = (
        "batch", "layer", "head", "statistic", "value", "standard_error", "row", "key",
        "rows", "n_queries", "n_keys", "counts",
    )  # fmt: skip
    return records(rows, names, dict, "heads")


# Conditions


def failing(survey: Survey, condition: HeadCondition) -> tuple[dict[HeadId, float], list[HeadId]]:
    """Return the heads that meet a condition, with their values, and those that may or may not.

    The latter have rows with NaN or infinity, or weights that miss the output.
    """
    name = condition.statistic
    holds: dict[HeadId, float] = {}
    unknown = []
    for head, partial in survey.heads.items():
        value, is_open = partial.value(name).value, partial.leaves_open(name)
        if condition.holds(value) and not is_open:
            holds[head] = value
        elif partial.not_finite or is_open:
            unknown.append(head)
    return holds, unknown


def failure(survey: Survey, condition: HeadCondition) -> str:
    """Return a sentence: how many heads meet a condition, and which most, or why it is open."""
    holds, unknown = failing(survey, condition)
    heads = counted(len(survey.heads), "head")
    if holds:
        sign = 1.0 if condition.operator.startswith("<") else -1.0
        head = min(holds, key=lambda head: sign * holds[head])
        where, value = (
            head_text(head, survey.plan.n_batches),
            number(condition.statistic, holds[head]),
        )
        return f"{condition.text} in {len(holds):,} of {heads}, most in {where}: {value}."
    if not unknown:
        return f"In none of {heads} {condition.text}."
    open_ones = [survey.heads[head] for head in unknown]
    missing = [partial for partial in open_ones if partial.misses(condition.statistic)]
    others = [partial for partial in open_ones if partial not in missing]
    reasons = []
    if missing:
        reasons.append("weights miss the captured output, and may not be those in use")
    if any(partial.untold for partial in others):
        reasons.append("what was captured does not tell m")
    if rows := sum(partial.not_finite for partial in others):
        reasons.append(f"NaN or infinity in {counted(rows, 'row')}")
    why = "; ".join(reasons)
    return f"Cannot tell whether {condition.text} in {len(unknown):,} of {heads}: {why}."


# Tables


def grid(name: str, heads: Mapping[HeadId, Partial]) -> Iterator[Table]:
    """Yield tables of a statistic, layers × heads, as many as the columns need."""
    values = {head: partial.value(name) for head, partial in heads.items()}
    marked = {head for head, partial in heads.items() if not partial.counts(name)}
    lines = sorted({(head.batch, head.layer) for head in heads})
    has_batches = len({batch for batch, _ in lines}) > 1
    labels = [f"{batch}/{layer}" if has_batches else f"{layer}" for batch, layer in lines]
    stub = Column("batch/layer × head" if has_batches else "layer × head", texts=rows_of(labels))
    columns = []
    for head in sorted({head.head for head in heads}):
        texts = []
        for batch, layer in lines:
            place = HeadId(batch, layer, head)
            text = number(name, values[place].value) if place in values else ""
            if marked:
                text += UNCOUNTED if place in marked else " "
            texts.append(text)
        columns.append(Column(f"{head}", texts=rows_of(texts)))
    longest = max((cells(number(name, value.value)) for value in values.values()), default=1)
    at_once = max((WIDTH - cells(stub.title) - 1) // (longest + (2 if marked else 1)), 1)
    caption = _caption(name, values, marked)
    for start in range(0, max(len(columns), 1), at_once):
        part = [stub, *columns[start : start + at_once]]
        yield Table(part, np.arange(len(lines)), caption if start == 0 else "")


def _caption(name: str, values: Mapping[HeadId, Value], uncounted: Set[HeadId]) -> str:
    text = f"{STATISTICS[name].title}: {STATISTICS[name].words}"
    if name in OF_SEVERAL_KEYS:
        text += ", of rows with a choice"
    errors = [value.error for value in values.values() if value.error]
    if any(value.error is None and not isnan(value.value) for value in values.values()):
        text += "; of the rows drawn, others may go further"
    elif errors:
        text += f"; standard errors up to {number(name, max(errors))}"
    return f"{text}; {UNCOUNTED}: does not count" if uncounted else text
