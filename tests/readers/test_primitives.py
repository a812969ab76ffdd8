"""Every primitive that this JAX can lower is read, or there is a written reason why no program contains it."""

from __future__ import annotations

from typing import Any

import jax
import pytest

from scanir import _compat
from scanir.ir.attrs import Hidden
from scanir.ir.parser import parse_module
from scanir.ir.printer import print_module
from scanir.ir.verify import verify
from scanir.ir.walk import attrs_in, ops_of
from scanir.normalize.tables import commutative_ops, device_reads, opaque_ops, pure_ops
from scanir.normalize.tables.jaxpr import KNOWN
from scanir.readers.jaxpr import read_jaxpr
from tests.readers.primitives import MAYBE, PROGRAMS, WITHOUT, Program

pytestmark = [pytest.mark.compat, pytest.mark.older]

REASONS = {name: reason for reason, names in WITHOUT.items() for name in names.split()}
#: Ops that another version's name of a primitive becomes.
SAME = {"pjit": "jit"}


def optional(name: str) -> Program:
    try:
        return MAYBE[name]()
    except (AttributeError, ImportError) as problem:
        pytest.skip(f"this JAX has no {name}: {problem}")


def ops(program: Program) -> frozenset[str]:
    function, args = program
    module = read_jaxpr(jax.make_jaxpr(function)(*args))
    verify(module)
    found = [op for inner in module.functions for op in ops_of(inner.body)]
    attributes = [attr for op in found for attr in attrs_in(value for _, value in op.attributes)]
    assert not any(isinstance(attr, Hidden) for attr in attributes)
    text = print_module(module)
    assert print_module(parse_module(text)) == text
    return frozenset(op.name for op in found)


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_a_program_with_it_is_read(name: str) -> None:
    found = ops(PROGRAMS[name])
    if name in _compat.registered_primitives():
        assert SAME.get(name, name) in found


@pytest.mark.parametrize("name", sorted(MAYBE))
def test_a_program_that_may_have_it_is_read(name: str) -> None:
    assert ops(optional(name))


@pytest.mark.skipif(jax.__version_info__ < (0, 10), reason="another set of primitives, and more of them by each import")
def test_all_are_covered() -> None:
    """Counted: at least 180 of the primitives that JAX registers are read; each other one has its reason."""
    programs: list[Any] = [*PROGRAMS.values()]
    for make in MAYBE.values():
        try:
            programs.append(make())
        except (AttributeError, ImportError):
            continue
    seen: set[str] = set()
    for function, args in programs:
        module = read_jaxpr(jax.make_jaxpr(function)(*args))
        seen |= {op.name for inner in module.functions for op in ops_of(inner.body)}
    registered = _compat.registered_primitives()
    read = {name for name in registered if SAME.get(name, name) in seen}
    assert sorted(registered - read - REASONS.keys()) == []
    assert len(read) >= 180
    assert sorted(registered - KNOWN) == []


def test_tables_name_only_primitives_that_exist() -> None:
    listed = pure_ops("jaxpr") | opaque_ops("jaxpr") | device_reads("jaxpr") | commutative_ops("jaxpr")
    assert sorted(listed - KNOWN) == []
    assert not pure_ops("jaxpr") & opaque_ops("jaxpr")
    assert commutative_ops("jaxpr") <= pure_ops("jaxpr")


def test_what_has_an_effect_is_in_no_table_of_pure_ones() -> None:
    effects = (
        "rng_uniform io_callback pure_callback debug_callback debug_print ffi_call infeed outfeed psum pmax pmin "
        "all_gather all_to_all ppermute reduce_scatter psum_invariant optimization_barrier empty check "
        "shape_assertion run_state "
        "create_token after_all pallas_call inspect_sharding xla_pmap"
    )
    assert not (pure_ops("jaxpr") | opaque_ops("jaxpr") | device_reads("jaxpr")) & set(effects.split())
