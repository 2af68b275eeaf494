"""The views of Explore, by the ids of their panes: their names, and other words for them."""

OVER = {
    "weights-over": "Weights over d_k", "gradient-over": "Gradient over d_k",
    "keys-over": "Effective keys over d_k",
}  # fmt: skip
"""The titles of the panes of curves over d_k, which stand side by side where there is room."""

VIEW_TITLES = {
    "weights-pane": ("Weights", "bars", "probabilities", "softmax"),
    "gradient-pane": ("Gradient", "derivative"),
    "weights-over": (OVER["weights-over"], "curves"),
    "gradient-over": (OVER["gradient-over"], "curves"),
    "keys-over": (OVER["keys-over"], "effective keys", "entropy", "curves", "sharpness"),
    "jacobian": ("Jacobian", "matrix of derivatives", "∂p/∂s"),
    "lab": ("Precision lab", "every format", "rounding", "formats side by side",
            "float16 beside float64", "bfloat16 beside float32"),
    "vectors": ("q, K and V", "queries and keys", "output"),
}  # fmt: skip


def both(unscaled: str, scaled: str) -> str:
    """Return a number of both sides as markup for a subtitle."""
    return f"[$unscaled]{unscaled}[/] → [$scaled]{scaled}[/]"
