"""What does a study ask of people? Its settings, from a form or a TOML file, checked and told."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from sociolab.core.errors import ConfigError
from sociolab.store.studies import StudyKind

Sentence = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
Prose = Annotated[str, StringConstraints(strip_whitespace=True, max_length=20_000)]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,39}$")]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SurveyQuestion(_Record):
    """A question of the exit survey. `choices` are for "choice", `low` and `high` name the ends
    of a "scale" from 1 to `points`."""

    name: Name
    text: Sentence
    kind: Literal["text", "choice", "scale"] = "text"
    choices: tuple[Sentence, ...] = ()
    points: int = Field(default=7, ge=2, le=11)
    low: str = Field(default="", max_length=80)
    high: str = Field(default="", max_length=80)
    required: bool = False

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.kind == "choice" and len(self.choices) < 2:
            raise ValueError("a choice needs two choices or more")
        return self


class PlayPlan(_Record):
    """People take seats in episodes of a world.

    `people` sit in each episode, and one of `partners` (agent specs) in all other seats;
    SOTOPIA's have two seats. `tasks` and `limit` choose tasks as `sociolab run` does. Each task is
    played `plays` times with each partner and each seat for the people; a person plays
    `each` episodes. A turn takes at most `turn_seconds`; after `missed` turns in a row without an
    answer a person has gone. Who waits longer than `waiting_seconds` for others meets `stand_in`,
    or, without one, is thanked and let go. `words_a_minute` is the pace at which partners that are
    no people seem to read and type (0: at once). `judges` score what was played, at once.
    """

    world: str = "sotopia"
    data: str | None = None
    tasks: str | None = None
    limit: int | None = Field(default=None, ge=1)
    settings: dict[str, str] = Field(default_factory=dict)
    people: int = Field(default=1, ge=1, le=8)
    partners: tuple[str, ...] = ("scripted",)
    plays: int = Field(default=1, ge=1, le=1000)
    each: int = Field(default=1, ge=1, le=100)
    turn_seconds: int = Field(default=180, ge=10, le=3600)
    missed: int = Field(default=2, ge=1, le=10)
    waiting_seconds: int = Field(default=300, ge=5, le=3600)
    stand_in: str | None = None
    words_a_minute: int = Field(default=60, ge=0, le=1000)
    judges: tuple[str, ...] = ()
    seed: int = 0
    budget: float | None = Field(default=None, ge=0)


class ReferenceRating(_Record):
    """What a qualified rater says of one seat of an episode, within `within` points."""

    episode: str
    seat: str
    scores: dict[str, float]
    within: float = Field(default=2, ge=0)


class RatePlan(_Record):
    """People rate the episodes of a run on SOTOPIA's dimensions (appendix D).

    Each of `episodes` (ids; empty: all that were played) goes to `raters` people, and a person
    rates `each` of them at most. Those in `references` come first as a test: who is within
    tolerance on a share `threshold` of the scores goes on. Two ratings further apart than
    `disagreement` points put the play into the queue of disagreements.
    """

    run: str
    episodes: tuple[str, ...] = ()
    dimensions: tuple[str, ...] = ()
    raters: int = Field(default=2, ge=1, le=20)
    each: int = Field(default=10, ge=1, le=1000)
    references: tuple[ReferenceRating, ...] = ()
    threshold: float = Field(default=0.7, ge=0, le=1)
    disagreement: float = Field(default=3, gt=0)
    least_words: int = Field(default=3, ge=1, le=100)


class ImpressionsPlan(_Record):
    """People say in one word what a session is like (AntEval, section 5.4: 20 random sessions
    with an IEP below a half, five raters each)."""

    run: str
    measure: str = "iep"
    below: float = 0.5
    sessions: int = Field(default=20, ge=1, le=1000)
    raters: int = Field(default=5, ge=1, le=50)
    each: int = Field(default=20, ge=1, le=1000)
    seed: int = 0


class ReviewPlan(_Record):
    """People review the scenarios of a world's data set: keep, edit or reject (appendix D.2)."""

    world: str = "sotopia"
    data: str | None = None
    tasks: str | None = None
    limit: int | None = Field(default=None, ge=1)
    raters: int = Field(default=2, ge=1, le=20)
    each: int = Field(default=30, ge=1, le=1000)


class StudySettings(_Record):
    """A study: what people are told and asked, and what they do.

    `consent` is the text that they agree to before anything else; without one nobody is asked.
    `debriefing` is shown at the end, also to those who leave: what the study was about, and what
    was kept from them until then. `completion_code` is shown at the end, as recruiting platforms
    want it; "each" makes one of each participant's own, from `code_key`, which is drawn when the
    study is made.
    """

    title: Sentence
    welcome: Prose = ""
    consent: Prose = ""
    instructions: Prose = ""
    thanks: Prose = ""
    debriefing: Prose = ""
    survey: tuple[SurveyQuestion, ...] = ()
    completion_code: str = Field(default="", max_length=100)
    code_key: str = Field(default="", max_length=100)
    contact: str = Field(default="", max_length=200)
    play: PlayPlan | None = None
    rate: RatePlan | None = None
    impressions: ImpressionsPlan | None = None
    review: ReviewPlan | None = None

    @model_validator(mode="after")
    def _one_thing(self) -> Self:
        given = [kind for kind in _KINDS if getattr(self, kind) is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none"
            raise ValueError(f"a study does one of {', '.join(_KINDS)}; found {found}")
        if len({question.name for question in self.survey}) != len(self.survey):
            raise ValueError("two questions of the survey have the same name")
        return self

    @property
    def kind(self) -> StudyKind:
        """What people do in it."""
        return next(kind for kind in _KINDS if getattr(self, kind) is not None)


_KINDS: tuple[StudyKind, ...] = ("play", "rate", "impressions", "review")


def problems(error: ValidationError) -> tuple[tuple[str, str], ...]:
    """Everything that is wrong: the place, such as "play.people", and a clause that says what."""
    return tuple(
        (".".join(str(part) for part in item["loc"]), _clause(item["type"], item))
        for item in error.errors(include_url=False)
    )


def _clause(kind: str, item: Mapping[str, Any]) -> str:
    say = _CLAUSES.get(kind)
    if say is not None:
        return say(item.get("ctx", {})) + _found(kind, item["input"])
    said = str(item["msg"]).removeprefix("Value error, ")
    return said[:1].lower() + said[1:]


def _found(kind: str, value: object) -> str:
    if kind in _WITHOUT or not isinstance(value, str | int | float):
        return ""
    text = str(value)
    return f', found "{text if len(text) <= 40 else text[:39] + "…"}"'


_WITHOUT = ("missing", "string_too_short", "string_too_long", "extra_forbidden")
"""Where it is plain what was found."""

_CLAUSES: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "missing": lambda _: "this is needed",
    "string_too_short": lambda _: "this is needed",
    "string_too_long": lambda ctx: f"expected at most {ctx['max_length']} characters",
    "extra_forbidden": lambda _: "there is no such field; check its spelling",
    "int_parsing": lambda _: "expected a whole number",
    "int_parsing_size": lambda _: "expected a smaller number",
    "int_from_float": lambda _: "expected a whole number",
    "int_type": lambda _: "expected a whole number",
    "float_parsing": lambda _: "expected a number",
    "float_type": lambda _: "expected a number",
    "finite_number": lambda _: "expected a number",
    "string_type": lambda _: "expected text",
    "bool_type": lambda _: "expected true or false",
    "bool_parsing": lambda _: "expected true or false",
    "tuple_type": lambda _: "expected a list",
    "greater_than_equal": lambda ctx: f"expected {ctx['ge']:g} or more",
    "greater_than": lambda ctx: f"expected more than {ctx['gt']:g}",
    "less_than_equal": lambda ctx: f"expected at most {ctx['le']:g}",
    "literal_error": lambda ctx: f"expected one of {ctx['expected']}",
    "string_pattern_mismatch": lambda _: (
        "expected a small letter, then small letters, digits, underscores and hyphens"
    ),
}

_TITLES: Mapping[str, str] = {
    "data": "data set",
    "people": "people in each episode",
    "plays": "repeats of each task, partner and seat",
    "each": "conversations per participant, at most",
    "turn_seconds": "seconds for a turn",
    "missed": "missed turns before drop-out",
    "waiting_seconds": "longest wait for others (seconds)",
    "stand_in": "stand-in",
    "words_a_minute": "partner's typing speed (words per minute)",
    "raters": "people for each",
    "threshold": "share of the test to pass",
    "disagreement": "points apart that are a disagreement",
    "least_words": "words of a reason, at least",
    "below": "only below",
    "limit": "number of tasks",
    "settings": "settings of the world",
}


def plan_words(settings: StudySettings) -> tuple[tuple[str, str], ...]:
    """What is set in the plan, as pairs of a title and a value."""
    plan = getattr(settings, settings.kind)
    values = plan.model_dump(mode="json")
    return tuple(
        (_TITLES.get(name, name.replace("_", " ")), _value_text(name, value))
        for name, value in values.items()
        if value not in (None, [], {}, "") and (name != "threshold" or values["references"])
    )


def _value_text(name: str, value: object) -> str:
    if name == "references":
        assert isinstance(value, list)
        return f"{len(value)} seats of {len({one['episode'] for one in value})} episodes"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{key}={one}" for key, one in value.items())
    return f"{value:g}" if isinstance(value, float) else str(value)


KINDS: tuple[StudyKind, ...] = get_args(StudyKind)


def example(kind: str) -> str:
    """The file of a kind of study; ConfigError if there is none."""
    if kind not in KINDS:
        raise ConfigError(f'expected a kind of study ({", ".join(KINDS)}), found "{kind}"')
    return files("sociolab.studies").joinpath("examples", f"{kind}.toml").read_text("utf-8")


def example_values(kind: str) -> dict[str, Any]:
    """What the file of a kind of study holds; ConfigError if there is none."""
    return tomllib.loads(example(kind))
