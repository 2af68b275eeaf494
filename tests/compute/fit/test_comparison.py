"""What counts as the output that a model gives: honest arithmetic, and no more."""

from dataclasses import replace

import numpy as np
import pytest

from attn_tui.compute.arrays import rounded
from attn_tui.compute.fit.case import HeadCase
from attn_tui.compute.fit.comparison import COARSE, Comparison, NewtonStep, pooled
from attn_tui.compute.fit.explain import Reference, explain
from attn_tui.compute.fit.head import Path
from attn_tui.compute.fit.noise import format_of, paths_of
from attn_tui.compute.fit.simulate import Arithmetic, computed, simulate
from attn_tui.compute.heads.head_model import PARTS, HeadModel
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows
from benchmarks.verdicts.proof.arithmetic import approximate_exp
from tests.compute.fit.heads import HEAD_LEVEL, STATED
from tests.pairs import covering

N, D = 96, 32
MODEL = HeadModel(0.2, 0.75, softcap=20.0, sink=0.5, mask=HeadMask("window", 0, 33))
EXACT = Arithmetic(0.2, 0.75, 20.0, 0.5, HeadMask("window", 0, 33), "float64")
WAYS = [
    (name, path) for name in ("float32", "bfloat16", "float16")
    for path in paths_of(format_of(name)) if path != "tf32"
]  # fmt: skip
SEEDS = range(3)


def drawn(seed: int, format: str, path: Path) -> tuple[HeadRows, np.ndarray, np.ndarray]:
    """Return all rows of a head, the error of its arithmetic, and the size of each row.

    Sizes are max Σ p·|v|; the reference is the same formula in float64.
    """
    head = simulate(
        seed, replace(EXACT, format=format, path=path), n_keys=N, d_k=D, rows=range(N),
        logit_std=3.0,
    )  # fmt: skip
    assert head.output is not None
    error = head.output - exact(head)
    assert head.values is not None
    sizes = exact(replace(head, values=np.abs(head.values))).max(axis=1)
    return head, error, sizes


def exact(head: HeadRows) -> np.ndarray:
    """Return the output in float64, written down here once more."""
    assert head.values is not None
    q, k, v = (np.asarray(part, np.float64) for part in (head.queries, head.keys, head.values))
    z = 20 * np.tanh(0.2 * (q @ k.T) / 20)
    keys, own = np.arange(N), head.rows[:, None]
    exponentials = np.where((keys <= own) & (keys > own - 33), np.exp(z), 0.0)
    return np.asarray(0.75 * exponentials @ v / (exponentials.sum(1, keepdims=True) + np.exp(0.5)))


def compared(head: HeadRows, model: HeadModel = MODEL, format: str = "float32") -> Comparison:
    case = HeadCase.of(head, Reference(model, STATED, HEAD_LEVEL, format=format))
    assert isinstance(case, HeadCase)
    with np.errstate(all="ignore"):
        return case.comparison(model)


@pytest.mark.parametrize(
    ("format", "path", "seed"), [(*way, seed) for way in WAYS for seed in SEEDS]
)
def test_an_honest_arithmetic_passes(format: str, path: Path, seed: int) -> None:
    head, _, _ = drawn(seed, format, path)
    comparison = compared(head)
    assert comparison.passes
    assert comparison.moved == ()
    assert comparison.coarseness == 0
    assert len(comparison.wrong) == 0


def far_from_0(how: Arithmetic, far: float, spread: float, seed: int = 0) -> HeadRows:
    """Return a head whose q and k have a part in common, so that all logits lie far from 0."""
    rng = np.random.default_rng(seed)
    q, k, v = rng.standard_normal((3, N, D))
    q *= spread / (MODEL.multiplier * D**0.5)
    size = (abs(far) / MODEL.multiplier) ** 0.5
    q[:, 0], k[:, 0] = size, np.copysign(size, far)
    q, k, v = (rounded(x.astype(np.float32), how.format) for x in (q, k, v))
    formats = dict.fromkeys(("q", "k", "v", "out"), how.format)
    return computed(HeadRows(np.arange(N), N, q, k, v, formats=formats), how)


FAR = [(-60.0, 0.2), (-30.0, 0.2), (-30.0, 3.0), (10.0, 0.7), (30.0, 0.2), (30.0, 0.7)]
"""Where the logits of a head lie, and how far apart: with a cap of 20, up to three caps away."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("format", "path", "softcap"),
    [
        ("float32", "float32", 20.0),
        ("bfloat16", "eager", 20.0),
        ("bfloat16", "eager", None),
        ("float16", "stepwise", 20.0),
        ("bfloat16", "scaled", 20.0),
    ],
)
def test_logits_that_lie_close_together_far_from_0_are_no_other_numbers(
    format: str, path: Path, softcap: float | None
) -> None:
    """Their errors follow them: rounding makes stairs of them, and tanh errs by polynomials."""
    model = replace(MODEL, softcap=softcap, value_scale=1.0, sink=None)
    how = replace(EXACT, value_scale=1.0, softcap=softcap, sink=None, format=format, path=path)
    for far, spread in FAR:
        head = far_from_0(how, far, spread)
        reference = Reference(model, STATED, HEAD_LEVEL, format="float32")
        explanation = explain(head, reference, search=False)
        assert explanation.passes, (far, spread)
        steps = [step for step in explanation.steps.values() if 0 < step.error < np.inf]
        # Many such heads do not show another number together either.
        assert all(abs(step.value) < 2.5 * step.error for step in steps), (far, spread, steps)


def flash_head(format: str, logit_std: float, multiplier: float, scale: float) -> HeadRows:
    """Return the 384 rows of a head whose exponentials were approximated."""
    n, d = 384, 64
    how = Arithmetic(0.125, format=format, mask=HeadMask("none"))
    head = simulate(1, how, n_keys=n, d_k=d, rows=range(n), logit_std=logit_std)
    assert head.values is not None
    z = multiplier * (head.queries @ head.keys.T)
    exponentials = approximate_exp((z - z.max(axis=1, keepdims=True)).astype(np.float64))
    sums = exponentials.sum(axis=1, keepdims=True)
    out = scale * (rounded(exponentials.astype(np.float32), format) @ head.values) / sums
    return replace(head, output=rounded(out.astype(np.float32), format))


@pytest.mark.parametrize("format", ["float16", "bfloat16"])
@pytest.mark.parametrize("logit_std", [0.5, 3.0, 8.0])
def test_exponentials_that_a_kernel_approximates_are_no_other_numbers(
    format: str, logit_std: float
) -> None:
    """PyTorch's own attention in float16 was refused from 500 keys on: m = 0.12499921."""
    model = HeadModel(0.125, mask=HeadMask("none"))
    assert compared(flash_head(format, logit_std, 0.125, 1.0), model, format).moved == ()
    other_m = compared(flash_head(format, logit_std, 0.125 * 1.004, 1.0), model, format)
    assert "multiplier" in other_m.moved
    other_scale = compared(flash_head(format, logit_std, 0.125, 1.001), model, format)
    assert "value_scale" in other_scale.moved


def plain_head(format: str, path: Path, multiplier: float, size: float) -> HeadRows:
    """Return a causal head of normal q, k and v, the first number of each key of this size."""
    q, k, v = np.random.default_rng(0).standard_normal((3, N, D))
    q[:, 0], k[:, 0] = 1.0, size
    how = replace(EXACT, multiplier=multiplier, value_scale=1.0, softcap=None, sink=None,
                  format=format, path=path, mask=HeadMask("causal"))  # fmt: skip
    q, k, v = (rounded(x.astype(np.float32), format) for x in (q, k, v))
    formats = dict.fromkeys(("q", "k", "v", "out"), format)
    return computed(HeadRows(np.arange(N), N, q, k, v, formats=formats), how)


def test_keys_that_no_row_sees_leave_no_room_for_another_m() -> None:
    """A cache that was not cleared holds whatever was there before."""
    head = plain_head("float32", "float32", 0.2 * 1.01, 0.0)
    keys = np.concatenate([head.keys, np.full((4, D), 1e8, np.float32)])
    assert head.values is not None
    values = np.concatenate([head.values, head.values[:4]])
    seen = np.concatenate([np.tri(N, dtype=bool), np.zeros((N, 4), bool)], axis=1)
    head = replace(head, keys=keys, values=values, seen=seen)
    model = HeadModel(0.2, mask=HeadMask("given"))
    assert not explain(head, Reference(model, STATED, HEAD_LEVEL), search=False).passes


def test_an_m_whose_root_is_a_power_of_two_may_be_what_m_is_rounded_to() -> None:
    head = plain_head("bfloat16", "eager", 0.125, 0.0)
    model = HeadModel(0.0156, mask=HeadMask("causal"))
    reference = Reference(model, STATED, HEAD_LEVEL, format="bfloat16")
    assert not explain(head, reference, search=False).passes


def test_a_score_that_overflows_leaves_no_room_for_another_m() -> None:
    head = plain_head("float16", "eager", 0.2 * 1.004, 0.0)
    keys = head.keys.copy()
    keys[50] = 0
    keys[50, 0] = -65504.0
    queries = head.queries.copy()
    queries[:, 0] = 1.25
    how = replace(EXACT, multiplier=0.2 * 1.004, value_scale=1.0, softcap=None, sink=None,
                  format="float16", path="eager", mask=HeadMask("causal"))  # fmt: skip
    head = computed(replace(head, keys=keys, queries=queries), how)
    model = HeadModel(0.2, mask=HeadMask("causal"))
    assert "multiplier" in compared(head, model).moved


@pytest.mark.parametrize(
    ("format", "path", "row"), [(*way, row) for way, row in covering(WAYS, [0, 40, 95])]
)
def test_one_number_off_by_eight_times_the_largest_honest_error_fails_and_names_its_row(
    format: str, path: Path, row: int
) -> None:
    head, _, sizes = drawn(1, format, path)
    honest = [np.abs(drawn(1, name, way)[1][row]).max() for name, way in WAYS if name == format]
    assert head.output is not None
    output = head.output.astype(np.float64)
    # In float32 more is allowed: exp may be approximated.
    least = 60 * 2.0**-23 * sizes[row] if format == "float32" else 0.0
    output[row, 7] += max(8.1 * max(honest), least) * np.sign(output[row, 7])
    comparison = compared(replace(head, output=rounded(output, format)))
    assert not comparison.passes
    assert comparison.wrong.tolist() == [row]


def with_equal_tokens(seed: int, how: Arithmetic) -> HeadRows:
    """Return a head of 16 tokens and of 560 that are all the same, as those of padding are."""
    some = np.random.default_rng(seed).standard_normal((3, 17, 16)).astype(np.float32)
    q, k, v = 0.3 * some[:, np.minimum(np.arange(576), 16)]
    formats = dict.fromkeys(("q", "k", "v", "out"), "float32")
    return computed(HeadRows(np.arange(576), 576, q, k, v, formats=formats), how)


@pytest.mark.slow
def test_equal_tokens_err_alike_and_pass_unless_a_number_is_off() -> None:
    promised = HeadModel(0.25, mask=HeadMask("none"))
    plain = Arithmetic(0.25, format="float32", mask=HeadMask("none"))
    for seed in range(3):
        assert compared(with_equal_tokens(seed, plain), promised).passes
        for change in ({"multiplier": 0.252}, {"value_scale": 1.001}):
            off = replace(plain, **change)  # type: ignore[arg-type]
            assert not compared(with_equal_tokens(seed, off), promised).passes


def test_heads_show_a_number_together_unless_one_of_them_decides() -> None:
    alike = [
        NewtonStep(4e-3, 1e-3),
        NewtonStep(3e-3, 1e-3),
        NewtonStep(3e-3, 1e-3),
        NewtonStep(-1e-2, 1e-1),
    ]
    shown = pooled(alike, 5e-4)
    assert shown is not None
    assert shown.value == pytest.approx(10e-3 / 3, rel=0.01)
    # Six standard errors of two rows are no more than its own test allows.
    assert pooled([NewtonStep(6e-3, 1e-3), NewtonStep(1e-2, 3e-2)], 5e-4) is None
    # The other head has to show three of its own standard errors where both just show a step.
    assert pooled([NewtonStep(6e-3, 1e-3), NewtonStep(6e-3, 1.5e-3)], 5e-4) is not None
    assert pooled([NewtonStep(6e-3, 1e-3), NewtonStep(6e-3, 1.8e-3)], 5e-4) is None
    assert pooled([NewtonStep(2e-3, 1e-3)] * 9, 5e-4) is None


def test_a_residual_of_few_errors_may_be_larger_by_chance() -> None:
    """Of one row, a few errors are most: an honest residual is 1.6 times what is usual."""
    how, model = Arithmetic(32**-0.5, format="bfloat16", path="scaled"), HeadModel(32**-0.5)
    for seed, rows, off, is_snug in ((31, [95], 1.0, True), (31, range(96), 1.04, False)):
        tampered = replace(how, multiplier=off * how.multiplier)
        head = simulate(seed, tampered, n_keys=96, d_k=32, rows=rows)
        case = HeadCase.of(head, Reference(model, STATED, HEAD_LEVEL, format="bfloat16"))
        assert isinstance(case, HeadCase)
        prediction = replace(case, paths=("scaled",)).prediction(model)
        assert prediction.is_snug is is_snug
        assert prediction.residual > 1.5 * prediction.rounding


@pytest.mark.parametrize("format", ["float16", "bfloat16"])
def test_a_row_that_is_rounded_to_the_value_of_one_key_passes(format: str) -> None:
    """All of its numbers are rounded to the same side, by up to half a unit: the row stretches."""
    mask = HeadMask("none")
    how = Arithmetic(0.07, format=format, path="flash", mask=mask)
    head = simulate(1, how, n_keys=N, d_k=192, rows=range(N), logit_std=2.0)
    one, unit = head.keys[0], 2.0 ** -format_of(format).bits
    sizes = np.geomspace(0.2, 2.0, 400)
    products = head.keys @ one
    others = np.exp(0.07 * np.outer(sizes, products[1:] - products[0])).sum(axis=1)
    leaning = sizes[(0.4 * unit < others) & (others < 1.1 * unit)]
    assert len(leaning) > 5
    queries = head.queries.copy()
    queries[: len(leaning)] = rounded(np.outer(leaning, one).astype(np.float32), format)
    head = computed(replace(head, queries=queries), how)
    comparison = compared(head, HeadModel(0.07, mask=mask), format)
    assert comparison.path == "flash"
    assert comparison.excess.max() < 0.9


def test_a_row_may_be_off_by_few_errors_that_are_large_by_chance() -> None:
    """Far from 0 each score is rounded by much: 30 errors move 192 numbers, not one each."""
    how = Arithmetic(0.07, format="float16", path="eager", mask=HeadMask("none"))
    for seed in range(4):
        rng = np.random.default_rng(seed)
        q, k, v = rng.standard_normal((3, 30, 192))
        q *= 0.6
        q[:, 0] = k[:, 0] = (40.0 / how.multiplier) ** 0.5
        q, k, v = (rounded(x.astype(np.float32), how.format) for x in (q, k, v))
        formats = dict.fromkeys(("q", "k", "v", "out"), how.format)
        head = computed(HeadRows(np.arange(30), 30, q, k, v, formats=formats), how)
        comparison = compared(head, HeadModel(0.07, mask=how.mask), how.format)
        assert comparison.excess.max() < 0.68, seed


def test_the_worst_row_is_named_first() -> None:
    head, _, _ = drawn(1, "bfloat16", "flash")
    assert head.output is not None
    output = head.output.copy()
    output[10] *= 2
    output[20] = np.nan
    assert compared(replace(head, output=output)).wrong.tolist() == [20, 10]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_one_number_that_is_not_finite_fails(value: float) -> None:
    head, _, _ = drawn(1, "bfloat16", "flash")
    assert head.output is not None
    output = head.output.copy()
    output[50, 3] = value
    comparison = compared(replace(head, output=output))
    assert not comparison.passes
    assert comparison.wrong.tolist() == [50]


CHANGES = (
    ("multiplier", {"multiplier": 0.2 * 1.02}), ("curvature", {"softcap": 20.0 * 1.05}),
    ("sink", {"sink": 0.6}), ("value_scale", {"value_scale": 0.75 * 1.003}),
)  # fmt: skip


@pytest.mark.parametrize(
    ("format", "part", "change"),
    [(name, *change) for name in ("float32", "bfloat16", "float16") for change in CHANGES],
)
def test_another_number_fails_in_every_format(
    format: str, part: str, change: dict[str, float]
) -> None:
    head, _, _ = drawn(1, format, "float32")
    other = replace(EXACT, format=format, path="float32", **change)  # type: ignore[arg-type]
    comparison = compared(computed(head, other))
    assert not comparison.passes
    assert part in comparison.moved or len(comparison.wrong)


def test_in_bfloat16_steps_alone_see_what_no_row_shows() -> None:
    head, _, _ = drawn(1, "bfloat16", "float32")
    other = replace(EXACT, format="bfloat16", path="float32", value_scale=0.75 * 1.003)
    comparison = compared(computed(head, other))
    assert len(comparison.wrong) == 0
    assert "value_scale" in comparison.moved
    assert not comparison.passes


def coarse(head: HeadRows, share: float) -> HeadRows:
    """Return the head in float32 with errors of up to a share of each row's size, as of exp."""
    assert head.values is not None
    assert head.output is not None
    sizes = exact(replace(head, values=np.abs(head.values))).max(axis=1)
    error = np.random.default_rng(2).uniform(-share, share, head.output.shape)
    output = (exact(head) + error * sizes[:, None]).astype(np.float32)
    return replace(head, output=output)


def test_arithmetic_coarser_than_float32_passes_and_says_by_how_much() -> None:
    head, _, _ = drawn(1, "float32", "float32")
    comparison = compared(coarse(head, 0.8 * COARSE))
    assert comparison.passes
    assert 20 < comparison.coarseness < 60
    assert len(comparison.wrong) > 0


def test_arithmetic_that_is_too_coarse_fails() -> None:
    head, _, _ = drawn(1, "float32", "float32")
    assert not compared(coarse(head, 2.5 * COARSE)).passes


def test_no_such_room_is_left_in_other_formats() -> None:
    head, _, _ = drawn(1, "float64", "float32")
    assert compared(head).passes
    assert not compared(replace(head, output=exact(head) * (1 + 1e-9))).passes


def test_coarse_arithmetic_must_not_move_a_number() -> None:
    head, _, _ = drawn(1, "float32", "float32")
    assert head.output is not None
    # 15 units of float32 in every row, all to one side: a value scale.
    output = (exact(head) * (1 + 15 * 2.0**-23)).astype(np.float32)
    comparison = compared(replace(head, output=output))
    assert "value_scale" in comparison.moved
    assert not comparison.passes


def test_an_m_that_was_rounded_to_the_format_is_the_promised_one() -> None:
    head = simulate(1, Arithmetic(0.17675781, path="flash"), n_keys=N, d_k=D, rows=range(N))
    for m, passes in ((0.1772, True), (0.1785, False)):
        reference = Reference(HeadModel(m), frozenset(PARTS), format="bfloat16")
        assert explain(head, reference, search=False).passes is passes
