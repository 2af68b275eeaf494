"""The headline of Explore: one or two whole sentences, the first in order that fits.

Each sentence is one literal with named slots. Numbers are rounded as `amount` and `about`
round them, and the answer contains every one of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, log

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import OverDk, VectorAnswer
from attn_tui.compute.heads.statistic import DEAD
from attn_tui.compute.lead import among_equals, lead_logits
from attn_tui.compute.mask import Mask
from attn_tui.compute.numbers import about, amount, general
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import PLAIN, Wrt
from attn_tui.report.words import (
    ALL,
    LONGEST,
    SAME,
    UNTOLD,
    doing,
    done,
    share_text,
    times,
    why_undivided,
)

FEW = 8
"""Up to this many keys, the largest weight is named even if it is less than half."""

EVEN = 0.995
"""Keys share almost equally from this share of effective keys on: two with 55 % and 45 % do."""

TIED = 0.9
"""Tied keys are said to split the weight if together they have at least this much of it."""

BACK = log(10.0)
"""ln of how far below its largest over d_k a gradient may be to count as back. It does not count
where the keys share almost equally: dividing has gone too far there, and only makes it smaller."""

SHARE = "share the weight"
"""The predicate of several keys where the weight has not been mentioned yet."""

TROUBLES = {
    "overflow": "A number overflows its format", "nan": "A number became NaN",
}  # fmt: skip

GRADIENTS: Mapping[Wrt, str] = {"scores": "gradient", "logits": "gradient by logits"}
OF_KEY: Mapping[Wrt, str] = {
    "scores": "gradient of key {key:,}", "logits": "gradient of key {key:,} by logits",
}  # fmt: skip

NOTHING_TO_CHOOSE = "{subject}, and every gradient is 0: there is nothing to choose."
UNDIVIDED = "Nothing is divided here ({why}), so both sides are the same: {before}."
UNUSABLE = "{trouble}. {first}, {before}. {second}{after}."
TIE = (
    "{keys} are tied and split the weight; no scale parts them. {doing} {makes} the {gradient} "
    "{made}."
)
SPREAD = (
    "Even unscaled the {n_keys} keys share almost equally. {doing} evens them out further and "
    "{makes} the {gradient} {made}."
)
DRAWN = "In this draw {before} unscaled. {second}{after}; the {gradient} {becomes}{typically}."
LEADING = (
    "Key 0 leads by about {lead} under 1/√d_k: in this draw it has {was} of the weight unscaled. "
    "{second} it has {now}; equal others would leave it {equal}."
)
SATURATED = (
    "Unscaled, {before}, and small changes of the scores change almost nothing. {second}{after}, "
    "and the {gradient} is back."
)
USUAL = "{first}, {before}. {second}{after}, and the {gradient} {becomes}."
MOVED = (
    "{first}, {before}. {second}{after}, but key {moved} takes {now} instead of {was}, and the "
    "{gradient} {becomes}."
)
"""The sentence beside a pinned answer in which the largest weights are the same."""

CAPPED = "{told} The cap leaves {share} of the slope at key {capped}."
"""What a soft cap does to the gradient besides, behind the sentences above."""

LOSS = (
    "{first}, {before}; if key {key} is the answer, the loss is {loss_before}. {second} it is "
    "{loss_after}, and its {gradient} {becomes}."
)
SHORT_LOSS = (
    "{first}, with key {key} as the answer, the loss is {loss_before}. {second} it is "
    "{loss_after}, and its {gradient} {becomes}."
)
MASKED_ANSWER = "Key {key}, the answer, is masked: the loss is infinite at any scale."
SEVERAL = (
    "Unscaled, one key takes practically all the weight in {before} of {n} vectors. {done}, it "
    "does so in {after}."
)
NUMBERS = (
    "{first}: largest weight {first_weight} (key {first_key}), {first_keys} effective keys. "
    "{second}: {second_weight}, {second_keys} keys. {name} {change}."
)
"""The sentence for all other cases."""

ONE_KEY = "One key has all the weight at any scale"
LEFT_ALONE = "The mask leaves key {key:,} alone; it has all the weight at any scale"
FIRST_QUERY = (
    "Under the causal mask the first query sees key 0 alone; it has all the weight at any scale"
)
ALL_MASKED = "Every key is masked"


@dataclass(frozen=True)
class GradientChange:
    """The change of the gradient: of ‖∂p/∂s‖ or ‖∂p/∂z‖, or of one weight's if a key is named.

    Attributes:
        before: ln of the norm on the first side; −∞ if it is exactly 0.
        after: ln of the norm on the second side.
        from_largest: ln of how many times the second norm is below its largest over d_k; infinite
            if unknown.
        is_even: Whether the keys share almost equally on the second side.
    """

    before: float
    after: float
    from_largest: float = inf
    is_even: bool = False

    @classmethod
    def of(cls, answer: VectorAnswer, over: OverDk | None) -> "GradientChange":
        """Return the change between the two sides of an answer."""
        (_, before), (_, after) = answer.gradients
        if over is None:
            return cls(before, after)
        finite = over.log_gradient[over.log_gradient > -inf]
        from_largest = float(finite.max()) - after if finite.size else inf
        second = answer.sides[1]
        is_even = second.effective_keys >= EVEN * int(second.attended.sum())
        return cls(before, after, from_largest, is_even)

    @property
    def log_factor(self) -> float:
        """Ln of how many times larger the gradient becomes; infinite if it was 0."""
        return inf if self.before == -inf else self.after - self.before

    @property
    def is_restored(self) -> bool:
        """Whether the gradient was lost before, and no longer is."""
        was_lost = -inf < self.before < log(DEAD) and self.log_factor > UNTOLD
        return was_lost and self.after >= log(DEAD)

    @property
    def is_back(self) -> bool:
        """Whether the gradient was lost, and is now near its largest with keys still apart."""
        return self.is_restored and self.from_largest < BACK and not self.is_even

    @property
    def text(self) -> str:
        """What the gradient is afterwards, in as few words as possible."""
        if self.before == -inf:
            return "still exactly 0" if self.after == -inf else "no longer exactly 0"
        if self.is_back:
            return "back"
        if self.log_factor < -UNTOLD:
            return "gone"
        if self.log_factor > UNTOLD and self.after < log(DEAD):
            return "still almost nothing" if self.after < -UNTOLD else "larger, but still small"
        return times(self.log_factor)

    @property
    def becomes(self) -> str:
        """The same with a verb: ``is back``, ``stays about the same``."""
        verb = "stays" if abs(self.log_factor) < SAME else "is"
        return f"{verb} {self.text}"

    @property
    def makes(self) -> tuple[str, str]:
        """The words around the gradient as an object: ``makes`` it ``32 times smaller``."""
        if abs(self.log_factor) < SAME:
            return "leaves", "about the same"
        if self.log_factor < -UNTOLD:
            return "makes", "vanish"
        return "makes", times(self.log_factor)


def headline(
    answer: VectorAnswer,
    experiment: Experiment,
    over: OverDk | None = None,
    typical: float | None = None,
) -> str:
    """Return the headline of one vector.

    Args:
        answer: Its numbers unscaled and scaled, or those of two answers side by side.
        experiment: The question.
        over: The scaled side over d_k, if it is known.
        typical: ln of the factor by which the scale changes the median gradient of draws like this
            one, if it is known.
    """
    first, second = answer.sides
    change = GradientChange.of(answer, over)
    n_keys = answer.vector.n_attended
    names = ("As pinned", "Now") if answer.compared else ("Unscaled", done(second.map))
    gradient = GRADIENTS[answer.wrt]
    if answer.key is not None:
        gradient = OF_KEY[answer.wrt].format(key=answer.key)
    slots = {
        "first": names[0], "second": names[1],
        "before": has(first), "after": follows(first, second), "n_keys": f"{n_keys:,}",
        "doing": doing(second.map), "makes": change.makes[0], "made": change.makes[1],
        "gradient": gradient, "name": gradient.capitalize(),
        "becomes": _becomes(change, first.precision), "change": change.text,
    }  # fmt: skip
    if answer.compared and _is_the_same(first, second, change):
        slots["becomes"] = "stays exactly the same"
    if answer.target in answer.masked:
        return MASKED_ANSWER.format(key=f"{answer.target:,}")
    if n_keys == 0 and not answer.compared:
        return NOTHING_TO_CHOOSE.format(subject=ALL_MASKED)
    if second.map == PLAIN and not answer.compared and n_keys > 1:
        return UNDIVIDED.format(why=why_undivided(experiment.setup.scale), **slots)
    if answer.status in TROUBLES:
        return UNUSABLE.format(trouble=TROUBLES[answer.status], **slots)
    keeps_keys = second.map.sink is None and not answer.compared
    if keeps_keys and n_keys == 1:
        return NOTHING_TO_CHOOSE.format(subject=_one_key(answer, experiment.setup.mask))
    if answer.target is not None:
        return _of_loss(answer, slots)
    moves = keeps_keys and answer.vector.bias is None
    tied = tied_keys(answer)
    if moves and tied:
        return TIE.format(keys=tied, **slots)
    if moves and second.map.multiplier < 1.0 and first.effective_keys >= EVEN * n_keys:
        return SPREAD.format(**slots)
    texts = []
    leads = experiment.setup.lead and bool(answer.scaled.attended[0])
    if experiment.source.redraws and leads and not answer.compared:
        texts.append(_leading(answer, experiment, names[1]))
    elif experiment.source.redraws and not answer.compared:
        often = "" if typical is None else _typically(typical, change.text)
        texts.append(DRAWN.format(typically=often, **slots))
        texts.append(DRAWN.format(typically="", **slots))
    elif first.max_weight >= ALL and change.is_back and not answer.compared:
        texts.append(SATURATED.format(**slots))
    if answer.compared and has(first) == has(second):
        moved = int(np.abs(second.weights() - first.weights()).argmax())
        was, now = (share_text(float(side.weights()[moved])) for side in answer.sides)
        if was != now:
            texts.append(MOVED.format(moved=f"{moved:,}", was=was, now=now, **slots))
    texts.append(USUAL.format(**slots))
    left = None if answer.compared else answer.slope_left
    if left is not None:
        where = {"share": share_text(left), "capped": f"{answer.gradient_key:,}"}
        texts = [*(CAPPED.format(told=text, **where) for text in texts), *texts]
    slots |= {
        "first_weight": _in_numbers(first.max_weight),
        "first_key": f"{leader(first):,}",
        "first_keys": amount(first.effective_keys),
        "second_weight": _in_numbers(second.max_weight),
        "second_keys": amount(second.effective_keys),
    }
    texts.append(NUMBERS.format(**slots))
    texts.append(NUMBERS.format(**slots | {"second": "Scaled"}))
    return next((text for text in texts if len(text) <= LONGEST), texts[-1])


def _is_the_same(first: Evaluation, second: Evaluation, change: GradientChange) -> bool:
    """Return whether two sides have the same weights, and a gradient above 0, to the last bit."""
    same_gradient = change.before == change.after > -inf
    return same_gradient and np.array_equal(first.weights(), second.weights())


def _leading(answer: VectorAnswer, experiment: Experiment, second: str) -> str:
    """Return the headline about a drawn key that leads, which need not be the heaviest."""
    was, now = (share_text(float(side.weights()[0])) for side in answer.sides)
    equal = share_text(equal_others(experiment, answer.scaled))
    lead = general(experiment.setup.lead)
    return LEADING.format(lead=lead, was=was, second=second, now=now, equal=equal)


def equal_others(experiment: Experiment, side: Evaluation) -> float:
    """Return the weight of a drawn key 0 on a side if the scores of all other keys were 0."""
    setup, n_keys = experiment.setup, int(side.attended.sum())
    logit = lead_logits(
        setup.lead, setup.d_k, side.map, setup.spread.scores, setup.scale.normalises
    )
    return among_equals(logit, n_keys, side.map.sink)


def _of_loss(answer: VectorAnswer, slots: Mapping[str, str]) -> str:
    """Return the headline about a cross-entropy: its values, and what becomes of its gradient."""
    before, after = ("infinite" if size == inf else amount(size) for size, _ in answer.losses)
    slots = {
        **slots, "key": f"{answer.target:,}", "loss_before": before, "loss_after": after,
        "gradient": GRADIENTS[answer.wrt],
    }  # fmt: skip
    texts = [LOSS.format(**slots), SHORT_LOSS.format(**slots)]
    texts.append(SHORT_LOSS.format(**slots | {"second": "Scaled"}))
    return next((text for text in texts if len(text) <= LONGEST), texts[-1])


def _one_key(answer: VectorAnswer, mask: Mask) -> str:
    """Return that one key has all the weight, and which mask hides the others."""
    if not mask or answer.vector.n_keys == 1:
        return ONE_KEY
    key = leader(answer.scaled)
    return FIRST_QUERY if mask.causal and key == 0 else LEFT_ALONE.format(key=key)


def of_several(answers: Sequence[VectorAnswer]) -> str:
    """Return the headline for several vectors: in how many one key takes it all on each side."""
    counts = [
        sum(side.max_weight >= ALL for side in sides)
        for sides in zip(*(answer.sides for answer in answers), strict=True)
    ]
    before, after = (f"{count:,}" if count else "none" for count in counts)
    how = {done(answer.scaled.map) for answer in answers}
    return SEVERAL.format(
        n=f"{len(answers):,}", before=before, after=after,
        done=how.pop() if len(how) == 1 else "Scaled",
    )  # fmt: skip


def leader(side: Evaluation) -> int:
    """Return the key with the largest weight."""
    return int(side.ends[0])


def _has(side: Evaluation) -> tuple[str, str, str]:
    """Return subject, pronoun and predicate of the clause on who has the weight on a side.

    The pronoun is empty unless the subject is one key, tied keys or all keys.
    """
    n_keys = int(side.attended.sum())
    if np.isnan(side.max_weight):
        return "every weight", "", "is NaN"
    if not n_keys:
        return "every key", "", "is masked"
    sink = ""
    if side.map.sink is not None:
        if side.sink_weight > max(side.max_weight, 0.5):
            return "the sink", "", _takes(side.sink_weight)
        if side.sink_weight > 1.0 - ALL:
            sink = f" and the sink {share_text(side.sink_weight)}"
    if side.max_weight == 0.0:
        # The sum that the weights are divided by overflowed.
        return "every weight", "", "is 0"
    is_even = n_keys > 2 and not sink and side.effective_keys >= EVEN * n_keys
    if side.max_weight < 0.5 and is_even:
        return f"the {n_keys:,} keys", "they", "share almost equally"
    if side.max_weight < 0.5 and n_keys > FEW:
        others = f" and the sink ({share_text(side.sink_weight)})" if sink else ""
        count = about(round(min(side.effective_keys, n_keys)))
        return f"about {count} of {n_keys:,} keys{others}", "", SHARE
    tied = np.flatnonzero(side.weights() == side.max_weight)
    if tied.size > 1:
        return _names(tied), "they", f"take {share_text(side.max_weight)} each{sink}"
    return f"key {leader(side):,}", "it", f"{_takes(side.max_weight)}{sink}"


def _takes(share: float) -> str:
    return "takes practically all the weight" if share >= ALL else f"takes {share_text(share)}"


def has(side: Evaluation) -> str:
    """Return the clause on who has the weight on a side: ``key 2 takes 62 %``."""
    subject, _, predicate = _has(side)
    return f"{subject} {predicate}"


def follows(first: Evaluation, second: Evaluation) -> str:
    """Return who has the weight on the second side, to follow what was done: `` it takes 62 %``."""
    before, _, had = _has(first)
    subject, pronoun, predicate = _has(second)
    if predicate == SHARE:
        return f", {subject} share"
    if not pronoun or subject != before or leader(first) != leader(second):
        return f", {subject} {predicate}"
    if predicate == had:
        return f" {pronoun} still {'does' if pronoun == 'it' else 'do'}"
    return f" {pronoun} {predicate}"


def _names(keys: NDArray[np.intp]) -> str:
    """Return two keys by name, or the number of more: ``keys 0 and 3``, ``5 keys``."""
    return "keys {:,} and {:,}".format(*keys.tolist()) if keys.size == 2 else f"{keys.size:,} keys"


def _in_numbers(share: float) -> str:
    return "over 99.9 %" if share >= ALL else share_text(share)


def tied_keys(answer: VectorAnswer) -> str:
    """Return the keys tied for the largest score, if they split the weight on both sides."""
    scores = answer.unscaled.scores()
    keys = np.flatnonzero(scores == scores.max())
    if keys.size < 2 or any(float(side.weights(keys).sum()) < TIED for side in answer.sides):
        return ""
    if keys.size == 2:
        return _names(keys).capitalize()
    if keys.size == answer.vector.n_attended:
        return f"All {keys.size:,} keys"
    return f"The {keys.size:,} largest keys"


def _typically(log_factor: float, change: str) -> str:
    """Return the typical factor in parentheses, without a direction that the change names."""
    text = times(log_factor)
    for way in (" larger", " smaller"):
        if change.endswith(way):
            text = text.removesuffix(way)
    return f" (typically {text})"


def _becomes(change: GradientChange, precision: Precision) -> str:
    """Return what the gradient becomes, with its verb, and after an exact 0 also the format."""
    is_exact = precision.format == "float64" and not precision.naive
    if change.before > -inf or is_exact:
        return change.becomes
    name = f"naive {precision.format}" if precision.naive else precision.format
    return f"{change.becomes} in {name}"
