"""What a comparison answers: one neutral object, from which every output format is made."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from scanir.cost import Cost
from scanir.errors import ScanirError

SCHEMA_VERSION = 1


class Verdict(enum.Enum):
    """See "What a verdict means" in the README. The value is the exit code."""

    IDENTICAL = "IDENTICAL"
    EQUIVALENT = "EQUIVALENT"
    DIFFERENT = "DIFFERENT"
    INCONCLUSIVE = "INCONCLUSIVE"

    @property
    def exit_code(self) -> int:
        return {"IDENTICAL": 0, "EQUIVALENT": 0, "DIFFERENT": 1, "INCONCLUSIVE": 3}[self.name]


#: From best to worst, as several stages are summed up.
SEVERITY = (Verdict.IDENTICAL, Verdict.EQUIVALENT, Verdict.INCONCLUSIVE, Verdict.DIFFERENT)


@dataclass(frozen=True, slots=True)
class RuleUse:
    """A rule or class that was needed: how often, and where (paths, at most a few, sorted)."""

    rule: str
    count: int
    where: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Binding:
    """The verdict holds when ``argument`` of that side has the value ``constant``, which the other side closes over.

    ``index`` and ``value``: the same, for who runs the sides."""

    side: str
    argument: str
    constant: str
    index: int = field(default=-1, compare=False, repr=False)
    value: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ForwardedOutput:
    """Result ``output`` of that side is its own argument ``input`` handed on. ``name``: what that argument is
    called."""

    side: str
    output: int
    input: int
    name: str = ""


@dataclass(frozen=True, slots=True)
class Filling:
    """What one side puts into a hole of a loop body.

    ``kind``: ``closed-over`` | ``carried`` | ``scanned`` | ``constant`` | ``computed``. ``slot``: index of the carry
    for ``carried``, of the xs for ``scanned``. ``value``: what it is, in a person's terms (an argument's name, a
    constant, an op).
    """

    kind: str
    value: str
    slot: int | None = None


@dataclass(frozen=True, slots=True)
class Capture:
    """One hole of a loop body with its fillings."""

    hole: int
    type: str
    left: Filling | None
    right: Filling | None


@dataclass(frozen=True, slots=True)
class CarryFact:
    """What becomes of a carried value: ``kind`` is one of `scanir.normalize.carries.KINDS`, ``other`` the slot whose
    value it takes, ``start`` its initial value in a person's terms; ``live`` False where only its own update reads it.
    """

    slot: int
    type: str
    kind: str
    start: str
    other: int | None = None
    live: bool = True


@dataclass(frozen=True, slots=True)
class CopyFact:
    """``count`` copies that each trip of a loop makes of a carry: its slot (None: of no carry) and what that starts as,
    the type and bytes of one copy (None: not known), and the line that they come from."""

    slot: int | None
    start: str
    type: str
    bytes: int | None
    count: int
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class LoopSide:
    """A loop as one side has it. ``path`` leads to it (``main/scan``), ``slots`` are carried values as written.

    ``copies`` and ``copied_bytes`` are what one trip copies, ``copied`` the types of it, ``copy_facts`` the carries and
    lines (loops inside left out); ``trip`` is all that one trip costs, of a compiled loop.
    """

    path: str
    kind: str
    slots: int
    ops: int
    file: str = ""
    line: int = 0
    carries: tuple[CarryFact, ...] = ()
    copies: int = 0
    copied_bytes: int = 0
    copied: tuple[str, ...] = ()
    copy_facts: tuple[CopyFact, ...] = ()
    trip: Cost | None = None


@dataclass(frozen=True, slots=True)
class LoopDiff:
    """A pair of loops. ``verdict``: IDENTICAL | EQUIVALENT | SAME-BODY | DIFFERENT | UNPAIRED."""

    verdict: str
    left: LoopSide | None
    right: LoopSide | None
    trip_count: int | None
    captures: tuple[Capture, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The first place where the two sides part, walking from the results: a pair of paths and what stands there."""

    left_path: str
    right_path: str
    left: str
    right: str
    reason: str
    left_line: str = ""
    right_line: str = ""


@dataclass(frozen=True, slots=True)
class EditSide:
    """An edit on one side: ``text`` is the op as that side has it, values of the right side under their names of the
    left one; ``changed`` the part of it that the other side has otherwise. ``file`` and ``line``: of the user's Python
    (empty and 0 where the artifact does not say), ``code``: what stands there."""

    text: str
    changed: str
    path: str
    file: str = ""
    line: int = 0
    code: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """One step from the left module to the right one.

    ``kind``: insert | delete | replace | rewire | move | reorder. ``kind_class``: ``semantics``, or the class of
    difference (``layout``, ``copies``, ...). ``what``: what of the op is changed (``op``, ``attribute dimensions``,
    ``type``, ``constant``, ``operand 1``). ``times``: in so many places the same is done, all of which are in
    ``places`` as (left, right); ``left`` and ``right`` are the first.
    """

    kind: str
    kind_class: str
    op: str
    path: str
    what: str
    left: EditSide | None
    right: EditSide | None
    times: int = 1
    places: tuple[tuple[EditSide | None, EditSide | None], ...] = ()


@dataclass(frozen=True, slots=True)
class ListedOp:
    """An op of either side, or of both: ``left`` and ``right`` are its text, in the names of the left side.

    ``kind``: same | changed | deleted | inserted. ``lines``: file and line of the user's Python on either side, where
    known.
    """

    kind: str
    left: str = ""
    right: str = ""
    lines: tuple[tuple[str, int], tuple[str, int]] = (("", 0), ("", 0))


@dataclass(frozen=True, slots=True)
class ListedRegion:
    """The ops of a region: ``path`` leads there on the left side, or on the right where only that has it."""

    path: str
    ops: tuple[ListedOp, ...]

    def count(self, kind: str) -> int:
        return sum(op.kind == kind for op in self.ops)


@dataclass(frozen=True, slots=True)
class Fact:
    """Something beside the verdict that a person asks for next. ``kind`` groups facts (``outputs``, ``weak types``);
    ``side`` is ``a``, ``b``, or empty for both."""

    kind: str
    side: str
    text: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """What running both sides showed, both in StableHLO's reference interpreter.

    ``status``:

    - ``refuted``: results differ on ``inputs``;
    - ``unproved``: no proof of equality, and results agreed;
    - ``agrees``: results agreed with a verdict of equality;
    - ``contradicted``: they did not, which is a bug of scanir's;
    - ``compiled away``: the StableHLO of the sides differs on ``inputs``, the optimized HLO is equal;
    - ``set aside``: results differ on ``inputs`` as an allowed rule that is not exact lets them;
    - ``not run``: ``reason`` says why.

    ``ran``: inputs that both sides were run on; ``agreed``: on so many of them results were the same bits. ``inputs``:
    argument -> value, after shrinking. ``output``: the place of the difference, with the values of both sides there,
    ``ulps`` apart (None where that means nothing) and ``count`` in words. ``skipped``: what could not be run, in
    sentences. ``rounding``: ulps between the results of generated code, at most, on ``compiled`` inputs (None if not
    run, or not to be told in ulps: ``rounding_note``).
    """

    status: str
    ran: int = 0
    agreed: int = 0
    inputs: tuple[tuple[str, str], ...] = ()
    output: str = ""
    left: str = ""
    right: str = ""
    ulps: int | None = None
    count: str = ""
    skipped: tuple[str, ...] = ()
    reason: str = ""
    compiled: int = 0
    rounding: int | None = None
    rounding_note: str = ""


@dataclass(frozen=True, slots=True)
class SideCost:
    """What one side costs as a compiled program: counted, and the bytes it takes by kind (``temp``, ``argument``)."""

    total: Cost
    sizes: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class StageDiff:
    """The answer at one stage, and under one transform: ``under`` is its text, empty for the programs as they are.

    ``costs``: of both sides, where they are compiled.
    """

    stage: str
    verdict: Verdict
    modulo: tuple[RuleUse, ...] = ()
    bindings: tuple[Binding, ...] = ()
    forwarded_outputs: tuple[ForwardedOutput, ...] = ()
    reasons: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    loops: tuple[LoopDiff, ...] = ()
    mismatch: Mismatch | None = None
    facts: tuple[Fact, ...] = ()
    provenance: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    under: str = ""
    evidence: Evidence | None = None
    costs: tuple[SideCost, SideCost] | None = None
    #: The edit script; ``edit_notes`` say what it is told over, and which limits were reached. ``consequences``: places
    #: that are otherwise only because of an edit above them.
    edits: tuple[Edit, ...] = ()
    edit_notes: tuple[str, ...] = ()
    consequences: int = 0

    @property
    def title(self) -> str:
        """What the row is called: ``hlo``, or ``grad, hlo``."""
        return f"{self.under}, {self.stage}" if self.under else self.stage


@dataclass(frozen=True, slots=True)
class Diff:
    """The answer: one `StageDiff` a transform and stage, and their worst as the verdict."""

    a: str
    b: str
    stages: tuple[StageDiff, ...]
    #: Makes the certificate; kept by the function that made the answer, and called only when somebody asks.
    certifier: Callable[[], dict[str, Any]] | None = field(default=None, repr=False, compare=False)
    confirmer: Callable[[], tuple[str, ...]] | None = field(default=None, repr=False, compare=False)

    lister: Callable[[], tuple[tuple[ListedRegion, ...], ...]] | None = field(default=None, repr=False, compare=False)

    @property
    def verdict(self) -> Verdict:
        return max((stage.verdict for stage in self.stages), key=SEVERITY.index)

    @property
    def contradicted(self) -> bool:
        """Whether running the sides showed that a verdict is wrong."""
        return any(stage.evidence is not None and stage.evidence.status == "contradicted" for stage in self.stages)

    @property
    def exit_code(self) -> int:
        return 2 if self.contradicted else self.verdict.exit_code

    @property
    def modulo(self) -> tuple[str, ...]:
        """Names of the rules that any stage needed, sorted."""
        return tuple(sorted({use.rule for stage in self.stages for use in stage.modulo}))

    @property
    def loops(self) -> tuple[LoopDiff, ...]:
        return tuple(loop for stage in self.stages for loop in stage.loops)

    @property
    def edits(self) -> tuple[tuple[StageDiff, tuple[Edit, ...]], ...]:
        """The edit script of each row that has one."""
        return tuple((stage, stage.edits) for stage in self.stages if stage.edits)

    @property
    def bindings(self) -> tuple[Binding, ...]:
        return tuple(dict.fromkeys(binding for stage in self.stages for binding in stage.bindings))

    def __bool__(self) -> bool:
        """Whether the programs are IDENTICAL or EQUIVALENT at every stage, so that ``assert diff(...)`` means it."""
        return self.exit_code == 0

    def __str__(self) -> str:
        """The report that the command prints."""
        from scanir.render.text import render_text

        return render_text(self)

    def side_by_side(self) -> tuple[tuple[ListedRegion, ...], ...]:
        """For each row the regions of both programs, each op beside its partner. Raises ScanirError."""
        if self.lister is None:
            raise ScanirError("this answer was made by hand and has no programs", hint="scanir.diff makes answers")
        return self.lister()

    def certificate(self) -> dict[str, Any]:
        """The certificate of the answer as plain data, accepted by the checker. Raises ScanirError if there is none."""
        if self.certifier is None:
            raise ScanirError("this answer was made by hand and has no certificate", hint="scanir.diff makes answers")
        return self.certifier()

    def confirm(self) -> tuple[str, ...]:
        """Have the checker accept each row that is IDENTICAL or EQUIVALENT; sentences on rows that it is not asked of,
        which rest on more than the two modules. Raises ScanirError where it does not accept one."""
        if self.confirmer is None:
            raise ScanirError("this answer was made by hand and cannot be checked", hint="scanir.diff makes answers")
        return self.confirmer()

    def to_json(self) -> dict[str, Any]:
        """The documented JSON object, as plain Python data."""
        from scanir.render.json import diff_to_json

        return diff_to_json(self)
