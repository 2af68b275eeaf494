"""Every architecture of the installed transformers: a small random model, captured and compared.

    python -m benchmarks.verdicts.architectures FOLDER
    python -m benchmarks.verdicts.architectures FOLDER --sample 20 --seed 7
    python -m benchmarks.verdicts.architectures FOLDER --only llama --only bert

FOLDER gets ``TYPE/capture.safetensors`` by the recipe for transformers, or by the one for eager
attention where a class calls no attention function, and the model's config.json beside. What a
configuration promises is compared with what was captured, without the doctor. It needs torch and
transformers, in an environment of their own as ``tests/extras`` has it; each model is built in a
process of its own, with a time limit.
"""

import json
import multiprocessing
import random
import sys
import traceback
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import click

from benchmarks.verdicts import shrinking
from benchmarks.verdicts.promise import Agreement, agreements

SECONDS = 90.0
"""The time limit of one architecture."""

LARGEST = 1e-4
"""The largest error of a row in float32 that counts as agreement."""


@dataclass(frozen=True)
class Result:
    """What became of an architecture.

    Attributes:
        kind: Its model type.
        recipe: The recipe that captured it; empty if none could.
        problem: Why there is no capture, or why it cannot be opened; empty if there is one.
        layers: How each captured layer agrees with what the configuration promises.
    """

    kind: str
    recipe: str = ""
    problem: str = ""
    layers: list[dict[str, Any]] = field(default_factory=list)


def kinds() -> list[str]:
    """Return the model types of the installed transformers, in their order."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

    return sorted(CONFIG_MAPPING_NAMES)


def result_of(kind: str, folder: Path) -> Result:
    """Build, capture and compare an architecture in this process."""
    try:
        recipe = shrinking.capture(kind, folder / kind)
    except Exception as error:
        said = (str(error).strip().splitlines() or [""])[0]
        trace = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(trace.filename).name}:{trace.lineno}"
        return Result(kind, problem=f"{type(error).__name__}: {said[:150]} ({place})")
    try:
        layers = [asdict(each) for each in agreements(folder / kind)]
    except Exception as error:
        return Result(kind, recipe, f"cannot be opened: {error}")
    return Result(kind, recipe, layers=layers)


def _child(kind: str, folder: Path, pipe: Any) -> None:
    pipe.send(result_of(kind, folder))
    pipe.close()


def limited(kind: str, folder: Path, seconds: float) -> Result:
    """Return the result of an architecture in a process of its own, ended after some time."""
    context = multiprocessing.get_context("fork")
    parent, child = context.Pipe(False)
    process = context.Process(target=_child, args=(kind, folder, child), daemon=True)
    process.start()
    child.close()
    try:
        if not parent.poll(seconds):
            return Result(kind, problem=f"it takes more than {seconds:g} s")
        result: Result = parent.recv()
        return result
    except EOFError:
        return Result(kind, problem="its process ended")
    finally:
        process.kill()
        process.join()


def verdict(result: Result) -> str:
    """Return ``agrees``, ``differs``, ``open`` or ``none``, or the problem."""
    if result.problem:
        return result.problem
    layers = [Agreement(**layer) for layer in result.layers]
    stated = [layer for layer in layers if layer.stated]
    if any(not layer.error < LARGEST or layer.hidden for layer in stated):
        return "differs"
    if not stated:
        return "none"
    return "agrees" if len(stated) == len(layers) else "partly"


def run(names: list[str], folder: Path, seconds: float) -> Iterator[Result]:
    """Yield the results of architectures, one after another."""
    import torch
    import transformers

    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    for kind in ("llama", "vit"):
        # Imports here what every child needs, which takes seconds.
        shrinking.model_of(shrinking.small(kind))
    for name in names:
        yield limited(name, folder, seconds)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--only", multiple=True, help="A model type.")
@click.option("--sample", type=int, help="How many architectures to draw.")
@click.option("--seed", type=int, default=0, help="The seed of the draw.")
@click.option("--seconds", type=float, default=SECONDS, help="The time limit of each.")
def main(
    folder: Path, only: tuple[str, ...], sample: int | None, seed: int, seconds: float
) -> None:
    """Capture architectures into FOLDER, and compare them with their configurations."""
    names = [*only] or kinds()
    if sample is not None:
        names = random.Random(seed).sample(names, min(sample, len(names)))
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "results.jsonl").open("a") as file:
        for result in run(names, folder, seconds):
            file.write(json.dumps(asdict(result)) + "\n")
            file.flush()
            click.echo(f"{result.kind:32} {result.recipe:12} {verdict(result)}")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
