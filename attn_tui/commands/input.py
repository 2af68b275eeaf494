"""Whether something waits on standard input, found out without taking any of it."""

import os
import struct
from stat import S_ISFIFO, S_ISREG


def input_waits() -> bool:
    """Return whether standard input is a file or a pipe with something in it, as far as is known.

    What a pipe is still to bring is not waited for: it may never end.
    """
    try:
        found = os.fstat(0)
        if S_ISREG(found.st_mode):
            return os.lseek(0, 0, os.SEEK_CUR) < found.st_size
        return S_ISFIFO(found.st_mode) and _in_pipe() > 0
    except OSError:
        return False


def _in_pipe() -> int:
    """Return how many bytes a pipe on standard input holds; 0 where the system cannot say."""
    try:
        from fcntl import ioctl
        from termios import FIONREAD
    except ImportError:
        return 0
    (size,) = struct.unpack("i", ioctl(0, FIONREAD, bytes(struct.calcsize("i"))))
    return int(size)
