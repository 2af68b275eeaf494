"""Claims about models, decided by what their configurations say."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attn_tui.claims.checks.models import power
from attn_tui.compute.models import MODELS
from attn_tui.compute.scale import Scale
from tests.claims.breaking import Broken


def each_with(**changed: Any) -> Any:
    """Return what makes of the table one whose models differ, by what they are."""
    return lambda models: {
        name: replace(model, **{key: of(model) for key, of in changed.items()})
        for name, model in models.items()
    }


BROKEN = {
    "S2-1": Broken("models:MODELS", each_with(d_k=lambda model: model.d_model)),
    "S2-21": Broken("models:MODELS", each_with(d_k=lambda model: model.d_model)),
    "S2-22": Broken("models:MODELS", each_with(scale=lambda model: Scale())),
}


def test_the_power_is_that_of_a_line_on_logarithmic_axes() -> None:
    models = [*MODELS.values()]
    x, y = (np.log([getattr(each, name) for each in models]) for name in ("d_model", "d_k"))
    sizes, d_ks = [each.d_model for each in models], [each.d_k for each in models]
    assert power(sizes, d_ks) == pytest.approx(np.polyfit(x, y, 1)[0], rel=1e-9)
    assert power([4096, 8192], [128, 128]) == 0.0
