"""Console sessions in Markdown: what was typed, what came out, with which exit status.

In a fenced block of kind ``console`` a line that starts with ``$ `` is a command, the lines under it are its output,
and ``$ echo $?`` shows the exit status of the command before it (0 where it is not shown). A line ``...`` in an output
stands for any number of lines.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    line: int
    command: str
    output: tuple[str, ...]
    status: int = 0


def sessions(markdown: str) -> list[Step]:
    """The commands of all console blocks, in order."""
    steps: list[Step] = []
    inside = False
    for number, line in enumerate(markdown.splitlines(), 1):
        if line.startswith("```"):
            inside = line.strip() == "```console"
        elif inside and line.startswith("$ "):
            steps.append(Step(number, line[2:].strip(), ()))
        elif inside and steps:
            last = steps[-1]
            steps[-1] = Step(last.line, last.command, (*last.output, line.rstrip()))
    return _with_status(steps)


def _with_status(steps: list[Step]) -> list[Step]:
    joined: list[Step] = []
    for step in steps:
        if step.command == "echo $?":
            last = joined.pop()
            (status,) = step.output
            joined.append(Step(last.line, last.command, last.output, int(status)))
        else:
            joined.append(step)
    return joined


def matches(expected: tuple[str, ...], actual: tuple[str, ...]) -> bool:
    """Whether an output is the one shown; each ``...`` takes as few lines as the rest allows."""
    chunks: list[list[str]] = [[]]
    for line in expected:
        if line.strip() == "...":
            chunks.append([])
        else:
            chunks[-1].append(line)
    if len(chunks) == 1:
        return expected == actual
    first, *middle, last = chunks
    rest = list(actual)
    if len(rest) < len(first) + len(last) or rest[: len(first)] != first:
        return False
    if last and rest[-len(last) :] != last:
        return False
    rest = rest[len(first) : len(rest) - len(last)]
    for chunk in middle:
        at = next((i for i in range(len(rest) - len(chunk) + 1) if rest[i : i + len(chunk)] == chunk), None)
        if at is None:
            return False
        rest = rest[at + len(chunk) :]
    return True
