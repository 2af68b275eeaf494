"""The section of the text report about number formats: every one tried, and what it does."""

from collections.abc import Iterator
from textwrap import wrap

from attn_tui.compute.explore.precision_lab import Lab, LabSide, Trial
from attn_tui.compute.formats import dtype_of, limits
from attn_tui.report.explore.tables import short
from attn_tui.report.numbers import general, scientific, weight, weight_name

WIDTH = 80


def precision_table(lab: Lab, n_keys: int) -> Iterator[str]:
    """Yield a line for each format, stable and naive, for both sides, and the reasons in words.

    Args:
        lab: What was found.
        n_keys: How many keys the vector has.
    """
    name = weight_name(lab.key)
    yield (
        f"precision lab: {name}, and how many of {n_keys:,} weights differ from the exact ones\n"
        "rounded to the format, or are 0 though the exact ones are not; 16 bits "
        f"{lab.sides[0].trials[0].precision.arithmetic}\n"
    )
    for side in lab.sides:
        yield f"\n{side.name}: exact {name} = {weight(side.exact)} (nothing rounded)\n"
        yield (
            f"{'format':<9} {'method':<7} {short(name, 10):>10} {'differ':>8} {'to 0':>8}"
            f" {'largest error':>14} {'at key':>8}\n"
        )
        yield from map(_line, side.trials)
        yield from _reasons(side)
        yield from _differing(side)


def _line(trial: Trial) -> str:
    return (
        f"{trial.precision.format:<9} {_method(trial):<7} {weight(trial.weight, width=10):>10}"
        f" {trial.n_differ:>8} {trial.n_vanished:>8} {scientific(trial.worst):>14}"
        f" {trial.worst_key:>8}\n"
    )


def _reasons(side: LabSide) -> Iterator[str]:
    """Yield where NaN and 0 came from, a sentence for each trial that has them."""
    for trial in side.trials:
        parts = [trial.reason] if trial.reason else []
        if trial.n_vanished:
            least = scientific(_least(trial.precision.format))
            weights = (
                "1 weight is" if trial.n_vanished == 1 else f"{trial.n_vanished:,} weights are"
            )
            parts.append(f"{weights} 0, since no number above 0 is below {least}")
        if parts:
            text = f"{trial.precision.format} {_method(trial)}: {'; '.join(parts)}"
            yield "\n".join(wrap(text, WIDTH, subsequent_indent="  ")) + "\n"


def _differing(side: LabSide) -> Iterator[str]:
    """Yield the weights of each trial that are farthest from the exact ones."""
    trials = [trial for trial in side.trials if trial.differing]
    if not trials:
        return
    yield f"\n{side.name}: weights that differ, those farthest from the exact ones first\n"
    yield (f"{'format':<9} {'method':<7} {'key':>8} {'exact p':>15} {'p':>15} {'difference':>12}\n")
    for trial in trials:
        for each in trial.differing:
            yield (
                f"{trial.precision.format:<9} {_method(trial):<7} {each.key:>8}"
                f" {general(each.exact, 9):>15} {general(each.weight, 9):>15}"
                f" {scientific(each.difference, signed=True):>12}\n"
            )
        if left := trial.n_differ - len(trial.differing):
            yield f"{'':<17} {'':>8} and {left:,} more\n"


def _least(format: str) -> float:
    return float(limits(dtype_of(format)).smallest_subnormal)


def _method(trial: Trial) -> str:
    return "stable" if trial.precision.stable else "naive"
