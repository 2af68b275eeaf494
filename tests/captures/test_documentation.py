import doctest
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from attn_tui.captures.names import PARTS
from attn_tui.captures.opening import READERS, open_capture
from attn_tui.captures.writer import write_safetensors
from tests.captures.made import layer
from tests.captures.test_opening import assert_holds

PAGE = Path(__file__).parents[2] / "docs" / "captures.md"


def test_every_example_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    results = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert results.attempted > 15
    assert not results.failed


def test_parts_and_files_are_all_there() -> None:
    # Tables of statistics begin with names, too.
    text = PAGE.read_text("utf-8").partition("## Rows that are sampled")[0]
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == sorted(
        PARTS, key=lambda part: text.index(f"| `{part}` |")
    )
    assert all(f"`{suffix}`" in text for suffix in READERS)


class Numbers(np.ndarray[Any, Any]):
    """An array with as much of a tensor of PyTorch as the example needs."""

    def detach(self) -> "Numbers":
        return self

    cpu = clone = contiguous = detach


def test_the_example_for_pytorch_captures_what_its_attention_got(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [layer(dtype=np.float32, seed=seed) for seed in (1, 2)]
    outputs = iter(each["out"].view(Numbers) for each in made)
    functional = ModuleType("torch.nn.functional")
    functional.scaled_dot_product_attention = lambda *given, **more: next(outputs)  # type: ignore[attr-defined]
    for name in ("torch", "torch.nn", "safetensors.torch"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    sys.modules["torch"].nn = sys.modules["torch.nn"]  # type: ignore[attr-defined]
    sys.modules["torch.nn"].functional = functional  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch.nn.functional", functional)
    sys.modules["safetensors.torch"].save_file = lambda found, path: write_safetensors(path, found)  # type: ignore[attr-defined]
    monkeypatch.chdir(tmp_path)

    def model(inputs: object) -> None:
        for each in made:
            q, k, v = (each[part].view(Numbers) for part in ("q", "k", "v"))
            assert functional.scaled_dot_product_attention(q, k, v, is_causal=True) is not None

    found = re.search(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert found
    exec(found[1], {"model": model, "inputs": None})
    capture = open_capture(["capture.safetensors"])
    assert capture.layers == (0, 1)
    for number, each in enumerate(made):
        assert_holds(capture, each, number)
