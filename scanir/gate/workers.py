"""Processes side by side that make checks, and a person who may lose patience with them.

Promises: one outcome a check, whatever its process does; a process that crashes is an error of the check that it was
making, and of no other; none is left behind, also not their children, whatever ends this one in an orderly way.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

from scanir.errors import TraceError
from scanir.gate.child import kind
from scanir.gate.pair import error_of
from scanir.gate.plan import Check, Plan
from scanir.outcome import Outcome

#: The first thing a worker does; what it may import is what its parent may.
_BOOT = """
import json, sys
incoming, outgoing, sys.path[:] = int(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3])
from scanir.gate.child import main
sys.exit(main(incoming, outgoing))
"""
#: Bytes of what a crashed process printed last that its error shows.
TAIL = 2000
#: Seconds that a worker without work has to end by itself.
GRACE = 5.0

Tell = Callable[[int, Outcome | None], None]


@dataclass(slots=True)
class Worker:
    """One process: made for the first check that it gets, ended by `close`."""

    plan: Plan
    process: subprocess.Popen[bytes] | None = None
    _to: IO[bytes] | None = None
    _from: IO[bytes] | None = None
    _log: IO[bytes] = field(default_factory=tempfile.TemporaryFile)

    def make(self, check: Check) -> Outcome:
        """The outcome of a check."""
        try:
            if self.process is None:
                self._start()
            assert self._to is not None
            assert self._from is not None
            self._log.seek(0)  # the process writes at the same position
            self._log.truncate()
            pickle.dump(check, self._to)
            self._to.flush()
            outcome, unchanged = pickle.load(self._from)
        except (EOFError, OSError, pickle.UnpicklingError):
            return self._crashed(check)
        if not unchanged:
            self.close()
        assert isinstance(outcome, Outcome)
        return outcome

    def _start(self) -> None:
        request, answer = os.pipe(), os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, "-c", _BOOT, str(request[0]), str(answer[1]), json.dumps(sys.path)],
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log, pass_fds=(request[0], answer[1]),
            start_new_session=True,  # a terminal's Ctrl-C is for this process, which ends the others
        )  # fmt: skip
        os.close(request[0])
        os.close(answer[1])
        self._to, self._from = os.fdopen(request[1], "wb"), os.fdopen(answer[0], "rb")
        pickle.dump({"directory": str(self.plan.directory), "imports": self.plan.imports}, self._to)

    def _crashed(self, check: Check) -> Outcome:
        status = None if self.process is None else _status(self.process)
        self.close()
        if status is None:
            how = "could not be started"
        elif status < 0:
            how = f"was ended by {signal.Signals(-status).name}"
        else:
            how = f"ended with status {status}" if status else "ended without an answer (os._exit?)"
        self._log.seek(max(0, self._log.seek(0, os.SEEK_END) - TAIL))
        said = self._log.read().decode("utf-8", "replace").strip()
        hint = f"what it printed last:\n{said}" if said else "memory that ran out ends a process with SIGKILL"
        problem = TraceError(f"the process that made this check {how}", hint=hint)
        return error_of(problem, check.name, kind(check), check.spot)

    def close(self) -> None:
        """End the process with all that it has started: by itself where it has nothing to do, else by force."""
        for pipe in (self._to, self._from):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self._to = self._from = None
        if self.process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(GRACE)
            self.kill()
            self.process.wait()
            self.process = None

    def finish(self) -> None:
        """Close for good."""
        self.close()
        self._log.close()

    def kill(self) -> None:
        """End the process group at once."""
        process = self.process
        if process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)


def _status(process: subprocess.Popen[bytes]) -> int:
    try:
        return process.wait(GRACE)
    except subprocess.TimeoutExpired:  # it closed its pipes and lives on
        return 0


def make_all(plan: Plan, checks: Sequence[Check], jobs: int, tell: Tell) -> tuple[Outcome, ...]:
    """The outcomes of checks, in their order. ``tell`` hears of each as it begins (None) and as it is done."""
    found: dict[int, Outcome] = {}
    events: queue.Queue[tuple[int, Outcome | None] | BaseException] = queue.Queue()
    waiting, lock = iter(enumerate(checks)), threading.Lock()
    workers = [Worker(plan) for _ in range(max(1, min(jobs, len(checks))))]
    stop = threading.Event()
    threads = [
        threading.Thread(target=_work, args=(worker, waiting, lock, events, stop), daemon=True) for worker in workers
    ]
    try:
        for thread in threads:
            thread.start()
        while len(found) < len(checks):
            event = events.get()
            if isinstance(event, BaseException):
                raise event
            number, outcome = event
            if outcome is not None:
                found[number] = outcome
            tell(number, outcome)
    finally:
        if len(found) < len(checks):
            stop.set()
        for worker, thread in zip(workers, threads, strict=True):
            while thread.is_alive():
                if stop.is_set():
                    worker.kill()
                thread.join(0.2)
    return tuple(found[k] for k in range(len(checks)))


def _work(
    worker: Worker, waiting: Iterator[tuple[int, Check]], lock: threading.Lock, events: queue.Queue[Any],
    stop: threading.Event,
) -> None:  # fmt: skip
    """Make checks until there are none left, or nobody wants them any more."""
    try:
        while not stop.is_set():
            with lock:
                number, check = next(waiting, (-1, None))
            if check is None:
                break
            events.put((number, None))
            outcome = worker.make(check)
            events.put((number, outcome))
    except BaseException as problem:  # noqa: BLE001 - the main thread raises it
        events.put(problem)
    finally:
        worker.finish()
