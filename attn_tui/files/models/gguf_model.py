"""What the header of a GGUF file says of attention, in llama.cpp's words."""

from collections.abc import Iterator, Mapping
from math import log
from typing import Any

from attn_tui.compute.errors import inert
from attn_tui.files.models.expected import Expectation, Hint, Mask
from attn_tui.files.models.fields import Fields, words
from attn_tui.files.models.reader import Reader

_DECODERS = words(
    """baichuan bloom chatglm codeshell cohere2 command-r dbrx deepseek deepseek2 exaone exaone4
    falcon gemma gemma2 gemma3 gemma3n gemma4 glm4 glm4moe gpt-oss gpt2 gptneox granite granitemoe
    internlm2 llama llama4 minicpm minicpm3 mistral3 mpt nemotron olmo olmo2 olmoe orion phi2 phi3
    phimoe qwen qwen2 qwen2moe qwen3 qwen3moe seed_oss smollm3 stablelm starcoder starcoder2
    xverse"""
)
_ENCODERS = words("bert jina-bert-v2 modern-bert neo-bert nomic-bert nomic-bert-moe")
_UNSCALED = words("gemma3n gemma4 t5 t5encoder")
_OF_WIDTH = {("gemma2", 46), ("gemma3", 62)}
"""The models of 27B, by their number of layers: m is 1/√(width/heads)."""
_PATTERNS = {"gemma2": 2, "gpt-oss": 2, "cohere2": 4, "exaone4": 4, "gemma3": 6, "gemma4": 6}


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


class _Reader(Reader):
    """Reads one header.

    Args:
        fields: Those of the architecture, without its name.
        kind: The architecture.
    """

    MLA = words("deepseek2 minicpm3")
    SINKS = words("gpt-oss")
    CAPPED = words("gemma2")
    CAP = ("attn_logit_softcapping",)
    KV_HEADS = ("attention.head_count_kv",)

    def __init__(self, fields: Fields, kind: str) -> None:
        counts = fields.of.get("attention.head_count")
        if isinstance(counts, tuple):
            # One for each layer, 0 where a layer has no attention.
            heads = max((each for each in counts if type(each) is int and each > 0), default=None)
        else:
            heads = fields.whole("attention.head_count")
        known = kind in _DECODERS | _ENCODERS | _UNSCALED
        super().__init__(fields, kind, known, heads, fields.whole("embedding_length"))

    def _layers(self) -> int | None:
        return self.fields.whole("block_count")

    def _named(self) -> tuple[str, str]:
        return f" (GGUF, {inert(self.kind)[1:-1]})", "is no model we know"

    def _d_k(self) -> tuple[int | None, str, set[int]]:
        whole = self.fields.whole
        lengths = {
            whole(f"attention.{name}")
            for name in ("key_length", "key_length_mla", "key_length_swa")
        } - {None}
        d_k = whole("attention.key_length_mla", "attention.key_length")
        if d_k is None and self.width and self.heads:
            d_k = self.fields.shared(self.width, self.heads)
            lengths.add(d_k)
        mla = self.fields.of.get("attention.key_length_mla") is not None
        said = f"attention.key_length{'_mla' * mla} {d_k}"
        return d_k, said, {each for each in lengths if each is not None}

    def _multiplier(self, d_k: int | None, said: str) -> tuple[float | None, float]:
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
        if (self.kind, self._layers()) in _OF_WIDTH and self.width and self.heads:
            d_k = self.fields.shared(self.width, self.heads)
            return self._root(d_k, "embedding_length/head_count"), 1.0
        return self._inverse_root(d_k, said)

    def _yarn(self) -> float:
        """Return μ = a·(1 + l·ln(factor)); 1 without YaRN."""
        number = self.fields.number
        factor = number("rope.scaling.factor")
        if self.fields.of.get("rope.scaling.type") != "yarn" or not factor or factor <= 1.0:
            return 1.0
        own = number("rope.scaling.yarn_attn_factor", "rope.scaling.attn_factor") or 1.0
        if self.kind in self.MLA:
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
        whole = self.fields.whole
        long, mla = whole("attention.key_length"), whole("attention.key_length_mla")
        if long and mla and long != mla:
            yield Hint(long, "the absorbed MLA dimension")
        if latent := whole("attention.kv_lora_rank"):
            yield Hint(latent, "MLA's latent dimension")
        if rope := whole("rope.dimension_count"):
            yield Hint(rope, "the part of a head with RoPE")
        yield from self._of_width("embedding_length/head_count")
        for name in ("attention.key_length", "attention.value_length"):
            if number := whole(name):
                yield Hint(number, name)
