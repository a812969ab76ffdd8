"""``python -m tests.mutation``: the whole campaign. Exit status 1 where a mutant is called equal that is not."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

DIALECTS = ("hlo", "stablehlo", "jaxpr")
#: How many modules a process mutates.
SHARE = 150
CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"


def run(chosen: list[Any], workers: int, log: Path | None) -> list[Any]:
    """The tallies of all chosen modules, those that the log has among them.

    Processes are made anew now and then, because JAX keeps all that it has compiled. Not by ``max_tasks_per_child``:
    before Python 3.12 a pool may wait for ever when a process has done its share.
    """
    from tests.mutation import report
    from tests.mutation.work import work

    start, tallies = time.perf_counter(), report.read_log(log) if log else []
    done_before = {(tally.dialect, tally.source) for tally in tallies}
    waiting = [task for task in chosen if task[:2] not in done_before]
    context, number = multiprocessing.get_context("spawn"), 0
    for first in range(0, len(waiting), SHARE * workers):
        with ProcessPoolExecutor(workers, context) as pool:
            jobs = [pool.submit(work, *task) for task in waiting[first : first + SHARE * workers]]
            for done in as_completed(jobs):
                number += 1
                tallies.append(done.result())
                if log:
                    with log.open("a", encoding="utf-8") as file:
                        file.write(report.line(tallies[-1]) + "\n")
                if number % 50 == 0:
                    said = f"{time.perf_counter() - start:.0f} s: {report.summary(tallies)}"
                    print(f"{number} of {len(waiting)} modules, {said}", file=sys.stderr, flush=True)
    return tallies


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--dialect", choices=DIALECTS, action="append", help="only this one (may be repeated)")
    parser.add_argument("--source", default="", help="only modules whose name contains this")
    parser.add_argument("--limit", type=int, default=220, help="most mutants of one module")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", type=Path, help="write the counts and suspects there")
    parser.add_argument(
        "--log", type=Path, help="add each module's tally there as a line; modules that it has are done"
    )
    parser.add_argument("--page", type=Path, help="write the counts there as a page in Markdown")
    parser.add_argument("--no-corpus", action="store_true", help="leave the files of ../shared/corpus out")
    options = parser.parse_args()
    # Eight devices, for collectives; each worker gets these with the environment.
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8 --xla_cpu_multi_thread_eigen=false"
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

    from tests.mutation import report, sources

    corpus = CORPUS if CORPUS.is_dir() and not options.no_corpus else None
    if corpus is None:
        print("no ../shared/corpus: its files are NOT mutated", file=sys.stderr)
    chosen = [
        (dialect, name, options.limit, options.seed, corpus)
        for dialect in options.dialect or DIALECTS
        for name in sources.names(dialect, corpus)
        if options.source in name
    ]
    # Models and strategies first, then the corpus, then one program a primitive; dialects in turn, so that what a run
    # that is broken off has done is a fair sample.
    random.Random(options.seed).shuffle(chosen)
    chosen.sort(key=lambda task: (task[1].startswith("primitive "), task[1].startswith("corpus ")))
    start = time.perf_counter()
    tallies = run(chosen, options.workers, options.log)
    tallies.sort(key=lambda tally: (tally.dialect, tally.source))
    print(report.text(tallies))
    if options.json:
        options.json.write_text(report.as_json(tallies, options.seed), encoding="utf-8")
    if options.page:
        from tests.rivals.table import versions

        options.page.write_text(report.page(tallies, versions()), encoding="utf-8")
    seconds = time.perf_counter() - start
    print(f"{seconds:.0f} s with {options.workers} workers", file=sys.stderr)
    return 1 if report.suspects(tallies, *report.BAD) else 0


if __name__ == "__main__":
    sys.exit(main())
