"""Conversations of scripted residents: whom they speak to, what they say, and what they keep.

They go by the acts of each line. With somebody who writes none they are polite, make their own
request, and agree to nothing, since they cannot know what was said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal, Self

from sociolab.core.seeding import stream
from sociolab.town.questions import (
    Decision,
    Matter,
    Me,
    Other,
    Said,
    SpeechAct,
    Summarise,
    Summary,
    TalkOrNot,
    Utter,
    Utterance,
)
from sociolab.town.questions.generative import GenerativeUtter
from sociolab.town.scripted.day import SEEKING, work_activities
from sociolab.town.scripted.matters import (
    EVENTS,
    Key,
    agreed_matters,
    describe_taking_part,
    everyday,
    fill_choices,
    fill_line,
    free_hours,
    gossip_for,
    is_free,
    is_over,
    line_values,
    lines,
    make_act,
    matter_key,
    merge_matters,
    news_for,
    places_like,
    standings,
    task_for,
    without_place,
)

_WILLING = {
    "public activity": 0.65, "online activity": 0.6, "inviting companions": 0.65,
    "appointment": 0.95, "asking for help": 0.5,
}  # fmt: skip
"""How likely one likes the idea; more if a friend asks, less if one has but heard of it."""
_FRIEND, _HEARSAY = 0.1, -0.25
_ASKS = 0.75
"""How often one asks for what was left open."""
_LEAVES_WORK = 0.4
"""How often one leaves work for it: decided once, whoever asks."""
_SLIPS = 0.08
"""How often a place slips one's mind."""
_PUTS_OFF = 0.5
"""How often one keeps one's task to oneself on a day before it."""
_GOSSIPS = 0.6
"""How often one mentions what somebody else is busy with, if there is nothing else to say."""
_PRIVATE = ("getting dressed", "getting ready for bed")


def decide(question: TalkOrNot) -> Decision:
    """Talk if there is something to tell, or for company now and then; mostly not at work."""
    me, other, what = question.me, question.other, question.block.what
    if what in _PRIVATE:
        return Decision(do="carry on")
    chance = stream(question.meta.seed, "talks", me.resident.id, other.id, question.meta.step)
    agreed = (
        describe_taking_part(matter, me, lines()["doing"])
        for matter in agreed_matters(me, me.now.date())
    )
    busy = what in work_activities(me) or what in agreed
    task = task_for(me, other)
    if task is not None:
        wish = 0.9 if task.kind == "appointment" else 0.55
        wish = 1.0 if what == SEEKING else wish / 2 if busy else wish
    else:
        wish = 0.0 if news_for(me, other) is None else 0.3 if busy else 0.6
    if wish and chance.random() < wish:
        return Decision(do="talk", why="there is something to tell them")
    return Decision(do="talk" if chance.random() < _sociable(question, busy) else "carry on")


def _sociable(question: TalkOrNot, busy: bool) -> float:
    """How likely one chats without a reason; less after many conversations on the same day."""
    today = question.me.now.date()
    if question.last_talk is not None and question.last_talk.date() == today:
        return 0.0
    latest = question.me.memory.latest(60)
    talks = sum(1 for memory in latest if memory.kind == "talk" and memory.when.date() == today)
    base = 0.75 if question.other.tie else 0.45
    return base * (0.4 if busy else 1.0) * (1.0 if talks < 3 else 0.4 if talks < 6 else 0.05)


# ------------------------------------------------------------------ a talk so far


@dataclass(frozen=True, slots=True)
class Topic:
    """The matter that a talk is about, as said so far; who brought it up, and the answer to it.

    `last` is the latest act about it.
    """

    matter: Matter
    by: str
    last: SpeechAct
    invited: bool = False
    answer: str = ""


def find_topic(talk: Sequence[Utterance]) -> Topic | None:
    """What a talk is about, by its acts; None if it is about nothing."""
    topic: Topic | None = None
    for speech in _acts_in(talk):
        if speech.matter is None:
            continue
        if topic is None or matter_key(topic.matter) != matter_key(speech.matter):
            topic = Topic(speech.matter, speech.by, speech)
        invited = topic.invited or speech.kind == "invite"
        answer = speech.kind if speech.kind in ("accept", "decline") else topic.answer
        answer = "" if speech.kind == "counter" else answer
        topic = Topic(merge_matters(topic.matter, speech.matter), topic.by, speech, invited, answer)
    return topic


def _acts_in(talk: Sequence[Utterance]) -> Iterator[SpeechAct]:
    return (speech for line in talk for speech in line.acts)


# ------------------------------------------------------------------ what is said


def make_utterance(question: Utter, *, complete: bool = False) -> Said:
    """The next utterance: an answer that is due, then one's own business, then small talk.

    A `complete` speaker, and one with TDP's checklist, leaves out nothing of its task. The last
    utterance that one has left ends the talk.
    """
    utterance = _Turn(question, complete=complete or bool(question.checklist)).speak()
    return utterance if question.left > 1 else utterance.model_copy(update={"ends": True})


class _Turn:
    def __init__(self, question: Utter, *, complete: bool) -> None:
        self._question, self._me, self._complete = question, question.me, complete
        self._id, self._other = question.me.resident.id, question.other
        self._own_lines = [line for line in question.lines if line.who == self._id]
        self._other_lines = [line for line in question.lines if line.who != self._id]
        self._heard_acts = self._other_lines[-1].acts if self._other_lines else ()
        self._topic = find_topic(question.lines)
        self._seed = question.meta.seed
        self._chance = stream(self._seed, "says", self._id, question.meta.step)

    def speak(self) -> Said:
        if self._other_lines and not self._heard_acts:
            return self._polite()
        topic, leaving = self._topic, any(speech.kind == "bye" for speech in self._heard_acts)
        if topic is not None:
            reply = self._reply(topic) if any(s is topic.last for s in self._heard_acts) else None
            if reply is None and topic.invited and not topic.answer and topic.by != self._id:
                reply = self._answer(topic)
            if reply is not None:
                return reply
        business = self._business() if not leaving and (topic is None or topic.answer) else None
        if business is not None:
            return business
        if leaving or len(self._own_lines) >= 2:
            return self._say(lines()["bye"], make_act("bye", self._me), ends=True)
        return self._say(self._small_talk(), make_act("chat", self._me))

    def _small_talk(self) -> list[str]:
        """What there is to tell when there is no business: residents of Generative Agents have one
        thing of their own for each conversation."""
        begins = isinstance(self._question, GenerativeUtter) and not self._own_lines
        topics = everyday()["topics"].get(self._id, ()) if begins else ()
        return [topic["say"] for topic in topics] or lines()["chat"]

    def _polite(self) -> Said:
        """With somebody who is not understood: one's own request, and nothing agreed."""
        requests = [speech for speech in _acts_in(self._own_lines) if speech.matter is not None]
        business = self._business() if not requests else None
        if business is not None:
            return business
        if len(self._own_lines) >= 3:
            return self._say(lines()["bye"], make_act("bye", self._me), ends=True)
        if len(requests) == 1:
            return self._details(requests[0].matter)
        return self._say(lines()["polite"], make_act("chat", self._me))

    # -------------------------------------------------------------- one's own business

    def _business(self) -> Said | None:
        """One's task, else news of another's event; None if the other need not hear of it."""
        task = task_for(self._me, self._other)
        spoken = {
            matter_key(speech.matter) for speech in _acts_in(self._question.lines) if speech.matter
        }
        if task is not None and matter_key(task) not in spoken and self._raises(task):
            return self._pitch(task)
        news = news_for(self._me, self._other)
        if news is None or matter_key(news) in spoken or self._chance.random() >= 0.6:
            return self._gossip(spoken)
        host = self._me.people.get(news.host, "Somebody")
        return self._say(
            lines()["invite"]["hearsay"], make_act("invite", self._me, news), news, host=host
        )

    def _raises(self, task: Matter) -> bool:
        """Whether to speak of one's task now: residents of Generative Agents, who have planned
        their day, put it off now and then, but not on its day."""
        if self._complete or not self._me.outline:
            return True
        today = self._me.now.date().isoformat()
        mood = stream(self._seed, "puts off", self._id, self._other.id, today).random()
        return task.day == today or mood >= _PUTS_OFF

    def _gossip(self, spoken: set[Key]) -> Said | None:
        """Mention what a neighbour is busy with, now and then; None otherwise.

        Only residents of Generative Agents do: word gets about there, as in that paper (3.4).
        """
        if not isinstance(self._question, GenerativeUtter) or self._chance.random() >= _GOSSIPS:
            return None
        matter = gossip_for(self._me, self._other)
        if matter is None or matter_key(matter) in spoken:
            return None
        host = self._me.people.get(matter.host, "Somebody")
        return self._say(
            lines()["invite"]["gossip"], make_act("tell", self._me, matter), matter, host=host
        )

    def _pitch(self, task: Matter) -> Said:
        """Put the task to the other: all of it, or what comes to mind without a reminder."""
        kind = "invite"
        if self._complete:
            task = self._with_choices(task, "")
        else:
            if self._chance.random() < 0.3:
                kind = "tell"
            if task.kind == "appointment" and self._chance.random() < 0.3:
                task = self._with_choices(task, self._other.id)
            else:
                task = self._forget_details(task)
        return self._say(lines()[kind][task.kind], make_act(kind, self._me, task), task)

    def _forget_details(self, task: Matter) -> Matter:
        timed, placed = self._chance.random() < 0.4, self._chance.random() < 0.4
        if not timed:
            task = task.model_copy(update={"day": "", "start": ""})
        return task if placed else without_place(task)

    def _with_choices(self, task: Matter, key: str) -> Matter:
        return fill_choices(task, self._me, self._seed, key, places_like(self._me.places, "public"))

    # -------------------------------------------------------------- replies

    def _reply(self, topic: Topic) -> Said | None:
        """Reply to the other's latest act about the matter; None if it needs no reply."""
        last, own = topic.last, topic.matter.host == self._id
        if last.kind == "ask":
            return self._details(topic.matter)
        if last.kind == "accept":
            return self._say(lines()["thanks"], make_act("bye", self._me), ends=True)
        if last.kind == "decline":
            return self._say(lines()["pity"], make_act("bye", self._me), ends=True)
        if own and topic.by != self._id:  # somebody tells me of what is mine
            return self._say(lines()["own"], make_act("chat", self._me))
        if last.kind == "counter" and own:
            return self._reply_to_counter(topic.matter)
        if last.kind in ("invite", "counter") or (last.kind == "tell" and topic.invited):
            return self._answer(topic)
        if last.kind == "tell" and not topic.answer:
            return self._say(lines()["noted"], make_act("chat", self._me))
        return None

    def _details(self, matter: Matter | None) -> Said:
        """When and where, as far as one knows; without a reminder the hour is sometimes
        forgotten."""
        assert matter is not None
        own = self._me.task
        standing = standings(self._me).get(matter_key(matter))
        if own is not None and matter_key(own) == matter_key(matter):
            settled = (
                standing.matter if standing is not None and standing.said_yes(self._id) else own
            )
            key = "" if self._complete else self._other.id
            matter = self._with_choices(merge_matters(settled, own), key)
            asked_hour = sum(speech.asks == "when" for speech in _acts_in(self._other_lines)) > 1
            if not (self._complete or asked_hour) and self._chance.random() < 0.35:
                matter = matter.model_copy(update={"start": ""})
        elif standing is not None:
            matter = standing.matter
        if not (matter.day or matter.place):
            return self._say(lines()["open"], make_act("chat", self._me))
        texts = lines()["details"]
        text = texts.get(matter.kind, texts["event"])
        return self._say(text, make_act("tell", self._me, matter), matter)

    def _reply_to_counter(self, matter: Matter) -> Said:
        """Answer a counterproposal to one's own matter: accept on the right day, if one is free."""
        own = self._me.task
        other_day = own is not None and matter.day != own.day
        if own is not None:
            matter = matter.model_copy(update={"day": own.day})
        day = date.fromisoformat(matter.day) if matter.day else self._me.now.date()
        free = not matter.start or is_free(
            self._me, day, matter.start, matter.minutes, matter_key(matter)
        )
        hours = () if free or len(self._question.lines) >= 8 else free_hours(self._me, matter)
        if hours:
            return self._counter(matter.model_copy(update={"start": self._chance.choice(hours)}))
        return self._counter(matter) if other_day else self._accept(matter)

    def _answer(self, topic: Topic) -> Said:
        """Yes, no, a question or another time, in answer to a request."""
        standing = standings(self._me).get(matter_key(topic.matter))
        matter = topic.matter if standing is None else merge_matters(standing.matter, topic.matter)
        before = standing.answers.get(self._id) if standing is not None else None
        moved = standing is not None and standing.matter.start not in ("", matter.start)
        if before == "accept" and not moved:
            return self._accept(matter, again=True)
        hearsay = topic.by != matter.host
        if before == "decline" and standing is not None and (standing.by_host or hearsay):
            return self._decline(matter, "again")
        if is_over(matter, self._me.now):
            return self._decline(matter, "over")
        asks = self._ask_back(matter)
        if asks:
            return self._say(lines()[asks], make_act("ask", self._me, matter, asks))
        meeting = matter.kind == "appointment"
        day = matter.day or self._me.now.date().isoformat()
        if matter.start and not self._can_come(matter):
            hours = free_hours(self._me, matter) if meeting and len(self._own_lines) < 3 else ()
            if not hours:
                return self._decline(matter, "busy")
            return self._counter(matter.model_copy(update={"start": self._chance.choice(hours)}))
        if not self._likes(matter, hearsay):
            return self._decline(matter, "not for me")
        if meeting and not (matter.start and matter.place) and len(self._own_lines) < 3:
            points = places_like(self._me.places, "public")[:2]
            hours = free_hours(self._me, matter) or ("17:00",)
            changes = {"day": day, "start": matter.start or self._chance.choice(hours)}
            if not matter.place and points and self._chance.random() < 0.65:
                changes["place"] = self._chance.choice(points)
            if matter.model_copy(update=changes) != matter:
                return self._counter(matter.model_copy(update=changes))
        return self._accept(matter)

    def _ask_back(self, matter: Matter) -> str:
        """What was left open and is worth a question: each once, and not always."""
        questions = [speech.asks for speech in _acts_in(self._own_lines)]
        timed = matter.day and (matter.start or matter.kind in ("appointment", "asking for help"))
        if not timed and "when" not in questions and self._chance.random() < _ASKS:
            return "when"
        placed = (
            matter.place
            or matter.kind in ("online activity", "appointment")
            or (matter.chores and all(chore.place for chore in matter.chores))
        )
        if placed or "where" in questions or self._chance.random() >= _ASKS:
            return ""
        return "where"

    def _can_come(self, matter: Matter) -> bool:
        day = date.fromisoformat(matter.day) if matter.day else self._me.now.date()
        if is_free(self._me, day, matter.start, matter.minutes, matter_key(matter)):
            return True
        if any(agreed.start == matter.start for agreed in agreed_matters(self._me, day)):
            return False
        draw = stream(self._seed, "leaves work", self._id, matter.day, matter.start).random()
        return draw < _LEAVES_WORK

    def _likes(self, matter: Matter, hearsay: bool) -> bool:
        """Whether the idea appeals: a matter of taste, whoever mentions it and when."""
        taste = stream(self._seed, "taste", self._id, matter.host, matter.what).random()
        bonus = (_FRIEND if self._other.tie else 0.0) + (_HEARSAY if hearsay else 0.0)
        return taste < _WILLING[matter.kind] + bonus

    # -------------------------------------------------------------- how it is put

    def _accept(self, matter: Matter, *, again: bool = False) -> Said:
        texts = lines()["accept"]
        text = texts["again"] if again else texts.get(matter.kind, texts["event"])
        return self._say(text, make_act("accept", self._me, matter), matter)

    def _decline(self, matter: Matter, why: str) -> Said:
        return self._say(lines()["decline"][why], make_act("decline", self._me, matter), matter)

    def _counter(self, matter: Matter) -> Said:
        return self._say(lines()["counter"]["time"], make_act("counter", self._me, matter), matter)

    def _say(
        self,
        options: list[str],
        speech: SpeechAct,
        matter: Matter | None = None,
        *,
        ends: bool = False,
        host: str = "",
    ) -> Said:
        words = {"other": (self._other.name.split() or [""])[0], "host": host}
        words |= line_values(matter) if matter is not None else {}
        before = " ".join(line.text for line in self._question.lines)
        text = fill_line(options, self._chance, before, **words)
        if self._own_lines or speech.kind == "bye":
            return Said(text=text[:2000], ends=ends, acts=(speech,))
        hello = fill_line(lines()["greet"], self._chance, before, **words)
        acts = (make_act("greet", self._me), speech)
        return Said(text=f"{hello} {text}"[:2000], ends=ends, acts=acts)


# ------------------------------------------------------------------ what is kept of it


def make_summary(question: Summarise) -> Summary:
    """A note of the matter, its answer and what was agreed, else of what the other had to tell;
    after a talk with somebody who wrote no acts, only that there was one."""
    me = question.me
    acts = tuple(_acts_in(question.lines))
    outcome = TalkOutcome.of(question.me, question.other, question.lines)
    if outcome is None:
        key = "chat" if all(line.acts for line in question.lines) else "unread"
        memo = heard_news(question.lines, question.other.id) or note_of(key, question)
        return Summary(memo=memo[:1000], importance=3, acts=acts)
    first = question.lines[0].text
    slips = stream(question.meta.seed, "keeps", me.resident.id, question.other.id, first)
    if slips.random() < _SLIPS and outcome.matter.host != me.resident.id:
        forgotten = outcome.matter.model_copy(update={"place": ""})
        outcome = replace(outcome, matter=forgotten)
        acts = tuple(_drop_place(speech) for speech in acts)
    matter, status = outcome.matter, outcome.status
    importance = {"accepted": 7, "declined": 6}.get(status, 5)
    own = matter.host == me.resident.id and matter.kind in (*EVENTS, "asking for help")
    today = matter.day == me.now.date().isoformat() and not is_over(matter, me.now)
    changes = status == "accepted" and today and not own  # one's own day already has it
    memo = note_of(outcome.key, question, outcome.matter)
    return Summary(memo=memo[:1000], importance=importance, changes_plan=changes, acts=acts)


@dataclass(frozen=True, slots=True)
class TalkOutcome:
    """What a conversation was about, how it was left, and whose it is to `side` ("mine", "theirs",
    or "hearsay" from somebody who is not its host)."""

    matter: Matter
    status: Literal["accepted", "declined", "open"]
    side: Literal["mine", "theirs", "hearsay"]

    @property
    def key(self) -> str:
        """The name of its lines."""
        return f"{self.status}_{self.side}"

    @classmethod
    def of(cls, me: Me, other: Other, talk: Sequence[Utterance]) -> Self | None:
        """None if it was about no matter, or if somebody spoke without acts."""
        topic = find_topic(talk) if all(line.acts for line in talk) else None
        if topic is None:
            return None
        status: Literal["accepted", "declined", "open"] = "open"
        if topic.answer in ("accept", "decline"):
            status = "accepted" if topic.answer == "accept" else "declined"
        if topic.by == me.resident.id:
            return cls(topic.matter, status, "mine")
        told_by_host = topic.matter.host in (other.id, me.resident.id)
        return cls(topic.matter, status, "theirs" if told_by_host else "hearsay")


def note_of(
    key: str, question: Summarise, matter: Matter | None = None, table: str = "memo"
) -> str:
    """One of the lines of this name, about the other and a matter: another one for the next
    matter, the same for the same talk."""
    me, other = question.me, question.other
    words = line_values(matter) if matter is not None else {}
    if matter is not None and key.endswith("mine"):  # of one's own matter one knows the rest
        if matter.kind in EVENTS:
            words |= {"when": "", "where": ""}
        elif matter.kind == "asking for help":
            words |= {"about": "the errands", "when": "", "where": ""}
    host = me.people.get(matter.host, me.resident.name) if matter is not None else ""
    first = (other.name.split() or [""])[0]
    options = lines()[table][key]
    start = stream(question.meta.seed, table, key, me.resident.id).randrange(len(options))
    spoken_of = len({(entry.when, entry.other) for entry in me.heard})
    text: str = options[(start + spoken_of) % len(options)]
    return text.format(other=other.name, first=first, host=host, **words)


def heard_news(talk: Sequence[Utterance], other: str) -> str:
    """What the other told of itself, if it was one of the lines that scripted residents have for
    small talk, as it is remembered; "" otherwise."""
    spoken = " ".join(line.text for line in talk if line.who == other)
    topics = everyday()["topics"].get(other, ())
    return " ".join(topic["note"] for topic in topics if topic["say"] in spoken)


def _drop_place(speech: SpeechAct) -> SpeechAct:
    if speech.matter is None:
        return speech
    return speech.model_copy(update={"matter": speech.matter.model_copy(update={"place": ""})})
