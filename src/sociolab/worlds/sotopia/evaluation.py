"""SOTOPIA-Eval by a judge model: one structured call for all agents (SOTOPIA section 3)."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from sociolab.core.episode import Episode
from sociolab.core.errors import Cause
from sociolab.core.ports import Message, Prompt
from sociolab.core.score import Measure, Score, ScoreFailure, Verdict
from sociolab.core.seeding import digest
from sociolab.prompting.structured import schema_of
from sociolab.prompting.templates import prompt
from sociolab.worlds.sotopia.dimensions import DIMENSIONS, overall
from sociolab.worlds.sotopia.profiles import RelationshipType
from sociolab.worlds.sotopia.scene import PACKAGE, Casting, describe_self, line_text


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Gain(_Strict):
    """A score from 0 to 10."""

    reason: str
    score: Annotated[int, Field(ge=0, le=10)]


class Change(_Strict):
    """A score from -5 to 5."""

    reason: str
    score: Annotated[int, Field(ge=-5, le=5)]


class Breach(_Strict):
    """A score from -10 to 0."""

    reason: str
    score: Annotated[int, Field(ge=-10, le=0)]


class Sheet(_Strict):
    """The seven scores of one agent, as the judge is asked to fill them in."""

    agent: str
    believability: Gain
    relationship: Change
    knowledge: Gain
    secret: Breach
    social_rules: Breach
    financial: Change
    goal: Gain


class Sheets(_Strict):
    """The sheets of all agents: the schema that is sent."""

    agents: list[Sheet]


class LooseSheets(BaseModel):
    """What is read: any list of objects, so that one bad cell does not cost the others."""

    model_config = ConfigDict(extra="ignore")

    agents: list[dict[str, Any]]


class SotopiaRubric:
    """The judge prompt of SOTOPIA and how its reply becomes verdicts."""

    def __init__(self) -> None:
        self._head = prompt(PACKAGE, "judge_head").render({})
        self._schema = schema_of(Sheets)
        body = prompt(PACKAGE, "judge_body")
        self.hash = digest(self._head, body.hash, self._schema.text)

    def prompt(self, episode: Episode, temperature: float) -> tuple[Prompt, type[BaseModel]]:
        """The instruction, then the scene with everything private, then what happened."""
        casting = Casting.model_validate_json(episode.trial.task.content)
        messages = (Message("system", self._head), Message("user", body(casting, episode)))
        return Prompt(messages, self._schema, temperature), LooseSheets

    def verdicts(self, episode: Episode, reply: BaseModel, attempts: int) -> tuple[Verdict, ...]:
        """A verdict for each dimension and agent, and each agent's overall."""
        assert isinstance(reply, LooseSheets)
        casting = Casting.model_validate_json(episode.trial.task.content)
        names = judge_names(casting)
        found: list[Verdict] = []
        for seat, name in names.items():
            sheet = _sheet_of(name, reply.agents, list(names.values()))
            mine = tuple(_verdict(d, seat, name, sheet, attempts) for d in DIMENSIONS)
            found += [*mine, overall(mine, seat)]
        return tuple(found)

    def failures(
        self, episode: Episode, cause: Cause, problem: str, raw: str, attempts: int
    ) -> tuple[Verdict, ...]:
        """A failure for each dimension and agent."""
        found: list[Verdict] = []
        for seat in episode.trial.task.seats:
            mine = tuple(ScoreFailure(d, seat, cause, problem, raw, attempts) for d in DIMENSIONS)
            found += [*mine, overall(mine, seat)]
        return tuple(found)


def judge_names(casting: Casting) -> dict[str, str]:
    """What the judge calls each seat: first names, full names where first names are the same."""
    first = [character.first_name for character in casting.characters]
    return {
        c.id: c.first_name if first.count(c.first_name) == 1 else c.name
        for c in casting.characters
    }


def body(casting: Casting, episode: Episode) -> str:
    """The scene, the people, their goals and ties, and the numbered turns."""
    names = judge_names(casting)
    people = [
        {"name": names[c.id], "text": describe_self(c), "goal": goal.text}
        for c, goal in zip(casting.characters, casting.scenario.goals, strict=True)
    ]
    lines = []
    for move in episode.moves:
        told = (
            line_text(names[move.seat], action, tuple(names[seat] for seat in action.to))
            for action in move.actions
        )
        lines.append(f"{move.turn + 1}. {' '.join(told)}")
    return prompt(PACKAGE, "judge_body").render(
        {
            "context": casting.scenario.context,
            "people": people,
            "ties": _ties(casting, names),
            "lines": lines,
        }
    )


def _ties(casting: Casting, names: dict[str, str]) -> list[str]:
    seats = list(names)
    told = []
    for i, a in enumerate(seats):
        for b in seats[i + 1 :]:
            tie = casting.between(a, b)
            more = f" ({tie.tie})" if tie.tie else ""
            if tie.type is RelationshipType.STRANGER:
                told.append(f"{names[a]} and {names[b]} have never met.")
            else:
                told.append(f"{names[a]} and {names[b]}: {tie.type.replace('-', ' ')}{more}.")
    return told


def _sheet_of(name: str, sheets: list[dict[str, Any]], names: list[str]) -> dict[str, Any] | None:
    """The sheet of this agent: by the name given, or by the one full name that begins with it."""
    for sheet in sheets:
        said = str(sheet.get("agent", "")).strip().casefold()
        if said == name.casefold():
            return sheet
    for sheet in sheets:
        said = str(sheet.get("agent", "")).strip().casefold()
        meant = [n for n in names if said.startswith(n.casefold() + " ")]
        if meant == [name]:
            return sheet
    return None


def _verdict(
    measure: Measure, seat: str, name: str, sheet: dict[str, Any] | None, attempts: int
) -> Verdict:
    def failed(problem: str, raw: object) -> ScoreFailure:
        return ScoreFailure(measure, seat, "unreadable", problem, str(raw)[:500], attempts)

    if sheet is None:
        return failed(f'expected a sheet for "{name}", found none', "")
    cell = sheet.get(measure.name)
    if not isinstance(cell, dict):
        return failed(f"{measure.name} of {name}: expected a reason and a score", cell)
    value = _whole(cell.get("score"))
    if value is None or not measure.low <= value <= measure.high:
        span = f"{measure.low:g} to {measure.high:g}"
        found = str(cell.get("score"))[:40]
        return failed(f"{measure.name} of {name}: expected a whole number {span}, found {found}", cell)
    return Score(measure, seat, value, str(cell.get("reason", "")))


def _whole(value: Any) -> int | None:
    """The whole number that this is, digits in a string included; None if it is none."""
    if isinstance(value, str) and value.strip().lstrip("+-").isdigit():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        return None
    return int(value)
