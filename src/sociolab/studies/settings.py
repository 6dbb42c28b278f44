"""The settings of a study, from a form or a TOML file: their types, limits, labels and help."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib.resources import files
from typing import Annotated, Any, Literal, Self, get_args
from urllib.parse import quote, urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from sociolab.core.errors import ConfigError
from sociolab.plugin.options import FIRST_WORLD
from sociolab.store.studies import StudyKind

Sentence = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
Prose = Annotated[str, StringConstraints(strip_whitespace=True, max_length=20_000)]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,39}$")]


KINDS: tuple[StudyKind, ...] = get_args(StudyKind)


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def _field(default: Any, title: str, description: str = "", **limits: Any) -> Any:
    """A setting with its label and help, which the form and the study's page show."""
    return Field(default, title=title, description=description, **limits)


_more = partial(_field, json_schema_extra={"more": True})
"""A `_field` that the form shows only on demand."""
_TASKS = "Ids, tags, scenario=ID or a list's name, with commas; empty: all of them."
_LIMIT = "Leave blank for all."
_DATA = "An imported one by name, or a folder; empty: our own."
_SEED = "Random seed of everything that is drawn."


class SurveyQuestion(_Record):
    """A question of the exit survey. `choices` are for the kind "choice"; `low` and `high` label
    the ends of a "scale" from 1 to `points`. With `expected`, the one right answer, it is an
    attention check."""

    name: Name
    text: Sentence
    kind: Literal["text", "choice", "scale"] = "text"
    choices: tuple[Sentence, ...] = ()
    points: int = Field(default=7, ge=2, le=11)
    low: str = Field(default="", max_length=80)
    high: str = Field(default="", max_length=80)
    required: bool = False
    expected: str = Field(default="", max_length=500)

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.kind == "choice" and len(self.choices) < 2:
            raise ValueError("a choice needs two choices or more")
        possible = self.choices
        if self.kind == "scale":
            possible = tuple(map(str, range(1, self.points + 1)))
        if self.expected and self.expected not in possible:
            raise ValueError(
                f"expected: expected one of {', '.join(possible) or 'the choices of a choice'}, "
                f'found "{self.expected}"'
            )
        return self


class PlayPlan(_Record):
    """People take seats in episodes of a world, and one of `partners` (agent specs) takes the
    others.

    A person who misses `missed` turns in a row has dropped out. After `waiting_seconds` in the
    waiting room a person plays with `stand_in` or, without one, is thanked and dismissed.
    """

    world: str = _field(FIRST_WORLD, "World", "What is played.")
    tasks: str | None = _field(None, "Tasks", _TASKS)
    limit: int | None = _field(None, "Number of tasks", _LIMIT, ge=1)
    people: int = _field(
        1,
        "People in each episode",
        "1: a person meets a partner below. 2: two people meet.",
        ge=1,
        le=8,
    )
    partners: tuple[str, ...] = _field(
        ("scripted",),
        "Partners",
        'Who sits in the other seats, one per line: "scripted", "openai/MODEL", ...',
    )
    plays: int = _field(
        1, "Repeats", "How often each task is played with each partner and seat.", ge=1, le=1000
    )
    each: int = _field(1, "Episodes per person", "How many each participant plays.", ge=1, le=100)
    judges: tuple[str, ...] = _field(
        (),
        "Judges",
        'Who scores what was played, one per line, such as "openai/MODEL". Empty: judge it later.',
    )
    turn_seconds: int = _more(180, "Seconds for a turn", ge=10, le=3600)
    missed: int = _more(
        2,
        "Missed turns before drop-out",
        "A participant who misses this many in a row counts as having left.",
        ge=1,
        le=10,
    )
    waiting_seconds: int = _more(
        300, "Longest wait (seconds)", "While waiting for other people.", ge=5, le=3600
    )
    stand_in: str | None = _more(
        None,
        "Stand-in",
        "Takes the seat if nobody else comes; empty: those who waited are thanked and dismissed.",
    )
    words_a_minute: int = _more(
        60,
        "Partner's typing speed (words per minute)",
        "Partners seem to read and type at this pace; 0: at once.",
        ge=0,
        le=1000,
    )
    budget: float | None = _more(
        None, "Budget", "Limit on the cost of models, in dollars; empty: no limit.", ge=0
    )
    data: str | None = _more(None, "Data set", _DATA)
    settings: dict[str, str] = _more({}, "Settings of the world", "NAME=VALUE, one per line.")
    seed: int = _more(0, "Seed", _SEED)


class ReferenceRating(_Record):
    """The scores that a qualified rater gives one seat of an episode, within `within` points."""

    episode: str
    seat: str
    scores: dict[str, float]
    within: float = Field(default=2, ge=0)


class RatePlan(_Record):
    """People rate the episodes of a run on SOTOPIA's dimensions (appendix D).

    The episodes in `references` come first as a test: a rater within tolerance on a share
    `threshold` of the scores goes on. With `exam` the test is the exam of the run's world.
    """

    run: str = _field(..., "Run", "The run whose episodes are rated.")
    raters: int = _field(2, "Raters", "How many people rate each episode.", ge=1, le=20)
    each: int = _field(10, "Episodes per person", "At most.", ge=1, le=1000)
    guide: str = _field(
        "", "Guide", "The world's guide that is filled in, such as behaviour; empty: its first."
    )
    dimensions: tuple[str, ...] = _field((), "Dimensions", "One per line; empty: all of the guide.")
    references: tuple[ReferenceRating, ...] = _field(
        (),
        "Test",
        "Scores by a careful reader, one seat per line: EPISODE SEAT goal=8 believability=9 "
        "within=2. These episodes come first; empty: no test.",
    )
    threshold: float = _more(
        0.7, "To pass", "The share of the test's scores that must fit, 0 to 1.", ge=0, le=1
    )
    exam: bool = _field(
        False,
        "Exam",
        "Raters first sit the world's exam: its cases, as judges sit them, are the test.",
    )
    disagreement: float = _more(
        3,
        "Disagreement",
        "Ratings further apart than this go to a queue for one more rater.",
        gt=0,
    )
    least_words: int = _more(
        0,
        "Words of a reason",
        "At least; 0: a reason is optional. SOTOPIA's raters gave one for every rating (D.3).",
        ge=0,
        le=100,
    )
    episodes: tuple[str, ...] = _more(
        (), "Only these episodes", "Ids, one per line; empty: all that were played."
    )


class ImpressionsPlan(_Record):
    """People describe a session in one word (AntEval, section 5.4: 20 random sessions with an IEP
    below 0.5, five raters each)."""

    run: str = _field(..., "Run", "The run whose sessions are read; it must have been judged.")
    measure: str = _field("iep", "Metric", "The metric by which sessions are chosen.")
    below: float = _field(0.5, "Below", "Only sessions that scored below this.")
    sessions: int = _field(20, "Sessions", "How many are drawn.", ge=1, le=1000)
    raters: int = _field(5, "Readers", "How many people give a word for each.", ge=1, le=50)
    each: int = _field(20, "Sessions per person", "At most.", ge=1, le=1000)
    seed: int = _more(0, "Seed", _SEED)


class ReviewPlan(_Record):
    """People review the scenarios of a world's data set: keep, edit or reject (appendix D.2)."""

    world: str = _field(FIRST_WORLD, "World", "The world whose scenarios are reviewed.")
    tasks: str | None = _field(None, "Tasks", _TASKS)
    limit: int | None = _field(None, "Number of tasks", _LIMIT, ge=1)
    raters: int = _field(2, "Reviewers", "How many people review each scenario.", ge=1, le=20)
    each: int = _field(30, "Scenarios per person", "At most.", ge=1, le=1000)
    data: str | None = _more(None, "Data set", _DATA)


class ScreeningQuestion(_Record):
    """A question after consent. Who answers anything but `admit` is screened out; of each choice in
    `quotas` only so many people are admitted."""

    name: Name
    text: Sentence
    choices: tuple[Sentence, ...] = Field(min_length=2)
    admit: tuple[Sentence, ...] = ()
    quotas: dict[Sentence, Annotated[int, Field(ge=1)]] = {}

    @model_validator(mode="after")
    def _choices_are_there(self) -> Self:
        for choice in (*self.admit, *self.quotas):
            if choice not in self.choices:
                raise ValueError(
                    f'expected one of its choices ({", ".join(self.choices)}), found "{choice}"'
                )
        return self

    @property
    def kind(self) -> Literal["choice"]:
        return "choice"

    @property
    def required(self) -> bool:
        return True


class StudyCondition(_Record):
    """What a share of the participants get: so many `people` in each episode (None: as many as the
    plan says), only these `partners` of the plan (empty: all), and these `instructions` (empty: the
    study's)."""

    name: Name
    people: int | None = Field(default=None, ge=1, le=8)
    partners: tuple[str, ...] = ()
    instructions: Prose = ""


CODE = "code"
"""In an address of the platform, the place of the participant's completion code."""
_PARAMETER = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_.-]{0,39}$")]


class RecruitPlan(_Record):
    """People come from a recruiting platform by one open link, whose address names them.

    `parameters` are those that the platform adds to the address; the first is the person's id. A
    place is given back `minutes` after the person began. `complete`, `screened_out`, `full` and
    `failed_checks` (more than `allowed_failures` attention checks failed) are addresses of the
    platform to which people return; "{NAME}" stands for a parameter, "{code}" for the completion
    code. A bonus is `bonus` for finishing plus `bonus_per_point` of `bonus_metric`.
    """

    parameters: tuple[_PARAMETER, ...] = _field(
        ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"), "Parameters", min_length=1
    )
    places: int = _field(..., "Places", ge=1, le=100_000)
    minutes: int = _field(60, "Minutes until a place is given back", ge=5, le=100_000)
    complete: str = _field("", "Completed", max_length=1000)
    screened_out: str = _field("", "Screened out", max_length=1000)
    full: str = _field("", "Full", max_length=1000)
    failed_checks: str = _field("", "Failed attention checks", max_length=1000)
    allowed_failures: int = _field(1, "Failed checks allowed", ge=0)
    bonus: float = _field(0, "Bonus", ge=0)
    bonus_metric: str = _field("", "Bonus metric")
    bonus_per_point: float = _field(0, "Bonus per point", ge=0)
    ids_days: int | None = _field(None, "Days until ids are deleted", ge=1, le=36_500)
    questions: tuple[ScreeningQuestion, ...] = _field((), "Screening questions")

    @model_validator(mode="after")
    def _possible(self) -> Self:
        for name in ADDRESSES:
            _check_address(name, getattr(self, name), (*self.parameters, CODE))
        if bool(self.bonus_metric) != bool(self.bonus_per_point):
            raise ValueError("bonus_metric and bonus_per_point: expected both or neither")
        return self

    @property
    def echoed(self) -> tuple[str, ...]:
        """The parameters that some address of the platform gets back."""
        texts = [getattr(self, name) for name in ADDRESSES]
        return tuple(name for name in self.parameters if any(f"{{{name}}}" in t for t in texts))


ADDRESSES = ("complete", "screened_out", "full", "failed_checks")
"""The fields of a `RecruitPlan` that are addresses of the platform."""


def _check_address(name: str, text: str, known: Iterable[str]) -> None:
    if not text:
        return
    try:
        parts = urlsplit(text)
    except ValueError:
        parts = urlsplit("")
    here = parts.scheme == "http" and parts.hostname in ("localhost", "127.0.0.1")
    if not parts.hostname or not (here or parts.scheme == "https") or re.search(r"[\s\\]", text):
        raise ValueError(f'{name}: expected an address that begins with https://, found "{text}"')
    if "{" in parts.netloc:
        raise ValueError(f'{name}: expected an address of one host, found "{text}"')
    for field in _GAP.findall(text):
        if field not in known:
            raise ValueError(
                f"{name}: expected one of {', '.join(f'{{{each}}}' for each in known)}, found "
                f'"{{{field}}}"'
            )


_GAP = re.compile(r"\{([^{}]*)\}")


def filled_address(address: str, values: Mapping[str, str]) -> str:
    """An address of the platform with these values in their places; what is not there is empty."""
    return _GAP.sub(lambda gap: quote(values.get(gap[1], ""), safe=""), address)


class StudySettings(_Record):
    """A study: what people are told and asked, and what they do.

    Participants agree to `consent` before anything else; without such a text nobody is asked.
    `debriefing` is shown at the end, also to those who leave early: what the study was about, and
    what they were not told. `completion_code` is shown at the end, for recruiting platforms; "each"
    gives each participant a code of their own, computed from `code_key`, which is drawn when the
    study is created. `rated_by` then identifies the raters' instructions, and `exam_run` is the run
    of the exam that raters sit ("": none).
    """

    title: Sentence = _field(..., "Title", "Shown to participants at the top of every page.")
    welcome: Prose = _field("", "Welcome", "Shown when they open their link, before they begin.")
    consent: Prose = _field(
        "", "Consent", "Those who do not agree cannot take part. Leave it empty to ask nobody."
    )
    instructions: Prose = _field("", "Instructions", "Before the study's task. May be empty.")
    thanks: Prose = _field("", "Thanks", "At the end, beside the completion code.")
    debriefing: Prose = _field(
        "",
        "Debriefing",
        "Debriefing at the end, also for those who leave early: what the study was about, and what "
        "they were not told.",
    )
    contact: str = _field(
        "",
        "Contact",
        "Whom participants can contact; shown at the foot of their pages.",
        max_length=200,
    )
    completion_code: str = _field(
        "",
        "Completion code",
        'For recruiting platforms. "each" gives each participant a code of their own; any other '
        "text is shown to all; empty: none.",
        max_length=100,
    )
    retention_days: int | None = _field(
        None,
        "Days until deletion",
        "How long what a participant did is stored, as the consent page says; `sociolab study "
        "expire` then deletes it. Empty: no limit is stated.",
        ge=1,
        le=36_500,
    )
    code_key: str = Field(default="", max_length=100)
    rated_by: dict[str, str] = {}
    exam_run: str = Field(default="", max_length=200)
    survey: tuple[SurveyQuestion, ...] = ()
    conditions: tuple[StudyCondition, ...] = ()
    recruit: RecruitPlan | None = None
    play: PlayPlan | None = None
    rate: RatePlan | None = None
    impressions: ImpressionsPlan | None = None
    review: ReviewPlan | None = None

    @model_validator(mode="after")
    def _one_thing(self) -> Self:
        kinds = [kind for kind in KINDS if getattr(self, kind) is not None]
        if len(kinds) != 1:
            names = " and ".join(kinds) or "none"
            raise ValueError(f"a study does one of {', '.join(KINDS)}; found {names}")
        if self.play is None and self.recruit and self.recruit.bonus_metric:
            raise ValueError(
                f"recruit: bonus_metric: expected a study in which people play, found {kinds[0]}; "
                "leave it out"
            )
        asked = [question.name for question in self.survey]
        asked += [question.name for question in (self.recruit.questions if self.recruit else ())]
        if twice := next((name for name in asked if asked.count(name) > 1), ""):
            raise ValueError(
                f'survey: expected a name of its own for each question, found "{twice}" twice'
            )
        if len({condition.name for condition in self.conditions}) != len(self.conditions):
            raise ValueError("conditions: two have the same name")
        partners = self.play.partners if self.play else ()
        for condition in self.conditions:
            if unknown := set(condition.partners) - set(partners):
                raise ValueError(
                    f"conditions: expected partners of the plan ({', '.join(partners) or 'none'}), "
                    f'found "{min(unknown)}" in {condition.name}'
                )
            if condition.people and not self.play:
                raise ValueError(
                    f"conditions: people: expected a study in which people play, found {kinds[0]}; "
                    f"leave it out of {condition.name}"
                )
        if self.play and self.play.stand_in and len(self.sizes) > 1:
            raise ValueError(
                "play: stand_in: expected none, since in some conditions people meet people and in "
                "others they do not, and a stand-in would take them from one to the other; leave "
                "it out"
            )
        return self

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many people sit in an episode, for each number that some condition has; empty where
        nothing is played."""
        if self.play is None:
            return ()
        own = {condition.people or self.play.people for condition in self.conditions}
        return tuple(sorted(own or {self.play.people}))

    @property
    def retention(self) -> str:
        """A sentence on how long data are stored; "" if that is not stated."""
        ids = self.recruit.ids_days if self.recruit else None
        parts = [
            f"What you do is deleted {self.retention_days} days after you took part."
            if self.retention_days else "",
            f"The id that the recruiting site gave you is deleted after {ids} days."
            if ids else "",
        ]  # fmt: skip
        return " ".join(filter(None, parts))

    def in_condition(self, name: object) -> Self:
        """The study as people in this condition have it."""
        own = next((each.instructions for each in self.conditions if each.name == name), "")
        return self.model_copy(update={"instructions": own}) if own else self

    @property
    def kind(self) -> StudyKind:
        return next(kind for kind in KINDS if getattr(self, kind) is not None)


def problems(error: ValidationError) -> tuple[tuple[str, str], ...]:
    """All problems, each as a place, such as "play.people", and a clause."""
    return tuple(
        (".".join(str(part) for part in item["loc"]), _describe_problem(item["type"], item))
        for item in error.errors(include_url=False)
    )


def _describe_problem(kind: str, item: Mapping[str, Any]) -> str:
    format_clause = _CLAUSES.get(kind)
    if format_clause is None:
        message = str(item["msg"]).removeprefix("Value error, ")
        return message[:1].lower() + message[1:]
    clause, value = format_clause(item.get("ctx", {})), item["input"]
    if kind in _UNQUOTED or not isinstance(value, str | int | float):
        return clause
    text = str(value)
    return f'{clause}, found "{text if len(text) <= 40 else text[:39] + "…"}"'


_UNQUOTED = ("missing", "string_too_short", "string_too_long", "extra_forbidden")
"""Problems whose message need not quote the input."""

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


def plan_rows(settings: StudySettings) -> tuple[tuple[str, str], ...]:
    """The plan as pairs of a label and a value, without what is not set."""
    plan = getattr(settings, settings.kind)
    values = plan.model_dump(mode="json")
    rows = tuple(
        (type(plan).model_fields[name].title or name, _value_text(name, value))
        for name, value in values.items()
        if value is not False
        and value not in (None, [], {}, "")
        and (name != "threshold" or values["references"])
    )
    return (*rows, *((f"Condition {each.name}", _describe(each)) for each in settings.conditions))


def _describe(condition: StudyCondition) -> str:
    parts = [
        f"people in each episode: {condition.people}" if condition.people else "",
        f"partners: {', '.join(condition.partners)}" if condition.partners else "",
        "instructions of its own" if condition.instructions else "",
    ]
    return "; ".join(filter(None, parts)) or "as above"


def _value_text(name: str, value: object) -> str:
    if name == "references":
        assert isinstance(value, list)
        return f"{len(value)} seats of {len({ref['episode'] for ref in value})} episodes"
    if value is True:
        return "yes"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{key}={item}" for key, item in value.items())
    return f"{value:g}" if isinstance(value, float) else str(value)


def example(kind: str) -> str:
    """The example file of a kind of study; ConfigError if there is no such kind."""
    if kind not in KINDS:
        raise ConfigError(f'expected a kind of study ({", ".join(KINDS)}), found "{kind}"')
    return files("sociolab.studies").joinpath("examples", f"{kind}.toml").read_text("utf-8")


def example_values(kind: str) -> dict[str, Any]:
    return tomllib.loads(example(kind))
