"""Record the results of PyTorch's attention, for tests that run without PyTorch.

pip install torch==2.13.0
python tests/compute/data/record_sdpa.py > tests/compute/data/sdpa.json
"""

import json
import sys
from typing import Any

CASES: tuple[dict[str, Any], ...] = (
    {"name": "its own scale"},
    {"name": "no scale", "scale": 1.0},
    {"name": "1/d_k", "scale": 1 / 6},
    {"name": "saturated", "scale": 40.0},
    {"name": "some keys masked", "hidden": [0, 3]},
    {"name": "causal", "causal": True},
    {"name": "float32", "dtype": "float32"},
)


def record(torch: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Return a case with inputs, weights, output, and derivatives of the weights by the query."""
    dtype = getattr(torch, case.get("dtype", "float64"))
    queries, keys, values = (
        torch.randn(*shape, dtype=dtype, generator=torch.Generator().manual_seed(seed))
        for seed, shape in enumerate([(4, 6), (5, 6), (5, 3)])
    )
    mask = torch.ones(4, 5, dtype=torch.bool)
    mask[:, case.get("hidden", [])] = False
    options = {
        "scale": case.get("scale"),
        "is_causal": case.get("causal", False),
        "attn_mask": mask if "hidden" in case else None,
    }

    def attend(queries: Any, values: Any) -> Any:
        return torch.nn.functional.scaled_dot_product_attention(
            queries[None], keys[None], values[None], **options
        )[0]

    unit = torch.eye(5, dtype=dtype)
    slopes = torch.autograd.functional.jacobian(lambda q: attend(q, unit), queries)
    return {
        **case,
        "queries": queries.tolist(),
        "keys": keys.tolist(),
        "values": values.tolist(),
        "weights": attend(queries, unit).tolist(),
        "output": attend(queries, values).tolist(),
        "by_query": [slopes[row, :, row].tolist() for row in range(4)],
    }


def main() -> None:
    """Write every case to standard output."""
    import torch  # type: ignore[import-not-found,unused-ignore]

    recorded = {
        "made_by": "python tests/compute/data/record_sdpa.py > tests/compute/data/sdpa.json",
        "torch": torch.__version__,
        "cases": [record(torch, case) for case in CASES],
    }
    json.dump(recorded, sys.stdout)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
