"""The multiplier m of a configuration, by the rule of its class."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import log

from attn_tui.compute.numbers import fixed, general
from attn_tui.files.models.fields import Fields


@dataclass(frozen=True)
class Lengths:
    """The lengths of queries that a configuration says.

    Attributes:
        d_k: The length that m is made of, or None if nothing says it.
        source: The fields that say it, as text.
        queries: All lengths that queries may have.
    """

    d_k: int | None
    source: str
    queries: frozenset[int]


@dataclass(frozen=True)
class ConfiguredMultiplier:
    """The m that a configuration says.

    Attributes:
        value: m, or None if nothing says it.
        source: The fields that decide it, as text.
        form: m as written: ``1/√144``; empty if it is a plain number.
        yarn: YaRN's μ.
        notes: Sentences on factors that q, k or v already contain.
    """

    value: float | None
    source: str = ""
    form: str = ""
    yarn: float = 1.0
    notes: tuple[str, ...] = ()


MultiplierRule = Callable[[Fields, Lengths], ConfiguredMultiplier]


def stated(fields: Fields, lengths: Lengths) -> ConfiguredMultiplier:
    """Return the m of a field that means the same in all classes, or none."""
    multiplier = fields.number("attention_multiplier")
    if multiplier is not None:
        return ConfiguredMultiplier(multiplier, f"attention_multiplier {general(multiplier)}")
    scalar = fields.number("query_pre_attn_scalar")
    if scalar:
        size = general(scalar)
        form = f"1/√{size}"
        return ConfiguredMultiplier(scalar**-0.5, f"query_pre_attn_scalar {size}, m = {form}", form)
    return ConfiguredMultiplier(None)


def root(fields: Fields, lengths: Lengths) -> ConfiguredMultiplier:
    """Return 1/√d_k, unless a field says m."""
    multiplier = stated(fields, lengths)
    if multiplier.value is not None or lengths.d_k is None:
        return multiplier
    return _root(fields, lengths)


def root_only(fields: Fields, lengths: Lengths) -> ConfiguredMultiplier:
    """Return 1/√d_k of a class that has no field for m."""
    return ConfiguredMultiplier(None) if lengths.d_k is None else _root(fields, lengths)


def _root(fields: Fields, lengths: Lengths) -> ConfiguredMultiplier:
    assert lengths.d_k is not None
    form = f"1/√{lengths.d_k}"
    source = f"{lengths.source}, m = {form}"
    yarn = _yarn(fields)
    notes = tuple(_notes(fields, yarn))
    return ConfiguredMultiplier(lengths.d_k**-0.5, source, form, yarn, notes)


def latent(fields: Fields, lengths: Lengths) -> ConfiguredMultiplier:
    """Return 1/√d_k with YaRN's μ², where the configuration has it for all dimensions."""
    plain = root_only(fields, lengths)
    rope = fields.nested("rope_parameters", "rope_scaling")
    every, factor = rope.number("mscale_all_dim") or 0.0, rope.number("factor") or 1.0
    is_scaled = (rope.text("rope_type") or rope.text("type") or "default") != "default"
    yarn = 0.1 * every * log(max(factor, 1.0)) + 1.0 if is_scaled else 1.0
    if plain.value is None or yarn == 1.0:
        return ConfiguredMultiplier(plain.value, plain.source, plain.form)
    source = f"{plain.source}; YaRN's mscale² {fixed(yarn * yarn, 4)}"
    return ConfiguredMultiplier(plain.value * yarn * yarn, source, "", yarn)


def one(fields: Fields, lengths: Lengths) -> ConfiguredMultiplier:
    """Return 1, as initialisation or QK-norm allows."""
    return ConfiguredMultiplier(1.0, "scaling 1")


def carried(fields: Fields, lengths: Lengths) -> ConfiguredMultiplier:
    """Return 1, for q was multiplied by 1/√d_k before attention."""
    return ConfiguredMultiplier(1.0, "scaling 1, for q carries 1/√head_dim already")


def scalar(default: float) -> MultiplierRule:
    """Return the rule of classes with a query_pre_attn_scalar, given its default."""

    def rule(fields: Fields, lengths: Lengths) -> ConfiguredMultiplier:
        value = fields.number("query_pre_attn_scalar") or default
        form = f"1/√{general(value)}"
        return ConfiguredMultiplier(
            value**-0.5, f"query_pre_attn_scalar {general(value)}, m = {form}", form
        )

    return rule


def granite(fields: Fields, lengths: Lengths) -> ConfiguredMultiplier:
    """Return attention_multiplier, which is 1 by default."""
    value = fields.number("attention_multiplier")
    multiplier = 1.0 if value is None else value
    return ConfiguredMultiplier(multiplier, f"attention_multiplier {general(multiplier)}")


def gpt2(fields: Fields, lengths: Lengths) -> ConfiguredMultiplier:
    """Return 1/√d_k unless scale_attn_weights denies it."""
    if fields.flag("scale_attn_weights", True):
        return root_only(fields, lengths)
    return ConfiguredMultiplier(1.0, "scale_attn_weights false, m = 1")


def jais(fields: Fields, lengths: Lengths) -> ConfiguredMultiplier:
    """Return 1/d_k where muP says so, else as GPT-2."""
    plain = gpt2(fields, lengths)
    is_scaled = fields.flag("scale_attn_weights", True)
    by_length = fields.flag("mup_scale_qk_dot_by_d") or fields.flag("scale_qk_dot_by_d")
    if lengths.d_k is None or not (is_scaled and by_length):
        return plain
    form = f"1/{lengths.d_k}"
    return ConfiguredMultiplier(
        1.0 / lengths.d_k, f"{lengths.source}, mup_scale_qk_dot_by_d, m = {form}", form
    )


def mpt(fields: Fields, lengths: Lengths) -> ConfiguredMultiplier:
    """Return softmax_scale of attn_config, or 1/√d_k."""
    scale = fields.nested("attn_config").number("softmax_scale")
    if scale is None:
        return root_only(fields, lengths)
    return ConfiguredMultiplier(scale, f"softmax_scale {general(scale)}")


def half(fields: Fields, lengths: Lengths) -> ConfiguredMultiplier:
    """Return 1/√(d_k/2), as Zamba, whose heads take two hidden states, has it."""
    if lengths.d_k is None:
        return ConfiguredMultiplier(None)
    form = f"1/√{general(lengths.d_k / 2)}"
    return ConfiguredMultiplier((lengths.d_k / 2) ** -0.5, f"{lengths.source}, m = {form}", form)


def by_length(fields: Fields, lengths: Lengths) -> ConfiguredMultiplier:
    """Return 1/d_k."""
    if lengths.d_k is None:
        return ConfiguredMultiplier(None)
    form = f"1/{lengths.d_k}"
    return ConfiguredMultiplier(1.0 / lengths.d_k, f"{lengths.source}, m = {form}", form)


def _yarn(fields: Fields) -> float:
    """Return YaRN's μ, 1 without YaRN."""
    rope = fields.nested("rope_parameters", "rope_scaling")
    factor = rope.number("factor")
    is_yarn = "yarn" in (rope.text("rope_type"), rope.text("type"))
    if not is_yarn or not factor or factor <= 1.0:
        return 1.0
    return 0.1 * log(factor) + 1.0


def _notes(fields: Fields, yarn: float) -> Iterator[str]:
    if fields.flag("attn_temperature_tuning") or fields.flag("attn_temperature"):
        yield "q as attention is given it carries the temperature by position already."
    if any(fields.flag(name) for name in ("use_qk_norm", "qk_layernorm", "qk_norm")):
        yield "q and k as attention is given them are normalised already."
    if fields.number("attention_value_scale"):
        yield "v as attention is given it carries attention_value_scale already."
    if yarn != 1.0:
        yield "q and k as attention is given them carry YaRN's mscale already."
