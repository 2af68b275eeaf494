"""What mkdocs does besides: the pages of instruments are the program's own help."""

import re
from pathlib import Path
from typing import Any

HELP = Path(__file__).parents[1] / "attn_tui" / "help"


def on_page_markdown(markdown: str, **more: Any) -> str:
    """Put help files in place of ``<!-- help: NAME -->``; the first gives the page its title."""

    def text(found: re.Match[str]) -> str:
        level = "#" if found.start() else ""
        return level + (HELP / f"{found[1]}.md").read_text("utf-8")

    return re.sub(r"^<!-- help: (\S+) -->$", text, markdown, flags=re.MULTILINE)
