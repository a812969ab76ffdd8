"""A side that is made in a process of its own, under settings that this process does not have.

Promises: the child's errors are raised here as what they were; a child that crashes, is killed or ends itself is told
as such; no child is left behind, whatever happens here. There is no limit of time: compiling takes as long as it takes.
"""

from __future__ import annotations

import base64
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
from typing import Any

from scanir import errors
from scanir.contexts.child import ANSWER, REQUEST
from scanir.contexts.context import Context
from scanir.contexts.transport import unpacked
from scanir.errors import ArgumentError, ScanirError, TraceError
from scanir.program import Program
from scanir.targets.arguments import Arguments
from scanir.targets.imports import IMPORTED
from scanir.targets.target import Target
from scanir.targets.under import Transform

#: The first thing a child does; what it may import is what its parent may.
_BOOT = """
import json, os, sys
directory = sys.argv.pop()
with open(os.path.join(directory, "request.json"), encoding="utf-8") as file:
    sys.path[:] = json.load(file)["path"]
from scanir.contexts.child import main
sys.exit(main(directory))
"""


class Child:
    """One child process and what it answers. Started once, read once, ended in any case."""

    def __init__(self, target: str, context: Context, watched: tuple[str, ...]) -> None:
        self._target, self.context, self._watched = target, context, watched
        self._process: subprocess.Popen[bytes] | None = None
        self._directory: tempfile.TemporaryDirectory[str] | None = None
        self._under: list[str] = []
        self._rows: list[dict[str, Program]] | None = None

    def start(self, stages: tuple[str, ...], arguments: Arguments | str | None, under: tuple[Transform, ...]) -> None:
        self._under = [str(transform) for transform in under] or [""]
        request = {
            "path": sys.path,
            "target": self._target,
            "imports": list(IMPORTED),
            "config": [list(pair) for pair in self.context.config],
            "compiler_options": [list(pair) for pair in self.context.compiler_options],
            "watched": list(self._watched),
            "stages": list(stages),
            "under": self._under,
            "arguments": sendable(arguments),
        }
        self._directory = tempfile.TemporaryDirectory(prefix="scanir-")
        with open(os.path.join(self._directory.name, REQUEST), "w", encoding="utf-8") as file:
            json.dump(request, file)
        self._process = subprocess.Popen(
            [sys.executable, "-c", _BOOT, self._directory.name],
            stdin=subprocess.DEVNULL,
            stdout=where_children_print(),
            stderr=where_children_print(),
            env={**os.environ, **dict(self.context.environment)},
        )

    def row(self, under: str) -> dict[str, Program]:
        """The programs by stage under a transform; waits for the child. Raises what the child raised."""
        if self._rows is None:
            assert self._process is not None
            assert self._directory is not None
            status = self._process.wait()
            answer = os.path.join(self._directory.name, ANSWER)
            if not os.path.exists(answer):
                raise self._ended(status)
            with open(answer, encoding="utf-8") as file:
                data = json.load(file)
            if "error" in data:
                raise self._raised(data["error"])
            self._rows = [{p.stage: p for p in map(unpacked, row)} for row in data["rows"]]
        return self._rows[self._under.index(under)]

    def _ended(self, status: int) -> ScanirError:
        if status == 130 or status == -signal.SIGINT:
            raise KeyboardInterrupt
        if status < 0:
            how = f"was ended by {signal.Signals(-status).name}"
        else:
            how = f"ended with status {status}" if status else "ended without an answer (os._exit?)"
        return TraceError(
            f"the process that traces {self._target} {how}",
            where=f"with {self.context}",
            hint="what it printed last, above, may say why; memory that ran out ends a process with SIGKILL",
        )

    def _raised(self, told: dict[str, str]) -> ScanirError:
        kind = getattr(errors, told["type"], ScanirError)
        where = f"{told['where']}, with {self.context}" if told["where"] else f"with {self.context}"
        problem: ScanirError = kind(told["what"], where=where, hint=told["hint"])
        problem.add_note(f"in the child process:\n{told['traceback']}")
        return problem

    def close(self) -> None:
        """End the child, if it still runs, and take away its files."""
        if self._process is not None:
            if self._process.poll() is None:
                self._process.kill()
            self._process.wait()
            self._process = None
        if self._directory is not None:
            self._directory.cleanup()
            self._directory = None


class Remote(Target):
    """A target of a child process. Known here by its text alone: nothing of it is imported in this process."""

    __slots__ = ("_row", "child")

    def __init__(self, text: str, child: Child, row: str = "") -> None:
        self.function = None
        self.kind = "function"
        self.label = text
        self.child = child
        self._row = row
        self._arguments, self._directory, self._options = None, "", {}

    @property
    def stage(self) -> str | None:
        return None

    def has_stage(self, stage: str) -> bool:
        return True

    def under(self, transform: Transform) -> Target:
        return Remote(self.label, self.child, str(transform))

    def trace(
        self, stages: tuple[str, ...], override: Arguments | str | None = None,
        compiler_options: tuple[tuple[str, Any], ...] = (),
    ) -> dict[str, Program]:  # fmt: skip
        return self.child.row(self._row)


def sendable(arguments: Arguments | str | None) -> Any:
    """Example arguments as a child reads them: text, or what pickle makes of arrays and shapes."""
    if arguments is None or isinstance(arguments, str):
        return arguments
    try:
        return {"pickle": base64.b64encode(pickle.dumps(arguments)).decode("ascii")}
    except Exception as problem:
        raise ArgumentError(
            f"the example arguments cannot be sent to another process: {type(problem).__name__}: {problem}",
            hint="give them as text, such as 'f32[3], f32[]'",
        ) from problem


def where_children_print() -> int:
    """Where the child prints: this process's stderr, if it has one."""
    try:
        os.fstat(2)
    except OSError:
        return subprocess.DEVNULL
    return 2
