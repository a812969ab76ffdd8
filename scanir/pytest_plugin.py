"""The plugin of pytest: the fixture ``scanir``, whose ``check`` compares a program with a baseline beside the test.

    def test_step(scanir):
        scanir.check(step, x, y)

A baseline is a ``.scanir`` file in ``__scanir__/``, named by the test; ``--scanir-update`` writes it, and without it a
missing one fails. Baselines of test files that were run whole and that no test asked for are listed at the end. Each
test has files of its own, which are written at once, so workers of pytest-xdist do not meet. Imports no JAX before a
check is made.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

from scanir.errors import ScanirError

if TYPE_CHECKING:
    from scanir.targets.saved import Saved

#: Baselines that were asked for, test files that were run, and those of which tests were left out.
Paths: TypeAlias = "set[str]"
USED = pytest.StashKey[Paths]()
RUN = pytest.StashKey[Paths]()
PARTLY = pytest.StashKey[Paths]()
_KEYS: dict[str, pytest.StashKey[Paths]] = {"scanir_run": RUN, "scanir_partly": PARTLY, "scanir_used": USED}


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("scanir")
    group.addoption("--scanir-update", action="store_true", help="write the baselines of scanir.check")
    group.addoption("--scanir-report", metavar="DIR", help="write the reports of checks that fail to this directory")


def pytest_configure(config: pytest.Config) -> None:
    for key in _KEYS.values():
        config.stash[key] = set()


def pytest_deselected(items: list[pytest.Item]) -> None:
    for item in items:
        item.config.stash[PARTLY].add(str(item.path))


def pytest_collection_finish(session: pytest.Session) -> None:
    stash = session.config.stash
    stash[RUN] |= {str(item.path) for item in session.items}
    # One test that is named by itself leaves out the others of its file.
    stash[PARTLY] |= {str(Path(word.partition("::")[0]).absolute()) for word in session.config.args if "::" in word}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed or report.skipped:
        _unfinished.add(report.nodeid)


#: Tests that may not have come to all of their checks.
_unfinished: set[str] = set()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    stash, root = session.config.stash, session.config.rootpath
    stash[PARTLY] |= {str(root / nodeid.partition("::")[0]) for nodeid in _unfinished}
    _unfinished.clear()
    output = getattr(session.config, "workeroutput", None)  # a worker of pytest-xdist hands on what it knows
    if output is not None:
        output.update({name: [*found] for name, found in _known(session.config)})


def _known(config: pytest.Config) -> list[tuple[str, Paths]]:
    return [(name, config.stash[key]) for name, key in _KEYS.items()]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    for name, key in _KEYS.items():
        node.config.stash[key].update(getattr(node, "workeroutput", {}).get(name, ()))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    found = stale(config)
    if not found:
        return
    terminalreporter.section("scanir: baselines that no test asked for")
    for path in found:
        terminalreporter.line(str(path))


def stale(config: pytest.Config) -> list[Path]:
    """The baselines beside test files that were run whole, which none of their tests asked for."""
    run, partly, used = (paths for _, paths in _known(config))
    found = []
    for file in map(Path, sorted(run - partly)):
        folder = file.parent / "__scanir__"
        if folder.is_dir():
            for path in sorted(folder.iterdir()):
                if path.name.startswith(_start(file)) and path.suffix == ".scanir" and str(path) not in used:
                    found.append(path.relative_to(config.rootpath) if path.is_relative_to(config.rootpath) else path)
    return found


def _start(file: Path) -> str:
    """How the names of the baselines of a test file begin."""
    from scanir.gate.baseline import file_of

    return f"{file_of(file.stem).stem}."


@pytest.fixture
def scanir(request: pytest.FixtureRequest) -> Checker:
    """Checks of programs against baselines: ``scanir.check(f, *args)``."""
    return Checker(request)


class Checker:
    """What the fixture ``scanir`` is."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._config, self._node = request.config, request.node
        self._made = 0

    def check(
        self, f: Any, *args: Any, stage: str = "jaxpr,stablehlo", name: str = "", allow: Iterable[str] = (),
        forbid: Iterable[str] = (), config: Any = None, compiler_options: Any = None,
    ) -> None:  # fmt: skip
        """Fail unless ``f`` is the program that the baseline holds, under the rules of a gate.

        ``f`` and ``args`` are those of `scanir.diff`. ``name`` tells several checks of one test apart; without it they
        are numbered. Under ``--scanir-update`` the baseline is written.
        """
        __tracebackhide__ = True
        path = self._path(name)
        self._config.stash[USED].add(str(path))
        settings = {"config": config, "compiler_options": compiler_options}
        try:
            if self._config.getoption("scanir_update"):
                problem = self._update(path, f, args, stage, settings)
            else:
                problem = self._compare(path, f, args, stage, (tuple(allow), tuple(forbid)), settings)
        except ScanirError as error:
            problem = f"error: {error}"
        if problem:
            pytest.fail(problem, pytrace=False)

    def _path(self, name: str) -> Path:
        from scanir.gate.baseline import file_of

        self._made += 1
        told = name or (str(self._made) if self._made > 1 else "")
        file = Path(self._node.path)
        inside = self._node.nodeid.partition("::")[2].replace("::", ".")
        return file.parent / file_of(".".join(part for part in (file.stem, inside, told) if part))

    def _update(self, path: Path, f: Any, args: tuple[Any, ...], stage: str, settings: dict[str, Any]) -> str:
        from scanir.api import parse_stages
        from scanir.gate.baseline import made, written
        from scanir.targets import Arguments

        written(made(f, parse_stages(stage), {"args": Arguments(args) if args else None, **settings}), path)
        return ""

    def _compare(
        self, path: Path, f: Any, args: tuple[Any, ...], stage: str, rules: tuple[tuple[str, ...], tuple[str, ...]],
        settings: dict[str, Any],
    ) -> str:  # fmt: skip
        from scanir import api
        from scanir.gate.baseline import SET_ASIDE, replace_facts, unlike
        from scanir.normalize.rules import gate_forbids
        from scanir.targets import Arguments

        if not path.is_file():
            return f"there is no baseline {self._told(path)}\n  hint:  pytest --scanir-update writes it"
        saved = self._read(path)
        allow, forbid = rules
        if "callback-by-name" not in forbid:  # a file has no function objects, only names and code
            allow = (*allow, "callback-by-name")
        answer = api.diff(
            replace_facts(saved, SET_ASIDE), f, stage=stage, args_b=Arguments(args) if args else None,
            allow=allow, forbid=gate_forbids(allow, forbid), config_b=settings["config"],
            compiler_options_b=settings["compiler_options"],
        )  # fmt: skip
        answer.confirm()
        if answer:
            return ""
        told = [
            f"note: the baseline was made with {name} {old}, this is {new}"
            for name, old, new in unlike(saved, api.parse_stages(stage))
        ]
        text = "\n".join((str(answer).rstrip("\n"), *told))
        self._report(path, text, answer.to_json())
        return f"another program than {self._told(path)}\n{text}\n\n  hint:  pytest --scanir-update takes it as it is"

    def _read(self, path: Path) -> Saved:
        from scanir.errors import TargetError
        from scanir.targets.artifact import read_artifact
        from scanir.targets.saved import Saved

        found = read_artifact(str(path))
        if not isinstance(found, Saved):
            raise TargetError(f"{self._told(path)} is no .scanir file", hint="pytest --scanir-update writes it again")
        return found

    def _report(self, path: Path, text: str, data: dict[str, Any]) -> None:
        """Write what differs where ``--scanir-report`` says."""
        directory = self._config.getoption("scanir_report")
        if directory:
            place = Path(directory)
            place.mkdir(parents=True, exist_ok=True)
            (place / f"{path.stem}.txt").write_text(f"{text}\n", encoding="utf-8")
            (place / f"{path.stem}.json").write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")

    def _told(self, path: Path) -> str:
        root = self._config.rootpath
        return str(path.relative_to(root) if path.is_relative_to(root) else path)
