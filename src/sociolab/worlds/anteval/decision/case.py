"""A case: who knows which clue, what each clue speaks for, and the best answer they allow."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from itertools import product
from typing import Annotated, Self

from pydantic import Field, model_validator

from sociolab.core.names import fold_name
from sociolab.worlds.anteval.session import NPC, SessionRecord

ODDS = 20
"""A clue is so many times as likely to be true as to be false."""

WEIGHT = 3
"""An option is so many times as likely with a clue that speaks for it as without."""

Text = Annotated[str, Field(min_length=1)]


class Clue(SessionRecord):
    """A sentence that somebody may know, and what follows from it if it is true.

    It `speaks_for` an option, `rules_out` one, or `refutes` another clue, by id. Imported clues say
    none of this.
    """

    id: Text
    text: Text
    speaks_for: str = ""
    rules_out: str = ""
    refutes: str = ""


class CasePerson(SessionRecord):
    """Who sits at the table: `look` is what the others see, `about` what only they are told.

    `pronouns` are such as "she/her".
    """

    id: Text
    name: Text
    called: Text
    pronouns: str = ""
    look: str = ""
    about: str = ""


class DecisionCase(SessionRecord):
    """The content of a task: a question with options, of which `answer` is right.

    `people` are the players and, in the last seat, the NPC if there is one. `knows` lists the clues
    of each seat: one that all know is shared, one that some know is private, one that nobody knows
    is missing. `false` are the clues that are not true; whoever knows one believes it.
    """

    id: Text
    theme: Text
    situation: str
    question: Text
    options: Annotated[tuple[Text, ...], Field(min_length=2)]
    answer: Text
    people: Annotated[tuple[CasePerson, ...], Field(min_length=2)]
    clues: tuple[Clue, ...]
    knows: Mapping[str, tuple[str, ...]]
    false: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _has_one_right_answer(self) -> Self:
        if len(set(map(fold_name, self.options))) < len(self.options):
            raise ValueError(f"expected different answers, found {list(self.options)}")
        if self.answer not in self.options:
            options = ", ".join(self.options)
            raise ValueError(f'expected the answer to be one of {options}, found "{self.answer}"')
        return self

    @property
    def npc(self) -> CasePerson | None:
        return self.people[-1] if self.people[-1].id == NPC else None

    @property
    def players(self) -> tuple[CasePerson, ...]:
        """Those who decide."""
        return tuple(person for person in self.people if person.id != NPC)

    @property
    def names(self) -> Mapping[str, str]:
        return {person.id: person.called for person in self.people}

    def clues_of(self, seat: str) -> tuple[Clue, ...]:
        by_id = {clue.id: clue for clue in self.clues}
        return tuple(by_id[id_] for id_ in self.knows[seat])

    @property
    def pool(self) -> tuple[Clue, ...]:
        """The clues that anybody knows."""
        known = set[str]().union(*self.knows.values())
        return tuple(clue for clue in self.clues if clue.id in known)

    @property
    def private(self) -> tuple[Clue, ...]:
        """The clues that some know, and not all."""
        shared = {clue.id for clue in self.clues}.intersection(*self.knows.values())
        return tuple(clue for clue in self.pool if clue.id not in shared)

    @property
    def is_typed(self) -> bool:
        """Whether clues say what they speak for, so that a best answer can be computed."""
        return any(clue.speaks_for or clue.rules_out or clue.refutes for clue in self.clues)

    def chance(self, clues: Collection[Clue]) -> float:
        """The chance to be right of who makes the best of these clues."""
        options = best(self.options, clues)
        return (self.answer in options) / len(options)

    def critical(self) -> tuple[Clue, ...]:
        """The private clues without which the pool no longer singles out the answer.

        Empty where it does not single it out in the first place.
        """
        if self.chance(self.pool) < 1:
            return ()
        rest = {clue: [other for other in self.pool if other != clue] for clue in self.private}
        return tuple(clue for clue, others in rest.items() if self.chance(others) < 1)

    def lures(self) -> Mapping[str, str]:
        """Wrong options, and what points to them: the shared clues, or a falsehood.

        Either points to a single option or to none. A falsehood points to what is best if it is
        taken for true, and nobody refutes it.
        """
        shared = [clue for clue in self.pool if clue not in self.private]
        believed = [clue for clue in self.pool if clue.refutes not in self.false]
        ruled_out = {clue.rules_out for clue in believed if clue.id in self.false}
        left = tuple(option for option in self.options if option not in ruled_out)
        by_falsehood = best(left, believed) if ruled_out else ()
        found = {}
        for options, why in (
            (by_falsehood, "a falsehood"),
            (best(self.options, shared), "the shared clues"),
        ):
            if len(options) == 1 and options[0] != self.answer:
                found[options[0]] = why
        return found


@lru_cache(maxsize=4096)
def _weights(options: tuple[str, ...], clues: tuple[Clue, ...]) -> tuple[int, ...]:
    """The weight of each option, summed over which of the clues are true; exact whole numbers."""
    firm = [clue for clue in clues if clue.rules_out or clue.refutes]
    ids, signs = {clue.id for clue in clues}, [clue.speaks_for for clue in clues]
    weights = dict.fromkeys(options, 0)
    for option, truths in product(options, product((True, False), repeat=len(firm))):
        true = [clue for clue, is_true in zip(firm, truths, strict=True) if is_true]
        excluded = {clue.rules_out for clue in true}
        wrong = {clue.refutes for clue in true} & ids
        if option not in excluded and not wrong & {clue.id for clue in true}:
            weights[option] += ODDS ** len(true)
    return tuple(weights[option] * WEIGHT ** signs.count(option) for option in options)


def best(options: tuple[str, ...], clues: Collection[Clue]) -> tuple[str, ...]:
    """The most probable options given these clues; several where they are even.

    By enumeration over the options, which are even beforehand, and over which clues are false. A
    clue that rules an option out, or refutes another, may be false, at odds of 1 to `ODDS`; one
    that speaks for an option makes it `WEIGHT` times as likely.

    >>> from sociolab.worlds.anteval import Clue, best
    >>> best(("Ann", "Ben"), [Clue(id="a", text="Ann was out.", rules_out="Ann")])
    ('Ben',)
    """
    weights = _weights(options, tuple(clues))
    pairs = zip(options, weights, strict=True)
    return tuple(option for option, weight in pairs if weight == max(weights))


@lru_cache(maxsize=1024)
def case_from(content: str) -> DecisionCase:
    """Parse a task's content; cached, since players and judges of an episode all need it."""
    return DecisionCase.model_validate_json(content)
