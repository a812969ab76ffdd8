"""Programs that are equal by construction are found equal, and near copies with other results are not."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

import scanir
from scanir.result import Verdict
from tests.construct import campaign
from tests.construct.build import evaluated, function, shapes
from tests.construct.generate import generated
from tests.construct.language import Const, free, places
from tests.construct.perturb import PERTURBATIONS
from tests.construct.rewrites import REWRITES

BOTH = "jaxpr,stablehlo"
#: What may be missed, of a campaign as a whole.
MISSED = 0.02
#: What may be equal and have no certificate, as the checker names another rule for it than the verdict does.
UNCERTIFIED = 0.05


@pytest.mark.parametrize("name", REWRITES)
def test_a_rewrite_is_seen_through(name: str) -> None:
    """The first program that the rewrite applies to."""
    first = list(REWRITES).index(name)
    found = next(a for k in range(20) if (a := campaign.answers("rewrites", first + k * len(REWRITES), BOTH)))
    assert [a.stage for a in found] == ["jaxpr", "stablehlo"]
    assert all(a.wanted for a in found), campaign.table(found)


@pytest.mark.parametrize("name", PERTURBATIONS)
def test_a_change_is_never_called_equal(name: str) -> None:
    first = list(PERTURBATIONS).index(name)
    found = next(a for k in range(40) if (a := campaign.answers("changes", first + k * len(PERTURBATIONS), BOTH)))
    assert all(a.wanted for a in found), campaign.table(found)


def test_chains_of_rewrites() -> None:
    """Chains are seen through. Where the checker names dead or duplicated work that the verdict does not, there is no
    certificate; how often is counted by the campaign."""
    found = list(campaign.run("chains", 10, BOTH))
    missed = [a for a in found if not a.wanted and a.verdict != "UNCERTIFIED"]
    assert not missed, campaign.table(missed)
    assert sum(a.wanted for a in found) >= 0.75 * len(found), campaign.table(found)


def test_optimized_hlo() -> None:
    found = [a for kind in ("rewrites", "chains", "changes") for a in campaign.run(kind, 5, "hlo")]
    assert all(a.wanted for a in found), campaign.table(found)
    assert len(found) > 8


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", campaign.KINDS)
def test_campaign(kind: str) -> None:
    """The share of misses in the campaign; at hlo XLA may have made other programs of equal ones."""
    found = [*campaign.run(kind, 300, BOTH, 2), *campaign.run(kind, 100, "hlo", 2)]
    print(campaign.table(found))
    wrong = [a for a in found if not a.wanted]
    if kind == "changes":
        assert not wrong, campaign.table(wrong)
    for stage in BOTH.split(","):
        some = [a for a in found if a.stage == stage]
        assert len(some) > 100
        unsure = sum(a.verdict == "UNCERTIFIED" for a in some)
        assert sum(not a.wanted for a in some) - unsure <= MISSED * len(some), campaign.table(some)
        assert unsure <= UNCERTIFIED * len(some), campaign.table(some)


# -- the generator itself ----------------------------------------------------------------------------------------------


def test_programs_are_closed_and_repeatable() -> None:
    for seed in range(40):
        program = generated(random.Random(seed))
        assert set(free(program.block)) <= set(program.params), seed
        assert program == generated(random.Random(seed))
        names = [name for _, block in places(program) for stmt in block.stmts for name in campaign_outs(stmt)]
        assert len(names) == len(set(names)), seed


def campaign_outs(stmt: object) -> tuple[str, ...]:
    from tests.construct.language import outs_of

    return outs_of(stmt)  # type: ignore[arg-type]


def test_a_wrong_rewrite_is_found_by_running_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The guard works: a perturbation among the rewrites is noticed, and is no miss of scanir."""
    monkeypatch.setitem(REWRITES, "another op", PERTURBATIONS["another op"])
    caught = 0
    for seed in range(8):
        rng = random.Random(seed)
        try:
            campaign.rewritten(generated(rng), rng, ["another op"])
        except campaign.WrongRewrite:
            caught += 1
    assert caught >= 2


def test_results_without_jit_are_those_with_it_up_to_rounding() -> None:
    """What programs are compared by is the function that is traced: integers and trip counts at least agree exactly."""
    import jax
    import numpy as np

    from tests.construct.build import inputs

    program = generated(random.Random(11))
    args = inputs(program, 3)
    with jax.disable_jit():
        plain = jax.tree.leaves(function(program)(*args))
    for one, other in zip(plain, jax.tree.leaves(jax.jit(function(program))(*args)), strict=True):
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-4, atol=1e-5)
    assert evaluated(program) == evaluated(program) != evaluated(replace(program, block=_negated(program)))


def _negated(program: object) -> object:
    from tests.construct.language import Block, Let, Program

    assert isinstance(program, Program)
    block = program.block
    program.types["neg"] = program.type(block.results[0])  # type: ignore[index]
    last = Let("neg", "mul", (block.results[0], Const(-3.0)))
    return Block((*block.stmts, last), ("neg", *block.results[1:]))


def test_verdict_of_a_program_with_itself() -> None:
    for seed in range(3):
        program = generated(random.Random(seed), depth=3, size=2)
        found = scanir.diff(function(program), function(program), *shapes(program), stage=BOTH)
        assert {stage.verdict for stage in found.stages} == {Verdict.IDENTICAL}
