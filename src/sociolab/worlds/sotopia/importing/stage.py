"""What imported episodes were played on: their scenarios and tasks, at hand or rebuilt."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sociolab.core.episode import Task
from sociolab.core.ports import DataId
from sociolab.core.seeding import digest
from sociolab.worlds.sotopia.dataset import DataSet, TaskRow
from sociolab.worlds.sotopia.importing.facts import family_of, read_facts
from sociolab.worlds.sotopia.importing.goals import composed, mended, sentence, untagged
from sociolab.worlds.sotopia.importing.public_data import PUBLIC_HARD, PublicData
from sociolab.worlds.sotopia.importing.quirks import Quirk, Quirks
from sociolab.worlds.sotopia.importing.reading import record
from sociolab.worlds.sotopia.importing.tags import without_tags
from sociolab.worlds.sotopia.importing.transcripts import Played
from sociolab.worlds.sotopia.profiles import Character, RelationshipType
from sociolab.worlds.sotopia.scenarios import Scenario


@dataclass(frozen=True, slots=True)
class Told:
    """An episode's line: where it stands, which scenario it names, and what it tells."""

    place: str
    environment: str
    scene: Played


def tasks_of(
    episodes: Sequence[Told],
    people: Mapping[str, Character],
    public: PublicData | None,
    quirks: Quirks,
) -> tuple[Task, ...]:
    """The task of each episode: that of the data set where scenario and cast agree with one."""
    desk = _Desk(people, public or PublicData({}, 0, {}, {}, {}, (), frozenset()), quirks)
    rows = [desk.row(told) for told in episodes]
    data = DataSet(
        DataId("episodes", "", ""),
        {who.id: who for who in people.values()},
        dict(desk.public.relationships),
        {**desk.public.scenarios, **desk.own},
        tuple({row.id: row for row in rows}.values()),
    )
    by_id = {task.id: task for task in data.tasks()}
    return tuple(by_id[row.id] for row in rows)


@dataclass(slots=True)
class _Desk:
    """Finds or makes the task row of one episode after another."""

    people: Mapping[str, Character]
    public: PublicData
    quirks: Quirks
    own: dict[str, Scenario] = field(default_factory=dict)
    known: Mapping[tuple[str, ...], tuple[str, ...]] = field(init=False)
    cast: Mapping[tuple[str, ...], TaskRow] = field(init=False)

    def __post_init__(self) -> None:
        self.known = _by_text(self.public)
        self.cast = {(task.scenario, *task.characters): task for task in self.public.tasks}

    def row(self, told: Told) -> TaskRow:
        scenario = self._scenario(told)
        characters = tuple(self.people[name].id for name in told.scene.names)
        task = self.cast.get((scenario.id, *characters))
        if task is not None:
            return task
        self.quirks[Quirk.NO_TASK] += bool(self.public.tasks)
        pair = self.public.relationships.get(frozenset(characters))
        wanted = scenario.relationships[0]
        return TaskRow(
            id=f"task-{digest(scenario.id, *characters)}",
            scenario=scenario.id,
            characters=characters,
            tags=(PUBLIC_HARD,) if scenario.id in self.public.hard else (),
            relationship=None if pair is not None and pair.type is wanted else wanted,
        )

    def _scenario(self, told: Told) -> Scenario:
        """The scenario that was played, by its text: a few lines name another one."""
        ids = self.known.get(_key(told.scene.scenario, told.scene.goals), ())
        if not ids:
            return self._own(told)
        if told.environment in ids:
            return self.public.scenarios[told.environment]
        self.quirks[Quirk.OTHER_SCENARIO] += 1
        return self.public.scenarios[ids[0]]

    def _own(self, told: Told) -> Scenario:
        """A scenario from the episode's own text; nothing in it tells the relationship."""
        self.quirks[Quirk.OWN_TEXT] += 1
        self.quirks[Quirk.UNKNOWN_TIE] += 1
        context = sentence(mended(told.scene.scenario, self.quirks))
        goals = tuple(composed(untagged(mended(goal, self.quirks))) for goal in told.scene.goals)
        family = family_of(context, goals)
        facts = read_facts(family, context, goals)
        scenario = record(
            told.place,
            Scenario,
            {
                "id": f"scenario-{digest(context, *goals)}",
                "family": family,
                "context": context,
                "goals": [
                    {"text": text, "facts": facts[seat] if facts else None}
                    for seat, text in enumerate(goals)
                ],
                "relationships": [RelationshipType.ACQUAINTANCE],
            },
        )
        self.own[scenario.id] = scenario
        return scenario


def _by_text(public: PublicData) -> Mapping[tuple[str, ...], tuple[str, ...]]:
    """Ids of the scenarios with this text, as the judge (who may read all of it) is shown it."""
    found: dict[tuple[str, ...], tuple[str, ...]] = defaultdict(tuple)
    for raw in public.raw_scenarios.values():
        found[_key(raw.scenario, raw.agent_goals)] += (raw.env_id,)
    return found


def _key(context: str, goals: Sequence[str]) -> tuple[str, ...]:
    """Letters and digits alone: tags, blanks and brackets differ between the files."""
    return tuple(
        "".join(letter for letter in without_tags(text).lower() if letter.isalnum())
        for text in (context, *goals)
    )
