"""Each suspect is named for its own fault, and for no other."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from attn_tui.compute.fit.explain import Question, explain
from attn_tui.compute.fit.head import Path
from attn_tui.compute.fit.simulate import Arithmetic, compute, computed, rounded_to, simulate
from attn_tui.compute.fit.suspects import buckets, rope
from attn_tui.compute.heads.head_model import HeadModel
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows
from tests.compute.fit.heads import LEVEL, SAID
from tests.pairs import everyday

N = 128


def fp8(values: np.ndarray) -> np.ndarray:
    import ml_dtypes

    return np.asarray(values.astype(ml_dtypes.float8_e4m3fn).astype(np.float32))


def int8(values: np.ndarray) -> np.ndarray:
    scale = np.abs(values).max(axis=1, keepdims=True) / 127
    return np.asarray(np.rint(values / scale) * scale)


def faults(how: Arithmetic) -> Iterator[tuple[str, HeadRows]]:
    """Yield heads with a fault, each with the name that the suspect should have, or none."""
    head = simulate(3, how, n_keys=N)
    rng = np.random.default_rng(3)
    assert head.values is not None
    assert head.output is not None

    def of(name: str, **changes: np.ndarray) -> tuple[str, HeadRows]:
        return name, replace(head, output=computed(replace(head, **changes), how).output)  # type: ignore[arg-type]

    yield of("fp8 keys and values", keys=fp8(head.keys), values=fp8(head.values))
    yield of("fp8 values", values=fp8(head.values))
    yield of("int8 keys and values", keys=int8(head.keys), values=int8(head.values))
    distances = np.arange(N) - head.rows[:, None]
    slope = (-0.25 * np.abs(distances)).astype(np.float32)
    yield of("a bias that grows with the distance (ALiBi) is missing", bias=slope)
    places = buckets(distances, how.mask.kind == "none")
    table = rng.standard_normal(64)
    yield of("a bias by relative position (T5) is missing", bias=table[places].astype(np.float32))
    every = np.arange(N)
    keys, queries = rope(head.keys, every, 1e4, True), rope(head.queries, head.rows, 1e4, True)
    yield of("k before RoPE", keys=keys.astype(np.float32))
    yield of(
        "q and k before RoPE", keys=keys.astype(np.float32), queries=queries.astype(np.float32)
    )
    yield of("RoPE on q alone", keys=rope(head.keys, -every, 1e4, True).astype(np.float32))
    yield of("", values=rng.permutation(head.values))
    mixed = head.output @ rng.standard_normal((64, 64)).astype(np.float32) / 8
    yield "", replace(head, output=rounded_to(mixed, how.format))
    weights = compute(head, how)[1]
    kept = weights * (rng.random(weights.shape) > 0.1) / 0.9
    output = rounded_to((kept @ head.values).astype(np.float32), how.format)
    yield "dropout", replace(head, output=output)


@pytest.mark.parametrize("kind", everyday(1, ["causal", "none"]))
@pytest.mark.parametrize(
    ("format", "path"),
    everyday(1, [("float32", "float32"), ("bfloat16", "flash"), ("float16", "eager")]),
)
def test_a_suspect_is_named_of_its_own_fault_alone(format: str, path: Path, kind: str) -> None:
    mask = HeadMask(kind)  # type: ignore[arg-type]
    how = Arithmetic(0.125, format=format, path=path, mask=mask)
    question = Question(HeadModel(0.125, mask=mask), SAID, LEVEL, format=format)
    for name, head in faults(how):
        known = explain(head, question)
        assert not known.explains, name
        assert (known.suspect.name if known.suspect else "") == name


def test_buckets_are_those_of_t5() -> None:
    # As transformers' T5Attention._relative_position_bucket has them.
    distances = np.array([-200, -128, -64, -20, -9, -8, -1, 0, 1, 8, 64, 200])
    assert buckets(distances, both=True).tolist() == [15, 15, 14, 10, 8, 8, 1, 0, 17, 24, 30, 31]
    assert buckets(distances, both=False).tolist() == [31, 31, 26, 17, 9, 8, 1, 0, 0, 0, 0, 0]
