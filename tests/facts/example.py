"""A program with something for every table; the files beside it are what JAX 0.10.2 made of it (see `test_files`)."""

from __future__ import annotations

from typing import Any

import numpy as np

TABLE = np.arange(600, dtype=np.int32)


def step(key: Any, a: Any, b: Any, n: Any) -> Any:
    import jax
    import jax.numpy as jnp
    from jax import lax

    def body(carry: Any, _: Any) -> Any:
        i, p, q, total = carry
        noise = jax.random.normal(jax.random.fold_in(key, i))
        return (i + 2, q, p, total + p * noise), None

    def loud(x: Any) -> Any:
        jax.debug.print("large {}", x)
        return x

    (_, p, _, total), _ = lax.scan(body, (0, a, b, 0.0), None, length=5)
    total = total + jax.random.uniform(key)
    waited = lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] * 0.5), (0, p))[1]
    return lax.cond(total > 3.0, loud, jnp.negative, total) + jnp.sum(jnp.asarray(TABLE)), waited


def main() -> None:
    """Write the files: the example at each stage, with lines, and without the paths of this machine."""
    import re
    from pathlib import Path

    import jax

    from scanir.ir.printer import Style, print_module
    from scanir.targets import Target

    root = Path(__file__).parents[2]
    arguments = (jax.random.key(0), 1.0, 2.0, 4)
    for stage, program in Target(step, arguments).trace(("jaxpr", "stablehlo", "hlo")).items():
        text = print_module(program.module, Style(locations=True)).replace(f"{root}/", "")
        text = re.sub(r'at\("/[^"]*/site-packages/', 'at("', text)
        Path(__file__).with_name("files").joinpath(f"{stage}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
