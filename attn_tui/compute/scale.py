"""The scale: multiplier rules, and what else models do between scores and softmax."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf, isqrt
from typing import Literal

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.field import Checked, number, or_none, parse_number, setting, switch
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.numbers import general
from attn_tui.compute.rules import DEFAULT_RULE, LAYER, RULES, Arguments, Rule

Wrt = Literal["scores", "logits"]
"""What a derivative is taken with respect to: s, or z."""

SYMBOL: Mapping[Wrt, str] = {"scores": "s", "logits": "z"}
"""The symbol of each."""


@dataclass(frozen=True)
class LogitMap:
    """What happens to scores before softmax.

    Attributes:
        multiplier: m, finite and at least 0.
        softcap: c in z = c·tanh(m·s/c), above 0; None for z = m·s.
        sink: The logit b of an imaginary key: softmax runs over the logits and b, and the weight
            of b is dropped. None for no sink.
    """

    multiplier: float
    softcap: float | None = None
    sink: float | None = None


PLAIN = LogitMap(1.0)
"""Scores as they are: z = s."""


_D_K, _N_KEYS = 1, 512
"""The d_k and n at which a scale's parameters are checked; at n = 1 some rules give 0."""


def _no_qk_norm(scale: "Scale", has_vectors: bool) -> str:
    """Return why a choice of QK-norm has no effect, or an empty text."""
    if not has_vectors:
        return "QK-norm acts on q and k: choose where scores come from"
    return f"{scale.rule} normalises q and k already" if scale.definition.normalises else ""


@dataclass(frozen=True)
class Scale(Checked):
    """What happens between scores and softmax.

    Attributes:
        rule: A name in `RULES`.
        arguments: Names and values of the parameters that differ from the rule's defaults.
        softcap: c in z = c·tanh(m·s/c), above 0; None for no cap.
        sink: b, the logit of an imaginary key; None for no sink.
        qk_norm: Whether q and k, if there are any, are normalised to a root mean square of 1
            before their product.

    >>> Scale().multiplier(d_k=1024, n_keys=3)
    0.03125
    """

    rule: str = DEFAULT_RULE
    arguments: tuple[tuple[str, float], ...] = ()
    softcap: float | None = setting(
        None, or_none(number(above=0.0, called="a finite cap"), "none"), "soft cap",
        "the cap c of the logits z = c·tanh(m·s/c)", option="--softcap", metavar="C",
        synonyms=("cap", "logit soft-capping"),
    )  # fmt: skip
    sink: float | None = setting(
        None, or_none(number(called="a finite logit"), "none"), "sink",
        "the logit b of one more key, which has no value and is in no list", option="--sink",
        metavar="B", synonyms=("attention sink", "softmax off by one"),
    )  # fmt: skip
    qk_norm: bool = setting(
        False, switch(), "QK-norm",
        "whether q and k are normalised first, each divided by its root mean square: its length is "
        "√d_k then",
        option="--qk-norm/--no-qk-norm", synonyms=("normalise q and k", "rms norm"),
        no_effect=lambda setup, source: _no_qk_norm(setup.scale, source.normalises),
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rule not in RULES:
            expected = "one of " + ", ".join(RULES)
            raise InputError("rule", f"{inert(self.rule)} is not a rule", expected)
        parameters = {parameter.name: parameter for parameter in RULES[self.rule].parameters}
        for name, value in self.arguments:
            if name not in parameters:
                expected = ", ".join(parameters) if parameters else "no parameter"
                raise InputError("rule", f"{self.rule} has no parameter {inert(name)}", expected)
            kind = parameters[name].kind
            kind.check("rule", value, f"{self.rule}:{name}={kind.text(value)}")
        arguments = sorted(
            pair for pair in self.arguments if pair[1] != parameters[pair[0]].default
        )
        object.__setattr__(self, "arguments", tuple(arguments))
        self.multiplier(_D_K, _N_KEYS)

    @property
    def definition(self) -> Rule:
        """The rule itself."""
        return RULES[self.rule]

    @property
    def normalises(self) -> bool:
        """Whether q and k are normalised before their product, by QK-norm or by the rule."""
        return self.qk_norm or self.definition.normalises

    def check_unnormalised(self, field: str, what: str, expected: str = "another rule") -> None:
        """Check that the rule does not normalise q and k.

        Args:
            field: The name of the input.
            what: Why they cannot be normalised, as a clause.
            expected: What can be asked instead.

        Raises:
            InputError: With that name, if it does.
        """
        if self.definition.normalises:
            raise InputError(field, f"{self.rule} normalises q and k, and {what}", expected)

    @property
    def parameters(self) -> Arguments:
        """Every parameter of the rule with its value, defaults included."""
        defaults = {parameter.name: parameter.default for parameter in self.definition.parameters}
        return defaults | dict(self.arguments)

    @property
    def text(self) -> str:
        """The rule with its parameters, as `parse_scale` reads it.

        >>> parse_scale("temperature:4").text, Scale(softcap=50.0).text
        ('temperature:T=4', 'inverse-sqrt')
        """
        pairs = [f"{name}={value!r}".removesuffix(".0") for name, value in self.arguments]
        return f"{self.rule}:{','.join(pairs)}" if pairs else self.rule

    @property
    def formula(self) -> str:
        """The multiplier as text, with the values of the parameters: ``1/√144``.

        A factor of 1 within a product is left out.

        >>> Scale("yarn").formula, parse_scale("yarn:40,mscale=.707").formula
        ('(0.1·ln 40 + 1)²/√d_k', '(0.1·0.707·ln 40 + 1)²/√d_k')
        """
        text = self._without_units
        for parameter in self.definition.parameters:
            text = text.replace(parameter.symbol, f"{self.parameters[parameter.name]:,.6g}")
        return text

    @property
    def _without_units(self) -> str:
        """The rule's formula without the parameters that are a factor of 1 within a product."""
        text = self.definition.formula
        for parameter in self.definition.parameters:
            if self.parameters[parameter.name] == 1.0:
                text = text.replace(f"·{parameter.symbol}·", "·")
        return text

    @property
    def named_formula(self) -> str:
        """The multiplier as text, and then the parameters with their values.

        >>> Scale("temperature", (("T", 0.5),)).named_formula
        '1/T, T = 0.5'
        """
        formula = self._without_units
        values = [
            f"{parameter.symbol} = {parameter.kind.shown(self.parameters[parameter.name])}"
            for parameter in self.definition.parameters
            if parameter.symbol in formula
        ]
        return ", ".join([formula, *values])

    @property
    def bare(self) -> "Scale":
        """The rule with its parameters alone, without a soft cap, a sink or QK-norm."""
        return Scale(self.rule, self.arguments)

    @property
    def is_default(self) -> bool:
        """Whether the multiplier is the default, 1/√d_k."""
        return (self.rule, self.arguments) == (DEFAULT_RULE, ())

    @property
    def is_by_layer(self) -> bool:
        """Whether the multiplier differs from layer to layer."""
        return LAYER in self.parameters

    def at_layer(self, layer: int) -> "Scale":
        """Return the scale of one layer, counted from 0; itself if all layers have the same."""
        return replace(self, arguments=((LAYER, float(layer)),)) if self.is_by_layer else self

    @property
    def pipeline(self) -> str:
        """The steps from scores to softmax as text.

        >>> Scale("fixed", (("a", 144.0),), softcap=50.0, sink=0.0).pipeline
        'z = 50·tanh(m·s/50), m = 1/√144; sink b = 0'
        """
        z = "m·s"
        if self.softcap is not None:
            z = f"{general(self.softcap)}·tanh(m·s/{general(self.softcap)})"
        parts = ["QK-norm"] if self.normalises else []
        parts.append(f"z = {z}, m = {self.formula}")
        if self.sink is not None:
            parts.append(f"sink b = {general(self.sink)}")
        return "; ".join(parts)

    def multiplier(self, d_k: int, n_keys: int) -> float:
        """Return m, finite and at least 0; rules that depend on n can give 0 at a single key.

        Raises:
            InputError: If the parameters make m overflow.
        """
        try:
            m = self.definition.multiplier(d_k, n_keys, self.parameters)
        except OverflowError:
            m = inf
        if not 0.0 <= m < inf:
            problem = f"{self.formula} makes the multiplier {general(m)}"
            raise InputError("rule", problem, "a finite multiplier")
        return m

    @property
    def uses_n(self) -> bool:
        """Whether m depends on the number of keys."""
        multiplier = self.definition.multiplier
        return len({multiplier(1, n, self.parameters) for n in (2, 3, 1 << 53)}) > 1

    @property
    def threshold(self) -> float | None:
        """The number of keys below which the multiplier is 1/√d_k, or None if it depends on none.

        >>> Scale("llama4").threshold, Scale("yarn").threshold
        (8192.0, None)
        """
        return self.parameters.get(self.definition.threshold)

    def uses_d_k(self, n_keys: int) -> bool:
        """Return whether m depends on d_k for a number of keys; true if it fails at either end."""
        try:
            ends = {self.multiplier(d_k, max(n_keys, 1)) for d_k in (D_K.minimum, D_K.maximum)}
        except InputError:
            return True
        return len(ends) > 1

    def logit_map(self, d_k: int, n_attended: int) -> LogitMap:
        """Return the map to logits for a query that attends to a number of keys."""
        multiplier = self.multiplier(d_k, max(n_attended, 1))
        return LogitMap(multiplier, self.softcap, self.sink)


def whole_dimension(m: float) -> int | None:
    """Return a if m is 1/√a for a whole number a above 1, else None.

    >>> whole_dimension(1 / 12), whole_dimension(0.09), whole_dimension(1.0)
    (144, None, None)
    """
    a = m**-2.0 if 0.0 < m < 1.0 else inf
    return round(a) if a < 1e7 and abs(a - round(a)) < 1e-6 * a else None


LONGEST_HEAD = 1024
"""The largest a of which 1/√a is written so, where √a is whole."""


def as_root(m: float) -> str:
    """Return a multiplier as ``1/√a`` if a is a whole number above 1, else an empty text.

    The root of a large square is written as the number that it is: no head is so long.

    >>> as_root(0.0625), as_root(0.0884), as_root(1.0), as_root(1.0 / 64.0)
    ('1/√256', '', '', '1/64')
    """
    a = whole_dimension(m)
    if a is None:
        return ""
    root = isqrt(a)
    return f"1/{root}" if a > LONGEST_HEAD and root * root == a else f"1/√{a}"


def scale_of(m: float, d_k: int) -> Scale:
    """Return a scale with a given multiplier at a d_k, by the rule that describes it best.

    >>> scale_of(1 / 12, 64).formula, scale_of(1 / 64, 64).formula, scale_of(0.09, 64).formula
    ('1/√144', '1/d_k', '1/11.1111')
    """
    for rule in ("inverse-sqrt", "none", "inverse"):
        if abs(Scale(rule).multiplier(d_k, _N_KEYS) - m) < 1e-9 * m:
            return Scale(rule)
    a = whole_dimension(m)
    described = ("fixed", (("a", float(a)),)) if a else ("temperature", (("T", 1.0 / m),))
    return Scale(*described)


NONE = Scale("none")
"""Scores go to softmax as they are."""


_BY_FORMULA = {"1/√d_k": "inverse-sqrt", "1/sqrt(d_k)": "inverse-sqrt", "1/d_k": "inverse"}
"""Rules that can be called by what they multiply by, as texts write it."""


def parse_scale(text: str) -> Scale:
    """Read ``NAME`` or ``NAME:parameter=value,parameter=value``; the first needs no name.

    ``1/d_k`` and ``1/√d_k`` are names too.

    Raises:
        InputError: If the rule, a parameter or a value is not understood.

    >>> parse_scale("temperature:T=4") == parse_scale("temperature:4")
    True
    >>> parse_scale("yarn:4,mscale=0.5") == parse_scale("yarn:mscale=0.5,factor=4")
    True
    """
    name, colon, rest = (part.strip() for part in text.partition(":"))
    name = _BY_FORMULA.get(name, name)
    names = [parameter.name for parameter in RULES[name].parameters] if name in RULES else []
    arguments: dict[str, float] = {}
    # A comma inside a number marks thousands.
    for place, assignment in enumerate(re.split(r",(?!\s*[0-9])", rest) if colon else ()):
        parameter, equals, value = (part.strip() for part in assignment.partition("="))
        if not equals and names and place == 0:
            parameter, value = names[0], parameter
        elif not equals:
            raise InputError("rule", f"{inert(assignment)} will not do", "parameter=value")
        if parameter in arguments:
            raise InputError("rule", f"{inert(parameter)} stands twice", "each parameter once")
        try:
            arguments[parameter] = parse_number(value)
        except ValueError:
            problem = f"{inert(parameter)}: {inert(value)} is not a number"
            raise InputError("rule", problem, "parameter=number") from None
    return Scale(name, tuple(arguments.items()))
