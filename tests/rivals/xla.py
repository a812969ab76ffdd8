"""XLA's parser and printers in a child process, since some texts that are no module end the process of whoever asks."""

from __future__ import annotations

from multiprocessing.connection import Connection
from typing import Any

from tests.mutation.execution import children

#: Seconds for one text.
LIMIT = 10.0


class Printer:
    """A child process that prints HLO texts; started anew when it dies."""

    def __init__(self) -> None:
        self._process: Any = None
        self._pipe: Connection | None = None

    def texts(self, text: str) -> dict[str, str] | None:
        """The texts that the tools compare; None where XLA does not take the text."""
        if self._process is None or not self._process.is_alive():
            self._start()
        assert self._pipe is not None
        try:
            self._pipe.send(text)
            if self._pipe.poll(LIMIT):
                found: dict[str, str] | None = self._pipe.recv()
                return found
        except (EOFError, OSError):
            pass
        self.close()
        return None

    def _start(self) -> None:
        context = children()
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
        self._process = None


def _serve(pipe: Connection) -> None:
    import os

    from jaxlib import _hlo

    from tests.rivals.tools import texts

    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # XLA says on standard error why it ends
    while True:
        try:
            text = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send(texts("hlo", _hlo.hlo_module_from_text(text)))
        except Exception:  # noqa: BLE001 -- whatever it is, the text is no module to XLA
            pipe.send(None)
