"""Promises drawn at random: a configuration, and tensors of heads that keep to it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.random import Generator

from benchmarks.verdicts.proof.arithmetic import FORMATS, Computation, Format, Reals, Truths
from benchmarks.verdicts.proof.masks import Padding, Rule, compared

MaskForm = Literal["none", "full", "one row"]
"""What is captured of a mask: nothing, a row for each query, or one row for all of them."""


@dataclass(frozen=True)
class Setting:
    """What a configuration promises, and the shape of what was captured.

    Attributes:
        model: The class of the model, as config.json names it.
        config: What config.json says.
        multiplier: m.
        softcap: The cap, or None.
        rules: Which keys a query sees, by layer.
        has_sinks: Whether heads have sinks.
        heads: How many heads there are.
        kv_heads: How many heads keys and values have.
        d_k: The length of a query.
        queries: How many queries there are.
        keys: How many keys there are.
        paddings: Keys of padding, by sequence.
        texts: The keys at which further texts begin in a packed sequence.
        mask_form: What is captured of the mask.
        format: The number format.
    """

    model: str
    config: Mapping[str, Any]
    multiplier: float
    softcap: float | None
    rules: tuple[Rule, ...]
    has_sinks: bool
    heads: int
    kv_heads: int
    d_k: int
    queries: int
    keys: int
    paddings: tuple[Padding, ...]
    texts: tuple[int, ...]
    mask_form: MaskForm
    format: Format

    @property
    def batch(self) -> int:
        """How many sequences there are."""
        return len(self.paddings)

    @property
    def shape(self) -> tuple[int, int]:
        """How many queries and keys there are."""
        return self.queries, self.keys

    @property
    def is_padded(self) -> bool:
        """Whether a sequence has keys of padding."""
        return any(any(padding) for padding in self.paddings)

    @property
    def is_plain(self) -> bool:
        """Whether nothing is padded or packed, so that the mask need not be captured."""
        return not (self.is_padded or self.texts)

    @property
    def windows(self) -> tuple[int | None, ...]:
        """The windows, by layer."""
        return tuple(rule.window for rule in self.rules)

    def seen(self, rule: Rule, paddings: Sequence[Padding] | None = None) -> Truths:
        """Return which keys queries see by a rule, shape (b, 1, n_q, n).

        Args:
            rule: The rule.
            paddings: Keys of padding, by sequence; those of the setting if None.
        """
        chosen = self.paddings if paddings is None else paddings
        return np.stack([rule.seen(self.shape, padding, self.texts) for padding in chosen])[:, None]

    @property
    def text(self) -> str:
        """In words."""
        parts = [
            self.model, self.format.name, f"batch {self.batch}",
            f"heads {self.heads}/{self.kv_heads}", f"{self.queries}×{self.keys}", f"d {self.d_k}",
            f"m {self.multiplier:.4g}",
        ]  # fmt: skip
        if self.softcap is not None:
            parts.append(f"cap {self.softcap:g}")
        if any(self.windows):
            parts.append(f"windows {'/'.join(map(str, self.windows))}")
        elif len(self.rules) > 1:
            parts.append(f"{len(self.rules)} layers")
        if self.is_padded:
            parts.append(f"padding {' '.join(f'{a}+{b}' for a, b in self.paddings)}")
        if self.texts:
            parts.append(f"texts at {' '.join(map(str, self.texts))}")
        return ", ".join([*parts, f"mask {self.mask_form}"])


@dataclass(frozen=True, eq=False)
class Promise:
    """A setting with tensors.

    Attributes:
        setting: What is promised.
        layers: What each layer computes if the promise is kept.
    """

    setting: Setting
    layers: tuple[Computation, ...]

    @cached_property
    def compared(self) -> tuple[Truths, ...]:
        """Which rows are compared, by layer, shape (b, n_q)."""
        return tuple(
            np.stack([
                compared(seen, padding)
                for seen, padding in zip(layer.seen[:, 0], self.setting.paddings, strict=True)
            ])
            for layer in self.layers
        )  # fmt: skip


_LENGTHS = (32, 64, 64, 64, 80, 96, 128, 128, 192)
_HEADS: tuple[tuple[int, int], ...] = ((1, 1), (2, 2), (4, 4), (4, 2), (4, 1), (8, 2), (6, 3))
_LARGE = 256
"""Keys from which on there are one or two heads and one sequence, for speed."""
_MODELS: Mapping[str, float] = {
    "llama": 0.24, "mistral": 0.2, "gemma2": 0.18, "gpt_oss": 0.16, "granite": 0.1, "bert": 0.12,
}  # fmt: skip
_SIZES: Mapping[tuple[int, int], float] = {
    (4, 16): 0.3, (16, 48): 0.36, (48, 96): 0.22, (96, 256): 0.085, (2, 4): 0.01,
    (256, 701): 0.025,
}  # fmt: skip
"""How often there are so many keys; more of the short ones, which take less time."""


def _one_of(rng: Generator, shares: Mapping[Any, float]) -> Any:
    number = rng.choice(len(shares), p=np.array([*shares.values()]))
    return [*shares][number]


def draw_setting(rng: Generator) -> Setting:
    """Return a setting drawn at random."""
    model = _one_of(rng, _MODELS)
    least, most = _one_of(rng, _SIZES)
    keys = int(rng.integers(least, most))
    heads, kv_heads = _HEADS[rng.integers(len(_HEADS))]
    if keys >= _LARGE:
        heads, kv_heads = (2, 1) if rng.random() < 0.5 else (1, 1)
    if model == "bert":
        kv_heads = heads
    d_k = int(rng.choice(_LENGTHS))
    queries = _queries(rng, keys)
    layers = 2 if rng.random() < 0.15 and keys < _LARGE else 1
    window = None
    if model in ("mistral", "gemma2", "gpt_oss"):
        window = int(rng.integers(2, max(3, keys * 6 // 5)))
    batch = 2 if rng.random() < 0.12 and keys < _LARGE else 1
    paddings, texts = _padding(rng, batch, queries, keys, window)
    is_plain = not (texts or any(any(padding) for padding in paddings))
    config: dict[str, Any] = {
        "model_type": model, "hidden_size": heads * d_k, "num_attention_heads": heads,
        "num_hidden_layers": layers,
    }  # fmt: skip
    if model != "bert":
        config |= {"num_key_value_heads": kv_heads, "head_dim": d_k}
    multiplier, cap, rules, more = _promised(rng, model, d_k, window, layers)
    config |= more
    return Setting(
        model, config, multiplier, cap, rules, model == "gpt_oss", heads, kv_heads, d_k,
        queries, keys, paddings, texts, _mask_form(rng, is_plain, bool(texts)),
        FORMATS[rng.choice(len(FORMATS), p=(0.3, 0.22, 0.28, 0.1, 0.1))],
    )  # fmt: skip


def _queries(rng: Generator, keys: int) -> int:
    """Return how many queries there are: as many as keys, one, or a chunk."""
    kind = rng.random()
    if kind < 0.62:
        return keys
    if kind < 0.76 or keys == 2:
        return 1
    return int(rng.integers(2, keys))


def _padding(
    rng: Generator, batch: int, queries: int, keys: int, window: int | None
) -> tuple[tuple[Padding, ...], tuple[int, ...]]:
    """Return keys of padding by sequence, and where further texts begin."""
    none = ((0, 0),) * batch
    kind = rng.random()
    # A run that is hidden from a single query may be a window's; more queries tell.
    if kind >= 0.3 or keys < 6 or (queries == 1 and window is not None):
        return none, ()
    if kind < 0.06:
        if queries < keys:
            return none, ()
        count = int(rng.integers(1, 4))
        starts = rng.choice(np.arange(1, keys), count, replace=False)
        return none, tuple(sorted(int(start) for start in starts))
    most = keys - 2 if queries == keys else keys - queries
    lengths = [int(rng.integers(0, most + 1)) for _ in range(batch)]
    if not any(lengths):
        lengths[0] = 1
    if kind < 0.18:
        return tuple((length, 0) for length in lengths), ()
    return tuple((0, length) for length in lengths), ()


def _mask_form(rng: Generator, is_plain: bool, is_packed: bool) -> MaskForm:
    if is_plain:
        return "full" if rng.random() < 0.4 else "none"
    if is_packed:
        return "full"
    return "one row" if rng.random() < 0.3 else "full"


def _promised(
    rng: Generator, model: str, d_k: int, window: int | None, layers: int
) -> tuple[float, float | None, tuple[Rule, ...], Mapping[str, Any]]:
    """Return m, the cap, the rule of each layer, and the fields of config.json that say so."""
    full, local = Rule(is_causal=True), Rule(is_causal=True, window=window)
    alternating = tuple((local, full)[layer % 2] for layer in range(layers))
    kinds = ["sliding_attention", "full_attention"]
    types = {"sliding_window": window, "layer_types": [kinds[layer % 2] for layer in range(layers)]}
    root = d_k**-0.5
    if model == "bert":
        return root, None, (Rule(is_causal=False),) * layers, {}
    if model == "mistral":
        return root, None, (local,) * layers, {"sliding_window": window}
    if model == "gpt_oss":
        return root, None, alternating, types
    if model == "granite":
        m = float(rng.choice([1 / d_k, 0.0078125, 0.015625, root, 0.1]))
        return m, None, (full,) * layers, {"attention_multiplier": m}
    if model == "gemma2":
        scalar = int(rng.choice([d_k, 144, 224, 256]))
        more = {"query_pre_attn_scalar": scalar, "attn_logit_softcapping": 50.0, **types}
        return scalar**-0.5, 50.0, alternating, more
    return root, None, (full,) * layers, {}


def draw_promise(rng: Generator, setting: Setting) -> Promise:
    """Return a promise with tensors drawn at random."""
    return Promise(setting, tuple(_layer(rng, setting, rule) for rule in setting.rules))


_LEAST_SPREAD, _MOST_SPREAD = 0.3, 12.0
"""Standard deviations of the logits of a head."""


def _layer(rng: Generator, setting: Setting, rule: Rule) -> Computation:
    heads, kv_heads, d_k = setting.heads, setting.kv_heads, setting.d_k

    def normal(*shape: int) -> Reals:
        return rng.standard_normal((setting.batch, *shape), np.float32)

    least, most = np.log((_LEAST_SPREAD, _MOST_SPREAD))
    spreads = np.exp(rng.uniform(least, most, (heads, 1, 1)))
    sizes = (spreads / (setting.multiplier * d_k**0.5)).astype(np.float32)
    queries = normal(heads, setting.queries, d_k) * sizes
    keys, values = normal(kv_heads, setting.keys, d_k), normal(kv_heads, setting.keys, d_k)
    if rng.random() < 0.15:
        queries, keys = _first_key_above(rng, setting, queries, keys)
    if rng.random() < 0.15 and not setting.has_sinks:
        queries, keys = _with_common_part(rng, setting, queries, keys)
    if rng.random() < 0.15:
        values = values * 10 ** rng.uniform(-2, 2, d_k).astype(np.float32)
    sinks = None
    if setting.has_sinks:
        sinks = rng.normal(1, 2, (heads, 1, 1)).astype(np.float32)
    rounded = setting.format.rounded
    return Computation(
        rounded(queries), rounded(keys), rounded(values),
        np.arange(heads) // (heads // kv_heads), setting.multiplier, setting.seen(rule),
        setting.softcap, None if sinks is None else rounded(sinks),
    )  # fmt: skip


def _first_key_above(
    rng: Generator, setting: Setting, queries: Reals, keys: Reals
) -> tuple[Reals, Reals]:
    """Return queries and keys in which the first key has larger logits, as in trained heads."""
    above = float(rng.uniform(2, 20))
    size = (above / setting.multiplier) ** 0.5
    queries, keys = queries.copy(), keys.copy()
    queries[..., 0], keys[..., 0], keys[..., 0, 0] = size, 0, size
    return queries, keys


_LEAST_COMMON, _MOST_COMMON = 3.0, 120.0
"""How far from 0 the logits of all keys lie together."""


def _with_common_part(
    rng: Generator, setting: Setting, queries: Reals, keys: Reals
) -> tuple[Reals, Reals]:
    """Return queries and keys of which all have a part in common, as in trained heads.

    All logits lie together far from 0, where formats have fewer numbers and caps bend; beside a
    sink it would take all, or nothing.
    """
    far = float(np.exp(rng.uniform(np.log(_LEAST_COMMON), np.log(_MOST_COMMON))))
    size = (far / setting.multiplier) ** 0.5
    queries, keys = queries.copy(), keys.copy()
    queries[..., -1], keys[..., -1] = size, size * float(rng.choice([-1.0, 1.0]))
    return queries, keys


def changed(
    promise: Promise, rng: Generator, change: Callable[[Computation], Computation]
) -> tuple[Computation, ...]:
    """Return the layers with all of them, or one, changed."""
    layers = [change(layer) for layer in promise.layers]
    if len(layers) > 1 and rng.random() < 0.5:
        untouched = int(rng.integers(len(layers)))
        layers[untouched] = promise.layers[untouched]
    return tuple(layers)


def with_masks(promise: Promise, masks: Sequence[Truths]) -> tuple[Computation, ...]:
    """Return the layers with other masks, each of shape (b, 1, n_q, n)."""
    pairs = zip(promise.layers, masks, strict=True)
    return tuple(replace(layer, seen=seen) for layer, seen in pairs)
