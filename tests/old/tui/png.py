"""Reads what colour the pixels of a PNG file have: of the one kind that is written here."""

import struct
import zlib

import numpy as np

Pixel = tuple[int, int, int]


def pixels(data: bytes) -> list[list[Pixel]]:
    """Return the pixels of an RGBA image, line by line."""
    place, packed, width, height = 8, b"", 0, 0
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place : place + 8])
        chunk = data[place + 8 : place + 8 + length]
        if kind == b"IHDR":
            width, height, *form = struct.unpack(">IIBBBBB", chunk)
            assert form == [8, 6, 0, 0, 0]
        packed += chunk if kind == b"IDAT" else b""
        place += 12 + length
    raw, stride, above, lines = zlib.decompress(packed), 4 * width, bytes(4 * width), []
    for row in range(height):
        start = row * (stride + 1)
        above = _line(raw[start], raw[start + 1 : start + 1 + stride], above)
        lines.append([(above[x], above[x + 1], above[x + 2]) for x in range(0, stride, 4)])
    return lines


def _line(filter: int, data: bytes, above: bytes) -> bytes:
    packed = np.frombuffer(data, np.uint8)
    if filter == 1:
        return np.cumsum(packed.reshape(-1, 4), axis=0, dtype=np.uint8).tobytes()
    if filter == 2:
        return (packed + np.frombuffer(above, np.uint8)).tobytes()
    line = bytearray(data)
    for x, byte in enumerate(data if filter else b""):
        left, corner = (line[x - 4], above[x - 4]) if x >= 4 else (0, 0)
        up = above[x]
        guess = (left + up) // 2
        if filter == 4:
            far = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
            guess = (left, up, corner)[far.index(min(far))]
        line[x] = (byte + guess) & 255
    return bytes(line)
