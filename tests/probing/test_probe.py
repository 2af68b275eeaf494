"""`attn_tui.probe`: which calls are made, what they show together, and what can be done with it."""

import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import attn_tui
from attn_tui import InputError
from attn_tui.compute.fit.explain import explain
from attn_tui.probing.inputs import ProbePlan, drawn, from_layout, laid_out
from attn_tui.probing.probed import ProbedCall
from tests.pairs import slow_after
from tests.probing.kernels import (
    Kernel,
    Numbers,
    below,
    by_mask,
    causal,
    hidden,
    out_of,
    plain,
    scaled_by,
    scores,
    softmax,
    writing,
)

QUICK = partial(attn_tui.probe, quick=True)
PLAN = ProbePlan(4, 2, 16, None, (), False, False, False, "float16", 1)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_inputs_and_another_one_others() -> None:
    first: list[bytes] = []
    again: list[bytes] = []
    other: list[bytes] = []
    for seed, kept in ((3, first), (3, again), (4, other)):

        def recorded(q: Numbers, k: Numbers, v: Numbers, kept: list[bytes] = kept) -> Numbers:
            kept.append(q.tobytes() + k.tobytes() + v.tobytes())
            return plain(q, k, v)

        QUICK(recorded, seed=seed)
    assert first == again
    assert not {*first} & {*other}


def test_calls_have_the_lengths_around_blocks_and_several_sequences() -> None:
    inputs = PLAN.inputs()
    assert {one.shape.keys for one in inputs} == {1, 2, 17, 64, 127, 128, 129, 257, 513}
    assert {one.shape.batch for one in inputs} == {1, 3}
    assert any(one.is_strided for one in inputs)
    assert any(one.shape.d_v != one.shape.d_k for one in inputs)
    large = next(one for one in inputs if one.largest is not None)
    arrays = drawn(large, PLAN)
    most = np.abs(np.einsum("bhqd,bhkd->bhqk", *(
        np.repeat(arrays[part].astype(np.float64), group, 1) for part, group in (("q", 1), ("k", 2))
    ))).max()  # fmt: skip
    assert 30_000 < most <= 32_752


@pytest.mark.parametrize("layout", ["bnhd", "hnd", "nhd", "bnd", "nd"])
def test_axes_may_stand_in_another_order(layout: str) -> None:
    def turned(*arrays: Numbers) -> Numbers:
        out = plain(*(from_layout(array, layout) for array in arrays))
        return laid_out(out, layout, is_strided=False)

    def at_hand(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
        """The same with the axes written out: from [positions, heads, d]."""
        q, k, v = (array.transpose(1, 0, 2)[None] for array in (q, k, v))
        return np.asarray(plain(q, k, v)[0].transpose(1, 0, 2))

    if layout == "nhd":
        assert QUICK(at_hand, layout=layout).verdict == "agrees"
    assert QUICK(turned, layout=layout).verdict == "agrees"


def test_a_function_that_raises_for_one_shape_has_that_shape_in_the_diagnosis() -> None:
    def picky(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
        if q.shape[2] == 17:
            raise IndexError("no such block")
        return plain(q, k, v)

    diagnosis = QUICK(picky)
    assert diagnosis.verdict == "differs"
    assert "n = 17: it raises IndexError: no such block" in diagnosis.line
    assert [call.verdict for call in diagnosis.cases].count("fails") == 3


def by_name(*, q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    return plain(q, k, v)


def query_first(query: Numbers, *, value: Numbers, key: Numbers) -> Numbers:
    return plain(query, key, value)


def writing_by_name(*, query: Numbers, key: Numbers, value: Numbers) -> Numbers:
    return writing(query, key, value)


def with_random_key(q: Numbers, k: Numbers, v: Numbers, *, key: object = None) -> Numbers:
    return plain(q, k, v)


@pytest.mark.parametrize("function", [by_name, query_first, with_random_key])
def test_a_function_may_take_its_arrays_by_keyword_alone(function: Kernel) -> None:
    assert QUICK(function, lengths=[17]).verdict == "agrees"


@pytest.mark.parametrize("function", [writing_by_name, query_first])
def test_a_script_calls_by_keyword_what_takes_no_other_arguments(function: Kernel) -> None:
    diagnosis = QUICK(function, lengths=[17], scale=1.0 if function is query_first else None)
    assert diagnosis.verdict == "differs"
    names: dict[str, Any] = {"f": function}
    exec(diagnosis.reproduce().replace("f = ...", "# f = ..."), names)


@pytest.mark.slow
def test_a_mask_that_is_lost_beyond_some_length_is_seen() -> None:
    """Kernels choose another path for long sequences."""

    def lost(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
        return (plain if k.shape[2] > 300 else causal)(q, k, v)

    diagnosis = attn_tui.probe(lost, causal=True)
    assert diagnosis.verdict == "differs"
    assert "only where n is larger than 257" in diagnosis.line


def test_one_that_raises_for_all_raises_its_own_exception() -> None:
    def absent(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
        raise ZeroDivisionError("nothing works")

    with pytest.raises(ZeroDivisionError, match="nothing works") as error:
        QUICK(absent)
    assert "torch" in sys.modules or 'like="torch"' in error.value.__notes__[0]


def test_one_that_takes_values_of_one_length_alone_agrees_and_says_so() -> None:
    def square(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
        if v.shape != k.shape:
            raise ValueError("v and k differ")
        return plain(q, k, v)

    diagnosis = attn_tui.probe(square, lengths=[17, 64])
    assert diagnosis.verdict == "agrees"
    assert any(text.startswith("It does not take d_v ≠ d_k") for text in diagnosis.why)


@pytest.mark.parametrize(
    ("returned", "says"),
    [
        (lambda q, k, v: plain(q, k, v)[:, :, :1], "it returns 1×4×1×64, not 1×4×2×64"),
        (lambda q, k, v: (plain(q, k, v), None), "it returns a tuple of 2, not the output alone"),
        (lambda q, k, v: q.astype(int), "it returns int64"),
    ],
)
def test_what_is_no_output_is_said(returned: Any, says: str) -> None:
    def some(q: Numbers, k: Numbers, v: Numbers) -> Any:
        return returned(q, k, v) if k.shape[2] == 2 else plain(q, k, v)

    assert says in QUICK(some).line


def test_extreme_scores_must_not_give_nan() -> None:
    def naive(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
        with np.errstate(all="ignore"):
            p = np.exp(scores(q, k) / np.float32(8))
            return out_of(p / p.sum(3, keepdims=True), v)

    diagnosis = QUICK(naive)
    assert diagnosis.line.startswith("differs: n = 17, |q·k| up to 10,000: the output is NaN")
    assert "only with extreme |q·k|" in diagnosis.line
    assert "the output is NaN or infinite in" in str(diagnosis)


UNSCALED = scaled_by(lambda d_k, d_v, n: 1.0)
SQUARED = scaled_by(lambda d_k, d_v, n: 1.0 / d_k)


def products(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    """Return the scores in place of an output."""
    return scores(q, k)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kernel", "is_causal", "dtype"),
    slow_after(1, [
        (plain, True, "float32"), (products, False, "float32"), (SQUARED, False, "float32"),
        (UNSCALED, False, "float32"), (causal, False, "float32"), (SQUARED, False, "bfloat16"),
        (plain, True, "bfloat16"), (causal, False, "float16"),
    ]),
)  # fmt: skip
def test_a_wrong_output_of_extreme_scores_is_not_called_right(
    kernel: Kernel, is_causal: bool, dtype: str
) -> None:
    case = extreme_call(in_float32(kernel), is_causal, dtype)
    assert case.verdict == "differs"
    assert "rows are not what is promised" in case.text


@pytest.mark.slow
@pytest.mark.parametrize("dtype", slow_after(1, ["float16", "float32", "float64", "bfloat16"]))
@pytest.mark.parametrize("extremes", slow_after(1, [True, False]))
def test_honest_arithmetic_may_round_extreme_scores(dtype: str, extremes: bool) -> None:
    working = np.float64 if dtype == "float64" else np.float32

    def scored(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
        """Round scaled queries, scores and weights to the format."""
        scaled = np.divide(q.astype(working), 8).astype(q.dtype)
        z = scores(scaled.astype(working), k.astype(working)).astype(q.dtype).astype(working)
        p = softmax(hidden(z, below(z))).astype(q.dtype)
        return out_of(p.astype(working), v.astype(working)).astype(q.dtype)

    fused = causal if dtype == "float64" else in_float32(causal)
    for kernel in (scored, fused):
        case = extreme_call(kernel, True, dtype, extremes)
        assert case.is_right, case.text
        assert "each row is within rounding of what is promised" in case.text


def test_a_call_that_was_only_bounded_is_not_listed_as_right() -> None:
    lines = str(QUICK(plain)).splitlines()
    right = next(line for line in lines if line.startswith("right"))
    assert "|q·k|" not in right
    assert any(line.startswith("finite       n = 17, |q·k| up to 10,000: each") for line in lines)


@pytest.mark.slow
def test_a_configuration_masks_extreme_calls_as_it_does_others() -> None:
    config = {
        "model_type": "llama", "hidden_size": 256, "num_attention_heads": 4,
        "num_key_value_heads": 4, "head_dim": 64,
    }  # fmt: skip
    assert QUICK(causal, config=config).cases[-1].is_right
    assert not QUICK(plain, config=config).cases[-1].is_right


def test_the_script_has_the_extreme_scores_that_give_nan() -> None:
    def naive(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
        p = np.exp(scores(q, k) / np.float32(8))
        return out_of(p / p.sum(3, keepdims=True), v)

    with np.errstate(all="ignore"):
        script = QUICK(naive).reproduce()
        names: dict[str, Any] = {"f": naive}
        exec(script.replace("f = ...", "# f = ..."), names)
    assert not np.isfinite(names["out"]).all()


def in_float32(kernel: Kernel) -> Kernel:
    """Return a kernel that computes in float32 and rounds its output once."""

    def fused(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
        return kernel(*(one.astype(np.float32) for one in (q, k, v))).astype(q.dtype)

    return fused


def extreme_call(kernel: Kernel, is_causal: bool, dtype: str, extremes: bool = False) -> ProbedCall:
    """Return the call of a quick probe whose scores are extreme."""
    diagnosis = QUICK(kernel, causal=is_causal, dtype=dtype, extremes=extremes, lengths=[64])
    return next(case for case in diagnosis.cases if case.inputs.largest is not None)


@pytest.mark.slow
def test_rows_without_a_key_may_be_anything_unless_it_is_said() -> None:
    def some_hidden(n_q: int, n: int) -> Numbers:
        seen = np.ones((n_q, n), bool)
        seen[1:][-1:] = False
        return seen

    def zeroed(q: Numbers, k: Numbers, v: Numbers, mask: Numbers) -> Numbers:
        return np.nan_to_num(by_mask(q, k, v, mask))

    assert QUICK(zeroed, mask=some_hidden).verdict == "agrees"
    assert QUICK(zeroed, mask=some_hidden, hidden_rows="zero").verdict == "agrees"
    assert QUICK(by_mask, mask=some_hidden, hidden_rows="nan").verdict == "agrees"
    wrong = QUICK(by_mask, mask=some_hidden, hidden_rows="zero")
    assert "rows that see no key are not 0" in wrong.line


def unexplained(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    """No softmax: what no cause of the doctor gives."""
    p = np.abs(scores(q, k)) ** np.float32(1.5)
    return out_of(p / p.sum(3, keepdims=True), v)


@pytest.mark.parametrize(
    ("is_quick", "most"), [(True, 1), pytest.param(False, 6, marks=pytest.mark.slow)]
)
def test_a_cause_that_is_not_there_is_soon_no_longer_sought(
    is_quick: bool, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each head that is searched takes a quarter of a second."""
    searched: list[int] = []

    def counting(head: Any, reference: Any, *given: Any, **more: Any) -> Any:
        if more.get("search", len(given) > 1 and given[1]):
            searched.append(1)
        return explain(head, reference, *given, **more)

    monkeypatch.setattr("attn_tui.doctor.cause_search.explain", counting)
    diagnosis = attn_tui.probe(unexplained, quick=is_quick)
    assert len(searched) == most
    assert diagnosis.verdict in ("cannot tell", "differs")
    assert "no multiplier, cap, sink or mask gives this output" in diagnosis.line
    assert "the smallest: n = " in diagnosis.line


def test_decoding_has_fewer_queries_than_keys() -> None:
    diagnosis = QUICK(causal, causal=True, decode=True)
    assert diagnosis.verdict == "agrees"
    assert any(call.inputs.shape.queries < call.inputs.shape.keys for call in diagnosis.cases)


def test_bfloat16_is_given_and_allowed_for() -> None:
    def in_bfloat16(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
        out = causal(*(one.astype(np.float32) for one in (q, k, v)))
        return out.astype(q.dtype)

    assert QUICK(in_bfloat16, causal=True, dtype="bfloat16").verdict == "agrees"


@pytest.mark.slow
def test_a_configuration_says_what_is_meant() -> None:
    config = {
        "model_type": "gemma2", "hidden_size": 256, "num_attention_heads": 4, "head_dim": 64,
        "num_key_value_heads": 4, "query_pre_attn_scalar": 64, "attn_logit_softcapping": 20.0,
        "sliding_window": 4096,
    }  # fmt: skip

    def gemma(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
        z = np.float32(20) * np.tanh(scores(q, k) / np.float32(160))
        return out_of(softmax(hidden(z, below(z))), v)

    assert QUICK(gemma, config=config).verdict == "agrees"
    assert "soft cap none, promised 20" in QUICK(causal, config=config).line


@pytest.mark.slow
def test_the_script_shows_the_fault_without_this_program(tmp_path: Path) -> None:
    wrong = scaled_by(lambda d_k, d_v, n: 1.0)
    diagnosis = QUICK(wrong)
    script = diagnosis.reproduce()
    assert "attn_tui" not in script
    line = "f = ...  # the function that was probed"
    assert line in script
    code = script.replace(line, "").replace("print(", "shown = (")
    shown = []
    for kernel in (wrong, plain):
        names: dict[str, Any] = {"f": kernel}
        exec(code, names)
        shown.append(names["shown"][1])
    assert shown[0] > 0.05
    assert shown[1] < 1e-5


def test_the_script_says_what_one_call_does_not_show() -> None:
    diagnosis = QUICK(writing)
    assert diagnosis.reproduce().startswith("# it writes to its input k\n")


def test_a_probe_goes_where_a_diagnosis_goes() -> None:
    diagnosis = QUICK(plain)
    plain_values = diagnosis.to_dict()
    assert plain_values["verdict"] == "agrees"
    assert [one["n_keys"] for one in plain_values["cases"]] == [2, 17, 65, 17, 17]
    assert "agrees" in diagnosis._repr_html_()
    assert diagnosis.rows()[0]["multiplier"] == pytest.approx(0.125)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"heads": 0}, "heads: it is '0'"),
        ({"kv_heads": 3}, "kv_heads: it is 3; expected a number that divides 4"),
        ({"dtype": "int8"}, "dtype: 'int8' is none; expected float32 or"),
        ({"like": "cupy"}, "like: 'cupy' is none; expected numpy or torch"),
        ({"layout": "nd", "heads": 2}, "heads: there are 2, and layout=nd has no axis"),
        ({"mask": np.ones((2, 2), bool)}, "mask: it is ndarray; expected a function of n_q and n"),
        ({"hidden_rows": "one"}, "hidden_rows: 'one' is none; expected zero or"),
        ({"lengths": [0]}, "lengths: they are '[0]'"),
        ({"lengths": []}, "lengths: they are '[]'; expected a list of numbers from 1 to 8,192"),
        ({"lengths": 64}, "lengths: they are '64'; expected a list"),
        ({"causal": "left"}, "causal: it is 'left'; expected True"),
        ({"seed": -1}, "seed: it is '-1'"),
    ],
)
def test_what_will_not_do_is_named(given: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError) as error:
        attn_tui.probe(plain, **given)
    assert str(error.value).startswith(says)
    with pytest.raises(InputError, match=r"^f: int cannot be called"):
        attn_tui.probe(3)  # type: ignore[arg-type]  # what is tried here


def test_a_function_that_raises_is_told_what_it_was_given_and_what_it_may_want() -> None:
    def without_groups(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
        out: Numbers = np.einsum("bhqk,bhkd->bhqd", softmax(q @ k.swapaxes(2, 3)), v)
        return out

    with pytest.raises(ValueError, match="broadcast") as error:
        attn_tui.probe(without_groups, heads=8, kv_heads=2, lengths=[5])
    (note,) = error.value.__notes__
    assert note.startswith("f was given arrays of numpy: q 3×8×5×64, k and v 3×2×5×64, for example")
    assert note.endswith('; like="torch" gives it those of PyTorch')
    with pytest.raises(TypeError, match="mask") as wanting:
        attn_tui.probe(by_mask, quick=True)
    assert wanting.value.__notes__[0].endswith("; it has a parameter mask, and mask= gives it one")


def test_a_function_that_raises_with_heads_first_is_told_which_axes_it_takes() -> None:
    def of_positions(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
        if q.shape[2] != 8:
            raise ValueError("8 heads are needed")
        return np.asarray(plain(*(one.swapaxes(1, 2) for one in (q, k, v))).swapaxes(1, 2))

    with pytest.raises(ValueError, match="8 heads") as error:
        attn_tui.probe(of_positions, heads=8, kv_heads=2, lengths=[5])
    assert error.value.__notes__[0].endswith('; with layout="bnhd" it agrees')


@pytest.mark.parametrize("listed", [np.ndarray.tolist, list])
def test_a_list_of_numbers_or_of_arrays_is_an_output(listed: Any) -> None:
    assert QUICK(lambda q, k, v: listed(plain(q, k, v)), lengths=[5]).verdict == "agrees"


def test_what_raises_for_strides_is_not_asked_whether_it_ignores_them() -> None:
    def contiguous(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
        if not q.flags.c_contiguous:
            raise ValueError("contiguous arrays only")
        return plain(q, k, v)

    line = QUICK(contiguous).line
    assert "only with strided arrays; in 1 of 5 calls" in line


def test_calls_of_one_length_are_not_said_to_have_several() -> None:
    assert QUICK(plain, lengths=[5]).line.endswith("3 calls, n = 5")


@pytest.mark.slow
def test_a_value_scale_that_is_hardly_another_has_the_digits_that_tell() -> None:
    line = QUICK(lambda q, k, v: plain(q, k, v) * np.float32(1 + 1e-5)).line
    assert "value scale 1.00001, promised 1;" in line


def test_a_function_that_returns_its_weights_as_well_is_told_so() -> None:
    def both(q: Numbers, k: Numbers, v: Numbers) -> tuple[Numbers, Numbers]:
        return plain(q, k, v), q

    with pytest.raises(InputError, match=r"it returns a tuple of 2, not the output alone, f\(q"):
        attn_tui.probe(both, quick=True)


def test_a_row_without_a_key_may_be_the_mean_of_all_values() -> None:
    def finite(q: Numbers, k: Numbers, v: Numbers, mask: Numbers) -> Numbers:
        z = np.where(mask, scores(q, k) / np.float32(8), np.float32(-1e9))
        return out_of(softmax(z), v)

    def every_third(n_q: int, n: int) -> Numbers:
        seen = np.tri(n_q, n, dtype=bool)
        seen[1::3] = False
        return seen

    assert QUICK(finite, mask=every_third).verdict == "agrees"


@pytest.mark.parametrize(
    "given", [{"dtype": "fp32"}, {"dtype": np.float32}, {"like": "np"}, {"layout": "BHSD"}]
)
def test_what_others_call_a_format_a_library_or_an_axis_is_understood(
    given: dict[str, Any],
) -> None:
    assert attn_tui.probe(plain, lengths=[3], quick=True, **given).verdict == "agrees"


def test_a_class_in_place_of_its_object_is_told_so() -> None:
    class Attention:
        def __call__(self, q: Numbers, k: Numbers, v: Numbers) -> Numbers:
            return plain(q, k, v)

    with pytest.raises(TypeError) as error:
        attn_tui.probe(Attention, lengths=[3], quick=True)
    assert error.value.__notes__[0].endswith("f is a class: an object of it may be meant")
