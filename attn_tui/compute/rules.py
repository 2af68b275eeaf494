"""The table of rules by which scores are multiplied, as texts and models have them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import floor, inf, log

from attn_tui.compute.field import Kind, number

Arguments = Mapping[str, float]

LAYER = "layer"
"""The name of the parameter that holds the index of the layer."""

_LAYERS = replace(
    number(0.0, called="a whole layer"),
    admits=lambda value: 0.0 <= value < inf and value == int(value),
    step=lambda value, steps: max(value + steps, 0.0),
)


@dataclass(frozen=True)
class Parameter:
    """A number a rule takes.

    Attributes:
        name: Its name on the command line.
        symbol: Its name in the formula.
        default: Its default value.
        kind: The values it can have.
        help: A phrase that describes it.
        synonyms: Other words by which it can be searched for.
    """

    name: str
    symbol: str
    default: float
    kind: Kind
    help: str
    synonyms: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rule:
    """One way to choose the multiplier m in z = m·s.

    Attributes:
        name: Its name on the command line and in JSON.
        formula: The multiplier as text, in the symbols of the literature.
        summary: One phrase for a list of rules.
        source: Who introduced it.
        multiplier: Computes m from d_k, the number of keys and the parameters.
        parameters: The parameters it takes.
        users: Models that use it, or empty.
        synonyms: Other words by which it can be searched for.
        normalises: Whether q and k are normalised first, as by QK-norm.
        threshold: The parameter that is the n below which the rule is 1/√d_k; or empty.
    """

    name: str
    formula: str
    summary: str
    source: str
    multiplier: Callable[[int, int, Arguments], float]
    parameters: tuple[Parameter, ...] = ()
    users: str = ""
    synonyms: tuple[str, ...] = ()
    normalises: bool = False
    threshold: str = ""


_STEEPEST = 60.0
"""The largest power α: beyond 64, d_k^−α is 0 in float64 at the largest d_k."""

_POWERS = replace(
    number(0.0, _STEEPEST, called="a power"),
    step=lambda value, steps: min(max(round(value + 0.05 * steps, 6), 0.0), _STEEPEST),
)


def _inverse_sqrt(d_k: float) -> float:
    # A single rounding, where 1 / √d_k would round twice.
    root: float = float(d_k) ** -0.5
    return root


_ALL = (
    Rule(
        "inverse-sqrt", "1/√d_k", "the standard deviation of random scores becomes 1",
        "Vaswani et al. 2017, arXiv 1706.03762; PyTorch's default",
        lambda d_k, n_keys, values: _inverse_sqrt(d_k),
        users="BERT, GPT-2, Llama, Mistral, Qwen, Falcon, Phi-2, gpt-oss",
        synonyms=("inverse square root", "divide by sqrt(d_k)", "scale by 1/sqrt(d_k)", "usual",
                  "standard", "Vaswani"),
    ),
    Rule(
        "none", "1", "scores go to softmax as they are",
        "Raffel et al. 2020, arXiv 1910.10683: the initialisation allows for it",
        lambda d_k, n_keys, values: 1.0, users="T5, GPT-Neo, Gemma 4 (after QK-norm)",
        synonyms=(
            "unscaled", "no scaling", "no scale", "without scaling", "no division",
            "remove the division", "remove the scale", "forget the scale", "do not divide",
        ),
    ),
    Rule(
        "inverse", "1/d_k", "for queries and keys that training has correlated",
        "µP: Yang et al. 2022, arXiv 2203.03466", lambda d_k, n_keys, values: 1.0 / d_k,
        users="Granite (attention_multiplier)",
        synonyms=("divide by d_k", "scale by 1/d_k", "linear"),
    ),
    Rule(
        "power", "d_k^−α", "any power of d_k: α = ½ is 1/√d_k, α = 1 is 1/d_k",
        "between Vaswani et al. 2017 (α = ½) and µP (α = 1)",
        lambda d_k, n_keys, values: float(d_k) ** -values["alpha"],
        (Parameter("alpha", "α", 0.5, _POWERS,
                   "the power of d_k by which scores are divided", ("exponent",)),),
        synonyms=("exponent", "d_k to the power", "d_k^-alpha"),
    ),
    Rule(
        "cosine", "g/d_k", "g times the cosine of q and k: QK-norm, and then g/d_k",
        "Henry et al. 2020, arXiv 2010.04245; Swin V2, arXiv 2111.09883: both learn g",
        lambda d_k, n_keys, values: values["g"] / d_k,
        (Parameter("g", "g", 8.0, number(above=0.0, called="a finite scale"),
                   "the scale of the cosine: logits reach from −g to g",
                   ("logit_scale", "learned scale")),),
        users="Swin V2", synonyms=("cosine attention", "cosine similarity", "l2norm", "l2 norm"),
        normalises=True,
    ),
    Rule(
        "mup", "√d₀/d_k", "1/d_k that agrees with 1/√d_k at a base dimension d₀",
        "µP: Yang et al. 2022, arXiv 2203.03466",
        lambda d_k, n_keys, values: values["d0"] ** 0.5 / d_k,
        (Parameter("d0", "d₀", 64.0, number(above=0.0, called="a finite base dimension"),
                   "the d_k at which µP agrees with 1/√d_k", ("base dimension",)),),
        synonyms=("µP", "maximal update", "Tensor Programs"),
    ),
    Rule(
        "fixed", "1/√a", "one number for all layers, whatever d_k is",
        "Gemma 2: arXiv 2408.00118 (query_pre_attn_scalar)",
        lambda d_k, n_keys, values: _inverse_sqrt(values["a"]),
        (Parameter("a", "a", 256.0, number(above=0.0, called="a finite d_k"),
                   "the d_k that the one multiplier is made for", ("query_pre_attn_scalar",)),),
        users="Gemma 2 and 3, whose soft cap or QK-norm comes with the model, not the rule",
        synonyms=("constant",),
    ),
    Rule(
        "per-layer", "1/(√d_k·(l + 1))", "deeper layers are scaled down more",
        "GPT-2's option scale_attn_by_inverse_layer_idx",
        lambda d_k, n_keys, values: _inverse_sqrt(d_k) / (values[LAYER] + 1.0),
        (Parameter(LAYER, "l", 0.0, _LAYERS, "the layer, counted from 0"),),
        synonyms=("by layer", "layer index", "scale_attn_by_inverse_layer_idx"),
    ),
    Rule(
        "log-length", "ln n/(ln 512·√d_k)", "sharper for more keys; 1/√d_k at n = 512",
        "J. Su, kexue.fm",
        lambda d_k, n_keys, values: log(n_keys) / log(512.0) * _inverse_sqrt(d_k),
        synonyms=("logarithm of n",),
    ),
    Rule(
        "ssmax", "a·ln n/√d_k", "scalable softmax: sharper for more keys, by a learned factor",
        "Nakanishi 2025, arXiv 2501.19399 (a = 0.43 in Fig. 1)",
        lambda d_k, n_keys, values: values["a"] * log(n_keys) * _inverse_sqrt(d_k),
        (Parameter("a", "a", 0.43, number(above=0.0, called="a finite learned factor"),
                   "the learned factor of scalable softmax", ("learned factor",)),),
        synonyms=("scalable softmax",),
    ),
    Rule(
        "yarn", "(0.1·a·ln f + 1)²/√d_k", "sharper for a context extended by a factor f",
        "YaRN: Peng et al. 2023, arXiv 2309.00071; a is DeepSeek's mscale, .707 in V2-Lite",
        lambda d_k, n_keys, values: (
            (0.1 * values["mscale"] * log(values["factor"]) + 1.0) ** 2 * _inverse_sqrt(d_k)
        ),
        (Parameter("factor", "f", 40.0, number(1.0, called="a finite factor"),
                   "the factor by which the context is extended"),
         Parameter("mscale", "a", 1.0, number(above=0.0, called="a finite coefficient"),
                   "the coefficient of the logarithm: mscale_all_dim in a configuration",
                   ("mscale_all_dim", "mscale coefficient"))),
        users="DeepSeek-V2 and V3", synonyms=("long context", "mscale²"),
    ),
    Rule(
        "longrope", "(1 + ln f/ln L)/√d_k", "sharper for a context extended by f from a length L",
        "LongRoPE: Ding et al. 2024, arXiv 2402.13753: √(1 + ln f/ln L) on q and on k",
        lambda d_k, n_keys, values: (
            (1.0 + log(values["factor"]) / log(values["length"])) * _inverse_sqrt(d_k)
        ),
        (Parameter("factor", "f", 32.0, number(1.0, called="a finite factor"),
                   "the factor by which the context is extended"),
         Parameter("length", "L", 4096.0, number(above=1.0, called="a finite length"),
                   "the length of the context before", ("original length",))),
        users="Phi-3 with 128k", synonyms=("long context", "LongRoPE", "attention factor"),
    ),
    Rule(
        "llama4", "(1 + a·ln(⌊n/L⌋ + 1))/√d_k",
        "sharper from L keys on: the query at place n − 1 of a causal text sees n keys",
        "Llama 4's attn_temperature_tuning; its code in transformers names arXiv 2501.19399",
        lambda d_k, n_keys, values: (
            (1.0 + values["a"] * log(floor(n_keys / values["length"]) + 1.0)) * _inverse_sqrt(d_k)
        ),
        (Parameter("length", "L", 8192.0, number(1.0, called="a finite length"),
                   "the number of keys below which it is 1/√d_k", ("floor_scale",)),
         Parameter("a", "a", 0.1, number(above=0.0, called="a finite factor"),
                   "the factor of the logarithm", ("attn_scale",))),
        users="Llama 4, in layers without RoPE",
        synonyms=("Llama 4", "attn_temperature_tuning", "iRoPE"),
        threshold="length",
    ),
    Rule(
        "temperature", "1/T", "a divisor of your own, whatever d_k is",
        "Hinton et al. 2015, arXiv 1503.02531", lambda d_k, n_keys, values: 1.0 / values["T"],
        (Parameter("T", "T", 1.0, number(above=0.0, called="a finite temperature"),
                   "the temperature, by which scores are divided", ("temp",)),),
        synonyms=("divisor", "divide by", "sharper attention", "softer attention"),
    ),
)  # fmt: skip

RULES: Mapping[str, Rule] = {rule.name: rule for rule in _ALL}
"""Every rule by its name, the default first."""

DEFAULT_RULE = _ALL[0].name
