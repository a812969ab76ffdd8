"""The child process: make one side under its settings, and hand back its programs.

Told all by a file, and answers in a file beside it, written whole or not at all. Whatever the person's code prints goes
to stderr. A ScanirError is an answer too; any other end of the process is for the parent to tell.
"""

from __future__ import annotations

import base64
import json
import os
import pickle
import traceback
from typing import Any

from scanir.errors import ScanirError, TraceError

REQUEST, ANSWER = "request.json", "answer.json"


def main(directory: str) -> int:
    """Answer the request in a directory; returns the exit status."""
    with open(os.path.join(directory, REQUEST), encoding="utf-8") as file:
        request = json.load(file)
    try:
        answer: dict[str, Any] = {"rows": _rows(request)}
    except KeyboardInterrupt:
        return 130
    except ScanirError as problem:
        answer = {"error": _told(problem)}
    except SystemExit:
        answer = {"error": _told(TraceError("the program of a target ended the process (sys.exit)"))}
    except Exception as problem:  # noqa: BLE001 - whatever it is, the parent tells it
        first = str(problem).partition("\n")[0]
        answer = {"error": _told(ScanirError(f"{type(problem).__name__}: {first}"), problem)}
    temporary = os.path.join(directory, "unfinished")
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump(answer, file)
    os.replace(temporary, os.path.join(directory, ANSWER))
    return 0


def _told(problem: ScanirError, cause: BaseException | None = None) -> dict[str, str]:
    return {
        "type": type(problem).__name__,
        "what": problem.what,
        "where": problem.where,
        "hint": problem.hint,
        "traceback": "".join(traceback.format_exception(cause or problem)),
    }


def _rows(request: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """For each transform the programs at all stages."""
    import jax

    from scanir.contexts.context import Context
    from scanir.contexts.inside import check_options, with_facts
    from scanir.contexts.transport import packed
    from scanir.targets.imports import import_named
    from scanir.targets.resolve import resolve
    from scanir.targets.under import parse_under

    # Before anything of the person's is imported, and before JAX starts.
    for name, value in request["config"]:
        jax.config.update(name, value)
    for name in request["imports"]:
        import_named(name)
    options = tuple((name, value) for name, value in request["compiler_options"])
    check_options(options)
    given = request["arguments"]
    if isinstance(given, dict):
        given = pickle.loads(base64.b64decode(given["pickle"]))
    target = resolve(request["target"])
    rows = []
    for transform in request["under"]:
        row = target.under(parse_under(transform)[0]) if transform else target
        programs = row.trace(tuple(request["stages"]), given, options)
        rows.append([packed(with_facts(p, Context(), tuple(request["watched"]))) for p in programs.values()])
    return rows
