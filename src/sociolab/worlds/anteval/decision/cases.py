"""Cases to play: hidden profiles drawn by seed from the themes, or read in HiddenBench's form.

As in Stasser and Titus (1985) the shared clues speak for a wrong option, and the right one is found
from what is pooled.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Annotated, Self

from pydantic import ConfigDict, Field, model_validator

from sociolab.core.episode import Task
from sociolab.core.errors import ConfigError
from sociolab.core.ports import DataId
from sociolab.core.reading import ForeignRecord, json_file, read_text, record
from sociolab.core.seeding import digest, stream
from sociolab.core.user_files import write_files
from sociolab.engine.setup import WorldSetup
from sociolab.plugin.world import Importing
from sociolab.prompting.sets import PromptedSettings
from sociolab.worlds.anteval.decision.case import CasePerson, Clue, DecisionCase, Text
from sociolab.worlds.anteval.party.drawing import draw_party
from sociolab.worlds.anteval.scene import describe_self
from sociolab.worlds.anteval.session import SessionRecord

PACKAGE = "sociolab.worlds.anteval.decision"
FILE = "tasks.json"
PLAYED = ("act_head", "act_tail", "decide")
_DEALS = 100
"""So many times private clues are dealt anew, to find hands that hide the answer."""


class Option(SessionRecord):
    """An option of a theme, and the clues that it gives.

    Two signs speak for it, one clue rules it out. If it is the answer, a falsehood wrongly rules it
    out, and a refutation shows that.
    """

    name: Text
    signs: tuple[Text, Text]
    ruled_out: Text
    falsehood: Text
    refutation: Text


class Theme(SessionRecord):
    """A question with five options, of which a case uses some."""

    id: Text
    situation: Text
    question: Text
    option: Annotated[tuple[Option, ...], Field(min_length=5)]


@cache
def themes() -> tuple[Theme, ...]:
    text = files(PACKAGE).joinpath("data", "themes.toml").read_text("utf-8")
    return tuple(map(Theme.model_validate, tomllib.loads(text)["theme"]))


class DecisionSettings(PromptedSettings):
    """How cases are drawn and played.

    Of the clues that rule options out so many are `missing`: nobody has them. With `falsehood`
    somebody believes a false clue, and somebody else knows better. `npc`: an NPC is there, too, who
    knows clues and has no say. Each seat has a turn in each of the `rounds`. `controls` asks the
    players before the talk as well, and the first one with all clues, apart from the talk.
    """

    model_config = ConfigDict(frozen=True)
    package = PACKAGE
    required_templates = {  # noqa: RUF012  as declared by the parent
        "act_head": "clues drawn npc options others question said situation you",
        "act_tail": "limit turn",
        "decide": "before options question",
        "judge_clues": "",
    }
    told = PLAYED

    prompts: str = "ours"
    players: int = Field(default=3, ge=2, le=6)
    npc: bool = True
    options: int = Field(default=4, ge=3, le=5)
    missing: int = Field(default=1, ge=0, le=3)
    falsehood: bool = True
    cases: int = Field(default=50, ge=1, le=100_000)
    rounds: int = Field(default=5, ge=1, le=1_000)
    controls: bool = True

    @model_validator(mode="after")
    def _some_are_ruled_out(self) -> Self:
        if self.missing > (most := self.options - 2):
            raise ValueError(f"missing: expected at most {most} here, found {self.missing}")
        return self

    def load(self, setup: WorldSetup) -> Cases:
        """The cases of the setup's folder or, without one, drawn by the seed.

        ConfigError where cases come from a folder and settings say how to draw some.
        """
        if setup.folder is None:
            return Cases(tuple(draw_case(self, setup.seed, n) for n in range(self.cases)))
        if drawing := self.model_fields_set - {"prompts", "rounds", "controls"}:
            raise ConfigError(
                f"the tasks of {setup.folder} are fixed, found settings for drawing others "
                f"({', '.join(sorted(drawing))}); drop these, or --data"
            )
        return Cases(read_tasks(setup.folder / FILE), setup.folder.resolve())


@dataclass(frozen=True)
class Cases:
    """A set of cases, drawn or from a folder."""

    cases: tuple[DecisionCase, ...]
    folder: Path | None = None

    @cached_property
    def id(self) -> DataId:
        content = digest(*(task.content for task in self.tasks))
        return DataId(self.folder.name if self.folder else "drawn", "1", content)

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        return tuple(map(case_task, self.cases))


def case_task(case: DecisionCase) -> Task:
    """A case as a task. Cases of a theme share texts, so intervals cluster by theme."""
    roles = {
        player.id: "misinformed" if set(case.knows[player.id]) & set(case.false) else "informed"
        for player in case.players
    }
    seats = tuple(person.id for person in case.people)
    return Task(case.id, seats, case.theme, case.model_dump_json(), roles=roles)


def draw_case(settings: DecisionSettings, seed: int, number: int) -> DecisionCase:
    """The case of this number; no theme comes again before all have come.

    The shared clues are two signs of a wrong option. Private are the clues that rule options out,
    two signs of the answer, and the falsehood with its refutation.
    """
    order = stream(seed, "themes").sample(themes(), len(themes()))
    theme, id_ = order[number % len(order)], f"decision-{seed}-{number:04d}"
    chance = stream(seed, "case", id_)
    answer, lure, *others = drawn = chance.sample(theme.option, settings.options)
    ids = map("c{}".format, chance.sample(range(1, settings.options + 6), settings.options + 5))

    def clue(text: str, **evidence: str) -> Clue:
        return Clue(id=next(ids), text=text, **evidence)

    shared = [clue(text, speaks_for=lure.name) for text in lure.signs]
    ruled_out = [clue(option.ruled_out, rules_out=option.name) for option in (lure, *others)]
    private = ruled_out[: len(ruled_out) - settings.missing]
    private += [clue(text, speaks_for=answer.name) for text in answer.signs]
    false = [clue(answer.falsehood, rules_out=answer.name)] if settings.falsehood else []
    private += [*false, *(clue(answer.refutation, refutes=one.id) for one in false)]
    party = draw_party(seed, id_, settings.players)
    people = tuple(
        CasePerson(
            id=o.id,
            name=o.name,
            called=o.first_name,
            pronouns=o.pronouns,
            look=o.look,
            about=describe_self(o),
        )
        for o in (party if settings.npc else party[:-1])
    )
    hidden = DecisionCase(
        id=id_,
        theme=theme.id,
        situation=theme.situation,
        question=theme.question,
        options=tuple(sorted(option.name for option in drawn)),
        answer=answer.name,
        people=people,
        clues=tuple(sorted({*shared, *private, *ruled_out}, key=lambda one: int(one.id[1:]))),
        knows={person.id: () for person in people},
        false=tuple(one.id for one in false),
    )
    for _ in range(_DEALS):
        case = _deal(hidden, shared, private, chance)
        if chance_alone(case) == 0:
            break
    return case


def _deal(
    case: DecisionCase, shared: Sequence[Clue], private: Sequence[Clue], chance: Random
) -> DecisionCase:
    """The case with the shared clues for everybody, and the private ones dealt one by one."""
    seats = chance.sample([person.id for person in case.people], len(case.people))
    dealt = chance.sample(private, len(private))
    hands = {seat: [*shared, *dealt[n :: len(seats)]] for n, seat in enumerate(seats)}
    knows = {
        person.id: tuple(one.id for one in chance.sample(hands[person.id], len(hands[person.id])))
        for person in case.people
    }
    return case.model_copy(update={"knows": knows})


def chance_alone(case: DecisionCase) -> float:
    """The chance to be right of a player who makes the best of what it knows by itself."""
    chances = [case.chance(case.clues_of(player.id)) for player in case.players]
    return sum(chances) / len(chances)


class HiddenProfile(ForeignRecord):
    """A task in HiddenBench's form; each entry of `hidden_information` is for one person."""

    name: Text
    description: Text
    shared_information: tuple[Text, ...]
    hidden_information: Annotated[tuple[Text | tuple[Text, ...], ...], Field(min_length=2)]
    possible_answers: tuple[Text, ...]
    correct_answer: Text

    def case_fields(self) -> dict[str, object]:
        """The fields of a case: nobody is an NPC, and no clue says what it speaks for."""
        clues: list[dict[str, str]] = []

        def known(texts: Sequence[str]) -> list[str]:
            ids = [f"c{n}" for n in range(len(clues) + 1, len(clues) + len(texts) + 1)]
            clues.extend({"id": id_, "text": text} for id_, text in zip(ids, texts, strict=True))
            return ids

        shared, hidden = known(self.shared_information), self.hidden_information
        hands = [known([texts] if isinstance(texts, str) else texts) for texts in hidden]
        return {
            "id": self.name,
            "theme": self.name,
            "situation": self.description,
            "question": "Which is the right answer?",
            "options": self.possible_answers,
            "answer": self.correct_answer,
            "people": [
                {"id": f"player-{n}", "name": f"Person {n}", "called": f"Person {n}"}
                for n in range(1, len(hidden) + 1)
            ],
            "clues": clues,
            "knows": {f"player-{n}": [*shared, *hand] for n, hand in enumerate(hands, 1)},
        }


def read_tasks(path: Path) -> tuple[DecisionCase, ...]:
    """The tasks of a JSON list in HiddenBench's form, as cases.

    ConfigError, with the number of the task, where one is incomplete, has no right answer among its
    possible ones, or a name that occurred before; and where there is none.
    """
    rows = json_file(path)
    if not isinstance(rows, list) or not rows:
        raise ConfigError(f"{path}: expected a JSON list of tasks, found {str(rows)[:60]}")
    cases: dict[str, DecisionCase] = {}
    for number, row in enumerate(rows, 1):
        place = f"{path}, task {number}"
        case = record(place, DecisionCase, record(place, HiddenProfile, row).case_fields())
        if case.id in cases:
            raise ConfigError(f'{place}: expected a name of its own, found "{case.id}" twice')
        cases[case.id] = case
    return tuple(cases.values())


def import_tasks(request: Importing, fresh: Path) -> Sequence[str]:
    """Check a file of tasks, and copy it into the new folder."""
    cases = read_tasks(request.source)
    write_files(fresh, {FILE: read_text(request.source)})
    return (f"{len(cases)} tasks",)
