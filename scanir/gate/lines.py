"""On which lines of a TOML file its tables and keys stand, for errors to name; the parser keeps none.

Promises 0 rather than a wrong line: where the tables that were found are not as many as the parser has, or stand inside
of a value, nobody is told a line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_HEADER = re.compile(r"\s*\[\[?\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"\s*([A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*')\s*=")


@dataclass(slots=True)
class Lines:
    """Line of each table by its name, one for each time it stands there; and of the keys of each of these."""

    tables: dict[str, list[int]] = field(default_factory=dict)
    keys: dict[tuple[str, int], dict[str, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str) -> Lines:
        found = cls()
        table, inside = ("", 0), ""
        for number, line in enumerate(text.splitlines(), 1):
            if inside:
                inside = "" if line.count(inside) % 2 else inside
                continue
            inside = next((quotes for quotes in ('"""', "'''") if line.count(quotes) % 2), "")
            if (header := _HEADER.match(line)) is not None:
                name = ".".join(part.strip().strip("\"'") for part in header.group(1).split("."))
                found.tables.setdefault(name, []).append(number)
                table = (name, len(found.tables[name]) - 1)
            elif (key := _KEY.match(line)) is not None:
                found.keys.setdefault(table, {}).setdefault(key.group(1).strip("\"'"), number)
        return found

    def table(self, name: str, index: int, count: int) -> int:
        """The line of the table of a name that is number ``index`` of ``count``."""
        lines = self.tables.get(name, [])
        return lines[index] if len(lines) == count else 0

    def key(self, name: str, index: int, count: int, key: str) -> int:
        """The line of a key of that table; the table's own where the key is not found."""
        start = self.table(name, index, count)
        return self.keys.get((name, index), {}).get(key, start) if start else 0
