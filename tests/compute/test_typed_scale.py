"""A number that is typed to search for is the scale of some d_k."""

from math import sqrt

import pytest

from attn_tui.compute.models import MODELS
from attn_tui.compute.typed_scale import typed_scale

READ = {
    "0.08838834764": 128, "0.0884": 128, ".125": 64, "what is 0.08838834764?": 128,
    "1/sqrt(128)": 128, "1 / math.sqrt(192)": 192, "1/√80": 80, "rsqrt(256)": 256,
    "64 ** -0.5": 64, "128**-0.5": 128, "head_dim 72, 72^(-1/2)": 72, "√300": 300, "1/8": 64,
    "11.3": 128, "11.3137": 128, "22.6": 512, "8": 64, "scale 8": 64, "96": 96,
    "why divide by √300, not by 300?": 300, "SDPA scale becomes 1/sqrt(40)": 40,
    "why 0.0722 in DeepSeek": 192, "7.39": 192, "0.1352": 192, "0.09": 128,
}  # fmt: skip
"""What is typed, and the d_k that it is read as the scale of."""


@pytest.mark.parametrize(("typed", "d_k"), READ.items())
def test_a_number_is_read_as_the_scale_of_a_d_k(typed: str, d_k: int) -> None:
    scale = typed_scale(typed)
    assert scale is not None
    assert scale.d_k == d_k


@pytest.mark.parametrize(
    "typed",
    [
        "", "1", "1.0", "0", "0.3", "0.02", "3.14", "-1e9", "-10000", "float16", "9B", "T5", "−inf",
        "first token", "PyTorch 2.5", "MLX 0.31.2", "Gemma2: 9B not 224", "100,120,150", "softmax1",
        "99999999999", "0.0000001", "1/0", "√0", "1/sqrt(0)", "." * 300, "1" * 300,
        "1/" + "9" * 400,
        # A number in an expression is not what the expression is.
        "64**0.5", "10**10**10", "1/0.125", "1/sqrt(64*2)", "8*8", "3/4", "0.125/2", "sqrt(64)/2",
        "sqrt(64**2)", "8 of 16", "-0.125",
    ],
)  # fmt: skip
def test_what_is_no_scale_is_not_read_as_one(typed: str) -> None:
    assert typed_scale(typed) is None


def test_every_model_is_found_by_what_it_multiplies_and_divides_by() -> None:
    for model in MODELS.values():
        m = model.scale.multiplier(model.d_k, 2)
        for typed in (f"{m:.6f}", f"{1.0 / m:.4f}") if m != 1.0 else ():
            scale = typed_scale(typed)
            assert scale is not None, (model.title, typed)
            # A sentence names three models of a d_k, and counts the others.
            assert model.title in scale.means or " more" in scale.means, (model.title, typed)


def test_a_number_of_few_digits_is_only_about_what_it_may_be() -> None:
    rough, close = typed_scale("0.09"), typed_scale("0.0884")
    assert rough is not None
    assert close is not None
    assert rough.means.startswith("0.09 is about 1/√128, 0.08839, by which")
    assert close.means.startswith("0.0884 is 1/√128, by which scores are multiplied at d_k = 128")
    both = typed_scale("16")
    assert both is not None
    assert "16 is √256" in both.means
    assert "At d_k = 16 the scale is 1/√16 = 0.25." in both.means


def test_any_whole_d_k_is_read_from_its_rounded_scale_or_nothing_is() -> None:
    count = 0
    for d_k in range(2, 1025):
        for value in (1.0 / sqrt(d_k), sqrt(d_k)):
            scale = typed_scale(f"{value:.6f}")
            if scale is not None and scale.command.endswith(f"--d-k {scale.d_k}"):
                assert scale.d_k == d_k
                count += 1
    assert count > 1500
