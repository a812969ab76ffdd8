"""The process that runs programs ends with the tests that use it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from scanir.evidence.process import end_idle


@pytest.fixture(autouse=True, scope="package")
def no_process_is_left() -> Iterator[None]:
    yield
    end_idle()
