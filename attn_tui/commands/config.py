"""``attn-tui config``: a file of preferences to fill in, and where it lies."""

from collections.abc import Iterator

import click

from attn_tui.console.options import REPORT, Command, switch
from attn_tui.console.output import tell, write

_EXAMPLES = """\
  attn-tui config --where
  attn-tui config > ~/.config/attn-tui/config.toml
"""

_HEAD = """\
# How you want attn-tui on the screen. What is asked never depends on this file: commands, copied
# lines and saved sessions mean the same everywhere. --theme, TEXTUAL_THEME and --ascii go first.
# Take the # away in front of what you change.

# The theme: attn, attn-light, one of Textual's, or the name of a file in themes/ beside this
# one, with the fields of Textual's Theme: primary = "#b9a3ff", background = "#0e1016", dark = true.
# Without it, the one that you chose last.
# theme = "attn"

# Whether pictures keep to ASCII.
# ascii = false

# d_k at a start without a question.
# d_k = 1024

# Whether the first start offers the tour, and each start the last session.
# offer_tour = true
# offer_session = true

# Keys, with commas between several: "u", "ctrl+z", "f2", "question_mark".
[keys]
"""


TITLES = {
    "choose": "Open it", "submit": "Set what is typed", "into_list": "Into the list",
    "out_of_list": "Out of the list", "refuse_scale": "Where no rule can be chosen",
}  # fmt: skip
"""What keys do that several places have, beside those that move a cursor."""


@click.command("config", cls=Command, examples=_EXAMPLES)
@switch("--where", "Print the place of your file instead.", REPORT)
def config(where: bool) -> None:
    """Print a file of preferences with all that can be set: theme, keys, d_k at the start.

    It lies in the configuration directory, which --where names. If yours has something that cannot
    be used, standard error names it.
    """
    from attn_tui.ui.preferences_file import FILE, folder, preferences

    write([f"{folder() / FILE}\n"] if where else template())
    for problem in preferences().problems:
        tell(problem)


def template() -> Iterator[str]:
    """Yield the text of a file in which everything is commented out."""
    from attn_tui.ui.action import MOVES
    from attn_tui.ui.keymap import bindings_of, keys_by_id
    from attn_tui.ui.preferences_file import key_places

    yield _HEAD
    places = [place for together in key_places() for place in together]
    keys = keys_by_id(places)
    titles = TITLES | {f"move_{way}": title for way, (_, title) in MOVES.items()}
    for place in places:
        for binding in bindings_of(place):
            titles.setdefault(binding.id or "", binding.tooltip or binding.description)
    width = max(len(f'# {name} = "{",".join(found)}"') for name, found in keys.items())
    for name, found in keys.items():
        line = f'# {name} = "{",".join(found)}"'
        yield f"{line.ljust(width)}  # {titles[name]}\n"
