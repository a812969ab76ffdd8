"""Rules about imports that import-linter cannot express."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "scanir").rglob("*.py"))


def imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Each dotted name that a module imports or spells out (``jax._src.core`` as an expression or a string)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Attribute):
            yield node.lineno, ast.unparse(node)
        elif isinstance(node, ast.Call):
            for argument in node.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield node.lineno, argument.value


def is_internal(name: str) -> bool:
    """Private to JAX: a part with a leading underscore, or anything of jaxlib but its MLIR bindings."""
    parts = name.split(".")
    if parts[0] not in {"jax", "jaxlib"}:
        return False
    if any(part.startswith("_") and not part.startswith("__") for part in parts):
        return True
    return parts[0] == "jaxlib" and len(parts) > 1 and parts[1] not in {"mlir", "__version__", "version"}


@pytest.mark.parametrize(
    ("line", "internal"),
    [
        ("import jax", False),
        ("import jax._src.core", True),
        ("from jax import _src", True),
        ("from jax._src import core", True),
        ("from jaxlib import xla_client", True),
        ("from jaxlib.mlir import ir", False),
        ("import jaxlib\njaxlib._jax", True),
        ("import_module('jax._src.core')", True),
        ("jax.__version__", False),
        ("from jaxlib.mlir._mlir_libs import _mlir", True),
    ],
)
def test_the_check_itself(line: str, internal: bool) -> None:
    assert any(is_internal(name) for _, name in imported(ast.parse(line))) is internal


def test_only_compat_touches_jax_internals() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in SOURCES
        if not path.relative_to(ROOT / "scanir").parts[0].startswith("_compat")
        for line, name in imported(ast.parse(path.read_text(encoding="utf-8")))
        if is_internal(name)
    ]
    assert found == []


@pytest.mark.compat
@pytest.mark.parametrize("statement", ["import scanir", "import scanir.cli"])
def test_start_up_does_not_import_jax(statement: str) -> None:
    code = f"{statement}; import sys; print(sorted({{'jax', 'jaxlib', 'numpy'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"
