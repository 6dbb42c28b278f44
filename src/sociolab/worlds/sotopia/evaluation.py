"""SOTOPIA-Eval: seven dimensions with their ranges, and how a judge model scores them."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    create_model,
    model_validator,
)

from sociolab.core.episode import Ended, Episode, Moved
from sociolab.core.errors import ConfigError
from sociolab.core.ports import Message, Prompt
from sociolab.core.reading import record
from sociolab.core.score import Measure, Score, ScoreFailure, Unscored, Verdict
from sociolab.core.seeding import digest
from sociolab.judging.quoting import flat
from sociolab.judging.reader import MissingValue, PersonSheets, person_field
from sociolab.prompting.sets import PromptSet
from sociolab.prompting.structured import schema_of
from sociolab.worlds.sotopia.closing_form import DEAL, describe_selections
from sociolab.worlds.sotopia.scenarios import SceneCast, casting_from
from sociolab.worlds.sotopia.scene import JUDGED, describe_ties, judge_names, paper_prompts
from sociolab.worlds.sotopia.visibility import (
    describe_self,
    format_line,
    published_scene,
)

BELIEVABILITY = Measure("believability", 0, 10, whole=True, title="BEL")
RELATIONSHIP = Measure("relationship", -5, 5, whole=True, title="REL")
KNOWLEDGE = Measure("knowledge", 0, 10, whole=True, title="KNO")
SECRET = Measure("secret", -10, 0, whole=True, title="SEC")
SOCIAL_RULES = Measure("social_rules", -10, 0, whole=True, title="SOC")
FINANCIAL = Measure("financial", -5, 5, whole=True, title="FIN")
GOAL = Measure("goal", 0, 10, whole=True, title="GOAL")

DIMENSIONS = (BELIEVABILITY, RELATIONSHIP, KNOWLEDGE, SECRET, SOCIAL_RULES, FINANCIAL, GOAL)

OVERALL = Measure(
    "overall",
    sum(d.low for d in DIMENSIONS) / len(DIMENSIONS),
    sum(d.high for d in DIMENSIONS) / len(DIMENSIONS),
    title="Overall",
)
"""The unweighted mean of the seven, -30/7 to 40/7 (Table F.1: 19.69 / 7 = 2.81)."""

GOAL_CHECKED = Measure("goal_checked", 0, 10, title="goal (checked)")
"""Goal completion by formula from the outcome; shown beside the judge's, never in the overall."""


def compute_overall(verdicts: tuple[Verdict, ...], seat: str) -> Verdict:
    """The overall of one seat, the mean of its seven scores; no value where one is missing."""
    by_name = {v.measure.name: v for v in verdicts if v.seat == seat}
    values = []
    for dimension in DIMENSIONS:
        match by_name.get(dimension.name):
            case Score(value=value):
                values.append(value)
            case ScoreFailure() as failure:
                problem = f"{dimension.name} is missing: {failure.problem}"
                return ScoreFailure(OVERALL, seat, "incomplete", problem)
            case Unscored():
                return Unscored(OVERALL, seat, f"{dimension.name} cannot be observed")
            case _:
                problem = f"{dimension.name} was not judged"
                return ScoreFailure(OVERALL, seat, "incomplete", problem)
    return Score(OVERALL, seat, sum(values) / len(DIMENSIONS))


_AGENT = re.compile("agent_([0-9]+)(?:_evaluation)?")
PUBLIC_NAMES = {"financial_and_material_benefits": FINANCIAL.name}
"""The public code's names of dimensions that have another name here."""
_INTEGER = re.compile(r"\s*[+-]?[0-9]{1,3}\s*")


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


NonEmpty = Annotated[str, StringConstraints(min_length=1)]


COMPREHENSIVE = "Give a comprehensive account of how you reach your conclusion."
"""The demand on the reasoning for some dimensions (appendix C)."""


class Instruction(_Strict):
    """The instruction on a dimension, for the judge and raters alike.

    The question, what to account for before the score, whether the account has to be comprehensive,
    what the score means, the labels of both ends of its scale, and the fields of the judge's
    reasoning.
    """

    title: NonEmpty
    question: NonEmpty
    account: str
    comprehensive: bool = False
    scale: str
    low_end: str
    high_end: str
    reasons: tuple[NonEmpty, ...] = Field(default=("reason",), min_length=1)


def read_instructions(texts: PromptSet) -> dict[str, Instruction]:
    """The instructions of a prompt set, by dimension; ConfigError for a missing or invalid one."""
    return _parse_instructions(texts.tables["dimensions.toml"], texts.name)


@cache
def _parse_instructions(text: str, name: str) -> dict[str, Instruction]:
    kinds: dict[str, Any] = {dimension.name: (Instruction, ...) for dimension in DIMENSIONS}
    place = f"the set of prompts {name}, dimensions.toml"
    try:
        fields = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{place} is not valid TOML: {error}") from error
    instructions = record(place, create_model("Instructions", __base__=_Strict, **kinds), fields)
    return dict(instructions)


class LooseSheets(PersonSheets):
    """A judge's reply with anything for a person, so that one bad cell does not cost the others."""

    @model_validator(mode="before")
    @classmethod
    def _convert_public_form(cls, reply: Any) -> Any:
        """Convert the public code's form (agents by number, cells with names) to ours."""
        reply = reply.get("evaluations", reply) if isinstance(reply, dict) else reply
        if not isinstance(reply, dict):
            return reply
        return {
            f"person_{agent[1]}" if (agent := _AGENT.fullmatch(who)) else who: (
                {PUBLIC_NAMES.get(name, name): _convert_cell(cell) for name, cell in sheet.items()}
                if isinstance(sheet, dict)
                else sheet
            )
            for who, sheet in reply.items()
        }


def _convert_cell(cell: Any) -> Any:
    match cell:
        case [str(reason), score]:
            return {"reason": reason, "score": score}
        case {"reasoning": reason, "score": score}:
            return {"reason": reason, "score": score}
    return cell


@cache
def make_sheets_type(seats: int, reasons: tuple[tuple[str, ...], ...]) -> type[BaseModel]:
    """The type of a judge's reply: a sheet for each person, with the reasons of each dimension
    before its score."""
    cells: dict[str, Any] = {}
    for dimension, named in zip(DIMENSIONS, reasons, strict=True):
        score = Annotated[int, Field(ge=int(dimension.low), le=int(dimension.high))]
        cell: dict[str, Any] = {**dict.fromkeys(named, (str, ...)), "score": (score, ...)}
        # Dimensions with the same fields and range share a type, which shortens the schema.
        kind = f"From_{dimension.low:g}_to_{dimension.high:g}_by_{'_'.join(named)}"
        cells[dimension.name] = (_cell(kind.replace("-", "minus_"), tuple(cell.items())), ...)
    sheet = create_model("Sheet", __base__=_Strict, **cells)
    fields: dict[str, Any] = {person_field(i): (sheet, ...) for i in range(seats)}
    return create_model("Sheets", __base__=_Strict, **fields)


@cache
def _cell(kind: str, fields: tuple[tuple[str, Any], ...]) -> type[BaseModel]:
    return create_model(kind, __base__=_Strict, **dict(fields))


_A_SHEET = 1_500
"""Tokens for seven accounts with their scores; GPT-4's on public episodes take about 500."""


class SotopiaRubric:
    """The judge prompt of SOTOPIA, and how its reply becomes verdicts."""

    def __init__(self, texts: PromptSet | None = None) -> None:
        self._texts = texts or paper_prompts()
        questions = read_instructions(self._texts)
        dimensions = [
            {"name": d.name, "low": f"{d.low:g}", "high": f"{d.high:g}", **dict(questions[d.name])}
            for d in DIMENSIONS
        ]
        self._head = self._texts["judge_head"].render({"dimensions": dimensions})
        self._reasons = tuple(questions[d.name].reasons for d in DIMENSIONS)
        self.instructions = self._texts.instructions(*JUDGED)
        self.hash = digest(
            self.instructions.hash, schema_of(make_sheets_type(2, self._reasons)).text
        )

    def prompt(self, episode: Episode, temperature: float) -> tuple[Prompt, type[BaseModel]]:
        """The instruction, the scene with everything private, and the transcript."""
        casting = casting_from(episode.trial.task.content)
        body = self._body(casting, episode)
        messages: tuple[Message, ...] = (Message("system", self._head), Message("user", body))
        if self._texts.manifest.layout.messages == "one":
            messages = (Message("user", f"{self._head}\n\n{body}".strip()),)
        needs = _A_SHEET * len(casting.characters)
        if self._texts.manifest.layout.reply_form == "in prompt":
            return Prompt(messages, None, temperature, needs=needs), LooseSheets
        schema = schema_of(make_sheets_type(len(casting.characters), self._reasons))
        return Prompt(messages, schema, temperature, needs=needs), LooseSheets

    def verdicts(self, episode: Episode, reply: BaseModel) -> tuple[Verdict, ...]:
        """A verdict for each dimension and agent, and each agent's overall."""
        assert isinstance(reply, LooseSheets)
        casting = casting_from(episode.trial.task.content)
        verdicts: list[Verdict] = []
        for index, (seat, name) in enumerate(judge_names(casting).items()):
            sheet = reply.root.get(person_field(index))
            called = f"{name} ({person_field(index)})"
            seat_verdicts = tuple(read_verdict(d, seat, called, sheet) for d in DIMENSIONS)
            verdicts += [*seat_verdicts, compute_overall(seat_verdicts, seat)]
        return tuple(verdicts)

    def failures(self, episode: Episode, missing: MissingValue) -> tuple[Verdict, ...]:
        """A failure for each dimension and agent."""
        failed = [
            (seat, missing.as_verdicts(DIMENSIONS, (seat,))) for seat in episode.trial.task.seats
        ]
        return tuple(
            failure
            for seat, failures in failed
            for failure in (*failures, compute_overall(failures, seat))
        )

    def _body(self, casting: SceneCast, episode: Episode) -> str:
        names = judge_names(casting)
        if self._texts.manifest.full_names:
            names = {character.id: character.name for character in casting.characters}
        people = [
            {
                "field": person_field(index),
                "name": names[c.id],
                "text": describe_self(c),
                "goal": casting.scenario.goals[index].text,
            }
            for index, c in enumerate(casting.characters)
        ]
        return self._texts["judge_body"].render(
            {
                "context": casting.scenario.context,
                "told": casting.scenario.environment,
                "people": people,
                "ties": describe_ties(casting),
                "lines": [self._format_turn(names, move) for move in episode.moves],
                "ending": _ending(casting, episode, names),
                "scene": published_scene(casting),
            }
        )

    def _format_turn(self, names: dict[str, str], move: Moved) -> str:
        """A turn in the set's form; else in ours, with its number before it."""
        turn, name = move.turn + 1, names[move.seat]
        own = [
            None
            if action.to  # the forms of a set do not say who it is meant for
            else self._texts.line(action.kind, name, flat(action.text), turn, judge=True)
            for action in move.actions
        ]
        defaults = [
            format_line(name, action, tuple(names[seat] for seat in action.to))
            for action in move.actions
        ]
        text = " ".join(line or default for line, default in zip(own, defaults, strict=True))
        return text if any(own) else f"{turn}. {text}"


def _ending(casting: SceneCast, episode: Episode, names: dict[str, str]) -> str:
    """Why the episode ended, and what was then entered in a form; "" where that is not recorded."""
    entered = describe_selections(casting.scenario, episode, names)
    return " ".join(filter(None, (_why_it_ended(episode, names), entered)))


def _why_it_ended(episode: Episode, names: dict[str, str]) -> str:
    match episode.ended:
        case None:
            return ""
        case Ended("left", _, str(seat)):
            return f"It ended because {names[seat]} left."
        case Ended("turn limit"):
            return "It ended because the limit of turns was reached."
        case Ended(reason, _, str(seat)) if reason == DEAL:
            return f"It ended because {names[seat]} accepted the deal."
    return "It broke off there, for a reason outside of the scene."


def read_verdict(measure: Measure, seat: str, name: str, sheet: Any) -> Verdict:
    """The score in a sheet for one dimension of a seat, called `name`; else a failure."""

    def failed(problem: str, raw: object) -> ScoreFailure:
        return ScoreFailure(measure, seat, "unreadable", problem, str(raw)[:500])

    if not isinstance(sheet, dict):
        return failed(f"expected the scores of {name}, found {_describe_value(sheet)}", sheet)
    cell = sheet.get(measure.name)
    if not isinstance(cell, dict):
        problem = f"{measure.name} of {name}: expected a reason and a score"
        return failed(f"{problem}, found {_describe_value(cell)}", cell)
    value = _parse_integer(cell.get("score"))
    if value is None or not measure.low <= value <= measure.high:
        span = f"{measure.low:g} to {measure.high:g}"
        raw_score = _describe_value(cell.get("score"))
        return failed(
            f"{measure.name} of {name}: expected a score, a whole number {span}, found {raw_score}",
            cell,
        )
    reasons = {name: str(text) for name, text in cell.items() if name != "score"}
    # Several are stored with their tags (appendix C: <naturalness>, <consistency>).
    tagged = "\n".join(f"<{name}> {text}" for name, text in reasons.items())
    return Score(measure, seat, value, tagged if len(reasons) > 1 else "".join(reasons.values()))


def _describe_value(value: Any) -> str:
    return "none" if value is None else str(value)[:40]


def _parse_integer(value: Any) -> int | None:
    """A whole number, also from digits in a string; None for anything else."""
    if isinstance(value, str):
        return int(value) if _INTEGER.fullmatch(value) else None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
