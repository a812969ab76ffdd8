"""Compiles of this process: ``with scanir.record_compiles() as log``."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from scanir import _compat_compiles
from scanir.compiles import Compile, Group, Log, Row


class Recording:
    """The log of what was compiled so far. ``rows``, ``groups``, ``own`` and ``summary`` are those of
    `scanir.compiles.Log`; iterating gives the rows, and ``str`` the table."""

    def __init__(self) -> None:
        self._compiles: list[Compile] = []
        self._log = Log()

    @property
    def log(self) -> Log:
        """What was compiled so far."""
        if len(self._log) != len(self._compiles):
            self._log = Log(tuple(self._compiles))
        return self._log

    @property
    def rows(self) -> tuple[Row, ...]:
        return self.log.rows

    @property
    def groups(self) -> tuple[Group, ...]:
        return self.log.groups

    @property
    def own(self) -> tuple[Group, ...]:
        return self.log.own

    @property
    def summary(self) -> str:
        return self.log.summary

    def __len__(self) -> int:
        return len(self.log)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __str__(self) -> str:
        return str(self.log)

    def __repr__(self) -> str:
        return f"<{self.summary}>"


@contextlib.contextmanager
def record_compiles() -> Iterator[Recording]:
    """Record each program that JAX compiles for a while, in all threads, with the line that called and why it had to.

    ::

        with scanir.record_compiles() as log:
            train()
        print(log)
    """
    recording = Recording()
    with _compat_compiles.listening(recording._compiles.append):
        yield recording


@contextlib.contextmanager
def assert_compiles_once(*names: str) -> Iterator[Recording]:
    """Raise AssertionError, with the explanation, where a function compiles more than once; of ``names`` only, where
    some are given. JAX's own small functions do not count.

    Functions that were compiled before are not compiled at all, which is fine.
    """
    with record_compiles() as recording:
        yield recording
    again = [group for group in recording.groups if len(group.rows) > 1 and (not names or group.name in names)]
    if again:
        said = ", ".join(f"{group.name} compiled {len(group.rows)} times" for group in again)
        kept = Log(tuple(row.compile for group in again for row in group.rows))
        raise AssertionError(f"{said}\n{kept}")
