"""How a check ends other than well: a certificate that is rejected, and one that cannot be read."""

from __future__ import annotations

from dataclasses import dataclass

from scanir.errors import ScanirError

#: What a certificate has to show, by the name that a rejection gives.
OBLIGATIONS = {
    "O1": "the certificate is about these programs, and its maps fit them",
    "O2": "classes refer to earlier ones only, and a binder is named by the height of what it holds",
    "O3": "arguments pair by position, what is left over by name or under a binding that is listed",
    "O4": "an op is the op of its class: name, attributes, types, operands and regions",
    "O5": "what is taken for its operand, or packs and unpacks, is just that",
    "O6": "a loop is the loop of its class slot by slot, or is taken for its trips where these are 0 or 1",
    "O7": "a branch is the choice of its class, or hands on one value either way",
    "O8": "a call is that of its class, or its callee's body in place; functions call each other in no cycle",
    "O9": "effects stand in one order: the token runs through both sides alike",
    "O10": "what is left out is needed by no result and no effect",
    "O11": "what must terminate for the verdict to hold is listed as an assumption",
    "O12": "results, and what a module says besides its ops, are the same but for the classes listed",
    "O13": "the rules listed are those that are applied, with the places",
    "O14": "classes are numbered as they are first met, so that nothing can be spelled twice",
}


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

    @property
    def meaning(self) -> str:
        """What the obligation that failed asks for; empty where none did."""
        return OBLIGATIONS.get(self.obligation, "")

    def __bool__(self) -> bool:
        return self.accepted


class Unreadable(ScanirError):
    """A file that is no certificate, or one of a schema that this scanir does not read."""
