"""Claims that reasons decide: formulas, notation, slips of wording."""

from attn_tui.claims.claim import told

variance_of_the_mean = told(
    "S0-17",
    "wording",
    says='"The variance of the mean is 0 and 1."',
    right="Meant is: the mean is 0 and the variance is 1.",
    topics=("dot products",),
)
