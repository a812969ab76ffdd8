"""The process that runs programs ends with each module of tests that use it: other tests count child processes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from scanir.evidence.process import end_idle


@pytest.fixture(autouse=True, scope="module")
def no_process_is_left() -> Iterator[None]:
    yield
    end_idle()
