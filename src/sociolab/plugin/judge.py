"""A model as a judge that gets the same instructions as human raters: those of a `RatingGuide`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, create_model

from sociolab.core.episode import Episode
from sociolab.core.ports import ChatModel, Judge, Message, Prompt
from sociolab.core.score import NO_ANSWERS, Score, ScoreFailure, Unscored, Verdict
from sociolab.core.seeding import digest
from sociolab.judging.llm_judge import LlmJudge
from sociolab.judging.quoting import QUOTE_RULE
from sociolab.judging.reader import MissingValue
from sociolab.plugin.shown import DimensionGuide, RatedScene
from sociolab.plugin.world import RatingGuide
from sociolab.prompting.sets import prompt
from sociolab.prompting.structured import schema_of


class Quote(BaseModel):
    """Words of a turn, by its number."""

    turn: int
    quote: str


class RatedReply(BaseModel):
    """One score as a model gives it: lenient, so that one bad score spoils no other."""

    reasoning: str
    score: float


class ObservedReply(BaseModel):
    """One answer to a yes/no question as a model gives it, as lenient."""

    reasoning: str = ""
    quotes: tuple[Quote, ...] = ()
    answer: str


class _Observed(BaseModel):
    """The same as the schema asks for it."""

    reasoning: str
    quotes: list[Quote]
    answer: Literal["yes", "no", "cannot tell", "not applicable"]


def guide_judge(guide: RatingGuide, model: ChatModel, sheet: str = "") -> Judge:
    """A judge that has a model fill in a guide for each seat: the `model_judge` of a world or, with
    the name of a `sheet`, a further judge beside it.

    >>> import sociolab.plugin.api as lab
    >>> from sociolab.worlds import sotopia
    >>> class Model:
    ...     label = "my/model"
    >>> judge = lab.guide_judge(sotopia.rating_guide(), Model(), sheet="paper")
    >>> judge.id.label, judge.id.method
    ('sheet:paper:my/model', 'model')
    """
    return LlmJudge(GuideRubric(guide), model, role="sheet" if sheet else "judge", sheet=sheet)


class GuideRubric:
    """The rubric of an `LlmJudge` for a guide: its prompt, and a verdict per metric and seat."""

    def __init__(self, guide: RatingGuide) -> None:
        self._guide = guide
        self._prompt = prompt("sociolab.plugin", "judge")
        self.hash = digest(self._prompt.hash, repr(guide.guides))
        self.instructions = guide.instructions

    def prompt(self, episode: Episode, temperature: float) -> tuple[Prompt, type[BaseModel]] | None:
        """The guide, the scene as raters see it, and a sheet for each seat; None without people."""
        scene = self._guide.rated_scene(episode)
        if not scene.people:
            return None
        reply_type, sheets = (
            _record("Sheets", dict.fromkeys(_fields(scene).values(), _record("Sheet", kinds)))
            for kinds in (
                {guide.name: _define_reply(guide) for guide in self._guide.guides},
                {
                    guide.name: ObservedReply if guide.measure.yes_no else RatedReply
                    for guide in self._guide.guides
                },
            )
        )
        values = {
            "guides": self._guide.guides,
            "scored": tuple(guide.name for guide in self._guide.guides if not guide.measure.yes_no),
            "observed": tuple(guide.name for guide in self._guide.guides if guide.measure.yes_no),
            "scene": scene,
            "people": scene.people,
            "fields": tuple(_fields(scene).values()),
        }
        text = self._prompt.render(values)
        needs = 300 * len(self._guide.guides) * len(scene.people)
        prompt = Prompt((Message("user", text),), schema_of(reply_type), temperature, needs=needs)
        return prompt, sheets

    def verdicts(self, episode: Episode, reply: BaseModel) -> tuple[Verdict, ...]:
        """A verdict for each metric and seat; a failure where the reply is off the scale, or quotes
        what is not in the turn."""
        ratings, scene = reply.model_dump(), self._guide.rated_scene(episode)
        return tuple(
            _verdict(guide, seat, ratings[field][guide.name], scene)
            for seat, field in _fields(scene).items()
            for guide in self._guide.guides
        )

    def failures(self, episode: Episode, missing: MissingValue) -> tuple[Verdict, ...]:
        measures = [guide.measure for guide in self._guide.guides]
        return missing.as_verdicts(measures, self._guide.rated_scene(episode).seats)


def _fields(scene: RatedScene) -> dict[str, str]:
    """The field of each seat in the reply; a seat's id may be no valid name of a field."""
    return {seat: f"person_{number}" for number, seat in enumerate(scene.seats, start=1)}


def _record(name: str, fields: Mapping[str, type[BaseModel]]) -> type[BaseModel]:
    kinds: dict[str, Any] = {field: (kind, ...) for field, kind in fields.items()}
    return create_model(name, **kinds)


def _define_reply(guide: DimensionGuide) -> type[BaseModel]:
    if guide.measure.yes_no:
        return _Observed
    points: Any = Annotated[int, Field(ge=guide.points[0], le=guide.points[-1])]
    return create_model(f"Rated_{guide.name}", reasoning=(str, ...), score=(points, ...))


def _verdict(guide: DimensionGuide, seat: str, entry: dict[str, Any], scene: RatedScene) -> Verdict:
    verdict = (
        _answer(guide, seat, entry, scene) if guide.measure.yes_no else _score(guide, seat, entry)
    )
    if not isinstance(verdict, str):
        return verdict
    name = next(person.name for person in scene.people if person.seat == seat)
    problem = f"{guide.name} of {name}: {verdict}"
    return ScoreFailure(guide.measure, seat, "not allowed", problem, str(entry)[:500])


def _score(guide: DimensionGuide, seat: str, entry: dict[str, Any]) -> Score | str:
    """A score, or what is wrong with the reply."""
    score, points = entry["score"], guide.points
    if score in points:
        return Score(guide.measure, seat, score, entry["reasoning"])
    return f"expected a whole number from {points[0]} to {points[-1]}, found {score:g}"


def _answer(
    guide: DimensionGuide, seat: str, entry: dict[str, Any], scene: RatedScene
) -> Score | Unscored | str:
    """A score of 1 for a yes (which needs quotes) or 0 for a no, an Unscored for the other answers;
    or what is wrong with the reply."""
    answer, quotes = entry["answer"].strip().casefold(), entry["quotes"]
    for kind in NO_ANSWERS:
        if answer == kind:
            return Unscored(guide.measure, seat, entry["reasoning"], kind)
    if answer not in ("yes", "no"):
        return f'expected yes, no, {" or ".join(NO_ANSWERS)}, found "{answer[:40]}"'
    if answer == "yes" and not quotes:
        return "expected a turn and its words for a yes, found none"
    for quote in quotes:
        turn, text = quote["turn"], quote["quote"]
        if scene.match_quote(turn, text) is None:
            return f'expected {QUOTE_RULE} of turn {turn} as quote, found "{text[:100]}"'
    reason = f"{cited(scene, quotes)} {entry['reasoning']}".strip()
    return Score(guide.measure, seat, float(answer == "yes"), reason)


def cited(scene: RatedScene, quotes: Sequence[Mapping[str, Any]]) -> str:
    """Quotes as raters write them before a reason, such as `3: "no, that is mine"`."""
    return " ".join(f'{q["turn"]}: "{scene.match_quote(q["turn"], q["quote"])}"' for q in quotes)
