"""A kind of source is added by its class and an entry in the registry."""

import json
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pytest

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import Answer, answer_vector
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Source
from attn_tui.compute.vector import Vector, Vectors
from attn_tui.compute.whole import parse_whole
from attn_tui.explore.report import Contents, report
from attn_tui.files.attachments import Attachment
from attn_tui.files.codec import experiment_from_plain, experiment_to_plain
from attn_tui.files.draft import Draft, draft_of, parse
from attn_tui.files.kinds import KINDS, SourceKind
from attn_tui.files.plain_reader import of_type
from attn_tui.report.text import text

READ: list[int] = []
"""The rows that have been read."""


@dataclass(frozen=True)
class Capture(Source):
    """A head with as many queries as are asked for; a row is read when it is asked for."""

    rows: int
    kind: ClassVar = "capture"
    made: dict[int, Vectors] = field(default_factory=dict, compare=False)

    def vectors(self, setup: Setup) -> Vectors:
        return self.made.setdefault(0, Vectors(self.rows, 12, self.read))

    def read(self, row: int) -> Vector:
        READ.append(row)
        return Vector(f"row {row}", np.linspace(0.0, 3.0 + row, 12))


def read_text(text: str, attachments: tuple[Attachment, ...]) -> Capture:
    return KEPT.setdefault(text, Capture(parse_whole("rows", text)))


def from_plain(values: dict[str, Any], _: str) -> Capture:
    return Capture(of_type("rows", values["capture_rows"], int))


KEPT: dict[str, Capture] = {}
KIND = SourceKind(
    title="captured",
    detail="rows of a head",
    over_d_k="",
    template="100000",
    source=Capture,
    read=read_text,
    write=lambda writer, source: str(source.rows),
    shorten=lambda writer, text, attachments: text,
    index_at=lambda text, line, attachments: None,
    names=("capture_rows",),
    is_in=lambda plain: "capture_rows" in plain,
    to_plain=lambda source: {"capture_rows": source.rows},
    from_plain=from_plain,
)
DRAFT = Draft("100000", Setup(16), "capture")


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, "capture", KIND)
    READ.clear()
    KEPT.clear()


def test_it_is_asked_written_and_read_back() -> None:
    experiment = parse(Draft("a: 1").from_source("capture"))
    assert draft_of(experiment) == Draft("100000", source="capture")
    plain = json.loads(json.dumps(experiment_to_plain(experiment)))
    assert experiment_from_plain(plain).source == Capture(100_000)
    assert READ == []


def test_a_report_on_a_row_reads_that_row() -> None:
    experiment = parse(DRAFT)
    found = Answer(experiment, (answer_vector(experiment, 7),))
    said = "".join(text(report(found, Contents(first=7))))
    assert "scores     capture" in said
    assert "row 7: 12 keys" in said
    assert READ == [7]


def test_a_draft_that_asks_about_a_source_keeps_what_its_other_texts_name() -> None:
    attached = Attachment(np.arange(3000.0))
    typed = Draft("a: <#1 3,000 scores>", attachments=(attached,))
    drawn = typed.asking(Drawn(8, seed=2))
    assert (drawn.source, drawn.text) == ("drawn", "n = 8, seed = 2, vectors = 1")
    scores = Experiment(parse(drawn.from_source("typed")).source).vectors[0].scores
    assert scores.tolist() == np.arange(3000.0).tolist()
