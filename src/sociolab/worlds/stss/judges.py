"""The judges of social tasks: the paper's keyword filter on the trace, and a model that reads.

The model says which actions of those who were at the place in time are taking part, chosen from a
list, and what the performer's conversations and the notes of them conveyed. All else (who was
where, and when) is read off the trace by the same code, so that its goal score differs from the
filter's only by the actions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import eq
from typing import Literal, TypeAlias, get_args

from sociolab.core.episode import Answered, Ended, Episode
from sociolab.core.errors import ReplyError, StoreError
from sociolab.core.ports import ChatModel
from sociolab.core.score import JudgeId, Measure, Score, Unscored, Verdict
from sociolab.core.seeding import digest
from sociolab.judging.quoting import flat
from sociolab.judging.reader import CannotTell, MissingValue, NoValue, Strict, TranscriptReader
from sociolab.prompting.sets import PromptSet
from sociolab.prompting.structured import schema_of
from sociolab.town.questions import Memo, Utterance
from sociolab.town.trace import Talked
from sociolab.town.trajectory import Intervals, Trajectory, format_spans, intersect
from sociolab.worlds.stss.dataset import Content, parse_content
from sociolab.worlds.stss.evidence import Evidence, partner_of, was_lived
from sociolab.worlds.stss.scoring import (
    ScoreSettings,
    TaskScore,
    explain_authors,
    explain_by_word,
    explain_minimum,
    explain_ratio,
    explain_score,
    score,
)
from sociolab.worlds.stss.talk.conditions import ConditionFinding, Occasion
from sociolab.worlds.stss.talk.model_judge import TalkModelJudge
from sociolab.worlds.stss.talk.verdicts import NOTES, findings_in_note, findings_in_talk
from sociolab.worlds.stss.task import TASK_TYPES, Errand, SocialTask, TaskType
from sociolab.worlds.stss.world import JUDGED, SMOKE, is_smoke, paper_prompts, read_trajectory

Outcome: TypeAlias = Literal["done", "no conversation", "not conveyed", "not noted", "not acted on"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
"""Done, or lost: never met; met, not conveyed; conveyed, not noted; noted, not acted on."""

LOSSES: dict[Outcome, Measure] = {
    outcome: Measure(f"lost_{outcome.replace(' ', '_')}", 0, 1, title=f"lost: {outcome}")
    for outcome in OUTCOMES
    if outcome != "done"
}
"""By outcome, the share of those eligible who were lost in this way."""


@dataclass(frozen=True, slots=True)
class EligibleOutcome:
    """The outcome for one who could have taken part or, for help, for one errand ("errand 1")."""

    subject: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class PerformerTalk:
    """A conversation of the performer with `other`, and the note that the other keeps of it, if
    any."""

    other: str
    occasion: Occasion
    lines: tuple[Utterance, ...]
    note: Memo | None
    step: int


Read: TypeAlias = tuple[tuple[ConditionFinding, ...], tuple[ConditionFinding, ...]]
"""What was found in a conversation, and in the note of it."""


def performer_talks(
    content: Content, episode: Episode, trajectory: Trajectory, score: TaskScore
) -> tuple[PerformerTalk, ...]:
    """The performer's conversations that began before the event was over.

    Somebody who only passed by, or heard of it from somebody else, was not met.
    """
    task, people = content.task, {resident.id: resident for resident in content.residents}
    notes = {
        (event.seat, event.turn): Memo.model_validate(event.value)
        for event in episode.events
        if isinstance(event, Answered) and event.question in NOTES
    }
    conversations = []
    for talk in trajectory.everybody(Talked):
        other = partner_of(talk, task.performer)
        if not other or not talk.lines or talk.step >= score.window[1]:
            continue
        place = trajectory.place_at(task.performer, talk.step)
        occasion = Occasion(
            task,
            people[task.performer],
            people[other],
            trajectory.clock.at(talk.step),
            str(place) if place.sector else "",
        )
        note = notes.get((other, talk.end))
        conversations.append(PerformerTalk(other, occasion, talk.lines, note, talk.step))
    return tuple(conversations)


def findings_from_acts(talks: Iterable[PerformerTalk]) -> dict[str, list[Read]] | CannotTell:
    """What was conveyed and noted, by the other's id, from acts; CannotTell where there
    are none."""
    read: dict[str, list[Read]] = {}
    for talk in talks:
        conveyed = findings_in_talk(talk.occasion, talk.lines)
        note = findings_in_note(talk.occasion, talk.note) if talk.note is not None else ()
        if isinstance(conveyed, CannotTell):
            return conveyed
        if isinstance(note, CannotTell):
            return note
        read.setdefault(talk.other, []).append((conveyed, note))
    return read


def find_outcomes(
    task: SocialTask, score: TaskScore, read: Mapping[str, Sequence[Read]]
) -> tuple[EligibleOutcome, ...]:
    """The outcome for each background resident, for the partner, or for each errand, by type of
    task.

    Only a third or half of the background need take part for a goal to be reached (see
    `count_required`). A condition is conveyed, or noted, if any of the conversations with a person,
    or of the notes, meets it; all of a person's conditions must be, or both of an errand's with one
    person. Somebody who took part without having been told still counts as done.
    """
    if task.type == "asking for help":
        return tuple(
            EligibleOutcome(
                f"errand {number}",
                "done"
                if done.who
                else max(
                    (_loss_step(some, number) for some in read.values()),
                    key=OUTCOMES.index,  # the furthest that anybody came with it
                    default="no conversation",
                ),
            )
            for number, done in enumerate(score.errands, 1)
        )
    might = (task.partner,) if task.type == "appointment" else task.background
    return tuple(
        EligibleOutcome(
            who, "done" if who in score.participants else _loss_step(read.get(who, ()), 0)
        )
        for who in might
    )


def count_required(task: SocialTask) -> int:
    """How many of these must be done to reach the goal: all errands, else as `task.expected`."""
    return len(task.errands) if task.type == "asking for help" else task.expected


def count_eligible(task: SocialTask) -> int:
    """How many could have taken part: residents, the partner, or errands."""
    alone = {"appointment": 1, "asking for help": len(task.errands)}
    return alone.get(task.type, len(task.background))


def loss_verdicts(outcomes: tuple[EligibleOutcome, ...] | NoValue) -> tuple[Verdict, ...]:
    """The shares lost at each step; failures or Unscored where nobody could tell."""
    if isinstance(outcomes, NoValue):
        return outcomes.as_verdicts(LOSSES.values())
    verdicts = []
    for outcome, measure in LOSSES.items():
        lost = [each.subject for each in outcomes if each.outcome == outcome]
        why = f"{outcome}: {', '.join(lost) or 'nobody'}"
        verdicts.append(Score(measure, None, len(lost) / len(outcomes), why))
    return tuple(verdicts)


def _loss_step(read: Sequence[Read], errand: int) -> Outcome:
    if not read:
        return "no conversation"
    if not _all_met([finding for talk, _ in read for finding in talk], errand):
        return "not conveyed"
    if not _all_met([finding for _, note in read for finding in note], errand):
        return "not noted"
    return "not acted on"


def _all_met(findings: Sequence[ConditionFinding], errand: int) -> bool:
    """Whether each condition (of one errand, if given) is met by some conversation."""
    relevant = [finding for finding in findings if not errand or finding.condition.errand == errand]
    met = {finding.condition.id for finding in relevant if finding.met}
    return bool(relevant) and met == {finding.condition.id for finding in relevant}


MOST_RATIO = 3
"""The most there can be: a talk with everybody where a third of them are expected."""

OF_TYPE: dict[TaskType, Measure] = {
    kind: Measure(kind.replace(" ", "_"), 0, 1, title=kind) for kind in TASK_TYPES
}
"""The columns of Table 4: the goal's score, for tasks of one type only."""

OVERALL = Measure("overall", 0, 1, title="overall")
BY_WORD = Measure("goal_by_word", 0, 1, title="goal, by word")
AUTHORS = Measure("goal_authors", 0, 1, title="goal, authors' code")
RATIO = Measure("conversation_ratio", 0, MOST_RATIO, title="conversation ratio")
RATIO_BOTH = Measure(
    "conversation_ratio_both", 0, MOST_RATIO, title="conversation ratio, either began"
)
ANY_HELPER = Measure("goal_any_helper", 0, 1, title="goal, any helper")
ANY_HOST = Measure("goal_any_host", 0, 1, title="goal, any host")
GOAL_READ = Measure("goal_read", 0, 1, title="goal, actions read")
BY_FILTER = Measure("took_part_by_filter", 0, 1, title="took part, by filter")
BY_READING = Measure("took_part_read", 0, 1, title="took part, read")
AGREEMENT = Measure("filter_agreement", 0, 1, title="filter and reading agree")
"""Shares of those who were at the place in time: took part by the keyword filter, took part as a
model reads their actions, and judged alike by both."""

READ_METRICS = (GOAL_READ, BY_FILTER, BY_READING, AGREEMENT, *LOSSES.values())
"""What a model that reads an episode scores."""


def goal_at_least(minutes: int) -> Measure:
    """The goal's score with this minimum attendance."""
    return Measure(f"goal_{minutes}_min", 0, 1, title=f"goal, {minutes} min")


def measures_of(kind: TaskType, beside: tuple[int, ...]) -> tuple[Measure, ...]:
    """The metrics of a task of this type, in the order of a table's columns."""
    measures = (OF_TYPE[kind], OVERALL, AUTHORS, BY_WORD, *map(goal_at_least, beside))
    if kind == "asking for help":
        return (*measures, ANY_HELPER, *LOSSES.values())
    if kind == "public activity":
        measures = (*measures, ANY_HOST)
    return (*measures, RATIO, RATIO_BOTH, *LOSSES.values())


# ------------------------------------------------------------------ by the keyword filter


RULES = "6"
"""Changes with the rules of scoring, so that figures by other rules are never mixed."""


class StssRulesJudge:
    """One score for each metric of a task's type, for the whole episode.

    Who took part is decided by the paper's keyword filter. Where tasks were lost is read off the
    acts of scripted residents; Unscored where anybody else spoke. Nothing of a smoke test is
    scored: a performer that is not built-in among scripted residents.
    """

    def __init__(self, settings: ScoreSettings | None = None) -> None:
        self.settings = settings or ScoreSettings()
        rules = digest("stss", RULES, self.settings.least, *self.settings.alternatives)
        self.id = JudgeId("rules", "rules", rules)

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """The verdicts; failures where the event's day was not simulated to the end."""
        content = parse_content(episode.trial.task.content)
        task = content.task
        measures = measures_of(task.type, self.settings.other_minimums)
        trajectory = _readable_trajectory(task, episode)
        if isinstance(trajectory, NoValue):
            return trajectory.as_verdicts(measures)
        scored = score(task, trajectory, self.settings)
        read = findings_from_acts(performer_talks(content, episode, trajectory, scored))
        lost = loss_verdicts(
            read if isinstance(read, CannotTell) else find_outcomes(task, scored, read)
        )
        own = _scores(task, scored, content.name)
        scored_measures = (measure for measure in measures if measure not in LOSSES.values())
        return (*(own[measure] for measure in scored_measures), *lost)


def complete_trajectory(task: SocialTask, episode: Episode) -> Trajectory | MissingValue:
    """The episode's trajectory, or why there is too little to score: all of the event is needed."""
    if not isinstance(episode.events[-1] if episode.events else None, Ended):
        return MissingValue("incomplete", "the simulation has not come to its end")
    try:
        trajectory = read_trajectory(episode)
    except StoreError as error:
        return MissingValue("incomplete", str(error))
    if not was_lived(task, trajectory):
        return MissingValue("incomplete", f"the trace ends before the event of {task.day} does")
    return trajectory


def _readable_trajectory(task: SocialTask, episode: Episode) -> Trajectory | NoValue:
    """What there is to judge, the same for every judge; nothing of a smoke test."""
    trajectory = complete_trajectory(task, episode)
    if isinstance(trajectory, Trajectory) and is_smoke(episode.trial):
        return CannotTell(SMOKE)
    return trajectory


def _scores(
    task: SocialTask, scored: TaskScore, name: Callable[[str], str]
) -> dict[Measure, Verdict]:
    """The score of each metric, and why."""
    why = explain_score(task, scored, name)
    by_word = explain_by_word(scored, name)
    ratio, ratio_both = (
        explain_ratio(task, scored, name, both=any_starter) for any_starter in (False, True)
    )
    guests = "The goal by the guests alone, whether or not the host was there (the paper's)."
    values: dict[Measure, tuple[float | None, str]] = {
        OF_TYPE[scored.type]: (scored.goal, why),
        OVERALL: (scored.goal, why),
        AUTHORS: (scored.authors.goal, explain_authors(task, scored, name)),
        BY_WORD: (scored.goal_by_word, by_word),
        RATIO: (scored.ratio, ratio),
        RATIO_BOTH: (scored.ratio_both, ratio_both),
        ANY_HELPER: (scored.goal_any_helper, "The goal if a helper need not have been asked."),
        ANY_HOST: (scored.goal_any_host, guests),
        **{
            goal_at_least(minutes): (goal, explain_minimum(minutes))
            for minutes, goal in scored.goals
        },
    }
    return {
        measure: Unscored(measure, None, why) if value is None else Score(measure, None, value, why)
        for measure, (value, why) in values.items()
    }


# ------------------------------------------------------------------ by a model that reads


class Attendance(Strict):
    """The numbers of the lines that are taking part."""

    taking_part: list[int]


@dataclass(frozen=True, slots=True)
class SeenAction:
    """An action of somebody who was at the place in time, and when that was."""

    who: str
    doing: str
    when: Intervals


class StssModelJudge:
    """Reads an episode with a chat model at temperature 0: see `READ`.

    A reply with a number that is not on the list, or a quote that is not in the text, is retried.
    What stays wrong fails the metrics that rest on it, after all questions are asked, so that an
    episode costs what a dry run says. A fatal error (credentials, budget) passes through and stops
    the run.
    """

    def __init__(
        self,
        model: ChatModel,
        settings: ScoreSettings | None = None,
        texts: PromptSet | None = None,
    ) -> None:
        self._texts = texts or paper_prompts()
        self._talks = TalkModelJudge(model, self._texts)
        self._settings = settings or ScoreSettings()
        schema, instructions = schema_of(Attendance).text, self._texts.instructions(*JUDGED)
        settings_digest = digest(
            instructions.hash, schema, self._talks.id.settings, self._settings.least
        )
        self.id = JudgeId(model.label, "model", settings_digest, prompts=instructions.prompts)

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """The verdicts; failures where the event's day was not simulated to the end."""
        content = parse_content(episode.trial.task.content)
        trajectory = _readable_trajectory(content.task, episode)
        if isinstance(trajectory, NoValue):
            return trajectory.as_verdicts(READ_METRICS)
        reader = self._talks.reader(episode.trial.id, judging)
        filtered = score(content.task, trajectory, self._settings)
        attended = await self._attendance(reader, content, trajectory, filtered)
        talks = performer_talks(content, episode, trajectory, filtered)
        return (*attended, *await self._losses(reader, content.task, talks, filtered))

    async def _attendance(
        self,
        reader: TranscriptReader,
        content: Content,
        trajectory: Trajectory,
        filtered: TaskScore,
    ) -> tuple[Verdict, ...]:
        task = content.task
        evidence = Evidence(task, trajectory)
        chosen: set[tuple[str, Errand | None, str]] = set()
        present: set[str] = set()
        failed: MissingValue | None = None
        for number, errand in enumerate(task.errands or (None,), 1):
            actions = tuple(seen_actions(evidence, errand))
            if not actions:
                continue
            present |= {action.who for action in actions}
            name = f"attendance-{number}" if errand else "attendance"
            lines = [
                f"{content.name(action.who)}, {format_spans(trajectory.clock, action.when)}: "
                f"{flat(action.doing)}"
                for action in actions
            ]
            body = {"matter": _describe_matter(content, errand), "lines": lines}
            chosen_actions = await reader.ask(
                name,
                self._texts["attendance_head"].render({}),
                self._texts["attendance_body"].render(body),
                Attendance,
                partial(_select_actions, actions),
                needs=300 + 8 * len(actions),
            )
            if isinstance(chosen_actions, MissingValue):
                failed = chosen_actions
            else:
                chosen |= {(action.who, errand, action.doing) for action in chosen_actions}
        if failed is not None:
            return failed.as_verdicts(READ_METRICS[:4])

        def reads(who: str, errand: Errand | None, text: str) -> bool:
            return (who, errand, text) in chosen

        read = score(task, trajectory, self._settings, reads)
        why = explain_score(task, read, content.name)
        among = sorted(present - {task.performer})
        return (Score(GOAL_READ, None, read.goal, why), *_agreement(content, among, filtered, read))

    async def _losses(
        self,
        reader: TranscriptReader,
        task: SocialTask,
        talks: Iterable[PerformerTalk],
        filtered: TaskScore,
    ) -> tuple[Verdict, ...]:
        """Where the task was lost, by the filter's attendance and what the model finds conveyed."""
        read: dict[str, list[Read]] = {}
        failed: MissingValue | None = None
        for conversation in talks:
            at = reader.at(conversation.other, conversation.step)
            talk = await self._talks.in_talk(at, conversation.occasion, conversation.lines)
            note: tuple[ConditionFinding, ...] | MissingValue = ()
            if conversation.note is not None:
                note = await self._talks.in_note(at, conversation.occasion, conversation.note.memo)
            if isinstance(talk, MissingValue):
                failed = talk
            elif isinstance(note, MissingValue):
                failed = note
            else:
                read.setdefault(conversation.other, []).append((talk, note))
        return loss_verdicts(failed or find_outcomes(task, filtered, read))


def _select_actions(actions: Sequence[SeenAction], reply: Attendance) -> tuple[SeenAction, ...]:
    """The actions that are taking part, or running the errand; ReplyError for an unknown number."""
    wrong = next((n for n in reply.taking_part if not 1 <= n <= len(actions)), None)
    if wrong is not None:
        expected = f"numbers from 1 to {len(actions)}" if len(actions) > 1 else "1"
        raise ReplyError(f"taking_part: expected {expected}, found {wrong}")
    return tuple(actions[number - 1] for number in sorted(set(reply.taking_part)))


def seen_actions(evidence: Evidence, errand: Errand | None) -> Iterator[SeenAction]:
    """What those who were at the place in time were doing, each action of each once."""
    task = evidence.task
    residents = task.background if errand else (task.performer, *task.background)
    if task.type == "appointment":
        residents = (task.performer, task.partner)
    for who in residents:
        place = errand.place if errand else task.place
        at_place = evidence.trajectory.presence(who, place) if place else evidence.at_the_place(who)
        times: dict[str, Intervals] = {}
        for doing in dict.fromkeys(action.did.doing for action in evidence.trajectory.actions(who)):
            acting = evidence.trajectory.acting(who, partial(eq, doing))
            when = intersect(evidence.in_time(acting), at_place) if acting else ()
            if when:
                times[doing] = when
        in_order = sorted(times.items(), key=lambda pair: pair[1])
        yield from (SeenAction(who, doing, when) for doing, when in in_order)


def _agreement(
    content: Content, among: list[str], filtered: TaskScore, read: TaskScore
) -> tuple[Verdict, ...]:
    """Of those who were there: who took part by filter and by reading, and how far these agree."""
    if not among:
        why = "nobody was at the place in time"
        return tuple(Unscored(m, None, why) for m in (BY_FILTER, BY_READING, AGREEMENT))
    first = {who for who in among if who in filtered.participants}
    second = {who for who in among if who in read.participants}
    apart = sorted(first ^ second)
    names = ", ".join(
        f"{content.name(who)} by {'the filter' if who in first else 'the model'} only"
        for who in apart
    )
    agreed = f"{len(among) - len(apart)} of {len(among)} who were there: {names or 'no difference'}"
    return (
        Score(BY_FILTER, None, len(first) / len(among), _join_names(content, first)),
        Score(BY_READING, None, len(second) / len(among), _join_names(content, second)),
        Score(AGREEMENT, None, 1 - len(apart) / len(among), agreed),
    )


def _join_names(content: Content, who: set[str]) -> str:
    return ", ".join(content.name(resident) for resident in sorted(who)) or "nobody"


def _describe_matter(content: Content, errand: Errand | None) -> str:
    task: SocialTask = content.task
    where = f" at {(errand or task).place}" if (errand or task).place else ""
    if errand is not None:
        return f"An errand for {content.name(task.performer)}: to {errand.what}{where}."
    return f"The {task.activity} of {content.name(task.performer)}{where}, on {task.day:%A}."
