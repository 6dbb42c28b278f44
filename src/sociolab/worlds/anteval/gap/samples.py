"""Samples of play for training: whole groups (episodes, sessions) as far as they fit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from sociolab.core.seeding import stream
from sociolab.worlds.anteval.virtual_dm.example import Example


def sample(examples: Sequence[Example], size: int, seed: int) -> tuple[Example, ...]:
    """So many examples, group by group in an order drawn by seed; the last group may be cut.

    All of them, in their own order, where no more are there. The groups' order in `examples` does
    not matter.
    """
    if len(examples) <= size:
        return tuple(examples)
    drawn: list[Example] = []
    for group in _drawn_groups(examples, seed):
        drawn += group
        if len(drawn) >= size:
            break
    return tuple(drawn[:size])


def disjoint(
    examples: Sequence[Example], size: int, seed: int
) -> tuple[tuple[Example, ...], tuple[Example, ...]]:
    """Two samples equally large that share no group: of `size` each, or less if there are fewer."""
    one: list[Example] = []
    other: list[Example] = []
    half = min(size, len(examples) // 2)
    for group in _drawn_groups(examples, seed):
        (one if len(one) < half else other).extend(group)
    equal = min(half, len(one), len(other))
    return tuple(one[:equal]), tuple(other[:equal])


def _drawn_groups(examples: Sequence[Example], seed: int) -> list[list[Example]]:
    groups: defaultdict[str, list[Example]] = defaultdict(list)
    for example in examples:
        groups[example.group].append(example)
    names = sorted(groups)
    stream(seed, "gap", "sample").shuffle(names)
    return [groups[name] for name in names]
