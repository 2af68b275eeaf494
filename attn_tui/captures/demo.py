"""Small captures to try the doctor on: one of a sound model, others with faults met in practice."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.writer import write_safetensors
from attn_tui.compute.arrays import dtype_of, rounded
from attn_tui.compute.fit.simulate import Arithmetic, computed
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows

POSITIONS, HEADS, KV_HEADS = 96, 4, 2
FORMAT = "bfloat16"
WINDOW = 32
_FLOOR = 8
"""The number of positions in a row that share a temperature."""

Tensors = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Demo:
    """A capture and the configuration of its model.

    Attributes:
        name: The name of its folder.
        about: What is wrong with it, in a sentence.
        says: The beginning of the doctor's verdict.
        status: The exit status of the doctor.
        config: The fields of its config.json.
        how: Returns the arithmetic of a layer.
        d_k: The length of queries and keys.
        d_v: The length of values.
        std: The standard deviation of the logits of each head, if m is 1/√d_k.
        sink: The logit of the captured sink, or None.
        kv_head: Returns the KV head of a query head.
        projected: Whether the output was taken after the output projection.
    """

    name: str
    about: str
    says: str
    status: int
    config: Mapping[str, Any]
    how: Callable[[int], Arithmetic]
    d_k: int = 64
    d_v: int = 64
    std: tuple[float, ...] = (0.7, 1.0, 1.5, 2.0)
    sink: float | None = None
    kv_head: Callable[[int], int] = lambda head: head * KV_HEADS // HEADS
    projected: bool = False

    @property
    def layers(self) -> int:
        """How many layers the model has."""
        return int(self.config.get("num_hidden_layers") or self.config["n_layer"])


def demos() -> Iterator[Demo]:
    """Yield a sound demo, then one for each fault."""
    root = 64**-0.5
    healthy = {**_LLAMA, "num_hidden_layers": 2}
    yield Demo("healthy", "A Llama in order.", "agrees: m = 0.12499", 0, healthy, _all(root))
    yield Demo(
        "no-scale", "Scores are not divided at all.",
        "differs: m = 1 in all 4 heads, promised 0.125 = 1/√64: no scale at all", 1,
        _LLAMA, _all(1.0),
    )  # fmt: skip
    yield Demo(
        "model-width", "Scores are divided by √d_model, 384, in place of √d_head.",
        "differs: m = 0.05103 = 1/√384 in all 4 heads, promised 0.125 = 1/√64: "
        "√d_model for √d_head?", 1,
        {**_LLAMA, "hidden_size": 384}, _all(384**-0.5),
    )  # fmt: skip
    yield Demo(
        "multiplied", "Scores are multiplied by √d_k.",
        "differs: m = 8 = √64 in all 4 heads, promised 0.125 = 1/√64: multiplied", 1,
        _LLAMA, _all(8.0),
    )  # fmt: skip
    yield Demo(
        "mask-missing", "The causal mask is lost, as where no mask function was registered.",
        "differs: mask none, promised causal", 1, _LLAMA, _all(root, mask=HeadMask()),
    )  # fmt: skip
    yield Demo(
        "window-missing", f"The window of {WINDOW} keys is lost.",
        f"differs: mask causal, promised window of {WINDOW} keys", 1,
        {**_LLAMA, "model_type": "mistral", "sliding_window": WINDOW}, _all(root),
    )  # fmt: skip
    yield Demo(
        "cap-dropped", "A Gemma 2 without its soft cap of 50.",
        "differs: soft cap none", 1,
        {**_LLAMA, "model_type": "gemma2", "query_pre_attn_scalar": 64,
         "attn_logit_softcapping": 50.0, "layer_types": ["full_attention"]},
        _all(root), std=(4.0, 6.0, 8.0, 10.0),
    )  # fmt: skip
    yield Demo(
        "sink-dropped", "A gpt-oss without its sinks.",
        "differs: the sinks are dropped, in 4 of 4 heads", 1,
        {**_LLAMA, "model_type": "gpt_oss", "layer_types": ["full_attention"]},
        _all(root), sink=1.5,
    )  # fmt: skip
    yield Demo(
        "value-scale", "MiMo's scale of V, 0.707, is applied twice.",
        "differs: value scale 0.70", 1,
        {**_LLAMA, "model_type": "mimo_v2_flash", "attention_value_scale": 0.707,
         "layer_types": ["full_attention"]},
        _all(root, value_scale=0.707),
    )  # fmt: skip
    yield Demo(
        "softmaxed-twice", "Softmax is taken of the weights again.",
        "differs: softmax is taken of the weights again", 1,
        _LLAMA, _all(root, softmaxes=2),
    )  # fmt: skip
    yield Demo(
        "kv-heads", "Head h has the keys and values h mod 2 in place of h // 2.",
        "differs: head 1 has KV head 1, h mod 2, promised h // 2: tiled, not repeated?", 1, _LLAMA,
        _all(root), kv_head=lambda head: head % KV_HEADS,
    )  # fmt: skip
    yield Demo(
        "after-projection", "The output was captured after o_proj.",
        "cannot tell: no multiplier, cap, sink or mask gives this output", 3, _LLAMA, _all(root),
        projected=True,
    )  # fmt: skip
    yield Demo(
        "temperature", "Llama 4's temperature by position, which q carries, is applied again.",
        "differs: m grows as Llama 4's 1 + 0.1·ln(⌊(i + 1)/8⌋ + 1), promised 0.125 = 1/√64: "
        "does q carry it already?", 1,
        {**_LLAMA, "model_type": "llama4_text", "attn_temperature_tuning": True,
         "attn_scale": 0.1, "floor_scale": _FLOOR, "layer_types": ["full_attention"]},
        lambda layer: Arithmetic(root * _temperatures()),
    )  # fmt: skip
    yield Demo(
        "layer-scale", "A GPT-2 that divides by the number of the layer twice.",
        "differs: m = 0.01389 to 0.03125 in 8 heads, promised 0.04167 to 0.0625: "
        "the layer's scale twice?", 1,
        {"model_type": "gpt2", "n_embd": 256, "n_head": HEADS, "n_layer": 3,
         "scale_attn_by_inverse_layer_idx": True},
        lambda layer: Arithmetic(root / (layer + 1) ** 2, path="flash"),
        kv_head=lambda head: head,
    )  # fmt: skip
    mscale = 0.1 * log(40) + 1
    latent = 192**-0.5
    yield Demo(
        "yarn-missing", "A DeepSeek V3 without YaRN's mscale².",
        "differs: m = 0.07217 in all 4 heads, promised 0.135234: "
        "YaRN's mscale² = 1.8739 is missing?", 1, _DEEPSEEK,
        _all(latent), 192, 128, kv_head=lambda head: head,
    )  # fmt: skip
    yield Demo(
        "yarn-twice", "A DeepSeek V3 with YaRN's mscale² twice.",
        "differs: m = 0.2534 in all 4 heads, promised 0.135234: "
        "YaRN's mscale² = 1.8739 once too often?", 1, _DEEPSEEK,
        _all(latent * mscale**4), 192, 128, kv_head=lambda head: head,
    )  # fmt: skip
    yield Demo(
        "mla", "GLM's attention, 192 + 64 = 256 wide, divided by the root of MLA's 512 + 64 = 576.",
        "differs: m = 0.04167 = 1/√576 in all 4 heads, promised 0.0625 = 1/√256: "
        "the absorbed MLA dimension?", 1,
        {**_DEEPSEEK, "qk_nope_head_dim": 192, "v_head_dim": 256, "rope_scaling": None},
        _all(576**-0.5), 256, 256, kv_head=lambda head: head,
    )  # fmt: skip


_LLAMA: Mapping[str, Any] = {
    "model_type": "llama", "hidden_size": 256, "num_attention_heads": HEADS,
    "num_key_value_heads": KV_HEADS, "head_dim": 64, "num_hidden_layers": 1,
}  # fmt: skip
_DEEPSEEK: Mapping[str, Any] = {
    "model_type": "deepseek_v3", "hidden_size": 1024, "num_attention_heads": HEADS,
    "num_key_value_heads": HEADS, "num_hidden_layers": 1, "q_lora_rank": 1536,
    "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
    "rope_scaling": {"type": "yarn", "factor": 40.0, "mscale": 1.0, "mscale_all_dim": 1.0,
                     "original_max_position_embeddings": 4096},
}  # fmt: skip


def _all(multiplier: float, **more: Any) -> Callable[[int], Arithmetic]:
    """Return a function that gives every layer the arithmetic of flash kernels."""
    return lambda layer: Arithmetic(multiplier, path="flash", **more)


def _temperatures() -> NDArray[np.float64]:
    """Return the factor of Llama 4 for the query at each position, shape (n,)."""
    floors = np.floor((np.arange(POSITIONS) + 1.0) / _FLOOR)
    return np.asarray(1.0 + 0.1 * np.log(floors + 1.0))


def tensors_of(demo: Demo) -> Tensors:
    """Return the tensors of a demo by name, laid out like those of transformers."""
    tensors: Tensors = {}
    for layer in range(demo.layers):
        for name, values in _layer(demo, layer).items():
            tensors[f"{layer}.{name}"] = values.astype(dtype_of(FORMAT))
    return tensors


def _layer(demo: Demo, layer: int) -> Tensors:
    rng = np.random.default_rng([layer, demo.d_k])
    kv_heads = 1 + max(map(demo.kv_head, range(HEADS)))

    def drawn(heads: int, length: int) -> NDArray[Any]:
        values = rng.standard_normal((heads, POSITIONS, length), np.float32)
        return np.asarray(rounded(values, FORMAT))

    stds = np.array(demo.std, np.float32)[:, None, None]
    q = rounded(drawn(HEADS, demo.d_k) * stds, FORMAT)
    k, v = drawn(kv_heads, demo.d_k), drawn(kv_heads, demo.d_v)
    outputs = []
    for head in range(HEADS):
        kv_head = demo.kv_head(head)
        rows = HeadRows(np.arange(POSITIONS), POSITIONS, q[head], k[kv_head], v[kv_head])
        outputs.append(computed(rows, demo.how(layer)).output)
    out = np.stack([output for output in outputs if output is not None], 1)
    if demo.projected:
        width = HEADS * demo.d_v
        mixed = out.reshape(POSITIONS, width) @ rng.standard_normal((width, width), np.float32)
        out = (mixed / sqrt(width)).reshape(out.shape)
    tensors = {"q": q[None], "k": k[None], "v": v[None], "out": out[None]}
    return tensors if demo.sink is None else {**tensors, "sink": np.full(HEADS, demo.sink)}


def write_demo(folder: Path, demo: Demo) -> Path:
    """Write a demo into a folder of its own within a folder, and return the path of its capture.

    Raises:
        OSError: If a file cannot be written.
    """
    target = folder / demo.name
    target.mkdir(parents=True, exist_ok=True)
    capture = target / "capture.safetensors"
    write_safetensors(capture, tensors_of(demo), {"layout": "out=bnhd"})
    (target / "config.json").write_text(json.dumps(demo.config, indent=2) + "\n", "utf-8")
    return capture


def write_demos(folder: Path) -> Iterator[Demo]:
    """Write each demo into a folder of its own, and yield it; README.txt is written last.

    Raises:
        OSError: If a file cannot be written.
    """
    for demo in demos():
        write_demo(folder, demo)
        yield demo
    (folder / README).write_text(readme(), "utf-8")


def readme() -> str:
    """Return the text of README.txt: the commands to try, and what the doctor says."""
    return _BEGINNING + "\n".join(
        f"{demo.name}: {demo.about}\n"
        f"    attn-tui doctor {demo.name}/capture.safetensors --config {demo.name}\n"
        f"    {demo.says} …\n"
        for demo in demos()
    )


README = "README.txt"
_BEGINNING = f"""\
Captures of small models with random weights: what attention was given and what it returned, in
{FORMAT} as a flash kernel rounds, {POSITIONS} positions each. The first is in order, each other
has a fault that somebody met. Beside each stands what its model should do, config.json. In this
folder:

"""
