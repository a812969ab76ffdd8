"""The format ``.scanir``: a program at all its stages as one text that stands for itself. See docs/scanir-format.md.

`print_trace` writes it, `read_trace` reads it, `keep` puts it on disk. Imports neither jax nor click.
"""

from __future__ import annotations

from scanir.artifact.file import UNFINISHED, keep, packed, unpacked
from scanir.artifact.modules import CONSTANTS, Modules
from scanir.artifact.printer import print_trace
from scanir.artifact.reader import SavedTrace, is_trace, read_trace
from scanir.artifact.trace import Trace, portable

__all__ = [
    "CONSTANTS",
    "UNFINISHED",
    "Modules",
    "SavedTrace",
    "Trace",
    "is_trace",
    "keep",
    "packed",
    "portable",
    "print_trace",
    "read_trace",
    "unpacked",
]
