"""What can be wrong with a head, or with its call: small functions in one table."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import ml_dtypes
import numpy as np
from numpy.random import Generator

from benchmarks.verdicts.proof.arithmetic import Computation, Reals, Truths
from benchmarks.verdicts.proof.masks import Padding, Rule
from benchmarks.verdicts.proof.promise import Promise, Setting, changed, with_masks


def _unchanged(out: Reals) -> Reals:
    return out


FEW_ROWS = 4
"""The most rows of heads whose output is a little too large: rounding leaves them the most room."""


@dataclass(frozen=True, eq=False)
class Tampering:
    """What an output is computed from, and what is captured of the call.

    Attributes:
        layers: What each layer computes.
        masks: The captured mask of each layer, shape (b, 1, n_q, n); None if none is captured.
        selected: Which rows of the output these layers compute, shape (b, h, n_q, 1); the others
            keep to the promise. None for all.
        ending: What becomes of the output of a layer.
        call: Arguments of the call of every layer, as the metadata name them.
        biases: The captured bias of each layer, shape (h, n_q, n), or empty.
        fill: What an additive mask adds to hidden keys; None to draw it.
    """

    layers: tuple[Computation, ...]
    masks: tuple[Truths | None, ...]
    selected: Truths | None = None
    ending: Callable[[Reals], Reals] = _unchanged
    call: Mapping[str, str] = field(default_factory=dict)
    biases: tuple[Reals, ...] = ()
    fill: float | None = None


Tamper = Callable[[Promise, Generator], Tampering | None]
"""Tampers with what a promise computes or captures; None where that is impossible."""
Touches = Literal["nothing", "output", "call"]


@dataclass(frozen=True)
class Fault:
    """A kind of fault.

    Attributes:
        name: Its name in tables.
        tamper: What it does.
        touches: Whether it is in the output (and perhaps in the call), or in the call alone.
        share: How often it is drawn, relative to others.
        suits: Whether it is possible in a setting, as far as that tells.
    """

    name: str
    tamper: Tamper
    touches: Touches = "output"
    share: float = 1.0
    suits: Callable[[Setting], bool] = lambda setting: True


def honest(promise: Promise, rng: Generator | None = None) -> Tampering:
    """Return a promise that is kept, with its mask as the setting captures it."""
    is_captured = promise.setting.mask_form != "none"
    masks = tuple(layer.seen if is_captured else None for layer in promise.layers)
    return Tampering(promise.layers, masks)


def _all_heads(change: Callable[[Computation, Generator], Computation]) -> Tamper:
    """Return the fault of layers that are changed as a whole."""

    def tamper(promise: Promise, rng: Generator) -> Tampering:
        layers = changed(promise, rng, lambda layer: change(layer, rng))
        return replace(honest(promise), layers=layers)

    return tamper


def _scaled(factor: Callable[[Generator], float]) -> Tamper:
    def change(layer: Computation, rng: Generator) -> Computation:
        return replace(layer, multiplier=layer.multiplier * factor(rng))

    return _all_heads(change)


def _scaled_call(factor: Callable[[Generator], float]) -> Tamper:
    """Return the fault of an m that the call states."""

    def tamper(promise: Promise, rng: Generator) -> Tampering:
        m = promise.setting.multiplier * factor(rng)
        layers = tuple(replace(layer, multiplier=m) for layer in promise.layers)
        return replace(honest(promise), layers=layers, call={"scale": str(m)})

    return tamper


def _other_scale(promise: Promise, rng: Generator) -> Tampering:
    m = promise.setting.multiplier * float(rng.choice([0.5, 2.0, 1.1]))
    return replace(honest(promise), call={"scale": str(m)})


def _five_percent(rng: Generator) -> float:
    return float(rng.choice([0.95, 1.05]))


_FACTORS: Mapping[str, Callable[[Generator], float]] = {
    "m zero": lambda rng: 0.0,
    "m negative": lambda rng: -1.0,
    "m doubled": lambda rng: 2.0,
    "m halved": lambda rng: 0.5,
    "m 5 % off": _five_percent,
    "m ten thousand times": lambda rng: 10_000.0,
}  # fmt: skip


def _cap(chosen: Callable[[Generator], float | None]) -> Tamper:
    return _all_heads(lambda layer, rng: replace(layer, softcap=chosen(rng)))


def _cap_dropped_in_call(promise: Promise, rng: Generator) -> Tampering:
    layers = tuple(replace(layer, softcap=None) for layer in promise.layers)
    return replace(honest(promise), layers=layers, call={"softcap": "0"})


def _sinks(change: Callable[[Reals], Reals | None]) -> Tamper:
    def altered(layer: Computation, rng: Generator) -> Computation:
        assert layer.sinks is not None
        return replace(layer, sinks=change(layer.sinks))

    return _all_heads(altered)


def _sink_added(layer: Computation, rng: Generator) -> Computation:
    heads = layer.queries.shape[1]
    return replace(layer, sinks=np.zeros((heads, 1, 1), np.float32))


def _value_scale(by: float) -> Tamper:
    return _all_heads(lambda layer, rng: replace(layer, value_scale=by))


def _alibi(promise: Promise, rng: Generator) -> Reals:
    heads, (queries, keys) = promise.setting.heads, promise.setting.shape
    slopes = 2.0 ** (-8 * np.arange(1, heads + 1) / heads)
    place = np.arange(keys - queries, keys)
    distance = np.abs(place[:, None] - np.arange(keys))
    return np.asarray(-slopes[:, None, None] * distance, np.float32)


def _noise(promise: Promise, rng: Generator) -> Reals:
    shape = (promise.setting.heads, *promise.setting.shape)
    return rng.standard_normal(shape, np.float32) * np.float32(rng.uniform(0.1, 2))


def _bias(draw: Callable[[Promise, Generator], Reals], mode: str) -> Tamper:
    def tamper(promise: Promise, rng: Generator) -> Tampering:
        bias = promise.setting.format.rounded(draw(promise, rng))
        layers = tuple(replace(layer, bias=bias) for layer in promise.layers)
        biases = (bias,) * len(layers)
        if mode == "call alone":
            return replace(honest(promise), biases=biases)
        if mode == "captured":
            return replace(honest(promise), layers=layers, biases=biases)
        return replace(honest(promise), layers=layers)

    return tamper


def _over_queries(layer: Computation, rng: Generator) -> Computation:
    return replace(layer, over_queries=True, sinks=None)


def _next_head(layer: Computation, rng: Generator) -> Computation:
    queries = np.roll(layer.queries, 1, axis=1)
    sinks = None if layer.sinks is None else np.roll(layer.sinks, 1, axis=0)
    return replace(layer, queries=queries, kv_heads=np.roll(layer.kv_heads, 1), sinks=sinks)


def _other_kv_heads(layer: Computation, rng: Generator) -> Computation:
    heads, kv_heads = layer.queries.shape[1], layer.keys.shape[1]
    mapping = np.arange(heads) % kv_heads
    if kv_heads == heads:
        mapping = np.roll(mapping, 1)
    return replace(layer, kv_heads=mapping)


def _first_kv_head(layer: Computation, rng: Generator) -> Computation:
    return replace(layer, kv_heads=np.zeros_like(layer.kv_heads))


def _int8(values: Reals) -> Reals:
    scale = np.abs(values).max() / 127
    return np.asarray(np.rint(values / scale) * scale, np.float32)


def _e4m3(values: Reals) -> Reals:
    scale = np.abs(values).max() / 448
    return np.asarray((values / scale).astype(ml_dtypes.float8_e4m3fn).astype(np.float32) * scale)


def _in_8_bits(rounded: Callable[[Reals], Reals]) -> Tamper:
    def change(layer: Computation, rng: Generator) -> Computation:
        which = rng.integers(3)
        keys = layer.keys if which == 1 else rounded(layer.keys)
        values = layer.values if which == 0 else rounded(layer.values)
        return replace(layer, keys=keys, values=values)

    return _all_heads(change)


def _rows_of(value: float) -> Tamper:
    """Return the fault of rows that hold one value: one of them, the last ones or all but one."""

    def tamper(promise: Promise, rng: Generator) -> Tampering | None:
        rows = np.flatnonzero(promise.compared[0].any(axis=0))
        if not len(rows):
            return None
        kind = rng.integers(4)
        chosen = rows[rng.integers(len(rows)) :]
        if kind == 0:
            chosen = chosen[:1]
        elif kind == 1:
            chosen = rows[1:] if len(rows) > 1 else rows
        heads = slice(None) if kind != 2 else int(rng.integers(promise.setting.heads))

        def ending(out: Reals) -> Reals:
            out = out.copy()
            part = out[:, heads]
            part[..., chosen, :] = value
            return out

        return replace(honest(promise), ending=ending)

    return tamper


def _previous_row(promise: Promise, rng: Generator) -> Tampering:
    def ending(out: Reals) -> Reals:
        return np.concatenate([out[:, :, :1], out[:, :, :-1]], axis=2)

    return replace(honest(promise), ending=ending)


def _swapped_channels(promise: Promise, rng: Generator) -> Tampering:
    def ending(out: Reals) -> Reals:
        out = out.copy()
        out[..., [0, 1]] = out[..., [1, 0]]
        return out

    return replace(honest(promise), ending=ending)


def _some_fault(promise: Promise, rng: Generator) -> tuple[Computation, ...]:
    """Return layers with one of the plainest faults."""

    def change(layer: Computation) -> Computation:
        kinds = [
            replace(layer, multiplier=layer.multiplier * 2),
            replace(layer, multiplier=0.0),
            replace(layer, seen=np.ones_like(layer.seen)),
            replace(layer, value_scale=float(rng.choice([0.5, 1.05]))),
            replace(layer, keys=np.roll(layer.keys, 1, axis=2)),
        ]
        return kinds[rng.integers(len(kinds))]

    return tuple(change(layer) for layer in promise.layers)


def _one_row(promise: Promise, rng: Generator) -> Tampering | None:
    rows = np.flatnonzero(promise.compared[0].any(axis=0))
    if len(rows) < 2:
        return None
    selected = np.zeros((1, promise.setting.heads, promise.setting.queries, 1), bool)
    head = int(rng.integers(promise.setting.heads)) if rng.random() < 0.5 else slice(None)
    selected[:, head, rng.choice(rows)] = True
    return replace(honest(promise), layers=_some_fault(promise, rng), selected=selected)


def _one_head(promise: Promise, rng: Generator) -> Tampering:
    selected = np.zeros((1, promise.setting.heads, 1, 1), bool)
    selected[:, rng.integers(promise.setting.heads)] = True
    return replace(honest(promise), layers=_some_fault(promise, rng), selected=selected)


def _larger(promise: Promise, rng: Generator) -> Tampering:
    """Return the fault of an output that is 1 or 3 % too large, in all heads or in one."""
    by = float(rng.choice([1.01, 1.03]))
    layers = tuple(replace(layer, value_scale=by * layer.value_scale) for layer in promise.layers)
    selected = np.zeros((1, promise.setting.heads, 1, 1), bool)
    head = int(rng.integers(promise.setting.heads)) if rng.random() < 0.5 else slice(None)
    selected[:, head] = True
    return replace(honest(promise), layers=layers, selected=selected)


# Masks.

WrongMask = Callable[[Promise, Generator], Sequence[Truths]]
"""Returns the wrong mask of each layer, shape (b, 1, n_q, n)."""


def _by_rule(change: Callable[[Rule], Rule | None]) -> WrongMask:
    def wrong(promise: Promise, rng: Generator) -> Sequence[Truths]:
        setting = promise.setting
        rules = [change(rule) or rule for rule in setting.rules]
        return [setting.seen(rule) for rule in rules]

    return wrong


def _windowed(by: int) -> Callable[[Rule], Rule | None]:
    def change(rule: Rule) -> Rule | None:
        if rule.window is None:
            return None
        return replace(rule, window=rule.window + by)

    return change


def _dropped(promise: Promise, rng: Generator) -> Sequence[Truths]:
    return [np.ones_like(layer.seen) for layer in promise.layers]


def _inverted(promise: Promise, rng: Generator) -> Sequence[Truths]:
    return [~layer.seen for layer in promise.layers]


def _key_lost(promise: Promise, rng: Generator) -> Sequence[Truths]:
    key = int(rng.integers(promise.setting.keys))
    masks = [layer.seen.copy() for layer in promise.layers]
    for seen in masks:
        seen[..., key] = False
    return masks


def _key_lost_in_row(promise: Promise, rng: Generator) -> Sequence[Truths]:
    masks = [layer.seen.copy() for layer in promise.layers]
    for seen in masks:
        row = int(rng.integers(seen.shape[-2]))
        keys = np.flatnonzero(seen[0, 0, row])
        if len(keys):
            seen[:, :, row, rng.choice(keys)] = False
    return masks


def _padding_off(by: int) -> WrongMask:
    """Return the mask that hides some keys more at the end where padding is."""

    def longer(count: int) -> int:
        return max(count + by, 0) if count else 0

    def wrong(promise: Promise, rng: Generator) -> Sequence[Truths]:
        hidden = [(longer(left), longer(right)) for left, right in promise.setting.paddings]
        return [_hiding(promise.setting, rule, hidden) for rule in promise.setting.rules]

    return wrong


def _padding_seen(promise: Promise, rng: Generator) -> Sequence[Truths]:
    hidden = [(0, 0)] * promise.setting.batch
    return [_hiding(promise.setting, rule, hidden) for rule in promise.setting.rules]


def _hiding(setting: Setting, rule: Rule, hidden: Sequence[Padding]) -> Truths:
    """Return a mask that hides other keys than those of padding, shape (b, 1, n_q, n)."""
    masks = [
        rule.seen(setting.shape, padding, setting.texts, other)
        for padding, other in zip(setting.paddings, hidden, strict=True)
    ]
    return np.stack(masks)[:, None]


def _texts(by: int | None) -> WrongMask:
    """Return the mask of texts that begin some keys later, or of one text."""

    def wrong(promise: Promise, rng: Generator) -> Sequence[Truths]:
        setting = promise.setting
        starts = () if by is None else tuple(start + by for start in setting.texts)
        other = replace(setting, texts=starts)
        return [other.seen(rule) for rule in setting.rules]

    return wrong


def _half_window(promise: Promise, rng: Generator) -> Sequence[Truths]:
    setting = promise.setting
    window = max(setting.keys // 2, 1)
    rules = [rule if rule.window else replace(rule, window=window) for rule in setting.rules]
    return [setting.seen(rule) for rule in rules]


def _always(setting: Setting) -> bool:
    return True


def _is_causal(setting: Setting) -> bool:
    return setting.rules[0].is_causal


def _has_window(setting: Setting) -> bool:
    return any(window is not None and window > 1 for window in setting.windows)


def _is_wide(setting: Setting) -> bool:
    return setting.format.arithmetic != "float16"


def _is_padded(setting: Setting) -> bool:
    return setting.is_padded


def _is_packed(setting: Setting) -> bool:
    return bool(setting.texts)


def _is_chunk(setting: Setting) -> bool:
    return setting.queries < setting.keys and _is_causal(setting)


_MODES: Mapping[str, Touches] = {
    "not captured": "output", "captured": "output", "not applied": "output", "call alone": "call",
}  # fmt: skip
"""Where a wrong mask is: in the output and in the call, or in one of them. ``not applied`` is
captured as it is promised, and of ``not captured`` nothing is captured."""
_STATED = ("captured", "not applied", "call alone")
"""Where masks of padding and packed texts can be wrong, which are always captured."""


@dataclass(frozen=True)
class MaskFault:
    """A kind of wrong mask.

    Attributes:
        name: Its name.
        wrong: Returns it.
        suits: Whether it is possible in a setting.
        fill: What an additive mask adds to hidden keys, or None.
        modes: Where it can be.
    """

    name: str
    wrong: WrongMask
    suits: Callable[[Setting], bool] = _always
    fill: float | None = None
    modes: tuple[str, ...] = tuple(_MODES)


_MASKS: tuple[MaskFault, ...] = (
    MaskFault("dropped", _dropped),
    MaskFault("a key early", _by_rule(lambda rule: replace(rule, shift=-1)), _is_causal),
    MaskFault("a key late", _by_rule(lambda rule: replace(rule, shift=1)), _is_causal),
    MaskFault("inverted", _inverted),
    MaskFault("window +1", _by_rule(_windowed(1)), _has_window),
    MaskFault("window −1", _by_rule(_windowed(-1)), _has_window),
    MaskFault("window dropped", _by_rule(lambda rule: replace(rule, window=None)), _has_window),
    MaskFault("window added", _half_window, lambda setting: not _has_window(setting)),
    MaskFault("one key lost", _key_lost),
    MaskFault("one key lost in one row", _key_lost_in_row),
    MaskFault("top left", _by_rule(lambda rule: replace(rule, is_top_left=True)), _is_chunk),
    MaskFault(
        "causal added", _by_rule(lambda rule: replace(rule, is_causal=True)),
        lambda setting: not _is_causal(setting),
    ),
    MaskFault("padding seen", _padding_seen, _is_padded, modes=_STATED),
    MaskFault("padding +1", _padding_off(1), _is_padded, modes=_STATED),
    MaskFault("padding −1", _padding_off(-1), _is_padded, modes=_STATED),
    MaskFault("texts not kept apart", _texts(None), _is_packed, modes=_STATED),
    MaskFault("texts a key late", _texts(1), _is_packed, modes=_STATED),
    # float16 rounds it to 0.
    MaskFault("filled with −1e−9", _dropped, _is_wide, -1e-9, ("captured", "call alone")),
)  # fmt: skip


def _masked(kind: MaskFault, mode: str) -> Tamper:
    def tamper(promise: Promise, rng: Generator) -> Tampering | None:
        masks = tuple(kind.wrong(promise, rng))
        right = tuple(layer.seen for layer in promise.layers)
        if not _shows(promise, masks):
            return None
        # What adds next to nothing marks the keys that should be hidden.
        stated = masks if kind.fill is None else right
        captured: Mapping[str, tuple[Truths | None, ...]] = {
            "not captured": (None,) * len(right), "captured": stated, "not applied": right,
            "call alone": stated,
        }  # fmt: skip
        layers = promise.layers if mode == "call alone" else with_masks(promise, masks)
        return Tampering(layers, captured[mode], fill=kind.fill)

    return tamper


def _shows(promise: Promise, masks: Sequence[Truths]) -> bool:
    """Return whether masks are wrong in a row that is compared."""
    return any(
        ((wrong != layer.seen)[:, 0].any(axis=-1) & rows).any()
        for wrong, layer, rows in zip(masks, promise.layers, promise.compared, strict=True)
    )


def _mask_faults() -> Iterator[Fault]:
    for kind in _MASKS:
        for mode in kind.modes:

            def suits(setting: Setting, kind: MaskFault = kind, mode: str = mode) -> bool:
                return kind.suits(setting) and (setting.is_plain or mode != "not captured")

            yield Fault(f"mask {kind.name}, {mode}", _masked(kind, mode), _MODES[mode], 0.4, suits)


def _is_capped(setting: Setting) -> bool:
    return setting.softcap is not None


def _is_uncapped(setting: Setting) -> bool:
    return setting.softcap is None


def _has_sinks(setting: Setting) -> bool:
    return setting.has_sinks


def _has_no_sinks(setting: Setting) -> bool:
    return not setting.has_sinks


def _has_neighbours(setting: Setting) -> bool:
    return setting.heads > 1


def _has_groups(setting: Setting) -> bool:
    return setting.kv_heads > 1


def _has_rows(setting: Setting) -> bool:
    return setting.queries > 1


def _has_few_rows(setting: Setting) -> bool:
    return 1 < setting.queries <= FEW_ROWS


def _has_sinks_apart(setting: Setting) -> bool:
    return setting.has_sinks and setting.heads > 1


def _faults() -> Iterator[Fault]:
    yield Fault("honest", honest, "nothing", 30.0)
    for name, factor in _FACTORS.items():
        yield Fault(name, _scaled(factor))
        yield Fault(f"{name}, captured", _scaled_call(factor), share=0.5)
    yield Fault("m of another call, call alone", _other_scale, "call")
    yield from _mask_faults()
    yield Fault("cap dropped", _cap(lambda rng: None), suits=_is_capped)
    yield Fault("cap dropped, captured", _cap_dropped_in_call, share=0.5, suits=_is_capped)
    moved = _cap(lambda rng: float(rng.choice([20.0, 30.0, 45.0, 55.0, 100.0])))
    yield Fault("cap moved", moved, suits=_is_capped)
    yield Fault("cap added", _cap(lambda rng: float(rng.choice([20.0, 50.0]))), suits=_is_uncapped)
    yield Fault("sink dropped", _sinks(lambda sinks: None), suits=_has_sinks)
    twice = _sinks(lambda sinks: sinks + np.float32(np.log(2)))
    yield Fault("sink counted twice", twice, suits=_has_sinks)
    following = _sinks(lambda sinks: np.roll(sinks, 1, axis=0))
    yield Fault("sink of the next head", following, suits=_has_sinks_apart)
    yield Fault("sink added", _all_heads(_sink_added), suits=_has_no_sinks)
    for by in (0.7071, 1.05, 2.0):
        yield Fault(f"value scale {by:g}", _value_scale(by))
    for mode in ("not captured", "captured", "call alone"):
        touches: Touches = "call" if mode == "call alone" else "output"
        yield Fault(f"ALiBi added, {mode}", _bias(_alibi, mode), touches, 0.6)
        yield Fault(f"bias added, {mode}", _bias(_noise, mode), touches, 0.6)
    yield Fault("softmax over queries", _all_heads(_over_queries))
    yield Fault("output of the next head", _all_heads(_next_head), suits=_has_neighbours)
    yield Fault("other KV heads", _all_heads(_other_kv_heads), suits=_has_groups)
    yield Fault("all KV heads the first", _all_heads(_first_kv_head), suits=_has_groups)
    yield Fault("keys or values in int8", _in_8_bits(_int8))
    yield Fault("keys or values in e4m3", _in_8_bits(_e4m3))
    yield Fault("rows of NaN", _rows_of(np.nan))
    yield Fault("rows of infinity", _rows_of(np.inf))
    yield Fault("rows of zero", _rows_of(0.0))
    yield Fault("output of the previous row", _previous_row, suits=_has_rows)
    yield Fault("two channels swapped", _swapped_channels)
    yield Fault("one wrong row", _one_row, share=2.0, suits=_has_rows)
    yield Fault("one wrong head", _one_head, share=2.0, suits=_has_neighbours)
    yield Fault("a few rows 1 % too large", _larger, suits=_has_few_rows)


FAULTS: tuple[Fault, ...] = tuple(_faults())
"""Every kind of fault; the first is none."""
