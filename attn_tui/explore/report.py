"""What Explore reports: weights and gradients of every vector, unscaled beside scaled."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.errors import InputError
from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import Answer, VectorAnswer
from attn_tui.compute.explore.attention import Attention, attention, lengths
from attn_tui.compute.explore.compare import compare
from attn_tui.compute.explore.precision_lab import MOST_DIFFERING, Lab, LabSide, lab
from attn_tui.compute.explore.trouble import verdict
from attn_tui.compute.keys import largest
from attn_tui.compute.logit_map import SYMBOL, Wrt
from attn_tui.compute.number import Number
from attn_tui.explore.answer import curves
from attn_tui.explore.headline import Change, headline, of_several
from attn_tui.files.codec import experiment_to_plain
from attn_tui.files.plain import named
from attn_tui.report import forms
from attn_tui.report.head import Labelled, asked
from attn_tui.report.measured import with_error
from attn_tui.report.numbers import (
    change,
    difference,
    fitted,
    general,
    quantity,
    ratio,
    scientific,
    weight,
    weight_name,
    with_sign,
)
from attn_tui.report.origin import spread
from attn_tui.report.report import Column, Fact, Facts, Part, Report, Rows, Section, Table, listed
from attn_tui.report.text import ERROR, shortened

SIDES = ("unscaled", "scaled")

NUMBER, SCORE, CHANGE, STATISTIC, NAME = 10, 11, 9, 12, 40
"""Columns of a weight or a gradient, of a score, of a factor, of a statistic, and of a name."""

MOST = 16
"""Numbers of q and of the output that the text lists; JSON holds all."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Contents:
    """What a report holds besides the numbers of every key.

    Attributes:
        top: Only so many keys are listed, those with the largest scores; None lists all.
        lab: Whether every number format is tried.
        compare: Whether the first two vectors are compared.
        pinned: Answers to compare those of each vector with: one, or one for each.
    """

    top: int | None = None
    lab: bool = False
    compare: bool = False
    pinned: Sequence[VectorAnswer] = ()

    def first_two(self, answer: Answer) -> VectorAnswer | None:
        """Return the first two vectors as the sides of one, if they are to be compared.

        Raises:
            InputError: With field ``"compare"``, if there is only one.
        """
        if not self.compare:
            return None
        if len(answer.vectors) < 2:
            raise InputError("compare", "there is one vector", "two vectors")
        first, second = (found.vector.name for found in answer.vectors[:2])
        pair = compare(*answer.vectors[:2])
        status, reason = verdict({f"in {first}": pair.unscaled, f"in {second}": pair.scaled})
        return replace(pair, names=(first, second), status=status, reason=reason)

    def beside_pinned(self, answer: Answer) -> tuple[VectorAnswer, ...]:
        """Return each vector beside a pinned one: the only one, or that in its place.

        Raises:
            InputError: With field ``"against"``, if there are several and not as many.
        """
        n_pinned, n_vectors = len(self.pinned), len(answer.vectors)
        if n_pinned > 1 and n_pinned != n_vectors:
            problem = f"it asks about {n_pinned:,} vectors, and not about {n_vectors:,}"
            raise InputError("against", problem, "one vector, or as many")
        others = tuple(self.pinned) * (n_vectors if n_pinned == 1 else 1)
        return tuple(map(compare, others, answer.vectors))

    @property
    def table(self) -> str:
        """The table that CSV holds."""
        if self.lab:
            return "lab"
        return "comparison" if self.compare or self.pinned else "keys"

    def check_one_table(self) -> None:
        """Check that there is one table for CSV.

        Raises:
            InputError: If there is more than one.
        """
        if self.lab + self.compare + bool(self.pinned) > 1:
            field = "against" if self.pinned else "compare"
            raise InputError(field, "CSV is one table", "--lab, --compare or --against, or JSON")


EVERYTHING = Contents()
"""Every key, and nothing besides."""


def json(answer: Answer) -> Iterator[str]:
    """Yield all there is to say of an answer as JSON."""
    return forms.json(report(answer))


def report(
    answer: Answer, contents: Contents = EVERYTHING, about: Iterable[Labelled] = ()
) -> Report:
    """Return what there is to say of every vector.

    Args:
        answer: The numbers.
        contents: What is wanted of it.
        about: What is said of the question besides, of an example for one.

    Raises:
        InputError: If there is not what is to be compared.
    """
    experiment = answer.experiment
    pairs, pair = contents.beside_pinned(answer), contents.first_two(answer)
    question = [Fact(label, (text,)) for label, text in (*about, *asked(experiment))]
    parts: list[Part] = [
        Facts([Fact("", (experiment_to_plain(experiment),), "experiment"), *question])
    ]
    sections = [_vector(answer, index, contents) for index in range(len(answer.vectors))]
    for index, beside in enumerate(pairs):
        title = f"{_name(beside)}: pinned and now compared"
        made = [_making(beside, place) for place in range(2)]
        section = _comparison(beside, experiment, index, title, contents, [Facts(made)])
        sections[index] = replace(sections[index], parts=(*sections[index].parts, section))
    parts += sections
    if answer.drawn:
        parts.append(_means(answer))
    if pair:
        first, second = (shortened(name, NAME) for name in pair.names)
        parts.append(_comparison(pair, experiment, 1, f"{first} and {second} compared", contents))
    if len(sections) == 1:
        said = sections[0].headline
    else:
        said = of_several(answer.vectors, experiment)
    return Report("", parts, headline=said, csv=contents.table)


def _headline(found: VectorAnswer, experiment: Experiment, index: int) -> str:
    """Return a headline; curves over d_k are worked out where it depends on them."""
    may_be_back = Change.of(found, None).is_found
    return headline(found, experiment, curves(experiment, index) if may_be_back else None)


def _name(found: VectorAnswer) -> str:
    return shortened(found.vector.name, NAME)


def _vector(answer: Answer, index: int, contents: Contents) -> Section:
    experiment, found = answer.experiment, answer.vectors[index]
    through = attention(experiment, index)
    rows = listed_keys(found, contents.top)
    masked = found.masked[np.isin(found.masked, rows)]
    law = spread(experiment.source, experiment.setup, index, found.vector)
    facts = [
        Fact("", (found.vector.name,), "name"),
        Fact("", (found.status,), "status"),
        Fact("", (found.reason,), "reason"),
        Fact("", (found.vector.n_keys,), "n_keys"),
        Fact("", (masked,), "masked"),
    ]
    if law is not None:
        facts.append(Fact(f"root mean square of the scores, by law {law[0]}", (law[1],)))
    parts: list[Part] = [*_trouble(found), Facts(facts), _keys(found, rows, through, contents)]
    parts += [_data_of_sides(found), _statistics(found)]
    if through is not None:
        parts += _through_vectors(through, found, rows)
    if contents.lab:
        most = contents.top or MOST_DIFFERING
        tried = lab(experiment, index, found.of, most=most)
        parts += [] if tried is None else [_lab(tried, found)]
    hidden = f", {found.masked.size:,} masked" if found.masked.size else ""
    title = f"{_name(found)}: {_counted(found.vector.n_keys)}{hidden}"
    return Section(title, parts, "vectors[]", _headline(found, experiment, index))


def _trouble(found: VectorAnswer) -> list[str]:
    """Return why there are no usable numbers, if there are none."""
    return [] if found.status == "ok" else [f"{found.status}: {found.reason}"]


def _counted(count: int, noun: str = "key") -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


# Key by key


def listed_keys(found: VectorAnswer, top: int | None, by_weight: bool = False) -> Rows:
    """Return every position, or those of the largest keys, largest first, shape (rows,).

    The order of the scores is that of the weights too, which may be equal where the scores are
    not; of two vectors it is that of the larger of a key's two weights.

    Args:
        found: The numbers.
        top: How many keys, or None for every one in its order.
        by_weight: Whether to go by weights: the vectors on the two sides have different scores.
    """
    if top is None:
        return np.arange(found.vector.n_keys)
    if by_weight:
        return largest(np.fmax(found.unscaled.weights(), found.scaled.weights()), top)
    return largest(found.vector.scores, top)


def _same(value: Any) -> Callable[[Rows], list[Any]]:
    """Return what is the same in every row."""
    return lambda rows: [value] * rows.size


def _keys(found: VectorAnswer, rows: Rows, through: Attention | None, contents: Contents) -> Table:
    scores = found.vector.scores
    columns = [
        Column("", _same(found.vector.name), name="vector"),
        Column("", _same(found.status), name="status"),
        _key_column("positions" if contents.top else "", "key"),
        Column(
            "score s", lambda keys: scores[keys], "scores", "score",
            texts=lambda keys: [fitted(score, SCORE) for score in scores[keys].tolist()],
            width=SCORE,
        ),
        Column("", lambda keys: scores[keys] == -inf, name="masked"),
        Column("", _same(found.of), name="gradient_of"),
        *_weights(found),
        *_gradients(found),
        Column("change", _same(None), texts=partial(_changes, found), width=CHANGE),
    ]  # fmt: skip
    sides = [_data(found, side, through) for side in found.sides]
    # Those that came later stand behind the others.
    for names in (slice(0, 6), slice(6, None)):
        for kind, data in zip(SIDES, sides, strict=True):
            for name, path, values in data[names]:
                columns.append(
                    Column("", values, f"{kind}.{path}" if path else "", f"{kind}_{name}")
                )
    return Table(columns, rows, _of(found), csv="keys", notes=_left(found, rows, "scores"))


def _key_column(path: str, name: str = "") -> Column:
    return Column(
        "key", lambda keys: keys, path, name,
        texts=lambda keys: [f"{key:,}" for key in keys.tolist()], width=4,
    )  # fmt: skip


def _data(
    found: VectorAnswer, side: Evaluation, through: Attention | None
) -> list[tuple[str, str, Callable[[Rows], Iterable[Any]]]]:
    """Return the numbers of every key on a side: their names in CSV and in JSON, and their values.

    Args:
        found: The vector.
        side: The side.
        through: Its query and keys, if there are any.
    """
    norms: Callable[[Rows], Iterable[Any]] = _same(None)
    if through is not None:
        norms = partial(through.key_gradient_norms, side, found.of)
    return [
        ("logit", "logits", side.logits),
        ("weight", "weights", side.weights),
        ("log_weight", "log_weights", side.log_weights),
        ("complement", "complements", side.complements),
        ("gradient_wrt_logits", "gradient.logits", partial(side.gradient, found.of, "logits")),
        ("gradient_wrt_scores", "gradient.scores", partial(side.gradient, found.of, "scores")),
        ("slope", "" if side.map.softcap is None else "slopes", side.slopes),
        ("sink_weight", "", _same(side.sink_weight)),
        ("key_gradient_norm", "attention.key_gradient_norms" if through else "", norms),
    ]


def _of(found: VectorAnswer) -> str:
    hidden = ", which is masked," if found.of in found.masked else ""
    gradient = f"gradient of {weight_name(found.of)}{hidden}"
    return f"weights p; {gradient} with respect to the {found.wrt} {SYMBOL[found.wrt]}"


def _left(found: VectorAnswer, rows: Rows, by: str) -> list[str]:
    """Return how many keys are not listed, if any."""
    left = found.vector.n_keys - rows.size
    return [f"and {_counted(left, 'more key')} with smaller or equal {by}"] if left else []


def _weights(found: VectorAnswer) -> Iterator[Column]:
    """Yield the weights on both sides as text."""

    def texts(side: Evaluation, keys: Rows) -> list[str]:
        return [weight(*pair, width=NUMBER) for pair in side.pairs(keys)]

    for name, side in zip(found.names, found.sides, strict=True):
        title = shortened(name, NUMBER)
        yield Column(title, _same(None), texts=partial(texts, side), above="p", width=NUMBER)


def _gradients(found: VectorAnswer) -> Iterator[Column]:
    """Yield the gradient of the chosen weight on both sides as text."""

    def texts(side: Evaluation, keys: Rows) -> list[str]:
        values, logs = (of(found.of, found.wrt, keys) for of in (side.gradient, side.log_gradient))
        pairs = zip(values.tolist(), logs.tolist(), strict=True)
        return [scientific(*pair, signed=True, width=NUMBER) for pair in pairs]

    for name, side in zip(found.names, found.sides, strict=True):
        title, above = shortened(name, NUMBER), _derivative(found)
        yield Column(title, _same(None), texts=partial(texts, side), above=above, width=NUMBER)


def _derivative(found: VectorAnswer) -> str:
    return shortened(f"∂{weight_name(found.of)}/∂{SYMBOL[found.wrt]}", NUMBER)


def _changes(found: VectorAnswer, keys: Rows) -> list[str]:
    """Return how many times larger the gradient at keys is on the second side."""
    before, after = (side.log_gradient(found.of, found.wrt, keys) for side in found.sides)
    with np.errstate(invalid="ignore"):
        factors = (after - before).tolist()
    # What comes of nothing is not many times that.
    from_nothing = ((before == -inf) & (after > -inf)).tolist()
    pairs = zip(factors, from_nothing, strict=True)
    return ["from 0" if new else ratio(factor, CHANGE) for factor, new in pairs]


# Numbers of a whole vector


STATISTICS = (
    ("entropy H of p", "entropy", quantity, "nats"),
    ("effective keys e^H", "effective_keys", quantity, ""),
    ("participation ratio 1/Σp²", "participation_ratio", quantity, ""),
    ("largest weight", "max_weight", weight, ""),
    ("weight of the sink", "sink_weight", weight, ""),
)
"""Titles and names of statistics, how they are written, and what they are counted in; JSON holds
their means and differences."""

NORMS = {
    "frobenius": "‖{}‖_F, Frobenius norm", "spectral": "‖{}‖₂, spectral norm",
    "trace": "tr {}, trace",
}  # fmt: skip


def _data_of_sides(found: VectorAnswer) -> Facts:
    """Return what JSON says of each side besides its statistics."""
    sides = found.sides
    values = {
        "multiplier": [side.multiplier for side in sides],
        "softcap": [side.map.softcap for side in sides],
        "sink": [side.map.sink for side in sides],
        "precision": [side.precision.format for side in sides],
        "log_entropy": [side.log_entropy for side in sides],
        "jacobian": [{wrt: side.norms[wrt] for wrt in ("logits", "scores")} for side in sides],
        "gradient.of": [found.of, found.of],
    }
    return Facts([Fact("", both, name) for name, both in values.items()], SIDES, SIDES)


def _statistics(
    found: VectorAnswer, heads: Sequence[str] = SIDES, paths: Sequence[str | None] = SIDES
) -> Facts:
    """Return the statistics of both sides, and how they differ where there are three heads."""
    sides = found.sides
    compared = len(heads) > len(sides)
    texts = [general(side.multiplier) for side in sides] + [""] * compared
    facts = [Fact("multiplier m", texts)]
    for title, name, write, unit in STATISTICS:
        pairs = [(getattr(side, name), getattr(side, f"log_{name}", -inf)) for side in sides]
        fact = replace(_fact(title, pairs, write, compared), name=name, unit=unit)
        if name == "sink_weight" and all(side.map.sink is None for side in sides):
            fact = replace(fact, title="")
        facts.append(fact)
    if any(side.map.sink is not None for side in sides):
        facts[-1] = replace(facts[-1], title="weight of the sink, counted above as one more key")
    for wrt in get_args(Wrt):
        for name, title in NORMS.items():
            norms = [side.norms[wrt] for side in sides]
            pairs = [(getattr(each, name), getattr(each, f"log_{name}")) for each in norms]
            jacobian = f"∂p/∂{SYMBOL[wrt]}"
            facts.append(_fact(title.format(jacobian), pairs, quantity, compared))
    vanished = [side.vanished.number if side.vanished else 0 for side in sides]
    if any(vanished):
        facts.append(Fact("weights rounded to 0", [*vanished, *[""] * compared]))
    return Facts(facts, heads, paths)


def _fact(
    title: str, pairs: Sequence[tuple[float, float]], write: Callable[..., str], compared: bool
) -> Fact:
    """Return a fact of two numbers and their logarithms, and how they differ if compared."""
    values = [value for value, _ in pairs]
    texts = [write(*pair, width=STATISTIC) for pair in pairs]
    if compared:
        grown, log_size = difference(*pairs)
        values.append(values[1] - values[0])
        texts.append(with_sign(write(abs(grown), log_size, width=STATISTIC - 1), grown))
    return Fact(title, values, texts=texts)


def _means(answer: Answer) -> Facts:
    """Return what statistics of drawn vectors are on average, with their standard errors."""
    facts = []
    for title, name, _, unit in STATISTICS:
        means = [
            Number.mean([getattr(found.sides[place], name) for found in answer.vectors])
            for place in range(2)
        ]
        values = [named(mean, ("value", "standard_error")) for mean in means]
        texts = [with_error(mean, ERROR) for mean in means]
        facts.append(Fact(title, values, name, unit, texts))
    heads = [f"{side}, mean ± error" for side in SIDES]
    return Facts(facts, heads, [f"means.{side}" for side in SIDES])


# Through queries, keys and values


def _through_vectors(through: Attention, found: VectorAnswer, rows: Rows) -> Iterator[Part]:
    """Yield the gradients by q and by each key, as typed, and the output."""
    name, sides = weight_name(found.of), found.sides
    gradients = [through.query_gradient(side, found.of) for side in sides]
    norms = [scientific(float(lengths(gradient[None])[0])) for gradient in gradients]
    query = Column("q_i", _at(through.query), texts=_written(_at(through.query), _short), width=11)
    yield Table(
        [_index(), query, *_of_sides(gradients, "attention.query_gradient")],
        np.arange(through.query.size),
        f"gradient of {name} with respect to the query q",
        notes=[f"‖∂{name}/∂q‖: {norms[0]} unscaled, {norms[1]} scaled"],
        most=MOST,
    )
    sizes = lambda keys: lengths(through.keys[keys])  # noqa: E731
    by_key = [partial(through.key_gradient_norms, side, found.of) for side in sides]
    yield Table(
        [
            _key_column(""),
            Column("‖k‖", sizes, texts=_written(sizes, _short), width=11),
            *(
                Column(kind, norm, texts=_written(norm, scientific), width=STATISTIC)
                for kind, norm in zip(SIDES, by_key, strict=True)
            ),
        ],
        rows,
        f"norm of the gradient of {name} with respect to each key k",
        notes=_left(found, rows, "scores"),
    )
    outputs = [output for side in sides if (output := through.output(side)) is not None]
    if not outputs:
        yield Facts([Fact("", [None, None], "attention.output")], SIDES, SIDES)
        return
    yield Table(
        [_index(), *_of_sides(outputs, "attention.output")],
        np.arange(outputs[0].size),
        "output V·p: the values weighted by p",
        most=MOST,
    )


def _index() -> Column:
    return Column("i", lambda rows: rows, width=4)


def _of_sides(arrays: Sequence[Floats], path: str) -> Iterator[Column]:
    """Yield the numbers of both sides, which JSON has at a path."""
    write = partial(scientific, signed=True)
    for kind, values in zip(SIDES, map(_at, arrays), strict=True):
        yield Column(kind, values, f"{kind}.{path}", texts=_written(values, write), width=STATISTIC)


def _at(array: Floats) -> Callable[[Rows], Floats]:
    return lambda rows: array[rows]


def _short(value: float) -> str:
    return fitted(value, SCORE)


def _written(
    values: Callable[[Rows], Floats], write: Callable[[float], str]
) -> Callable[[Rows], list[str]]:
    """Return what writes the numbers of some rows."""
    return lambda rows: [*map(write, values(rows).tolist())]


# Number formats


def _lab(tried: Lab, found: VectorAnswer) -> Section:
    """Return what becomes of one weight in every number format."""
    name = weight_name(tried.key)
    rounding = tried.sides[0].trials[0].precision.arithmetic
    about = (
        f"16 bits {rounding}. Differ: weights that are not the exact ones rounded to the format. "
        "Vanished: weights that are 0 though the exact ones are not."
    )
    tables = [_trials(side, name, found) for side in tried.sides]
    facts = [Fact("", (tried.key,), "lab.key")]
    facts += [Fact("", (side.exact,), f"lab.{side.name}.exact") for side in tried.sides]
    return Section(f"{name} in every number format", [about, Facts(facts), *tables])


def _trials(side: LabSide, name: str, found: VectorAnswer) -> Table:
    trials = side.trials

    def column(title: str, path: str, write: Callable[[Any], str] = str) -> Column:
        values = [getattr(trial, path) for trial in trials]
        return Column(title, listed(values), path, path, listed(map(write, values)))

    formats = listed(trial.precision.format for trial in trials)
    methods = ["stable" if trial.precision.stable else "naive" for trial in trials]
    reasons = [
        f"{trial.precision.format} {method}: {trial.reason}"
        for trial, method in zip(trials, methods, strict=True)
        if trial.reason
    ]
    return Table(
        [
            Column("", _same(found.vector.name), name="vector"),
            Column("", _same(found.of), name="key"),
            Column("", _same(side.name), name="side"),
            Column("", _same(side.exact), name="exact"),
            Column("format", formats, "precision", "precision", left=True),
            Column("", listed(trial.precision.arithmetic for trial in trials), "arithmetic"),
            Column(
                "softmax", listed(not trial.precision.stable for trial in trials), "naive", "naive",
                listed(methods), left=True,
            ),
            column("", "status"),
            column("", "reason"),
            column(name, "weight", weight),
            column("differ", "n_differ"),
            column("vanished", "n_vanished"),
            column("largest error", "worst", scientific),
            column("at key", "worst_key"),
            Column(
                "",
                listed(
                    [named(each, ("key", "exact", "weight", "difference")) for each in trial.differing]
                    for trial in trials
                ),
                "differing",
            ),
        ],
        np.arange(len(trials)),
        f"{side.name}: exactly {name} = {weight(side.exact)}",
        path=f"lab.{side.name}.trials",
        csv="lab",
        notes=reasons,
    )  # fmt: skip


# Two answers side by side


def _making(pair: VectorAnswer, place: int) -> Fact:
    """Return what was done to the scores of a pinned answer, or of the present one."""
    side = pair.sides[place]
    parts = [f"m = {general(side.multiplier)}"]
    parts += [] if side.map.softcap is None else [f"soft cap {general(side.map.softcap)}"]
    parts += [] if side.map.sink is None else [f"sink {general(side.map.sink)}"]
    parts.append(f"softmax in {side.precision.format}")
    parts += [] if side.precision.stable else ["naive"]
    return Fact(pair.names[place], (", ".join(parts),))


def _comparison(
    pair: VectorAnswer,
    experiment: Experiment,
    index: int,
    title: str,
    contents: Contents,
    parts: Sequence[Part] = (),
) -> Section:
    """Return the numbers of a pair side by side, and the second less the first."""
    rows = listed_keys(pair, contents.top, by_weight=True)
    facts = [
        Fact("", (list(pair.names),), "vectors"),
        Fact("", (pair.status,), "status"),
        Fact("", (pair.reason,), "reason"),
        Fact("", (pair.vector.n_keys,), "n_keys"),
        Fact("", (pair.of,), "gradient.of"),
    ]
    own = [] if contents.compare else [Column("", _same(pair.vector.name), name="vector")]
    weights, gradients = [*_weights(pair)], [*_gradients(pair)]
    columns = [
        *own,
        _key_column("positions" if contents.top else "", "key"),
        Column("", _same(pair.of), name="gradient_of"),
        *weights,
        Column(
            "difference", _same(None), texts=partial(_differences, pair), above="p", width=NUMBER
        ),
        *gradients,
        Column(
            "difference", _same(None), texts=partial(_steeper, pair), above=_derivative(pair),
            width=NUMBER,
        ),
    ]  # fmt: skip
    kinds: dict[str, tuple[str, Callable[[Evaluation, Rows], Floats]]] = {
        "weight": ("weights", lambda side, keys: side.weights(keys)),
        "gradient_wrt_logits": (
            "gradient.logits", lambda side, keys: side.gradient(pair.of, "logits", keys)
        ),
        "gradient_wrt_scores": (
            "gradient.scores", lambda side, keys: side.gradient(pair.of, "scores", keys)
        ),
    }  # fmt: skip
    first, second = pair.sides
    for which in ("first", "second", "difference"):
        for name, (path, of) in kinds.items():
            if which == "difference":
                values = partial(_less, partial(of, second), partial(of, first))
            else:
                values = partial(of, first if which == "first" else second)
            columns.append(Column("", values, f"{path}.{which}", f"{which}_{name}"))
    heads = [shortened(name, STATISTIC) for name in pair.names]
    return Section(
        title,
        [
            *parts,
            *_trouble(pair),
            Facts(facts),
            Table(columns, rows, _of(pair), csv="comparison", notes=_left(pair, rows, "weights")),
            _statistics(pair, [*heads, "difference"], (None, None, "differences")),
        ],
        "comparison",
        _headline(pair, experiment, index),
    )


def _less(after: Callable[[Rows], Floats], before: Callable[[Rows], Floats], keys: Rows) -> Floats:
    with np.errstate(invalid="ignore"):
        return after(keys) - before(keys)


def _differences(pair: VectorAnswer, keys: Rows) -> list[str]:
    """Return by how much the weights of keys are larger on the second side."""
    pairs = zip(*(side.pairs(keys) for side in pair.sides), strict=True)
    return [change(one, other, NUMBER) for one, other in pairs]


def _steeper(pair: VectorAnswer, keys: Rows) -> list[str]:
    """Return by how much the gradient at keys is larger on the second side."""
    first, second = (partial(side.gradient, pair.of, pair.wrt) for side in pair.sides)
    steps = _less(second, first, keys).tolist()
    return [scientific(step, signed=True, width=NUMBER) for step in steps]
