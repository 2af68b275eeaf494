import subprocess
import sys


def test_compute_needs_no_terminal_and_no_command_line() -> None:
    code = (
        "import sys, attn_tui.compute.explore.answer;"
        "print({'textual', 'rich', 'plotext', 'click'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
