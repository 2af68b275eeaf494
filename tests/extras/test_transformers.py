"""The recipe for transformers, on tiny random models of many architectures."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.scale import LogitMap
from attn_tui.files.models.opening import open_configured
from tests.extras.recipes import agrees, capturing, far, needed, opened

torch, transformers = map(needed, ("torch", "transformers"))
pytestmark = pytest.mark.filterwarnings("ignore")

SIZES = {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 2, "vocab_size": 50,
         "num_attention_heads": 4}  # fmt: skip
GROUPED = {**SIZES, "num_key_value_heads": 2, "head_dim": 24}
ENDS = {"bos_token_id": 0, "eos_token_id": 1, "pad_token_id": None}

MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("Llama", GROUPED),
    "mistral": ("Mistral", {**GROUPED, "sliding_window": 8}),
    "qwen3": ("Qwen3", GROUPED),
    "gemma2": ("Gemma2", {**GROUPED, "query_pre_attn_scalar": 48, "sliding_window": 8,
                          "attn_logit_softcapping": 0.5}),
    "granite": ("Granite", {**SIZES, "num_key_value_heads": 2, "attention_multiplier": 0.1}),
    "gpt2": ("GPT2", {"n_embd": 64, "n_layer": 2, "n_head": 4, "vocab_size": 50, **ENDS}),
    "opt": ("OPT", {"hidden_size": 64, "ffn_dim": 64, "num_hidden_layers": 2, "vocab_size": 50,
                    "num_attention_heads": 4, "word_embed_proj_dim": 64}),
    "gpt_oss": ("GptOss", {**GROUPED, "num_local_experts": 2, "num_experts_per_tok": 1,
                           "sliding_window": 8, "layer_types": ["sliding_attention",
                                                                "full_attention"]}),
    "llama4": ("Llama4Text", {**GROUPED, "num_local_experts": 2, "intermediate_size_mlp": 64}),
    "deepseek_v3": ("DeepseekV3", {**SIZES, "num_key_value_heads": 4, "moe_intermediate_size": 32,
                                   "n_routed_experts": 4, "n_group": 2, "topk_group": 1,
                                   "num_experts_per_tok": 1, "q_lora_rank": 32,
                                   "kv_lora_rank": 32, "qk_rope_head_dim": 8,
                                   "qk_nope_head_dim": 16, "v_head_dim": 12,
                                   "first_k_dense_replace": 2}),
    "doge": ("Doge", GROUPED),
    "bert": ("Bert", SIZES),
    "bart": ("Bart", {"d_model": 64, "encoder_layers": 2, "decoder_layers": 2, "vocab_size": 50,
                      "encoder_attention_heads": 4, "decoder_attention_heads": 4,
                      "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "eos_token_id": 2}),
}  # fmt: skip
EAGER_ONLY = {"gemma2", "gpt_oss"}
CASES = [(name, used) for name in MODELS for used in ("eager", "sdpa")
         if used == "eager" or name not in EAGER_ONLY]  # fmt: skip


def model_of(name: str, used: str, dtype: Any = torch.bfloat16) -> Any:
    kind, given = MODELS[name]
    torch.manual_seed(3)
    config = getattr(transformers, f"{kind}Config")(**given)
    model = transformers.AutoModel.from_config(config, attn_implementation=used, dtype=dtype)
    for parameter in model.parameters():
        # Random models start with weights so small that all weights of attention are equal.
        parameter.data *= 4 if parameter.dim() > 1 else 1
    return model.eval()


def captured(name: str, used: str, path: Path, dtype: Any = torch.bfloat16) -> Any:
    """Capture a model of two sequences, and check that it returns the same; return the model."""
    model = model_of(name, used, dtype)
    ids = torch.randint(5, 50, (2, 40), generator=torch.manual_seed(0))
    with torch.no_grad():
        plain = model(ids).last_hidden_state
        with capturing("transformers")(model, path):
            within = model(ids).last_hidden_state
        after = model(ids).last_hidden_state
    assert torch.equal(plain, within)
    assert torch.equal(plain, after)
    assert model.config._attn_implementation == used
    return model


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> "Captures":
    """Capture a model once, with its config.json beside."""

    @cache
    def found(name: str, used: str) -> Path:
        folder = tmp_path_factory.mktemp(name)
        captured(name, used, folder / "c.safetensors").config.save_pretrained(folder)
        return folder / "c.safetensors"

    return found


Captures = Callable[[str, str], Path]


@pytest.mark.parametrize(("name", "used"), CASES)
def test_every_layer_is_captured_and_nothing_changes(
    name: str, used: str, captures: Captures
) -> None:
    capture = opened(captures(name, used))
    assert capture.layers == tuple(range(6 if name == "bart" else 2))
    assert len(capture.heads) == 2 * 4 * len(capture.layers)
    for layer in capture.layers:
        parts = capture.tensors(layer)
        assert {"q", "k", "v", "out"} <= parts.keys()
        assert {each.format for part, each in parts.items() if part != "mask"} == {"bfloat16"}
        assert ("sink" in parts) == (name == "gpt_oss")


@pytest.mark.parametrize(("name", "used"), CASES)
def test_the_doctor_agrees_with_the_configuration(name: str, used: str, captures: Captures) -> None:
    path = captures(name, used)
    agrees(path, "--config", str(path.parent))
    if used == "eager":
        # The capture says of itself what config.json does.
        agrees(path, "--layer", "1")


@pytest.mark.parametrize(
    ("name", "cap"), [("llama", None), ("gemma2", 0.5), ("gpt_oss", None), ("deepseek_v3", None)]
)
def test_what_is_captured_is_what_the_layer_computed(
    name: str, cap: float | None, tmp_path: Path
) -> None:
    model = captured(name, "eager", tmp_path / "c.safetensors", torch.float32)
    capture = opened(tmp_path / "c.safetensors")
    for head in capture.heads:
        rows = capture.read(head)
        m = model.layers[head.layer].self_attn.scaling
        assert far(rows, LogitMap(m, cap, rows.sink)) < 1e-5


@pytest.mark.parametrize("used", ["eager", "sdpa"])
def test_the_position_bias_of_t5_is_captured(used: str, tmp_path: Path) -> None:
    sizes = {"d_model": 64, "d_kv": 16, "d_ff": 64, "num_layers": 2, "num_heads": 4}
    torch.manual_seed(3)
    config = transformers.T5Config(**sizes, vocab_size=50, decoder_start_token_id=0)
    model = transformers.T5Model._from_config(config, attn_implementation=used).eval()
    ids = torch.randint(5, 50, (2, 40), generator=torch.manual_seed(0))
    path = tmp_path / "c.safetensors"
    with torch.no_grad(), capturing("transformers")(model, path):
        model(input_ids=ids, decoder_input_ids=ids[:, :30])
    capture = opened(path)
    # Two layers of the encoder, then self and cross attention of two of the decoder.
    assert capture.layers == tuple(range(6))
    for head in capture.heads:
        rows, is_decoder = capture.read(head), head.layer in (2, 4)
        mask = HeadMask("causal") if is_decoder and rows.seen is None else None
        assert far(rows, LogitMap(1.0), mask) < 1e-5, head
        assert (rows.bias is not None) == (head.layer not in (3, 5))
    assert capture.config["0.scale"] == 1
    # Nothing was passed: what the module says of itself is not what the call was given.
    assert "0.is_causal" not in capture.config
    modules = [capture.config[f"{layer}.module"] for layer in (0, 2, 3)]
    assert modules == [
        "encoder.block.0.layer.0.SelfAttention",
        "decoder.block.0.layer.0.SelfAttention",
        "decoder.block.0.layer.1.EncDecAttention",
    ]


def test_each_layer_says_the_configuration_that_it_is_of(tmp_path: Path) -> None:
    """Of a model of images and text, with as many heads of the same length in both."""
    sizes = {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 2}
    vision = {**sizes, "num_attention_heads": 4, "image_size": 32, "patch_size": 8}
    text = {**sizes, "num_attention_heads": 4, "vocab_size": 50}
    torch.manual_seed(3)
    config = transformers.CLIPConfig(text_config=text, vision_config=vision)
    model = transformers.CLIPModel._from_config(config, attn_implementation="eager").eval()
    draw = torch.manual_seed(0)
    with torch.no_grad(), capturing("transformers")(model, tmp_path / "c.safetensors"):
        pixels = torch.randn(1, 3, 32, 32, generator=draw)
        model(torch.randint(5, 50, (1, 12), generator=draw), pixels)
    configured = open_configured([str(tmp_path / "c.safetensors")])
    kinds = [configured.capture.config[f"{layer}.config"] for layer in range(4)]
    assert sorted(kinds) == ["clip_text_model"] * 2 + ["clip_vision_model"] * 2
    assert configured.expectation is not None
    for layer, kind in enumerate(kinds):
        mask = "causal" if kind == "clip_text_model" else "none"
        assert configured.expectation.of(layer, 16).mask == mask


def test_the_ends_of_packed_sequences_become_their_lengths(tmp_path: Path) -> None:
    """As flash attention is given them; here by a function that attends to all of them."""
    model = model_of("llama", "eager", torch.float32)

    def packed(module: Any, query: Any, *rest: Any, **options: Any) -> Any:
        return query.transpose(1, 2), None

    ends = torch.tensor([0, 4, 10])
    with capturing("transformers")(model, tmp_path / "c.safetensors"):
        attend = transformers.AttentionInterface().get_interface("eager", packed)
        q = torch.randn(1, 4, 10, 16)
        attend(model.layers[0].self_attn, q, q, q, None, cu_seq_lens_q=ends, cu_seq_lens_k=ends)
    capture = opened(tmp_path / "c.safetensors")
    lengths = [capture.shape(head).n_queries for head in capture.heads if head.head == 0]
    assert lengths == [4, 6]


def test_the_first_call_of_each_layer_is_kept_and_nothing_of_later_ones(tmp_path: Path) -> None:
    model = model_of("mistral", "sdpa")
    with torch.no_grad(), capturing("transformers")(model, tmp_path / "c.safetensors"):
        for length in (6, 20):
            # A window of 8 needs no mask in the first of these, and one in the second.
            model(torch.full((1, length), 7), use_cache=False)
    capture = opened(tmp_path / "c.safetensors")
    for layer in capture.layers:
        assert {*capture.tensors(layer)} == {"q", "k", "v", "out"}
        assert capture.tensors(layer)["q"].shape == (1, 4, 6, 24)


def test_a_model_that_calls_no_attention_function_is_told_so(tmp_path: Path) -> None:
    with (
        pytest.raises(RuntimeError, match="no layer called"),
        capturing("transformers")(model_of("llama", "eager"), tmp_path / "c"),
    ):
        pass
