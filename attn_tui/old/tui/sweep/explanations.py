"""What ``?`` says of each pane of the Sweep screen."""

from attn_tui.old.tui.explaining import Explanation

DRAWN = Explanation(
    "Drawn vectors",
    "s = ‖q‖·g,  g ~ N(0, I_n),  ‖q‖² ~ χ² with d_k degrees of freedom",
    "Each vector is the scores of one query against n keys, all entries independent and standard "
    "normal. Given q the scores are normal with standard deviation ‖q‖, about √d_k, so no key "
    "needs to be drawn. Draws are coupled: the same seed gives the same vectors at every d_k, the "
    "first n keys of longer ones, and all rules get the same. n is the number of keys: the length "
    "a query attends to, not the size of a head.",
    "theory: Vaswani et al. 2017, arXiv 1706.03762, section 3.2.1, footnote 4",
)
SCALE = Explanation(
    "Rules",
    "z = m·s;  σ = m√d_k is about the standard deviation of the logits z",
    "r chooses the rules to compare; if none are chosen these are none (m = 1) and the rule that "
    "all instruments share. A soft cap, a sink, QK-norm and masks play no part in a sweep.",
    "Vaswani et al. 2017, arXiv 1706.03762, section 3.2.1",
)
CHART = Explanation(
    "Charts",
    "tr J = 1 − Σp²     ‖∂p/∂s‖_F = m·‖J‖_F     ‖∂L/∂q‖ = m·‖Kᵀ·J·V·∂L/∂o‖\n"
    "E[tr J] = E[Σ p_i z_i]/σ² (Stein)     σ_c = √(2 ln n)     r = σ_c/σ",
    "Lines are medians over draws, the light band holds the middle half of them under the first "
    "rule: it is wide where few vectors carry the mean, and a typical gradient may vanish while "
    "the mean gradient does not. ◆ is where the medians without and with the rule cross, d*, and "
    "├ ┤ on the axis its 95 % interval, by bootstrap over coupled draws: below it, from 2 or "
    "where the rule begins to divide, removing the rule makes the median larger. Of a map it is "
    "read between its places, within two standard errors.\n\n"
    "Numbers has the rest at the cursor: means with their errors, which are exact of two keys, "
    "and of tr J and H at any n; asymptotes, m_n·E[1/σ] as σ grows at fixed n, with m_n the mean "
    "of the largest of n standard normal numbers, and leading orders in r as n grows, of the mean "
    "tr J, but of the root mean square of ‖J‖_F and ‖∂p/∂s‖_F, which lies above their mean; and "
    "σ_c, where logits condense on few keys.\n\n"
    "The map holds in every cell what dividing does to the statistic there: ▲26 makes it 26 times "
    "larger, ▼26 smaller, = is the same within 15 %, ≫ over a million. As shown by itself, a "
    "setting, it has the statistic without scaling, in shades. Arrows move the cursor, which is n "
    "and d_k themselves; "
    "enter opens Explore there.",
    "Stein 1981, Ann. Statist. 9 (6); random energy model: Derrida 1981, Phys. Rev. B 24 (5), and "
    "for softmax Giorlandino & Goldt, arXiv 2505.24333",
)
WORDS = Explanation(
    "The headline",
    "median of a statistic unscaled over the median scaled, at each n and d_k",
    "The sentences under the title say what dividing does to the typical draw at the cursor, the "
    'median, and where it does the opposite. "No scaling, so gradients vanish" is true of few '
    "keys or a large d_k.",
    "computed from the vectors drawn",
)
