"""What can be done on the Explore screen."""

from attn_tui.tui.actions import Action
from attn_tui.tui.fields import D_K_ACTIONS
from attn_tui.tui.filing import OPEN_ACTION, READ_ACTION, SAVE_ACTION
from attn_tui.tui.full import FULL_ACTION
from attn_tui.tui.looking import LOG_ACTION, SIDE_ACTION, TAB_ACTION
from attn_tui.tui.scale import MODELS_ACTION, RULE_ACTION

ASKING = (
    Action("scores.edit", ("e",), "e", "Edit", "Edit the scores, or what they come from", bar=1),
    Action(
        "scores.choose_source", ("f",), "f", "From",
        "Choose where scores come from: typed, drawn, or from q and K", bar=3,
    ),
    Action("scores.draw_anew", ("a",), "a", "Again", "Draw other scores: the next seed"),
    *D_K_ACTIONS,
    RULE_ACTION,
    Action("fields.type('softcap')", ("c",), "c", "Cap", "Type a soft cap; empty is none"),
    Action("fields.type('sink')", ("b",), "b", "Sink", "Type the logit of a sink; empty is none"),
    Action(
        "scores.qk_norm", ("k",), "k", "QK-norm",
        "Normalise q and k before their product, or do not",
    ),
    MODELS_ACTION,
    Action(
        "fields.next('precision')", ("p",), "p", "Precision", "Compute softmax in the next format"
    ),
    Action(
        "fields.next('naive')", ("n",), "n", "Naive",
        "Subtract the largest score before e^z, or do not",
    ),
    Action(
        "fields.next('arithmetic')", ("A",), "A", "Arithmetic",
        "In 16 bits round logits and weights, or every operation",
    ),
    Action(
        "fields.next('round_scores')", ("P",), "P", "Round s",
        "Round the scores to the next format",
    ),
    Action(
        "fields.next('round_vectors')", ("K",), "K", "Round q",
        "Round q and k to the next format",
    ),
    Action(
        "scores.mask", ("m",), "m", "Mask", "Mask the cursor's key, or the selected ones; or show"
    ),
    Action(
        "scores.type_mask", ("M",), "M", "Masks",
        "Type which keys are masked: 2, 5:8, 12: or causal",
    ),
    Action(
        "scores.mask_after", ("greater_than_sign",), ">", "After",
        "Mask the keys after the cursor, as a causal mask does",
    ),
    Action(
        "scores.gradient_of", ("i",), "i", "Key", "Show the gradient of the cursor's key's weight",
        bar=2,
    ),
    Action(
        "fields.next('wrt')", ("w",), "w", "s/z",
        "Take the gradient with respect to the scores s or the logits z", bar=3,
    ),
    Action("scores.choose_example", ("x",), "x", "Examples", "Choose an example", bar=3),
    OPEN_ACTION,
    SAVE_ACTION,
)  # fmt: skip
"""What asks something else."""

LOOKING = (
    TAB_ACTION,
    LOG_ACTION,
    Action("looking.next_vector", ("v",), "v", "Vector", "Show the next vector"),
    Action(
        "looking.sort", ("s",), "s", "Sort",
        "List keys by position, or those with the largest weights first",
    ),
    Action("looking.go_to_key", ("g",), "g", "Go", "Go to a key by its number"),
    Action(
        "looking.pin", ("equals_sign",), "=", "Compare",
        "Pin the present answer to compare the next ones with it; or let go", bar=3,
    ),
    SIDE_ACTION,
    Action(
        "looking.flip('zoomed')", ("z",), "z", "Zoom",
        "See a large Jacobian around the cursor, or as a whole",
    ),
    READ_ACTION,
    FULL_ACTION,
)  # fmt: skip
"""What looks another way."""

ACTIONS = (*ASKING, *LOOKING)
