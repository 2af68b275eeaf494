"""Compare compute with the direct way to the same numbers, in one run, as ratios.

    python benchmarks/compute.py            # a few minutes and 1 GB
    python benchmarks/compute.py --quick    # small sizes, only to see that it runs
    OPENBLAS_NUM_THREADS=1 python benchmarks/compute.py --only PyTorch

Needs SciPy, which the extra ``test`` brings; heads are compared with PyTorch, of the extra
``models``, where it can be imported. Each line takes turns, this layer, the other, this layer, the
other, so that both meet the same machine; a ratio is the other's time over this layer's in one
turn, above 1 where this layer is ahead. Shown are the medians of the times, and of the ratios with
the smallest and the largest. One turn before is not counted, except where the other takes minutes
(the singular value).

What is compared is printed with each group. Where the other way is measured on fewer numbers, its
time is scaled up in proportion, and the line says so.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from os import environ
from statistics import median
from time import perf_counter
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, softmax

from attn_tui.compute.dots.answer import answer
from attn_tui.compute.dots.draws import Draws, Streams
from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.evaluation import Evaluation, evaluate
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.heads.head_model import HeadModel
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.row_statistics import row_statistics
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.compute.law.dot_law import DotLaw
from attn_tui.compute.law.entries import Pair
from attn_tui.compute.norms import frobenius, spectral, trace
from attn_tui.compute.scale import PLAIN, LogitMap
from attn_tui.compute.setup import Setup
from attn_tui.compute.softmax import STABLE
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep.draws import unit_size
from attn_tui.compute.sweep.readouts import log_statistics
from attn_tui.compute.sweep.rows import rows

Floats = NDArray[np.float64]

LOGIT_STD = 3.0
"""Standard deviation of the logits of softmax and norms: neither flat nor saturated."""


@dataclass(frozen=True)
class Sizes:
    """How large everything is.

    Attributes:
        side: Rows and columns of the scores.
        n_norms: n of the norms.
        n_drawn: n and d_k of drawn vectors.
        dots: How many dot products.
        dots_d_k: Their d_k.
        direct: How many of them are drawn directly.
        head: n of a captured head.
    """

    side: int = 4096
    n_norms: int = 4096
    n_drawn: int = 8192
    dots: int = 10**7
    dots_d_k: int = 1024
    direct: int = 2**16
    head: int = 2048


QUICK = Sizes(side=64, n_norms=64, n_drawn=64, dots=4096, dots_d_k=64, direct=512, head=64)


@dataclass(frozen=True)
class Comparison:
    """This layer and another way to the same numbers.

    Attributes:
        name: What is compared.
        ours: This layer's way.
        other: The other way.
        calls: This layer's way is timed over so many calls, since one is too short.
        share: How much of the work the other way does; its time is scaled up by it.
        warm: Whether there is a turn that is not counted.
    """

    name: str
    ours: Callable[[], object]
    other: Callable[[], object]
    calls: int = 1
    share: float = 1.0
    warm: bool = True

    def measure(self, repeats: int) -> str:
        """Take turns, and return a line of the table."""
        turns = [self._turn() for _ in range(repeats + self.warm)][self.warm :]
        ours, others = (median(times) for times in zip(*turns, strict=True))
        ratios = [other / own for own, other in turns]
        spread = f"{_ratio(min(ratios))} – {_ratio(max(ratios))}"
        scaled = " *" if self.share != 1.0 else ""
        times = f"{_time(ours):>9} {_time(others) + scaled:>11}"
        return f"  {self.name:<58} {times} {_ratio(median(ratios)):>9}   {spread}"

    def _turn(self) -> tuple[float, float]:
        start = perf_counter()
        for _ in range(self.calls):
            self.ours()
        middle = perf_counter()
        self.other()
        return (middle - start) / self.calls, (perf_counter() - middle) / self.share


@dataclass(frozen=True)
class Group:
    """Comparisons that share their data, which is dropped after them."""

    title: str
    comparisons: tuple[Comparison, ...]


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"


def _ratio(value: float) -> str:
    return f"{value:,.0f}" if value >= 100.0 else f"{value:.2f}"


def softmax_group(sizes: Sizes) -> Group:
    """Softmax and what is said about its weights, for the rows of a square of scores."""
    side = sizes.side
    generator = np.random.default_rng(1)
    scores = LOGIT_STD * generator.standard_normal((side, side))
    upstream = generator.standard_normal((side, side))
    ones, across = np.ones(side), np.full(side, 63.0)
    at_once = min(unit_size(side), side)
    weights, own = np.empty_like(scores), np.empty((2, at_once, side))

    def each(ask: Callable[[Evaluation], object]) -> Callable[[], None]:
        def run() -> None:
            for row, out in zip(scores, weights, strict=True):
                evaluation = evaluate(row, PLAIN, STABLE)
                out[:] = evaluation.weights()
                ask(evaluation)

        return run

    def spread(e: Evaluation) -> object:
        return e.max_weight, e.entropy, e.effective_keys, e.participation_ratio

    def batched() -> None:
        for start in range(0, side, at_once):
            part = slice(start, start + at_once)
            log_statistics(rows(scores[part], upstream[part], own), ones[part], across[part])

    def scipy_softmax() -> object:
        return softmax(scores, axis=1)

    def scipy_each() -> None:
        for row, out in zip(scores, weights, strict=True):
            out[:] = softmax(row)

    def scipy_spread() -> object:
        p = softmax(scores, axis=1)
        h = entr(p).sum(axis=1)
        return p.max(axis=1), h, np.exp(h), 1.0 / np.square(p).sum(axis=1)

    return Group(
        f"Softmax and statistics of {side} vectors of {side} scores.\n"
        "  SciPy: scipy.special.softmax(scores, axis=1), and scipy.special.entr for the entropy.\n"
        "  Softmax here is vector by vector and keeps the weights. Spread: largest weight,\n"
        "  entropy, effective keys, 1/Σp². Sweep's statistics: largest weight, entropy,\n"
        f"  effective keys, ‖J‖_F, tr J, query gradient, of {at_once} vectors at a time and\n"
        "  without the weights.",
        (
            Comparison("softmax : SciPy's softmax", each(lambda e: None), scipy_softmax),
            Comparison(
                "softmax : SciPy's softmax, a vector at a time", each(lambda e: None), scipy_each
            ),
            Comparison("softmax + spread : SciPy's softmax + spread", each(spread), scipy_spread),
            Comparison("Sweep's statistics : SciPy's softmax + spread", batched, scipy_spread),
            Comparison("Sweep's statistics : SciPy's softmax alone", batched, scipy_softmax),
            Comparison("softmax + spread : SciPy's softmax alone", each(spread), scipy_softmax),
            Comparison(
                "softmax + spread + ‖J‖_F + tr J : SciPy's softmax alone",
                each(lambda e: (spread(e), e.frobenius("logits"), trace(e.weights()))),
                scipy_softmax,
            ),
            Comparison(
                "softmax + spread + all norms : SciPy's softmax alone",
                each(lambda e: (spread(e), e.norms)),
                scipy_softmax,
            ),
        ),
    )


def norms_group(sizes: Sizes) -> Group:
    """Norms of the Jacobian of one vector."""
    n = sizes.n_norms
    p = softmax(LOGIT_STD * np.random.default_rng(2).standard_normal(n))

    def jacobian() -> Floats:
        dense: Floats = np.multiply.outer(p, -p)
        dense[np.diag_indices(n)] += p
        return dense

    return Group(
        f"Norms of the Jacobian of softmax at n = {n}, from the weights.\n"
        "  Dense: diag(p) − ppᵀ built each time, then numpy.linalg.norm(J), norm(J, 2) and trace.",
        (
            Comparison(
                "Frobenius : dense", lambda: frobenius(p), lambda: np.linalg.norm(jacobian()), 100
            ),
            Comparison("trace : dense", lambda: trace(p), lambda: np.trace(jacobian()), 100),
            Comparison(
                "spectral : dense",
                lambda: spectral(p),
                lambda: np.linalg.norm(jacobian(), 2),
                100,
                warm=False,
            ),
        ),
    )


def drawing_group(sizes: Sizes) -> Group:
    """Scores of one random query against random keys."""
    n = sizes.n_drawn
    draw = Drawn(n_keys=n)
    generator = np.random.default_rng(3)
    keys = generator.standard_normal((n, n))

    def product() -> Floats:
        q = generator.standard_normal(n)
        return np.asarray(q @ keys.T)

    def direct() -> Floats:
        generator.standard_normal(out=keys)
        return product()

    return Group(
        f"Drawing a vector of n = {n} scores at d_k = {n}.\n"
        "  NumPy: q and K of standard normal numbers, K into memory it already has, and q @ K.T.",
        (
            Comparison("scores : q @ K.T", lambda: draw.scores(n, 0), direct, 100),
            Comparison("scores : q @ K.T, K not drawn", lambda: draw.scores(n, 0), product, 100),
        ),
    )


def dots_group(sizes: Sizes) -> Group:
    """Many random dot products."""
    d = sizes.dots_d_k
    law = DotLaw(Pair("normal"), d)
    settings = Settings(samples=sizes.dots, d_ks=())
    experiment = Experiment(Drawn(), Setup(d_k=d).put(settings))
    generator = np.random.default_rng(4)

    def sample() -> None:
        draws = Draws(law, Streams(1, 0, 0))
        for start in range(0, sizes.dots, draws.at_once):
            draws.take(min(draws.at_once, sizes.dots - start))

    def answered() -> None:
        for _ in answer(experiment):
            pass

    def direct() -> None:
        at_once = 512
        for _ in range(0, sizes.direct, at_once):
            q, k = generator.standard_normal((2, at_once, d))
            np.einsum("ij,ij->i", q, k)

    share = sizes.direct / sizes.dots
    return Group(
        f"Sampling {sizes.dots:,} dot products at d_k = {d}, entries standard normal.\n"
        f"  Direct: q and k drawn, 512 pairs at a time, and multiplied; {sizes.direct:,} dot\n"
        "  products are measured and the time is scaled (*).",
        (
            Comparison("sampling : direct", sample, direct, share=share),
            Comparison(
                "sampling, moments, histogram, curves : direct sampling alone",
                answered,
                direct,
                share=share,
            ),
        ),
    )


def heads_group(sizes: Sizes) -> Group:
    """Statistics of the rows of a head, from queries and keys, against PyTorch if it is there."""
    n, d_k = sizes.head, 64
    q, k = np.random.default_rng(5).standard_normal((2, n, d_k)).astype(np.float32)
    m = LOGIT_STD / np.sqrt(d_k)
    head = HeadRows(np.arange(n), n, q, k)
    whole, causal = (
        HeadModel.of(LogitMap(float(m)), mask) for mask in (HeadMask(), HeadMask("causal"))
    )
    comparisons: tuple[Comparison, ...] = ()
    with suppress(ImportError):
        torch = import_module("torch")
        torch.set_num_threads(1)
        comparisons = (
            Comparison(
                "rows of a head : PyTorch",
                lambda: row_statistics(head, whole),
                lambda: rows_by_torch(torch, q, k, float(m), is_causal=False),
            ),
            Comparison(
                "rows of a head : PyTorch, 256 rows at a time",
                lambda: row_statistics(head, whole),
                lambda: [
                    rows_by_torch(torch, part, k, float(m), is_causal=False)
                    for part in np.split(q, range(256, n, 256))
                ],
            ),
            Comparison(
                "rows of a causal head : PyTorch",
                lambda: row_statistics(head, causal),
                lambda: rows_by_torch(torch, q, k, float(m), is_causal=True),
            ),
        )
    threads = environ.get("OPENBLAS_NUM_THREADS", "all cores, OPENBLAS_NUM_THREADS is not set")
    return Group(
        f"Rows of a head of {n} queries and keys at d_k = {d_k}, float32.\n"
        "  PyTorch, on one thread: q @ k.T · m, log_softmax, and from it the largest weight, the\n"
        "  entropy, e^H and ‖J‖_F of each row. This layer has all statistics of `heads`, among\n"
        f"  them these. Threads of NumPy's product: {threads}.",
        comparisons,
    )


def rows_by_torch(torch: Any, q: Any, k: Any, m: float, is_causal: bool) -> tuple[Any, ...]:
    """Return the largest weight, H, e^H and ‖J‖_F of each row of a head, by PyTorch."""
    logits = torch.from_numpy(q) @ torch.from_numpy(k).T
    logits *= m
    if is_causal:
        ahead = torch.ones(logits.shape, dtype=torch.bool).triu(1)
        logits.masked_fill_(ahead, -1e5)
    logs = torch.log_softmax(logits, 1)
    p = logs.exp()
    entropy = -(p * logs).sum(1)
    squares = p * p
    square_sum = squares.sum(1)
    norm = (square_sum + square_sum**2 - 2.0 * (squares * p).sum(1)).clamp(min=0.0).sqrt()
    return p.amax(1), entropy, entropy.exp(), norm


def groups(sizes: Sizes) -> Iterator[Group]:
    """Yield the groups, one at a time, so that the data of one is in memory."""
    for group in (softmax_group, norms_group, drawing_group, dots_group, heads_group):
        yield group(sizes)


@click.command()
@click.option("--quick", is_flag=True, help="Small sizes: the ratios say nothing.")
@click.option("--repeats", default=5, show_default=True, type=click.IntRange(1), help="Turns.")
@click.option("--only", default="", help="Only groups whose title has this in it.")
def main(quick: bool, repeats: int, only: str) -> None:
    """Compare compute with the direct way, as ratios of times."""
    heading = f"  {'this layer : other':<58} {'this':>9} {'other':>11} {'ratio':>9}   min – max"
    for group in groups(QUICK if quick else Sizes()):
        if only.casefold() not in group.title.casefold():
            continue
        click.echo(f"{group.title}\n{heading}")
        for comparison in group.comparisons:
            click.echo(comparison.measure(repeats))
        click.echo()


if __name__ == "__main__":
    main()
