"""Conversations of scripted residents: whom they speak to, what they say, and what they keep.

They go by the acts of each line. Facing somebody who writes none they are polite, make their own
request, and agree to nothing: they cannot know what was said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from sociolab.core.seeding import stream
from sociolab.town.questions import (
    Decision,
    Matter,
    Said,
    SpeechAct,
    Summarise,
    Summary,
    TalkOrNot,
    Utter,
    Utterance,
)
from sociolab.town.scripted.day import SEEKING, work_of
from sociolab.town.scripted.matters import (
    EVENTS,
    act,
    doing,
    due,
    facts,
    fill_line,
    free_hours,
    is_free,
    is_over,
    key_of,
    lines,
    merged,
    news_for,
    places_like,
    standings,
    wanted_of,
    with_choices,
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
_PRIVATE = ("getting dressed", "getting ready for bed")


def decision(question: TalkOrNot) -> Decision:
    """To talk if there is something to tell, or for company now and then; mostly not at work."""
    me, other, what = question.me, question.other, question.block.what
    if what in _PRIVATE:
        return Decision(do="carry on")
    chance = stream(question.asked.seed, "talks", me.resident.id, other.id, question.asked.step)
    agreed = (doing(matter, me, lines()["doing"]) for matter in due(me, me.now.date()))
    busy = what in work_of(me) or what in agreed
    task = wanted_of(me, other)
    if task is not None:
        wish = 0.9 if task.kind == "appointment" else 0.55
        wish = 1.0 if what == SEEKING else wish / 2 if busy else wish
    else:
        wish = 0.0 if news_for(me, other) is None else 0.3 if busy else 0.6
    if wish and chance.random() < wish:
        return Decision(do="talk", why="there is something to tell them")
    return Decision(do="talk" if chance.random() < _sociable(question, busy) else "carry on")


def _sociable(question: TalkOrNot, busy: bool) -> float:
    """How likely one chats without a reason; who has talked a lot today talks less."""
    today = question.me.now.date()
    if question.last_talk is not None and question.last_talk.date() == today:
        return 0.0
    latest = question.me.memory.latest(60)
    talks = sum(1 for memory in latest if memory.kind == "talk" and memory.when.date() == today)
    base = 0.75 if question.other.tie else 0.45
    return base * (0.4 if busy else 1.0) * (1.0 if talks < 3 else 0.4 if talks < 6 else 0.05)


# ------------------------------------------------------------------ a talk so far


@dataclass(frozen=True, slots=True)
class OpenMatter:
    """The matter that a talk is about: as said so far, by whom it was brought up, and its answer.

    `last` is the latest act about it.
    """

    matter: Matter
    by: str
    last: SpeechAct
    invited: bool = False
    answer: str = ""


def table_of(talk: Sequence[Utterance]) -> OpenMatter | None:
    """What is on the table by the acts of a talk; None if it is about nothing."""
    table: OpenMatter | None = None
    for speech in _acts(talk):
        if speech.matter is None:
            continue
        if table is None or key_of(table.matter) != key_of(speech.matter):
            table = OpenMatter(speech.matter, speech.by, speech)
        invited = table.invited or speech.kind == "invite"
        answer = speech.kind if speech.kind in ("accept", "decline") else table.answer
        answer = "" if speech.kind == "counter" else answer
        table = OpenMatter(merged(table.matter, speech.matter), table.by, speech, invited, answer)
    return table


def _acts(talk: Sequence[Utterance]) -> Iterator[SpeechAct]:
    return (speech for line in talk for speech in line.acts)


# ------------------------------------------------------------------ what is said


def make_utterance(question: Utter, *, complete: bool = False) -> Said:
    """The next utterance: an answer that is due, then one's own business, then small talk.

    A `complete` speaker, and one who is reminded, leaves nothing of its task out. The last
    utterance that one has left ends the talk.
    """
    utterance = _Turn(question, complete=complete or bool(question.checklist)).speak()
    return utterance if question.left > 1 else utterance.model_copy(update={"ends": True})


class _Turn:
    """One utterance to be made."""

    def __init__(self, question: Utter, *, complete: bool) -> None:
        self._question, self._me, self._complete = question, question.me, complete
        self._id, self._other = question.me.resident.id, question.other
        self._mine = [line for line in question.lines if line.who == self._id]
        self._theirs = [line for line in question.lines if line.who != self._id]
        self._heard = self._theirs[-1].acts if self._theirs else ()
        self._table = table_of(question.lines)
        self._seed = question.asked.seed
        self._chance = stream(self._seed, "says", self._id, question.asked.step)

    def speak(self) -> Said:
        """What is said now, and what it means."""
        if self._theirs and not self._heard:
            return self._polite()
        table, leaving = self._table, any(speech.kind == "bye" for speech in self._heard)
        if table is not None:
            reply = self._reply(table) if any(s is table.last for s in self._heard) else None
            if reply is None and table.invited and not table.answer and table.by != self._id:
                reply = self._answer(table)
            if reply is not None:
                return reply
        business = self._business() if not leaving and (table is None or table.answer) else None
        if business is not None:
            return business
        if leaving or len(self._mine) >= 2:
            return self._says(lines()["bye"], act("bye", self._me), ends=True)
        return self._says(lines()["chat"], act("chat", self._me))

    def _polite(self) -> Said:
        """Beside somebody who is not understood: one's own request, and nothing agreed."""
        requests = [speech for speech in _acts(self._mine) if speech.matter is not None]
        business = self._business() if not requests else None
        if business is not None:
            return business
        if len(self._mine) >= 3:
            return self._says(lines()["bye"], act("bye", self._me), ends=True)
        if len(requests) == 1:
            return self._details(requests[0].matter)
        return self._says(lines()["polite"], act("chat", self._me))

    # -------------------------------------------------------------- one's own business

    def _business(self) -> Said | None:
        """One's task, else news of somebody else's event; None if the other need not hear of it."""
        task = wanted_of(self._me, self._other)
        spoken = {key_of(speech.matter) for speech in _acts(self._question.lines) if speech.matter}
        if task is not None and key_of(task) not in spoken:
            return self._pitch(task)
        news = news_for(self._me, self._other)
        if news is None or key_of(news) in spoken or self._chance.random() >= 0.6:
            return None
        host = self._me.people.get(news.host, "Somebody")
        return self._says(
            lines()["invite"]["hearsay"], act("invite", self._me, news), news, host=host
        )

    def _pitch(self, task: Matter) -> Said:
        """The task put to the other: whole, or what of it comes to mind without a reminder."""
        kind = "invite"
        if self._complete:
            task = self._with_choices(task, "")
        else:
            if self._chance.random() < 0.3:
                kind = "tell"
            if task.kind == "appointment" and self._chance.random() < 0.3:
                task = self._with_choices(task, self._other.id)
            else:
                task = self._forgetting(task)
        return self._says(lines()[kind][task.kind], act(kind, self._me, task), task)

    def _forgetting(self, task: Matter) -> Matter:
        timed, placed = self._chance.random() < 0.4, self._chance.random() < 0.4
        if not timed:
            task = task.model_copy(update={"day": "", "start": ""})
        return task if placed else without_place(task)

    def _with_choices(self, task: Matter, key: str) -> Matter:
        return with_choices(task, self._me, self._seed, key, places_like(self._me.places, "public"))

    # -------------------------------------------------------------- replies

    def _reply(self, table: OpenMatter) -> Said | None:
        """To the other's latest act about the matter; None if it asks for nothing."""
        last, own = table.last, table.matter.host == self._id
        if last.kind == "ask":
            return self._details(table.matter)
        if last.kind == "accept":
            return self._says(lines()["thanks"], act("bye", self._me), ends=True)
        if last.kind == "decline":
            return self._says(lines()["pity"], act("bye", self._me), ends=True)
        if own and table.by != self._id:  # somebody tells me of what is mine
            return self._says(lines()["own"], act("chat", self._me))
        if last.kind == "counter" and own:
            return self._to_counter(table.matter)
        if last.kind in ("invite", "counter") or (last.kind == "tell" and table.invited):
            return self._answer(table)
        if last.kind == "tell" and not table.answer:
            return self._says(lines()["noted"], act("chat", self._me))
        return None

    def _details(self, matter: Matter | None) -> Said:
        """When and where, as far as one knows; unreminded the hour does not always come to mind."""
        assert matter is not None
        own = self._me.task
        standing = standings(self._me).get(key_of(matter))
        if own is not None and key_of(own) == key_of(matter):
            settled = (
                standing.matter if standing is not None and standing.said_yes(self._id) else own
            )
            key = "" if self._complete else self._other.id
            matter = self._with_choices(merged(settled, own), key)
            asked_hour = sum(speech.asks == "when" for speech in _acts(self._theirs)) > 1
            if not (self._complete or asked_hour) and self._chance.random() < 0.35:
                matter = matter.model_copy(update={"start": ""})
        elif standing is not None:
            matter = standing.matter
        if not (matter.day or matter.place):
            return self._says(lines()["open"], act("chat", self._me))
        texts = lines()["details"]
        text = texts.get(matter.kind, texts["event"])
        return self._says(text, act("tell", self._me, matter), matter)

    def _to_counter(self, matter: Matter) -> Said:
        """Another time or place for what is one's own: taken, if it is the day, and one is free."""
        own = self._me.task
        other_day = own is not None and matter.day != own.day
        if own is not None:
            matter = matter.model_copy(update={"day": own.day})
        day = date.fromisoformat(matter.day) if matter.day else self._me.now.date()
        free = not matter.start or is_free(
            self._me, day, matter.start, matter.minutes, key_of(matter)
        )
        hours = () if free or len(self._question.lines) >= 8 else free_hours(self._me, matter)
        if hours:
            return self._counters(matter.model_copy(update={"start": self._chance.choice(hours)}))
        return self._counters(matter) if other_day else self._accepts(matter)

    def _answer(self, table: OpenMatter) -> Said:
        """Yes, no, a question back or another time, to what the other asks for."""
        standing = standings(self._me).get(key_of(table.matter))
        matter = table.matter if standing is None else merged(standing.matter, table.matter)
        before = standing.answers.get(self._id) if standing is not None else None
        moved = standing is not None and standing.matter.start not in ("", matter.start)
        if before == "accept" and not moved:
            return self._accepts(matter, again=True)
        hearsay = table.by != matter.host
        if before == "decline" and standing is not None and (standing.by_host or hearsay):
            return self._declines(matter, "again")
        if is_over(matter, self._me.now):
            return self._declines(matter, "over")
        asks = self._asks_back(matter)
        if asks:
            return self._says(lines()[asks], act("ask", self._me, matter, asks))
        meeting = matter.kind == "appointment"
        day = matter.day or self._me.now.date().isoformat()
        if matter.start and not self._can(matter):
            hours = free_hours(self._me, matter) if meeting and len(self._mine) < 3 else ()
            if not hours:
                return self._declines(matter, "busy")
            return self._counters(matter.model_copy(update={"start": self._chance.choice(hours)}))
        if not self._likes(matter, hearsay):
            return self._declines(matter, "not for me")
        if meeting and not (matter.start and matter.place) and len(self._mine) < 3:
            points = places_like(self._me.places, "public")[:2]
            hours = free_hours(self._me, matter) or ("17:00",)
            changes = {"day": day, "start": matter.start or self._chance.choice(hours)}
            if not matter.place and points and self._chance.random() < 0.65:
                changes["place"] = self._chance.choice(points)
            if matter.model_copy(update=changes) != matter:
                return self._counters(matter.model_copy(update=changes))
        return self._accepts(matter)

    def _asks_back(self, matter: Matter) -> str:
        """What was left open and is worth a question: each once, and not always."""
        questions = [speech.asks for speech in _acts(self._mine)]
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

    def _can(self, matter: Matter) -> bool:
        day = date.fromisoformat(matter.day) if matter.day else self._me.now.date()
        if is_free(self._me, day, matter.start, matter.minutes, key_of(matter)):
            return True
        if any(agreed.start == matter.start for agreed in due(self._me, day)):
            return False
        draw = stream(self._seed, "leaves work", self._id, matter.day, matter.start).random()
        return draw < _LEAVES_WORK

    def _likes(self, matter: Matter, hearsay: bool) -> bool:
        """Whether the idea pleases: a matter of taste, the same whoever speaks of it and when."""
        taste = stream(self._seed, "taste", self._id, matter.host, matter.what).random()
        bonus = (_FRIEND if self._other.tie else 0.0) + (_HEARSAY if hearsay else 0.0)
        return taste < _WILLING[matter.kind] + bonus

    # -------------------------------------------------------------- how it is put

    def _accepts(self, matter: Matter, *, again: bool = False) -> Said:
        texts = lines()["accept"]
        text = texts["again"] if again else texts.get(matter.kind, texts["event"])
        return self._says(text, act("accept", self._me, matter), matter)

    def _declines(self, matter: Matter, why: str) -> Said:
        return self._says(lines()["decline"][why], act("decline", self._me, matter), matter)

    def _counters(self, matter: Matter) -> Said:
        return self._says(lines()["counter"]["time"], act("counter", self._me, matter), matter)

    def _says(
        self,
        options: list[str],
        speech: SpeechAct,
        matter: Matter | None = None,
        *,
        ends: bool = False,
        host: str = "",
    ) -> Said:
        words = {"other": (self._other.name.split() or [""])[0], "host": host}
        words |= facts(matter) if matter is not None else {}
        before = " ".join(line.text for line in self._question.lines)
        text = fill_line(options, self._chance, before, **words)
        if self._mine or speech.kind == "bye":
            return Said(text=text[:2000], ends=ends, acts=(speech,))
        hello = fill_line(lines()["greet"], self._chance, before, **words)
        acts = (act("greet", self._me), speech)
        return Said(text=f"{hello} {text}"[:2000], ends=ends, acts=acts)


# ------------------------------------------------------------------ what is kept of it


def summary(question: Summarise) -> Summary:
    """A note of the matter and its answer, and what was agreed; with somebody who wrote no acts,
    that one has talked."""
    me, other = question.me, question.other
    table = table_of(question.lines) if all(line.acts for line in question.lines) else None
    acts = tuple(_acts(question.lines))
    memos = lines()["memo"]
    if table is None:
        memo = memos["chat"].format(other=other.name)
        return Summary(memo=memo[:1000], importance=3, acts=acts)
    by_me = table.by == me.resident.id
    matter = table.matter
    first = question.lines[0].text
    slips = stream(question.asked.seed, "keeps", me.resident.id, other.id, first).random() < _SLIPS
    if slips and matter.host != me.resident.id:
        matter = matter.model_copy(update={"place": ""})
        acts = tuple(_slipped(speech) for speech in acts)
    status = {"accept": "accepted", "decline": "declined"}.get(table.answer, "open")
    words = facts(matter) | {"other": other.name, "of": ""}
    if not by_me and matter.host != other.id:
        host = me.people.get(matter.host, me.resident.name)
        words["of"] = f", which {host} is holding"
    memo = memos[f"{status}_{'mine' if by_me else 'theirs'}"].format(**words)
    importance = {"accepted": 7, "declined": 6}.get(status, 5)
    own = matter.host == me.resident.id and matter.kind in (*EVENTS, "asking for help")
    today = matter.day == me.now.date().isoformat() and not is_over(matter, me.now)
    changes = status == "accepted" and today and not own  # one's own day already has it
    return Summary(memo=memo[:1000], importance=importance, changes_plan=changes, acts=acts)


def _slipped(speech: SpeechAct) -> SpeechAct:
    if speech.matter is None:
        return speech
    return speech.model_copy(update={"matter": speech.matter.model_copy(update={"place": ""})})
