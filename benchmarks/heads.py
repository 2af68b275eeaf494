"""Compare statistics of all rows of a head with softmax(q @ k.T) @ v of it, as ratios in one run.

    python benchmarks/heads.py            # half a minute and 500 MB
    python benchmarks/heads.py --quick    # small sizes, only to see that it runs
    python benchmarks/heads.py --coverage CAPTURE…    # how often intervals of sampled rows cover

Needs SciPy, which the extra ``test`` brings; PyTorch is compared too where it can be imported. Each
line takes turns, this layer, the other, this layer, the other, so that both meet the same machine;
a ratio is the other's time over this layer's in one turn, above 1 where this layer is ahead. Shown
are medians of times and of ratios, with the smallest and the largest. One turn is not counted.
"""

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from attn_tui.captures.opening import open_capture
from attn_tui.captures.writer import write_safetensors
from attn_tui.compute.blas import one_thread
from attn_tui.compute.heads.head_model import HeadModel
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.partial import NORMS, merge, statistics
from attn_tui.compute.heads.row_statistics import row_statistics
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.compute.heads.statistic import STATISTICS
from attn_tui.engine.plan import Plan, Selection
from attn_tui.engine.survey import survey

try:
    import torch
except ImportError:
    torch = None

Floats = NDArray[np.float32]
Way = Callable[[], object]


@dataclass(frozen=True)
class Comparison:
    """This layer and another way.

    Attributes:
        name: What is compared.
        ours: This layer's way.
        other: The other way.
    """

    name: str
    ours: Way
    other: Way

    def measure(self, repeats: int, clock: Callable[[], float]) -> str:
        """Take turns, and return a line of the table."""
        turns = [self._turn(clock) for _ in range(repeats + 1)][1:]
        ours, others = (median(times) for times in zip(*turns, strict=True))
        ratios = [other / own for own, other in turns]
        spread = f"{min(ratios):.2f} – {max(ratios):.2f}"
        times = f"{_time(ours):>9} {_time(others):>9}"
        return f"  {self.name:<60} {times} {median(ratios):>6.2f}   {spread}"

    def _turn(self, clock: Callable[[], float]) -> tuple[float, float]:
        start = clock()
        self.ours()
        middle = clock()
        self.other()
        return middle - start, clock() - middle


def _time(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1.0 else f"{1e3 * seconds:.3g} ms"


def drawn(n: int, d: int) -> HeadRows:
    """Return a head of standard normal q, k and v in float32."""
    draw = np.random.default_rng(1).standard_normal
    q, k, v = (draw((n, d)).astype(np.float32) for _ in range(3))
    return HeadRows(np.arange(n), n, q, k, v)


def scipy_way(head: HeadRows, causal: bool = False) -> Way:
    """Return NumPy's and SciPy's way to the output, all scores at once."""
    q, k, v = head.queries * np.float32(head.d_k**-0.5), head.keys, head.values
    assert v is not None
    above = np.triu_indices(len(q), 1)

    def run() -> Any:
        scores = q @ k.T
        if causal:
            scores[above] = -np.inf
        return softmax(scores, axis=1) @ v

    return run


def torch_way(head: HeadRows, causal: bool = False) -> Way:
    """Return PyTorch's way to the output."""
    q, k, v = (torch.from_numpy(x)[None, None] for x in (head.queries, head.keys, head.values))

    def run() -> Any:
        with torch.inference_mode():
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)

    return run


def comparisons(head: HeadRows, on_threads: bool) -> Iterator[Comparison]:
    """Yield what is compared of one head."""
    m, cores = head.d_k**-0.5, os.cpu_count() or 1
    pieces = [*np.array_split(np.arange(len(head.rows)), cores if on_threads else 1)]
    parts = [replace(head, rows=head.rows[rows], queries=head.queries[rows]) for rows in pieces]
    pool = ThreadPoolExecutor(len(parts))

    def each(ask: Callable[[HeadRows], object]) -> object:
        with one_thread():
            return [*pool.map(ask, parts)] if on_threads else ask(head)

    def with_output(model: HeadModel) -> Way:
        return lambda: each(lambda part: row_statistics(part, model, output=True))

    def tallied() -> object:
        found = each(lambda part: statistics(part, plain))
        return merge(found) if isinstance(found, list) else found

    plain, causal = HeadModel(m, mask=HeadMask()), HeadModel(m)
    others: list[tuple[str, Callable[..., Way]]] = [("SciPy's output", scipy_way)]
    if torch is not None:
        others.append(("PyTorch's SDPA", torch_way))
    for name, way in others:
        yield Comparison(f"all statistics + output : {name}", with_output(plain), way(head))
        yield Comparison(f"all statistics, tallied, no output : {name}", tallied, way(head))
        yield Comparison(
            f"all statistics + output, causal : {name}, causal",
            with_output(causal),
            way(head, causal=True),
        )
    capped = replace(plain, softcap=50.0, sink=0.0)
    yield Comparison(
        "the same under a soft cap and a sink : SciPy's output without",
        with_output(capped),
        scipy_way(head),
    )


def surveyed(n: int, d: int, heads: int, folder: Path) -> Iterator[Comparison]:
    """Yield the whole way: a capture on disk, all rows of all heads."""
    draw = np.random.default_rng(2).standard_normal
    tensors = {name: draw((1, heads, n, d)).astype(np.float32) for name in ("q", "k", "v")}
    path = folder / "capture.safetensors"
    write_safetensors(path, tensors)

    def ours() -> object:
        return [*survey(Plan.of(open_capture([str(path)]), Selection(rows=None)))]

    def scipy() -> None:
        for q, k, v in zip(*(tensors[name][0] for name in "qkv"), strict=True):
            softmax(q * np.float32(d**-0.5) @ k.T, axis=1) @ v

    yield Comparison(f"heads --rows all of {heads} heads : SciPy's outputs", ours, scipy)


COVERED = tuple(
    name
    for name, each in STATISTICS.items()
    if each.how == "mean" and each.of not in NORMS and name != "sink_mass"
)
"""Statistics that have a standard error where rows are sampled."""


def kinds(n: int, d: int) -> Iterator[tuple[str, HeadRows, HeadModel]]:
    """Yield drawn heads, each without a mask and causal.

    Random ones have scores of standard deviation 1 and 3; in those with a sink 95 % and 70 % of
    the queries lean to key 0; local ones see by a smooth kernel 1, 4 and 30 keys around their own.
    """
    draw = np.random.default_rng(3)
    for mask in (HeadMask("causal"), HeadMask()):
        model = HeadModel(d**-0.5, mask=mask)
        for size in (1.0, 3.0):
            q, k = draw.standard_normal((2, n, d))
            yield "random", _head(size * q, k), model
        for share, size in ((0.95, 6.0), (0.7, 8.0)):
            q, k = draw.standard_normal((2, n, d))
            leans = draw.random(n) < share
            q[:, 0] = 0.5 * draw.standard_normal(n) + np.where(leans, size, 0.0)
            k[0] = np.where(np.arange(d) == 0, 14.0, 0.0)
            yield "sink", _head(q, k), model
        for width in (1.0, 4.0, 30.0):
            angles = np.arange(n)[:, None] * draw.standard_normal(d // 2) / width
            waves = np.concatenate([np.cos(angles), np.sin(angles)], axis=1)
            sizes = 10.0 * (1.0 + 0.2 * draw.standard_normal((n, 1)))
            q = sizes * waves + 0.3 * draw.standard_normal((n, d))
            yield "local", _head(q, 2.0 * waves), model


def _head(q: NDArray[np.float64], k: NDArray[np.float64]) -> HeadRows:
    rows = np.arange(len(q))
    return HeadRows(rows, len(q), q.astype(np.float32), k.astype(np.float32))


def trained(paths: Sequence[str]) -> Iterator[tuple[str, HeadRows, HeadModel]]:
    """Yield the heads of captures, each without a mask and causal."""
    for path in paths:
        capture = open_capture([path])
        for head in capture.heads:
            rows = capture.read(head)
            for mask in (HeadMask(), HeadMask("causal")):
                yield "trained", rows, HeadModel(rows.d_k**-0.5, mask=mask)


def coverage(paths: Sequence[str], seeds: int) -> None:
    """Print how often value ± 1.96 standard errors covers what all rows say, by kind of head."""
    heads = [*kinds(200, 64), *kinds(1024, 64), *trained(paths)]
    names = [*dict.fromkeys(kind for kind, *_ in heads)]
    for n_rows in (16, 128):
        inside: dict[tuple[str, str], list[bool]] = {}
        errors: dict[tuple[str, str], list[float]] = {}
        for kind, head, model in heads:
            if head.n_queries <= n_rows:
                continue
            truth = statistics(head, model)
            for seed in range(seeds):
                at = np.array(Selection(rows=n_rows, seed=seed).sample(head.n_queries))
                part = replace(head, rows=head.rows[at], queries=head.queries[at])
                found = statistics(part, model)
                for name in COVERED:
                    value = found.value(name)
                    off = abs(value.value - truth.value(name).value)
                    # Sums of equal numbers differ in their last bits.
                    is_inside = off <= 1.96 * (value.error or 0.0) + 1e-12
                    inside.setdefault((name, kind), []).append(is_inside)
                    errors.setdefault((name, kind), []).append(value.error or 0.0)
        click.echo(f"{n_rows} rows: share of 95 % intervals that cover, mean standard error")
        click.echo(f"  {'':<20}" + "".join(f"{kind:>18}" for kind in names))
        for name in COVERED:
            line = f"  {name:<20}"
            for kind in names:
                share, error = np.mean(inside[name, kind]), np.mean(errors[name, kind])
                line += f"{share:>9.3f} {error:>8.2g}"
            click.echo(line)


@click.command()
@click.argument("captures", nargs=-1, metavar="CAPTURE...")
@click.option("--coverage", "is_coverage", is_flag=True, help="How often intervals cover.")
@click.option("--seeds", default=40, show_default=True, type=click.IntRange(1), help="Samples.")
@click.option("--quick", is_flag=True, help="Small sizes: the ratios say nothing.")
@click.option("--repeats", default=9, show_default=True, type=click.IntRange(1), help="Turns.")
def main(
    captures: tuple[str, ...], is_coverage: bool, seeds: int, quick: bool, repeats: int
) -> None:
    """Compare statistics of heads with the direct way to their output, as ratios of times."""
    if is_coverage:
        coverage(captures, seeds)
        return
    n, d = (64, 8) if quick else (4096, 128)
    head = drawn(n, d)
    heading = f"  {'this layer : other':<60} {'this':>9} {'other':>9} {'ratio':>6}   min – max"
    click.echo(f"A head of n = {n}, d = {d}, float32 q, k and v of standard normal entries.")
    for on_threads in (False, True):
        count = (os.cpu_count() or 1) if on_threads else 1
        click.echo(f"Both on {count} thread(s)" + (", seconds" if on_threads else ", CPU seconds"))
        click.echo(heading)
        if torch is not None:
            torch.set_num_threads(count)
        with nullcontext() if on_threads else one_thread():
            for each in comparisons(head, on_threads):
                click.echo(each.measure(repeats, perf_counter if on_threads else process_time))
    with tempfile.TemporaryDirectory() as folder:
        for each in surveyed(n // 2, d, 8, Path(folder)):
            click.echo(each.measure(repeats, perf_counter))


if __name__ == "__main__":
    main()
