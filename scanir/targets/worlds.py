"""Importing a person's file as ``python file.py`` would, without letting two files share what they do not share.

A file may import its neighbours by their bare names. Two files in two directories (an old and a new version, say) may
each have a neighbour ``model``, and must each get their own: were the second given the first's, two programs would be
called equal that are not. So each directory has a world of its own: while a file of it is loaded or traced, the
directory leads ``sys.path`` and its modules are in ``sys.modules``; afterwards both are as before. No bytecode is left
behind.
"""

from __future__ import annotations

import importlib.util
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

#: Directory -> its modules, by name.
_WORLDS: dict[str, dict[str, ModuleType]] = {}
#: (path, time of change, size) -> the module made from it.
_LOADED: dict[tuple[str, int, int], ModuleType] = {}


@contextmanager
def world(directory: str) -> Iterator[dict[str, ModuleType]]:
    """Within: imports as a script in that directory has them. Yields the modules of this world."""
    if not directory:
        yield {}
        return
    mine = _WORLDS.setdefault(directory, {})
    before, path, bytecode = dict(sys.modules), list(sys.path), sys.dont_write_bytecode
    protected = _protected()
    hidden = [
        name for name in before if name.partition(".")[0] not in protected and _shadowed(name, before[name], directory)
    ]
    for name in hidden:
        del sys.modules[name]
    sys.modules.update(mine)
    sys.path.insert(0, directory)
    sys.dont_write_bytecode = True
    importlib.invalidate_caches()
    try:
        yield mine
    finally:
        sys.dont_write_bytecode = bytecode
        sys.path[:] = path
        for name, module in list(sys.modules.items()):
            if before.get(name) is not module and _inside(module, directory):
                mine[name] = module
                del sys.modules[name]
        for name in hidden:
            sys.modules[name] = before[name]


def load(path: Path) -> ModuleType:
    """The module made from a file; the same one while the file does not change. Raises what the file raises."""
    path = path.resolve()
    state = path.stat()
    key = (str(path), state.st_mtime_ns, state.st_size)
    if key in _LOADED:
        return _LOADED[key]
    with world(str(path.parent)) as mine:
        name = path.stem if path.stem not in _protected() else f"scanir_target_{path.stem}"
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise ImportError(f"Python cannot load {path.name}")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = mine[name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            mine.pop(name, None)
            sys.modules.pop(name, None)
            raise
    _LOADED[key] = module
    return module


def home(function: object) -> str:
    """The directory whose world a function was made in; empty for any other."""
    name, names = getattr(function, "__module__", None), getattr(function, "__globals__", None)
    for directory, modules in _WORLDS.items():
        if names is not None and vars(modules.get(str(name), object)) is names:
            return directory
    return ""


def _inside(module: object, directory: str) -> bool:
    """True for a module whose source lies in the directory or below, other than in an installed package."""
    file = getattr(module, "__file__", None)
    if file is None:  # a namespace package has only a path
        file = next(iter(getattr(module, "__path__", ())), None)
    return isinstance(file, str) and file.startswith(directory.rstrip("/") + "/") and not _installed(file)


def _installed(file: str) -> bool:
    return any(file.startswith(place + "/") for place in _installation())


def _installation() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    return tuple({paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")})


def _protected() -> frozenset[str]:
    """Top-level names that a neighbour never stands for: Python's own, and what is installed and loaded."""
    loaded = {
        name
        for name, module in list(sys.modules.items())
        if "." not in name and _installed(str(getattr(module, "__file__", "")))
    }
    return sys.stdlib_module_names | {"scanir", "jax", "jaxlib", "numpy", "__main__"} | loaded


def _shadowed(name: str, module: object, directory: str) -> bool:
    """True for a loaded module that is not the directory's own although the directory has one of that name."""
    top = name.partition(".")[0]
    here = Path(directory)
    if not ((here / f"{top}.py").is_file() or (here / top / "__init__.py").is_file()):
        return False
    return not _inside(module, directory)
