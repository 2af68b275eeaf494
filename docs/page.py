"""The README as a package's page, where no other file of the project is at hand."""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

BASE = "ATTN_TUI_PAGE"
"""The variable with the address below which the project's files are: ``https://HOST/…/blob/v1.0/``."""

PICTURE = re.compile(r"!\[([^\]]*)\]\((?!https?:)([^)]+)\)")
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:|#)([^)]+)\)")


class PageHook(MetadataHookInterface):
    """Fills in ``readme`` while a package is built."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the text of the page."""
        text = Path(self.root, "README.md").read_text("utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": page(text, os.environ.get(BASE, "")),
        }


def page(readme: str, base: str) -> str:
    """Return a README whose links and pictures lead below an address.

    Args:
        readme: The text, with links and pictures relative to the project's folder.
        base: The address, with or without a slash at its end; if it is empty, pictures are left
            out, and of links only their words stay.
    """
    if not base:
        return LINK.sub(r"\1", re.sub(rf"{PICTURE.pattern}\n+", "", readme))
    base = base.rstrip("/")
    pictured = PICTURE.sub(rf"![\1]({base}/\2?raw=true)", readme)
    return LINK.sub(rf"[\1]({base}/\2)", pictured)
