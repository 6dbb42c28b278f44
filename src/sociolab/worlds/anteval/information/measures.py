"""Metrics of information exchange: the paper's precision over key points, and those over facts.

The paper (AntEval section 4.1) summarises an answer and the NPC's knowledge into k key points each,
counts the overlap s and takes p = s / k; IEP is the mean over H sessions x T players. It prints a
sum and says average: see PAPER.md. Recall, precision, F1 and hallucination hold the whole answer
against atomic facts, and are ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sociolab.core.score import Measure

IEP = Measure("iep", 0, 1, title="IEP")
PRECISION = Measure("precision", 0, 1, title="precision")
RECALL = Measure("recall", 0, 1, title="recall")
F1 = Measure("f1", 0, 1, title="F1")
HALLUCINATION = Measure("hallucination", 0, 1, title="hallucinated")
PARTY_RECALL = Measure("party_recall", 0, 1, title="party recall")
OF_ANSWERS = (IEP, PRECISION, RECALL, F1, HALLUCINATION)
"""The metrics of each player's answer at the end."""

NO_TALK = Measure("no_talk", 0, 1, title="no conversation")
"""Recall of each player's answer before the first turn."""
OTHER_SESSION = Measure("other_session", 0, 1, title="wrong session")
"""Share of another session's facts that the answer states: 0 unless sessions share facts."""
ORACLE_TRANSCRIPT = Measure("oracle_transcript", 0, 1, title="oracle (read)")
"""Share of the facts that were told at all, to anybody: no player can have learned more."""
ORACLE_FACTS = Measure("oracle_facts", 0, 1, title="oracle (told)")
"""IEP of an answer that recites all facts: as far as two blind summaries can agree."""
SEAT_CONTROLS = (NO_TALK, OTHER_SESSION)
CONTROLS = (*SEAT_CONTROLS, ORACLE_TRANSCRIPT, ORACLE_FACTS)


def recall_at(turn: int) -> Measure:
    """The metric of a snapshot: the recall of what a player had learned after so many turns."""
    return Measure(f"recall_at_{turn}", 0, 1, title=f"recall at {turn}")


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer held against `known` facts.

    `stated` are the facts that the answer states, by id, each with where that is to be seen (a
    quote, or from whom the player heard it). `other` are statements that are true but are none of
    the facts, `hallucinated` those that contradict a fact or were invented.
    """

    known: int
    stated: Mapping[str, str]
    other: tuple[str, ...] = ()
    hallucinated: tuple[str, ...] = ()

    @property
    def statements(self) -> int:
        """Facts and other statements together; a fact that is stated twice is one."""
        return len(self.stated) + len(self.other) + len(self.hallucinated)


def key_point_share(overlap: int, k: int) -> float:
    """p = s / k (AntEval section 4.1), the same k on both sides. ValueError unless s is 0 to k."""
    if not 0 <= overlap <= k or k < 1:
        raise ValueError(f"expected an overlap of 0 to k key points, found {overlap} of {k}")
    return overlap / k


def precision(reading: Reading) -> float | None:
    """Facts stated over facts stated and hallucinations; None where there is neither.

    What is true beside the facts counts neither for nor against an answer.
    """
    claimed = len(reading.stated) + len(reading.hallucinated)
    return len(reading.stated) / claimed if claimed else None


def recall(reading: Reading) -> float | None:
    """Facts stated over all facts; None where there is nothing to know."""
    return len(reading.stated) / reading.known if reading.known else None


def f1(reading: Reading) -> float | None:
    """The harmonic mean of precision and recall, 0 where no fact is stated; None: no facts."""
    if not reading.known:
        return None
    stated = len(reading.stated)
    return 2 * stated / (stated + len(reading.hallucinated) + reading.known)


def hallucination(reading: Reading) -> float | None:
    """Hallucinations over all statements; None where nothing was stated."""
    return len(reading.hallucinated) / reading.statements if reading.statements else None


def party_recall(readings: Sequence[Reading]) -> float | None:
    """Facts that at least one player stated over all facts; None: there is nothing to know."""
    known = max((reading.known for reading in readings), default=0)
    stated: frozenset[str] = frozenset().union(*(reading.stated for reading in readings))
    return len(stated) / known if known else None
