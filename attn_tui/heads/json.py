"""Statistics of heads as strict JSON; ``docs/json.md`` explains each field."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from math import isfinite
from typing import Any

from attn_tui import __version__
from attn_tui.captures.capture import HeadId
from attn_tui.compute.heads.partial import NORMS, Partial
from attn_tui.compute.heads.statistic import STATISTICS
from attn_tui.compute.heads.tally import TALLIED
from attn_tui.engine.plan import Plan
from attn_tui.engine.survey import Survey
from attn_tui.engine.table import numbers_of
from attn_tui.files.codec import report_text
from attn_tui.files.plain import named
from attn_tui.heads.headline import headline
from attn_tui.heads.text import failing, open_heads
from attn_tui.heads.words import Shown


def render(found: Survey, shown: Shown) -> Iterator[str]:
    """Yield the text of a survey, piece by piece."""
    heads, statistics, tau = found.heads, shown.statistics, shown.tau
    plain = {
        "version": __version__,
        "headline": headline(numbers_of(found), statistics[0], tau),
        "capture": capture_to_plain(found.plan),
        "question": found.plan.question.as_plain() | {"tau": tau},
        "masks": masks_to_plain(found.plan),
        "computed_in": found.plan.computed_in,
        "elapsed_s": round(found.elapsed, 3),
        "complete": found.complete,
        "progress": found.progress,
        "machines": [dict(each) for each in sorted(found.machines)],
        "failed": [
            {**asdict(each.block.head), "block": each.block.index, "reason": each.reason}
            for each in found.failed
        ],
        "refused": found.refused,
        "conditions": [
            {
                "condition": each.text,
                "heads": [*failing(found, each, tau)],
                "cannot_tell": open_heads(found, each, tau),
            }
            for each in shown.conditions
        ],
        "edges": {
            name: TALLIED[name]
            for name in dict.fromkeys(STATISTICS[each].of for each in statistics)
        },
        "heads": [
            _head(each, heads[each], statistics, tau) for each in found.order(shown.sort, tau)
        ],
    }
    yield from report_text(plain)


def capture_to_plain(plan: Plan) -> dict[str, Any]:
    """Return what was read."""
    capture = plan.capture
    return {
        "paths": capture.paths,
        "fingerprint": capture.fingerprint.digest,
        "stated": capture.stated,
    }


def masks_to_plain(plan: Plan) -> list[dict[str, Any]]:
    """Return the mask of each layer."""
    return [
        {
            "layer": layer,
            "mask": found.mask.kind,
            "query_offset": found.mask.offset if found.mask.by_position else None,
            "window": found.mask.window,
            "known_by": found.how,
            **named(found, ("softcap", "sink", "multiplier")),
            "value_scale": found.value_scale if found.stretch is None else None,
            "multiplier_by_row": found.by_row,
            "rule_residual": found.missed,
            "read_as": found.read_as or None,
            "residual": found.residual,
            "residual_allowed": None if found.residual is None else found.allowed,
            "loose": found.loose,
            "residual_of": found.by,
            "multiplier_within": found.within if found.residual is not None else None,
            "path": found.path,
            "drops_sink": None if found.drops_sink and found.stretch else found.drops_sink,
        }
        for layer, found in plan.masks.items()
    ]


def _head(head: HeadId, partial: Partial, statistics: Sequence[str], tau: float) -> dict[str, Any]:
    return {
        **asdict(head),
        **named(partial, ("n_queries", "n_keys", "rows")),
        "masked_rows": partial.masked,
        "not_finite_rows": partial.not_finite,
        "first_not_finite": partial.first_not_finite,
        "not_finite": partial.odd,
        "residual": partial.miss,
        "residual_allowed": None if partial.miss is None else partial.allowed,
        "loose": partial.loose,
        "multiplier": partial.multiplier,
        "multiplier_untold": partial.untold,
        "hidden_keys": partial.hidden,
        "packed": partial.packed or None,
        "score_bound": partial.score_bound,
        "statistics": {name: _value(partial, name, tau) for name in statistics},
    }


def _value(partial: Partial, name: str, tau: float) -> dict[str, Any]:
    tally = partial.tallies.get(STATISTICS[name].of)
    histogram = [] if tally is None else [*tally.histogram]
    return value_to_plain(partial, name, tau) | {"histogram": histogram}


def value_to_plain(partial: Partial, name: str, tau: float) -> dict[str, Any]:
    """Return a statistic with its error and its place, and whether it counts."""
    value = partial.value(name, tau)
    return {
        "value": printed(partial, name, value.value),
        "standard_error": printed(partial, name, value.error),
        "row": None if value.row in (None, -1) else value.row,
        "key": None if value.key in (None, -1) else value.key,
        "counts": partial.counts(name),
    }


def printed(partial: Partial, name: str, number: float | None) -> float | None:
    """Return a number of a head with the digits that hold."""
    digits = partial.digits
    if number is None or digits is None or not isfinite(number) or STATISTICS[name].of in NORMS:
        return number
    return float(f"{number:.{digits - 1}e}")
