"""What each rule and class means, by tiny programs: two that it makes equal, and one that it must not.

Data alone: texts of IR that `scanir diff` reads from a file as well. The law and its condition stand in
`scanir.normalize.rules`. Promises (tests/normalize/test_examples.py runs each of them) that ``a`` and ``b`` are
EQUIVALENT modulo exactly ``modulo`` with the rule and no longer without, and that ``other`` is DIFFERENT from
``a``, or from the program that it says, although the rule is allowed.
"""

from scanir.normalize.examples.alone import ALONE
from scanir.normalize.examples.classes import CLASSES
from scanir.normalize.examples.example import Example
from scanir.normalize.examples.loops import LOOPS
from scanir.normalize.examples.values import VALUES

#: Name of a rule or class -> its example.
EXAMPLES: dict[str, Example] = VALUES | LOOPS | CLASSES | ALONE

__all__ = ["EXAMPLES", "Example"]
