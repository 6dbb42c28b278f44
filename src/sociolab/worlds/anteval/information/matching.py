"""The offline matcher: which statements say which facts, by names, values, relations, denials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sociolab.worlds.anteval.information.statement_facts import FactReading, read_fact
from sociolab.worlds.anteval.information.statement_reading import read_joined, read_statement
from sociolab.worlds.anteval.information.statement_split import split_statement
from sociolab.worlds.anteval.information.statement_subject import subject_in
from sociolab.worlds.anteval.information.statement_verdict import sentence_verdict
from sociolab.worlds.anteval.session import Fact

PairVerdict: TypeAlias = Literal["same", "contradicts", "other"]


@dataclass(frozen=True, slots=True)
class Pairing:
    """A statement (by index) that says a fact (by id)."""

    statement: int
    fact: str


class FactMatcher:
    """Matches free English statements to facts, by rules; alike for the same texts.

    A statement says a fact when it names its subject (one letter or two may be wrong in a long
    name), says its value in these or kindred words, speaks of no other relation, and is denied or
    affirmed as the fact is. Questions, wishes, suppositions and open alternatives say nothing.
    """

    def match(self, statements: Sequence[str], facts: Sequence[Fact]) -> tuple[Pairing, ...]:
        """As many pairs as there can be, each statement and each fact once, by statement."""
        edges = [
            [at for at, fact in enumerate(facts) if self.supports(statement, fact)]
            for statement in statements
        ]
        holder: dict[int, int] = {}
        for statement in range(len(statements)):
            _augment(statement, edges, holder, set())
        pairs = sorted((statement, fact) for fact, statement in holder.items())
        return tuple(Pairing(statement, facts[at].id) for statement, at in pairs)

    def taken_apart(self, statements: Sequence[str], facts: Sequence[Fact]) -> tuple[str, ...]:
        """The statements, those that say several facts in their parts.

        A statement that says one fact, or none, stays whole: what else is in it is no claim more.
        """
        points: list[str] = []
        for statement in statements:
            parts = split_statement(statement)
            several = len(parts) > 1 and len(self.match(parts, facts)) > 1
            points += parts if several else (statement,)
        return tuple(points)

    def supports(self, statement: str, fact: Fact) -> bool:
        """Whether the statement, taken by itself, says the fact."""
        return self.judge_pair(statement, fact) == "same"

    def judge_pair(self, statement: str, fact: Fact) -> PairVerdict:
        """ "same", or "contradicts" where it says the same thing denied or with another value."""
        wanted = read_fact(fact)
        known = False
        worst: PairVerdict = "other"
        for sentence in read_statement(statement):
            at = subject_in(sentence, wanted, known=known)
            known = at is not None
            if at is None or not sentence.asserts:
                continue
            found = sentence_verdict(sentence, wanted, at)
            if found == "same":
                return "same"
            if found == "contradicts":
                worst = found
        if worst == "other" and _said_in_two(statement, wanted):
            return "same"
        return worst


def _said_in_two(statement: str, wanted: FactReading) -> bool:
    """Whether two sentences say it together ("Bring cakes. Orla cannot resist them.")."""
    for sentence in read_joined(statement):
        at = subject_in(sentence, wanted, known=False)
        if at and sentence.asserts and sentence_verdict(sentence, wanted, at) == "same":
            return True
    return False


def _augment(
    statement: int, edges: Sequence[Sequence[int]], holder: dict[int, int], tried: set[int]
) -> bool:
    """Find this statement a fact, where need be by moving others (Kuhn's algorithm)."""
    for fact in edges[statement]:
        if fact in tried:
            continue
        tried.add(fact)
        if fact not in holder or _augment(holder[fact], edges, holder, tried):
            holder[fact] = statement
            return True
    return False
