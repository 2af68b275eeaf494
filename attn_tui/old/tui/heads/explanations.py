"""What ``?`` says of each pane of the screen of Heads."""

from attn_tui.old.tui.explaining import Explanation

_SOURCE = "computed from the capture; docs/json.md says what each statistic is"

MAP = Explanation(
    "Heads",
    "z = m·s,  p = softmax(z);  one number a head, of sampled rows ± standard error",
    "Each cell is one head of a layer, and one statistic of it, which e chooses. A shade has a "
    "fixed meaning, the same for every capture: the line below the map says from which value on. "
    "The head under the cursor has all its statistics beside the map, or below it.\n\n"
    "Rows are sampled with a seed; w takes every row, and then numbers are exact. A mean has its "
    "standard error. The largest of sampled rows is at least that of all. Rows that see one key "
    "count neither in p nor in gradients. A number with ? does not count: its weights miss the "
    "captured output, or most of its rows have none. Enter opens the head; "
    "p pins this capture: the next one that o opens is compared with it.",
    _SOURCE,
)
LIST = Explanation(
    "The list of heads",
    "one head a line",
    "All statistics of each head, those to look at first on top; the settings sort them by place, "
    "and keep those that meet a condition such as max_logit > 100.",
    _SOURCE,
)
DOCTOR = Explanation(
    "The doctor",
    "out = c·softmax(cap(m·QKᵀ) + mask)·V  fitted to the captured output",
    "Says which multiplier, soft cap, sink and mask attention was computed with, each with its "
    "95 % interval, and which way of rounding explains what is left over. What a configuration "
    "expects is compared with that; a setting names its file. Heads that differ come first. i has "
    "the line to paste into an issue, and all the evidence.",
    "docs/doctor.md",
)
WORDS = Explanation(
    "The headline",
    "saturated: the largest weight of a row is .9 or more, on average",
    "How many heads saturate, which are the darkest ones of the map, or the like for another "
    "statistic; and which head does so most.",
    _SOURCE,
)
