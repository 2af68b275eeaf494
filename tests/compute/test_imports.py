import subprocess
import sys


def test_compute_needs_no_terminal_and_no_command_line() -> None:
    code = (
        "import sys, attn_tui.compute.explore.answer;"
        "print({'textual', 'rich', 'plotext', 'click'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_what_is_typed_needs_neither_random_numbers_nor_other_formats() -> None:
    code = (
        "import sys\n"
        "from attn_tui.compute.explore.answer import answer\n"
        "from attn_tui.files.draft import EXAMPLE, parse\n"
        "next(answer(parse(EXAMPLE)))\n"
        "import attn_tui.ui.app, attn_tui.explore.screen\n"
        "print({'numpy.random', 'ml_dtypes'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "set()\n"
