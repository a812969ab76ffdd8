"""Making the check of a baseline: what a program was when its file was written, against what it is now.

The file is compared by verdict, never as text, and what is equal is accepted by the checker. What another version or
machine is said to have made is compared all the same, with a note, unless the check asks for otherwise.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scanir.errors import TargetError
from scanir.gate.pair import outcome_of
from scanir.gate.plan import Baseline, Update
from scanir.outcome import Finding, Outcome
from scanir.program import STAGES
from scanir.targets.saved import Saved

if TYPE_CHECKING:
    from scanir.artifact import Modules

#: Where the files are, beside the file that lists the checks.
DIRECTORY = "__scanir__"
#: Facts of who made a program: versions and platform; and what only a compiler asks of the machine.
VERSIONS = ("jax", "jaxlib", "platform")
DEVICES = ("device", "devices")
#: What a baseline is compared without, and told in notes.
SET_ASIDE = frozenset((*VERSIONS, *DEVICES))


def file_of(name: str) -> Path:
    """The file of the baseline of a name: one that is a name of a file on every system."""
    plain = re.sub(r"[^A-Za-z0-9._-]", lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), name)
    return Path(DIRECTORY, f"{'%2E' + plain[1:] if plain.startswith('.') else plain}.scanir")


def read(baseline: Baseline) -> Saved:
    """The saved trace of a baseline. Raises ScanirError."""
    from scanir.targets.artifact import read_artifact

    path = file_of(baseline.name)
    again = f"scanir baseline update {baseline.name!r}"
    if not path.is_file():
        raise TargetError(f"there is no baseline {path}", where=str(baseline.spot), hint=f"{again} writes it")
    found = read_artifact(str(path))
    if not isinstance(found, Saved):
        raise TargetError(f"{path} is no .scanir file", where=str(path), hint=f"{again} writes it again")
    if missing := [stage for stage in baseline.stages if not found.has_stage(stage)]:
        what = f"{path} has no stage {', '.join(missing)}"
        raise TargetError(what, where=str(baseline.spot), hint=f"it has {', '.join(found.stages)}; {again} writes all")
    return found


def check_baseline(baseline: Baseline) -> Outcome:
    """Compare a program with its baseline. Raises ScanirError."""
    from scanir import api

    saved = read(baseline)
    other = unlike(saved, baseline.stages)
    told = tuple(
        f"{saved.label} was made with {name} {old or 'none'}, this is {new or 'none'}" for name, old, new in other
    )
    if other and baseline.on_mismatch != "compare":
        return _other_version(baseline, told)
    answer = api.diff(
        replace_facts(saved, SET_ASIDE), baseline.target, stage=",".join(baseline.stages),
        **_given(baseline, "args_b"), **{f"{name}_b": value for name, value in baseline.settings.items()},
        **baseline.options,
    )  # fmt: skip
    notes = (*told, *answer.confirm())
    return outcome_of(answer, baseline.name, "baseline", baseline.fail_on, notes=notes, spot=baseline.spot)


def replace_facts(saved: Saved, set_aside: frozenset[str]) -> Saved:
    """The saved side without facts that are told apart from the verdict."""
    return Saved(saved.label, saved.saved, set_aside)


def _given(baseline: Baseline, option: str) -> dict[str, Any]:
    """The arguments, as this option of a function."""
    if baseline.source:
        from scanir.targets.made import arguments_from

        return {option: arguments_from(baseline.source)}
    return {option: baseline.args} if baseline.args else {}


def unlike(saved: Saved, stages: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """(fact, as it was, as it is) of what made the saved programs and would now make them otherwise."""
    before = dict(saved.saved.provenance(stages[0]))
    if not before:  # what was a file was made by nobody knows whom
        return []
    from scanir.tracers import machine, provenance

    now = dict(provenance())
    if "hlo" in stages:
        before |= {f"{name} of the processor": value for name, value in saved.saved.machine}
        now |= {f"{name} of the processor": value for name, value in machine()}
    compiled = DEVICES if "hlo" in stages else ()
    names = (*VERSIONS, *compiled, *sorted(name for name in before if name.endswith(" of the processor")))
    return [(name, before[name], now[name]) for name in names if name in before and before[name] != now.get(name)]


def _other_version(baseline: Baseline, told: tuple[str, ...]) -> Outcome:
    """The outcome of a baseline of another version, where that is skipped or fails."""
    fails = baseline.on_mismatch == "fail"
    found = (Finding("version-mismatch", told[0], spots=(baseline.spot,)),) if fails else ()
    word = "OTHER VERSION" if fails else "SKIPPED"
    report = "".join(f"{line}\n" for line in told)
    return Outcome(
        baseline.name, "baseline", word, int(fails), told[0], found, report, told, baseline.spot,
        {"verdict": word, "exit_code": int(fails), "notes": list(told)},
    )  # fmt: skip


def update(request: Update) -> Outcome:
    """Write the file of a baseline, unless it is what would be written. Raises ScanirError."""
    baseline = request.baseline
    found = made(baseline.target, baseline.stages, {**_given(baseline, "args"), **baseline.settings})
    path = file_of(baseline.name)
    state, size = written(found, path)
    return Outcome(
        baseline.name, "baseline", state.upper(), 0, f"{path}, {size:,} bytes, {', '.join(found)}", spot=baseline.spot,
        data={"file": str(path), "state": state, "bytes": size, "stages": list(found)},
    )  # fmt: skip


def made(target: Any, stages: tuple[str, ...], options: dict[str, Any]) -> Modules:
    """A program as a baseline keeps it. Raises ScanirError."""
    from scanir import api
    from scanir.compare.callbacks import calls_any

    found = api.traced(target, stage=",".join(stages), **options)
    if "jaxpr" not in found and any(map(calls_any, found.programs)):
        # Below the jaxpr host functions are numbers; which they are is told there.
        wanted = [stage for stage in STAGES if stage in (*stages, "jaxpr")]
        found = api.traced(target, stage=",".join(wanted), **options)
    return found


def written(found: Modules, path: Path) -> tuple[str, int]:
    """Write a baseline to its file, unless that is what would be written: new, changed or unchanged, and its bytes.
    Raises ScanirError."""
    from scanir.artifact import keep, packed

    data = packed(found.text(constants="digest", lines=False), path)
    state = "new" if not path.exists() else "unchanged" if path.read_bytes() == data else "changed"
    if state != "unchanged":
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise TargetError(f"{path.parent} cannot be made: {problem.strerror}", where=str(path)) from problem
        keep(path, data)
    return state, len(data)
