"""The NPC, scripted: tells what it knows by its openness, mostly one fact to one question."""

from __future__ import annotations

from sociolab.core.episode import Action
from sociolab.worlds.anteval.scripted.hearing import spoken, topic_of
from sociolab.worlds.anteval.scripted.moment import Moment
from sociolab.worlds.anteval.scripted.phrases import talks
from sociolab.worlds.anteval.session import Fact
from sociolab.worlds.anteval.telling import SPEAK

_TWO_AT_ONCE = 0.15
_ASIDE = 0.12


def play_npc(now: Moment) -> tuple[Action, ...]:
    """A turn of the one whom the party met."""
    questions = [(line.who, text) for line, text, _ in spoken(now.since) if "?" in text]
    if questions:
        now.slots["asker"] = questions[-1][0]
    if now.view.form == "intention":
        return _companionable(now, questions)
    if not now.own and now.chance.random() < 0.6 * (1 - now.temper.openness):
        return now.says(now.word("npc", "hello"))
    if not questions:
        return _unasked(now)
    return _answer(now, questions)


def _answer(now: Moment, questions: list[tuple[str, str]]) -> tuple[Action, ...]:
    """To the question that it can answer best."""
    untold = [fact for fact in now.view.knowledge if fact.text not in now.said]
    willing = now.chance.random() < _willing(now)
    for who, text in reversed(questions):
        fact = _asked_for(text, untold)
        if fact is not None and willing:
            return _tell(now, fact, who, "lead", untold)
    who, text = questions[-1]
    if not willing and untold:
        return now.says(now.word("npc", "evade") or now.word("npc", "chat"))
    if _asked_for(text, now.view.knowledge) is not None or not untold:
        known = now.word("npc", "again" if now.chance.random() < 0.5 else "unknown")
        return now.says(known or now.word("npc", "chat"))
    if now.chance.random() < now.temper.openness:
        return _tell(now, now.chance.choice(untold), who, "offer", untold)
    return now.says(now.word("npc", "unknown") or now.word("npc", "chat"))


def _willing(now: Moment) -> float:
    """Who has been asked for long gives in."""
    return min(0.97, 0.25 + 0.6 * now.temper.openness + 0.05 * now.own)


def _unasked(now: Moment) -> tuple[Action, ...]:
    untold = [fact for fact in now.view.knowledge if fact.text not in now.said]
    draw = now.chance.random()
    if untold and draw < 0.4 * now.temper.openness:
        return _tell(now, now.chance.choice(untold), now.other, "offer", untold)
    if draw > 0.9:
        return now.turn_of("", now.deed())
    return now.says(now.word("npc", "chat"))


def _tell(
    now: Moment, fact: Fact, who: str, occasion: str, untold: list[Fact]
) -> tuple[Action, ...]:
    """A fact, in the NPC's words around it; sometimes two; sometimes for one pair of ears."""
    now.slots["asker"] = who or now.other
    lead = now.word("npc", occasion) if now.chance.random() < 0.75 else ""
    parts = [lead, fact.text]
    rest = [one for one in untold if one.id != fact.id]
    if rest and now.chance.random() < _TWO_AT_ONCE * now.temper.openness * 2:
        parts += [now.word("npc", "also"), now.chance.choice(rest).text]
    elif now.chance.random() < 0.35:
        parts.append(now.word("npc", "tail"))
    words = " ".join(part for part in parts if part)
    if who and now.seats > 2 and now.chance.random() < _ASIDE:
        return (Action(SPEAK, words, (who,)),)
    return now.says(words)


def _asked_for(text: str, facts: tuple[Fact, ...] | list[Fact]) -> Fact | None:
    """The fact that a question is about: by the name of its subject, or by its kind."""
    for fact in facts:
        names = [word for word in fact.subject.split() if word[:1].isupper() and len(word) > 3]
        if any(name in text for name in names):
            return fact
    topic = topic_of(text)
    if topic == "open":
        return facts[0] if facts else None
    return next((fact for fact in facts if fact.kind == topic), None)


def _companionable(now: Moment, questions: list[tuple[str, str]]) -> tuple[Action, ...]:
    """In a session about intentions: answers, remarks, a look at what the party does."""
    if not now.own and now.chance.random() < 0.7:
        return now.says(now.word("npc", "hello"))
    strives = [line.who for line in now.since if now.strives(line)]
    if strives and now.chance.random() < 0.7:
        now.slots["asker"] = strives[-1]
        return now.says(now.word("npc", "watch") or now.word("npc", "chat"))
    words = _chatty_answer(now, questions)
    if words and now.chance.random() < 0.9:
        return now.says(words)
    if now.chance.random() < 0.1:
        return now.turn_of("", now.deed())
    return now.says(now.word("npc", "chat") or now.word("npc", "watch"))


def _chatty_answer(now: Moment, questions: list[tuple[str, str]]) -> str:
    """An answer that fits the last question of ours that has one; empty where none does."""
    for who, text in reversed(questions):
        for talk in talks():
            if talk.ask.mark in text:
                now.slots["asker"] = who
                return talk.answers.fresh(now.chance, now.said, now.slots)
    return ""
