"""What did not change at all, told without a comparison: programs of one canonical text.

Law: the parser of the text is a function, and the printer's inverse, so equal text is the same program. Holds where the
text says all there is to know: not of host functions, which are objects, nor of what an artifact hides, which equals
nothing but itself. Constants by digest are an assumption, as anywhere. Other text proves nothing; then programs are
compared.
"""

from __future__ import annotations

import re

from scanir.artifact import Modules, SavedTrace, read_trace
from scanir.compare.callbacks import calls_any
from scanir.compare.digests import assumption
from scanir.result import Diff, StageDiff, Verdict

#: How a made program is known; compared apart from the text.
_PROVENANCE = re.compile(r"^provenance [^\n]*\n", re.MULTILINE)
#: Words of what the text does not say all of, wherever they stand.
_MORE = ("callable(", "hidden(", "unresolved-symbol")
_DIGEST = re.compile(r'array\([^()]*, sha256 "[0-9a-f]{64}"\)')


def unchanged(saved: SavedTrace, found: Modules, stages: tuple[str, ...], set_aside: frozenset[str]) -> Diff | None:
    """The answer IDENTICAL, if the programs have the text that was saved; ``set_aside``: facts of how they were made
    that do not count. None where it takes a comparison."""
    if any(map(calls_any, found.programs)):
        return None
    now = read_trace(found.text(constants="digest", lines=False))
    rows = []
    for stage in stages:
        if f"{stage} lines" in saved.sections:  # it is saved with what moves; such a text is another
            return None
        old, new = saved.sections[stage].text, now.sections[stage].text
        if _PROVENANCE.sub("", old, 1) != _PROVENANCE.sub("", new, 1) or any(word in new for word in _MORE):
            return None
        facts = [[fact for fact in trace.provenance(stage) if fact[0] not in set_aside] for trace in (saved, now)]
        if facts[0] != facts[1]:
            return None
        digests = len(set(_DIGEST.findall(new)))
        rows.append(StageDiff(stage, Verdict.IDENTICAL, assumptions=(assumption(digests),) if digests else ()))
    return Diff(saved.source, now.target, tuple(rows))
