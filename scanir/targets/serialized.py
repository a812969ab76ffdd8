"""A serialized HLO module (``.hlo.pb``) as a module: XLA prints it, in a process of its own, and scanir reads the text.

Constants come from the bytes, in full. A malformed file that ends XLA's process is an error like any other. XLA
serializes no number of partitions and replicas: a module whose results may depend on it is refused, never given one.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys

from scanir.errors import ReadError
from scanir.ir.graph import Module

#: What means something else with another number of partitions or replicas: collectives, identities, shardings.
_PARTITIONED = re.compile(
    r"\b(?:replica_groups|source_target_pairs|channel_id|sharding|use_global_device_ids)=|\b(?:partition-id|replica-id|"
    r"all-reduce|all-gather|all-to-all|ragged-all-to-all|reduce-scatter|collective-\w+)(?:-start)?\("
)
_CHILD = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from scanir._compat import hlo_text_of_proto
data = sys.stdin.buffer.read()
try:
    text = hlo_text_of_proto(data)
except Exception as problem:
    print(str(problem).partition("\\n")[0], file=sys.stderr)
    sys.exit(1)
sys.stdout.buffer.write(text.encode())
"""
#: Seconds for XLA to print a module: 100 MB take some two.
_LONGEST = 300
_HINT = "--xla_dump_hlo_as_text writes a module as text, which is read without XLA"


def read_serialized(data: bytes, label: str) -> Module:
    """The module of a serialized HloModuleProto. Raises ReadError."""
    from scanir.readers.hlo import read_hlo, read_hlo_proto_literals

    text = _printed(data, label)
    if found := _PARTITIONED.search(text):
        raise ReadError(
            f"{label} cannot be read: a serialized module does not say how many partitions and replicas it is for, and "
            f"{found[0].rstrip('(=')} depends on that",
            where=label,
            hint=_HINT,
        )
    return read_hlo(text, literals=read_hlo_proto_literals(data) if "{...}" in text else None, source=label)


def _printed(data: bytes, label: str) -> str:
    try:
        child = subprocess.run(
            [sys.executable, "-c", _CHILD, json.dumps(sys.path)],
            input=data, capture_output=True, timeout=_LONGEST, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise ReadError(f"{label} cannot be read: XLA took more than {_LONGEST} s", where=label, hint=_HINT) from None
    except OSError as problem:
        raise ReadError(f"{label} cannot be read: no process for XLA: {problem.strerror}", where=label) from None
    if child.returncode:
        last = child.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] if child.returncode > 0 else []
        what = last[0] if last else f"its process ended with {child.returncode}"
        raise ReadError(f"{label} cannot be read: XLA says: {what}", where=label, hint=_HINT)
    return child.stdout.decode("utf-8", "replace")
