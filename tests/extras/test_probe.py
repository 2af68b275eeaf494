"""`attn_tui.probe` of functions of PyTorch, JAX and MLX: forward and backward."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import attn_tui
from attn_tui.testing import assert_attention
from tests.diagnosis.heads import attention, causal, drawn

torch = pytest.importorskip("torch")
functional = torch.nn.functional
M, CAP = 0.125, 20.0


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> None:
    torch.set_num_threads(1)


def by_backend(name: str, **given: Any) -> Callable[..., Any]:
    """Return scaled_dot_product_attention by one of PyTorch's back ends."""
    attention = torch.nn.attention
    backend = getattr(attention.SDPBackend, name)

    def called(q: Any, k: Any, v: Any) -> Any:
        with attention.sdpa_kernel(backend):
            return functional.scaled_dot_product_attention(q, k, v, **given)

    return called


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("backend", ["MATH", "FLASH_ATTENTION"])
def test_attention_of_pytorch_agrees_forward_and_backward(backend: str, dtype: str) -> None:
    d_v = {} if backend == "MATH" else {"d_v": 64}
    kernel = by_backend(backend, is_causal=True)
    assert_attention(kernel, causal=True, like="torch", dtype=dtype, gradient=True, **d_v)


def by_hand(q: Any, k: Any, v: Any, is_causal: bool) -> Any:
    """Return attention as eager models have it: softmax in float32, all else in the format."""
    z = M * q @ k.transpose(2, 3)
    if is_causal:
        z = z.masked_fill(~torch.ones(z.shape[2:], dtype=torch.bool).tril(), -torch.inf)
    return torch.softmax(z, -1, dtype=torch.float32).to(q.dtype) @ v


@pytest.mark.slow
@pytest.mark.parametrize("is_causal", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("backend", ["MATH", "FLASH_ATTENTION", "by hand"])
def test_attention_of_pytorch_agrees_with_many_keys(
    backend: str, dtype: str, is_causal: bool
) -> None:
    """The more rows there are, the smaller the errors that show: honest ones must not."""
    kernel: Callable[..., Any] = partial(by_hand, is_causal=is_causal)
    if backend != "by hand":
        kernel = by_backend(backend, is_causal=is_causal)
    lengths = [129, 257, 511, 513, 1025]
    assert_attention(kernel, causal=is_causal, like="torch", dtype=dtype, lengths=lengths, d_v=64)


def test_a_function_that_refuses_numpy_is_given_tensors() -> None:
    grouped = partial(functional.scaled_dot_product_attention, enable_gqa=True)
    assert_attention(grouped, heads=4, kv_heads=2, quick=True)


def test_is_causal_is_aligned_at_the_top_left() -> None:
    kernel = partial(functional.scaled_dot_product_attention, is_causal=True)
    given: dict[str, Any] = {"like": "torch", "decode": True, "quick": True}
    assert attn_tui.probe(kernel, causal="top left", **given).verdict == "agrees"
    assert "aligned at the top left" in attn_tui.probe(kernel, causal=True, **given).line


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float16"])
def test_tensors_keep_their_format_and_their_strides(name: str) -> None:
    torch.manual_seed(0)
    q, k, v = (torch.randn(2, 40, 4, 64).transpose(1, 2).to(getattr(torch, name)) for _ in "qkv")
    wide = (one.to(torch.float32) for one in (q, k, v))
    out = functional.scaled_dot_product_attention(*wide).to(
        torch.bfloat16 if "8" in name[5:6] else q.dtype
    )
    diagnosis = attn_tui.diagnose(q, k, v, out.requires_grad_(), scale=M, causal=False)
    assert diagnosis.verdict == "agrees"


def test_jax_agrees_forward_and_backward() -> None:
    jax = pytest.importorskip("jax")
    kernel = partial(jax.nn.dot_product_attention, is_causal=True)
    assert_attention(
        kernel, causal=True, like="jax", layout="bnhd", d_v=64, gradient=True, quick=True
    )


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_mlx_agrees(dtype: str) -> None:
    mx = pytest.importorskip("mlx.core")
    kernel = partial(mx.fast.scaled_dot_product_attention, scale=M)
    assert_attention(kernel, like="mlx", dtype=dtype, d_v=64, quick=True)


@pytest.mark.parametrize("library", ["jax.numpy", "mlx.core"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_arrays_of_other_libraries_are_read(library: str, dtype: str) -> None:
    arrays = pytest.importorskip(library)
    narrow = getattr(arrays, dtype)
    q, k, v = (arrays.array(one).astype(narrow) for one in drawn(32))
    wide = (np.array(one.astype(arrays.float32)) for one in (q, k, v))
    out = arrays.array(attention(*wide, seen=causal(32, 32))).astype(narrow)
    diagnosis = attn_tui.diagnose(q, k, v, out, scale=M, causal=True)
    assert f"in {dtype}." in " ".join(str(diagnosis).split())
    assert diagnosis.verdict == "agrees"


class Wrong(torch.autograd.Function):  # type: ignore[misc, name-defined]  # untyped
    """Attention that is right forwards, with a fault in its backward pass."""

    @staticmethod
    def forward(ctx: Any, q: Any, k: Any, v: Any, fault: str, cap: float | None) -> Any:
        group = q.shape[1] // k.shape[1]
        keys, values = (one.repeat_interleave(group, 1) for one in (k, v))
        x = M * q @ keys.transpose(2, 3)
        z = x if cap is None else cap * torch.tanh(x / cap)
        p = torch.softmax(z, -1)
        ctx.save_for_backward(q, k, v, x, z, p)
        ctx.fault, ctx.cap, ctx.group = fault, cap, group
        return p @ values

    @staticmethod
    def backward(ctx: Any, dout: Any) -> Any:
        q, k, v, x, z, p = ctx.saved_tensors
        fault, group = ctx.fault, ctx.group
        keys, values = (one.repeat_interleave(group, 1) for one in (k, v))
        if fault == "dropout":
            p = p * (torch.rand_like(p) > 0.1) / 0.9
        dp = dout @ values.transpose(2, 3)
        ds = p * (dp - (p * dp).sum(-1, keepdim=True))
        if ctx.cap is not None and fault != "cap":
            ds = ds * (1 - torch.tanh(x / ctx.cap) ** 2)
        dq = M * ds @ keys
        dk = M * ds.transpose(2, 3) @ q
        of = torch.exp(z - z.amax(-1, keepdim=True)) if fault == "unnormalised" else p
        dv = of.transpose(2, 3) @ dout
        if fault == "dk without m":
            dk = dk / M
        if fault == "dq with m twice":
            dq = dq * M
        b, h, n, _ = dk.shape
        apart = [one.reshape(b, h // group, group, n, -1) for one in (dk, dv)]
        dk, dv = (one.sum(2) for one in apart)
        if fault == "group":
            dk = apart[0][:, :, 0]
        return dq, dk, dv, None, None


BACKWARD: dict[str, tuple[str, str, dict[str, Any], float | None]] = {
    "dk without m": ("dk is off by", "m is missing", {}, None),
    "dq with m twice": ("dq is off by", "m is there twice", {}, None),
    "cap": ("dq is off by", "the cap's derivative 1 − tanh² is missing", {"softcap": CAP}, CAP),
    "group": ("dk is off by", "not summed over the group of a KV head", {"kv_heads": 2}, None),
    "unnormalised": ("dv is off by", "unnormalised weights", {}, None),
    "dropout": ("backward, ", "is dropout left on there?", {}, None),
}  # fmt: skip


def kernel_of(fault: str, cap: float | None) -> Callable[..., Any]:
    return lambda q, k, v: Wrong.apply(q, k, v, fault, cap)


@pytest.mark.parametrize("fault", BACKWARD)
def test_what_is_wrong_with_a_backward_pass_is_named(fault: str) -> None:
    begins, says, given, cap = BACKWARD[fault]
    arguments: dict[str, Any] = {"like": "torch", "gradient": True, "quick": True, **given}
    diagnosis = attn_tui.probe(kernel_of(fault, cap), **arguments)
    assert diagnosis.verdict == "differs"
    assert begins in diagnosis.line
    assert says in diagnosis.line
    # Forwards it is right, and so is the same pass without its fault.
    assert attn_tui.probe(kernel_of("", cap), **arguments).verdict == "agrees"
    assert (
        attn_tui.probe(kernel_of(fault, cap), **{**arguments, "gradient": False}).verdict
        == "agrees"
    )


@pytest.mark.parametrize("fault", [fault for fault in BACKWARD if fault != "dropout"])
def test_a_backward_fault_is_shown_with_few_keys(fault: str) -> None:
    begins, says, given, cap = BACKWARD[fault]
    diagnosis = attn_tui.probe(
        kernel_of(fault, cap), like="torch", gradient=True, quick=True, **given
    )
    script = diagnosis.reproduce()
    first, _, rest = script.partition("\n")
    assert first.startswith("# backward, n = 2: ")
    assert begins.removesuffix(" by") in first
    assert says in first
    assert len(rest.splitlines()) <= 20
    assert "1 KV head" in script or "1 head" in script
    for kernel, least in ((kernel_of(fault, cap), 1e-3), (kernel_of("", cap), 0.0)):
        off = of_gradients(script, kernel)
        assert max(off.values()) >= least
        assert {name for name, one in off.items() if one > 1e-4} <= {*says_of(first)}


def of_gradients(script: str, kernel: Callable[..., Any]) -> dict[str, float]:
    """Return by how much of the largest number each gradient is off, as a script says."""
    shown: dict[str, float] = {}

    def kept(name: str, most: float, of: str, exact: float) -> None:
        shown[name] = most / exact

    code = script.replace("f = ...", "# f = ...")
    exec(code, {"f": kernel, "print": kept})
    return shown


def says_of(text: str) -> list[str]:
    """Return the gradients that a sentence speaks of."""
    return [name for name in ("dq", "dk", "dv") if name in text]


@pytest.mark.parametrize("part", "qkv")
def test_what_is_detached_is_said_to_have_no_gradient(part: str) -> None:
    def detaching(*arrays: Any) -> Any:
        parts = dict(zip("qkv", arrays, strict=True))
        parts[part] = parts[part].detach()
        return functional.scaled_dot_product_attention(*parts.values())

    line = attn_tui.probe(detaching, like="torch", gradient=True, quick=True).line
    assert f"d{part} is off by 100 %: it is 0: is {part} detached?" in line


@pytest.mark.parametrize(("layout", "dtype"), [("bnhd", "bfloat16"), ("hnd", "float32")])
def test_the_script_calls_a_function_of_tensors(layout: str, dtype: str) -> None:
    def unscaled(*arrays: Any) -> Any:
        q, k, v = (one.transpose(1, 2) if layout == "bnhd" else one for one in arrays)
        p = torch.softmax((q @ k.transpose(-1, -2)).float(), -1)
        out = (p @ v.float()).to(q.dtype)
        return out.transpose(1, 2) if layout == "bnhd" else out

    diagnosis = attn_tui.probe(unscaled, like="torch", layout=layout, dtype=dtype, quick=True)
    line = "f = ...  # the function that was probed"
    code = diagnosis.reproduce()
    assert line in code
    names: dict[str, Any] = {"f": unscaled}
    exec(code.replace(line, "").replace("print(", "shown = ("), names)
    assert names["shown"][1] > 0.05
