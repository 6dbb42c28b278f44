"""A chat model as a judge that gets the same instructions as people who rate: those of a guide."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, Field, create_model

from sociolab.core.episode import Episode
from sociolab.core.errors import Cause
from sociolab.core.ports import ChatModel, Judge, Message, Prompt
from sociolab.core.score import Score, ScoreFailure, Verdict
from sociolab.core.seeding import digest
from sociolab.judging.llm_judge import LlmJudge
from sociolab.plugin.shown import DimensionGuide, RatedScene
from sociolab.plugin.world import RatingGuide
from sociolab.prompting.structured import schema_of
from sociolab.prompting.templates import prompt


class RatedReply(BaseModel):
    """One score as a model gives it: lenient, so that one bad score spoils no other."""

    reasoning: str
    score: float


def guide_judge(guide: RatingGuide, model: ChatModel) -> Judge:
    """A model that rates each seat on each dimension of a guide: the `model_judge` of a world."""
    return LlmJudge(GuideRubric(guide), model)


class GuideRubric:
    """The prompt of a guide, and its verdicts: a score for each dimension and seat."""

    instructions = None

    def __init__(self, guide: RatingGuide) -> None:
        self._guide = guide
        self._prompt = prompt("sociolab.plugin", "judge")
        self.hash = digest(self._prompt.hash, repr(guide.guides))

    def prompt(self, episode: Episode, temperature: float) -> tuple[Prompt, type[BaseModel]]:
        """The guide, the scene as raters see it, and a sheet for each seat."""
        scene = self._guide.shown(episode)
        asked, sheets = (
            _record("Sheets", dict.fromkeys(_fields(scene).values(), _record("Sheet", kinds)))
            for kinds in (
                {one.name: _on_scale(one) for one in self._guide.guides},
                {one.name: RatedReply for one in self._guide.guides},
            )
        )
        values = {"guides": self._guide.guides, "scene": scene, "people": scene.people}
        text = self._prompt.render({**values, "fields": tuple(_fields(scene).values())})
        return Prompt((Message("user", text),), schema_of(asked), temperature), sheets

    def verdicts(self, episode: Episode, reply: BaseModel, attempts: int) -> tuple[Verdict, ...]:
        """A score for each dimension and seat; a failure where it is off the scale."""
        given = reply.model_dump()
        return tuple(
            _verdict(one, seat, given[field][one.name], attempts)
            for seat, field in _fields(self._guide.shown(episode)).items()
            for one in self._guide.guides
        )

    def failures(
        self, episode: Episode, cause: Cause, problem: str, raw: str, attempts: int
    ) -> tuple[Verdict, ...]:
        """A failure for each dimension and seat."""
        return tuple(
            ScoreFailure(one.measure, seat, cause, problem, raw, attempts)
            for seat in self._guide.shown(episode).seats
            for one in self._guide.guides
        )


def _fields(scene: RatedScene) -> dict[str, str]:
    """What each seat is called in the reply: not what it is, which may be no name in JSON."""
    return {seat: f"person_{number}" for number, seat in enumerate(scene.seats, start=1)}


def _record(name: str, fields: Mapping[str, type[BaseModel]]) -> type[BaseModel]:
    kinds: dict[str, Any] = {field: (kind, ...) for field, kind in fields.items()}
    return create_model(name, **kinds)


def _on_scale(guide: DimensionGuide) -> type[BaseModel]:
    """One score as the schema asks for it."""
    points: Any = Annotated[int, Field(ge=guide.points[0], le=guide.points[-1])]
    return create_model(f"Rated_{guide.name}", reasoning=(str, ...), score=(points, ...))


def _verdict(guide: DimensionGuide, seat: str, given: dict[str, Any], attempts: int) -> Verdict:
    score, points = given["score"], guide.points
    if score in points:
        return Score(guide.measure, seat, score, given["reasoning"])
    problem = f"expected a whole number from {points[0]} to {points[-1]}, found {score:g}"
    return ScoreFailure(guide.measure, seat, "not allowed", problem, str(given), attempts)
