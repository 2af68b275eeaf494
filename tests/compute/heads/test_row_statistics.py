"""Statistics of rows against 50 digits, `Head` and PyTorch; the keys that each mask shows."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import exp, inf
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_tui.compute.heads.head import Head, row_weights
from attn_tui.compute.heads.head_model import HeadModel
from attn_tui.compute.heads.mask import HeadMask, MaskKind, sight
from attn_tui.compute.heads.row_statistics import row_statistics
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.compute.scale import PLAIN, LogitMap
from tests.compute import exact
from tests.pairs import covering

DATA = Path(__file__).parents[1] / "data"


CAPPED = LogitMap(0.5, 30.0)


MAPS = (
    PLAIN,
    LogitMap(0.25),
    LogitMap(1.0, 50.0),
    LogitMap(0.5, None, 1.0),
    LogitMap(1.0, 9.0, 7.0),
)


def of_scores(scores: Sequence[float]) -> HeadRows:
    """Return a head of one query whose q·k are exactly the given scores."""
    values = np.array(scores)
    seen = (values != -inf)[None]
    keys = np.where(seen[0], values, 0.0)[:, None]
    return HeadRows(np.arange(1), 1, np.ones((1, 1)), keys, np.eye(len(scores)), seen=seen)


def drawn(
    n_q: int = 70, n: int = 90, d_k: int = 8, dtype: str = "float64", seed: int = 1
) -> HeadRows:
    draw = np.random.default_rng(seed).standard_normal
    q, k, v = (draw(shape).astype(dtype) for shape in [(n_q, d_k), (n, d_k), (n, 3)])
    return HeadRows(np.arange(n_q), n_q, q, k, v)


@pytest.mark.parametrize(
    ("map", "scores"), covering(MAPS, [row for row in exact.SCORES if max(row) < 1e200])
)
def test_a_row_is_what_50_digits_say(scores: tuple[float, ...], map: LogitMap) -> None:
    statistics = row_statistics(
        of_scores(scores), HeadModel.of(map, HeadMask("given")), output=True
    )
    p = exact.shares(scores, map)
    jacobian = exact.central_differences(scores, map, "scores", 1500)
    norm = exact.size([entry for row in jacobian for entry in row])
    z = [float(value) for value in exact.logits(scores, map)]
    gap = max(exact.gaps(scores, map.multiplier))
    error = 1e-12 + 1e-15 * min(gap, 1e4)

    assert statistics.seen[0] == sum(s != -inf for s in scores)
    assert statistics.output is not None
    np.testing.assert_allclose(
        statistics.output[0], [float(value) for value in p[: len(z)]], error, 1e-300
    )
    assert statistics.entropy[0] == pytest.approx(float(exact.entropy(p)), rel=error, abs=1e-300)
    assert statistics.effective_keys[0] == pytest.approx(exp(exact.entropy(p)), rel=error)
    assert statistics.gradient_norm[0] == pytest.approx(float(norm), rel=error, abs=1e-290)
    assert statistics.max_logit[0] == pytest.approx(max(z), rel=1e-15)
    assert statistics.first_key_mass[0] == pytest.approx(float(p[0]), rel=error, abs=1e-300)
    assert statistics.max_weight[0] == pytest.approx(float(max(p[: len(z)])), rel=error, abs=1e-300)
    assert statistics.sink_mass[0] == pytest.approx(float(sum(p[len(z) :])), rel=error, abs=1e-300)
    assert statistics.largest_score[0] == max(abs(s) for s in scores if s != -inf)
    assert z[statistics.max_logit_key[0]] == max(z)


@pytest.mark.parametrize(("n_q", "map"), covering([1, 70, 300], MAPS))
def test_rows_are_those_of_a_head(map: LogitMap, n_q: int) -> None:
    rows = drawn(n_q)
    assert rows.values is not None
    q, k, v = (value.astype(np.float64) for value in (rows.queries, rows.keys, rows.values))
    head = Head(q, k, v, HeadModel.of(map))
    statistics = row_statistics(rows, HeadModel.of(map), output=True)
    assert statistics.output is not None
    np.testing.assert_allclose(statistics.output, head.output, 1e-12, 1e-13)
    np.testing.assert_allclose(statistics.first_key_mass, head.weights[:, 0], 1e-12)
    np.testing.assert_allclose(statistics.max_weight, head.weights.max(axis=1), 1e-12)
    np.testing.assert_allclose(statistics.largest_score, np.abs(head.scores).max(axis=1), 1e-12)
    np.testing.assert_allclose(statistics.max_logit, head.logits.max(axis=1), 1e-12)
    sinks = np.empty((n_q, 0)) if map.sink is None else np.full((n_q, 1), map.sink)
    totals = np.exp(np.hstack([head.logits, sinks])).sum(axis=1)
    np.testing.assert_allclose(statistics.log_sum_exp, np.log(totals), 1e-12)
    lengths = np.linalg.norm(rows.queries, axis=1)[:, None] * np.linalg.norm(rows.keys, axis=1)
    np.testing.assert_allclose(statistics.cosine, (head.scores / lengths).mean(axis=1), atol=1e-14)
    assert statistics.finite.all()


@pytest.mark.parametrize(
    ("offset", "window", "biased"),
    covering([-75, -3, 0, 20], [None, 1, 5, 400], [False, True], least=8),
)
def test_a_mask_by_position_is_that_mask_given(
    offset: int, window: int | None, biased: bool
) -> None:
    head = drawn(n_q=300)
    if biased:
        bias = np.random.default_rng(2).standard_normal((300, 90))
        bias[:, 7] = -inf
        head = replace(head, bias=bias)
    mask = HeadMask("causal" if window is None else "window", offset, window)
    by_position = row_statistics(head, HeadModel.of(CAPPED, mask), output=True)
    given = replace(head, seen=mask.seen(head))
    by_given = row_statistics(given, HeadModel.of(CAPPED, HeadMask("given")), output=True)
    for name in ("rows", "seen", "max_logit_key", "largest_score_key"):
        sees = by_given.seen > 0
        np.testing.assert_array_equal(
            getattr(by_position, name)[sees], getattr(by_given, name)[sees]
        )
    for name in ("output", "entropy", "gradient_norm", "cosine", "max_logit", "first_key_mass"):
        np.testing.assert_allclose(
            getattr(by_position, name), getattr(by_given, name), 1e-11, 1e-14
        )


@pytest.mark.parametrize("sink", [None, 0.0])
def test_a_row_that_sees_nothing_is_zero_and_said_to_see_nothing(sink: float | None) -> None:
    model = HeadModel.of(LogitMap(1.0, sink=sink), HeadMask("causal", -2))
    statistics = row_statistics(drawn(5, 9), model, output=True)
    assert statistics.output is not None
    assert [*statistics.seen] == [0, 0, 1, 2, 3]
    assert statistics.finite.all()
    assert not statistics.output[:2].any()
    assert [*statistics.max_logit[:2]] == [-inf, -inf]
    for name in ("largest_score", "entropy", "gradient_norm", "first_key_mass", "cosine"):
        assert not getattr(statistics, name)[:2].any()
    assert [*statistics.sink_mass[:2]] == ([0, 0] if sink is None else [1, 1])
    assert [*statistics.effective_keys[:2]] == ([0, 0] if sink is None else [1, 1])


def test_float32_agrees_with_float64_also_where_weights_are_next_to_nothing() -> None:
    head = drawn(200, 300, 64, "float32")
    for m in (0.125, 1.0, 4.0, 8.0):
        narrow = row_statistics(head, HeadModel.of(LogitMap(m)), output=True)
        wide = replace(head, queries=head.queries.astype(float), keys=head.keys.astype(float))
        truth = row_statistics(wide, HeadModel.of(LogitMap(m)))
        error = 3e-6 * m * 10 + 1e-5
        for name in ("entropy", "gradient_norm", "first_key_mass", "max_weight"):
            np.testing.assert_allclose(getattr(narrow, name), getattr(truth, name), error, 1e-44)
    assert truth.gradient_norm.min() < 1e-30


def test_rows_that_meet_nan_or_infinity_are_told_apart() -> None:
    head = drawn(6, 9)
    head.keys[4, 2] = np.nan
    head.queries[1, 0] = inf
    statistics = row_statistics(head, HeadModel.of(PLAIN, HeadMask("causal")))
    assert [*statistics.finite] == [True, False, True, True, False, False]


def test_blocks_hold_no_square_of_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    empty = np.empty

    def counted(shape: Any, *rest: Any) -> Any:
        sizes.append(int(np.prod(shape)))
        return empty(shape, *rest)

    monkeypatch.setattr(np, "empty", counted)
    row_statistics(drawn(3000, 3000, 2, "float32"), HeadModel.of(PLAIN))
    assert max(sizes) <= 2 * 256 * 3000


TORCH = json.loads((DATA / "sdpa.json").read_text("utf-8"))["cases"]


@pytest.mark.parametrize("case", TORCH)
def test_output_is_that_of_torch(case: dict[str, Any]) -> None:
    q, k, v = (np.array(case[name]) for name in ("queries", "keys", "values"))
    seen = np.ones((4, 5), bool)
    seen[:, case.get("hidden", [])] = False
    head = HeadRows(np.arange(4), 4, q, k, v, seen=seen)
    mask = HeadMask("causal") if case.get("causal") else HeadMask("given")
    statistics = row_statistics(
        head, HeadModel.of(LogitMap(case.get("scale", 6**-0.5)), mask), output=True
    )
    assert statistics.output is not None
    digits = 1e-6 if "dtype" in case else 1e-14
    np.testing.assert_allclose(statistics.output, case["output"], 20 * digits, 10 * digits)
    np.testing.assert_allclose(
        statistics.first_key_mass, [row[0] for row in case["weights"]], 20 * digits, 10 * digits
    )


MASKED = json.loads((DATA / "heads.json").read_text("utf-8"))["cases"]


def of_recorded(case: dict[str, Any]) -> Iterator[tuple[int, HeadRows, HeadModel]]:
    """Yield the heads of a recorded case, each with the head whose keys it uses."""
    q, k, v = (np.array(case[name], case.get("dtype", "float64")) for name in ("q", "k", "v"))
    weigh = LogitMap(case.get("scale", q.shape[2] ** -0.5))
    seen = bias = None
    mask = HeadMask("causal" if case.get("is_causal") else "none")
    if case.get("mask") == "boolean":
        seen, mask = np.array(case["given"]), HeadMask("given")
    elif case.get("mask"):
        bias = np.array([[-inf if x is None else x for x in row] for row in case["given"]])
    for head in range(len(q)):
        kv = head * len(k) // len(q)
        rows = HeadRows(np.arange(5), 5, q[head], k[kv], v[kv], seen=seen, bias=bias)
        yield kv, rows, HeadModel.of(weigh, mask)


@pytest.mark.parametrize("case", MASKED)
def test_output_under_masks_is_that_of_torch(case: dict[str, Any]) -> None:
    dtype = case.get("dtype", "float64")
    out = np.array(case["out"], dtype)
    for head, (_, rows, model) in enumerate(of_recorded(case)):
        statistics = row_statistics(rows, model, output=True)
        assert statistics.output is not None
        digits = 1e-5 if dtype == "float32" else 1e-13
        np.testing.assert_allclose(statistics.output, out[head], digits, digits)


N = 20


KINDS: tuple[tuple[MaskKind, int | None], ...] = (("none", None), ("causal", None), ("window", 4))


MASKS = [
    HeadMask(kind, 0, window, hidden, packed)
    for kind, window in KINDS
    for hidden in (None, (0, 6), (13, 19), (0, 18))
    for packed in ((), (7,), (2, 11))
] + [HeadMask("causal", inverted=True), HeadMask("local", 0, 6, (0, 6), inverted=True)]


@pytest.mark.parametrize(
    ("mask", "place", "biased"),
    covering(MASKS, [slice(0, N), slice(0, 5), slice(5, 9), slice(12, N)], [False, True]),
)
def test_a_block_sees_what_its_mask_says(mask: HeadMask, place: slice, biased: bool) -> None:
    keys = np.zeros((N, 2), np.float32)
    bias = np.zeros((N, N), np.float32) if biased else None
    head = HeadRows(np.arange(N), N, keys, keys, bias=bias)
    seen = sight(head, mask, place)
    scores = np.ones((len(head.rows[place]), seen.width), np.float32)
    seen.fill(scores, 0.0)
    whole = np.zeros((len(scores), N))
    whole[:, seen.keys] = scores
    assert np.array_equal(whole > 0, mask.seen(head)[place])
    assert np.array_equal(seen.counts, whole.sum(axis=1))


def head(map: LogitMap = PLAIN, causal: bool = False) -> Head:
    draw = np.random.default_rng(7).standard_normal
    model = HeadModel.of(map, HeadMask("causal" if causal else "none"))
    return Head(draw((5, 4)), draw((5, 4)), draw((5, 3)), model)


@pytest.mark.parametrize(("causal", "map"), covering([False, True], MAPS))
def test_weights_and_output_are_those_of_mpmath(map: LogitMap, causal: bool) -> None:
    statistics = head(map, causal)
    for i, query in enumerate(statistics.queries):
        seen = i + 1 if causal else len(statistics.keys)
        scores = [mpmath.fdot(query, key) for key in statistics.keys[:seen]]
        m, cap = map.multiplier, map.softcap
        z = [m * s if cap is None else cap * mpmath.tanh(m * s / cap) for s in scores]
        powers = [mpmath.exp(value) for value in z]
        total = mpmath.fsum(powers) + (0 if map.sink is None else mpmath.exp(map.sink))
        weights = [float(power / total) for power in powers] + [0.0] * (len(statistics.keys) - seen)
        assert statistics.weights[i] == pytest.approx(weights, rel=1e-12)
        assert statistics.output[i] == pytest.approx(
            np.array(weights) @ statistics.values, rel=1e-9
        )


def test_a_row_of_masked_keys_has_no_weight() -> None:
    none = np.full((1, 2), -inf)
    assert row_weights(none).tolist() == [[0.0, 0.0]]


@given(
    st.sampled_from(["causal", "window", "local"]),
    st.integers(-3, 5),
    st.integers(1, 6),
    st.sampled_from([None, 3, 8]),
    st.integers(0, 4),
)
def test_a_mask_shows_what_its_words_say(
    kind: MaskKind, offset: int, width: int, chunk: int | None, prefix: int
) -> None:
    window = None if kind == "causal" else width
    mask = HeadMask(kind, offset, window, (0, 1), (7,), chunk, prefix if kind == "causal" else 0)
    keys = np.zeros((N, 2), np.float32)
    seen = mask.seen(HeadRows(np.arange(N), N, keys, keys))
    for row in range(N):
        own = row + offset
        for key in range(N):
            near = key <= own
            if kind == "window":
                near = own - width < key <= own
            elif kind == "local":
                near = abs(own - key) <= width // 2
            near = near or key < mask.prefix
            same_text = (own < 7) == (key < 7)
            same_chunk = chunk is None or key >= own // chunk * chunk
            assert seen[row, key] == (near and same_text and same_chunk and key > 1)
