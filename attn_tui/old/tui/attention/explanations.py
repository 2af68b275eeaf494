"""What ``?`` says of each pane of the screen of Attention."""

from attn_tui.old.tui.explaining import Explanation

_SOURCE = "Vaswani et al. 2017, arXiv 1706.03762, section 3.2.1"
HEAD = Explanation(
    "Head",
    "P = softmax(m·QKᵀ), a row for each query",
    "The rows are the vectors that are asked, where there are several: of q and K those of each "
    "query. Else a head is drawn, as many queries as keys, with entries that are independent and "
    "standard normal. A drawn query has keys of its own: in a head all queries share theirs, which "
    "changes the law of no row. It is causal unless asked otherwise: query i sees keys 0 to i. "
    "What the mask hides is hidden here too. The draw is coupled over d_k: scores grow with "
    "‖q‖, and their pattern stays.",
    _SOURCE,
)
SCALE = Explanation(
    "Scale",
    "z = m·s, or c·tanh(m·s/c); P = softmax(z)",
    "All that scores go through before softmax and in it: the rule, a soft cap, a sink, QK-norm, "
    "number formats. p pins the head as it is, and then the same head under something else "
    "stands beside it, and what has changed: where weights are more, or less.",
    _SOURCE,
)
CHART = Explanation(
    "Head",
    "p_ij, queries i down, keys j across",
    "Map: the weights of a head, as the scores are on the left and under the scale on the right. "
    "The shades are those of one scale, which never moves: below 1 %, and from 1, 10, 30 and 90 %. "
    "What is blank is masked. Where there is no room for each weight, a cell shows the largest of "
    "those it stands for, and the line below says so. Below it stand the numbers of the cursor's "
    "row and of its key.\n\n"
    "Rows: the same numbers of every row: the largest weight and its key, effective keys e^H, the "
    "Frobenius norm of ∂p/∂s. Output: o = Σ p_j v_j, where there is a V, "
    "and the norm of ∂o/∂q, which says how far it moves with the query.\n\n"
    "Enter opens the cursor's row in Explore, and escape comes back.",
    _SOURCE,
)
