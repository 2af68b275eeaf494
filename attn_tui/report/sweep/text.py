"""A sweep as an aligned text report of at most 80 columns, and what it shows in sentences."""

from collections.abc import Iterator, Sequence

from attn_tui.compute.sweep.answer import Answer
from attn_tui.compute.sweep.asymptotes import condensation_std
from attn_tui.compute.sweep.crossover import Crossover
from attn_tui.compute.sweep.rules import rule_text
from attn_tui.compute.sweep.settings import Statistic
from attn_tui.report.head import about_model, left_out, line, lines
from attn_tui.report.numbers import quantity
from attn_tui.report.rows import WIDTH, paragraph
from attn_tui.old.report.sweep.headline import headline
from attn_tui.sweep.names import (
    NAMES,
    boundary_text,
    condensation_text,
    crossover_text,
    formula,
    others,
)
from attn_tui.old.report.sweep.sentences import said
from attn_tui.old.report.sweep.tables import (
    compared_points,
    place_columns,
    ratio_columns,
    summary_columns,
)
from attn_tui.report.table import laid


def render(answer: Answer, statistics: Sequence[Statistic] = ()) -> Iterator[str]:
    """Yield the text of a sweep, piece by piece.

    Args:
        answer: What to write; one that was stopped says so.
        statistics: Which to write; the one of the settings unless given.
    """
    chosen = tuple(statistics) or (answer.settings.statistic,)
    yield headline(answer, chosen[0]).text(WIDTH) + "\n"
    yield from _head(answer)
    for statistic in chosen:
        named = NAMES[statistic]
        yield "\n" + paragraph(f"{named.symbol}: {named.words}")
        for rule in answer.rules:
            yield from _table(answer, rule, statistic)
        if answer.settings.ratio:
            yield from _ratios(answer, statistic)
        yield from _boundary(answer, statistic)
    yield from _condensation(answer)
    yield from _asymptotes(answer)
    if answer.crossovers:
        yield "\n"
    yield from crossover_table(answer.crossovers)
    sentences = [sentence for statistic in chosen for sentence in said(answer, statistic)]
    if sentences:
        yield "\n" + paragraph(" ".join(dict.fromkeys(sentences)))


def crossover_table(crossovers: Sequence[Crossover]) -> Iterator[str]:
    """Yield a table of crossovers, if there are any."""
    if not crossovers:
        return
    draws = " or ".join(f"{each:,}" for each in sorted({found.draws for found in crossovers}))
    yield paragraph(
        "Crossovers d*: below this d_k, from 2 or where the rule begins to divide (m < 1), the "
        "median over draws is larger without the rule, above it is smaller. In brackets its 95 % "
        "interval, with ≤ or ≥ alone where it may go beyond what is looked at, by bootstrap over "
        f"{draws} coupled draws, seed {crossovers[0].seed} "
        f"({crossovers[0].generator}); the mean may do otherwise."
    )
    if not all(found.finished for found in crossovers):
        yield paragraph("* so far: from the first of the vectors that are asked for.")
    yield f"{'n':>7}  {'readout':<12}{'rule removed':<18}d* [95 % interval]\n"
    for found in crossovers:
        symbol = NAMES[found.readout].symbol + ("" if found.finished else " *")
        head = f"{found.n:>7,}  {symbol:<12}{found.rule:<17} "
        yield f"{head}{crossover_text(found)}\n"


def render_crossovers(crossovers: Sequence[Crossover]) -> Iterator[str]:
    """Yield a table of crossovers, or that none was found before the search was stopped."""
    if not crossovers:
        yield "Stopped before a crossover was found.\n"
    yield from crossover_table(crossovers)


def _head(answer: Answer) -> Iterator[str]:
    settings, setup = answer.settings, answer.experiment.setup
    over_n, is_map = settings.over == "n", settings.view == "map"
    most = settings.map_points if is_map else settings.points
    ns = _from_to(settings.n_range, len(answer.points.ns), most)
    d_ks = _from_to(settings.d_k_range, len(answer.points.d_ks), most)
    law = "s = d_k·g/√(g² + χ²), |s| ≤ d_k, of q and k divided by their root mean square"
    plain = "given q, scores are independent N(0, ‖q‖²)"
    if rule_text(setup.scale) in answer.rules:
        yield from lines(about_model(setup))
    yield line("sweep", f"drawn vectors: {law if setup.scale.qk_norm else plain}")
    yield line("n", ns if over_n or is_map else f"{settings.n:,}")
    yield line("d_k", f"{setup.d_k:,}" if over_n and not is_map else d_ks)
    rules = [f"{rule}: m = {formula(rule)}" for rule in answer.rules]
    yield line("rules", "; ".join(rules))
    yield from lines(left_out(setup.scale, but_qk_norm=True))
    drawn = f"{settings.draws:,} vectors at each place, seed {settings.seed} ({answer.generator})"
    yield line("drawn" if answer.progress == 1.0 else "asked", drawn)
    if answer.progress < 1.0:
        fewest = min((point.draws for point in answer.points), default=0)
        yield line(
            "stopped", f"at {answer.progress:.0%} of the work; {fewest:,} draws at each place"
        )


def _from_to(ends: tuple[int, ...], count: int, most: int) -> str:
    low, high = ends
    return f"{low:,} to {high:,}, {count} of at most {most}" if low < high else f"{low:,}"


def _table(answer: Answer, rule: str, statistic: Statistic) -> Iterator[str]:
    """Yield what drawn vectors say of a statistic at each place under one rule."""
    points = answer.points.under(rule)
    yield "\n" + paragraph(
        f"{rule}, m = {formula(rule)}; error: of the mean; from, to: the median's 95 % interval"
    )
    columns = (*place_columns(answer, points), *summary_columns(points, statistic))
    yield from laid(columns, WIDTH, most=2).text()


def _ratios(answer: Answer, statistic: Statistic) -> Iterator[str]:
    symbol = NAMES[statistic].symbol
    for rule in others(answer.rules):
        points = compared_points(answer, answer.points.under(rule), statistic)
        if not points:
            continue
        yield "\n" + paragraph(
            f"{symbol} unscaled over m = {formula(rule)}; ±: the standard error of a factor is "
            "this share of it, both being of the same draws"
        )
        columns = (*place_columns(answer, points), *ratio_columns(answer, points, statistic))
        yield from laid(columns, WIDTH, most=2).text()


def _boundary(answer: Answer, statistic: Statistic) -> Iterator[str]:
    """Yield between which places of a map d*(n) is."""
    if answer.settings.view != "map":
        return
    for rule in others(answer.rules):
        found = answer.boundary(rule, statistic)
        if any(each.falls for each in found):
            yield "\n" + paragraph(
                f"The median {NAMES[statistic].symbol} unscaled over m = {formula(rule)} falls "
                "through 1 for the last time between these d_k of the map, two standard errors to "
                "either side, with ≤ or ≥ alone where it may do so beyond the map; – where the "
                "ratio does not fall so on it. Crossovers say where between them, sweep "
                "--crossover for every n:"
            )
            pairs = [f"n = {each.n:,}: {boundary_text(each)}" for each in found]
            yield paragraph("; ".join(pairs))


def _condensation(answer: Answer) -> Iterator[str]:
    settings = answer.settings
    if settings.view == "map" or not answer.condensation:
        return
    parts = [f"with {condensation_text(each, settings.over)}" for each in answer.condensation]
    sigma = ""
    if settings.over == "d_k":
        sigma = f" = {quantity(condensation_std(settings.n))}"
    yield "\n" + paragraph(
        f"As n → ∞, logits condense on few keys where σ = m√d_k is σ_c = √(2 ln n){sigma} or more: "
        f"{'; '.join(parts)}."
    )


def _asymptotes(answer: Answer) -> Iterator[str]:
    lines, symbol = [], NAMES[answer.settings.statistic].symbol
    for curve in answer.curves:
        known = [(p, v) for p, v in zip(curve.places, curve.values, strict=True) if v is not None]
        (n, d_k), value = known[-1]
        where = f"n = {n:,}" if answer.settings.over == "n" else f"d_k = {d_k:,}"
        if curve.kind == "asymptote":
            lines.append(
                f"Asymptote of the {curve.of} {symbol}, m = {formula(curve.rule)}: {curve.formula} "
                f"({curve.condition}); {quantity(value)} at {where}."
            )
        else:
            lines.append(f"Exact {curve.of} {symbol}, m = {formula(curve.rule)}: {curve.formula}.")
    if lines:
        yield "\n" + "".join(paragraph(line) for line in lines)
