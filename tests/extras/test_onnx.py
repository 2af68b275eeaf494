"""The recipe for ONNX graphs on a trained recogniser of text: two layers, 8 heads of 15."""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attn_tui.captures.capture import HeadId
from attn_tui.compute.scale import LogitMap
from tests.extras.recipes import agrees, capturing, far, needed, opened

onnx, onnxruntime, safetensors = map(needed, ("onnx", "onnxruntime", "safetensors"))
SPEC = find_spec("rapidocr_onnxruntime") or pytest.skip("no trained model", allow_module_level=True)
DOCS = Path(__file__).parents[2] / "docs"
MODEL = Path(str(SPEC.origin)).parent / "models" / "ch_PP-OCRv4_rec_infer.onnx"


@pytest.fixture(scope="module")
def line() -> dict[str, Any]:
    """An image of 48 × 640 with 40 dark strokes, as those of letters are."""
    rng = np.random.default_rng(5)
    image = np.ones((1, 3, 48, 640), np.float32)
    for left in rng.integers(8, 620, 40):
        image[:, :, rng.integers(8, 20) : rng.integers(28, 40), left : left + 4] = -1
    return {"x": image}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory, line: dict[str, Any]) -> Path:
    path = tmp_path_factory.mktemp("onnx") / "capture.safetensors"
    returned = capturing("onnx")(str(MODEL), line, str(path))
    plain = onnxruntime.InferenceSession(str(MODEL)).run(None, line)
    assert all(map(np.array_equal, returned, plain))
    return path


def test_every_head_of_a_trained_model_is_captured_and_reads_as_one_over_root_15(
    path: Path,
) -> None:
    capture = opened(path)
    assert capture.layers == (0, 1)
    assert len(capture.heads) == 16
    for head in capture.heads:
        assert capture.shape(head).d_k == 15
        assert far(capture.read(head), LogitMap(15**-0.5)) < 1e-6


def test_the_fit_finds_the_scale_of_every_trained_head_to_1e_5(path: Path) -> None:
    from attn_tui.compute.fit.explain import Reference, explain
    from attn_tui.compute.heads.head_model import HeadModel
    from attn_tui.compute.heads.mask import HeadMask

    capture = opened(path)
    for head in capture.heads:
        model = HeadModel(15**-0.5, mask=HeadMask("none"))
        reference = Reference(model, frozenset({"multiplier", "mask"}))
        explanation = explain(capture.read(head), reference)
        assert explanation.passes
        fit = explanation.candidate.model
        assert fit.multiplier == pytest.approx(15**-0.5, rel=1e-5)
        assert fit.value_scale == pytest.approx(1, rel=1e-5)


def test_the_doctor_agrees_with_what_a_recogniser_should_do(path: Path) -> None:
    config = {"model_type": "vit", "hidden_size": 120, "num_attention_heads": 8}
    path.with_name("config.json").write_text(json.dumps(config))
    agrees(path, "--config", str(path.parent))


def test_a_scale_that_is_one_number_is_not_in_what_is_captured(tmp_path: Path) -> None:
    """As PyTorch exports it: both q and Kᵀ times d^(−1/4), a mask between, weights cast."""
    helper, rng = onnx.helper, np.random.default_rng(1)
    tensors = {
        "root": np.float32(8**-0.25),
        "gain": np.linspace(1, 2, 8, dtype=np.float32),
        "mask": np.where(np.tri(6) > 0, 0, -1e30).astype(np.float32)[None, None],
    }
    nodes: list[tuple[str, list[str], list[str], dict[str, Any]]] = [
        ("Mul", ["q", "root"], ["q scaled"], {}),
        ("Mul", ["k", "gain"], ["k normed"], {}),
        ("Transpose", ["k"], ["kt"], {"perm": [0, 1, 3, 2]}),
        ("Mul", ["kt", "root"], ["kt scaled"], {}),
        ("MatMul", ["q scaled", "kt scaled"], ["scores"], {}),
        ("Add", ["scores", "mask"], ["masked"], {}),
        ("Softmax", ["masked"], ["weights"], {"axis": -1}),
        ("Identity", ["weights"], ["same"], {}),
        ("MatMul", ["same", "v"], ["out"], {}),
    ]
    info = [helper.make_tensor_value_info(name, 1, [1, 2, 6, 8]) for name in ("q", "k", "v", "out")]
    graph = helper.make_graph(
        [helper.make_node(kind, given, made, **more) for kind, given, made, more in nodes],
        "attention", info[:3], info[3:],
        [onnx.numpy_helper.from_array(np.asarray(value), name) for name, value in tensors.items()],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, tmp_path / "model.onnx")
    inputs = {name: rng.standard_normal((1, 2, 6, 8), dtype=np.float32) for name in "qkv"}
    path = tmp_path / "capture.safetensors"
    (out,) = capturing("onnx")(str(tmp_path / "model.onnx"), inputs, str(path))
    rows = opened(path).read(HeadId(0, 0, 1))
    for name, found in {"q": rows.queries, "k": rows.keys, "v": rows.values}.items():
        assert found is not None
        assert np.array_equal(found, inputs[name][0, 1])
    assert rows.output is not None
    assert np.array_equal(rows.output, out[0, 1])


def test_a_graph_without_attention_is_refused(tmp_path: Path, line: dict[str, Any]) -> None:
    graph = MODEL.with_name("ch_PP-OCRv4_det_infer.onnx")
    with pytest.raises(RuntimeError, match="no Softmax between two MatMuls"):
        capturing("onnx")(str(graph), line, str(tmp_path / "none"))
