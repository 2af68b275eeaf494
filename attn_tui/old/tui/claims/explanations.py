"""What ``?`` says of each pane of the screen of Claims."""

from attn_tui.old.tui.explaining import Explanation

_SOURCE = (
    "the three texts and the papers that each claim names; docs/claims.md has the whole ledger"
)

LIST = Explanation(
    "Claims",
    "verdict = what its check finds in each case",
    "A line for each thing that is said about dividing by √d_k. It holds under what its text "
    "assumes; or on a condition that the text leaves out, and then both sides are shown; or it is "
    "false; or it is a slip of wording. A verdict that is computed comes from the numbers alone, "
    "here and now: another seed, d_k or n (tab) tries it again. The rest is looked up in the table "
    "of models, or explained, and says so.\n\n"
    "Enter sets up the instrument that shows a claim; escape comes back. e finds a claim by its "
    "words, and the settings (tab) list those of one text, of one verdict or about one topic.",
    _SOURCE,
)
FINDING = Explanation(
    "What is right",
    "found ± standard error, beside what is stated and what is exact",
    "What is right in a few words, and under each case in which the claim was tried the numbers "
    "that decide whether it holds there. What was drawn has its standard error: a number is taken "
    "for another one within five of them. The picture shows each number beside what it is held "
    "against, on an axis of its own, or the curves that say more.",
    _SOURCE,
)
