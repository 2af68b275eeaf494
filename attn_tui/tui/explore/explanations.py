"""What ``?`` says of each pane of the Explore screen."""

from attn_tui.tui.instrument_screen import Explanation

SCORES = Explanation(
    "Scores",
    "s = q·k, one score for each key",
    "Each line is one vector: the scores of one query against its keys. Write numbers with "
    "commas or spaces; name: in front names the vector; -inf masks a key. What NumPy or PyTorch "
    "prints can be pasted as it is. Scores typed here do not depend on d_k: moving d_k changes "
    "only what they are divided by. The line the cursor is on is the vector that is shown.",
    "Vaswani et al. 2017, arXiv 1706.03762, section 3.2.1",
)
SCALE = Explanation(
    "Scale",
    "z = m·s; by default m = 1/√d_k",
    "d_k is the dimension of one head's queries and keys, not d_model. If their entries are "
    "independent with mean 0 and variance 1, q·k has mean 0 and variance d_k, so dividing by "
    "√d_k makes the standard deviation of the scores 1. Stable means that the largest score is "
    "subtracted before the exponential; naive shows what happens without.",
    "Vaswani et al. 2017, arXiv 1706.03762, footnote 4",
)
TABLE = Explanation(
    "Weights and gradient",
    "p = softmax(z), p_i = e^z_i / Σ_j e^z_j\n"
    "∂p_i/∂z_j = p_i(δ_ij − p_j)     ∂p_i/∂s_j = m·p_i(δ_ij − p_j)",
    "Unscaled is m = 1, scaled is the rule's m. The gradient columns are one line of the "
    "Jacobian: how the weight named in the title answers to each score s (or logit z; w "
    "changes which). Dividing brings the weights closer together, which enlarges the gradient "
    "with respect to z wherever one key had nearly all the weight; with respect to s, the "
    "factor m then makes it smaller. Which of the two wins depends on the scores. The change "
    "column is scaled over unscaled. Below: H is the entropy, e^H the effective number of "
    "keys, 1/Σp² the participation ratio, ‖·‖_F, ‖·‖₂ and trace the Frobenius norm, the "
    "spectral norm and the trace of the whole Jacobian. Numbers too small for their format are "
    "written from their logarithms.",
    "p_i(δ_ij − p_j) is the derivative of softmax, the Hessian of log-sum-exp",
)
CHART = Explanation(
    "Charts",
    "weights p     Jacobian ∂p_i/∂s_j     p, H and ‖∂p/∂s‖_F over d_k",
    "Weights: each key's weight, unscaled against scaled, on a scale from 0 to 1, or logarithmic "
    "(l). Jacobian: the sign and size of every ∂p_i/∂s_j; arrows move the cursor, whose value is "
    "spelled out. Over d_k: what the rule would make of these same scores at other d_k; the mark "
    "stands at the present one.",
    "computed from the scores shown; nothing is sampled",
)
WORDS = Explanation(
    "In words",
    "softmax(QKᵀ/√d_k)V",
    "The sentences at the foot of the screen say what the numbers mean.",
    "computed from the numbers above",
)
