"""The views of Sweep, by the ids of their panes: their names, and other words for them."""

VIEW_TITLES = {
    "map-pane": ("Map over n and d_k",), "over-pane": ("Curves over d_k",),
    "keys-pane": ("Curves over n",), "numbers-pane": ("Table of numbers",),
}  # fmt: skip
