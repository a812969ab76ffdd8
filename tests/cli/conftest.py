"""The command line without the work behind it: answers made by hand, and the calls that were made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from scanir.cli import main
from scanir.result import Diff
from tests.render.diffs import EQUIVALENT


@dataclass
class FakeApi:
    """Stands for `scanir.api`: answers ``answer``, raises it if it is an exception, and keeps the calls."""

    answer: Any = EQUIVALENT
    calls: list[dict[str, Any]] = field(default_factory=list)
    prints: str = ""

    def _reply(self, **call: Any) -> Any:
        self.calls.append(call)
        if self.prints:
            print(self.prints)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer

    def diff(self, a: Any, b: Any, *args: Any, **options: Any) -> Diff:
        return self._reply(a=a, b=b, args=args, **options)  # type: ignore[no-any-return]

    def show(self, target: Any, **options: Any) -> str:
        return self._reply(target=target, **options)  # type: ignore[no-any-return]


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> FakeApi:
    import scanir.api

    fake = FakeApi()
    monkeypatch.setattr(scanir.api, "diff", fake.diff)
    monkeypatch.setattr(scanir.api, "show", fake.show)
    return fake


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    """Run the command in this process, as in a pipe of 80 columns."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments: str) -> Outcome:
        capsys.readouterr()
        code = main(arguments)
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return run
