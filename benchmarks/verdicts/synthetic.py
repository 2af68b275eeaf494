"""Heads drawn at random: plain ones, and each kind that trained models have."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.verdicts.arithmetic import Array, Attention, rotated
from benchmarks.verdicts.case import ASSUMES, Right
from benchmarks.verdicts.heads import EVERYWHERE, Heads, Layer

N, D, HEADS, KV_HEADS = 96, 64, 4, 2
ROOT = D**-0.5
LLAMA: dict[str, Any] = {
    "model_type": "llama", "hidden_size": HEADS * D, "num_attention_heads": HEADS,
    "num_key_value_heads": KV_HEADS, "head_dim": D,
}  # fmt: skip
BERT: dict[str, Any] = {
    "model_type": "bert", "hidden_size": HEADS * D, "num_attention_heads": HEADS,
}  # fmt: skip
STDS = (0.7, 1.0, 2.0, 4.0)
"""Standard deviations of the logits of heads."""
SILENT = Right("silent")
"""Nothing of such heads shows what they were computed with."""


class Draw:
    """Draws tensors of layers.

    Args:
        seed: Of the draw.
        kv_heads: How many heads keys and values have.
        n: How many keys.
        batch: How many sequences.
        heads: How many heads queries have.
    """

    def __init__(
        self, seed: int, kv_heads: int = KV_HEADS, n: int = N, batch: int = 1, heads: int = HEADS
    ) -> None:
        self.rng = np.random.default_rng(seed)
        self.kv_heads, self.n, self.batch, self.heads = kv_heads, n, batch, heads

    def normal(self, *shape: int) -> Array:
        """Return normal numbers of a shape."""
        return self.rng.standard_normal(shape, np.float32)

    def layer(self, how: Attention, d: int = D, d_v: int = D, std: float | None = None) -> Layer:
        """Return a layer whose logits have these standard deviations if m is 1/√d."""
        stds = np.resize(STDS, self.heads) if std is None else np.full(self.heads, std)
        q = self.normal(self.batch, self.heads, self.n, d)
        q *= stds[:, None, None].astype(np.float32) * np.float32(d**-0.5 / abs(how.multiplier))
        k = self.normal(self.batch, self.kv_heads, self.n, d)
        return Layer(q, k, self.normal(self.batch, self.kv_heads, self.n, d_v), how)


def every() -> Iterator[Heads]:
    """Yield heads of each kind."""
    plain = Attention(ROOT)
    draw = Draw(1)
    yield Heads(
        "plain", [draw.layer(plain), draw.layer(plain)], {**LLAMA, "num_hidden_layers": 2},
        faults=(*EVERYWHERE, "mask dropped"),
    )  # fmt: skip
    draw, both = Draw(2, HEADS), Attention(ROOT, causal=False)
    yield Heads(
        "bidirectional", [draw.layer(both), draw.layer(both)], {**BERT, "num_hidden_layers": 2},
        faults=EVERYWHERE,
    )  # fmt: skip
    yield from (attention_sinks(0.1), attention_sinks(1.0))
    yield from (low_rank(), saturated(), tiny())
    yield from padded()
    yield from packed()
    yield from (chunked(), decode(), gemma2(), gpt_oss(), mistral(), alibi(), t5(), mla(), roped())


def attention_sinks(size: float) -> Heads:
    """Return causal heads whose key 0 is up to 60 above the others, its value of some size."""
    draw = Draw(3, 8, heads=8)
    layers = []
    for _ in range(2):
        layer = draw.layer(Attention(ROOT), std=1.0)
        above = np.array((0, 5, 10, 15, 20, 30, 45, 60), np.float32)
        along = np.zeros(D, np.float32)
        along[0] = 1
        layer.q[..., 0], layer.k[..., 0] = 4.0, 0.0
        layer.k[:, :, 0] = along * (above / (4 * ROOT))[:, None]
        layer.v[:, :, 0] *= size
        layers.append(layer)
    config = {**LLAMA, "num_attention_heads": 8, "num_key_value_heads": 8, "hidden_size": 8 * D}
    faults = (*EVERYWHERE, "mask dropped") if size == 1 else ()
    kind = "attention sinks" if size == 1 else "attention sinks, small value"
    return Heads(kind, layers, {**config, "num_hidden_layers": 2}, faults=faults)


def low_rank() -> Heads:
    """Return heads whose queries, keys and values have few directions."""
    draw = Draw(4, HEADS)
    layer = draw.layer(Attention(ROOT))
    for head, rank in enumerate((1, 2, 4, 8)):
        basis = draw.normal(rank, D) / rank**0.5
        layer.k[:, head] = draw.normal(N, rank) @ basis
        layer.v[:, head] = draw.normal(N, rank) @ basis
    config = {**LLAMA, "num_hidden_layers": 1, "num_key_value_heads": HEADS}
    return Heads("low rank", [layer], config, faults=("scale ×2", "softmax twice", "fp8 KV"))


def saturated() -> Heads:
    """Return a layer of which one head is ordinary, and the others have all weight on one key."""
    draw = Draw(5, HEADS)
    layer = draw.layer(Attention(ROOT), std=1.0)
    layer.q[:, 1:] *= np.array([60, 200, 1000], np.float32)[:, None, None]
    config = {**LLAMA, "num_hidden_layers": 1, "num_key_value_heads": HEADS}
    return Heads("saturated", [layer], config, faults=("scale ×2", "value scale .707"))


def tiny() -> Heads:
    """Return heads whose logits are so small that weights are nearly alike."""
    layer = Draw(6).layer(Attention(ROOT), std=0.1)
    return Heads("tiny logits", [layer], {**LLAMA, "num_hidden_layers": 1}, faults=("scale ×2",))


def padded() -> Iterator[Heads]:
    """Yield batches padded right and left, with and without their mask."""
    lengths = np.array([N, 70, 41])
    for side in ("right", "left"):
        for causal in (True, False):
            draw = Draw(7, HEADS, batch=3)
            place = np.arange(N)
            within = place < lengths[:, None] if side == "right" else place >= N - lengths[:, None]
            visible = within[:, None, None]
            config = {**(LLAMA if causal else BERT), "num_hidden_layers": 2}
            config |= {"num_key_value_heads": HEADS} if causal else {}
            how = Attention(ROOT, causal=causal)
            kind = f"padded {side}{', causal' if causal else ''}"
            whole = visible & how.seen(N, N)
            for captured in (True, False):
                more: dict[str, NDArray[Any]] = {"mask": whole} if captured else {}
                layers = []
                for _ in range(2):
                    one = draw.layer(how, std=1.0)
                    layers.append(Layer(one.q, one.k, one.v, how, visible, more))
                faults = ("padding mask dropped", "scale ×2") if captured else ()
                name = kind if captured else f"{kind}, mask not captured"
                right = Right("agrees") if captured else ASSUMES
                yield Heads(name, layers, config, right, faults=faults)


def packed() -> Iterator[Heads]:
    """Yield texts packed into one sequence, with and without their mask."""
    text = np.repeat([0, 1, 2], [40, 30, 26])
    visible = (text[:, None] == text)[None, None]
    how = Attention(ROOT)
    for captured in (True, False):
        one = Draw(8).layer(how, std=1.0)
        more: dict[str, NDArray[Any]] = {"mask": visible & how.seen(N, N)} if captured else {}
        layers = [Layer(one.q, one.k, one.v, how, visible, more)]
        name = "packed" if captured else "packed, mask not captured"
        faults = ("padding mask dropped",) if captured else ()
        right = Right("agrees") if captured else ASSUMES
        yield Heads(name, layers, {**LLAMA, "num_hidden_layers": 1}, right, faults=faults)


def chunked() -> Heads:
    """Return layers of Llama 4: chunks of 32 keys, and every fourth layer sees all before it."""
    draw = Draw(9)
    kinds = ["chunked_attention"] * 3 + ["full_attention"]
    layers = [
        draw.layer(Attention(ROOT, chunk=32 if kind == "chunked_attention" else None), std=1.0)
        for kind in kinds
    ]
    config = {
        **LLAMA, "model_type": "llama4_text", "attention_chunk_size": 32, "num_hidden_layers": 4,
        "layer_types": kinds, "no_rope_layers": [1, 1, 1, 0], "attn_temperature_tuning": False,
    }  # fmt: skip
    return Heads("chunks of Llama 4", layers, config, faults=("chunk dropped", "scale ×2"))


def decode() -> Heads:
    """Return four new queries over a cache."""
    layer = Draw(10).layer(Attention(ROOT))
    layer = Layer(layer.q[:, :, -4:], layer.k, layer.v, layer.how)
    faults = ("scale ×2", "softmax twice", "KV order")
    return Heads("decode", [layer], {**LLAMA, "num_hidden_layers": 1}, faults=faults)


def gemma2() -> Heads:
    """Return layers with a cap of 50, every other of a window, and a scale of their own."""
    draw, m = Draw(11), 48**-0.5
    kinds = ["sliding_attention", "full_attention"]
    layers = [
        draw.layer(Attention(m, softcap=50.0, window=window), std=12.0) for window in (24, None)
    ]
    config = {
        **LLAMA, "model_type": "gemma2", "query_pre_attn_scalar": 48, "sliding_window": 24,
        "attn_logit_softcapping": 50.0, "num_hidden_layers": 2, "layer_types": kinds,
    }  # fmt: skip
    faults = ("cap dropped", "window +1", "window −1", "window dropped", "scale ×2", "scale 1/d")
    return Heads("Gemma 2", layers, config, faults=faults)


def gpt_oss() -> Heads:
    """Return layers with sinks, which are captured, every other of a window."""
    draw, sinks = Draw(12), np.array([0.5, 1.0, 2.0, 3.0], np.float32)
    layers = []
    for window in (24, None):
        one = draw.layer(Attention(ROOT, sinks=sinks, window=window), std=1.0)
        layers.append(Layer(one.q, one.k, one.v, one.how, captured={"sink": sinks}))
    config = {
        **LLAMA, "model_type": "gpt_oss", "sliding_window": 24, "num_hidden_layers": 2,
        "layer_types": ["sliding_attention", "full_attention"],
    }  # fmt: skip
    return Heads("gpt-oss", layers, config, faults=("sink dropped", "window +1", "scale ×2"))


def mistral() -> Heads:
    """Return layers that see a window of 32 keys."""
    draw = Draw(13)
    layers = [draw.layer(Attention(ROOT, window=32)) for _ in range(2)]
    config = {**LLAMA, "model_type": "mistral", "sliding_window": 32, "num_hidden_layers": 2}
    faults = ("window +1", "window −1", "window dropped", "scale ×2", "softmax twice")
    return Heads("Mistral", layers, config, faults=faults)


def alibi() -> Heads:
    """Return layers of BLOOM: a slope a head, times the distance, captured as a bias."""
    draw = Draw(14, HEADS)
    slopes = 2.0 ** (-8 * np.arange(1, HEADS + 1) / HEADS)
    place = np.arange(N)
    bias = (-slopes[:, None, None] * (place[:, None] - place)).astype(np.float32)
    how = Attention(ROOT, bias=bias)
    one = draw.layer(how, std=1.0)
    layer = Layer(one.q, one.k, one.v, how, captured={"bias": bias})
    config = {
        "model_type": "bloom", "hidden_size": HEADS * D, "n_head": HEADS, "n_layer": 1,
    }  # fmt: skip
    return Heads("ALiBi", [layer], config, faults=("bias dropped", "scale ×2"))


def t5() -> Heads:
    """Return a layer of T5's encoder: m = 1, and a bias by buckets of distance."""
    draw = Draw(15, HEADS)
    place = np.arange(N)
    away = place - place[:, None]
    bucket = np.sign(away) * np.minimum(np.rint(4 * np.log1p(np.abs(away))), 16)
    table = draw.normal(HEADS, 40) * 2
    bias = table[:, bucket.astype(int) + 20]
    how = Attention(1.0, causal=False, bias=bias)
    one = draw.layer(how, std=1.0)
    layer = Layer(one.q, one.k, one.v, how, captured={"bias": bias})
    config = {
        "model_type": "t5", "d_model": HEADS * D, "num_heads": HEADS, "d_kv": D, "num_layers": 1,
        "is_encoder_decoder": True,
    }  # fmt: skip
    return Heads("T5", [layer], config, faults=("bias dropped", "scale ×2"))


def mla() -> Heads:
    """Return heads of DeepSeek V3: 32 and 16 numbers of a query, 24 of a value."""
    how = Attention(48**-0.5)
    layer = Draw(16, HEADS).layer(how, 48, 24)
    config = {
        "model_type": "deepseek_v3", "hidden_size": HEADS * 32, "num_attention_heads": HEADS,
        "num_key_value_heads": HEADS, "qk_nope_head_dim": 32, "qk_rope_head_dim": 16,
        "v_head_dim": 24, "kv_lora_rank": 64, "num_hidden_layers": 1,
    }  # fmt: skip
    return Heads("MLA", [layer], config, faults=("scale ×2", "scale 1/d", "softmax twice"))


def roped() -> Heads:
    """Return heads whose queries and keys are rotated by their position."""
    one = Draw(17).layer(Attention(ROOT), std=2.0)
    layer = Layer(rotated(one.q), rotated(one.k), one.v, one.how)
    config = {**LLAMA, "num_hidden_layers": 1}
    return Heads("RoPE", [layer], config, faults=("k before RoPE used",), unroped=[one.k])
