from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest

import scanir
from scanir.collection import OBJECTS, held_back

USUAL = (700, 10, 9)


@pytest.fixture(autouse=True)
def thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(*USUAL)
    yield
    gc.set_threshold(*before)


def test_the_search_is_rare_inside_and_as_before_outside() -> None:
    with held_back():
        assert gc.get_threshold() == (OBJECTS, *USUAL[1:])
        with held_back():
            assert gc.get_threshold() == (OBJECTS, *USUAL[1:])
        assert gc.get_threshold() == (OBJECTS, *USUAL[1:])
    assert gc.get_threshold() == USUAL


def test_an_error_brings_it_back() -> None:
    with pytest.raises(scanir.ScanirError):
        scanir.diff("no such strategy", "sum-scan")
    assert gc.get_threshold() == USUAL


@pytest.mark.parametrize("own", [(0, 10, 10), (OBJECTS * 2, 5, 5)])
def test_what_a_person_has_set_stays(own: tuple[int, int, int]) -> None:
    gc.set_threshold(*own)
    with held_back():
        assert gc.get_threshold() == own
    assert gc.get_threshold() == own


def test_the_last_of_several_threads_brings_it_back() -> None:
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with held_back():
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    with held_back():
        thread.start()
        assert inside.wait(10)
    assert gc.get_threshold() == (OBJECTS, *USUAL[1:])
    leave.set()
    thread.join(10)
    assert gc.get_threshold() == USUAL
