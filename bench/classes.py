"""How much longer does `scanir classes` take than reading the modules, for 1,000 of them?

Two directories of optimized HLO are made: a dump in which 40 programs were compiled 25 times each, with other names
each time, and one of 1,000 programs that are alike but for a constant. With a directory as argument that is measured
instead. Each round reads all modules, and sorts all modules (reading them), in turn, in processor time.
"""

from __future__ import annotations

import argparse
import re
import statistics
import tempfile
import time
from pathlib import Path

from scanir import api
from scanir.program import Program
from scanir.targets.many import sources

LENGTHS = range(2, 42)


def read(directory: str) -> list[Program]:
    """All modules, at once in memory, as whoever compares them needs them."""
    return [source.programs()["hlo"] for source in sources((directory,), ("hlo",), None)]


def compiled(length: int, factor: float) -> str:
    """A loop over a small layer, as XLA compiles it."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    def layer(x: jax.Array, w: jax.Array) -> tuple[jax.Array, jax.Array]:
        def step(carry: jax.Array, _: None) -> tuple[jax.Array, jax.Array]:
            hidden = jnp.tanh(carry @ w) * factor
            return hidden + x, hidden.sum()

        return lax.scan(step, x, None, length=length)

    shape = jax.ShapeDtypeStruct((8, 8), jnp.float32)
    text = jax.jit(layer).lower(shape, shape).compile().as_text()
    assert text is not None
    return text


def write_dumps(root: Path) -> dict[str, str]:
    again, unlike = root / "again", root / "unlike"
    again.mkdir()
    unlike.mkdir()
    programs = [compiled(length, 0.5) for length in LENGTHS]
    constant = compiled(7, 0.123)
    for number in range(1000):
        text = re.sub(r"%([\w.-]+)", rf"%\1_{number}", programs[number % len(programs)])
        (again / f"module_{number:04}.jit_layer.cpu_after_optimizations.txt").write_text(text)
        text = constant.replace("constant(0.123)", f"constant(0.{number + 1000})")
        (unlike / f"module_{number:04}.jit_layer.cpu_after_optimizations.txt").write_text(text)
    return {"40 programs, 25 times each": str(again), "1,000 programs but for constants": str(unlike)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", nargs="?", help="what to measure instead")
    parser.add_argument("--rounds", type=int, default=5, help="how often each is done (default 5)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        found = {given.directory: given.directory} if given.directory else write_dumps(Path(root))
        print(f"{'':36}{'programs':>9}{'classes':>9}{'reading':>10}{'classes':>10}{'ratio':>8}   (medians)")
        for name, directory in found.items():
            taken: dict[str, list[float]] = {"read": [], "classes": []}
            for number in range(given.rounds + 1):
                start = time.process_time()
                count = len(read(directory))
                middle = time.process_time()
                answer = api.classes([directory])
                end = time.process_time()
                if number or given.rounds == 1:  # the first round fills caches
                    taken["read"].append(middle - start)
                    taken["classes"].append(end - middle)
            reading, sorting = (statistics.median(times) for times in taken.values())
            classes = sum(len(one) for _, one in answer.stages)
            print(f"{name:36}{count:>9}{classes:>9}{reading:>9.2f}s{sorting:>9.2f}s{sorting / reading:>7.2f}x")


if __name__ == "__main__":
    main()
