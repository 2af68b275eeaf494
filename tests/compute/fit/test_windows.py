"""A window that hides nothing which the causal mask shows is none."""

from dataclasses import replace

from attn_tui.compute.fit.diagnose import diagnose
from attn_tui.compute.fit.simulate import Arithmetic, simulate
from attn_tui.compute.heads.mask import HeadMask


def test_a_head_tried_with_a_window_that_it_has_not_is_causal() -> None:
    windowed = simulate(1, Arithmetic(0.25, mask=HeadMask("window", 0, 20)), n_keys=48, d_k=16)
    found = diagnose(windowed)
    assert found.mask == HeadMask("window", 0, 20)
    plain = simulate(1, Arithmetic(0.25), n_keys=48, d_k=16)
    tried = diagnose(plain, start=replace(found, mask=HeadMask("window", 0, 30)))
    assert tried.mask == HeadMask("causal")
    assert tried.window is None
