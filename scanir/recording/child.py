"""Inside the process of a script: append each compile to a file, one line each, as soon as it is made.

Begins when Python does, before the script, and waits until the script imports jax. What is written so far is there,
however the process ends. Never raises into the script: what goes wrong is a line of the file.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from scanir.compiles.call import Compile, as_data

#: The module behind which all that is wrapped is there.
_LAST = "jax._src.pjit"


class _Writer:
    """Appends lines to the file; forks of the process write nothing."""

    def __init__(self, path: str) -> None:
        self._file = open(path, "a", encoding="utf-8")  # noqa: SIM115 - until the process ends
        self._pid = os.getpid()
        self._contexts: set[str] = set()

    def line(self, data: dict[str, Any]) -> None:
        if os.getpid() == self._pid:
            self._file.write(json.dumps(data) + "\n")
            self._file.flush()

    def compile(self, compile: Compile) -> None:
        """Settings are many, and mostly the same: once for each state of them."""
        data = as_data(compile)
        settings, context = data["call"].pop("settings"), data["call"]["context"]
        if context not in self._contexts:
            self._contexts.add(context)
            self.line({"context": context, "settings": settings})
        self.line({"compile": data})


class _WhenImported:
    """A finder that lets others find, and listens once the module was imported."""

    def __init__(self, writer: _Writer) -> None:
        self._writer = writer

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> Any:
        if name != _LAST:
            return None
        sys.meta_path.remove(self)
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _Loader(spec.loader, self._writer)  # type: ignore[assignment]
                return spec
        return None


class _Loader:
    """Loads as another loader does, then listens."""

    def __init__(self, loader: Any, writer: _Writer) -> None:
        self._loader, self._writer = loader, writer

    def create_module(self, spec: Any) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        begin_listening(self._writer)


def begin_listening(writer: _Writer) -> None:
    try:
        from scanir._compat_compiles import listen_for_good

        listen_for_good(writer.compile)
    except Exception as problem:  # noqa: BLE001 - the script runs on, without being recorded
        writer.line({"error": f"{type(problem).__name__}: {problem}"})


def begin(path: str) -> None:
    """Called before the script runs, with the file to append to."""
    import scanir._compat_compiles  # noqa: F401 - while scanir can be found

    writer = _Writer(path)
    writer.line({"begun": True})
    sys.meta_path.insert(0, _WhenImported(writer))
