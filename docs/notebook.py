"""Execute the notebook of docs/ and take its pictures: ``python -m docs.notebook``.

Needs nbclient, nbformat, ipykernel, Pillow and Debian's chromium-headless-shell. It writes
notebook.ipynb with its outputs, and the pictures that docs/library.md shows, on a light and on a
dark page.
"""

import subprocess
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

DOCS = Path(__file__).parent
NOTEBOOK = DOCS / "notebook.ipynb"
BROWSER = "chromium-headless-shell"
WIDTH, HEIGHT = 1100, 2400
"""The size of the page, in pixels; what is left free below is cut off."""

PAGES: Mapping[str, tuple[str, str, str]] = {
    "light": ("#ffffff", "#1f1f1f", "#f2f2f2"),
    "dark": ("#111111", "#e2e2e2", "#212121"),
}
"""The colours of a page, of its text, and behind its code, as JupyterLab has them."""

CELLS = (
    """\
import numpy as np
import attn_tui

q, k, v = np.random.default_rng(1).standard_normal((3, 8, 96, 64), np.float32)
m = np.array([1 / 8] * 7 + [1 / 64])[:, None, None]      # the last head divides by d_k
z = np.where(np.tri(96, dtype=bool), m * (q @ k.swapaxes(1, 2)), -np.inf)
p = np.exp(z - z.max(2, keepdims=True))
out = (p / p.sum(2, keepdims=True) @ v).astype(np.float32)
attn_tui.diagnose(q, k, v, out, causal=True, scale="inverse-sqrt")""",
    """\
def my_attention(q, k, v):
    z = q @ k.swapaxes(2, 3) / 8
    z = np.where(np.tri(*z.shape[2:], dtype=bool), z, -np.inf).astype(np.float32)
    p = np.exp(z - z.max(3, keepdims=True))
    return p / p.sum(3, keepdims=True) @ v

attn_tui.probe(my_attention, heads=2, causal=True, quick=True)""",
)
"""The code of each cell."""


def executed() -> Any:
    """Return the notebook with its outputs."""
    import nbformat
    from nbclient import NotebookClient

    cells = [
        nbformat.v4.new_code_cell(code, id=f"cell-{place}") for place, code in enumerate(CELLS)
    ]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    for cell in notebook.cells:
        # When it was executed is another each time.
        cell.metadata = {}
    notebook.metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    return notebook


def page(notebook: Any, theme: str) -> Iterator[str]:
    """Yield the notebook as HTML."""
    paper, ink, code = PAGES[theme]
    yield '<!doctype html><meta charset="utf-8"><style>'
    yield f"body{{background:{paper};color:{ink};font:13px/1.4 sans-serif;margin:16px}}"
    yield f"pre.code{{background:{code};padding:8px;font:12px/1.4 'DejaVu Sans Mono',monospace}}"
    yield "</style>"
    for cell in notebook.cells:
        yield f'<pre class="code">{escape(cell.source)}</pre>'
        for output in cell.outputs:
            data = output.get("data", {})
            yield data.get("text/html") or f"<pre>{escape(output.get('text', ''))}</pre>"


def take(html: str, picture: Path) -> None:
    """Write a picture of a page, without the free room below it."""
    from PIL import Image, ImageChops

    with TemporaryDirectory() as folder:
        source, raw = Path(folder, "page.html"), Path(folder, "page.png")
        source.write_text(html, "utf-8")
        subprocess.run(
            [BROWSER, "--no-sandbox", "--hide-scrollbars", f"--window-size={WIDTH},{HEIGHT}",
             f"--screenshot={raw}", source.as_uri()],
            check=True, capture_output=True,
        )  # fmt: skip
        image = Image.open(raw).convert("RGB")
    blank = Image.new("RGB", image.size, image.getpixel((0, 0)))
    bottom = ImageChops.difference(image, blank).getbbox()[3]
    image.crop((0, 0, image.width, bottom + 16)).save(picture, optimize=True)


if __name__ == "__main__":
    import nbformat

    made = executed()
    nbformat.write(made, NOTEBOOK)
    for theme in PAGES:
        take("".join(page(made, theme)), DOCS / "pictures" / f"notebook-{theme}.png")
