"""A question as it stands in the editor: the text as typed and everything else asked."""

from dataclasses import dataclass, field, replace

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Kind, Source
from attn_tui.files.attachments import Attachment
from attn_tui.files.kinds import KINDS, compacted, kind_of, source_text
from attn_tui.files.origin import Origin


@dataclass(frozen=True)
class Draft:
    """What has been asked so far; the text may not be understood yet.

    Attributes:
        text: Where the scores come from, as typed: in the grammar of the kind of source.
        setup: The rest of the question.
        source: The kind of source.
        attachments: Numbers too many for the text, which names them.
        origin: The files that scores were read from, if they were.
        others: The texts of other kinds of source, kept for when the user returns to them.
    """

    text: str
    setup: Setup = field(default_factory=Setup)
    source: Kind = "typed"
    attachments: tuple[Attachment, ...] = ()
    origin: Origin | None = None
    others: tuple[tuple[Kind, str], ...] = ()

    @property
    def from_files(self) -> Origin | None:
        """The files that the scores were read from, unless these are others by now."""
        origin = self.origin
        is_of = origin and (origin.kind, origin.text) == (self.source, self.text)
        return origin if is_of else None

    def from_source(self, kind: Kind) -> "Draft":
        """Return the draft with scores from another kind of source, as they were there last."""
        if kind == self.source:
            return self
        texts = dict(self.others) | {self.source: self.text}
        text = texts.pop(kind, KINDS[kind].template)
        return replace(self, text=text, source=kind, others=tuple(sorted(texts.items())))

    def asking(self, source: Source) -> "Draft":
        """Return the draft that asks about a source, which is written as text."""
        text, attachments = source_text(source, self.attachments)
        return replace(self.from_source(source.kind), text=text, attachments=attachments)

    def with_text(self, text: str) -> "Draft":
        """Return the draft with another text; what it has too much of is attached."""
        text, attachments = compacted(self.source, text, self.attachments)
        return replace(self, text=text, attachments=attachments)

    def typed(self, text: str) -> "Draft":
        """Return the draft with a text of whichever kind of source it is, by how it begins."""
        return self.from_source(kind_of(text)).with_text(text)

    def pasted(self, text: str) -> "Draft":
        """Return the draft with other scores: in the grammar of the present kind, or else typed.

        Raises:
            InputError: If they are neither, or there is no answer to them under the setup; as of
                typed ones.
        """
        for kind in dict.fromkeys((self.source, kind_of(text), "typed")):
            draft = self.from_source(kind).with_text(text)
            try:
                parse(draft)
            except InputError:
                if kind == "typed":
                    raise
            else:
                break
        return draft


EXAMPLE = Draft("a: 100, 120, 150")
"""The worked example: at d_k = 1024 softmax saturates without the scale and does not with it."""


def parse(draft: Draft) -> Experiment:
    """Return the question a draft asks.

    Raises:
        InputError: If it cannot be asked; where the text is not understood, with its line.
    """
    return Experiment(source_of(draft), draft.setup)


def source_of(draft: Draft) -> Source:
    """Return where the scores come from; the same text gives the same vectors.

    Raises:
        InputError: With field ``"scores"``, ``"draw"`` or ``"query"``, naming the token that is
            not understood, and its line.
    """
    return KINDS[draft.source].read(draft.text, draft.attachments)


def draft_of(experiment: Experiment, origin: Origin | None = None) -> Draft:
    """Return the draft that asks a question, every number exact; what is long is attached.

    Args:
        experiment: The question.
        origin: The files that its scores were read from, if they were.
    """
    text, attachments = source_text(experiment.source)
    kind = experiment.source.kind
    return Draft(text, experiment.setup, kind, attachments, origin and origin.of(kind, text))
