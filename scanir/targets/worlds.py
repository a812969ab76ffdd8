"""Importing a person's file as ``python file.py`` would, without letting two files share what they do not share.

A file may import its neighbours by their bare names. Two files in two directories (an old and a new version, say) may
each have a neighbour ``model``, and must each get their own: were the second given the first's, two programs would be
called equal that are not. So each directory has a world of its own: while a file of it is loaded or traced, the
directory leads ``sys.path`` and its modules are in ``sys.modules``; afterwards both are as before. No bytecode is left
behind.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

#: Directory -> its modules, by name.
_WORLDS: dict[str, dict[str, ModuleType]] = {}
#: Directory -> where its world looks for modules first: itself, and what its files put on ``sys.path``.
_ROOTS: dict[str, list[str]] = {}
#: Path of a file -> the module made from it.
_LOADED: dict[str, ModuleType] = {}
#: Path of a source file of a world -> its state when it was imported.
_STATES: dict[str, tuple[int, int]] = {}


@contextmanager
def world(directory: str) -> Iterator[dict[str, ModuleType]]:
    """Within: imports as a script in that directory has them. Yields the modules of this world."""
    if not directory:
        yield {}
        return
    mine, roots = _WORLDS.setdefault(directory, {}), _ROOTS.setdefault(directory, [directory])
    before, path, bytecode = dict(sys.modules), list(sys.path), sys.dont_write_bytecode
    protected = _protected()
    loaded = [(name, module) for name, module in before.items() if name.partition(".")[0] not in protected]
    hidden = [name for name, module in loaded if _shadowed(name, module, roots)]
    for name in hidden:
        del sys.modules[name]
    sys.modules.update(mine)
    sys.path[:0] = roots
    sys.dont_write_bytecode = True
    importlib.invalidate_caches()
    try:
        yield mine
    finally:
        sys.dont_write_bytecode = bytecode
        roots += [os.path.abspath(place) for place in sys.path if place not in path and place not in roots]
        sys.path[:] = path
        for name, module in list(sys.modules.items()):
            if before.get(name) is module or name.partition(".")[0] in protected or not _inside(module, roots):
                continue
            mine[name] = module
            _remember(module)
            del sys.modules[name]
        for name in hidden:
            sys.modules[name] = before[name]


def load(path: Path) -> ModuleType:
    """The module made from a file; the same one while no file of its world changes. Raises what the file raises."""
    path = path.resolve()
    _forget_what_changed(str(path.parent))
    if str(path) in _LOADED:
        return _LOADED[str(path)]
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
    _LOADED[str(path)] = module
    return module


def _state(file: str) -> tuple[int, int]:
    """(time of change, size) of a file; of one that is gone, what no file has."""
    try:
        found = Path(file).stat()
    except OSError:
        return (0, -1)
    return found.st_mtime_ns, found.st_size


def _remember(module: ModuleType) -> None:
    file = getattr(module, "__file__", None)
    if file is not None and file not in _STATES:
        _STATES[file] = _state(file)


def _forget_what_changed(directory: str) -> None:
    """Let go of a world with a source file that is not what it was: its modules may have copied from one another."""
    modules = _WORLDS.get(directory, {}).values()
    files = [file for module in modules if (file := getattr(module, "__file__", None)) is not None]
    if all(_state(file) == _STATES.get(file) for file in files):
        return
    del _WORLDS[directory]
    _ROOTS.pop(directory, None)
    for file in files:
        _STATES.pop(file, None)
        _LOADED.pop(file, None)


def home(function: object) -> str:
    """The directory whose world a function was made in; empty for any other."""
    name, names = getattr(function, "__module__", None), getattr(function, "__globals__", None)
    for directory, modules in _WORLDS.items():
        if names is not None and vars(modules.get(str(name), object)) is names:
            return directory
    return ""


def _inside(module: object, roots: list[str]) -> bool:
    """True for a module whose source lies in one of the directories or below, other than in an installed package."""
    file = getattr(module, "__file__", None)
    if file is None:  # a namespace package has only a path
        file = next(iter(getattr(module, "__path__", ())), None)
    if not isinstance(file, str):
        return False
    file = os.path.abspath(file)
    return file.startswith(tuple(root.rstrip(os.sep) + os.sep for root in roots)) and not _installed(file)


def _installed(file: str) -> bool:
    return any(file.startswith(place + "/") for place in _installation())


@functools.cache
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


def _shadowed(name: str, module: object, roots: list[str]) -> bool:
    """True for a loaded module that is not the world's own although the world has one of that name."""
    top = name.partition(".")[0]
    own = any(
        os.path.isfile(os.path.join(root, f"{top}.py")) or os.path.isfile(os.path.join(root, top, "__init__.py"))
        for root in roots
    )
    return own and not _inside(module, roots)
