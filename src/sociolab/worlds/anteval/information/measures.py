"""Information exchange: the paper's precision over key points, and measures over atomic facts.

The paper (AntEval section 3.2) summarises answer and knowledge into k key points each, counts the
overlap s and takes p = s / k; IEP is the average over H sessions x T players. It prints a sum and
says average: see PAPER.md. Beside it stand measures over atomic facts, which need no padding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sociolab.core.score import Measure

IEP = Measure("iep", 0, 1, title="IEP")
PRECISION = Measure("precision", 0, 1, title="precision")
RECALL = Measure("recall", 0, 1, title="recall")
F1 = Measure("f1", 0, 1, title="F1")
HALLUCINATION = Measure("hallucination", 0, 1, title="made up")
PARTY_RECALL = Measure("party_recall", 0, 1, title="party recall")
OF_ANSWERS = (IEP, PRECISION, RECALL, F1, HALLUCINATION)
"""The measures of each player's answer at the end."""


def recall_at(turn: int) -> Measure:
    """The measure of a snapshot: the recall of what a player had learned after so many turns."""
    return Measure(f"recall_at_{turn}", 0, 1, title=f"recall at {turn}")


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer held against facts.

    `pairs` are statements (by index) and facts (by id), one to one; `supported` the statements
    that some fact supports, a second statement of the same fact among them; `known` is the number
    of facts.
    """

    statements: int
    pairs: tuple[tuple[int, str], ...]
    supported: frozenset[int]
    known: int

    def __post_init__(self) -> None:
        said = [statement for statement, _ in self.pairs]
        facts = [fact for _, fact in self.pairs]
        if len(set(said)) < len(said) or len(set(facts)) < len(facts):
            raise ValueError(f"expected each statement and each fact once, found {self.pairs}")

    @property
    def facts(self) -> frozenset[str]:
        """The ids of the facts that were told."""
        return frozenset(fact for _, fact in self.pairs)


def key_point_share(overlap: int, k: int) -> float:
    """p = s / k (AntEval section 3.2), the same k on both sides. ValueError unless s is 0 to k."""
    if not 0 <= overlap <= k or k < 1:
        raise ValueError(f"expected an overlap of 0 to k key points, found {overlap} of {k}")
    return overlap / k


def precision(reading: Reading) -> float | None:
    """Paired statements over all statements; None where nothing was stated.

    A second statement of the same fact is not paired: it lowers precision, but is not made up.
    """
    return len(reading.pairs) / reading.statements if reading.statements else None


def recall(reading: Reading) -> float | None:
    """Facts told over all facts; None where there is nothing to know."""
    return len(reading.pairs) / reading.known if reading.known else None


def f1(reading: Reading) -> float | None:
    """Twice the pairs over statements and facts together; None where there is neither."""
    total = reading.statements + reading.known
    return 2 * len(reading.pairs) / total if total else None


def hallucination(reading: Reading) -> float | None:
    """Statements that no fact supports over all statements; None where nothing was stated."""
    if not reading.statements:
        return None
    return 1 - len(reading.supported) / reading.statements


def party_recall(readings: Sequence[Reading]) -> float | None:
    """Facts that at least one player told over all facts; None where there is nothing to know."""
    known = max((reading.known for reading in readings), default=0)
    told: frozenset[str] = frozenset().union(*(reading.facts for reading in readings))
    return len(told) / known if known else None
