"""Compiles of a script, in a process of its own: ``scanir recompile -- python train.py``.

The script runs as it does without scanir: its arguments, directory, ``__main__``, streams and exit status are its own.
A ``sitecustomize`` on PYTHONPATH records for the first Python that the command starts, and runs the person's own one.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scanir.compiles import Log
from scanir.compiles.call import Compile, from_data
from scanir.errors import ArgumentError

_PATH, _LOG, _OLD = "SCANIR_RECORDS_FROM", "SCANIR_RECORDS_TO", "SCANIR_PYTHONPATH"
_SITE = f"""
import os, sys
own = sys.modules.pop("sitecustomize", None)
directory = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [entry for entry in sys.path if entry != directory]
root, log, old = (os.environ.pop(name, "") for name in ("{_PATH}", "{_LOG}", "{_OLD}"))
os.environ.pop("PYTHONPATH", None)
if old:
    os.environ["PYTHONPATH"] = old
try:
    import sitecustomize
except ImportError:
    pass
sys.modules.setdefault("sitecustomize", own)
before = list(sys.path)
sys.path.append(root)
try:
    from scanir.recording.child import begin
    begin(log)
except Exception as problem:
    with open(log, "a", encoding="utf-8") as file:
        import json
        file.write(json.dumps({{"error": f"{{type(problem).__name__}}: {{problem}}"}}) + "\\n")
finally:
    sys.path[:] = before
"""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a script compiled, and how it ended: ``status`` is its exit status, 128 + n for signal n. ``notes`` say what
    a person has to know besides."""

    log: Log
    status: int
    notes: tuple[str, ...]


def run(command: Sequence[str]) -> Recorded:
    """Run a command, and record the first Python that it starts. Raises ArgumentError for what cannot be run.

    ``python`` and ``python3`` without a directory are the Python that scanir itself runs under, and so is what runs a
    command that begins with a script (``train.py``).
    """
    words = list(command)
    if not words:
        raise ArgumentError("no command to run", hint="scanir recompile -- python train.py")
    if words[0] in ("python", "python3"):
        words[0] = sys.executable
    elif words[0].endswith(".py") and os.path.exists(words[0]):
        words.insert(0, sys.executable)
    with tempfile.TemporaryDirectory(prefix="scanir-") as directory:
        log = os.path.join(directory, "log")
        Path(directory, "sitecustomize.py").write_text(_SITE, encoding="utf-8")
        status = _run(words, _environment(directory, log))
        text = Path(log).read_text(encoding="utf-8") if os.path.exists(log) else ""
    compiles, problems, begun = _read(text)
    return Recorded(Log(tuple(compiles)), status, tuple(_notes(status, problems, begun=begun)))


def _environment(directory: str, log: str) -> dict[str, str]:
    old = os.environ.get("PYTHONPATH", "")
    more = {
        "PYTHONPATH": directory + (os.pathsep + old if old else ""),
        _PATH: str(Path(__file__).resolve().parents[2]),
        _LOG: log,
        _OLD: old,
    }
    return {**os.environ, **more}


def _run(words: list[str], environment: dict[str, str]) -> int:
    """The exit status of the command. Ctrl-C is for the script, which has the terminal too."""
    started: list[subprocess.Popen[bytes]] = []
    with _signals(started):
        try:
            started.append(subprocess.Popen(words, env=environment))
        except OSError as problem:
            raise ArgumentError(
                f"{words[0]} cannot be run: {problem.strerror}", hint="scanir recompile -- python train.py"
            ) from problem
        status = started[0].wait()
    return status if status >= 0 else 128 - status


@contextlib.contextmanager
def _signals(started: Sequence[subprocess.Popen[bytes]]) -> Iterator[None]:
    """While the script runs: Ctrl-C reaches it from the terminal, and what ends this process ends it."""
    old: dict[int, Any] = {}

    def end(*_: object) -> None:
        for process in started:
            process.terminate()

    with contextlib.suppress(ValueError):  # not the main thread
        old[signal.SIGINT] = signal.signal(signal.SIGINT, lambda *_: None)
        old[signal.SIGTERM] = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)


def _read(text: str) -> tuple[list[Compile], list[str], bool]:
    """(compiles, what went wrong, whether a Python began) of the lines of a file, whose last may be cut off."""
    compiles, problems, begun = [], [], False
    settings: dict[str, Any] = {}
    for line in text.splitlines():
        try:
            data = json.loads(line)
        except ValueError:
            continue  # the process ended while it wrote
        begun = begun or "begun" in data
        if "error" in data:
            problems.append(data["error"])
        elif "context" in data:
            settings[data["context"]] = data["settings"]
        elif "compile" in data:
            call = data["compile"]["call"]
            call["settings"] = settings.get(call["context"], ())
            compiles.append(from_data(data["compile"]))
    return compiles, problems, begun


def _notes(status: int, problems: Sequence[str], *, begun: bool) -> Iterator[str]:
    yield from (f"not recorded: {problem}" for problem in problems)
    if not begun and not problems:
        yield "nothing was recorded: the command started no Python that reads PYTHONPATH (python -I and -E do not)"
    if status > 128:
        with contextlib.suppress(ValueError):
            yield f"the script was ended by {signal.Signals(status - 128).name}"
            return
    if status:
        yield f"the script ended with status {status}"
