"""Artifacts on disk: whole or not there, as text or compressed.

`keep` promises that a file holds what it held before or all of the new content, whatever ends the process: the content
goes to a file beside it, which then takes its name. `packed` gives equal bytes for equal text: the compressed form
holds no time and no name.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import zlib
from pathlib import Path

from scanir.errors import ReadError, TargetError

GZIP = b"\x1f\x8b"
#: Bytes that a compressed file may become.
LARGEST = 1 << 32
#: What a file that is being written is called, until it is whole.
UNFINISHED = ".unfinished"


def packed(text: str, path: Path) -> bytes:
    """The bytes of a text in the form that a file's name asks for: compressed for ``.gz``."""
    data = text.encode("ascii")
    return gzip.compress(data, 9, mtime=0) if path.suffix == ".gz" else data


def unpacked(data: bytes, source: str) -> bytes:
    """The bytes of a file, without compression. Raises ReadError."""
    if not data.startswith(GZIP):
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            found = file.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as problem:
        raise ReadError(
            f"{source} cannot be decompressed: {problem}", where=source, hint="the file is cut off or damaged"
        ) from None
    if len(found) > LARGEST:
        raise ReadError(f"{source} is larger than {LARGEST:,} bytes when decompressed", where=source)
    return found


def keep(path: Path, data: bytes) -> None:
    """Write a file at once. Raises TargetError."""
    try:
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file():  # a pipe or a device: there is nothing to keep whole
            target.write_bytes(data)
            return
        unfinished = target.with_name(f".{target.name}.{os.getpid()}{UNFINISHED}")
        try:
            with open(unfinished, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(unfinished, target)
        finally:
            with contextlib.suppress(OSError):
                unfinished.unlink()
    except OSError as problem:
        raise TargetError(f"{path} cannot be written: {problem.strerror}", where=str(path)) from problem
