"""What ``?`` says of each pane of the Explore screen."""

from attn_tui.old.tui.explaining import Explanation

SCORES = Explanation(
    "Scores",
    "s = q·k, one score for each key",
    "Typed: each line is one vector, the scores of one query against its keys. Write numbers "
    "with commas or spaces; name: in front names the vector; -inf masks a key. What NumPy or "
    "PyTorch prints can be pasted as it is. They do not depend on d_k: moving d_k changes only "
    "what they are divided by. The line the cursor is on is the vector that is shown.\n\n"
    "Drawn: n scores of random q and k with independent N(0, 1) entries, one vector for each "
    "query. Given q they are normal with standard deviation ‖q‖, about √d_k. The seed fixes the "
    "draw; a draws the next one. Moving d_k moves the scores, smoothly: q grows by entries.\n\n"
    "From q and K: rows of numbers behind q:, K: and, if there are values, V:. d_k is the "
    "length of q, so the slider is held. Where scores come from is a setting (tab).\n\n"
    "More than 2,000 numbers are attached: the text has one short line for them. Masks: del masks "
    "the cursor's key, or all that shift and the arrows select; the setting mask takes ranges or "
    "causal.",
    "Vaswani et al. 2017, arXiv 1706.03762, section 3.2.1",
)
SCALE = Explanation(
    "Scale",
    "z = m·s; by default m = 1/√d_k\n"
    "with a soft cap  z = c·tanh(m·s/c)     ∂z/∂s = m·(1 − tanh²(m·s/c))\n"
    "with a sink      p_i = e^z_i / (e^b + Σ_j e^z_j)",
    "d_k is the dimension of one head's queries and keys, not d_model. If their entries are "
    "independent with mean 0 and variance 1, q·k has mean 0 and variance d_k, so dividing by "
    "√d_k makes the standard deviation of the scores 1. r offers other rules, m the heads of "
    "well-known models. The n of rules that depend on a length counts the keys that are not "
    "masked.\n\n"
    "A soft cap keeps logits between −c and c; where it bends, its own slope makes gradients "
    "small. A sink is a logit without a key: the weights sum to less than 1, and what is missing "
    "is the sink's. QK-norm divides q and k by their root mean square before the product.\n\n"
    "Unscaled is always softmax of the scores as they are: m = 1, no cap, no sink. Stable means "
    "that the largest score is subtracted before the exponential; naive shows what happens "
    "without. The format softmax is computed in, that of the scores before, and that of q and k "
    "are three separate settings.",
    "Vaswani et al. 2017, arXiv 1706.03762, footnote 4; soft cap: Gemma 2, arXiv 2408.00118; "
    "sink: Xiao et al. 2023, arXiv 2309.17453, and gpt-oss; QK-norm: Dehghani et al. 2023, arXiv "
    "2302.05442",
)
TABLE = Explanation(
    "Weights and gradient",
    "p = softmax(z), p_i = e^z_i / Σ_j e^z_j\n"
    "∂p_i/∂z_j = p_i(δ_ij − p_j)     ∂p_i/∂s_j = p_i(δ_ij − p_j)·∂z_j/∂s_j, where ∂z/∂s = m",
    "Unscaled is m = 1, scaled is the rule's m. Weights are in percent: ~0 % is not 0, and i opens "
    "the text with all digits. The gradient columns, where there is room, are one line of the "
    "Jacobian: how the weight named in the title answers to each score s (or logit z: a setting). "
    "Dividing brings the weights closer together, which enlarges the gradient "
    "with respect to z wherever one key had nearly all the weight; with respect to s, the "
    "factor m then makes it smaller. Which of the two wins depends on the scores. The change "
    "column is scaled over unscaled. Below: the effective number of keys e^H, H being the "
    "entropy; the largest weight, or the sink's; and the Frobenius norm of the whole Jacobian. "
    "Numbers too small for their format are written from their logarithms.\n\n"
    "Where not all keys fit, those with the largest scaled weights stand first, and the cursor's "
    "key is in sight however small; the settings under View list them by position, or by weight "
    "again, and go to a key by its number. p pins the present answer: then pinned stands beside "
    "what is asked now, for another vector (left, right) or other settings, with Δp, the "
    "difference of the weights.",
    "p_i(δ_ij − p_j) is the derivative of softmax, the Hessian of log-sum-exp",
)
CHART = Explanation(
    "Charts",
    "weights p    Jacobian ∂p_i/∂s_j    p, H and ‖∂p/∂s‖_F over d_k    number formats    q, K, V",
    "Weights: each key's weight, unscaled against scaled, on a scale from 0 to 1, or logarithmic "
    "(v). Jacobian: the sign and size of every ∂p_i/∂s_j; arrows move the cursor, whose value is "
    "spelled out; where it is too large, each cell stands for a block and shows its largest "
    "entry; a setting zooms to the cursor. Over d_k: what the rule would make of these same scores "
    "(of drawn ones: of the scores drawn there) at other d_k; the mark stands at the present one. "
    "Precision: softmax in every number format, stable and naive, against the exact weights, "
    "of 30 digits with nothing rounded before. q, K, V: the gradient of the chosen weight "
    "with respect to q and to the cursor's key, and the weights times V; arrows move along the "
    "components.",
    "computed from the scores shown; nothing is sampled",
)
WORDS = Explanation(
    "The headline",
    "softmax(QKᵀ/√d_k)V",
    "The sentences under the title say who has the weight unscaled, who has it after dividing, and "
    "what that does to the gradient, which is ‖∂p/∂s‖_F there. Typically, of scores that are "
    "drawn, is the median over a thousand draws like this one.",
    "computed from the numbers below",
)
