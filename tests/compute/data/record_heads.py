"""Record the results of PyTorch's attention under masks, for tests that run without PyTorch.

pip install torch==2.13.0
python tests/compute/data/record_heads.py > tests/compute/data/heads.json
"""

import json
import sys
from typing import Any

CASES: tuple[dict[str, Any], ...] = (
    {"name": "grouped heads, d_v unlike d_k", "heads": 4, "kv_heads": 2},
    {"name": "more keys than queries, causal", "is_causal": True},
    {"name": "boolean mask with a row of nothing", "mask": "boolean"},
    {"name": "additive mask with −inf", "mask": "additive"},
    {"name": "additive mask, scale 3", "mask": "additive", "scale": 3.0},
    {"name": "saturated, float32", "scale": 60.0, "dtype": "float32"},
)


def record(torch: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Return a case with the inputs and the output of each head."""
    dtype = getattr(torch, case.get("dtype", "float64"))
    generator = torch.Generator().manual_seed(7)
    heads, kv_heads = case.get("heads", 1), case.get("kv_heads", 1)

    def drawn(*shape: int) -> Any:
        return torch.randn(1, *shape, dtype=torch.float64, generator=generator).to(dtype)

    q, k, v = drawn(heads, 5, 6), drawn(kv_heads, 8, 6), drawn(kv_heads, 8, 3)
    mask: Any = None
    if "mask" in case:
        mask = drawn(5, 8)[0]
        mask = mask > 0 if case["mask"] == "boolean" else mask.masked_fill(mask > 0.8, -torch.inf)
    if case.get("mask") == "boolean":
        mask[2] = False
    out = torch.nn.functional.scaled_dot_product_attention(
        q, k, v, mask, scale=case.get("scale"), is_causal=case.get("is_causal", False),
        enable_gqa=heads != kv_heads,
    )  # fmt: skip
    plain = None if mask is None else mask.tolist()
    if case.get("mask") == "additive":
        plain = [[None if x == -torch.inf else x for x in row] for row in mask.tolist()]
    arrays = {"q": q, "k": k, "v": v, "out": out}
    return {**case, "given": plain, **{name: array[0].tolist() for name, array in arrays.items()}}


def main() -> None:
    """Write every case to standard output."""
    import torch  # type: ignore[import-not-found,unused-ignore]

    recorded = {
        "made_by": "python tests/compute/data/record_heads.py > tests/compute/data/heads.json",
        "torch": torch.__version__,
        "cases": [record(torch, case) for case in CASES],
    }
    json.dump(recorded, sys.stdout)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
