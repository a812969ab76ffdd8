"""What is otherwise of a paired op itself: its name, its attributes, its types."""

from __future__ import annotations

from scanir.align.dims import Substitution
from scanir.align.ledger import SEMANTICS, Ledger
from scanir.align.texts import class_of, contrast, extras, payloads, type_text, types_apart
from scanir.normalize.classes import attribute_class
from scanir.normalize.effects import calls_python
from scanir.result import Edit

_CONVERTS = frozenset(
    {"convert", "convert_element_type", "stablehlo.convert", "bitcast_convert_type", "bitcast-convert"}
)


class Replaced:
    """Ops of a ledger, under what the arguments have taught of sizes and dtypes."""

    def __init__(self, ledger: Ledger, dims: Substitution) -> None:
        self._ledger, self._dims = ledger, dims

    def compare(self, a: int, b: int, into: list[Edit] | None) -> bool:
        """The op itself: its name, else its attributes and types."""
        left, right = self._ledger.left.nodes[a], self._ledger.right.nodes[b]
        if left.op.name != right.op.name:
            self._ledger.add("replace", SEMANTICS, "op", a, b, left.op.name, right.op.name, into)
            return True
        if left.label != right.label:
            return self._relabelled(a, b, into)
        self._class_attributes(a, b)
        return False

    def _relabelled(self, a: int, b: int, into: list[Edit] | None) -> bool:
        x, y = self._ledger.left.nodes[a].op, self._ledger.right.nodes[b].op
        keys = self._ledger.left.eraser.attributes(x), self._ledger.right.eraser.attributes(y)
        types = [
            tuple(graph.eraser.result_type(op, value.type) for value in op.results)
            for graph, op in ((self._ledger.left, x), (self._ledger.right, y))
        ]
        if keys[0] == keys[1] and types[0] == types[1]:
            return False  # the numbers of operands or regions differ
        above = [
            (s.type, t.type) for s, t in zip(x.operands, y.operands, strict=False)
            if self._ledger.left.eraser.type(s.type) != self._ledger.right.eraser.type(t.type)
        ]  # fmt: skip
        here = self._dims.extended(above)
        if keys[0] != keys[1]:
            names = sorted(n for n in {*dict(keys[0]), *dict(keys[1])} if dict(keys[0]).get(n) != dict(keys[1]).get(n))
            if here.explains(keys[0], keys[1]) and (types[0] == types[1] or here.explains(*types)):
                self._ledger.add("replace", SEMANTICS, "type", a, b, *types_apart(x, y), self._ledger.follow)
                return False
            old, new = contrast(keys, names)
            self._ledger.add("replace", SEMANTICS, f"attribute {', '.join(names)}", a, b, old, new, into)
            return True
        follows = bool(above) or bool(self._ledger.left.inner(a)) or here.explains(*types)
        if len(types[0]) != len(types[1]):
            follows = True
        elif above and x.name in _CONVERTS:
            dtypes = {getattr(side[0], "dtype", "") for side in types}
            follows = len(dtypes) == 1 or here.explains(*types)
        into = self._ledger.follow if follows else into
        self._ledger.add("replace", SEMANTICS, "type", a, b, *types_apart(x, y), into)
        return not follows

    def _class_attributes(self, a: int, b: int) -> None:
        """What only the classes see: layouts, shardings, code generation."""
        x, y = self._ledger.left.nodes[a].op, self._ledger.right.nodes[b].op
        if calls_python(x) and x.attributes != y.attributes:
            # Which host function it is: known by a number, or by an address that is another one in each process.
            names = sorted({name for name, _ in {*x.attributes} ^ {*y.attributes}})
            what, told = f"attribute {', '.join(names)}", payloads(x, y, names)
            self._ledger.add("replace", SEMANTICS, what, a, b, *told, self._ledger.aside)
        if x.attributes != y.attributes:
            keys = self._ledger.left.exact.attributes(x), self._ledger.right.exact.attributes(y)
            left, right = dict(keys[0]), dict(keys[1])
            for name in sorted(n for n in {*left, *right} if left.get(n) != right.get(n)):
                kind = attribute_class(self._ledger.left.module.dialect, x if name in left else y, name)
                if kind not in (None, "noise"):
                    old, new = contrast(keys, [name])
                    self._ledger.add("replace", class_of(kind), f"attribute {name}", a, b, old, new)
        for s, t in zip(x.results, y.results, strict=True):
            if s.type is not t.type and s.type != t.type:
                for name, kind in extras(s.type, t.type):
                    self._ledger.add("replace", kind, name, a, b, type_text(s.type, name), type_text(t.type, name))
                break
