"""Against PyTorch's scaled_dot_product_attention, as recorded in data/sdpa.json."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import answer_vector
from attn_tui.compute.mask import Mask
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Products
from tests.pairs import with_rows

RECORDED = json.loads((Path(__file__).parent / "data" / "sdpa.json").read_text("utf-8"))


def asked(case: dict[str, Any]) -> Experiment:
    m = case.get("scale")
    queries, keys, values = (np.array(case[name]) for name in ("queries", "keys", "values"))
    source = Products(queries, keys, values)
    hidden = tuple((key, key + 1) for key in case.get("hidden", []))
    setup = Setup(
        scale=Scale() if m is None else Scale("temperature", (("T", 1 / m),)),
        precision=Precision(case.get("dtype", "float64")),
        mask=Mask(hidden, case.get("causal", False)),
    )
    return Experiment(source, setup)


@with_rows("case", RECORDED["cases"])
def test_weights_output_and_gradient_are_those_of_torch(case: dict[str, Any]) -> None:
    experiment = asked(case)
    digits = 1e-6 if "dtype" in case else 1e-14

    def check(computed: NDArray[np.float64], recorded: list[float]) -> None:
        np.testing.assert_allclose(computed, recorded, rtol=20 * digits, atol=10 * digits)

    for row in range(4):
        side = answer_vector(experiment, row).scaled
        by_query = np.array([side.gradient(of, "scores") for of in range(5)])
        check(side.weights(), case["weights"][row])
        check(side.weights() @ np.array(case["values"]), case["output"][row])
        check(by_query @ np.array(case["keys"]), case["by_query"][row])
