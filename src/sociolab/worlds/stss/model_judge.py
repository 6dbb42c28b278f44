"""A chat model as a second judge of social tasks: it reads what the keyword filter cannot.

It says which actions of those who were at the place in time are taking part, chosen from a list,
and what the performer's conversations and the notes of them conveyed. All else (who was where, and
when) is read off the trace as ever, so that a goal as it reads it differs from the filter's in
nothing but the actions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from operator import eq

from pydantic import BaseModel, ConfigDict

from sociolab.core.episode import Episode
from sociolab.core.errors import ModelError
from sociolab.core.ports import CallKey, ChatModel
from sociolab.core.score import JudgeId, Score, ScoreFailure, Unscored, Verdict
from sociolab.core.seeding import digest
from sociolab.prompting.ask import ask_model, typed_prompt
from sociolab.prompting.structured import schema_of
from sociolab.prompting.templates import prompt
from sociolab.town.trace.intervals import Intervals, common
from sociolab.town.trace.trajectory import Trajectory
from sociolab.worlds.stss.casting import SMOKE, is_smoke
from sociolab.worlds.stss.content import Content, content_from
from sociolab.worlds.stss.measures import AGREEMENT, BY_FILTER, BY_READING, GOAL_READ, READ
from sociolab.worlds.stss.rules_judge import Incomplete, lived
from sociolab.worlds.stss.scoring.evidence import Evidence
from sociolab.worlds.stss.scoring.reason import reason
from sociolab.worlds.stss.scoring.result import ScoreSettings, TaskScore
from sociolab.worlds.stss.scoring.score import score
from sociolab.worlds.stss.story import spans
from sociolab.worlds.stss.talk.findings import Finding
from sociolab.worlds.stss.talk.losses import Read, fates, loss_verdicts, spoken
from sociolab.worlds.stss.talk.model_judge import TalkModelJudge
from sociolab.worlds.stss.talk.verdicts import Lost
from sociolab.worlds.stss.task import Errand, SocialTask

ATTEMPTS = 3
PACKAGE = "sociolab.worlds.stss"


class Attendance(BaseModel):
    """The numbers of the lines that are taking part."""

    model_config = ConfigDict(extra="forbid")

    taking_part: list[int]


@dataclass(frozen=True, slots=True)
class _Seen:
    """An action of somebody who was at the place in time, and when that was."""

    who: str
    doing: str
    when: Intervals


class StssModelJudge:
    """Reads an episode with a chat model at temperature 0: see `measures.READ`.

    A number that is not on the list is asked for again, and so is a quote that is not in the text;
    what cannot be mended fails the measures that rest on it, when all has been asked, so that an
    episode costs what a dry run says. A fatal error (credentials, budget)
    passes through and stops the run.
    """

    def __init__(self, model: ChatModel, settings: ScoreSettings | None = None) -> None:
        self._model = model
        self._reader = TalkModelJudge(model)
        self._settings = settings or ScoreSettings()
        hashes = [prompt(PACKAGE, f"attendance_{part}").hash for part in ("head", "body")]
        schema = schema_of(Attendance).text
        known = digest(*hashes, schema, self._reader.id.settings, self._settings.least)
        self.id = JudgeId(model.label, "model", known)

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """The verdicts; failures where the event's day was not lived to the end."""
        content = content_from(episode.trial.task.content)
        try:
            trajectory = lived(content.task, episode)
        except Incomplete as problem:
            return tuple(ScoreFailure(m, None, "incomplete", str(problem)) for m in READ)
        if is_smoke(episode.trial):
            return tuple(Unscored(m, None, SMOKE) for m in READ)
        key = CallKey(episode.trial.id, "judge", "", 0, "attendance", 1, judging)
        filtered = score(content.task, trajectory, self._settings)
        attended = await self._attendance(content, trajectory, filtered, key)
        lost = await self._losses(content, episode, trajectory, filtered, key)
        return (*attended, *lost)

    # -------------------------------------------------------------- who took part

    async def _attendance(
        self, content: Content, trajectory: Trajectory, filtered: TaskScore, key: CallKey
    ) -> tuple[Verdict, ...]:
        task = content.task
        seen = Evidence(task, trajectory)
        chosen: set[tuple[str, Errand | None, str]] = set()
        present: set[str] = set()
        failed: Lost | None = None
        for number, errand in enumerate(task.errands or (None,), 1):
            shown = tuple(_seen(seen, errand))
            present |= {one.who for one in shown}
            at = replace(key, name=f"{key.name}-{number}") if errand else key
            found = await self._chosen(content, seen, errand, shown, at)
            if isinstance(found, Lost):
                failed = found
            else:
                chosen |= {(one.who, errand, one.doing) for one in found}
        if failed is not None:
            lost = (failed.cause, failed.problem, failed.raw, failed.attempts)
            return tuple(ScoreFailure(m, None, *lost) for m in READ[:4])

        def reads(who: str, errand: Errand | None, text: str) -> bool:
            return (who, errand, text) in chosen

        read = score(task, trajectory, self._settings, reads)
        why = reason(task, read, content.name)
        among = sorted(present - {task.performer})
        return (Score(GOAL_READ, None, read.goal, why), *_agreement(content, among, filtered, read))

    async def _chosen(
        self,
        content: Content,
        seen: Evidence,
        errand: Errand | None,
        shown: tuple[_Seen, ...],
        key: CallKey,
    ) -> tuple[_Seen, ...] | Lost:
        """Those of the actions that are taking part, or running the errand, as the model reads."""
        if not shown:
            return ()
        clock = seen.trajectory.clock
        lines = [
            f"{content.name(one.who)}, {spans(clock, one.when)}: {' '.join(one.doing.split())}"
            for one in shown
        ]
        body = prompt(PACKAGE, "attendance_body").render(
            {"matter": _matter(content, errand), "lines": lines}
        )
        head = prompt(PACKAGE, "attendance_head").render({})
        try:
            reply = await ask_model(
                self._model,
                typed_prompt(head, body, Attendance, 0.0),
                Attendance,
                key,
                attempts=ATTEMPTS,
                complaint=lambda found: _not_listed(found, len(shown)),
            )
        except ModelError as error:
            if error.fatal:
                raise
            return Lost(error.cause, str(error), "", error.tries)
        if reply.value is None or reply.problem:
            return Lost(reply.cause, reply.problem, reply.raw, reply.attempts)
        return tuple(shown[number - 1] for number in sorted(set(reply.value.taking_part)))

    # -------------------------------------------------------------- what was conveyed

    async def _losses(
        self,
        content: Content,
        episode: Episode,
        trajectory: Trajectory,
        filtered: TaskScore,
        key: CallKey,
    ) -> tuple[Verdict, ...]:
        """Where the task was lost, by the filter's attendance and what the model finds conveyed."""
        read: dict[str, list[Read]] = {}
        failed: Lost | None = None
        for one in spoken(content, episode, trajectory, filtered):
            at = replace(key, seat=one.other, turn=one.step, name="talk")
            talk = await self._reader.in_talk(one.occasion, one.lines, at)
            note: tuple[Finding, ...] | Lost = ()
            if one.note is not None:
                note = await self._reader.in_note(one.occasion, one.note.memo, at)
            if isinstance(talk, Lost):
                failed = talk
            elif isinstance(note, Lost):
                failed = note
            else:
                read.setdefault(one.other, []).append((talk, note))
        return loss_verdicts(failed or fates(content.task, filtered, read))


def _seen(seen: Evidence, errand: Errand | None) -> Iterator[_Seen]:
    """What those were doing who were at the place in time, each action of each once."""
    task = seen.task
    residents = task.background if errand else (task.performer, *task.background)
    if task.type == "appointment":
        residents = (task.performer, task.partner)
    for who in residents:
        place = errand.place if errand else task.place
        here = seen.trajectory.presence(who, place) if place else seen.at_the_place(who)
        found: dict[str, Intervals] = {}
        for doing in dict.fromkeys(one.did.doing for one in seen.trajectory.actions(who)):
            acting = seen.trajectory.acting(who, partial(eq, doing))
            when = common(seen.in_time(acting), here) if acting else ()
            if when:
                found[doing] = when
        in_order = sorted(found.items(), key=lambda pair: pair[1])
        yield from (_Seen(who, doing, when) for doing, when in in_order)


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
        f"{content.name(who)} by {'the filter' if who in first else 'reading'} only"
        for who in apart
    )
    agreed = f"{len(among) - len(apart)} of {len(among)} who were there: {names or 'no difference'}"
    return (
        Score(BY_FILTER, None, len(first) / len(among), _names(content, first)),
        Score(BY_READING, None, len(second) / len(among), _names(content, second)),
        Score(AGREEMENT, None, 1 - len(apart) / len(among), agreed),
    )


def _names(content: Content, who: set[str]) -> str:
    return ", ".join(content.name(one) for one in sorted(who)) or "nobody"


def _matter(content: Content, errand: Errand | None) -> str:
    task: SocialTask = content.task
    where = f" at {(errand or task).place}" if (errand or task).place else ""
    if errand is not None:
        return f"An errand for {content.name(task.performer)}: to {errand.what}{where}."
    return f"The {task.activity} of {content.name(task.performer)}{where}, on {task.day:%A}."


def _not_listed(found: Attendance, count: int) -> str:
    wrong = [number for number in found.taking_part if not 1 <= number <= count]
    return f"taking_part: expected numbers from 1 to {count}, found {wrong[0]}" if wrong else ""
