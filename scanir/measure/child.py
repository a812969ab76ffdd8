"""The child process that measures. Told all by a file; answers in lines of JSON, on a pipe of its own.

``probe`` takes one program through all steps once, and tells by how much the process grew; ``rounds`` measures several
in turns. Whatever the person's code prints goes to stderr. Ctrl-C is the parent's: it ends the child.
"""

from __future__ import annotations

import base64
import gc
import json
import os
import pickle
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scanir.errors import ScanirError, TraceError

REQUEST = "request.json"
_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def main(directory: str, answers: int) -> int:
    """Answer the request in a directory on a pipe; returns the exit status."""
    request = json.loads((Path(directory) / REQUEST).read_text(encoding="utf-8"))
    with os.fdopen(answers, "w", encoding="utf-8", buffering=1) as pipe:

        def tell(**what: Any) -> None:
            pipe.write(json.dumps(what) + "\n")

        try:
            tell(answer=_answer(request, lambda done: tell(progress=done)))
        except ScanirError as problem:
            tell(error=_told(problem))
        except SystemExit:
            tell(error=_told(TraceError("the program of a target ended the process (sys.exit)")))
        except BrokenPipeError:
            return 1
        except Exception as problem:  # noqa: BLE001 - whatever it is, the parent tells it
            first = str(problem).partition("\n")[0]
            tell(error=_told(ScanirError(f"{type(problem).__name__}: {first}"), problem))
    return 0


def _told(problem: ScanirError, cause: BaseException | None = None) -> dict[str, str]:
    return {
        "type": type(problem).__name__,
        "what": problem.what,
        "where": problem.where,
        "hint": problem.hint,
        "traceback": "".join(traceback.format_exception(cause or problem)),
    }


def _answer(request: dict[str, Any], progress: Callable[[float], None]) -> Any:
    import jax

    from scanir.contexts.inside import check_options
    from scanir.measure.inputs import Inputs
    from scanir.measure.program import Measured
    from scanir.measure.rounds import Budget, measure
    from scanir.targets.imports import import_named

    # Before anything of the person's is imported, and before JAX starts.
    for name, value in request["config"]:
        jax.config.update(name, value)
    jax.config.update("jax_enable_compilation_cache", False)
    for name in request["imports"]:
        import_named(name)
    check_options(tuple((name, value) for name, value in request["compiler_options"]))
    inputs = Inputs()
    programs = [
        Measured(text, _arguments(given), request["under"], dict(request["compiler_options"]), inputs)
        for text, given in request["targets"]
    ]
    progress(0.0)  # all is ready: from here on the time counts
    if request["mode"] == "probe":
        return _probe(programs[0])
    gc.collect()
    gc.freeze()  # what is here for good is not looked through again in each round
    return measure(programs, Budget(request["seconds"], request["rounds"]), progress)


def _arguments(given: Any) -> Any:
    return pickle.loads(base64.b64decode(given["pickle"])) if isinstance(given, dict) else given


def _probe(program: Any) -> dict[str, Any]:
    """Seconds of each step, done once, and bytes by which the process grew over compiling and over running."""
    import jax

    jax.jit(lambda x: x + 1).lower(0.0).compile()  # what a process takes only once is no program's own
    grown = _Growth()
    times = program.compile()
    compile_peak = grown.peak()
    device = jax.devices()[0]
    before, grown = _on_device(device), _Growth()
    times["first"] = program.first()
    times["run"] = min(program.block(1) for _ in range(3))
    return {
        "label": program.label,
        "platform": f"{device.platform} ({device.device_kind}), JAX {jax.__version__}",
        "times": times,
        "sizes": program.sizes(),
        "compile": compile_peak,
        "run": grown.peak(),
        "device": max(0, _on_device(device, "peak_bytes_in_use") - before),
    }


class _Growth:
    """By how much this process has grown at most since now; 0 where the system does not tell."""

    def __init__(self) -> None:
        try:
            _RESET.write_text("5")
        except OSError:
            self._start = None
        else:
            self._start = _status("VmRSS")

    def peak(self) -> int:
        return 0 if self._start is None else max(0, _status("VmHWM") - self._start)


def _status(name: str) -> int:
    for line in _STATUS.read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    return 0


def _on_device(device: Any, name: str = "bytes_in_use") -> int:
    """What a device says it holds; a CPU says nothing."""
    return int((device.memory_stats() or {}).get(name, 0))
