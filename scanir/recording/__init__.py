"""Recording compiles: of this process, or of a script in a process of its own."""

from scanir.recording.recorder import assert_compiles_once, record_compiles

__all__ = ["assert_compiles_once", "record_compiles"]
