"""Metrics of conduct, whatever the outcome: repetition, and replies that break the format.

AntEval names both among the shortcomings of models (sections 5.2 and 5.5), without figures. They
are counted here as the turns stand; small talk, which has to be understood, is a metric of
`information.scoring`.
"""

from __future__ import annotations

import re
from collections import Counter

from sociolab.core.episode import Answered, Episode, Moved, Unusable
from sociolab.core.score import JudgeId, Measure, Score, Unscored, Verdict
from sociolab.core.seeding import digest

REPETITION = Measure("repetition", 0, 1)
BROKEN_FORMAT = Measure("broken_format", 0, 1, title="broken format")

RUN = 4
"""As many words in a row as are compared, the length that is usual for the repetition of generated
text (seq-rep-4: Welleck et al., arXiv 1908.04319)."""

_FORMAT = frozenset({"unreadable", "not allowed", "truncated"})
"""Why a reply cannot be used where it was the agent's doing."""


class ConductCheck:
    """Counts in the turns of every seat, by whomever they were taken; needs no model.

    repetition: of all runs of `RUN` words of a seat, the share that had been said or done at the
    table before, by itself or anybody. broken_format: of all its replies, answers to questions
    included, the share that could not be used. Without any there is no score.
    """

    def __init__(self) -> None:
        self.id = JudgeId("conduct", "heuristic", digest("conduct", RUN))

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """Both metrics for every seat; unscored where a seat has no runs, or no replies."""
        repeated, runs = _count_repetition(episode)
        broken, replies = _count_broken(episode)
        return tuple(
            verdict
            for seat in episode.trial.task.seats
            for verdict in (
                _share(REPETITION, seat, repeated[seat], runs[seat], f"runs of {RUN} words"),
                _share(BROKEN_FORMAT, seat, broken[seat], replies[seat], "replies"),
            )
        )


def _share(measure: Measure, seat: str, some: int, all_: int, what: str) -> Verdict:
    if not all_:
        return Unscored(measure, seat, f"there are no {what}")
    return Score(measure, seat, some / all_, f"{some} of {all_} {what}")


def _count_repetition(episode: Episode) -> tuple[Counter[str], Counter[str]]:
    """By seat: runs of words that had been said before, and all runs."""
    before: set[tuple[str, ...]] = set()
    repeated, runs = Counter[str](), Counter[str]()
    for move in episode.moves:
        for action in move.actions:
            words = re.findall(r"\w+(?:['\u2019-]\w+)*", action.text.casefold())
            for start in range(len(words) - RUN + 1):
                run = tuple(words[start : start + RUN])
                runs[move.seat] += 1
                repeated[move.seat] += run in before
                before.add(run)
    return repeated, runs


def _count_broken(episode: Episode) -> tuple[Counter[str], Counter[str]]:
    """By seat: replies that could not be used, and all replies."""
    broken, replies = Counter[str](), Counter[str]()
    for event in episode.events:
        failed = isinstance(event, Unusable)
        if isinstance(event, Unusable) and event.cause not in _FORMAT:
            continue
        if isinstance(event, Moved | Answered | Unusable):
            replies[event.seat] += 1
            broken[event.seat] += failed
    return broken, replies
