"""The parent's hold on the process that runs programs (`scanir.evidence.runner`).

Promises that every request ends: with results, with an error, with the death of the process and what is known of it, or
with its time limit. Whatever happens here (Ctrl-C too), no process is left behind.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

#: Seconds in which a process must be there, or code be generated: how long programs run is another matter.
_START = 120.0
_UNSUPPORTED = re.compile(r"(?:Unsupported op: (?:%[^=\n]*= )?|Operation )((?:[a-z_]+\.)+\w+)(?: (@[\w.$-]+))?")


class Stopped(Exception):
    """A request that did not end with results. ``what`` says why; ``fatal``: no input will fare better; ``alive``: the
    process goes on."""

    def __init__(self, what: str, *, fatal: bool = False, alive: bool = False) -> None:
        super().__init__(what)
        self.what = what
        self.fatal = fatal
        self.alive = alive


class TimedOut(Stopped):
    """A request that took longer than its limit."""


class Runner:
    """Both programs in a process, which is started when it is needed and again after each death.

    A process that is well when the work is done waits for the next pair of programs, until this one ends.
    """

    def __init__(self, sources: dict[str, bytes]) -> None:
        self._sources = sources
        self._process: _Process | None = None

    def __enter__(self) -> Runner:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            if kind is None and not _idle:
                _idle.append(self._process)
            else:
                self._process.close()

    def start(self) -> None:
        """Have the process ready with both programs. Raises Stopped."""
        self._ask("ready", "a", None, _START)

    def compile(self, side: str) -> None:
        """Have the generated code of one side ready. Raises Stopped."""
        self._ask("compile", side, None, _START)

    def interpret(self, side: str, values: list[Any], seconds: float) -> list[Any]:
        """The results of one side in the reference interpreter. Raises Stopped."""
        return self._ask("interpret", side, values, seconds)

    def compiled(self, side: str, values: list[Any], seconds: float) -> list[Any]:
        """The results of one side in generated code. Raises Stopped."""
        return self._ask("compiled", side, values, seconds)

    def _ask(self, verb: str, side: str, values: list[Any] | None, seconds: float) -> list[Any]:
        try:
            if self._process is None:
                self._process = _idle.pop() if _idle else _Process()
                for name, source in self._sources.items():
                    self._process.ask("load", name, source, time.monotonic() + _START)
            results: list[Any] = self._process.ask(verb, side, values, time.monotonic() + seconds)
        except BaseException as problem:
            if self._process is not None and not (isinstance(problem, Stopped) and problem.alive):
                self._process.close()
                self._process = None
            raise
        return results


class _Process:
    """One process."""

    def __init__(self) -> None:
        paths = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "JAX_PLATFORMS": "cpu"}
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._popen = subprocess.Popen(
            [sys.executable, "-P", "-m", "scanir.evidence.runner"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=environment,
            start_new_session=True,  # Ctrl-C is the parent's to handle
        )

    def close(self) -> None:
        """End the process."""
        self._popen.kill()
        self._popen.wait()
        for stream in (self._popen.stdin, self._popen.stdout):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):  # what it had not read yet
                    stream.close()
        self._errors.close()

    def ask(self, verb: str, side: str, payload: Any, deadline: float) -> Any:
        """The answer to a request. Raises Stopped."""
        requests, answers = self._popen.stdin, self._popen.stdout
        assert requests is not None
        assert answers is not None
        try:
            pickle.dump((verb, side, payload, max(1.0, deadline - time.monotonic())), requests)
            requests.flush()
        except BrokenPipeError:
            raise self._died() from None
        size = int.from_bytes(self._read(answers.fileno(), 8, deadline), "little")
        kind, found = pickle.loads(self._read(answers.fileno(), size, deadline))
        if kind == "error":
            raise Stopped(found.splitlines()[0][:200], fatal=True, alive=True)
        return found

    def _read(self, source: int, size: int, deadline: float) -> bytes:
        chunks = []
        while size:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([source], [], [], left)[0]:
                raise TimedOut("the time limit")
            chunk = os.read(source, min(size, 1 << 20))
            if not chunk:
                raise self._died()
            chunks.append(chunk)
            size -= len(chunk)
        return b"".join(chunks)

    def _died(self) -> Stopped:
        """Why the process ended, as far as it said so."""
        try:
            code = self._popen.wait(5)
        except subprocess.TimeoutExpired:
            code = 0
        self._errors.seek(0)
        said = self._errors.read().decode("utf-8", "replace")
        if found := _UNSUPPORTED.search(said):
            return Stopped(f"it has no {' '.join(filter(None, found.groups()))}", fatal=True)
        if -code == signal.SIGFPE:
            return Stopped("integer division by zero")
        lines = [line for line in said.splitlines() if line.strip()]
        errors = [line for line in lines if "ERROR" in line or "Error" in line or "what()" in line]
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        last = (errors or lines or [""])[-1].strip()
        return Stopped(f"it ended with {how}{': ' if last else ''}{last[:160]}")


#: A process that is well and has nothing to do.
_idle: list[_Process] = []


@atexit.register
def end_idle() -> None:
    """End the process that waits, if there is one."""
    while _idle:
        _idle.pop().close()
