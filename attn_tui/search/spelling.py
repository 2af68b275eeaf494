"""Spellings: the ways in which a thing is written, each read as the one that all have."""

import re
from collections.abc import Mapping
from functools import lru_cache

from attn_tui.search.text import Words, words

_SIZE = "(dim(ension)?|size|width)"

SPELLINGS: Mapping[str, str] = {
    r"square[\s-]root": "√",
    "sqrt": "√",
    "inf(inity)?": "∞",
    r"mu-?p|µp|μp": "mup",
    r"f(loat|p)[\s-]?16|half[\s-]precision|half[\s-]float": "float16",
    r"b(float|f)[\s-]?16|brain[\s-]float": "bfloat16",
    r"f(loat|p)[\s-]?32|single[\s-]precision|full[\s-]precision": "float32",
    r"f(loat|p)[\s-]?64|double[\s-]precision": "float64",
    r"soft[\s-]?capp?(ing|ed)?": "softcap",
    r"softmax[\s-](one|1)|off[\s-]by[\s-]one": "softmax1",
    r"q(uery)?[\s-]?k(ey)?[\s-]?norm(ali[sz]ation)?": "qknorm",
    r"layer[\s-]?norm(ali[sz]ation)?": "layernorm",
    r"l2[\s-]?norm(ali[sz]ed|ali[sz]ation)?": "l2norm",
    r"cross[\s-]?entropy": "crossentropy",
    r"dot[\s-]products?": "dotproduct",
    r"(fourth|4th|quartic)[\s-]root": "fourthroot",
    r"flash[\s_-]?att(entio)?n": "flashattention",
    r"multi[\s-]?head(ed)?": "multihead",
    rf"{_SIZE}[\s_-]?((of|per)[\s_-])?((one|a|each|the)[\s_-])?head": "d_head",
    rf"head[\s_-]?{_SIZE}|d[\s_-]head|kv_channels": "d_head",
    rf"(emb|embed|embedding|hidden|model)[\s_-]?{_SIZE}|n_embd": "d_model",
}
"""The ways in which a thing is written, each with the one that all are read as."""

_SPELLING = re.compile(
    "|".join(rf"(?<![^\W_])(?:{pattern})(?![^\W\d_])" for pattern in SPELLINGS), re.IGNORECASE
)

_CODE = (
    (re.compile(r"(math\.|torch\.|np\.)?sqrt\(\s*(math\.|torch\.|np\.)?sqrt|⁴√|\*\*\s*\(?-?\s*"
                r"(0?\.25|1/4)\)?"), " fourth root "),
    (re.compile(r"\*\*\s*\(?-?\s*(0?\.5|1/2)\)?|\brsqrt"), " √ "),
)  # fmt: skip
"""How roots are written in programs."""

_IZE = re.compile(r"(?<=[a-z]{3})iz(?=e|ing|ation)", re.IGNORECASE)


@lru_cache(maxsize=4096)
def spelled(text: str) -> tuple[Words, ...]:
    """Return a text without what makes no difference, as it is and as all spell it.

    >>> [each.letters for each in spelled("half precision")]
    ['halfprecision', 'float16']
    """
    plain = words(text)
    common = words(common_spelling(text))
    return (plain,) if common.letters == plain.letters else (plain, common)


def common_spelling(text: str) -> str:
    """Return a text in which what can be written in several ways is written in one.

    >>> common_spelling("fp16 softmax, masked by -inf")
    'float16 softmax, masked by -∞'
    """
    for pattern, root in _CODE:
        text = pattern.sub(root, text)
    return _IZE.sub("is", _SPELLING.sub(_common, text))


def _common(match: re.Match[str]) -> str:
    return next(
        common
        for pattern, common in SPELLINGS.items()
        if re.fullmatch(pattern, match[0], re.IGNORECASE)
    )


@lru_cache(maxsize=4096)
def spelled_words(text: str) -> frozenset[str]:
    """Return the whole words of a text, in both spellings."""
    return frozenset[str]().union(*(reading.parts for reading in spelled(text)))
