"""What is said first of heads: which one stands out, and what the others are."""

from statistics import median

from attn_tui.captures.capture import HeadId
from attn_tui.compute.heads.partial import Value
from attn_tui.compute.heads.statistic import STATISTICS, TAU
from attn_tui.engine.survey import Survey
from attn_tui.report.headline import Headline
from attn_tui.report.heads.words import SUBJECTS, place, said


def headline(found: Survey, name: str, tau: float = TAU) -> Headline:
    """Return the headline about one statistic."""
    known = {h: v for h, v in found.values(name, tau).items() if v.value == v.value}
    subject = SUBJECTS[name]
    if not known:
        text = f"Nothing is known of {subject} in any head."
        return Headline.fitting((text,), (text, "Nothing is known of any head."))
    head, worst = worst_of(name, known)
    number = said(name, worst.value)
    small = STATISTICS[name].worst == "small"
    most = ("at most " if small else "at least ") if worst.error is None else ""
    batches = len({each.batch for each in known}) > 1
    where = place(head, batches)
    first = f"{subject[0].upper()}{subject[1:]} is {most}{number} in {where}"
    middle = said(name, median(value.value for value in known.values()))
    count = len(known)
    if count == 1:
        return Headline.fitting((f"{first}.",), (f"{first}.", f"{number} in {where}."))
    if len({said(name, value.value) for value in known.values()}) == 1:
        every = f"{subject[0].upper()}{subject[1:]} is {most}{number} in all {count:,} heads."
        return Headline.fitting((every,), (every, f"{number} in all heads."))
    rest = f"half of the {count:,} heads are {'above' if small else 'below'} {middle}"
    return Headline.fitting((f"{first}; {rest}.",), (f"{first}.", f"{number} in {where}."))


def worst_of(name: str, values: dict[HeadId, Value]) -> tuple[HeadId, Value]:
    """Return the head that a statistic makes stand out, the first of equals, and its value."""
    sign = 1.0 if STATISTICS[name].worst == "small" else -1.0
    return min(values.items(), key=lambda item: sign * item[1].value)
