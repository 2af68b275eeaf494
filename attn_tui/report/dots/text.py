"""What Dot products found, as a text report of at most 80 columns, and in sentences."""

from collections.abc import Iterator
from math import isinf

from attn_tui.compute.dots.answer import Answer
from attn_tui.compute.law.dot_law import DotLaw
from attn_tui.report.dots.derivation import derivation
from attn_tui.report.dots.headline import headline
from attn_tui.report.dots.readouts import bound_text, readouts
from attn_tui.report.dots.tables import over_d_k_columns, readout_columns
from attn_tui.report.head import about_model, left_out, line, rule_lines
from attn_tui.report.measured import deviations
from attn_tui.report.numbers import general
from attn_tui.report.rows import WIDTH, paragraph, text_lines
from attn_tui.report.table import laid

ONE_DRAW = ("one draw has no spread, and so no standard error", "one alone has no spread")
"""Why numbers of a sample of one are NaN, at decreasing length."""


def render(answer: Answer) -> Iterator[str]:
    """Yield the text of an answer, piece by piece."""
    yield headline(answer.experiment, answer).text(WIDTH) + "\n"
    yield from _head(answer)
    yield "\n"
    yield from _readouts(answer)
    yield "\n"
    yield from _derivation(answer)
    yield "\n"
    yield from _table(answer)
    yield paragraph(" ".join(sentences(answer)))


def _head(answer: Answer) -> Iterator[str]:
    settings = answer.settings
    yield from about_model(answer.experiment.setup)
    unfinished = "" if answer.drawn == settings.samples else f" of {settings.samples:,}, stopped"
    yield line(
        "samples", f"{answer.drawn:,}{unfinished}; seed {settings.seed} ({answer.generator})"
    )
    yield line("entries", entries(answer.law))
    yield line("d_k", f"{answer.law.d_k}")
    yield from rule_lines(answer.experiment.setup.scale)
    scale = answer.experiment.setup.scale
    n = answer.experiment.vectors[0].n_attended
    of = f", n = {n:,} being the keys of the scores asked for" if scale.uses_n else ""
    yield line("", f"here m = {general(answer.multiplier)}{of}")
    yield from left_out(scale)


def entries(law: DotLaw) -> str:
    """Say what the entries of q and k are."""
    pair = law.pair
    parts = [f"of q and k {pair.law.title}"]
    shifts = [
        f"{name} {general(shift)}" for name, shift in (("q", pair.mean_q), ("k", pair.mean_k))
        if shift
    ]  # fmt: skip
    if shifts:
        parts.append(f"shifted by {' and '.join(shifts)}")
    if pair.correlation:
        parts.append(f"q_i and k_i correlated with ρ = {general(pair.correlation)}")
    parts.append(
        "all components of q one number, and all of k"
        if law.tied
        else "components independent of each other"
    )
    return "; ".join(parts)


def _readouts(answer: Answer) -> Iterator[str]:
    yield from laid(readout_columns(answer, "scaled"), WIDTH).text()
    yield paragraph(
        f"coverage: the share of x within ±{bound_text(answer)} = "
        f"±{general(answer.unscaled.bound)}, and scaled within ±m times that, "
        f"±{general(answer.scaled.bound)}. An error is a standard error."
    )
    if answer.drawn == 1:
        yield f"{ONE_DRAW[0].capitalize()}.\n"


def _derivation(answer: Answer) -> Iterator[str]:
    yield f"Why d_k, step by step; single products drawn besides: {answer.pairs:,}\n"
    yield from text_lines(derivation(answer, WIDTH))


def _table(answer: Answer) -> Iterator[str]:
    """Yield a line for each d_k of the table, if it has any."""
    if not answer.table:
        return
    yield "Over d_k, each row with a sample of its own\n"
    yield from laid(over_d_k_columns(answer), WIDTH).text()
    for reason in dict.fromkeys(row.unknown for row in answer.table if row.unknown):
        yield paragraph(f"–: {reason}.")
    yield "\n"


def sentences(answer: Answer) -> tuple[str, ...]:
    """Say what the numbers show, each sentence what always holds under the question asked."""
    return (
        *_constant(answer),
        *_beyond(answer),
        *_unknown(answer),
        *_agreement(answer),
    )


def _constant(answer: Answer) -> Iterator[str]:
    """Say why there is no kurtosis."""
    if answer.law.standard_deviation == 0.0:
        yield "q·k is always the same number here: it has no spread, and so no kurtosis."


def _beyond(answer: Answer) -> Iterator[str]:
    """Say why numbers are ∞, or 0 where they were not before the scale."""
    pairs = [
        (getattr(before, part) or 0.0, getattr(after, part) or 0.0)
        for _, _, before, after in readouts(answer)
        for part in ("value", "standard_error", "exact")
    ]
    if any(isinf(after) for _, after in pairs):
        yield "What is ∞ is more than 1.8e308, the largest number that float64 holds."
    if any(before and not after for before, after in pairs):
        yield "What the scale makes 0 is less than 4.9e-324, the least number that float64 holds."


def _unknown(answer: Answer) -> tuple[str, ...]:
    law = answer.law
    if law.mean_size is not None and law.coverage is not None:
        return ()
    return (f"What is not known exactly, –, is so because {law.unknown}.",)


def _agreement(answer: Answer) -> tuple[str, ...]:
    """Say how far the readouts are from their exact values."""
    off = [deviations(number) for _, _, number, _ in readouts(answer)]
    known = [each for each in off if each is not None]
    if not known:
        return ()
    return (
        f"Of the readouts with an exact value the farthest is {max(known):.1f} standard errors "
        "from it.",
    )
