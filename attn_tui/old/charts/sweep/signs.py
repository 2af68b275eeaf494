"""How a sweep is looked at, and what tells its rules apart."""

from dataclasses import dataclass

from attn_tui.compute.sweep.answer import Answer
from attn_tui.sweep.names import is_none, others

_ROLES = ("scaled", "rule1", "rule2", "rule3", "rule4")


@dataclass(frozen=True)
class Look:
    """How a sweep is looked at.

    Attributes:
        log: Whether numbers go by their logarithm; ratios always do.
        bands: Whether the band of the middle half of draws is drawn behind curves.
        whole: Whether the logarithm goes down to the smallest number.
    """

    log: bool = True
    bands: bool = True
    whole: bool = False


DEFAULT_LOOK = Look()


def role_of(answer: Answer, rule: str) -> str:
    """Return the role a rule is drawn in; none has that of what is unscaled everywhere."""
    if is_none(rule):
        return "unscaled"
    return _ROLES[others(answer.rules).index(rule) % len(_ROLES)]


def drawn_rules(answer: Answer) -> list[str]:
    """Return the rules that are drawn: of ratios not none, which is 1, unless it is alone."""
    scaled = [rule for rule in answer.rules if not (answer.settings.ratio and is_none(rule))]
    return scaled or [*answer.rules]
