"""Claims that reasons decide: formulas, notation, slips of wording."""

from functools import partial

from attn_tui.claims.claim import told
from attn_tui.claims.opening import dots, explored
from attn_tui.compute.scale import Scale

vectors = partial(explored, scale=Scale(), source="vectors")
head = vectors(
    "q: [[4, 8], [6, -2], [1, 1]]\nK: [[1, 0], [0, 1], [1, 1]]\nV: [[1, 0], [0, 1], [1, 1]]", 2,
    instrument="attention",
)  # fmt: skip

_THREE_KEYS = "q: 1, 2\nK: [[1, 0], [0, 1], [1, 1]]\nV: [[1, 0], [0, 1], [1, 1]]"

same_dimension = told(
    "S0-1",
    "conditional",
    says="Attention is softmax(QKᵀ/√d_k)V, with Q, K and V of one dimension d_k.",
    right="The formula is right. Only q and k must have the same dimension, as their product is "
    "taken; V may have one of its own, d_v, which is then that of the output.",
    topics=("formula",),
    formula="Q: n_q × d_k, K: n × d_k, V: n × d_v",
    condition="for Q and K",
    opens=vectors("q: 1, 0\nK: [[1, 0], [0, 1]]\nV: [[1, 2, 3], [4, 5, 6]]", 2),
)

unstable = told(
    "S0-3",
    "conditional",
    says="Because gradients vanish, learning becomes unstable.",
    right="Vanishing gradients make learning slow, or stop it. What makes it unstable is logits "
    "that grow as training goes on.",
    topics=("training", "gradients"),
    condition="of logits that grow in training",
)

function_of_one = told(
    "S0-4",
    "wording",
    says="softmax(z_i) is written as a function of one number z_i.",
    right="Softmax acts on all of z: the same z_i has another weight beside other logits, z_i = 2 "
    "has .79 beside (0, 0) and .33 beside (2, 2).",
    topics=("formula", "softmax"),
    formula="p_i = softmax(z)_i = e^(z_i)/Σ_j e^(z_j)",
    opens=explored("a: 2, 0, 0\nb: 2, 2, 2"),
)

wrong_factor = told(
    "S0-7",
    "wording",
    says="For k ≠ i the gradient is written ∂softmax(z_k)/∂z_k, with softmax(z_k) in front.",
    right="It is ∂p_i/∂z_k = −p_i p_k, with p_i in front. Where one key has all the weight this "
    "is about 0 all the same.",
    topics=("softmax", "gradients"),
    formula="∂p_i/∂z_k = −p_i p_k for k ≠ i",
    opens=explored("a: 10, 0, 0"),
)

variance_of_the_mean = told(
    "S0-17",
    "wording",
    says='"The variance of the mean is 0 and 1."',
    right="Meant is: the mean is 0 and the variance is 1.",
    topics=("dot products",),
)

outer_product = told(
    "S0-19",
    "wording",
    says="QKᵀ of two vectors, the sum of q_i·k_i, is called an outer product.",
    right="It is the inner product, one number. The outer product of two vectors is a matrix, d_k "
    "× d_k.",
    topics=("formula", "dot products"),
    formula="(1 × d_k)(d_k × 1) = 1 × 1",
    opens=partial(dots, d_k=3),
)

the_formula = told(
    "S1-2",
    "holds",
    says="Attention(Q, K, V) = softmax(QKᵀ/√d)V.",
    right="This is the formula of Vaswani et al. 2017, equation 1, with d for d_k.",
    topics=("formula",),
    formula="softmax(QKᵀ/√d_k)V",
    opens=head,
)

over_dimension = told(
    "S1-3",
    "wording",
    says="Softmax is normalised by a sum over d terms.",
    right="The sum is over the n keys, as many as there are scores in a row. It has nothing to do "
    "with the dimension d_k.",
    topics=("formula", "softmax"),
    formula="p_ij = e^(z_ij)/Σ_(l=1…n) e^(z_il)",
    opens=vectors(_THREE_KEYS, 2),
)

row_of_keys = told(
    "S1-4",
    "wording",
    says="Entry (i, j) is written Q_i·K_iᵀ/√d, and expanded as a sum over j.",
    right="It is query i times key j, so row j of K; the sum over components needs an index of "
    "its own. As written every entry of a row would be the same.",
    topics=("formula",),
    formula="z_ij = Q_i·K_jᵀ/√d_k = Σ_l Q_il K_jl/√d_k",
    opens=head,
)

by_variance = told(
    "S1-14",
    "holds",
    says="The paper says only that large d pushes softmax to where gradients are small, and "
    "argues by variance in a footnote.",
    right="It does: section 3.2.1 says that it suspects so, and footnote 4 gives mean 0 and "
    "variance d_k for independent components.",
    topics=("dot products", "gradients"),
    opens=dots,
)

stray = told(
    "S1-15",
    "wording",
    says="A question stands in the middle of the proof, and some of its LaTeX is broken.",
    right="Both are slips of editing; nothing in the argument depends on them.",
    topics=("formula",),
)

two_variances = told(
    "S2-6",
    "wording",
    says="Of normal numbers 95 % are within ±2 variances.",
    right="Within ±2 standard deviations. Here both are 1, so the range of ±2 is right; at a "
    "variance of 64 it would be ±16, not ±128.",
    topics=("dot products",),
    formula="P(|x| ≤ 2σ) = .9545",
    opens=partial(dots, d_k=64),
)

two_draws = told(
    "S2-7",
    "wording",
    says="Q = (0.5, −1.2) and K = (1.1, 0.8) have entries of mean 0 and variance 1.",
    right="They are four numbers that may have been drawn from such a law. A single number has no "
    "variance; their dot product is −0.41.",
    topics=("dot products",),
    formula="0.5·1.1 − 1.2·0.8 = −0.41",
    opens=partial(dots, d_k=2),
)
