"""Artifacts on disk: whole or not there, as text or compressed.

`keep` promises that a file holds what it held before or all of the new content, whatever ends the process: the content
goes to a file beside it, which then takes its name. `packed` gives equal bytes for equal text: the compressed form
holds no time and no name.
"""

from __future__ import annotations

import contextlib
import gzip
import importlib
import io
import os
from pathlib import Path
from typing import Any

from scanir.errors import ReadError, TargetError

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
#: Bytes that a compressed file may become.
LARGEST = 1 << 32
#: What a file that is being written is called, until it is whole.
UNFINISHED = ".unfinished"


def packed(text: str, path: Path) -> bytes:
    """The bytes of a text in the form that a file's name asks for: compressed for ``.gz``."""
    data = text.encode("ascii")
    return gzip.compress(data, 9, mtime=0) if path.suffix == ".gz" else data


def unpacked(data: bytes, source: str) -> bytes:
    """The bytes of a file, without compression by gzip or zstd. Raises ReadError."""
    try:
        if data.startswith(ZSTD):
            found = _zstd(data, source)
        elif data.startswith(GZIP):
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
                found = file.read(LARGEST + 1)
        else:
            return data
    except ReadError:
        raise
    except Exception as problem:  # noqa: BLE001 - what a decompressor raises is its own
        raise ReadError(
            f"{source} cannot be decompressed: {problem}", where=source, hint="the file is cut off or damaged"
        ) from None
    if len(found) > LARGEST:
        raise ReadError(f"{source} is larger than {LARGEST:,} bytes when decompressed", where=source)
    return found


def _zstd(data: bytes, source: str) -> bytes:
    """All frames of a file, by Python's own decompressor from 3.14 on, else by that of a package. A frame that is cut
    off is an error, which readers of streams do not see. Raises ReadError where there is no decompressor."""
    found = bytearray()
    while data and len(found) <= LARGEST:
        frame = _decompressor(source)
        found += frame.decompress(data)
        if not frame.eof:
            raise ValueError("a frame that does not end")
        data = frame.unused_data
    return bytes(found)


def _decompressor(source: str) -> Any:
    with contextlib.suppress(ImportError):
        return importlib.import_module("compression.zstd").ZstdDecompressor()
    with contextlib.suppress(ImportError):
        return importlib.import_module("zstandard").ZstdDecompressor().decompressobj()
    raise ReadError(f"{source} is compressed by zstd", where=source, hint="pip install 'scanir[zstd]' reads it")


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
