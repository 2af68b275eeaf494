"""Claims about the number of keys: what fades as there are more of them."""

import numpy as np
import pytest

from attn_tui.claims.checks.length import least_entropy, searched, within_range
from attn_tui.claims.trial import Trial
from attn_tui.library import statistics
from tests.claims.breaking import Broken
from tests.pairs import with_rows

BROKEN: dict[str, Broken] = {
    "L-3": Broken(
        "length:row_logs",
        lambda whole: lambda *given: {place: 0.8 * logs for place, logs in whole(*given).items()},
    ),
    "L-11": Broken("length:least_entropy", lambda whole: lambda n, size: 1.1 * whole(n, size)),
    "L-15": Broken("length:trace_at", lambda whole: lambda n, logit_std: whole(64, logit_std)),
    "L-16": Broken("length:softmax", lambda softmax: lambda z: softmax(2.0 * z)),
    "L-17": Broken(stated={"length": 8192.0}),
    "L-18": Broken(stated={"a": 0.05}),
}


@with_rows(("n_keys", "size"), [(2, 1.0), (128, 4.0), (128, 10.0)])
def test_one_key_above_all_others_has_the_least_entropy(n_keys: int, size: float) -> None:
    z = np.full(n_keys, -1.0 / n_keys)
    z[0] += 1.0
    bound = least_entropy(n_keys, size)
    assert statistics(z * size / np.linalg.norm(z)).entropy == pytest.approx(bound, rel=1e-12)
    assert searched(Trial(n=n_keys), size) == pytest.approx(bound, rel=1e-4)


def test_seven_of_128_on_top_have_the_least_entropy_within_a_range() -> None:
    keys, entropy = within_range(128, 4.0)
    assert keys == 7
    for on_top, near in ((7, True), (6, False), (8, False)):
        found = statistics([4.0] * on_top + [0.0] * (128 - on_top)).entropy
        assert (found == pytest.approx(entropy, rel=1e-12)) == near
        assert found >= entropy * (1.0 - 1e-12)
