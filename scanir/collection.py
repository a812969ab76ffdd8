"""Python's search for garbage in cycles, held back while programs are read and compared.

Modules and terms are many small objects that live to the end and form no cycles. The search starts again after each 700
new objects, walks all of them (and all that JAX keeps) over and over and finds nothing: it takes as long as half of the
comparison. Promises that the search runs as before once the last comparison of the process is done, in whichever thread
and however it ends, and that it still runs in between, every half a million objects, so that what a traced function
leaves behind in cycles is freed. Refuses to turn it on where a person has turned it off.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

#: New objects before the youngest are searched: some 50 MB of them.
OBJECTS = 500_000
_lock = Lock()
#: How many are in progress, and the thresholds that were in force before the first.
_running = 0
_before: tuple[int, int, int] = (0, 0, 0)


@contextmanager
def held_back() -> Iterator[None]:
    """Search rarely for garbage in cycles until the block (or the function, as a decorator) is left."""
    global _running, _before
    with _lock:
        if not _running:
            _before = gc.get_threshold()
            if 0 < _before[0] < OBJECTS:
                gc.set_threshold(OBJECTS, *_before[1:])
        _running += 1
    try:
        yield
    finally:
        with _lock:
            _running -= 1
            if not _running:
                gc.set_threshold(*_before)
