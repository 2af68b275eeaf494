"""What a configuration expects, put together from what each kind of file says in its own words."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace

from attn_tui.compute.fit.model import LAWS, LEARNED, Law
from attn_tui.files.models.expected import NONE, Expectation, Expected, Hint, Mask, Shape
from attn_tui.files.models.fields import Fields

_MOST_LAYERS = 10_000


class Reader(ABC):
    """Reads one configuration, and notes which fields decide.

    Args:
        fields: What it says of attention.
        kind: The architecture.
        known: Whether that is one we know.
        heads: Query heads of a layer.
        width: Of the model.
    """

    MLA: frozenset[str]
    """Architectures whose multiplier has YaRN's μ²."""
    SINKS: frozenset[str]
    """Those that have sinks."""
    CAPPED: frozenset[str]
    """Those that have a cap of 50 where nothing is said."""
    CAP: tuple[str, ...]
    """Names of the cap."""
    KV_HEADS: tuple[str, ...]
    """Names of the number of heads of keys and values."""

    def __init__(
        self, fields: Fields, kind: str, known: bool, heads: int | None, width: int | None
    ) -> None:
        self.fields, self.kind, self.known = fields, kind, known
        self.heads, self.width = heads, width
        self.decides: list[str] = []
        self.notes: list[str] = []
        self.form = ""

    def expectation(self) -> Expectation:
        """Return what it expects."""
        d_k, said, lengths = self._d_k()
        multiplier, yarn = self._multiplier(d_k, said)
        common = Expected(multiplier, self._cap() or None, form=self.form)
        if self.known:
            common = replace(common, softcap=common.softcap or NONE, sink=NONE, value_scale=1.0)
        if self.kind in self.SINKS:
            common = replace(common, sink=LEARNED)
        count = self._layers()
        layers = [self._of_layer(common, each) for each in range(min(count or 1, _MOST_LAYERS))]
        if count is None or all(each == layers[0] for each in layers):
            common, layers = layers[0], []
        named, unknown = self._named()
        source = "; ".join(self.decides)
        if multiplier is None:
            source = "; ".join([f"assumed 1/√head_dim, for it {unknown}", *self.decides])
        return Expectation(
            f"{self.fields.file}{named}: {source}",
            common,
            tuple(layers),
            Shape(frozenset(lengths), self.heads, count, self._kv_heads()),
            multiplier is None,
            tuple(self._hints()),
            yarn,
            tuple(self.notes),
            self.kind,
            self._laws(),
        )

    @abstractmethod
    def _d_k(self) -> tuple[int | None, str, set[int]]:
        """Return the d_k that the multiplier is of, how that is said, and lengths of q."""

    @abstractmethod
    def _multiplier(self, d_k: int | None, said: str) -> tuple[float | None, float]:
        """Return m, or None if nothing is known of it, and YaRN's μ."""

    @abstractmethod
    def _yarn(self) -> float:
        """Return YaRN's μ; 1 without."""

    @abstractmethod
    def _layers(self) -> int | None:
        """Return how many layers there are, if that is known."""

    def _kv_heads(self) -> int | None:
        # Latent keys are those of one head, and have no heads in the configuration.
        return None if self.kind in self.MLA else self.fields.count(*self.KV_HEADS)

    @abstractmethod
    def _mask(self, layer: int) -> tuple[Mask | None, int | None]:
        """Return which keys a layer sees, and its window."""

    def _laws(self) -> tuple[Law, ...]:
        """Return the laws of m by position that may be there once too often."""
        return LAWS

    @abstractmethod
    def _hints(self) -> Iterator[Hint]:
        """Yield numbers that are taken for d_k."""

    @abstractmethod
    def _named(self) -> tuple[str, str]:
        """Return what the architecture is called, and why nothing is known of it if so."""

    def _cap(self) -> float | None:
        cap = self.fields.number(*self.CAP)
        if cap is None and self.kind in self.CAPPED and self.CAP[0] not in self.fields.of:
            cap = 50.0
        if cap:
            self.decides.append(f"{self.CAP[0]} {cap:g}")
        return cap

    def _of_layer(self, common: Expected, layer: int) -> Expected:
        mask, window = self._mask(layer)
        return replace(common, mask=mask, window=window)

    def _inverse_root(self, d_k: int, said: str) -> tuple[float, float]:
        """Return 1/√d_k, with YaRN's μ² where it belongs, and μ."""
        m, yarn = self._root(d_k, said), self._yarn()
        if self.kind in self.MLA and yarn != 1.0:
            self.decides.append(f"YaRN's mscale² {yarn * yarn:.4f}")
            m, self.form = m * yarn * yarn, ""
        return m, yarn

    def _root(self, a: float, said: str) -> float:
        """Return 1/√a, which is said so."""
        self.form = f"1/√{a:g}"
        self.decides.append(f"{said}, m = {self.form}")
        return float(a**-0.5)

    def _of_width(self, name: str) -> Iterator[Hint]:
        """Yield the width, and its share of each head, which is called so."""
        if self.width:
            yield Hint(self.width, "√d_model for √d_head")
        if self.width and self.heads:
            yield Hint(self.width / self.heads, name)
