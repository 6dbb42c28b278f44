"""Matching what two agents scored on the same plays, so that they can be compared play by play."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class KeyedValue(NamedTuple):
    """One value: the key that it shares with its counterpart (task, seat, repeat), its cluster."""

    key: Hashable
    cluster: str
    value: float


@dataclass(frozen=True, slots=True)
class Pairs:
    """Matched values, position by position, and how many rows of each side found no match."""

    a: tuple[float, ...]
    b: tuple[float, ...]
    clusters: tuple[str, ...]
    only_a: int
    only_b: int


def paired(rows_a: Sequence[KeyedValue], rows_b: Sequence[KeyedValue]) -> Pairs:
    """Match two sets of rows by key, in the order of the first.

    A value that was never scored is a row left out: its counterpart is counted as unmatched.
    ValueError where a key occurs twice on one side (a key that forgot the repeat would silently
    keep only one of them), and where a pair disagrees about its cluster.
    """
    left, right = _by_key(rows_a), _by_key(rows_b)
    both = [(row, right[key]) for key, row in left.items() if key in right]
    for one, other in both:
        if one.cluster != other.cluster:
            raise ValueError(
                f"both rows of {one.key!r} belong to one cluster, "
                f"found {one.cluster!r} and {other.cluster!r}"
            )
    return Pairs(
        a=tuple(one.value for one, _ in both),
        b=tuple(other.value for _, other in both),
        clusters=tuple(one.cluster for one, _ in both),
        only_a=len(left) - len(both),
        only_b=len(right) - len(both),
    )


def _by_key(rows: Sequence[KeyedValue]) -> dict[Hashable, KeyedValue]:
    found: dict[Hashable, KeyedValue] = {}
    for row in rows:
        if row.key in found:
            raise ValueError(f"each key occurs once on each side, found {row.key!r} twice")
        found[row.key] = row
    return found
