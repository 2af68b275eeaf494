"""The random proof: what the doctor says of 200 draws, and whether its oracle can be believed."""

import json
from dataclasses import replace
from pathlib import Path

import mpmath
import numpy as np
import pytest

from benchmarks.verdicts.proof.arithmetic import (
    ARITHMETICS,
    FORMATS,
    Computation,
    Format,
    exact,
    exact_size,
)
from benchmarks.verdicts.proof.doctor import Answer
from benchmarks.verdicts.proof.faults import FAULTS, Fault, Tampering, honest
from benchmarks.verdicts.proof.masks import Rule, explained
from benchmarks.verdicts.proof.oracle import Judgement, judge
from benchmarks.verdicts.proof.promise import Promise, draw_promise, draw_setting
from benchmarks.verdicts.proof.run import Run
from benchmarks.verdicts.proof.table import is_proved, violations
from benchmarks.verdicts.proof.trial import Trial, computed, draw

CAUSAL = Rule(is_causal=True)
UNITS = {"float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
SEED = 38_000_000


def heads(format: Format, queries: int = 40, keys: int = 70) -> Computation:
    """Return two heads with all that a computation can have, and logits of about 1."""
    rng = np.random.default_rng(1)
    q, k, v = (
        format.rounded(rng.standard_normal((1, count, n, 32), np.float32))
        for count, n in ((2, queries), (1, keys), (1, keys))
    )
    sinks = format.rounded(np.array([0.5, 2.0], np.float32))[:, None, None]
    bias = format.rounded(rng.standard_normal((2, queries, keys), np.float32))
    seen = Rule(is_causal=True, window=33).seen((queries, keys))[None, None]
    return Computation(q, k, v, np.zeros(2, int), 32**-0.5, seen, 20.0, sinks, bias, 0.75)


@pytest.mark.parametrize("format", FORMATS, ids=str)
@pytest.mark.parametrize("name", ARITHMETICS)
def test_an_honest_arithmetic_is_within_units_of_the_exact_output(
    name: str, format: Format
) -> None:
    """An arithmetic that is wrong itself would allow eight times its fault to every output."""
    layer = heads(format)
    errors = np.abs(ARITHMETICS[name](layer, format) - exact(layer)).max(axis=-1)
    assert (errors / exact_size(layer)).max() < 8 * UNITS[format.arithmetic]


def test_the_exact_output_is_that_of_mpmath() -> None:
    """The oracle has the cap, the sink, the bias, the window and the value scale right."""
    layer = heads(FORMATS[0], 3, 5)
    assert layer.sinks is not None
    assert layer.bias is not None
    for head in range(2):
        for row in range(3):
            total = mpmath.e ** mpmath.mpf(float(layer.sinks[head, 0, 0]))
            sums = [mpmath.mpf(0)] * 32
            for key in range(row + 3):
                q, k = layer.queries[0, head, row], layer.keys[0, 0, key]
                s = mpmath.fdot(map(float, q), map(float, k)) * layer.multiplier
                z = 20 * mpmath.tanh(s / 20) + float(layer.bias[head, row, key])
                total += mpmath.e**z
                values = map(float, layer.values[0, 0, key])
                sums = [a + mpmath.e**z * b for a, b in zip(sums, values, strict=True)]
            expected = [float(weighted / total) * 0.75 for weighted in sums]
            np.testing.assert_allclose(exact(layer)[0, head, row], expected, rtol=1e-12)


def promise_of(**wanted: object) -> Promise:
    """Return the first drawn promise with some fields of its setting."""
    rng = np.random.default_rng(3)
    while True:
        setting = draw_setting(rng)
        if all(getattr(setting, name) == value for name, value in wanted.items()):
            return draw_promise(rng, setting)


def judged(promise: Promise, fault: Fault, tampering: Tampering) -> Judgement:
    outputs = computed(np.random.default_rng(1), promise, tampering)[1]
    return judge(promise, fault, tampering, outputs)


WRONG = (
    "m zero", "m negative", "m doubled", "m 5 % off, captured", "mask dropped, captured",
    "mask a key late, not captured", "mask window −1, not captured", "sink dropped",
    "sink counted twice", "cap dropped",
    "value scale 1.05", "ALiBi added, captured", "softmax over queries", "output of the next head",
    "other KV heads", "one wrong row", "keys or values in int8", "rows of NaN", "rows of zero",
    "one wrong head",
)  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_fault_is_wrong(name: str) -> None:
    """A fault that the oracle took for right would let the doctor take it so, too."""
    fault = next(fault for fault in FAULTS if fault.name == name)
    rng = np.random.default_rng(1)
    while True:
        setting = replace(draw_setting(rng), format=FORMATS[0])
        is_square = setting.queries == setting.keys and 16 < setting.keys < 64
        if is_square and setting.is_plain and fault.suits(setting):
            promise = draw_promise(rng, setting)
            tampering = fault.tamper(promise, rng)
            if tampering is not None:
                break
    assert judged(promise, fault, tampering).finding == "wrong"


@pytest.mark.parametrize("format", FORMATS, ids=str)
def test_an_honest_output_is_right_and_so_is_one_that_is_off_by_less_than_rounding(
    format: Format,
) -> None:
    promise = promise_of(is_plain=True, format=format, keys=40)
    kept = honest(promise)
    assert judged(promise, FAULTS[0], kept).finding == "honest"
    near = replace(kept, ending=lambda out: out * np.float32(1 + 2.0**-23))
    assert judged(promise, FAULTS[0], near).finding == "honest"


def test_m_that_could_not_show_is_left_out() -> None:
    promise = promise_of(is_plain=True, keys=40, queries=40, model="llama")
    layers = tuple(replace(layer, values=layer.values * 0 + 1) for layer in promise.layers)
    flat = Promise(promise.setting, layers)
    assert judged(flat, FAULTS[0], honest(flat)).reason == "m could not show"


@pytest.mark.parametrize(
    ("seen", "padding"),
    [
        (CAUSAL.seen((8, 8)), (0, 0)),
        (CAUSAL.seen((8, 8), (2, 0)), (2, 0)),
        (CAUSAL.seen((8, 8), (0, 3)), (0, 3)),
        (CAUSAL.seen((8, 8), texts=(3, 5)), (0, 0)),
        (replace(CAUSAL, shift=-1).seen((3, 8)), (0, 1)),
        (CAUSAL.seen((8, 8), (2, 3)), None),
        (replace(CAUSAL, shift=-1).seen((8, 8)), None),
        (replace(CAUSAL, window=7).seen((8, 8)), None),
        (~CAUSAL.seen((8, 8)), None),
        (np.ones((8, 8), bool), None),
        (np.zeros((8, 8), bool), None),
        (CAUSAL.seen((8, 8)) & (np.arange(8) != 4), None),
    ],
    ids=(
        "as promised", "padded left", "padded right", "packed", "chunk a key early", "both ends",
        "a key early", "window", "inverted", "none hidden", "all hidden", "hole",
    ),
)  # fmt: skip
def test_a_mask_is_explained_by_padding_or_texts_alone(
    seen: np.ndarray, padding: tuple[int, int] | None
) -> None:
    """Whatever else is captured in place of a causal mask is a fault of the call."""
    assert explained(CAUSAL, seen) == padding


def test_a_wrong_call_with_a_right_output_has_to_differ() -> None:
    fault = next(fault for fault in FAULTS if fault.name == "mask a key late, call alone")
    promise = promise_of(is_plain=True, model="llama", keys=40, queries=40)
    tampering = fault.tamper(promise, np.random.default_rng(1))
    assert tampering is not None
    judgement = judged(promise, fault, tampering)
    assert judgement.finding == "call"
    trial = Trial(1, fault.name, "", "", judgement, Answer("agrees", 0, ""), 0.0)
    assert trial.violation
    assert not replace(trial, answer=Answer("differs", 1, "")).violation


def test_a_wrong_output_passes_with_any_status_of_0_and_an_honest_one_must_agree() -> None:
    trial = Trial(1, "", "", "", Judgement("wrong", "", 9.0), Answer("agrees", 0, ""), 0.0)
    assert trial.violation
    assert replace(trial, answer=Answer("no expectation", 0, "")).violation
    assert not replace(trial, answer=Answer("cannot tell", 3, "")).violation
    refused = replace(
        trial, judgement=Judgement("honest", "", 1.0), answer=Answer("differs", 1, "")
    )
    agreed = replace(refused, answer=Answer("agrees", 0, ""))
    assert not is_proved([refused, *[agreed] * 500])
    assert is_proved([refused, *[agreed] * 1000])
    assert not is_proved([trial, *[agreed] * 5000])


def test_a_draw_is_the_same_again_and_its_capture_can_be_read(tmp_path: Path) -> None:
    """The seed of a violation is all that is needed to see it again."""
    first, again = draw(SEED), draw(SEED)
    for name, values in first.tensors.items():
        np.testing.assert_array_equal(values, again.tensors[name])
    first.write(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text("utf-8"))
    assert config["model_type"] == first.setting.model
    assert (tmp_path / "capture.safetensors").exists()


@pytest.mark.slow
def test_no_wrong_output_agrees_and_no_honest_one_is_refused() -> None:
    """Of 200 random promises and faults, the doctor is right by an exact oracle."""
    trials = [*Run(200, SEED).trials()]
    assert not violations(trials), "\n".join(trial.line for trial in violations(trials))


def test_an_error_that_is_small_by_chance_in_all_arithmetics_is_no_measure_of_a_row() -> None:
    """One of nine rows is off by 9 times its own honest errors, and by 6 times those on average."""
    assert draw(980676).judgement.finding == "neither"


def test_three_numbers_that_fit_the_two_weights_of_a_row_say_nothing() -> None:
    assert not violations([*Run(1, 990908).trials()])


@pytest.mark.slow
def test_rows_that_are_almost_the_value_of_one_key_tell_of_no_other_m() -> None:
    """In 675 of 695 rows the first key has all the weight but what rounding drops, to one side."""
    assert not violations([*Run(1, 970998).trials()])


@pytest.mark.slow
@pytest.mark.parametrize("seed", [708720, 803766])
def test_a_cap_that_rounding_hides_in_part_is_no_other_m_of_all_heads(seed: int) -> None:
    """Logits that are rounded after the cap look as if m were up to 2.6e-4 larger."""
    assert not violations([*Run(1, seed).trials()])


def test_keys_of_8_bits_are_no_factors_that_were_rounded() -> None:
    """The path that rounds most allows one row much; the rows together must not use it up."""
    assert not violations([*Run(1, 441065).trials()])
