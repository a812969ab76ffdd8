"""How a check ends other than well: a certificate that is rejected, and one that cannot be read."""

from __future__ import annotations

from dataclasses import dataclass

from scanir.errors import ScanirError


class Rejected(Exception):
    """``obligation`` (O1 to O14) does not hold, and ``what`` says why, ``where`` at which place."""

    def __init__(self, obligation: str, what: str, where: str = "") -> None:
        super().__init__(f"{obligation}: {what}" + (f" ({where})" if where else ""))
        self.obligation = obligation
        self.what = what
        self.where = where


@dataclass(frozen=True, slots=True)
class Verification:
    """The answer about a certificate: accepted, or which ``obligation`` failed at which ``stage``, and how."""

    accepted: bool
    stages: tuple[str, ...]
    stage: str = ""
    obligation: str = ""
    what: str = ""
    where: str = ""

    @property
    def exit_code(self) -> int:
        return 0 if self.accepted else 1

    def __bool__(self) -> bool:
        return self.accepted


class Unreadable(ScanirError):
    """A file that is no certificate, or one of a schema that this scanir does not read."""
