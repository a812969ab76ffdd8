"""Many targets from one name: the functions of a Python file, the files of a directory, a family of strategies."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scanir.classes import Source
from scanir.errors import ScanirError, TargetError
from scanir.strategies import find, strategies
from scanir.targets.artifact import Unrecognized, read_artifact
from scanir.targets.dumps import Dumped, dumped, files_below
from scanir.targets.names import shown
from scanir.targets.resolve import resolve
from scanir.targets.target import Target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scanir.program import Program
    from scanir.targets.arguments import Arguments


def family(target: Any) -> list[Any]:
    """The members of a family of strategies that a text names; any other target alone."""
    if not isinstance(target, str) or find(target) is not None:
        return [target]
    return [strategy.name for strategy in strategies() if strategy.family == target] or [target]


def sources(targets: Sequence[Any], stages: tuple[str, ...], given: Arguments | str | None) -> Iterator[Source]:
    """What the programs of these targets come from. ``given``: arguments of those that have none of their own.

    A file is of one stage, whatever is asked for. Raises ScanirError where no source is to blame for it alone.
    """
    for target in targets:
        text = str(target) if isinstance(target, (str, Path)) else ""
        if text and text != "-" and Path(text).is_dir():
            yield from _directory(text, stages, "" if len(targets) == 1 else f"{text.rstrip('/')}/")
        elif text.endswith(".py") and Path(text).is_file():
            yield from _functions(text, stages, given)
        else:
            for member in family(target):
                name = str(member) if isinstance(member, (str, Path)) else resolve(member).label
                yield Source(name, partial(_programs, member, stages, given))


def _programs(member: Any, stages: tuple[str, ...], given: Arguments | str | None) -> dict[str, Program]:
    target = resolve(member)
    wanted = stages if target.stage is None else (target.stage,)
    return target.trace(wanted, None if target.has_arguments else given)


def _functions(path: str, stages: tuple[str, ...], given: Arguments | str | None) -> Iterator[Source]:
    """The public functions that a file defines, and its targets; those that do not fit the arguments are left out."""
    from scanir.targets.imports import import_file
    from scanir.targets.worlds import world

    directory = str(Path(path).resolve().parent)
    module = import_file(Path(path))
    found = 0
    for name, value in list(vars(module).items()):
        if name.startswith("_") or not (isinstance(value, Target) or _is_function(value, module.__name__)):
            continue
        found += 1
        with world(directory):
            target = value if isinstance(value, Target) else Target(value, label=name, directory=directory)
        yield Source(name, partial(_programs, target, stages, given), skips=ScanirError)
    if not found:
        raise TargetError(f"{shown(path)} defines no public function", hint="name functions: module:function")


def _is_function(value: Any, module: str) -> bool:
    own = getattr(value, "__module__", None) == module
    return own and callable(value) and not isinstance(value, type) and hasattr(value, "__name__")


def _directory(directory: str, stages: tuple[str, ...], prefix: str) -> Iterator[Source]:
    """The modules of a dump, or else the files that are IR."""
    try:
        modules = _of_stages(dumped(directory), stages)
        others = [] if modules else files_below(Path(directory))
    except OSError as problem:
        raise TargetError(f"{shown(directory)} cannot be read: {problem.strerror}", where=shown(directory)) from problem
    if not modules and not others:
        raise TargetError(f"there are no files in {shown(directory)}", hint="name a directory of IR files, or a dump")
    for module in modules:
        yield Source(f"{prefix}{module.path.name}", partial(_read, module.path, stages, module.stage))
    for file in others:
        yield Source(f"{prefix}{file.relative_to(directory)}", partial(_read, file, stages), skips=Unrecognized)


def _of_stages(modules: tuple[Dumped, ...], stages: tuple[str, ...]) -> list[Dumped]:
    """Those of the stages that are asked for; all, where the dump has none of them."""
    return [module for module in modules if module.stage in stages] or list(modules)


def _read(path: Path, stages: tuple[str, ...], stage: str = "") -> dict[str, Program]:
    artifact = read_artifact(str(path))
    if len(artifact.stages) > 1:
        return artifact.trace(tuple(name for name in stages if artifact.has_stage(name)))
    ((own, program),) = artifact.trace(artifact.stages).items()
    return {stage or own: program}
