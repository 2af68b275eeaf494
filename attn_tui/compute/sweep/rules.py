"""Scale rules as text, several with commas between them."""

import re

from attn_tui.compute.errors import InputError
from attn_tui.compute.field import Kind
from attn_tui.compute.scale import Scale, parse_scale


def rule_text(scale: Scale) -> str:
    """Return a rule with the parameters given, as `parse_scale` reads it.

    >>> rule_text(parse_scale("temperature:4")), rule_text(Scale(softcap=50.0))
    ('temperature:T=4.0', 'inverse-sqrt')
    """
    given = ",".join(f"{name}={value!r}" for name, value in scale.given)
    return f"{scale.rule}:{given}" if given else scale.rule


def read_rules(text: str) -> tuple[str, ...]:
    """Read rules with commas between them; a comma may stand after the last.

    An empty text is no rules: what is compared then is none and the rule that all share.

    Raises:
        InputError: If one is not understood.

    >>> read_rules("none, temperature:T=4, mup:1,024")
    ('none', 'temperature:T=4', 'mup:1,024')
    """
    listed = text.strip()
    if not listed:
        return ()
    # A comma before a digit marks thousands.
    parts = re.split(r",(?!\s*[0-9])", listed.removesuffix(",") or listed)
    rules = tuple(part.strip() for part in parts)
    for rule in rules:
        try:
            parse_scale(rule)
        except InputError as error:
            raise InputError("rules", error.problem, error.expected) from None
    return rules


LISTED = Kind(
    "rules with commas between them",
    read_rules,
    lambda value: type(value) is tuple and all(isinstance(rule, str) for rule in value),
    ", ".join,
)
"""Rules, each as `parse_scale` reads it."""
