"""Lines are of the side's own program, whatever else this process, or a cache of an earlier one, has traced before."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import scanir
from scanir.ir.graph import Location, Module
from scanir.ir.walk import ops_of
from scanir.readers.hlo import read_hlo
from scanir.readers.stablehlo import read_stablehlo

pytestmark = [pytest.mark.compat, pytest.mark.older]

STAGES = ("jaxpr", "stablehlo", "hlo-in", "hlo")
#: Library functions that JAX traces once for equal shapes.
PROGRAM = """\
import jax
import jax.numpy as jnp
{pad}
@jax.custom_jvp
def special(x):
    return jnp.clip(x, 0.0, 9.0)

special.defjvp(lambda p, t: (special(*p), jnp.where(p[0] > 0, t[0], 2 * t[0])))

def step(x, y):
    z = jnp.where(x > 0, jnp.clip(x, -1.0, 1.0), y)
    r = jax.nn.relu(z) * jnp.linalg.norm(z)
    g = jax.grad(lambda q: jnp.sum(special(q) + jnp.clip(q, 0.0, 2.0)))(r)
    v = jax.vmap(lambda q, p: jnp.where(q > 0, q, p))(g, r)
    s = jax.checkpoint(lambda q: jnp.clip(q, -2.0, 2.0))(v)
    ys = jax.lax.scan(lambda c, e: (c + jnp.clip(e, 0.0, 3.0), c), 0.0, s)[1]
    return jnp.clip(ys, {last}, 4.0)
"""
VECTOR = jax.ShapeDtypeStruct((4,), jnp.float32)


#: Two sides for reports: the last clip differs. (It is of another shape: up to JAX 0.6 HLO gives a function that two
#: calls share the line of the first.)
SHORT = """\
import jax
import jax.numpy as jnp
{pad}
def step(x, y):
    z = jax.nn.relu(jnp.where(x > 0, jnp.clip(x, -1.0, 1.0), y))
    return jnp.clip(z[:3], {last}, 4.0)
"""


def write(directory: Path, name: str, pad: int, last: str, text: str = SHORT) -> Path:
    path = directory / f"{name}.py"
    path.write_text(text.format(pad="\n" * pad, last=last), encoding="utf-8")
    return path


def load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"lines_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def places(module: Module) -> set[Location]:
    return {op.location for function in module.functions for op in ops_of(function.body) if op.location is not None}


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_two_files_that_share_library_functions(tmp_path: Path, order: str) -> None:
    """Every line of each module at each stage, both orders, in one process."""
    paths = {"a": write(tmp_path, "a", 0, "-4.0", PROGRAM), "b": write(tmp_path, "b", 70, "-4.0", PROGRAM)}
    for name in order:
        lines = paths[name].read_text(encoding="utf-8").splitlines()
        own = range(lines.index("@jax.custom_jvp") + 1, len(lines) + 1)
        for stage, module in scanir.trace(load(paths[name]).step, VECTOR, VECTOR, stage=",".join(STAGES)).items():
            found = places(module)
            assert {place.file for place in found} == {str(paths[name])}, f"{name} at {stage}"
            assert {place.line for place in found} <= set(own), f"{name} at {stage}"
            assert len(found) > 5


def test_mismatch_inside_a_library_function(tmp_path: Path) -> None:
    """The last clip of each side, by the name of a file and by its function."""
    paths = [write(tmp_path, "a", 0, "-4.0"), write(tmp_path, "b", 70, "-5.0")]
    wanted = [f"{path}:{len(path.read_text(encoding='utf-8').splitlines())}" for path in paths]
    functions = [load(path).step for path in paths]
    for sides, orders in ((functions, ((0, 1), (1, 0))), ([f"{path}:step" for path in paths], ((1, 0),))):
        for first, second in orders:
            answer = scanir.diff(sides[first], sides[second], VECTOR, VECTOR, stage="jaxpr,stablehlo,hlo")
            for stage in answer.stages:
                assert stage.mismatch is not None
                assert [stage.mismatch.left_line, stage.mismatch.right_line] == [wanted[first], wanted[second]]


def test_command_line(tmp_path: Path) -> None:
    paths = [write(tmp_path, "b", 70, "-5.0"), write(tmp_path, "a", 0, "-4.0")]
    sides = [f"{path}:step" for path in paths]
    command = [sys.executable, "-m", "scanir", "diff", *sides, "--args", "f32[4], f32[4]", "--stage", "jaxpr,hlo"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, cwd=Path(__file__).parents[1])
    assert done.returncode == 1, done.stderr
    for path in paths:
        assert f"{path.name}:{len(path.read_text(encoding='utf-8').splitlines())}" in done.stdout


@jax.jit
def helper(x: Any) -> Any:
    return jnp.sin(x) * 3


HELPER = helper.__wrapped__.__code__.co_firstlineno + 2


def program(x: Any, y: Any) -> Any:
    one = jnp.clip(x, -1.0, 1.0)
    two = jnp.clip(y, -1.0, 1.0)
    three = helper(one)
    four = helper(two)
    ys = jax.lax.scan(lambda c, e: (c + e * 2, c), 0.0, three)[1]
    zs = jax.lax.scan(lambda c, e: (c + e * 2, c), 1.0, four)[1]
    return ys, zs


FIRST = program.__code__.co_firstlineno + 1


@pytest.mark.parametrize("stage", STAGES)
def test_one_function_for_two_calls(stage: str) -> None:
    """A helper has its own line; what the library did is not said to be of the first call; each loop has its line."""
    module = scanir.trace(program, VECTOR, VECTOR, stage=stage)[stage]
    ops = [op for function in module.functions for op in ops_of(function.body)]
    loops = [op.location.line for op in ops if op.name.split(".")[-1] in ("scan", "while") and op.location]
    assert sorted(loops) == [FIRST + 4, FIRST + 5]
    sines = {op.location.line for op in ops if op.name.split(".")[-1] in ("sin", "sine") and op.location}
    assert sines == {HELPER}
    if stage in (
        "jaxpr",
        "stablehlo",
    ):  # in HLO of old versions each call has a copy, and in optimized HLO none is left
        bounds = [op for op in ops if op.name.split(".")[-1] in ("max", "maximum")]
        assert [op.location for op in bounds] == [None] * len(bounds)


def test_reports_give_the_line_of_each_call() -> None:
    """The clip of y differs; both clips are one function in both programs."""

    def other(x: Any, y: Any) -> Any:
        one = jnp.clip(x, -1.0, 1.0)
        two = jnp.clip(y * 2, -1.0, 1.0)
        return one, two

    def plain(x: Any, y: Any) -> Any:
        one = jnp.clip(x, -1.0, 1.0)
        two = jnp.clip(y / 3, -1.0, 1.0)
        return one, two

    for stage in ("jaxpr", "stablehlo"):
        mismatch = scanir.diff(other, plain, VECTOR, VECTOR, stage=stage).stages[0].mismatch
        assert mismatch is not None
        assert mismatch.left_line == f"{__file__}:{other.__code__.co_firstlineno + 2}"
        assert mismatch.right_line == f"{__file__}:{plain.__code__.co_firstlineno + 2}"


def test_caches_of_the_person_stay() -> None:
    """What was compiled before is not traced or compiled again afterwards."""
    traced = []

    @jax.jit
    def own(x: Any) -> Any:
        traced.append(1)
        return jnp.clip(x, 0.0, 1.0)

    own(jnp.ones(3))
    before = len(traced)
    scanir.trace(own, jnp.ones(3), stage="jaxpr,stablehlo")
    after = len(traced)
    scanir.trace(own, jnp.ones(3), stage="jaxpr,stablehlo")
    assert len(traced) == after  # one target is traced once, however often it is asked for
    own(jnp.ones(3))
    assert len(traced) == after
    assert before == 1


WARM = """
import sys
import jax, jax.numpy as jnp
jax.config.update("jax_compilation_cache_dir", sys.argv[1])
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
sys.path.insert(0, sys.argv[2])
import a, b, scanir
from scanir.ir.walk import ops_of
S = jax.ShapeDtypeStruct((4,), jnp.float32)
jax.jit(a.step).lower(S, S).compile()
from scanir.readers.hlo import read_hlo
def files(module):
    return sorted({op.location.file.split("/")[-1] for f in module.functions for op in ops_of(f.body) if op.location})
jax.clear_caches()
print(files(read_hlo(jax.jit(b.step).lower(S, S).compile().as_text())))
print(files(scanir.trace(b.step, S, S, stage="hlo")["hlo"]))
"""


def test_persistent_cache(tmp_path: Path) -> None:
    """JAX's cache on disk has the lines of who compiled first; scanir's modules do not come from there."""
    write(tmp_path, "a", 0, "-4.0")
    write(tmp_path, "b", 70, "-4.0")
    command = [sys.executable, "-c", WARM, str(tmp_path / "cache"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, cwd=Path(__file__).parents[1])
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["['a.py']", "['b.py']"]
    entries = [path for path in (tmp_path / "cache").iterdir() if path.name.startswith("jit_step")]
    assert len([path for path in entries if path.name.endswith("-cache")]) == 1


# -- texts -------------------------------------------------------------------------------------------------------------

SHARED = """\
#own = loc("f"("b.py":7:1))
#one = loc(callsite("g"("a.py":10:1) at "<module>"("a.py":99:1)))
#two = loc(callsite("g"("a.py":20:1) at "<module>"("a.py":99:1)))
#kept = loc(callsite("h"("a.py":20:1) at callsite("h"("a.py":30:1) at "<module>"("a.py":99:1))))
#lambda = loc(callsite("<lambda>"("a.py":20:1) at callsite("<lambda>"("a.py":30:1) at "<module>"("a.py":99:1))))
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = func.call @inner(%x) : (tensor<f32>) -> tensor<f32> loc(#one)
  %1 = func.call @inner(%0) : (tensor<f32>) -> tensor<f32> loc(#two)
  %2 = stablehlo.sine %1 : tensor<f32> loc(#kept)
  %3 = stablehlo.cosine %2 : tensor<f32> loc(#lambda)
  return %3 : tensor<f32>
}
func.func private @inner(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.abs %x : tensor<f32> loc(#one)
  %1 = stablehlo.negate %0 : tensor<f32> loc(#own)
  return %1 : tensor<f32>
}
"""


def test_stacks_of_mlir() -> None:
    """A line of one call is none of the function; of one function's lines, the outer is right; lambdas share names."""
    module = read_stablehlo(SHARED)
    lines = [op.location and op.location.line for function in module.functions for op in function.body.ops]
    assert lines == [10, 20, 30, 20, None, 7]


def test_stacks_of_hlo() -> None:
    tables = """HloModule m

FileNames
1 "a.py"

FunctionNames
1 "g"
2 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=10 end_line=10 column=1 end_column=2}
2 {file_name_id=1 function_name_id=1 line=20 end_line=20 column=1 end_column=2}
3 {file_name_id=1 function_name_id=2 line=5 end_line=5 column=1 end_column=2}

StackFrames
1 {file_location_id=2 parent_frame_id=1}
2 {file_location_id=1 parent_frame_id=2}
3 {file_location_id=3 parent_frame_id=3}
4 {file_location_id=1 parent_frame_id=5}

"""
    text = (
        tables
        + """
inner { p = f32[] parameter(0)
  q = f32[] abs(p), metadata={op_name="x" stack_frame_id=1}
  ROOT r = f32[] negate(q), metadata={op_name="x" stack_frame_id=3} }
ENTRY main { x = f32[] parameter(0)
  a = f32[] call(x), to_apply=inner, metadata={op_name="x" stack_frame_id=1}
  b = f32[] call(a), to_apply=inner, metadata={op_name="x" stack_frame_id=2}
  ROOT c = f32[] sine(b), metadata={op_name="x" stack_frame_id=4} }
"""
    )
    module = read_hlo(text)
    lines = [op.location and op.location.line for function in module.functions for op in function.body.ops]
    assert lines == [None, 5, 20, 20, 10]


def test_frames_of_scanir_are_no_program() -> None:
    from scanir import _compat, tracers
    from scanir.ir.places import innermost, is_own
    from scanir.strategies import rollout

    assert is_own(str(tracers.__file__))
    assert is_own(str(_compat.__file__))
    assert not is_own(str(rollout.__file__))
    assert not is_own(__file__)
    assert innermost([Location(str(tracers.__file__), 3), Location(__file__, 4)]) is None
    assert innermost([Location(__file__, 4, "f"), Location(str(tracers.__file__), 3)]) == Location(__file__, 4, "f")
