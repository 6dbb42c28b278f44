"""Which of the frozen conversation tasks make a set: even over tasks, few of each pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from sociolab.core.seeding import stream
from sociolab.worlds.stss.talk.scenario import TalkScenario

MOST_OF_A_PAIR = 2
"""Conversation tasks of the same two residents in the same task (STSS section 3.2)."""


def selected(candidates: Sequence[TalkScenario], total: int) -> tuple[TalkScenario, ...]:
    """At most `total` of the candidates, by task, then seed, then time.

    Tasks take turns, and within a task its seeds, so that every task is there before any comes
    twice; who of a seed comes first is drawn by lot. No pair of characters is in a task more than
    twice. Fewer than `total` where there are no more. Tasks come in the order of the candidates,
    which makes no other difference.
    """
    queues = [list(_in_turn(own)) for own in _by_task(candidates)]
    chosen: list[list[TalkScenario]] = [[] for _ in queues]
    left = total
    for turn in range(max(map(len, queues), default=0)):
        for queue, taken in zip(queues, chosen, strict=True):
            if turn < len(queue) and left:
                taken.append(queue[turn])
                left -= 1
    return tuple(one for taken in chosen for one in sorted(taken, key=_by_time))


def selectable(candidates: Sequence[TalkScenario]) -> int:
    """How many can be selected at most, two of a pair."""
    return sum(min(count, MOST_OF_A_PAIR) for count in Counter(map(_pair, candidates)).values())


def _by_task(candidates: Iterable[TalkScenario]) -> list[list[TalkScenario]]:
    found: dict[str, list[TalkScenario]] = {}
    for one in candidates:
        found.setdefault(one.task.id, []).append(one)
    return list(found.values())


def _in_turn(own: list[TalkScenario]) -> Iterator[TalkScenario]:
    """A task's candidates: one of each seed, then another of each, two of a pair at most."""
    of_seed: dict[int, list[TalkScenario]] = {seed: [] for seed in sorted({o.seed for o in own})}
    for one in sorted(own, key=lambda one: (stream(0, "talk", one.id).random(), one.id)):
        of_seed[one.seed].append(one)
    pairs: Counter[tuple[str, str, str]] = Counter()
    while any(of_seed.values()):
        for waiting in of_seed.values():
            free = [one for one in waiting if pairs[_pair(one)] < MOST_OF_A_PAIR]
            waiting[:] = free[1:]
            for one in free[:1]:
                pairs[_pair(one)] += 1
                yield one


def _pair(one: TalkScenario) -> tuple[str, str, str]:
    return (one.task.id, one.performer.resident.id, one.other.resident.id)


def _by_time(one: TalkScenario) -> tuple[int, str, str]:
    return (one.seed, one.now.isoformat(), one.id)
