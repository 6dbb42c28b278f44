"""The fields of the form that sets up a study, by kind: the papers' terms, with a word of help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sociolab.app.registry import worlds_that
from sociolab.store.studies import StudyKind

Shape: TypeAlias = Literal["line", "area", "number", "lines", "pairs", "choice", "references"]


@dataclass(frozen=True, slots=True)
class FormField:
    """A field: its place in the settings, its label and help, and what is typed into it.

    "lines" holds one value a line, "pairs" NAME=VALUE lines, "references" one reference a line.
    `choices` are for "choice", or what a "line" suggests. `more`: shown on demand.
    """

    name: str
    label: str
    help: str = ""
    shape: Shape = "line"
    choices: Sequence[str] = ()
    more: bool = False


TEXT_FIELDS = (
    FormField("title", "Title", "What participants see on top of every page."),
    FormField("welcome", "Welcome", "Behind the link, before they begin.", "area"),
    FormField(
        "consent",
        "Consent",
        "Who does not agree to this takes no part. Leave it empty to ask nobody.",
        "area",
    ),
    FormField("instructions", "Instructions", "Before the study's task. May be empty.", "area"),
    FormField("thanks", "Thanks", "At the end, beside the completion code.", "area"),
    FormField("contact", "Contact", "Whom participants can ask; at the foot of their pages."),
)
CODE_FIELD = FormField(
    "completion_code",
    "Completion code",
    'What recruiting platforms ask for. "each" makes one of each participant\'s own; another text '
    "is shown to all; empty: none.",
)

_WORLD = worlds_that(lambda one: one.people)
_IMPRESSED = worlds_that(lambda one: one.impressions)
_REVIEWED = worlds_that(lambda one: one.reviewed is not None)
_TASKS = FormField(
    "tasks", "Tasks", "Ids, tags, scenario=ID or a list's name, with commas; empty: all of them."
)
_LIMIT = FormField("limit", "The first so many tasks", "Empty: all that fit.", "number")
_DATA = FormField(
    "data", "Data set", "An imported one by name, or a folder; empty: our own.", more=True
)
_SEED = FormField("seed", "Seed", "Of all that is drawn at random.", "number", more=True)

_PLAY = (
    FormField("world", "World", "What is played.", "choice", _WORLD),
    _TASKS,
    _LIMIT,
    FormField(
        "people",
        "People in each episode",
        "1: a person meets a partner below. 2: two people meet.",
        "number",
    ),
    FormField(
        "partners",
        "Partners",
        'Who sits in the other seats, one a line: "scripted", "openai/MODEL", ...',
        "lines",
    ),
    FormField(
        "plays", "Plays", "How often each task is played with each partner and seat.", "number"
    ),
    FormField("each", "Episodes a person", "How many each participant plays.", "number"),
    FormField(
        "judges",
        "Judges",
        'Who scores what was played, one a line, such as "openai/MODEL". Empty: judge it later.',
        "lines",
    ),
    FormField("turn_seconds", "Seconds for a turn", "", "number", more=True),
    FormField(
        "missed",
        "Missed turns",
        "So many without an answer, one after the other, and a person has gone.",
        "number",
        more=True,
    ),
    FormField(
        "waiting_seconds", "Seconds of waiting", "For others to play with.", "number", more=True
    ),
    FormField(
        "stand_in",
        "Stand-in",
        "Whom somebody meets who waited in vain; empty: nobody, and they are thanked.",
        more=True,
    ),
    FormField(
        "words_a_minute",
        "Words a minute",
        "The pace at which partners seem to read and type; 0: at once.",
        "number",
        more=True,
    ),
    FormField("budget", "Budget", "Dollars that models may cost; empty: no limit.", more=True),
    _DATA,
    FormField("settings", "Settings of the world", "NAME=VALUE, one a line.", "pairs", more=True),
    _SEED,
)
_RATE = (
    FormField("run", "Run", "Whose episodes are rated.", choices=()),
    FormField("raters", "Raters", "How many people rate each episode.", "number"),
    FormField("each", "Episodes a person", "At most.", "number"),
    FormField("dimensions", "Dimensions", "One a line; empty: all seven of SOTOPIA.", "lines"),
    FormField(
        "references",
        "Test",
        "What a careful reader says, one seat a line: EPISODE SEAT goal=8 believability=9 "
        "within=2. These episodes come first; empty: no test.",
        "references",
    ),
    FormField(
        "threshold", "To pass", "The share of the test's scores that must fit, 0 to 1.", more=True
    ),
    FormField(
        "disagreement",
        "Disagreement",
        "Ratings further apart than this go to a queue for one more rater.",
        more=True,
    ),
    FormField("least_words", "Words of a reason", "At least.", "number", more=True),
    FormField(
        "episodes", "Only these episodes", "Ids, one a line; empty: all.", "lines", more=True
    ),
)
_IMPRESSIONS = (
    FormField("run", "Run", f"Whose sessions are read: one of {', '.join(_IMPRESSED)}, judged."),
    FormField("measure", "Measure", "By which sessions are chosen."),
    FormField("below", "Below", "Only sessions that scored less."),
    FormField("sessions", "Sessions", "How many are drawn.", "number"),
    FormField("raters", "Readers", "How many people say a word about each.", "number"),
    FormField("each", "Sessions a person", "At most.", "number"),
    _SEED,
)
_REVIEW = (
    FormField("world", "World", "Whose scenarios.", "choice", _REVIEWED),
    _TASKS,
    _LIMIT,
    FormField("raters", "Reviewers", "How many people review each scenario.", "number"),
    FormField("each", "Scenarios a person", "At most.", "number"),
    _DATA,
)

PLAN_FIELDS: Mapping[StudyKind, Sequence[FormField]] = {
    "play": _PLAY,
    "rate": _RATE,
    "impressions": _IMPRESSIONS,
    "review": _REVIEW,
}
KIND_WORDS: Mapping[StudyKind, tuple[str, str]] = {
    "play": ("Play", "People take a seat in episodes, with models, rules or each other."),
    "rate": ("Rate", "People rate what was played on SOTOPIA's dimensions, with reasons."),
    "impressions": ("Impressions", "People say in one word what a D&D session is like."),
    "review": ("Review", "People review scenarios: keep, edit or reject."),
}
QUESTIONS = 12
"""Questions of a survey that the form has room for at most."""
