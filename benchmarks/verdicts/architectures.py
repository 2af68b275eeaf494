"""Every architecture of the installed transformers: a small random model, captured and compared.

    python -m benchmarks.verdicts.architectures FOLDER
    python -m benchmarks.verdicts.architectures FOLDER --sample 20 --seed 7
    python -m benchmarks.verdicts.architectures FOLDER --only llama --only bert
    python -m benchmarks.verdicts.architectures FOLDER --table docs/doctor.md   # of what is there

FOLDER gets ``TYPE/capture.safetensors`` by the recipe for transformers, or by the one for eager
attention where a class calls no attention function, and the model's config.json beside. What a
configuration promises is compared with what was captured, without the doctor; the status is 1 if
one differs. It needs torch and transformers, in an environment of their own as ``tests/extras``
has it; each model is built in a process of its own, with a time limit.
"""

import json
import multiprocessing
import random
import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from math import isnan
from pathlib import Path
from typing import Any

import click

from attn_tui.files.models.architectures import ARCHITECTURES
from benchmarks.verdicts import shrinking
from benchmarks.verdicts.promise import Agreement, agreements

SECONDS = 90.0
"""The time limit of one architecture."""

LARGEST = 1e-4
"""The largest error of a row in float32 that counts as agreement."""

BEGIN, END = "<!-- architectures: begin -->", "<!-- architectures: end -->"

HEADINGS = {
    "agrees": "known: every layer has the output that config.json promises",
    "partly": "known in some of their parts, whose layers have the promised output",
    "differs": "known, and wrong",
    "none": "not known: they promise nothing, or m alone",
}
"""The groups of architectures that were captured, by their verdict, for the table."""

UNTRIED = "of these, and of code outside transformers, known by their source alone"
"""The heading of architectures that we know, none of which was built."""

REASONS = (
    ("ImportError", "they need packages that are not installed"),
    ("part without a model", "they are parts of other models, tried with these"),
    ("no softmax stood", "they have no attention by softmax, or it is one function of PyTorch"),
    ("more than|ended", "they take longer, or more memory"),
    ("validator|Validation", "sizes in their configuration depend on each other"),
    ("", "they want inputs, or sizes, of a kind of their own"),
)
"""Why an architecture could not be built: a pattern of the problem, and words."""


@dataclass(frozen=True)
class Result:
    """What became of an architecture.

    Attributes:
        kind: Its model type, or the name of a variant.
        recipe: The recipe that captured it; empty if none could.
        problem: Why there is no capture, or why it cannot be opened; empty if there is one.
        layers: How each captured layer agrees with what the configuration promises.
    """

    kind: str
    recipe: str = ""
    problem: str = ""
    layers: list[dict[str, Any]] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """A key of `HEADINGS`, or empty if it could not be captured."""
        if self.problem:
            return "differs" if self.recipe else ""
        layers = [Agreement(**layer) for layer in self.layers]
        stated = [layer for layer in layers if layer.stated]
        if any(not layer.error < LARGEST or layer.hidden for layer in stated):
            return "differs"
        if not stated:
            return "none"
        return "agrees" if len(stated) == len(layers) else "partly"


def kinds() -> list[str]:
    """Return the model types of the installed transformers, and variants of some."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

    return [*sorted(CONFIG_MAPPING_NAMES), *shrinking.VARIANTS]


def result_of(kind: str, folder: Path) -> Result:
    """Build, capture and compare an architecture in this process."""
    try:
        recipe = shrinking.capture(kind, folder / kind)
    except Exception as error:
        said = " ".join(str(error).split())
        trace = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(trace.filename).name}:{trace.lineno}"
        return Result(kind, problem=f"{type(error).__name__}: {said[:200]} ({place})")
    return compared(kind, recipe, folder)


def compared(kind: str, recipe: str, folder: Path) -> Result:
    """Compare the capture of an architecture with its configuration."""
    try:
        layers = [asdict(each) for each in agreements(folder / kind)]
    except Exception as error:
        return Result(kind, recipe, f"cannot be opened: {error}")
    if any(isnan(layer["error"]) for layer in layers):
        return Result(kind, problem="its output has no number on our inputs")
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


def run(names: Sequence[str], folder: Path, seconds: float) -> Iterator[Result]:
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


def table(results: Sequence[Result]) -> str:
    """Return a table of what became of architectures, in Markdown."""
    rows: dict[str, list[str]] = {heading: [] for heading in HEADINGS.values()}
    rows |= {f"not built: {words}": [] for _, words in REASONS}
    for result in sorted(results, key=lambda each: each.kind):
        heading = HEADINGS.get(result.verdict, "")
        if not heading:
            words = next(words for text, words in REASONS if re.search(text, result.problem))
            heading = f"not built: {words}"
        rows[heading].append(f"`{result.kind}`")
    built = {name for heading in HEADINGS.values() for name in rows[heading]}
    rows[UNTRIED] = sorted({f"`{name}`" for name in ARCHITECTURES} - built - _parts(results))
    lines = ["| | | model types |", "|---|---|---|"]
    for heading, names in rows.items():
        if names:
            lines.append(f"| {heading} | {len(names)} | {' '.join(names)} |")
    return "\n".join(lines)


def _parts(results: Sequence[Result]) -> set[str]:
    """Return the model types of all layers that were compared, those of parts of models too."""
    return {f"`{layer['kind']}`" for result in results for layer in result.layers}


def write_table(path: Path, results: Sequence[Result]) -> None:
    """Write the table between its markers in a document, or at its end if there are none."""
    text = path.read_text("utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    if not begin:
        before, after = text.rstrip() + "\n\n", "\n"
    path.write_text(f"{before}{BEGIN}\n\n{table(results)}\n\n{END}{after}", "utf-8")


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--only", multiple=True, help="A model type, or a variant.")
@click.option("--sample", type=int, help="How many architectures to draw.")
@click.option("--seed", type=int, default=0, help="The seed of the draw.")
@click.option("--seconds", type=float, default=SECONDS, help="The time limit of each.")
@click.option("--table", "document", type=click.Path(path_type=Path), help="Write it from results.")
def main(
    folder: Path,
    only: tuple[str, ...],
    sample: int | None,
    seed: int,
    seconds: float,
    document: Path | None,
) -> None:
    """Capture architectures into FOLDER, and compare them with their configurations."""
    file = folder / "results.jsonl"
    if document is not None:
        lines = file.read_text("utf-8").splitlines()
        latest = {result.kind: result for result in (Result(**json.loads(line)) for line in lines)}
        captured = [result.kind for result in latest.values() if result.recipe]
        latest |= {kind: compared(kind, latest[kind].recipe, folder) for kind in captured}
        write_table(document, [*latest.values()])
        return
    names = [*only] or kinds()
    if sample is not None:
        names = random.Random(seed).sample(names, min(sample, len(names)))
    folder.mkdir(parents=True, exist_ok=True)
    status = 0
    with file.open("a") as results:
        for result in run(names, folder, seconds):
            results.write(json.dumps(asdict(result)) + "\n")
            results.flush()
            status |= result.verdict == "differs"
            said = " ".join(filter(None, (result.verdict, result.problem)))
            click.echo(f"{result.kind:32} {result.recipe:12} {said}")
    sys.exit(status)


if __name__ == "__main__":
    main()
