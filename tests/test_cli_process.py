"""The program as a process: its status, what it imports, and outputs that close or are full."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from attn_tui.commands.names import places
from tests.test_cli import FILES, PROGRAM, call, run

needs_full_disk = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="needs a device that is always full"
)


def test_help_and_version_import_neither_numpy_nor_textual() -> None:
    asked = [["--version", "--json"], ["--help"], *([name, "--help"] for name in places())]
    code = (
        "import sys\n"
        "from attn_tui.cli import main\n"
        f"for arguments in {asked}:\n"
        "    sys.argv[1:] = arguments\n"
        "    try:\n        main()\n"
        "    except SystemExit as end:\n        assert not end.code\n"
        "    found = {'numpy', 'textual', 'rich', 'plotext'} & set(sys.modules)\n"
        "    assert not found, (arguments, found)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("Usage: ") == 1 + len(places())


@pytest.mark.parametrize(
    "arguments",
    [["hello"], ["show", "1e999"], ["--colour"], ["show", f"@{FILES / 'invalid' / 'claims.npy'}"]],
)
def test_the_process_exits_with_2_and_one_line(arguments: list[str]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"\n") == 1
    assert done.stderr.startswith(b"attn-tui: ")


def test_a_reader_that_has_enough_is_no_error() -> None:
    command = [*PROGRAM, "show", "--csv", " ".join(map(str, range(20_000)))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


@pytest.mark.parametrize("command", ["--help", "show --help", "--version"])
def test_help_that_nobody_reads_is_no_error(command: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*PROGRAM, *command.split()], stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (KeyboardInterrupt, 130, ""),
        (MemoryError, 2, "attn-tui: not enough memory; expected less input\n"),
    ],
)
def test_an_interrupt_is_quiet_and_a_lack_of_memory_is_one_line(
    error: type[BaseException], status: int, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("attn_tui.console.asking.read_scores", fail)
    result = call("show", "1")
    assert (result.exit_code, result.stdout, result.stderr) == (status, "", line)


@needs_full_disk
@pytest.mark.parametrize("arguments", [("show",), ("--help",), ("show", "seen later")])
def test_a_full_disk_is_one_line_before_anything_else(arguments: tuple[str, ...]) -> None:
    command = [*PROGRAM, *arguments]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(b"attn-tui: standard output: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    "command",
    ["show 1,2", "dot --samples=9", "sweep --d-k=4 --draws=8", "sweep --crossover --n=2 --draws=8"],
)
def test_a_closed_standard_output_is_one_line(command: str) -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *PROGRAM, *command.split()],
        stderr=subprocess.PIPE,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith(b"attn-tui: standard output: it is closed; expected ")
    assert done.stderr.count(b"\n") == 1


@needs_full_disk
@pytest.mark.parametrize("nowhere", ["2>&-", "2>/dev/full"])
def test_an_error_that_nobody_can_be_told_is_a_status(nowhere: str) -> None:
    command = ["sh", "-c", f'exec "$@" {nowhere}', "sh", *PROGRAM, "show", "x"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    assert (done.returncode, done.stdout) == (2, b"")


def test_a_program_that_is_interrupted_while_it_starts_says_nothing() -> None:
    program = (
        "import sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name == 'click': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "from attn_tui.cli import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_ctrl_c_after_the_report_leaves_the_status_that_there_is() -> None:
    program = (
        "import atexit, signal\n"
        "atexit.register(lambda: signal.raise_signal(signal.SIGINT))\n"
        "from attn_tui.cli import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program, "show"], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_what_starts_the_program_imports_nothing_that_takes_time() -> None:
    program = (
        "import sys; before = set(sys.modules); import attn_tui.cli; "
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", program], capture_output=True, check=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
    )  # fmt: skip
    assert done.stdout.split() == [b"attn_tui", b"attn_tui.cli", b"gc"]


def test_the_first_screen_imports_only_what_it_shows() -> None:
    program = (
        "import sys, attn_tui.ui.running, attn_tui.explore.screen; print(*sorted(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    found = done.stdout.split()
    captures = [name for name in found if name.startswith("attn_tui.captures.")]
    assert captures == [f"attn_tui.captures.{name}" for name in ("disk", "suffixes")]
    others = (
        "attn_tui.doctor", "attn_tui.engine", "attn_tui.claims", "attn_tui.compute.fit",
        "attn_tui.compute.heads.head_model", "attn_tui.compute.sweep.answer", "attn_tui.tour",
        "attn_tui.dots", "attn_tui.files.codec",
        "attn_tui.ui.file_dialogs", "attn_tui.ui.palette", "attn_tui.charts.figure",
        "markdown_it", "plotext",
    )  # fmt: skip
    assert not [name for name in found if name.startswith(others)]


@pytest.mark.slow
def test_a_pipe_gets_utf_8_whatever_the_locale_says() -> None:
    for words, text in (
        (["show", "größe √: 1,2"], "größe √"),
        (["show", "größe √: 1,2", "--csv"], "größe √"),
        (["sweep", "--help"], "NAME,…"),
    ):
        done = run(*words, LC_ALL="C", PYTHONIOENCODING="ascii")
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout == run(*words).stdout
        assert text in done.stdout.decode("utf-8")
    assert "m = 1/√d_k" in run("show", PYTHONIOENCODING="latin-1").stdout.decode("utf-8")
    assert "'√' is not a number" in run("show", "√", PYTHONIOENCODING="ascii").stderr.decode(
        "utf-8"
    )
