"""The report of Explore: weights and gradients of every vector, unscaled beside scaled."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, log
from typing import get_args

import numpy as np

from attn_tui.compute.errors import InputError
from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import Answer, VectorAnswer, compare
from attn_tui.compute.explore.attention import attention
from attn_tui.compute.explore.precision_lab import MOST_DIFFERING, lab
from attn_tui.compute.numbers import (
    SMALLEST_NORMAL,
    general,
    quantity,
    scientific,
    weight,
    weight_name,
    with_error,
)
from attn_tui.compute.sample import Number
from attn_tui.compute.scale import SYMBOL, Wrt
from attn_tui.compute.text import counted
from attn_tui.explore.answer import curves
from attn_tui.explore.headline import GradientChange, equal_others, headline, of_several
from attn_tui.explore.key_columns import listed_keys, pair_columns, vector_columns
from attn_tui.explore.lab import lab_parts
from attn_tui.explore.vectors import vectors_tables
from attn_tui.files.codec import experiment_to_plain
from attn_tui.files.plain import named
from attn_tui.report.head import Labelled, question_lines
from attn_tui.report.origin import spread
from attn_tui.report.report import (
    SIDES,
    Column,
    Fact,
    Facts,
    Report,
    ReportPart,
    Rows,
    Section,
    Table,
    data,
    same,
)
from attn_tui.report.text import ERROR, shortened

NAME = 40
"""The most columns of a vector's name."""

STATISTICS: Sequence[tuple[str, str, str, Callable[..., str]]] = (
    ("entropy", "entropy H of p", "nats", quantity),
    ("effective_keys", "effective keys e^H", "", quantity),
    ("participation_ratio", "participation ratio 1/Σp²", "", quantity),
    ("max_weight", "largest weight", "", weight),
    ("sink_weight", "weight of the sink", "", weight),
)
"""The statistics: name, title, unit, and the function that writes a value. JSON also has the means
and differences of these."""

OF_A_DISTRIBUTION = {"entropy", "effective_keys", "participation_ratio"}
"""The statistics that only weights with a sum have."""

CONVENTION = (
    "Where every key is masked, softmax is 0/0. Weights of 0 are a convention, that of PyTorch's "
    "scaled_dot_product_attention; torch.softmax gives NaN."
)

FROM_LOGARITHMS = "numbers below 2.2e-308 are too small for it, and come from logarithms"

OF_LOSS = "gradient of the cross-entropy L = −ln {weight}"
MASKED_ANSWER = ", which is ∞ since key {key:,} is masked,"
LOSS = "cross-entropy L = −ln {weight}"
LOSS_SUM = "sum of ∂L/∂z, minus the weight of the sink"

NORMS = {
    "frobenius": "‖{}‖_F, Frobenius norm", "spectral": "‖{}‖₂, spectral norm",
    "trace": "tr {}, trace",
}  # fmt: skip


@dataclass(frozen=True)
class Contents:
    """What a report contains besides the numbers of every key.

    Attributes:
        top: How many keys to list, those with the largest scores; None lists all.
        lab: Whether to try every number format.
        pinned: Answers to compare the vectors with: one for all of them, or one for each.
        first: The index in the question of the answer's first vector; 0 if the answer has all.
    """

    top: int | None = None
    lab: bool = False
    pinned: Sequence[VectorAnswer] = ()
    first: int = 0

    def comparisons(self, answer: Answer) -> tuple[VectorAnswer, ...]:
        """Return each vector beside a pinned one: the only one, or the one at the same index.

        Raises:
            InputError: With field ``"against"``, if several are pinned, but not as many as vectors.
        """
        n_pinned, n_vectors = len(self.pinned), len(answer.vectors)
        if n_pinned > 1 and n_pinned != n_vectors:
            problem = f"it asks about {n_pinned:,} vectors, and not about {n_vectors:,}"
            raise InputError("against", problem, "one vector, or as many")
        others = tuple(self.pinned) * (n_vectors if n_pinned == 1 else 1)
        return tuple(map(compare, others, answer.vectors))

    @property
    def table(self) -> str:
        """The name of the table that CSV has."""
        if self.lab:
            return "lab"
        return "comparison" if self.pinned else "keys"

    @property
    def positions(self) -> str:
        """The path of the positions of keys in JSON; empty if all keys are listed in order."""
        return "" if self.top is None else "positions"

    def check_one_table(self) -> None:
        """Check that only one table is wanted, since CSV can have only one.

        Raises:
            InputError: If there are two.
        """
        if self.lab and self.pinned:
            raise InputError("against", "CSV is one table", "--lab or --against, or JSON")


EVERYTHING = Contents()
"""Every key, and nothing besides."""


def report(
    answer: Answer, contents: Contents = EVERYTHING, about: Iterable[Labelled] = ()
) -> Report:
    """Return the report on every vector.

    Args:
        answer: The numbers.
        contents: What the report is to contain.
        about: Further facts about the question, such as those of an example.

    Raises:
        InputError: If the pinned answers do not match the vectors.
    """
    experiment = answer.experiment
    pairs = contents.comparisons(answer)
    question = [Fact(label, (text,)) for label, text in (*about, *_question(answer))]
    parts: list[ReportPart] = [
        data({"experiment": experiment_to_plain(experiment)}),
        Facts(question),
    ]
    headlines = []
    for place, vector in enumerate(answer.vectors):
        index = contents.first + place
        contained: list[ReportPart] = [*_vector(experiment, index, vector, contents)]
        if pairs:
            contained.append(_comparison(pairs[place], experiment, index, contents))
        headlines.append(_headline(vector, experiment, index))
        n_masked = vector.masked.size
        title = f"{_name(vector)}: {counted(vector.vector.n_keys, 'key')}"
        title += f", {n_masked:,} masked" if n_masked else ""
        parts.append(Section(title, contained, "vectors[]", headlines[-1]))
    if answer.drawn:
        parts.append(_means(answer))
    first = headlines[0] if len(headlines) == 1 else of_several(answer.vectors)
    return Report("", parts, headline=first, csv=contents.table)


def _question(answer: Answer) -> Iterator[Labelled]:
    """Yield what was asked, and where the format ends if numbers of the answer go beyond that."""
    for label, text in question_lines(answer.experiment):
        yield label, text
        if label == "precision" and any(map(_is_below, answer.vectors)):
            yield "", FROM_LOGARITHMS


def _is_below(answer: VectorAnswer) -> bool:
    """Return whether a weight or a gradient is too small for float64, and known all the same."""
    sizes = [
        logs
        for side in answer.sides
        for logs in (
            side.log_weights(side.ends), answer.log_gradient(side, side.ends),
        )
    ]  # fmt: skip
    return any(-inf < size < log(SMALLEST_NORMAL) for size in np.concatenate(sizes).tolist())


def _headline(answer: VectorAnswer, experiment: Experiment, index: int) -> str:
    """Return the headline of a vector; curves over d_k are computed only if it depends on them."""
    may_be_back = GradientChange.of(answer, None).is_restored
    return headline(answer, experiment, curves(experiment, index) if may_be_back else None)


def _name(answer: VectorAnswer) -> str:
    return shortened(answer.vector.name, NAME)


def _vector(
    experiment: Experiment, index: int, answer: VectorAnswer, contents: Contents
) -> Iterator[ReportPart]:
    """Yield the parts of the report on one vector."""
    yield from _trouble(answer)
    rows = listed_keys(answer, contents.top)
    masked = answer.masked[np.isin(answer.masked, rows)]
    yield data(
        {
            "name": answer.vector.name, "status": answer.status, "reason": answer.reason,
            "n_keys": answer.vector.n_keys, "masked": masked,
        }
    )  # fmt: skip
    law = spread(experiment.source, experiment.setup, index, answer.vector)
    if law is not None:
        name, number = law
        which = " but that of key 0" if experiment.setup.lead else ""
        title = f"root mean square of the scores{which}, by law {name}"
        yield Facts([Fact(title, (number,))])
    through = attention(experiment, index)
    columns = [*vector_columns(answer, contents.positions, through)]
    yield Table(columns, rows, _of(answer), csv="keys", notes=_left(answer, rows, "scores"))
    yield _data_of_sides(answer)
    yield from _statistics(answer, SIDES)
    yield from _lead(experiment, answer)
    if through is not None:
        yield from vectors_tables(through, answer, rows)
    if contents.lab:
        tried = lab(experiment, index, answer.of, most=contents.top or MOST_DIFFERING)
        if tried is not None:
            title = f"{weight_name(tried.key)} in every number format"
            yield Section(title, [*lab_parts(tried, answer)])


def _lead(experiment: Experiment, answer: VectorAnswer) -> Iterator[Facts]:
    """Yield the weight of a drawn key 0 that leads, beside what it would have of equal others."""
    if not (experiment.setup.lead and experiment.source.redraws):
        return
    weights = [float(side.weights()[0]) for side in answer.sides]
    equal = [equal_others(experiment, side) for side in answer.sides]
    facts = [
        Fact(title, values, name, texts=[weight(value) for value in values])
        for name, title, values in (
            ("lead_weight", "weight of key 0, which leads", weights),
            ("equal_others", "weight of key 0 if all others were equal", equal),
        )
    ]
    yield Facts(facts, SIDES, SIDES)


def _trouble(answer: VectorAnswer) -> list[str]:
    """Return the reason why the numbers are not usable, if they are not."""
    return [] if answer.status == "ok" else [f"{answer.status}: {answer.reason}"]


def _of(answer: VectorAnswer) -> str:
    if answer.target is not None:
        of = OF_LOSS.format(weight=weight_name(answer.target))
        if answer.target in answer.masked:
            of += MASKED_ANSWER.format(key=answer.target)
        return f"weights p; {of} with respect to the {answer.wrt} {SYMBOL[answer.wrt]}"
    hidden = ", which is masked," if answer.of in answer.masked else ""
    gradient = f"gradient of {weight_name(answer.of)}{hidden}"
    return f"weights p; {gradient} with respect to the {answer.wrt} {SYMBOL[answer.wrt]}"


def _left(answer: VectorAnswer, rows: Rows, by: str) -> list[str]:
    """Return a note on how many keys are not listed, if any."""
    left = answer.vector.n_keys - rows.size
    more = counted(left, "more key")
    return [f"and {more} with smaller or equal {by}"] if left else []


def _data_of_sides(answer: VectorAnswer) -> Facts:
    """Return the data of each side that only JSON has, besides statistics."""
    sides = answer.sides
    values: dict[str, Sequence[object]] = {
        "multiplier": [side.multiplier for side in sides],
        "softcap": [side.map.softcap for side in sides],
        "sink": [side.map.sink for side in sides],
        "precision": [side.precision.format for side in sides],
        "log_entropy": [side.log_entropy for side in sides],
        "jacobian": [{wrt: side.norms[wrt] for wrt in ("logits", "scores")} for side in sides],
        "gradient.of": [answer.of, answer.of],
    }
    return Facts([Fact("", both, name) for name, both in values.items()], SIDES, SIDES)


def _statistics(answer: VectorAnswer, paths: Sequence[str | None]) -> Iterator[ReportPart]:
    """Yield the statistics of both sides, which JSON has at two paths, or not at all if None."""
    sides = answer.sides
    has_sink = any(side.map.sink is not None for side in sides)
    facts = [Fact("multiplier m", [general(side.multiplier) for side in sides])]
    for name, title, unit, write in STATISTICS:
        if name == "sink_weight" and not has_sink:
            title = ""
        fact = _fact(title, sides, name, write, name, unit)
        facts.append(_of_weights(fact, sides) if name in OF_A_DISTRIBUTION else fact)
    for wrt in get_args(Wrt):
        norms = [side.norms[wrt] for side in sides]
        for name, title in NORMS.items():
            facts.append(_fact(title.format(f"∂p/∂{SYMBOL[wrt]}"), norms, name, quantity))
    facts += _losses(answer, has_sink)
    vanished = [side.vanished.number if side.vanished else 0 for side in sides]
    if any(vanished):
        facts.append(Fact("weights rounded to 0", vanished))
    yield Facts(facts, [shortened(name, 12) for name in answer.names], paths)
    if answer.status == "masked":
        yield CONVENTION
    if has_sink:
        yield "H, e^H and 1/Σp² count the sink as one more key."


def _losses(answer: VectorAnswer, has_sink: bool) -> Iterator[Fact]:
    """Yield the cross-entropy and the sum of its gradient by logits, if it is asked for."""
    if answer.target is None:
        return
    title = LOSS.format(weight=weight_name(answer.target))
    texts = [quantity(*size, width=12) for size in answer.losses]
    yield Fact(title, [size for size, _ in answer.losses], "loss.value", "nats", texts)
    yield Fact("", [answer.target] * 2, "loss.target")
    sums = [0.0 - side.sink_weight for side in answer.sides]
    logs = [side.log_sink_weight for side in answer.sides]
    sum_texts = [scientific(*pair, width=12) for pair in zip(sums, logs, strict=True)]
    yield Fact(LOSS_SUM if has_sink else "", sums, "loss.gradient_sum", "", sum_texts)


def _of_weights(fact: Fact, sides: Sequence[Evaluation]) -> Fact:
    """Return a fact without the text of a side whose weights are all 0, which has no entropy."""
    texts = fact.texts or ()
    has_weights = [side.effective_keys > 0.0 for side in sides]
    return replace(
        fact, texts=[text if one else "–" for text, one in zip(texts, has_weights, strict=True)]
    )


def _fact(
    title: str, sides: Sequence[object], of: str, write: Callable[..., str], name: str = "",
    unit: str = "",
) -> Fact:  # fmt: skip
    """Return the fact of one number on both sides, written from its logarithm where it has one."""
    values = [getattr(side, of) for side in sides]
    logs = [getattr(side, f"log_{of}", -inf) for side in sides]
    texts = [write(*pair, width=12) for pair in zip(values, logs, strict=True)]
    return Fact(title, values, name, unit, texts)


def _means(answer: Answer) -> Facts:
    """Return the means of statistics over drawn vectors, with their standard errors."""
    facts = []
    sides = [*zip(*(vector.sides for vector in answer.vectors), strict=True)]
    for name, title, unit, _ in STATISTICS:
        means = [Number.mean([getattr(evaluation, name) for evaluation in side]) for side in sides]
        values = [named(mean, ("value", "standard_error")) for mean in means]
        facts.append(Fact(title, values, name, unit, [with_error(mean, ERROR) for mean in means]))
    heads = [f"{side}, mean ± error" for side in SIDES]
    return Facts(facts, heads, [f"means.{side}" for side in SIDES])


def _making(pair: VectorAnswer, place: int) -> Fact:
    """Return how one side of a comparison, pinned (0) or present (1), makes its weights."""
    side = pair.sides[place]
    parts = [f"m = {general(side.multiplier)}"]
    parts += [] if side.map.softcap is None else [f"soft cap {general(side.map.softcap)}"]
    parts += [] if side.map.sink is None else [f"sink {general(side.map.sink)}"]
    parts.append(f"softmax in {side.precision.format}")
    parts += ["naive"] if side.precision.naive else []
    return Fact(pair.names[place], (", ".join(parts),))


def _comparison(
    pair: VectorAnswer, experiment: Experiment, index: int, contents: Contents
) -> Section:
    """Return a pinned answer and the present one side by side, with differences in JSON and CSV."""
    rows = listed_keys(pair, contents.top, by_weight=True)
    first, second = pair.sides
    names = [name for name, *_ in STATISTICS]
    plain = {
        "vectors": list(pair.names), "status": pair.status, "reason": pair.reason,
        "n_keys": pair.vector.n_keys, "gradient.of": pair.of,
        "differences": {name: getattr(second, name) - getattr(first, name) for name in names},
    }  # fmt: skip
    columns = [Column("", same(pair.vector.name), name="vector")]
    columns += pair_columns(pair, contents.positions)
    left = _left(pair, rows, "weights")
    table = Table(columns, rows, _of(pair), csv="comparison", notes=left)
    making = Facts([_making(pair, 0), _making(pair, 1)])
    parts = (making, *_trouble(pair), data(plain), table, *_statistics(pair, (None, None)))
    title = f"{_name(pair)}: pinned and now compared"
    return Section(title, parts, "comparison", _headline(pair, experiment, index))
