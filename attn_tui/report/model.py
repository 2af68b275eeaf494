"""The chosen model, and the changes made to it, in words."""

from attn_tui.compute.models import MODELS
from attn_tui.compute.numbers import general
from attn_tui.compute.setup import Setup


def model_texts(setup: Setup) -> tuple[str, ...]:
    """Return the chosen model and the changes made to it, in texts of decreasing length.

    There are none if no model is chosen; every text tells whether there are changes.
    """
    if setup.model not in MODELS:
        return ()
    title, departing = MODELS[setup.model].title, departures(setup)
    if not departing:
        return (title,)
    return f"{title}, but {', '.join(departing)}", f"{title}, but …"


def departures(setup: Setup) -> tuple[str, ...]:
    """Return in words where d_k and the scale differ from those of the chosen model."""
    if (model := MODELS.get(setup.model)) is None:
        return ()
    scale, promised = setup.scale, model.scale
    departs = {
        f"d_k {setup.d_k:,}": setup.d_k != model.d_k,
        scale.formula: (scale.rule, scale.arguments) != (promised.rule, promised.arguments),
        _words("cap", scale.softcap): scale.softcap != promised.softcap,
        _words("sink", scale.sink): scale.sink != promised.sink,
        "QK-norm" if scale.qk_norm else "no QK-norm": scale.qk_norm != promised.qk_norm,
    }
    return tuple(words for words, there in departs.items() if there)


def _words(name: str, value: float | None) -> str:
    return f"no {name}" if value is None else f"{name} {general(value, 12)}"
