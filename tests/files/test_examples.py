from dataclasses import replace

import numpy as np
import pytest

from attn_tui.compute.explore.answer import VectorAnswer, answer
from attn_tui.compute.explore.attention import attention
from attn_tui.compute.numbers import general
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.files.draft import EXAMPLE, Draft, draft_of, parse
from attn_tui.files.examples import EXAMPLES


def answered(draft: Draft) -> tuple[VectorAnswer, ...]:
    (found,) = answer(parse(draft))
    return found.vectors


def of(name: str) -> VectorAnswer:
    return answered(EXAMPLES[name].draft)[0]


def fixed(*values: float) -> list[str]:
    return [f"{value:.4f}" for value in values]


def norms(name: str, side: str) -> tuple[float, float]:
    """‖∂p/∂s‖_F and ‖∂p/∂z‖_F."""
    found = getattr(of(name), side).norms
    return found["scores"].frobenius, found["logits"].frobenius


def weight(name: str, side: str, key: int) -> float:
    return float(getattr(of(name), side).weights()[key])


def rest(name: str, key: int) -> str:
    return general(of(name).unscaled.complements()[key], 2)


def facts() -> dict[str, list[str]]:
    """What each sentence says, computed."""
    worked, softcap = of("worked"), of("softcap").scaled
    causal = answered(EXAMPLES["causal"].draft)
    bare = EXAMPLES["qk-norm"].draft
    bare = replace(bare, setup=replace(bare.setup, scale=Scale()))
    usual = EXAMPLES["llama4"].draft
    usual = replace(usual, setup=replace(usual.setup, scale=Scale()))
    near = EXAMPLES["near-ties"].draft
    exact = answered(replace(near, setup=replace(near.setup, precision=Precision())))[0]
    slopes = softcap.slopes() / softcap.multiplier
    ratio = [weight("ratio", side, 2) / weight("ratio", side, 1) for side in ("unscaled", "scaled")]
    return {
        "worked": [rest("worked", 2), f"{worked.scaled.effective_keys:.2f} keys", "by 32"],
        "tens": [rest("tens", 2), *fixed(weight("tens", "scaled", 2))],
        "centred": [
            *fixed(weight("centred", "unscaled", 2), weight("centred", "scaled", 2)),
            *fixed(norms("centred", "unscaled")[0], norms("centred", "scaled")[0]),
        ],
        "ratio": [f"{each:.2f}" for each in ratio],
        "close": fixed(
            norms("close", "unscaled")[1], norms("close", "scaled")[1], norms("close", "scaled")[0]
        ),
        "identity": fixed(weight("identity", "scaled", 0), weight("identity", "scaled", 1)),
        "ties": fixed(norms("ties", "unscaled")[1], norms("ties", "scaled")[1]),
        "near-ties": fixed(weight("near-ties", "scaled", 1), exact.scaled.weights()[1]),
        "masked": [],
        "all-masked": [],
        "one-key": [],
        "uniform": fixed(weight("uniform", "scaled", 3), of("uniform").scaled.entropy),
        "dominant": [rest("dominant", 0), *fixed(weight("dominant", "scaled", 0))],
        "low": [general(weight("low", "unscaled", 0), 2), *fixed(norms("low", "unscaled")[0])],
        "naive": ["above 88.72 even in float32", f"{of('naive').scaled.logits().max():.2f}"],
        "sink": [
            *fixed(of("sink").scaled.sink_weight, of("sink").scaled.weights().sum()),
            rest("sink", 2),
        ],
        "softcap": [
            "z = " + ", ".join(f"{z:.1f}" for z in softcap.logits()),
            *fixed(weight("softcap", "scaled", 1)),
            ", ".join(f"{slope:.2g}" for slope in slopes),
        ],
        "qk-norm": [
            f"√2 = {2**0.5:.2f}",
            *fixed(weight("qk-norm", "scaled", 1)),
            general(answered(bare)[0].scaled.weights()[1], 2),
        ],
        "causal": fixed(*(vector.scaled.weights()[0] for vector in causal[1:])),
        "thousand": [
            *fixed(of("thousand").unscaled.max_weight),
            f"{of('thousand').scaled.effective_keys:.0f} keys",
            *fixed(norms("thousand", "scaled")[0], norms("thousand", "unscaled")[0]),
        ],
        "llama4": [
            f"factor is {8.0 * of('llama4').scaled.multiplier:.4f}",
            f"{of('llama4').scaled.effective_keys:.0f} keys",
            f"leave {answered(usual)[0].scaled.effective_keys:.0f}.",
        ],
    }


def test_every_number_to_look_at_is_there() -> None:
    found = facts()
    assert list(found) == [name for name in EXAMPLES if name in found]
    assert found.keys() == EXAMPLES.keys()
    for name, numbers in found.items():
        for each in numbers:
            assert each in EXAMPLES[name].look, name


def test_what_is_said_without_numbers_is_so() -> None:
    assert np.abs(of("worked").unscaled.jacobian(slice(None), slice(None), "scores")).max() < 1e-13
    masked = of("masked").scaled
    assert (masked.weights()[1], masked.gradient(0, "scores")[1]) == (0.0, 0.0)
    assert masked.weights().sum() == pytest.approx(1.0)
    assert (of("all-masked").status, of("all-masked").scaled.entropy) == ("masked", 0.0)
    assert of("one-key").scaled.gradient(0, "scores").tolist() == [0.0]
    assert np.isnan(of("naive").unscaled.weights()).all()
    assert np.isfinite(of("naive").scaled.weights()).all()
    assert np.abs(of("qk-norm").scaled.logits()).max() <= 2**0.5 + 1e-15
    assert norms("thousand", "unscaled")[0] == pytest.approx(
        10 * norms("thousand", "scaled")[0], rel=0.01
    )
    sides = answered(EXAMPLES["identity"].draft)
    for index, vector in enumerate(sides):
        known = attention(parse(EXAMPLES["identity"].draft), index)
        assert known is not None
        output = known.output(vector.scaled)
        assert output is not None
        assert output.tolist() == vector.scaled.weights().tolist()
    assert of("causal").scaled.weights().tolist() == [1.0, 0.0, 0.0, 0.0]


def test_an_example_can_be_asked() -> None:
    for name in EXAMPLES:
        example = EXAMPLES[name]
        assert example.name == name
        experiment = parse(example.draft)
        assert experiment.setup == example.draft.setup
        assert parse(draft_of(experiment)).setup == experiment.setup
        assert example.look.endswith(".")
        assert len(example.look) < 200
        assert len(example.title) < 50


def test_the_worked_example_is_the_first() -> None:
    assert next(iter(EXAMPLES.values())).draft == EXAMPLE
