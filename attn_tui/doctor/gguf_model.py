"""What the header of a GGUF file says of attention, in llama.cpp's words."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import log
from typing import Any

from attn_tui.compute.errors import inert
from attn_tui.doctor.expected import LEARNED, NONE, Expectation, Expected, Hint, Mask, Shape
from attn_tui.doctor.fields import Fields, words

_DECODERS = words(
    """baichuan bloom chatglm codeshell cohere2 command-r dbrx deepseek deepseek2 exaone exaone4
    falcon gemma gemma2 gemma3 gemma3n gemma4 glm4 glm4moe gpt-oss gpt2 gptneox granite granitemoe
    internlm2 llama llama4 minicpm minicpm3 mistral3 mpt nemotron olmo olmo2 olmoe orion phi2 phi3
    phimoe qwen qwen2 qwen2moe qwen3 qwen3moe seed_oss smollm3 stablelm starcoder starcoder2
    xverse"""
)
_ENCODERS = words("bert jina-bert-v2 modern-bert neo-bert nomic-bert nomic-bert-moe")
_UNSCALED = words("gemma3n gemma4 t5 t5encoder")
_MLA = words("deepseek2 minicpm3")
_OF_WIDTH = {("gemma2", 46), ("gemma3", 62)}
"""The models of 27B, by their number of layers: m is 1/√(width/heads)."""
_PATTERNS = {"gemma2": 2, "gpt-oss": 2, "cohere2": 4, "exaone4": 4, "gemma3": 6, "gemma4": 6}
_MOST_LAYERS = 10_000


def expectation(header: Mapping[str, Any], file: str) -> Expectation:
    """Return what a header expects; of an architecture that is not known, 1/√head_dim.

    Args:
        header: The metadata by name.
        file: The file, to be named.

    Raises:
        InputError: With field ``"config"``, if it is of no model, or a number in it is none.
    """
    kind = header.get("general.architecture")
    if not isinstance(kind, str):
        raise Fields({}, file).bad("it names no architecture", "the GGUF file of a language model")
    mark = kind + "."
    own = {
        name.removeprefix(mark): value for name, value in header.items() if name.startswith(mark)
    }
    return _Reader(Fields(own, file), kind).expectation()


class _Reader:
    """Reads one header, and notes which fields decide.

    Args:
        fields: Those of the architecture, without its name.
        kind: The architecture.
    """

    def __init__(self, fields: Fields, kind: str) -> None:
        self.fields, self.kind = fields, kind
        self.known = kind in _DECODERS | _ENCODERS | _UNSCALED
        self.width, self.layers = fields.whole("embedding_length"), fields.whole("block_count")
        counts = fields.of.get("attention.head_count")
        if isinstance(counts, tuple):
            # One for each layer, 0 where a layer has no attention.
            self.heads = max(
                (each for each in counts if type(each) is int and each > 0), default=None
            )
        else:
            self.heads = fields.whole("attention.head_count")
        self.decides: list[str] = []
        self.notes: list[str] = []

    def expectation(self) -> Expectation:
        """Return what it expects."""
        d_k, lengths = self._d_k()
        multiplier, yarn = self._multiplier(d_k)
        cap = self.fields.number("attn_logit_softcapping")
        if cap is None and self.kind == "gemma2":
            cap = 50.0
        if cap:
            self.decides.append(f"attn_logit_softcapping {cap:g}")
        common = Expected(
            multiplier,
            cap or (NONE if self.known else None),
            LEARNED if self.kind == "gpt-oss" else NONE if self.known else None,
            value_scale=1.0 if self.known else None,
        )
        layers = []
        for layer in range(min(self.layers or 1, _MOST_LAYERS)):
            mask, window = self._mask(layer)
            layers.append(replace(common, mask=mask, window=window))
        if self.layers is None or all(each == layers[0] for each in layers):
            common, layers = layers[0], []
        said = "; ".join(self.decides)
        if multiplier is None:
            said = "assumed 1/√head_dim, for it is no model we know" + (f"; {said}" if said else "")
        return Expectation(
            f"{self.fields.file} (GGUF, {inert(self.kind)[1:-1]}): {said}",
            common,
            tuple(layers),
            Shape(frozenset(lengths), self.heads, self.layers),
            multiplier is None,
            tuple(self._hints()),
            yarn,
            tuple(self.notes),
        )

    def _d_k(self) -> tuple[int | None, set[int]]:
        """Return the d_k that the multiplier is of, and lengths of q."""
        whole = self.fields.whole
        lengths = {
            whole(f"attention.{name}")
            for name in ("key_length", "key_length_mla", "key_length_swa")
        } - {None}
        d_k = whole("attention.key_length_mla", "attention.key_length")
        if d_k is None and self.width and self.heads:
            d_k = self.fields.shared(self.width, self.heads)
            lengths.add(d_k)
        return d_k, {each for each in lengths if each is not None}

    def _multiplier(self, d_k: int | None) -> tuple[float | None, float]:
        """Return m, or None if nothing is known of it, and YaRN's μ."""
        say = self.decides.append
        if scale := self.fields.number("attention.scale"):
            say(f"attention.scale {scale:g}")
            return scale, 1.0
        if self.kind in _UNSCALED:
            say("scale 1")
            return 1.0, 1.0
        if not self.known or d_k is None:
            return None, 1.0
        if self.kind in ("gemma2", "gemma3"):
            self.notes.append(
                "llama.cpp multiplies q of Gemma before attention: captured after that, m is 1."
            )
        if (self.kind, self.layers) in _OF_WIDTH and self.width and self.heads:
            d_k = self.fields.shared(self.width, self.heads)
            say(f"embedding_length/head_count, m = 1/√{d_k}")
            return float(d_k) ** -0.5, 1.0
        mla = self.fields.of.get("attention.key_length_mla") is not None
        say(f"attention.key_length{'_mla' * mla} {d_k}, m = 1/√{d_k}")
        m, yarn = float(d_k) ** -0.5, self._yarn()
        if self.kind in _MLA and yarn != 1.0:
            say(f"YaRN's mscale² {yarn * yarn:.4f}")
            m *= yarn * yarn
        return m, yarn

    def _yarn(self) -> float:
        """Return μ = a·(1 + l·ln(factor)); 1 without YaRN."""
        number = self.fields.number
        factor = number("rope.scaling.factor")
        if self.fields.of.get("rope.scaling.type") != "yarn" or not factor or factor <= 1.0:
            return 1.0
        own = number("rope.scaling.yarn_attn_factor", "rope.scaling.attn_factor") or 1.0
        if self.kind in _MLA:
            return own * (1.0 + (number("rope.scaling.yarn_log_multiplier") or 0.0) * log(factor))
        return own * (1.0 + 0.1 * log(factor))

    def _mask(self, layer: int) -> tuple[Mask | None, int | None]:
        if self.kind in _ENCODERS or self.fields.of.get("attention.causal") is False:
            return "none", None
        if self.kind not in _DECODERS:
            return None, None
        window = self.fields.number("attention.sliding_window")
        if not window:
            return "causal", None
        pattern = self.fields.of.get("attention.sliding_window_pattern")
        if isinstance(pattern, tuple):
            if layer >= len(pattern):
                return None, None
            return ("window", int(window)) if pattern[layer] else ("causal", None)
        every = self.fields.whole("attention.sliding_window_pattern") if pattern else None
        every = every or _PATTERNS.get(self.kind)
        if every is None:
            return None, None
        return ("window", int(window)) if (layer + 1) % every else ("causal", None)

    def _hints(self) -> Iterator[Hint]:
        """Yield numbers that are taken for d_k."""
        whole = self.fields.whole
        long, mla = whole("attention.key_length"), whole("attention.key_length_mla")
        if long and mla and long != mla:
            yield Hint(long, "the absorbed MLA dimension")
        if latent := whole("attention.kv_lora_rank"):
            yield Hint(latent, "MLA's latent dimension")
        if rope := whole("rope.dimension_count"):
            yield Hint(rope, "the part of a head with RoPE")
        if self.width:
            yield Hint(self.width, "√d_model for √d_head")
        if self.width and self.heads:
            yield Hint(self.width / self.heads, "embedding_length/head_count")
        for name in ("attention.key_length", "attention.value_length"):
            if number := whole(name):
                yield Hint(number, name)
