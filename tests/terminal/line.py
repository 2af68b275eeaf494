"""A real SSH server for tests, on the loopback with a throw-away key; and a line that is slow."""

import getpass
import os
import shlex
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.contract.terminal import Terminal

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")

PIECE = 300
"""Bytes that a slow line passes on at once."""

BUFFER = 4096
"""Bytes that wait in a slow line at each end: what is under way when a key is pressed."""


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass(frozen=True)
class Server:
    """A server that lets us in.

    Attributes:
        port: Where it listens.
        key: The file of our key.
        environment: What programs find there.
    """

    port: int
    key: Path
    environment: Mapping[str, str]

    def login(self, command: str, port: int | None = None) -> list[str]:
        """Return the command line that logs in and runs a command on a terminal."""
        names = " ".join(f"{name}={shlex.quote(value)}" for name, value in self.environment.items())
        options = ("StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "LogLevel=ERROR",
                   "IdentitiesOnly=yes")  # fmt: skip
        return [
            "ssh", "-tt", "-F", "none", "-p", str(port or self.port), "-i", str(self.key),
            *(part for option in options for part in ("-o", option)),
            f"{getpass.getuser()}@127.0.0.1", f"env {names} {command}",
        ]  # fmt: skip

    def terminal(self, command: str, port: int | None = None) -> Terminal:
        """Return a terminal of 120 × 40 on which a command runs at the other end."""
        return Terminal(120, 40, program=self.login(command, port))


@contextmanager
def server(folder: Path) -> Iterator[Server]:
    """Start a server, with its files in a folder."""
    assert SSHD
    for name in ("host", "key"):
        line = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(line, check=True)
    shutil.copy(folder / "key.pub", folder / "authorized")
    port = free_port()
    with suppress(OSError):
        # Where the server of Debian keeps its processes apart.
        os.makedirs("/run/sshd", exist_ok=True)
    options = {
        "ListenAddress": "127.0.0.1", "Port": str(port), "HostKey": str(folder / "host"),
        "AuthorizedKeysFile": str(folder / "authorized"), "PidFile": "none", "UsePAM": "no",
        "StrictModes": "no", "PasswordAuthentication": "no",
    }  # fmt: skip
    arguments = [part for name, value in options.items() for part in ("-o", f"{name}={value}")]
    process = subprocess.Popen(
        [SSHD, "-D", "-e", "-f", "/dev/null", *arguments], stderr=subprocess.PIPE
    )
    assert process.stderr
    environment = {
        "PYTHONPATH": str(Path.cwd()), "XDG_STATE_HOME": str(folder), "LANG": "C.UTF-8",
        "COLORTERM": "truecolor",
    }  # fmt: skip
    try:
        told = b""
        while b"Server listening" not in told:
            heard = process.stderr.readline()
            assert heard, told
            told += heard
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield Server(port, folder / "key", environment)
    finally:
        process.terminate()
        process.wait()
        process.stderr.close()


@contextmanager
def slow(port: int, rate: int) -> Iterator[int]:
    """Lead another port to one that passes on so many bytes a second, each way."""
    with socket.socket() as door:
        # Little waits in a line that is slow.
        door.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        door.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)
        door.bind(("127.0.0.1", 0))
        door.listen()

        def lead() -> None:
            with suppress(OSError):
                near, _ = door.accept()
                far = socket.socket()
                far.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
                far.connect(("127.0.0.1", port))
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=copy, args=pair, daemon=True).start()

        def copy(source: socket.socket, target: socket.socket) -> None:
            with suppress(OSError), source:
                while data := source.recv(PIECE):
                    target.sendall(data)
                    # The line is what is slow here: nothing waits for this.
                    time.sleep(len(data) / rate)
                target.shutdown(socket.SHUT_WR)

        threading.Thread(target=lead, daemon=True).start()
        yield int(door.getsockname()[1])


PROGRAM = f"{shlex.quote(sys.executable)} -m attn_tui"
"""The program at the other end."""
