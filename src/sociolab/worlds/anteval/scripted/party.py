"""A player of the party, scripted: asks, follows up, passes on, plans, chats, sometimes waits."""

from __future__ import annotations

from sociolab.core.episode import Action
from sociolab.core.ports import Line
from sociolab.worlds.anteval.scripted.hearing import KINDS, names_in, spoken, topic_of
from sociolab.worlds.anteval.scripted.moment import Moment
from sociolab.worlds.anteval.scripted.purpose import acting
from sociolab.worlds.anteval.scripted.recall import blurred
from sociolab.worlds.anteval.telling import PASS, SPEAK

_PASSES = 0.05
_SLIPS = 0.12
"""How often somebody who says a thing again gets a part of it wrong."""


def play_party(now: Moment) -> tuple[Action, ...]:
    """A turn of one of the party."""
    deed = acting(now)
    if deed:
        return deed
    if not now.own:
        return _first(now)
    whispered = _to_pass_on(now)
    if whispered and now.chance.random() < 0.75:
        return _say_again(now, "relay", whispered)
    if now.chance.random() < _PASSES:
        return (Action(PASS),)
    if now.view.form == "intention":
        return _about_the_scene(now)
    return _about_what_is_known(now)


def _first(now: Moment) -> tuple[Action, ...]:
    """The first turn: a greeting, and often a question with it."""
    opened = any(True for _ in spoken(now.lines))
    words = now.word("party", "greet" if opened else "open")
    if opened and now.chance.random() < 0.7:
        told = now.view.form == "information"
        words = f"{words} {_question(now) if told else now.small_talk()}"
    return now.says(words.strip())


def _about_what_is_known(now: Moment) -> tuple[Action, ...]:
    """In a session about information: mostly questions, and what to make of the answers."""
    draw = now.chance.random()
    fresh = [one for one in now.news if one.turn >= now.turn - now.seats and one.who == now.teller]
    names = names_in(fresh[-1].sentence, now.people) if fresh else ()
    talked = "\n".join(text for line, text, _ in spoken(now.since) if line.who != now.teller)
    names = tuple(name for name in names if name not in talked)
    name = {"name": now.chance.choice(names)} if names else {}
    if fresh and draw < 0.12 and now.said.count(fresh[-1].sentence) == 1:
        return _say_again(now, "recap", fresh[-1].sentence)
    if names and draw < 0.30:
        return now.says(now.word("party", "follow", name) or _question(now))
    if names and draw < 0.42:
        return now.says(now.word("party", "plan", name) or _question(now))
    if fresh and draw < 0.52:
        words = now.word("party", "thank")
        return now.says(f"{words} {_question(now)}".strip())
    if draw > 0.94 and now.lines[-1].who != now.teller and _states(now.lines[-1]):
        return now.says(now.word("party", "react") or now.word("party", "chat"))
    if not fresh and draw < 0.10:
        return now.says(now.word("party", "press"))
    if draw < 0.86:
        return now.says(_question(now))
    if draw > 1 - 0.08 * now.temper.restless:
        return now.turn_of("", now.deed())
    return now.says(now.word("party", "chat"))


def _about_the_scene(now: Moment) -> tuple[Action, ...]:
    """In a session about intentions: talk about where they are and what to do."""
    last = now.lines[-1] if now.lines else None
    draw = now.chance.random()
    if last and last.who != now.teller and now.strives(last) and draw < 0.5:
        return now.says(now.word("party", "watch") or now.word("party", "react"))
    if draw > 0.93:
        return now.turn_of("", now.deed())
    words = ""
    if draw < 0.3:
        words = now.small_talk()
    elif draw < 0.5:
        words = now.word("party", "propose")
    elif draw < 0.7 and last and last.who != now.teller and _states(last):
        words = now.word("party", "react")
    return now.says(words or now.word("party", "chat") or now.word("party", "propose"))


def _states(line: Line) -> bool:
    """Whether somebody said something that is no question."""
    return any(a.kind == SPEAK and not a.text.endswith("?") for a in line.actions)


def _question(now: Moment) -> str:
    """A question of a kind that nobody has asked yet, or else an open one."""
    asked = {topic_of(text) for _, text, _ in spoken(now.lines)}
    kinds = [kind for kind in KINDS if kind not in asked]
    if kinds and now.chance.random() < 0.85:
        kind = now.chance.choice(kinds)
        found = now.word("party", "ask_" + kind.replace(" ", "_"))
        if found:
            return found
    if now.chance.random() < 0.5:
        kind = now.chance.choice(KINDS)
        return now.word("party", "ask_" + kind.replace(" ", "_"))
    return now.word("party", "ask_open") or now.small_talk()


def _to_pass_on(now: Moment) -> str:
    """The last thing that this seat alone was told and has not said; empty if there is none."""
    open_ = {one.sentence for one in now.news if not one.aside}
    for one in reversed(now.news):
        if one.aside and one.sentence not in open_:
            mine = any(line.you and one.sentence in text for line, text, _ in spoken(now.lines))
            if not mine and now.turn - one.turn <= 2 * now.seats:
                return one.sentence
    return ""


def _say_again(now: Moment, occasion: str, sentence: str) -> tuple[Action, ...]:
    """A thing that was heard, now and then with a part of it wrong."""
    if now.chance.random() < _SLIPS:
        sentence = blurred(sentence, now.chance, now.people)
    words = now.word("party", occasion, {"fact": sentence})
    return now.says(words or sentence)
