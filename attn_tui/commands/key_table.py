"""Every key of the screens that are built of Textual's widgets, for docs/keys.md."""

from collections.abc import Iterable, Iterator

from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.keys import format_key

from attn_tui.attention.screen import AttentionScreen
from attn_tui.doctor.pane import Multipliers
from attn_tui.dots.screen import DotsScreen
from attn_tui.explore.screen import ExploreScreen
from attn_tui.explore.weights import Weights
from attn_tui.heads.screen import HeadsScreen
from attn_tui.heads.table import HeadList
from attn_tui.report.generated import Generated
from attn_tui.sweep.screen import SweepScreen
from attn_tui.ui.app import AttnApp
from attn_tui.ui.heat_map import HeatMap
from attn_tui.ui.instrument_screen import InstrumentScreen
from attn_tui.ui.slider import Slider

PLACES: tuple[tuple[str, type[DOMNode]], ...] = (
    ("Everywhere", AttnApp), ("On any instrument", InstrumentScreen), ("In Explore", ExploreScreen),
    ("In Dot products", DotsScreen), ("In Sweep", SweepScreen), ("In Attention", AttentionScreen),
    ("In Heads", HeadsScreen), ("On the slider", Slider), ("In the weights", Weights),
    ("On a map", HeatMap), ("In the table of heads", HeadList),
    ("In the doctor's chart", Multipliers),
)  # fmt: skip
"""Where keys work, and whose they are."""


def bindings(declared: Iterable[BindingType]) -> Iterator[tuple[str, Binding]]:
    """Yield the keys of each binding as a person reads them, and the binding."""
    for each in declared:
        assert isinstance(each, Binding)
        keys = [
            "+".join(format_key(part) for part in key.split("+")) for key in each.key.split(",")
        ]
        yield ", ".join(dict.fromkeys(keys)), each


def key_rows() -> Iterator[str]:
    """Yield a table with a row for each place."""
    yield from ("| where | keys |", "| --- | --- |")
    for title, owner in PLACES:
        texts = [
            f"`{keys}` {binding.tooltip or binding.description}"
            for keys, binding in bindings(owner.BINDINGS)
        ]
        yield f"| {title} | {' · '.join(texts)} |".replace("`|", "`\\|")
    yield ""


KEY_TABLE = Generated("keys of screens", "attn_tui.commands.key_table docs/keys.md", key_rows)

if __name__ == "__main__":
    KEY_TABLE.write()
