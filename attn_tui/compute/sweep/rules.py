"""Scale rules as text, several with commas between them."""

from attn_tui.compute.errors import InputError
from attn_tui.compute.field import Kind
from attn_tui.compute.scale import RULES, Scale, parse_scale


def rule_text(scale: Scale) -> str:
    """Return a rule with the parameters given, as `parse_scale` reads it.

    >>> rule_text(parse_scale("temperature:4")), rule_text(Scale(softcap=50.0))
    ('temperature:T=4.0', 'inverse-sqrt')
    """
    given = ",".join(f"{name}={value!r}" for name, value in scale.given)
    return f"{scale.rule}:{given}" if given else scale.rule


def read_rules(text: str) -> tuple[str, ...]:
    """Read rules with commas between them; one of them may have parameters, with commas too.

    A comma may stand after the last. An empty text is no rules: what is compared then is none and
    the rule that all share.

    Raises:
        InputError: If one is not understood.

    >>> read_rules("none, temperature:T=4, inverse")
    ('none', 'temperature:T=4', 'inverse')
    """
    rules: list[str] = []
    listed = text.strip()
    # A comma after the last rule ends it.
    ended = listed.removesuffix(",") or listed
    for part in ended.split(",") if listed else ():
        name = part.partition(":")[0].strip()
        # A parameter of the rule before, rather than a rule of its own.
        is_value = "=" in part or part.strip().isdigit()
        if rules and ":" in rules[-1] and name not in RULES and is_value:
            rules[-1] += "," + part.strip()
        else:
            rules.append(part.strip())
    for rule in rules:
        try:
            parse_scale(rule)
        except InputError as error:
            raise InputError("rules", error.problem, error.expected) from None
    return tuple(rules)


LISTED = Kind(
    "rules with commas between them",
    read_rules,
    lambda value: type(value) is tuple and all(isinstance(rule, str) for rule in value),
    ", ".join,
)
"""Rules, each as `parse_scale` reads it."""
