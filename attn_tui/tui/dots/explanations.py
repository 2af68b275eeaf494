"""What ``?`` says of each pane of the screen of Dot products."""

from attn_tui.tui.explaining import Explanation

_LAW = (
    "Madan, Carr & Chang 1998, European Finance Review 2 (1), for the variance-gamma law; "
    "Vaswani et al. 2017, arXiv 1706.03762, footnote 4, for the argument"
)
DRAWS = Explanation(
    "What is drawn",
    "q·k = Σ_i q_i k_i over d_k components",
    "Each draw is one q·k of a fresh q and k. Their entries are standard normal, uniform with "
    "variance 1, +1 or −1 with equal chance, or what a die shows. μ_q and μ_k are added to every "
    "entry; ρ correlates q_i with its k_i, as training does: normal entries jointly, others so "
    "that k_i deviates from its mean as far as q_i does, to the same side or for ρ < 0 to the "
    "other, with probability |ρ|, and else independently. Tied, all components of q are one "
    "number and all of k: then every pair of components is uncorrelated, as before, and still the "
    "variance is d_k², because the products q_i k_i are not.\n\n"
    "Up and down choose a field, left and right change it, enter types it. x stops the draw and "
    "keeps what was drawn; x again goes on. a draws anew, with the next seed. Normal entries take "
    "two random numbers a draw, with shifts four, whatever d_k is, by the exact law.",
    _LAW,
)
SCALE = Explanation(
    "Scale",
    "z = m·q·k; by default m = 1/√d_k",
    "d_k is shared with the other instruments, and so is the rule. Independent entries of mean 0 "
    "and variance 1 give q·k the variance d_k, so 1/√d_k makes its standard deviation 1 at every "
    "d_k; 1 lets it grow as √d_k, and 1/d_k lets it fall as 1/√d_k. Other entries, shifts, ρ and "
    "ties change that: the readouts say how. A soft cap, a sink and QK-norm play no part here.",
    "Vaswani et al. 2017, arXiv 1706.03762, section 3.2.1",
)
READOUTS = Explanation(
    "Readouts",
    "variance E[(x − E[x])²]     kurtosis E[(x − E[x])⁴]/variance²\n"
    "coverage P(|x| ≤ 2v·√d_k)     x = q·k, or m·q·k with the bound times m",
    "What the sample says, ± its standard error: the standard deviation of that number over "
    "samples of this size. Beside it stands the exact value of the law: a closed form, a "
    "quadrature, a sum of probabilities, or else the inverse of the characteristic function. It is "
    "right to about ten digits, or is – with the reason; a coverage less than 1e-10 may be. Two "
    "numbers of three are within one standard error, and 19 of 20 within two; one that is more "
    "than four away is marked with !. What equals d_k is the variance, and never the mean.\n\n"
    "For standard normal entries: variance d_k, kurtosis 3 + 6/d_k, E|q·k| = "
    "2Γ((d_k+1)/2)/(√π·Γ(d_k/2)). In the coverage v is the variance of an entry, 1 but for a "
    "die's 35/12 = 2.917: 2v·√d_k would be two standard deviations if all were independent and of "
    "mean 0. A normal number has kurtosis 3 and coverage 0.9545.",
    _LAW,
)
CHART = Explanation(
    "Charts",
    "f(x) = |x|^ν·K_ν(|x|)/(2^ν·√π·Γ(d_k/2)), ν = (d_k − 1)/2",
    "Histogram: bars are the share of draws over the width of a column, so that their area is 1, "
    "or, of few values, a bar for each as high as its share. The curves are the exact density, for "
    "standard normal entries the variance-gamma law (e^−|x|/2 at d_k = 2), or exact probabilities "
    "where q·k has steps, and, dotted, the normal density of the same mean and variance, which the "
    "exact one tends to unless components are tied. A bar hides a curve that passes at its end. "
    "Where the two curves are nowhere a dot apart they are one, and the legend says how far apart "
    "they are at most. The axes follow from the law and stand still while the sample "
    "grows: five standard deviations to each side. l shows the tails.\n\n"
    "Deviation over d_k: the exact standard deviation of m·q·k for three rules, on logarithmic "
    "axes, where powers of d_k are straight: slopes 1/2, 0 and −1/2, or tied 1, 1/2 and 0. ○ was "
    "sampled, for the rule ×1.\n\n"
    "Table over d_k: each row has a sample of its own, of as many q·k as are asked for, or as "
    "many as take 17 million random numbers; i adds rows, del takes one away.\n\n"
    "Why d_k: the derivation, each line with what was sampled and the exact number. The cross "
    "terms vanish because the products of different components are uncorrelated; T ties the "
    "components, and they do not.",
    _LAW,
)
