"""The exams that judges of the town, and of its conversations, sit before they are believed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, time
from functools import cache

from sociolab.core.episode import Answered, CastMember, Ended, Episode, Event, Happened, Json, Trial
from sociolab.core.exam import ExamCase
from sociolab.plugin.exam import CaseRow, read_exam
from sociolab.town.clock import Clock
from sociolab.town.map_file import own_map
from sociolab.town.questions import Utterance
from sociolab.town.residents import own_residents
from sociolab.town.trace import TRACE, Did, Stood, Talked, make_chunk, make_header
from sociolab.worlds.stss.dataset import DAYS, own_town
from sociolab.worlds.stss.evidence import partner_of
from sociolab.worlds.stss.talk.model_judge import LabelledTalk, talk_episode
from sociolab.worlds.stss.task import Errand, SocialTask, TaskType
from sociolab.worlds.stss.world import make_task

_PACKAGE = "sociolab.worlds.stss"
_HOUR = time(10)


class MatterCase(CaseRow):
    """A social task of somebody in Alderbrook, on the second of the two days."""

    type: TaskType = "public activity"
    activity: str
    goal: str = ""
    place: str = ""
    start: str = ""
    errands: tuple[Errand, ...] = ()

    def task(self, performer: str, *others: str) -> SocialTask:
        """The task of this performer, with these others in the background."""
        return SocialTask(
            id=self.id,
            type=self.type,
            title=self.activity,
            goal=self.goal or f"To hold a {self.activity} at {self.place} from {self.start}.",
            performer=performer,
            background=others,
            days=DAYS,
            day=DAYS[-1],
            activity=self.activity,
            keywords=() if self.errands else (self.activity,),
            place=self.place,
            start=self.start,
            partner=others[0] if self.type == "appointment" else "",
            errands=self.errands,
        )


class TalkCase(MatterCase):
    """A talk of the performer with another, each line behind a first name, and what the other keeps
    of it."""

    performer: str
    other: str
    now: datetime
    here: str
    talk: str
    note: str

    def episode(self) -> Episode:
        """The talk as an episode of stss-talk."""
        marks = {self.performer: "P", self.other: "O"}
        return talk_episode(
            LabelledTalk.model_validate(
                {
                    "id": self.id,
                    "task": self.task(self.performer, self.other),
                    "performer": {"id": self.performer},
                    "other": {"id": self.other},
                    "now": self.now,
                    "here": self.here,
                    "lines": [(marks[line.who], line.text) for line in _parse_lines(self.talk)],
                    "note": self.note,
                }
            ),
            self.id,
        )


class TownCase(MatterCase):
    """What everybody at the place of an event does all day, the performer first; and a talk of the
    performer with one of them on the day before, with what they keep of it."""

    there: Mapping[str, str]
    talk: str = ""
    note: str = ""

    def episode(self) -> Episode:
        """Two days in which they do nothing else, as an episode of the town."""
        task, town, clock = self.task(*self.there), own_map(), Clock(DAYS[0])
        place = town.place(self.place)
        assert place is not None, f"{self.id}: Alderbrook has no {self.place}"
        (x, y), *_ = town.tiles(place)
        records = [
            record
            for who, doing in self.there.items()
            for record in (Stood(0, who, x, y), Did(0, who, doing, doing, self.place))
        ]
        talk, note = self._talk(clock)
        chunks = (
            make_header(clock.first, clock.seconds, [*self.there]),
            make_chunk(len(DAYS) * clock.steps_per_day, (*records, *talk)),
        )
        laid = make_task(task, own_town(0))
        cast = tuple(CastMember(seat) for seat in laid.seats)
        trace = (Happened(0, "", TRACE, part) for part in chunks)
        events: tuple[Event, ...] = (*trace, *note, Ended("turn limit", 1))
        return Episode(Trial(self.id, "stss", laid, cast, 0, 0), events)

    def _talk(self, clock: Clock) -> tuple[tuple[Talked, ...], tuple[Answered, ...]]:
        """The talk and the note of it; both empty without a talk."""
        if not (lines := _parse_lines(self.talk)):
            return (), ()
        performer, (first, second) = next(iter(self.there)), (lines[0].who, lines[1].who)
        begin = clock.step(datetime.combine(DAYS[0], _HOUR))
        talk = Talked(begin, begin + clock.minutes(3), first, second, lines, "goodbye")
        memo: Json = {"memo": self.note, "importance": 5}
        return (talk,), (Answered(talk.end, partner_of(talk, performer), "summarise", memo),)


def _parse_lines(talk: str) -> tuple[Utterance, ...]:
    """Parse lines such as "Ada: Hello.", by residents' first names."""
    people = {resident.first_name: resident for resident in own_residents()}
    lines = (line.partition(": ") for line in talk.splitlines())
    return tuple(Utterance(people[who].id, people[who].name, text) for who, _, text in lines)


@cache
def exam() -> tuple[ExamCase, ...]:
    return read_exam(_PACKAGE, "exam_town.toml", TownCase, TownCase.episode)


@cache
def talk_exam() -> tuple[ExamCase, ...]:
    return read_exam(_PACKAGE, "exam_talk.toml", TalkCase, TalkCase.episode)
