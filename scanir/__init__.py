"""scanir: a compiled-IR diff tool for JAX.

    >>> import scanir
    >>> scanir.diff("sum-scan", "sum-scan", stage="jaxpr").verdict.name
    'IDENTICAL'

Importing this module imports neither jax nor numpy; each name is loaded when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scanir.api import assert_equivalent, diff, show, table, trace, verify
    from scanir.errors import ScanirError
    from scanir.recording import assert_compiles_once, record_compiles
    from scanir.result import Diff, Verdict
    from scanir.strategies import register
    from scanir.targets import Arguments, Target

__version__ = "0.1.0"

#: Public name -> the module it lives in.
_HOME = {
    "Arguments": "scanir.targets",
    "Diff": "scanir.result",
    "ScanirError": "scanir.errors",
    "Target": "scanir.targets",
    "Verdict": "scanir.result",
    "assert_compiles_once": "scanir.recording",
    "assert_equivalent": "scanir.api",
    "diff": "scanir.api",
    "record_compiles": "scanir.recording",
    "register": "scanir.strategies",
    "show": "scanir.api",
    "table": "scanir.api",
    "trace": "scanir.api",
    "verify": "scanir.api",
}

__all__ = [
    "Arguments",
    "Diff",
    "ScanirError",
    "Target",
    "Verdict",
    "__version__",
    "assert_compiles_once",
    "assert_equivalent",
    "diff",
    "record_compiles",
    "register",
    "show",
    "table",
    "trace",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'scanir' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
