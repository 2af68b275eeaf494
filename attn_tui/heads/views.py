"""The views of Heads, by the ids of their panes: their names, and other words for them."""

VIEW_TITLES = {
    "map-pane": ("Map of layers and heads",), "card-pane": ("Card of one head",),
    "numbers-pane": ("Table of all numbers",), "table-pane": ("Table of all heads", "list"),
    "doctor-pane": ("Doctor", "diagnosis", "is it as promised"),
}  # fmt: skip
