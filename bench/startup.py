"""How long do `scanir --help` and the comparison of two small files take, against importing click and an empty Python?

Each round starts every command once, in turn; the first round, which fills disk caches, is not counted.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SMALL = """HloModule m

ENTRY main {
  p = f32[4]{0} parameter(0)
  q = f32[4]{0} parameter(1)
  s = f32[4]{0} multiply(p, q)
  ROOT r = f32[4]{0} add(s, p)
}
"""
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "python -c 'import click'": [sys.executable, "-c", "import click"],
    "scanir --help": [str(Path(sys.executable).with_name("scanir")), "--help"],
    "scanir diff, two small files": [str(Path(sys.executable).with_name("scanir")), "diff", "a.txt", "b.txt"],
}
BASE = "python -c 'import click'"


def seconds(command: list[str], folder: str) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="how often each command is started (default 15)")
    rounds = parser.parse_args().rounds
    taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a.txt").write_text(SMALL, encoding="utf-8")
        Path(folder, "b.txt").write_text(SMALL.replace("s =", "t =").replace("(s,", "(t,"), encoding="utf-8")
        for number in range(rounds + 1):
            for name, command in COMMANDS.items():
                elapsed = seconds(command, folder)
                if number:
                    taken[name].append(elapsed)
    base = statistics.median(taken[BASE])
    print(f"{'command':30}{'median':>10}{'fastest':>10}{'slowest':>10}{'ratio':>8}   ({rounds} rounds, in turn)")
    for name, times in taken.items():
        median = statistics.median(times)
        print(f"{name:30}{median:>9.3f}s{min(times):>9.3f}s{max(times):>9.3f}s{median / base:>7.2f}x")


if __name__ == "__main__":
    main()
