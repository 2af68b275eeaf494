"""What ``?`` says of each pane of the screen of Dot products."""

from attn_tui.old.tui.explaining import Explanation

_LAW = (
    "Madan, Carr & Chang 1998, European Finance Review 2 (1), for the variance-gamma law; "
    "Vaswani et al. 2017, arXiv 1706.03762, footnote 4, for the argument"
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
PICTURE = Explanation(
    "What is drawn",
    "f(x) = |x|^ν·K_ν(|x|)/(2^ν·√π·Γ(d_k/2)), ν = (d_k − 1)/2",
    "q·k above and m·q·k below, on one axis of values: signed and logarithmic, linear within ±1, "
    "its ends from the laws at d_k = 1 and 65,536, so that it never moves with d_k, and every "
    "doubling of d_k widens what grows as √d_k by the same number of cells. v makes it linear, "
    "four standard deviations of q·k to either side; an arrow says where m·q·k is beyond it. Bars "
    "are what was drawn, in bins of a quarter of a standard deviation joined from middle to "
    "middle, or one for each of few values; the line is the exact density, for standard normal "
    "entries the variance-gamma law. Each is drawn to its own height. Brackets are one standard "
    "deviation to either side of the mean.\n\n"
    "Over d_k shows on the same axis two standard deviations to either side of the mean at every "
    "d_k, exactly: what is scaled in front. It takes the place of the bells where the entries are "
    "tied, or q·k is not 0 on average: there they are needles, and that they move is what "
    "counts.\n\n"
    "Each draw is one q·k of a fresh q and k. Their entries are standard normal, uniform with "
    "variance 1, +1 or −1 with equal chance, or what a die shows. μ_q and μ_k are added to every "
    "entry; ρ correlates q_i with its k_i, as training does: normal entries jointly, others so "
    "that k_i deviates from its mean as far as q_i does, to the same side or for ρ < 0 to the "
    "other, with probability |ρ|, and else independently. Tied, all components of q are one "
    "number and all of k: then every pair of components is uncorrelated, as before, and still the "
    "variance is d_k², because the products q_i k_i are not. Space stops the draw and keeps what "
    "was drawn; a draws again, with the next seed. Normal entries take two random numbers a draw, "
    "with shifts four, whatever d_k is, by the exact law.",
    _LAW,
)
CHART = Explanation(
    "Charts",
    "f(x) = |x|^ν·K_ν(|x|)/(2^ν·√π·Γ(d_k/2)), ν = (d_k − 1)/2",
    "Moments: what the sample says, ± its standard error: the standard deviation of that number "
    "over samples of this size. Beside it stands the exact value of the law: a closed form, a "
    "quadrature, a sum of probabilities, or else the inverse of the characteristic function. Two "
    "numbers of three are within one standard error, and 19 of 20 within two; one that is more "
    "than four away is marked with !. What equals d_k is the variance, and never the mean. i opens "
    "the text with the standard deviation, E|x|, the kurtosis and the coverage P(|x| ≤ 2v·√d_k), v "
    "being the variance of an entry, 1 but for a die's 35/12.\n\n"
    "Over d_k: q·k and m·q·k at each d_k, on the axis of the picture; Bells: the picture that it "
    "takes the place of.\n\n"
    "Table: each row has a sample of its own, of as many q·k as are asked for, or as "
    "many as take 17 million random numbers; del takes one away, a setting has them all.\n\n"
    "Why d_k: the derivation, a sentence a step, and beside its formula what was measured and what "
    "is exact. Single products are drawn besides, as many as q·k and at most 1,048,576. Where a "
    "step fails it says so: e draws dice, settings (tab) tie the components and correlate q_i and "
    "k_i.",
    _LAW,
)
