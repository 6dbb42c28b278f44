"""Unpack what others packed, never past a limit that is known before.

A few bytes can hold a thousand times as many, so that a packed file's size tells nothing.
"""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path
from typing import BinaryIO
from zipfile import BadZipFile, ZipFile

from sociolab.core.errors import ConfigError

MOST_UNPACKED = 256 * 1024 * 1024
"""Bytes that a packed file, all files of an archive, or a packed value of a store may hold."""
_GZIP = b"\x1f\x8b"


class _Limited(io.RawIOBase):
    """What a gzipped file holds; ConfigError where it is more than the limit."""

    def __init__(self, packed: BinaryIO, path: Path, most: int) -> None:
        self._packed, self._path, self._most, self._left = packed, path, most, most
        self._stream = gzip.GzipFile(fileobj=packed)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        count = self._stream.readinto(buffer)
        self._left -= count
        if self._left < 0:
            raise _too_large(self._path, self._most)
        return count

    def close(self) -> None:
        self._packed.close()
        super().close()


def _too_large(path: Path, most: int) -> ConfigError:
    return ConfigError(
        f"{path}: expected at most {most >> 20:,} MiB when unpacked, found more; check where it "
        "comes from, then unpack it yourself or split it"
    )


def open_unpacked(path: Path, most: int = MOST_UNPACKED) -> io.BufferedReader:
    """The content of a file that may be gzipped; then reading more than `most` bytes raises a
    ConfigError.

    OSError, EOFError or zlib.error where it cannot be read or unpacked.
    """
    file = path.open("rb")
    if path.suffix != ".gz" and not file.peek(len(_GZIP)).startswith(_GZIP):
        return file
    return io.BufferedReader(_Limited(file, path, most))


def open_zip(path: Path, most: int = MOST_UNPACKED) -> ZipFile:
    """A zip archive whose files hold at most `most` bytes together; ConfigError if they hold more,
    or it is none.

    The sizes are those the archive declares: `ZipFile` reads no file past its own.
    """
    try:
        archive = ZipFile(path)
    except (BadZipFile, OSError) as error:
        raise ConfigError(f"{path} cannot be read as a zip archive ({error})") from error
    if sum(info.file_size for info in archive.infolist()) > most:
        archive.close()
        raise _too_large(path, most)
    return archive


def inflate(data: bytes, most: int = MOST_UNPACKED) -> bytes:
    """What `zlib.compress` packed; zlib.error if it is damaged, or more than `most` bytes.

    >>> import zlib
    >>> inflate(zlib.compress(b"a" * 100))[:3]
    b'aaa'
    """
    unpacker = zlib.decompressobj()
    plain = unpacker.decompress(data, most)
    if not unpacker.eof:
        more = bool(unpacker.unconsumed_tail)
        raise zlib.error(f"it holds more than {most >> 20} MiB" if more else "it is incomplete")
    return plain
