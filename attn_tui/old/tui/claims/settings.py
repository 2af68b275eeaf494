"""What can be asked and looked at on the screen of Claims."""

from attn_tui.claims.claim import TEXTS, TOPICS
from attn_tui.claims.settings import Settings
from attn_tui.compute.field import fields_of, one_of
from attn_tui.old.tui.claims import explanations
from attn_tui.old.tui.claims.view import ALL
from attn_tui.old.tui.settings import Group, asked_for, looked_at

_OWN = fields_of(Settings)

_TEXTS = {ALL: "every claim", **TEXTS, "L": "literature and courses"}
_VERDICTS = {
    ALL: "every claim", "holds": "true as it stands", "conditional": "true on a condition",
    "false": "not true", "wording": "a slip of words",
}  # fmt: skip

GROUPS = (
    Group(
        "Claims",
        (
            asked_for(_OWN["claim"], opens="ledger.choose", synonyms=("statement", "ledger")),
            looked_at(
                "source", "text", "the text that claims are listed of", one_of(_TEXTS), ALL,
                synonyms=("source", "article", "literature"),
            ),
            looked_at(
                "verdict", "verdict", "the verdict of claims that are listed",
                one_of(_VERDICTS), ALL,
                synonyms=("holds", "false", "conditional", "wording"),
            ),
            looked_at(
                "topic", "topic", "what claims are about that are listed",
                one_of({ALL: "every claim", **dict.fromkeys(TOPICS, "")}), ALL,
                synonyms=("about", "subject"),
            ),
        ),
        folds=False,
        explanation=explanations.LIST,
    ),
    Group(
        "Tried with",
        tuple(asked_for(_OWN[name]) for name in ("seed", "d_k", "n", "draws")),
        folds=False,
    ),
)  # fmt: skip

ABSENT: dict[str, str] = {}
