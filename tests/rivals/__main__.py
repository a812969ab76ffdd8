"""``python -m tests.rivals``: the table of `docs/soundness.md` that compares tools; ``--write`` puts it there."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "soundness.md"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.rivals", description=__doc__)
    parser.add_argument("--limit", type=int, default=40, help="most mutants of one module")
    parser.add_argument("--pairs", type=int, default=112, help="cases of one rewrite; half as many chains")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="put the table into docs/soundness.md")
    options = parser.parse_args()
    # As for the mutation campaign: eight devices, for collectives.
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8 --xla_cpu_multi_thread_eigen=false"
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

    from tests.rivals import table
    from tests.rivals.measure import Counts
    from tests.rivals.work import jobs, work

    start, counts = time.perf_counter(), Counts()
    waiting = jobs(options.limit, options.pairs)
    with ProcessPoolExecutor(options.workers, multiprocessing.get_context("spawn")) as pool:
        for number, found in enumerate(pool.map(work, waiting), 1):
            counts += found
            if number % 20 == 0:
                print(f"{number} of {len(waiting)}, {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    made = table.page(counts)
    print(made)
    if options.write:
        PAGE.write_text(table.put(PAGE.read_text(encoding="utf-8"), made), encoding="utf-8")
    return 1 if table.wrong(counts) else 0


if __name__ == "__main__":
    sys.exit(main())
