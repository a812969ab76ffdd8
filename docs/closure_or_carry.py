"""Makes docs/closure-or-carry.md from what scanir finds and measures with each version of JAX.

    python docs/closure_or_carry.py facts      # what the JAX at hand compiles: a file beside the page
    python docs/closure_or_carry.py times      # ... and what it takes; with --lengths also by length
    python docs/closure_or_carry.py page       # the page, from the files of all versions

`make docs` does all of it. A test makes the facts of the JAX at hand and the page anew, and compares; times it leaves
alone. Run from the root of the repository.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from scanir import api
from scanir.measured.result import Bench, Lengths
from scanir.render.bench import made, seconds, size
from scanir.strategies.lengths import members

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "closure-or-carry"
PAGE = HERE / "closure-or-carry.md"
STAGES = ("jaxpr", "stablehlo", "hlo")
#: Ways to hand a body its parameters, each compared with `lambda`.
WAYS = ("def", "carry", "jit-body", "constant", "xs")
KINDS = ("scan", "fori", "while", "python")
SHORT, LONG = 10, 100
COND, RETURNED, SCALARS = (f"examples/{name}.py" for name in ("cond_carry", "returned_carry", "python_scalars"))
#: The rate of a rollout as a Python number, and as an array.
WEAK, STRONG = (f"f32[3], f32[2,100], {rate}, f32[]" for rate in ("0.01", "f32[]"))
IN_COND = ("through_cond", "beside_cond", "unchanged")
SIGNS = {"IDENTICAL": "=", "EQUIVALENT": "≡", "DIFFERENT": "≠", "INCONCLUSIVE": "?"}
#: Seconds to measure each group of programs.
SECONDS = 15.0


# -- what is so --------------------------------------------------------------------------------------------------------


def facts() -> dict[str, Any]:
    """What the JAX at hand makes of the programs that the page speaks of."""
    import jax

    return {
        "jax": jax.__version__,
        "ways": {way: _verdicts(api.diff("lambda", way, stage="all").stages) for way in WAYS},
        "loops": _loops(),
        "cond": {name: _copies(f"{COND}:{name}") for name in IN_COND},
        "returned": _verdicts(api.diff(f"{RETURNED}:dropped", f"{RETURNED}:returned", stage="all").stages),
        "scalars": {
            given: _verdicts(api.diff(*(f"{SCALARS}:{f}" for f in ("number", "array")), stage="all", args_a=given,
                                      args_b=given).stages)
            for given in ("f32[8]", "bf16[8]")
        },
        "weak": _verdicts(api.diff("lambda", "lambda", stage="all", args_a=WEAK, args_b=STRONG).stages),
    }  # fmt: skip


def _verdicts(stages: Iterable[Any]) -> dict[str, list[str]]:
    """The verdict of each stage, then the rules that it needed."""
    return {stage.stage: [stage.verdict.name, *sorted(use.rule for use in stage.modulo)] for stage in stages}


def _loops() -> dict[str, Any]:
    """Each kind of loop: what the jaxpr makes of it, how it compares with scan, and ops by length."""
    found: dict[str, Any] = {}
    targets = {
        length: {name: (text, given) for name, text, given in members("sum", length)} for length in (SHORT, LONG)
    }
    scan, given = targets[SHORT]["scan"]
    for kind in KINDS:
        table = api.table("loops", targets[SHORT][kind][0], _arguments(given), stage="jaxpr")
        found[kind] = {
            "in the jaxpr": ", ".join(row.kind for row in table.rows) or "no loop",
            "ops": {str(length): _ops(*targets[length][kind]) for length in (SHORT, LONG)},
        }
        if kind != "scan":
            answer = api.diff(scan, targets[SHORT][kind][0], stage="all", args_a=given, args_b=given)
            found[kind]["verdicts"] = _verdicts(answer.stages)
    return found


def _arguments(text: str) -> Any:
    from scanir.targets import Arguments

    return Arguments.parse(text)


def _ops(target: str, given: str) -> int:
    """Ops of the optimized HLO."""
    from scanir.facts.costs import costs
    from scanir.facts.places import Places
    from scanir.targets import resolve

    return costs(Places.build(resolve(target).trace(("hlo",), given)["hlo"])).total.ops


def _copies(target: str) -> dict[str, int]:
    """Copies in a trip of the only loop, and their bytes."""
    (row,) = api.table("loops", target).rows
    return {"count": row.copies.count, "bytes": row.copies.bytes}


# -- what it takes -----------------------------------------------------------------------------------------------------


def times(lengths: bool) -> dict[str, Any]:
    """What the programs take, with the JAX at hand."""
    import jax

    found: dict[str, Any] = {
        "jax": jax.__version__,
        "ways": _measured(["lambda", "def", "carry"]),
        "cond": _measured([f"{COND}:beside_cond", f"{COND}:through_cond"]),
        "returned": _measured([f"{RETURNED}:dropped", f"{RETURNED}:returned"]),
    }
    if lengths:
        found["lengths"] = _by_length(api.bench_lengths("fibonacci", (10, 100, 1000, 10_000), seconds=SECONDS))
    return found


def _measured(targets: list[str]) -> dict[str, str]:
    """Of the first its time, of the others how they compare with it."""
    bench = api.bench(targets, seconds=SECONDS, stage="jaxpr")
    names = [target.rpartition(":")[2] for target in targets]
    first = bench.rows[0].timing("run")
    assert first is not None
    return {names[0]: seconds(first.median)} | {names[c.row]: _compared(bench, c) for c in bench.comparisons}


def _compared(bench: Bench, comparison: Any) -> str:
    found = comparison.ratio("run")
    timing = bench.rows[comparison.row].timing("run")
    shown = found if found.estimate >= 1 else found.inverse()
    if bench.noisy or not found.known:
        return f"{seconds(timing.median)}: not told"
    if not found.differs:
        return f"{seconds(timing.median)}: no measurable difference ({found.low:.2f} to {found.high:.2f})"
    word = "slower" if found.estimate > 1 else "faster"
    return f"{seconds(timing.median)}: {shown.estimate:.2f} times {word} ({shown.low:.2f} to {shown.high:.2f})"


def _by_length(found: Lengths) -> dict[str, Any]:
    def table(cell: Callable[[Any], str]) -> dict[str, list[str]]:
        return {
            name: ["not run" if bench.rows[k].missing else cell(bench.rows[k]) for bench in found.benches]
            for k, name in enumerate(found.names)
        }

    return {
        "lengths": list(found.lengths),
        "missing": sorted({row.missing for bench in found.benches for row in bench.rows if row.missing}),
        "a call": table(lambda row: seconds(row.timing("run").median)),
        "trace, lower and compile": table(lambda row: seconds(made(row) or 0)),
        "code": table(lambda row: size(row.memory.code)),
        "memory to run": table(lambda row: size(row.memory.planned)),
        "memory to compile": table(lambda row: size(row.memory.compile)),
    }


# -- the page ----------------------------------------------------------------------------------------------------------


def page(found: list[dict[str, Any]], taken: dict[str, dict[str, Any]]) -> str:
    """The page, from the facts of all versions, oldest first, and the times by version."""
    versions = [each["jax"] for each in found]
    text = (HERE / "closure-or-carry.template.md").read_text(encoding="utf-8")
    blocks = {
        "versions": f"{', '.join(versions[:-1])} and {versions[-1]}",
        "newest": versions[-1],
        "ways": _table(["", *(f"JAX {v}" for v in versions)], [
            [f"`{way}`", *(_signs(each["ways"][way]) for each in found)] for way in WAYS
        ]),
        "carry-rules": _table(["`carry`", *(f"JAX {v}" for v in versions)], [
            [stage, *(_rules(each["ways"]["carry"][stage]) for each in found)] for stage in STAGES
        ]),
        "loops": _table(["", "in the jaxpr", "against scan", f"ops at {SHORT}", f"ops at {LONG}"], [
            [f"`{kind}`", loop["in the jaxpr"], _signs(loop["verdicts"]) if "verdicts" in loop else "",
             *map(str, loop["ops"].values())]
            for kind, loop in found[-1]["loops"].items()
        ]),
        "loops-agree": _agreement(found),
        "cond": _table(["copies in a trip", *(f"JAX {v}" for v in versions)], [
            [f"`{name}`", *(f"{each['cond'][name]['bytes']:,} bytes" for each in found)] for name in IN_COND
        ]),
        "returned": _table(["", *(f"JAX {v}" for v in versions)], [
            ["`dropped` and `returned`", *(_signs(each["returned"]) for each in found)]
        ]),
        "scalars": _table(["`number` and `array`", *(f"JAX {v}" for v in versions)], [
            [f"`{given}`", *(_signs(each["scalars"][given]) for each in found)] for given in found[-1]["scalars"]
        ]),
        "weak": _table(["`0.01` and `f32[]`", *(f"JAX {v}" for v in versions)], [
            [stage, *(_rules(each["weak"][stage]) for each in found)] for stage in STAGES
        ]),
        **{f"{key}-times": _times(versions, taken, key) for key in ("ways", "cond", "returned")},
        "lengths": _lengths(taken),
    }  # fmt: skip
    for name, block in blocks.items():
        text = text.replace("{" + name + "}", block)
    return text


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _signs(verdicts: dict[str, list[str]]) -> str:
    return " ".join(SIGNS[verdicts[stage][0]] for stage in STAGES)


def _rules(verdict: list[str]) -> str:
    return ", ".join(f"`{rule}`" for rule in verdict[1:]) or SIGNS[verdict[0]]


def _agreement(found: list[dict[str, Any]]) -> str:
    """How older versions count; versions that count alike together."""
    groups: dict[str, list[str]] = {}
    for each in found:
        told = (f"{kind} {' and '.join(map(str, loop['ops'].values()))}" for kind, loop in each["loops"].items())
        groups.setdefault(", ".join(told), []).append(each["jax"])
    newest = found[-1]["jax"]
    lines = []
    for ops, versions in groups.items():
        others = [version for version in versions if version != newest]
        if others:
            lines.append(f"JAX {' and '.join(others)}: {'the same' if newest in versions else ops}.")
    return " ".join(lines)


def _times(versions: list[str], taken: dict[str, dict[str, Any]], key: str) -> str:
    measured = [version for version in versions if version in taken]
    names = list(taken[measured[-1]][key])
    rows = [[f"JAX {version}", *(taken[version][key][name] for name in names)] for version in measured]
    return _table(["", *(f"`{name}`" for name in names)], rows)


def _lengths(taken: dict[str, dict[str, Any]]) -> str:
    version, found = next((v, each["lengths"]) for v, each in taken.items() if "lengths" in each)
    parts = []
    for what in ("a call", "trace, lower and compile", "code", "memory to run", "memory to compile"):
        head = [what, *(f"{length:,}" for length in found["lengths"])]
        parts.append(_table(head, [[f"`{name}`", *cells] for name, cells in found[what].items()]))
    note = "; ".join(found["missing"])
    return "\n\n".join([f"With JAX {version}{f' ({note})' if note else ''}:", *parts])


# -- files -------------------------------------------------------------------------------------------------------------


def read(ending: str) -> list[dict[str, Any]]:
    """The files of all versions, oldest first."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in FOLDER.glob(f"*.{ending}.json")]
    return sorted(found, key=lambda each: tuple(int(part) for part in each["jax"].split(".") if part.isdecimal()))


def written(found: dict[str, Any]) -> str:
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def rendered() -> str:
    return page(read("facts"), {each["jax"]: each for each in read("times")})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("facts", "times", "page"))
    parser.add_argument("--lengths", action="store_true", help="measure loops by length, too")
    options = parser.parse_args()
    if options.what == "page":
        PAGE.write_text(rendered(), encoding="utf-8")
        return
    found = facts() if options.what == "facts" else times(options.lengths)
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"jax-{found['jax']}.{options.what}.json").write_text(written(found), encoding="utf-8")


if __name__ == "__main__":
    main()
