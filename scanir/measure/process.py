"""A process that measures, seen from its parent: started, listened to, ended in any case.

Promises: the child's errors are raised here as what they were, with the program's name; a child over its limit of time
is ended and told as such; no child is left behind, whatever happens here.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scanir import errors
from scanir.contexts.context import Context
from scanir.contexts.spawn import sendable, where_children_print
from scanir.errors import ScanirError, TraceError
from scanir.measure.child import REQUEST
from scanir.targets.imports import IMPORTED

#: Seconds in which a process must be ready to measure: on a busy machine Python and JAX take their time.
_START = 60
#: Ctrl-C reaches all processes of a terminal; the parent's answer to it is enough.
_BOOT = """
import json, os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
answers, directory = int(sys.argv.pop()), sys.argv.pop()
with open(os.path.join(directory, "request.json"), encoding="utf-8") as file:
    sys.path[:] = json.load(file)["path"]
from scanir.measure.child import main
sys.exit(main(directory, answers))
"""


class OverLimit(Exception):
    """A child took longer than it was given."""


def ask(
    mode: str, targets: list[tuple[str, Any]], context: Context, under: str, *, seconds: float = 0.0, rounds: int = 0,
    limit: float | None = None, progress: Callable[[float], None] = lambda done: None,
) -> Any:  # fmt: skip
    """Have a child measure; returns its answer. Raises ScanirError, and OverLimit after ``limit`` seconds."""
    request = {
        "path": sys.path,
        "mode": mode,
        "targets": [[text, sendable(given)] for text, given in targets],
        "imports": list(IMPORTED),
        "config": [list(pair) for pair in context.config],
        "compiler_options": [list(pair) for pair in context.compiler_options],
        "under": under,
        "seconds": seconds,
        "rounds": rounds,
    }
    with tempfile.TemporaryDirectory(prefix="scanir-") as directory:
        (Path(directory) / REQUEST).write_text(json.dumps(request), encoding="utf-8")
        reading, writing = os.pipe()
        try:
            process = subprocess.Popen(
                [sys.executable, "-c", _BOOT, directory, str(writing)],
                stdin=subprocess.DEVNULL, stdout=where_children_print(), stderr=where_children_print(),
                env={**os.environ, **dict(context.environment)}, pass_fds=(writing,),
            )  # fmt: skip
        finally:
            os.close(writing)
        try:
            with os.fdopen(reading, "rb", buffering=0) as pipe:
                return _listen(pipe, process, " and ".join(text for text, _ in targets), limit, progress)
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()


def _listen(
    pipe: Any, process: subprocess.Popen[bytes], names: str, limit: float | None, progress: Callable[[float], None]
) -> Any:
    end = None if limit is None else time.monotonic() + limit + _START
    rest = b""
    while True:
        left = None if end is None else end - time.monotonic()
        if left is not None and (left <= 0 or not select.select([pipe], [], [], left)[0]):
            raise OverLimit
        data = pipe.read(1 << 16)
        if not data:
            raise _ended(process.wait(), names)
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            said = json.loads(line)
            if "error" in said:
                raise _raised(said["error"], names)
            if "answer" in said:
                return said["answer"]
            progress(said["progress"])
            end = None if limit is None else time.monotonic() + limit


def _raised(told: dict[str, str], names: str) -> ScanirError:
    kind = getattr(errors, told["type"], ScanirError)
    place = f"{told['where']}, " if told["where"] else ""
    problem: ScanirError = kind(told["what"], where=f"{place}measuring {names}", hint=told["hint"])
    problem.add_note(f"in the child process:\n{told['traceback']}")
    return problem


def _ended(status: int, names: str) -> ScanirError:
    how = f"was ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
    return TraceError(
        f"the process that measures {names} {how}",
        hint="what it printed last, above, may say why; memory that ran out ends a process with SIGKILL",
    )
