"""The views of Dot products, by the ids of their panes: their names, and other words for them."""

VIEW_TITLES = {
    "bells-pane": ("Histograms of q·k", "bins", "bell", "distribution"),
    "over-pane": ("Spread over d_k", "band", "standard deviation"),
    "why-pane": ("Why the variance is d_k", "variance", "derivation", "proof"),
    "table-pane": ("Table of draws at other d_k", "numbers"),
}  # fmt: skip
