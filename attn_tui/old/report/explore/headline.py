"""The headline of Explore: who has the weight on either side, and what becomes of the gradient."""

from collections.abc import Iterator
from itertools import product

import numpy as np

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.explore.compare import NAMES
from attn_tui.compute.logit_map import PLAIN
from attn_tui.old.report.explore.shares import Share, share, tied
from attn_tui.old.report.explore.tables import short as cut
from attn_tui.report.headline import GRADIENTS, Factor, Headline, done, percent
from attn_tui.report.numbers import general

_IDLE = 0.1
"""A cap hardly matters if the logits are smaller than this part of it."""

_NAME = 16
"""Characters of a vector's name that are said."""

_DOING = ("Dividing by", "Multiplying by", "Capping at", "Adding a sink")


def headline(
    answer: VectorAnswer, experiment: Experiment, typical: Factor | None = None
) -> Headline:
    """Return the headline of one vector; the gradient is ‖∂p/∂s‖_F, or the asked ‖∂p/∂z‖_F.

    Args:
        answer: The numbers: without the scale and with it, or of two answers side by side.
        experiment: What is asked.
        typical: The factor of the median ‖∂p/∂s‖_F over draws like this one, if it is known.
    """
    sides = answer.sides
    typical = typical if answer.wrt == "scores" else None
    first, second = (share(side, answer.compared) for side in sides)
    factor = Factor.between(*(side.norms[answer.wrt].log_frobenius for side in sides))
    if answer.compared:
        return _comparison(answer, first, second, factor)
    if found := _nothing_to_scale(answer, experiment, first, second):
        return found
    if found := _of_one_kind(answer, first, second, factor):
        return found
    begin = f"Unscaled: {first.brief}. {done(answer.scaled.map)}:"
    short = f"{begin} {second.after(first)[1]}."
    alone = f"{first.brief.capitalize()} unscaled."
    nearly = alone.replace("Practically", "Nearly")
    count = second.brief.removesuffix(" keys")
    halves = (f"{each} {done(answer.scaled.map)}: {count}." for each in (alone, nearly))
    return Headline.fitting(
        _sentences(answer, experiment, first, second, factor, typical),
        (f"{short} Gradient {factor.word}.", short, *halves, alone),
    )


def _nothing_to_scale(
    answer: VectorAnswer, experiment: Experiment, first: Share, second: Share
) -> Headline | None:
    """Return what is said where no weight can move, or nothing is scaled."""
    to_logits, setup = answer.scaled.map, experiment.setup
    sink, n_attended = to_logits.sink, answer.vector.n_attended
    if n_attended == 0:
        text = "Every key is masked: all weights and all gradients are 0"
        return Headline(f"{text}{'' if sink is None else ', and the sink takes all'}.", f"{text}.")
    if n_attended == 1 and sink is None and not first.fails:
        full = "One key has all the weight at any scale, and every gradient is 0: there is nothing "
        full += "to choose."
        if answer.vector.n_keys > 1:
            full = f"Key {int(answer.vector.scores.argmax()):,} alone is not masked, so it has all "
            full += "the weight at any scale, and every gradient is 0."
        return Headline(full, "One key has all the weight, and every gradient is 0.")
    if n_attended == 1 and sink is not None and not (first.fails or second.fails):
        key, taken = int(answer.vector.scores.argmax()), percent(answer.scaled.max_weight)
        full = f"Unscaled, nothing competes with key {key:,}: it has all the weight and no gradient"
        short = f"Unscaled, nothing competes with key {key:,}"
        then = f"{done(to_logits)} it takes {taken} beside the sink."
        return Headline.fitting(
            (f"{full}. {then}", f"{short}. {then}"), (f"{short}; scaled, the sink.", f"{short}.")
        )
    if to_logits != PLAIN:
        return None
    why = "rule none" if setup.scale.rule == "none" else f"{setup.scale.formula} is 1"
    why = "√1 = 1" if (setup.d_k, setup.scale.rule) == (1, "inverse-sqrt") else why
    return Headline.fitting(
        (
            f"Nothing is divided here{reason}, so both sides are the same: {first.clause}."
            for reason in (f" ({why})", "")
        ),
        (f"Nothing is divided here: {first.brief}.",),
    )


def _of_one_kind(
    answer: VectorAnswer, first: Share, second: Share, factor: Factor
) -> Headline | None:
    """Return what is said of both sides at once, where they share the weight in one way."""
    to_logits, n_attended = answer.scaled.map, answer.vector.n_attended
    attended = answer.unscaled.scores()[answer.unscaled.attended]
    if to_logits.sink is not None or answer.vector.bias is not None:
        return None
    if first.fails or second.fails:
        return None
    keys = "keys" if n_attended == answer.vector.n_keys else "unmasked keys"
    makes = f"makes the {GRADIENTS[answer.wrt]} {factor.times}"
    doing = done(to_logits, words=_DOING)
    if not factor.known or factor.stays:
        makes = f"leaves the {GRADIENTS[answer.wrt]} as it is"
    if (attended == attended[0]).all():
        full = f"All scores are equal, so the {n_attended:,} {keys} share equally at any scale. "
        full += f"{doing} only {makes}."
        short = f"{n_attended:,} equal scores: equal weights."
    elif who := tied(answer.sides):
        full = f"{who} are tied and split the weight; no scale parts them. {doing} {makes}."
        short = f"{who} are tied and split the weight."
    elif first.equal and second.equal and 0.0 < to_logits.multiplier < 1.0:
        full = f"Even unscaled the {n_attended:,} {keys} share almost equally. {doing} evens them "
        full += f"out further and {makes}."
        short = f"{n_attended:,} keys share almost equally."
    else:
        return None
    brief = f"{short} Gradient {factor.word}."
    return Headline.fitting((full, f"{short} {doing} {makes}.", brief, short), (brief, short))


def _sentences(
    answer: VectorAnswer,
    experiment: Experiment,
    first: Share,
    second: Share,
    factor: Factor,
    typical: Factor | None,
) -> Iterator[str]:
    """Yield what is said of one side after the other, ever shorter."""
    drawn, how = experiment.source.redraws, done(answer.scaled.map)
    begin = f"In this draw {first.clause} unscaled" if drawn else f"Unscaled, {first.clause}"
    dead = factor.back and first.taken == percent(1.0) and not drawn
    still = ", and small changes of scores change almost nothing" if dead else ""
    clause = second.after(first)[0]
    changes, reasons = _after(GRADIENTS[answer.wrt], factor, typical), _because(answer, experiment)
    semicolon = answer.scaled.map.sink is not None and " and the sink" in clause
    joint = "; " if semicolon else ", and "
    leads = [f"{joint}{change}" for change in changes] or [""]
    ends = [*(f"{leads[0]}; {because}" for because in reasons), *leads]
    for end, middle in product(dict.fromkeys((*ends, "")), dict.fromkeys((still, ""))):
        yield f"{begin}{middle}. {how}{clause}{end}."
    yield f"Unscaled: {first.brief}. {how}: {second.brief}."


def _after(noun: str, factor: Factor, typical: Factor | None) -> tuple[str, ...]:
    """Return what becomes of the gradient and what typically does, at decreasing length."""
    if not factor.known:
        return ()
    becomes = f"the {noun} {factor.becomes}"
    if typical is None or not typical.known:
        return (becomes,)
    same_way = (typical.log > 0.0) == (factor.log > 0.0) and not factor.stays
    often: tuple[str, ...] = (typical.times,)
    if typical.stays:
        often = (typical.word if typical.is_open else "it stays",)
    elif same_way:
        often = (f"{typical.many} times", typical.many)
    return (*(f"{becomes} (typically {each})" for each in often), becomes)


def _because(answer: VectorAnswer, experiment: Experiment) -> tuple[str, ...]:
    """Return the one reason or caution there is to add, if any, at decreasing length."""
    side, source = answer.scaled, experiment.source
    if side.map.softcap is not None:
        largest = side.multiplier * float(np.abs(side.scores()[side.attended]).max())
        if largest < _IDLE * side.map.softcap:
            text = "the cap hardly matters"
            return f"{text} for logits up to {general(largest, 2)}", text
    moves = source.redraws or source.d_k is not None
    if not moves and not experiment.setup.scale.uses_d_k(answer.vector.n_attended):
        return ("d_k changes nothing here",)
    return ()


def _comparison(answer: VectorAnswer, first: Share, second: Share, factor: Factor) -> Headline:
    """Return what is said of two answers: pinned and now, or of two vectors."""
    pinned = answer.names == NAMES
    named = ["Pinned", "Now"] if pinned else [cut(name, _NAME) for name in answer.names]
    sides = answer.sides
    asked = [(side.map, side.precision) for side in sides]
    if asked[0] == asked[1] and np.array_equal(sides[0].scores(), sides[1].scores()):
        both = "Pinned and now" if pinned else " and ".join(named)
        return Headline.fitting(
            (f"{both} are the same: {first.clause}.",),
            (f"{both} are the same: {first.brief}.", f"The same: {first.brief}."),
        )
    clause, brief = second.after(first)
    begins = ("Pinned:", "Now") if pinned else (f"In {named[0]},", f"In {named[1]}")
    text = f"{begins[0]} {first.clause}. {begins[1]}{clause}"
    short = f"{named[0]}: {first.brief}. {named[1]}: {brief}."
    fulls = [f"{text}, and the {GRADIENTS[answer.wrt]} {factor.becomes}."] if factor.known else []
    return Headline.fitting((*fulls, f"{text}.", short), (short, f"{first.brief}; {brief}."))
