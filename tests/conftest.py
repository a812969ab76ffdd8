"""Settings and fixtures for all tests."""

from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from scanir.result import StageDiff

ROOT = Path(__file__).resolve().parent.parent

# Before anything imports jax: on the CPU, split into eight devices, so that shard_map and collectives can be tested.
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")

# ``derandomize``: the same examples in each run, so that a failure is the change's own. ``deep`` looks for new ones:
# HYPOTHESIS_PROFILE=deep make test
settings.register_profile(
    "default", max_examples=50, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("deep", max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(scope="session")
def repo_root() -> Path:
    """The root of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The directory ``shared`` beside the repository, with its corpus of real programs; skips loudly without it."""
    directory = ROOT.parent / "shared"
    if not (directory / "corpus").is_dir():
        message = "no ../shared/corpus beside the repository: tests over the corpus of real programs do NOT run"
        # Shown in pytest's summary of warnings, although warnings are errors elsewhere.
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn(pytest.PytestWarning(message), stacklevel=1)
        pytest.skip(message)
    return directory


@pytest.fixture(autouse=True, scope="session")
def every_equality_is_certified() -> Iterator[None]:
    """Each IDENTICAL and EQUIVALENT in a test goes through the checker before the test sees it.

    Where a test says that host functions are settled, they are to the checker. The only answers that it does not see
    set aside the address of a host call.
    """
    from scanir.certify.produce import BeyondModules, checked
    from scanir.compare import verdict
    from scanir.ir.parser import parse_module
    from scanir.program import Interface, Program

    run = verdict._Comparison.run
    text = "module jaxpr entry @main\n\nfunc @main (%x: f32[]) {\n  %r = pure_callback(%x) : f32[]\n  return %r\n}\n"
    calls = Program("jaxpr", parse_module(text), Interface((), (0,)), "one call")

    @functools.wraps(run)  # for who plants a bug and wants it to get through
    def certified(self: verdict._Comparison) -> StageDiff:
        answer = run(self)
        if answer.verdict.exit_code == 0:
            try:
                checked(self._a, self._b, answer, jaxprs=(calls, calls) if self._settled else None)
            except BeyondModules:
                assert "payload-noise" in {use.rule for use in answer.modulo}
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verdict._Comparison, "run", certified)
        yield
