"""The views of Attention, by the ids of their panes: their names, and other words for them."""

VIEW_TITLES = {
    "unscaled-pane": ("Map of weights", "heat map"),
    "scaled-pane": ("Map of weights, scaled",),
    "rows-pane": ("Table of all rows", "numbers"),
}  # fmt: skip
