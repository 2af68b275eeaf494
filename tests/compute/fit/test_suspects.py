"""Each suspect is named for its own fault, and for no other."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from attn_tui.compute.arrays import dtype_of, rounded
from attn_tui.compute.fit.case import HeadCase
from attn_tui.compute.fit.explain import Explanation, Reference, explain
from attn_tui.compute.fit.head import Path
from attn_tui.compute.fit.simulate import Arithmetic, compute, computed, simulate
from attn_tui.compute.fit.suspects import buckets, rope, suspect_of
from attn_tui.compute.heads.head_model import Alibi, HeadModel
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows
from tests.compute.fit.heads import HEAD_LEVEL, STATED
from tests.pairs import slow_after

N = 128


def float8(values: np.ndarray, scale: float = 1.0, name: str = "float8_e4m3fn") -> np.ndarray:
    stored = (values / scale).astype(np.float32).astype(dtype_of(name))
    return np.asarray(stored.astype(np.float32) * scale)


def int8(values: np.ndarray, axis: int | None = 1) -> np.ndarray:
    scale = np.abs(values).max(axis=axis, keepdims=True) / 127
    return np.asarray(np.rint(values / scale) * scale)


def asymmetric(values: np.ndarray, axis: int | None = 1) -> np.ndarray:
    least = values.min(axis=axis, keepdims=True)
    scale = (values.max(axis=axis, keepdims=True) - least) / 255
    return np.asarray(np.rint((values - least) / scale) * scale + least)


def q8_0(values: np.ndarray) -> np.ndarray:
    blocks = values.reshape(-1, 32)
    scale = np.abs(blocks).max(axis=1, keepdims=True) / 127
    stored = np.rint(blocks / scale) * scale.astype(np.float16).astype(np.float32)
    return np.asarray(stored.reshape(values.shape))


STORED = {
    "float8 (e4m3)": float8, "float8 (e5m2)": lambda part: float8(part, 1.0, "float8_e5m2"),
    "int8": int8, "q8_0": q8_0, "asymmetric int8": asymmetric,
}  # fmt: skip


def faults(how: Arithmetic) -> Iterator[tuple[str, HeadRows]]:
    """Yield heads with a fault, each with the name that the suspect should have, or none."""
    head = simulate(3, how, n_keys=N)
    rng = np.random.default_rng(3)
    assert head.values is not None
    assert head.output is not None

    def of(name: str, **changes: np.ndarray) -> tuple[str, HeadRows]:
        return name, replace(head, output=computed(replace(head, **changes), how).output)  # type: ignore[arg-type]

    for name, stored in STORED.items():
        changes = {"keys": stored(head.keys), "values": stored(head.values)}
        yield of(re.escape(f"keys and values stored as {name}"), **changes)
    scaled = float8(head.keys, float(np.abs(head.keys).max()) / 448)
    yield of(r"keys stored as float8 \(e4m3\)", keys=scaled)
    yield of(r"values stored as float8 \(e4m3\)", values=float8(head.values))
    yield of("values stored as int8", values=int8(head.values, None))
    distances = np.arange(N) - head.rows[:, None]
    slope = (-0.25 * np.abs(distances)).astype(np.float32)
    alibi = r"a bias of slope 0\.2[45]\d* that falls with the distance \(ALiBi\) is added"
    yield of(alibi, bias=slope)
    places = buckets(distances, how.mask.kind == "none")
    table = rng.standard_normal(64)
    t5 = r"a bias by relative position \(T5\) is added"
    yield of(t5, bias=table[places].astype(np.float32))
    every = np.arange(N)
    keys, queries = rope(head.keys, every, 1e4, True), rope(head.queries, head.rows, 1e4, True)
    turned = {"keys": keys.astype(np.float32), "queries": queries.astype(np.float32)}
    yield of("k was captured before RoPE", keys=turned["keys"])
    yield of("q and k were captured before RoPE", **turned)
    yield of("RoPE is on q alone", keys=rope(head.keys, -every, 1e4, True).astype(np.float32))
    factors = rng.uniform(0.8, 1.2, (len(head.output), 1)).astype(np.float32)
    yield (
        "the weights of a row do not sum to 1: .*",
        replace(head, output=rounded(factors * head.output, how.format)),
    )
    few = np.where(np.arange(len(factors))[:, None] < 5, factors, 1.0).astype(np.float32)
    yield "", replace(head, output=rounded(few * head.output, how.format))
    twice = {"keys": turned["keys"], "queries": how.multiplier * turned["queries"]}
    if how.format == "float32":
        yield of("RoPE turns q and k, and m counts twice", **twice)
    first = np.where(np.arange(64) < 32, head.queries, 0).astype(np.float32)
    yield of("q·k runs over the first 32 of 64 numbers", queries=first)
    root = np.float32(2**0.5)
    yield of("q·k runs over the first 32 of 64 numbers, and m is .*", queries=root * first)
    every_rms = [
        np.sqrt(np.square(part).mean(axis=1, keepdims=True) + 1e-6)
        for part in (head.queries, head.keys)
    ]
    normed = {"queries": head.queries / every_rms[0], "keys": head.keys / every_rms[1]}
    yield of(r"q and k were captured before .* root mean square \(QK-norm\)", **normed)
    if how.format == "float32":
        # Logits of at most m look like those of a smaller m in 16 bits.
        short = {name: part / 8 for name, part in normed.items()}
        yield of("q and k were captured before they are normalised to length 1", **short)
    stale = {"keys": head.keys.copy(), "values": head.values.copy()}
    for part in stale.values():
        part[20] = rounded(rng.standard_normal(64, np.float32), how.format)
    yield of(".* another key and value in place of key 20: a stale slot of the KV .*", **stale)
    for channels, name in (
        (
            slice(5, 6),
            r"channel 5 of the output is wrong in .* 32 rows, and the other 63 are right",
        ),
        (
            slice(32, 64),
            "channels 32–63 of the output are 0 in all 32 rows, and the other 32 are right",
        ),
    ):
        output = head.output.copy()
        output[:, channels] *= name.endswith("63 are right") * np.float32(-0.7)
        yield name, replace(head, output=rounded(output, how.format))
    yield of("", values=rng.permutation(head.values))
    mixed = head.output @ rng.standard_normal((64, 64)).astype(np.float32) / 8
    yield "", replace(head, output=rounded(mixed, how.format))
    weights = compute(head, how)[1]
    kept = weights * (rng.random(weights.shape) > 0.1) / 0.9
    output = rounded((kept @ head.values).astype(np.float32), how.format)
    yield "dropout", replace(head, output=output)


@pytest.mark.parametrize("kind", slow_after(0, ["causal", "none"]))
@pytest.mark.parametrize(
    ("format", "path"),
    slow_after(1, [("float32", "float32"), ("bfloat16", "flash"), ("float16", "eager")]),
)
def test_a_suspect_is_named_of_its_own_fault_alone(format: str, path: Path, kind: str) -> None:
    mask = HeadMask(kind)  # type: ignore[arg-type]
    how = Arithmetic(0.125, format=format, path=path, mask=mask)
    for name, head in faults(how):
        fit = explain(head, promising(HeadModel(0.125, mask=mask), format))
        assert not fit.explains, name
        assert re.fullmatch(name, suspected(fit)), (name, suspected(fit))


STORED_AS_ONE = {
    "float8 (e4m3)": lambda part: float8(part, float(np.abs(part).max()) / 448),
    "int8": lambda part: int8(part, None), "asymmetric int8": lambda part: asymmetric(part, None),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", STORED_AS_ONE)
def test_numbers_that_are_stored_with_one_scale_for_all_heads_are_named(name: str) -> None:
    """A kernel has one scale for a tensor, and the largest number may be in another head."""
    how = Arithmetic(0.125)
    head, other = (simulate(seed, how, n_keys=N) for seed in (3, 4))
    assert other.values is not None
    larger = replace(other, keys=1.3 * other.keys, values=1.7 * other.values)
    stored = {}
    for part in ("keys", "values"):
        both = np.concatenate([getattr(head, part), getattr(larger, part)])
        stored[part] = STORED_AS_ONE[name](both)[: len(getattr(head, part))]
    changed = replace(head, keys=stored["keys"], values=stored["values"])
    head = replace(head, output=computed(changed, how).output)
    swapped = replace(head, keys=larger.keys, values=larger.values)
    fit = explain(head, promising(HeadModel(0.125), "bfloat16"), lambda: [(1, swapped)])
    assert suspected(fit) == f"keys and values stored as {name}"


@pytest.mark.slow
@pytest.mark.parametrize(("name", "stored"), [("int8", int8), ("asymmetric int8", asymmetric)])
def test_numbers_that_are_stored_with_a_scale_for_each_channel_are_named(
    name: str, stored: Callable[..., np.ndarray]
) -> None:
    how = Arithmetic(0.125)
    head = simulate(3, how, n_keys=N)
    assert head.values is not None
    changed = replace(head, keys=stored(head.keys, 0), values=stored(head.values, 0))
    head = replace(head, output=computed(changed, how).output)
    fit = explain(head, promising(HeadModel(0.125), "bfloat16"))
    assert suspected(fit) == f"keys and values stored as {name}"


@pytest.mark.slow
def test_numbers_stored_in_8_bits_are_named_where_those_of_a_key_are_nan() -> None:
    how = Arithmetic(0.125)
    head = simulate(3, how, n_keys=N)
    assert head.values is not None
    head = replace(head, values=head.values / 64)
    assert head.values is not None
    changed = replace(head, values=asymmetric(head.values, None))
    values = head.values.copy()
    values[-1] = np.nan
    head = replace(head, values=values, output=computed(changed, how).output)
    fit = explain(head, promising(HeadModel(0.125), "bfloat16"))
    assert suspected(fit) == "values stored as asymmetric int8"


@pytest.mark.parametrize(
    ("format", "factor"), slow_after(0, [("bfloat16", 1.05), ("float16", 1.006)])
)
def test_one_number_that_is_a_little_wrong_has_no_suspect(format: str, factor: float) -> None:
    how = Arithmetic(0.125, format=format, path="flash")
    head = simulate(0, how, n_keys=N)
    assert head.output is not None
    output = head.output.copy()
    output[7, np.abs(output[7]).argmax()] *= factor
    head = replace(head, output=rounded(output, format))
    fit = explain(head, promising(HeadModel(0.125, mask=how.mask), format))
    assert not fit.passes
    assert not fit.explains
    assert suspected(fit) == ""
    assert len(fit.counts.wrong) == 1


def promising(model: HeadModel, format: str) -> Reference:
    return Reference(model, STATED, HEAD_LEVEL, format=format)


def suspected(fit: Explanation) -> str:
    return fit.suspect.name if fit.suspect else ""


def logits(head: HeadRows, multiplier: float) -> np.ndarray:
    """Return m·q·k in float64, and −∞ where a causal mask hides the key."""
    z = multiplier * (head.queries.astype(float) @ head.keys.T.astype(float))
    return np.where(np.arange(head.n_keys) <= head.rows[:, None], z, -np.inf)


def weighted(z: np.ndarray, sink: float = -np.inf, axis: int = 1) -> np.ndarray:
    top = np.maximum(z.max(axis=axis, keepdims=True), sink)
    exponentials = np.exp(z - top)
    return np.asarray(
        exponentials / (exponentials.sum(axis=axis, keepdims=True) + np.exp(sink - top))
    )


@pytest.mark.parametrize("format", slow_after(1, ["float32", "bfloat16", "float16"]))
@pytest.mark.parametrize(
    ("name", "softcap", "weights"),
    slow_after(
        4,
        [
            (
                "softmax was taken over the queries: the columns sum to 1", None,
                lambda z: weighted(z, axis=0),
            ),
            (
                "1 is added to the sum after the maximum is subtracted: a sink as heavy as the top "
                "key", None, lambda z: weighted(z, z.max(axis=1, keepdims=True)),
            ),
            (
                "the cap is applied after the mask: hidden keys have the logit −2", 2.0,
                lambda z: weighted(2 * np.tanh(z / 2)),
            ),
            (
                "the cap is z·tanh(z/2) in place of 2·tanh(z/…)", 2.0,
                lambda z: weighted(np.where(np.isfinite(z), z * np.tanh(z / 2), -np.inf)),
            ),
        ],
        ["over queries", "softmax₁", "cap after mask", "another cap"],
    ),
)  # fmt: skip
def test_a_fault_of_softmax_or_of_the_cap_is_named(
    name: str, softcap: float | None, weights: Callable[[np.ndarray], np.ndarray], format: str
) -> None:
    how = Arithmetic(0.125, format=format)
    head = simulate(3, how, n_keys=64, d_k=32, rows=64, logit_std=2.0)
    assert head.values is not None
    output = (weights(logits(head, 0.125)) @ head.values).astype(np.float32)
    model = HeadModel(0.125, softcap=softcap)
    tampered = replace(head, output=rounded(output, format))
    fit = explain(tampered, promising(model, format))
    assert not fit.explains
    assert suspected(fit) == name
    # With a sound output none of these is named.
    sound = computed(head, replace(how, softcap=softcap))
    assert suspected(explain(sound, promising(model, format))) == ""


def test_rows_of_nan_say_why_only_their_own_numbers_overflow() -> None:
    how = Arithmetic(1.0, softcap=5.0, format="float32")
    head = simulate(3, how, n_keys=64, d_k=32, rows=64, logit_std=100.0)
    assert head.output is not None
    model = HeadModel(1.0, softcap=5.0)
    steps = np.abs(np.where(np.isfinite(logits(head, 1.0)), logits(head, 1.0), 0.0)).max(1) / 5.0
    output = np.where((steps > 88.72 / 2)[:, None], np.nan, head.output)
    some = explain(replace(head, output=output), promising(model, "float32"))
    assert some.suspect is not None
    assert "e^2x of |m·s/5| is infinite there" in some.suspect.evidence
    output[np.flatnonzero(steps <= 88.72 / 2)[-1]] = np.nan
    more = explain(replace(head, output=output), promising(model, "float32"))
    assert more.suspect is not None
    assert more.suspect.evidence == ""


def test_nothing_is_suspected_of_a_head_that_is_as_promised() -> None:
    # A fault that leaves as much as the promise explains nothing, however small it is fitted.
    for name in ("float32", "bfloat16"):
        reference = promising(HeadModel(0.125, softcap=50.0), name)
        head = simulate(3, Arithmetic(0.125, softcap=50.0, format=name), n_keys=64, d_k=32)
        case = HeadCase.of(head, reference)
        assert isinstance(case, HeadCase)
        assert suspect_of(case) is None


def test_an_output_of_zeros_is_named() -> None:
    head = simulate(3, Arithmetic(0.125), n_keys=64, d_k=32)
    assert head.output is not None
    fit = explain(replace(head, output=0 * head.output), promising(HeadModel(0.125), "bfloat16"))
    assert suspected(fit) == "the output is 0 in every row"


def test_buckets_are_those_of_t5() -> None:
    # As transformers' T5Attention._relative_position_bucket has them.
    distances = np.array([-200, -128, -64, -20, -9, -8, -1, 0, 1, 8, 64, 200])
    assert buckets(distances, both=True).tolist() == [15, 15, 14, 10, 8, 8, 1, 0, 17, 24, 30, 31]
    assert buckets(distances, both=False).tolist() == [31, 31, 26, 17, 9, 8, 1, 0, 0, 0, 0, 0]


def shortened(head: HeadRows, how: Arithmetic, lightest: bool, rows: slice) -> np.ndarray:
    """Return which keys rows see if some lack the lightest of them, or another."""
    seen = how.mask.seen(head)
    z = np.where(seen, logits(head, how.multiplier), -np.inf)  # type: ignore[arg-type]
    order = np.argsort(np.where(np.isfinite(z), z, np.inf if lightest else -np.inf), axis=1)
    for row in np.flatnonzero(seen.sum(axis=1) > 2)[rows]:
        seen[row, order[row, 0 if lightest else -2]] = False
    return seen


@pytest.mark.parametrize(
    ("bias", "rows", "name"),
    [
        (False, slice(None), r"62 of 64 rows lack the lightest of the keys .*: one key short\?"),
        # The lightest by q·k is not the lightest by the logit with ALiBi.
        (True, slice(None), r"62 of 64 rows lack one of the keys that .*: one key short\?"),
        (False, slice(-9, -8), r"row 55 does not see key \d+, which it should"),
    ],
)
def test_rows_that_lack_one_key_are_named(bias: bool, rows: slice, name: str) -> None:
    how = Arithmetic(0.125, format="float32")
    head = simulate(3, how, n_keys=64, d_k=32, rows=64, logit_std=0.5)
    model, biased = HeadModel(0.125), head
    if bias:
        model = replace(model, bias=Alibi(0.01))
        biased = replace(head, bias=Alibi(0.01).bias(head, model.mask))
    short = replace(biased, seen=shortened(head, how, rows == slice(None), rows))
    output = computed(short, replace(how, mask=HeadMask("given"))).output
    fit = explain(replace(head, output=output), promising(model, "float32"))
    assert re.fullmatch(name, suspected(fit)), suspected(fit)


def test_a_top_k_that_is_one_key_short_is_named_though_few_rows_show_it() -> None:
    """The lightest of eight keys often has too little weight for a row to be wrong by itself."""
    how = Arithmetic(0.125, mask=HeadMask("given"))
    head = simulate(3, replace(how, mask=HeadMask("causal")), n_keys=28, d_k=32, rows=28,
                    logit_std=4.0)  # fmt: skip
    z = np.where(HeadMask("causal").seen(head), logits(head, 0.125), -np.inf)
    order = np.sort(z, axis=1)
    eight, seven = (np.isfinite(z) & (z >= order[:, -count][:, None]) for count in (8, 7))
    output = computed(replace(head, seen=seven), how).output
    fit = explain(
        replace(head, seen=eight, output=output),
        promising(HeadModel(0.125, mask=HeadMask("given")), "bfloat16"),
    )
    assert len(fit.counts.wrong) < 15
    name = "21 of 28 rows lack the lightest of the keys that their mask shows: one key short?"
    assert suspected(fit) == name


@pytest.mark.parametrize("logit_std", [1.0, 4.0])
def test_a_hidden_diagonal_is_named_though_few_rows_show_it(logit_std: float) -> None:
    how = Arithmetic(0.125, mask=HeadMask("given"))
    head = simulate(3, replace(how, mask=HeadMask("none")), n_keys=40, d_k=32, rows=40,
                    logit_std=logit_std)  # fmt: skip
    output = computed(replace(head, seen=~np.eye(40, dtype=bool)), how).output
    model = HeadModel(0.125, mask=HeadMask("none"))
    fit = explain(replace(head, output=output), promising(model, "bfloat16"))
    name = "all 40 rows lack the key at which they stand: is the diagonal hidden?"
    assert suspected(fit) == name


@pytest.mark.slow
def test_rows_that_see_one_key_more_are_named() -> None:
    how = Arithmetic(0.125)
    head = simulate(3, how, n_keys=64, d_k=32, rows=64)
    seen = how.mask.seen(head)
    seen[8:40, 50] = True
    more = computed(replace(head, seen=seen), replace(how, mask=HeadMask("given")))
    fit = explain(replace(more, seen=None), promising(HeadModel(0.125), "bfloat16"))
    assert suspected(fit) == "32 of 64 rows see key 50, which is hidden from them"
    seen[:, 60] = True
    more = computed(replace(head, seen=seen), replace(how, mask=HeadMask("given")))
    several = explain(replace(more, seen=None), promising(HeadModel(0.125), "bfloat16"))
    assert suspected(several) == ""


def test_a_key_that_all_rows_see_is_named_though_few_show_it() -> None:
    how = Arithmetic(0.125)
    head = simulate(3, how, n_keys=40, d_k=32, rows=40, logit_std=4.0)
    seen = how.mask.seen(head)
    seen[:, 39] = True
    more = computed(replace(head, seen=seen), replace(how, mask=HeadMask("given")))
    fit = explain(replace(more, seen=None), promising(HeadModel(0.125), "bfloat16"))
    assert len(fit.counts.wrong) < 35
    assert suspected(fit) == "39 of 40 rows see key 39, which is hidden from them"


@pytest.mark.parametrize("format", slow_after(1, ["float32", "bfloat16", "float16"]))
@pytest.mark.parametrize("kind", slow_after(1, ["causal", "none"]))
@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ("logits", "give key 20 another weight"),
        ("keys", "give key 20 another weight"),
        ("values", "see another value of key 20"),
    ],
)
def test_no_more_than_what_shows_is_said_of_a_slot(
    changed: str, name: str, kind: str, format: str
) -> None:
    """A kernel may add to the logits of one key, or lose its value alone: nothing is stale then."""
    mask = HeadMask(kind)  # type: ignore[arg-type]
    how = Arithmetic(0.125, format=format, path="float32", mask=mask)
    head = simulate(3, how, n_keys=64, rows=range(64))
    used = replace(head, bias=2.0 * (np.arange(64) == 20) * np.ones((64, 1), np.float32))
    if changed != "logits":
        part = getattr(head, changed).copy()
        part[20] = rounded(np.random.default_rng(3).standard_normal(64, np.float32), format)
        used = replace(head, **{changed: part})
    fit = explain(
        replace(head, output=computed(used, how).output),
        promising(HeadModel(0.125, mask=mask), format),
    )
    assert re.fullmatch(f"(all )?[0-9a-z ]+ rows {name}", suspected(fit))


def test_a_channel_that_is_wrong_in_every_other_row_says_in_how_many() -> None:
    head = simulate(3, Arithmetic(0.125), n_keys=64, rows=range(64))
    assert head.output is not None
    output = head.output.copy()
    output[::2, 3] += 1
    fit = explain(
        replace(head, output=rounded(output, "bfloat16")), promising(HeadModel(0.125), "bfloat16")
    )
    wrong = "channel 3 of the output is wrong in 32 of 64 rows, and the other 63 are right"
    assert suspected(fit) == wrong
