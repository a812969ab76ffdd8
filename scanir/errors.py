"""The one tree of errors a person can meet: each says what, where and what to do about it."""

from __future__ import annotations


class ScanirError(Exception):
    """Something scanir could not do. ``what`` is a sentence, ``where`` a place, ``hint`` the way out."""

    exit_code = 2

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        lines = [self.what]
        if self.where:
            lines.append(f"  where: {self.where}")
        if self.hint:
            lines.append(f"  hint:  {self.hint}")
        return "\n".join(lines)


class TargetError(ScanirError):
    """A target could not be found, imported, or called with these arguments."""


class ArgumentError(ScanirError):
    """An argument expression is wrong, or does not fit the function."""


class TraceError(ScanirError):
    """A function could not be traced, lowered or compiled."""


class ReadError(ScanirError):
    """An artifact could not be read."""


class RuleError(ScanirError):
    """A rule or class name nobody knows."""


class ConfigError(ScanirError):
    """The file that lists the checks is wrong, or is not there."""
