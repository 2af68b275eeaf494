"""The biases by position, as each class of transformers computes them."""

from math import ceil, floor, log2

import numpy as np

from attn_tui.compute.heads.head_model import Alibi
from attn_tui.files.models.fields import Fields
from attn_tui.files.models.promise import PromisedBias

_FLATTEST = 8.0
"""The exponent of the flattest slope."""

_BFLOAT16_MANTISSA = 8


def slopes_interleaved(heads: int) -> tuple[float, ...]:
    """Return the slopes of BLOOM, Falcon and others, which add the odd ones of twice as many heads.

    >>> slopes_interleaved(4)
    (0.25, 0.0625, 0.015625, 0.00390625)

    Args:
        heads: The number of heads.
    """
    power = 2 ** floor(log2(heads))
    base = np.float32(2.0 ** -(2.0 ** -(log2(power) - 3.0)))
    slopes = [*np.power(base, np.arange(1, power + 1, dtype=np.float32))]
    if power != heads:
        base = np.float32(2.0 ** -(2.0 ** -(log2(2 * power) - 3.0)))
        count = min(power, heads - power)
        slopes += [*np.power(base, np.arange(1, 1 + 2 * count, 2, dtype=np.float32))]
    return tuple(map(float, slopes))


def slopes_alternating(heads: int, largest: float) -> tuple[float, ...]:
    """Return the slopes of MPT: every other one of the next power of two, then those between.

    Args:
        heads: The number of heads.
        largest: The exponent of the flattest slope.
    """
    power = 2 ** ceil(log2(heads))
    exponents = np.arange(1, power + 1, dtype=np.float32) * np.float32(largest / power)
    slopes = 1 / np.power(np.float32(2), exponents)
    if power != heads:
        slopes = np.concatenate([slopes[1::2], slopes[::2]])[:heads]
    return tuple(map(float, slopes))


def bloom(fields: Fields, heads: int, multiplier: float) -> PromisedBias:
    """Return the bias of BLOOM, which rounds it to the format of the model."""
    return tuple(Alibi(slope, format="q") for slope in slopes_interleaved(heads))


def falcon(fields: Fields, heads: int, multiplier: float) -> PromisedBias:
    """Return the bias of Falcon with ALiBi, in bfloat16, and multiplied by m as the scores are."""
    if not fields.flag("alibi"):
        return "none"
    return tuple(
        Alibi(_bfloat16(slope), multiplier, "bfloat16", "bfloat16")
        for slope in slopes_interleaved(heads)
    )


def mpt(fields: Fields, heads: int, multiplier: float) -> PromisedBias:
    """Return the bias of MPT in float32, which transformers always adds, with slopes down to 2⁻⁸.

    If ``attn_config`` says otherwise, other programs do otherwise, and nothing is promised.
    """
    config = fields.nested("attn_config")
    largest = config.number("alibi_bias_max")
    if not config.flag("alibi", True) or largest not in (None, _FLATTEST):
        return None
    return tuple(map(Alibi, slopes_alternating(heads, _FLATTEST)))


def jais(fields: Fields, heads: int, multiplier: float) -> PromisedBias:
    """Return the bias of Jais, if its ``position_embedding_type`` is ALiBi."""
    if fields.text("position_embedding_type") != "alibi":
        return "none"
    return tuple(map(Alibi, slopes_interleaved(heads)))


def baichuan(fields: Fields, heads: int, multiplier: float) -> PromisedBias:
    """Return the bias of Baichuan: models wider than 4,096 have ALiBi in place of RoPE."""
    if fields.width == 4096:
        return "none"
    return tuple(map(Alibi, slopes_interleaved(heads)))


def beit(fields: Fields, heads: int, multiplier: float) -> PromisedBias:
    """Return that BEiT has a bias by relative position, where its configuration says so."""
    names = ("use_relative_position_bias", "use_shared_relative_position_bias")
    return "learned" if any(fields.flag(name) for name in names) else "none"


def deberta(fields: Fields, heads: int, multiplier: float) -> PromisedBias:
    """Return that DeBERTa has a bias by relative position and content, if it says so."""
    return "learned" if fields.flag("relative_attention") else "none"


def jina(fields: Fields, heads: int, multiplier: float) -> PromisedBias:
    """Return the bias of Jina's BERT, the same to both sides, if it says that it has ALiBi."""
    if fields.text("position_embedding_type") != "alibi":
        return "none"
    return tuple(Alibi(slope, is_symmetric=True) for slope in slopes_interleaved(heads))


def _bfloat16(value: float) -> float:
    mantissa, exponent = np.frexp(value)
    rounded = np.rint(mantissa * 2**_BFLOAT16_MANTISSA) / 2**_BFLOAT16_MANTISSA
    return float(np.ldexp(rounded, exponent))
