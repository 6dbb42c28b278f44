"""Scores a social task from what happened: who took part, and why others did not (STSS
3.1, A.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from sociolab.town.trace import Remembered
from sociolab.town.trajectory import (
    Intervals,
    Trajectory,
    from_step,
    intersect,
    merge_intervals,
    step_reaching,
)
from sociolab.worlds.stss.evidence import Evidence, Reads, partner_of
from sociolab.worlds.stss.goal_authors import AuthorsGoal, goal_authors
from sociolab.worlds.stss.task import Errand, SocialTask, TaskType, spoken_place

Fate: TypeAlias = Literal[
    "took part",  # long enough at the right place and time, at the right action
    "left too soon",  # all of that, but not for long enough
    "without the performer",  # right place, time and action, but the performer was not
    "elsewhere",  # right time and action, in another place
    "another time",  # right place and action, at another time or date
    "doing something else",  # right place and time, at another action
    "another room",  # remembered it and was there, at another action or in another room of it
    "did not come",  # remembered it, and did not come
    "noted nothing",  # was told by the performer, and no memory of a talk names it
    "read of it",  # heard of it from nobody, and saw a placard
    "never told",  # heard of it from nobody
    "heard of it",  # heard of it, but not from the performer
    "same errand",  # help: was told and did an errand that somebody else's doing counts for
    "before asked",  # help: was at an errand, but only before being told
    "did not run it",  # help: was told of an errand, and was at none
    "was not asked",  # help: was at an errand, without a talk with the performer about it
]


@dataclass(frozen=True, slots=True)
class ScoreSettings:
    """Minimum attendance in minutes; `alternatives` are reported as well (0: a single step)."""

    least: int = 5
    alternatives: tuple[int, ...] = (0, 15)

    @property
    def other_minimums(self) -> tuple[int, ...]:
        """The alternatives that differ from `least`."""
        return tuple(minutes for minutes in self.alternatives if minutes != self.least)


@dataclass(frozen=True, slots=True)
class Account:
    """The outcome for one resident: how long they took part, in words, and when.

    `near` is when somebody who did not take part came close to it, such as in another place.
    """

    who: str
    fate: Fate
    minutes: float
    when: Intervals
    words: str
    near: Intervals = ()


@dataclass(frozen=True, slots=True)
class ErrandDone:
    """One errand: who ran it, and the step at which it was done; "" and None if nobody did."""

    what: str
    who: str
    step: int | None


@dataclass(frozen=True, slots=True)
class SpokenTo:
    """Somebody with whom the performer spoke of the task in time: first when, and who began."""

    who: str
    when: datetime
    started: bool


@dataclass(frozen=True, slots=True)
class Placard:
    """Something that somebody did, or a thing they used, that says all one needs to come."""

    who: str
    when: datetime
    text: str


@dataclass(frozen=True, slots=True)
class TaskScore:
    """How a task went (STSS appendix A.1). `goal` is 0 to 1; `goals` holds it by minimum
    attendance.

    `authors`: by the rule of the authors' public code, which looks at what is begun and planned
    rather than at where people stand. `participants` are the background residents who counted.
    `goal_by_word` counts only those who had heard of it in a conversation before they came, not
    readers of `placards` (None where that cannot be told). `ratio` is the number of distinct
    residents with whom the performer started a talk about the task before the event, divided by
    the number expected (it may exceed 1; None for help); `ratio_both` also counts talks that
    others started. `host_absent`: a public activity was held without the performer at its
    place; `goal_any_host` is what its guests alone score (None for other types). For help,
    `goal_any_helper` drops the condition that a helper was told, and `errands` says who ran
    them. `window` is when taking part counts, in steps. `least` is the minimum attendance in
    minutes. `spoken_to` is what the ratios count, one for each resident, and another where the
    performer began a later talk with one who had begun the first.
    """

    type: TaskType
    goal: float
    goals: tuple[tuple[int, float], ...]
    expected: int
    window: tuple[int, int]
    participants: tuple[str, ...]
    accounts: tuple[Account, ...]
    ratio: float | None
    ratio_both: float | None
    authors: AuthorsGoal
    goal_by_word: float | None = None
    placards: tuple[Placard, ...] = ()
    goal_any_helper: float | None = None
    goal_any_host: float | None = None
    host_absent: bool = False
    errands: tuple[ErrandDone, ...] = ()
    least: int = 5
    spoken_to: tuple[SpokenTo, ...] = ()


def score(
    task: SocialTask,
    trajectory: Trajectory,
    settings: ScoreSettings | None = None,
    reads: Reads | None = None,
) -> TaskScore:
    """Score a task; the day of the event must have been simulated (see `was_lived`).

    `reads` decides which actions are taking part, instead of the keyword filter.
    """
    evidence, rules = Evidence(task, trajectory, reads), settings or ScoreSettings()
    score_task = _help_score if task.type == "asking for help" else _event_score
    return score_task(evidence, rules)


def _event_score(evidence: Evidence, rules: ScoreSettings) -> TaskScore:
    attended = attendances(evidence)
    goals = {least: goal(evidence, attended, least) for least in (rules.least, *rules.alternatives)}
    ratio = conversation_ratio(evidence, attended)
    accounts = tuple(account(evidence, who, when, rules.least) for who, when in attended.items())
    public = evidence.task.type == "public activity"
    return TaskScore(
        type=evidence.task.type,
        goal=goals[rules.least],
        goals=tuple(sorted(goals.items())),
        authors=goal_authors(evidence.task, evidence.trajectory),
        expected=evidence.task.expected,
        window=evidence.window,
        participants=tuple(entry.who for entry in accounts if entry.fate == "took part"),
        accounts=accounts,
        ratio=ratio.started,
        ratio_both=ratio.both,
        goal_by_word=goal_by_word(evidence, attended, rules.least),
        placards=_placards(evidence),
        goal_any_host=goal(evidence, attended, rules.least, any_host=True) if public else None,
        host_absent=host_absent(evidence, rules.least),
        least=rules.least,
        spoken_to=ratio.spoken_to,
    )


def _help_score(evidence: Evidence, rules: ScoreSettings) -> TaskScore:
    results = {
        least: score_asked_help(evidence, least) for least in (rules.least, *rules.alternatives)
    }
    errands = results[rules.least].errands
    background = evidence.task.background
    return TaskScore(
        type=evidence.task.type,
        goal=results[rules.least].goal,
        goals=tuple(sorted((least, result.goal) for least, result in results.items())),
        authors=goal_authors(evidence.task, evidence.trajectory),
        expected=evidence.task.expected,
        window=evidence.window,
        participants=tuple(who for who in background if any(who == done.who for done in errands)),
        accounts=tuple(helper_account(evidence, who, errands, rules.least) for who in background),
        ratio=None,
        ratio_both=None,
        goal_by_word=results[rules.least].goal,
        placards=_placards(evidence),
        goal_any_helper=score_any_help(evidence, rules.least).goal,
        errands=errands,
        least=rules.least,
    )


# ------------------------------------------------------------------ who took part in an event


def attendances(evidence: Evidence) -> dict[str, Intervals]:
    """When each background resident took part.

    Companions and the partner of an appointment must be together with the performer, who must be at
    the action, too: in the same arena, even where the task names a whole sector; each companion
    separately.
    """
    task = evidence.task
    if task.type == "appointment":
        return {task.partner: _together(evidence, task.partner)}
    if task.type == "inviting companions":
        return {who: _together(evidence, who) for who in task.background}
    return {who: evidence.present(who) for who in task.background}


def acting_at_once(evidence: Evidence) -> Intervals:
    """When performer and partner were at the action at the same time, in whatever places."""
    performer, partner = (
        evidence.at_the_action(who) for who in (evidence.task.performer, evidence.task.partner)
    )
    return evidence.in_time(intersect(performer, partner))


def host_absent(evidence: Evidence, least: int) -> bool:
    """Whether a public activity was held without its host: the performer was not at its place."""
    at_place = evidence.in_time(evidence.at_the_place(evidence.task.performer))
    return evidence.task.type == "public activity" and not evidence.long_enough(at_place, least)


def goal(
    evidence: Evidence, attended: dict[str, Intervals], least: int, *, any_host: bool = False
) -> float:
    """The share of the expected who took part, 1 at most; for an appointment 1, 0.5 or 0.

    An absent host of a public activity counts as one more who was expected and did not come, so
    that guests alone never score 1. With `any_host` they can, as in the paper.
    """
    count = sum(evidence.long_enough(when, least) for when in attended.values())
    expected = evidence.task.expected
    if evidence.task.type != "appointment":
        missing = not any_host and host_absent(evidence, least)
        return min(count, expected) / (expected + missing)
    if count:
        return 1.0
    return 0.5 if evidence.long_enough(acting_at_once(evidence), least) else 0.0


def goal_by_word(evidence: Evidence, attended: dict[str, Intervals], least: int) -> float | None:
    """The goal, counting those who had heard of it in a conversation before they first took part.

    None where that cannot be told: the goal depends on somebody who had spoken with the performer
    in words that do not name it.
    """
    sure = _goal_if_informed(evidence, attended, least, evidence.first_heard)
    at_most = _goal_if_informed(
        evidence, attended, least, evidence.first_heard, evidence.first_spoke
    )
    return sure if sure == at_most else None


def _goal_if_informed(
    evidence: Evidence, attended: dict[str, Intervals], least: int, *informed: dict[str, int]
) -> float:
    """The goal, counting those who took part after one of these steps of theirs."""

    def knew(who: str, when: Intervals) -> bool:
        return any(who in steps and steps[who] < when[0][0] for steps in informed)

    if evidence.task.type == "appointment":
        partner = evidence.task.partner
        when = attended[partner] or acting_at_once(evidence)
        return goal(evidence, attended, least) if when and knew(partner, when) else 0.0
    informed_guests = {who: when for who, when in attended.items() if when and knew(who, when)}
    return goal(evidence, informed_guests, least)


def _placards(evidence: Evidence) -> tuple[Placard, ...]:
    clock = evidence.trajectory.clock
    return tuple(
        Placard(record.who, clock.at(record.step), text) for record, text in evidence.placards
    )


def _together(evidence: Evidence, who: str) -> Intervals:
    performer = evidence.task.performer
    when = intersect(evidence.present(who), evidence.present(performer))
    return intersect(when, evidence.trajectory.together(performer, who)) if when else ()


# ------------------------------------------------------------------ asking for help


@dataclass(frozen=True, slots=True)
class HelpGiven:
    """0, 0.5 for one errand, 1 for both in order; and who ran each."""

    goal: float
    errands: tuple[ErrandDone, ...]


def score_asked_help(evidence: Evidence, least: int) -> HelpGiven:
    """Score errands run by residents who had been asked."""
    return _score_help(evidence, evidence.first_asked, least)


def score_any_help(evidence: Evidence, least: int) -> HelpGiven:
    """Score errands run by anybody but the performer, asked or not."""
    return _score_help(evidence, dict.fromkeys(evidence.task.background, 0), least)


def _score_help(evidence: Evidence, helping: dict[str, int], least: int) -> HelpGiven:
    """Score help by these residents, each from their step on.

    The second errand counts towards 1 if it is run after the first is done; run without the first,
    or before it, it is one errand.
    """
    first, second = (
        _first_done(evidence, errand, helping, least) for errand in evidence.task.errands
    )
    if first.step is None or second.step is None:
        neither = first.step is None and second.step is None
        return HelpGiven(0.0 if neither else 0.5, (first, second))
    later = {who: max(step, first.step) for who, step in helping.items()}
    after = _first_done(evidence, evidence.task.errands[1], later, least)
    return HelpGiven(0.5, (first, second)) if after.step is None else HelpGiven(1.0, (first, after))


def _first_done(
    evidence: Evidence, errand: Errand, helping: dict[str, int], least: int
) -> ErrandDone:
    """Who was the first to do an errand: for `least` minutes in all, or its own minutes if
    fewer."""
    done = [
        (step, who)
        for who in evidence.task.background
        if who in helping
        and (step := done_at(evidence, errand, who, helping[who], least)) is not None
    ]
    step, who = min(done, default=(None, ""))
    return ErrandDone(errand.what, who, step)


def done_at(evidence: Evidence, errand: Errand, who: str, begin: int, least: int) -> int | None:
    """The step at which a resident has done an errand, counted from `begin`; None if never."""
    steps = round(min(errand.minutes, least) * 60 / evidence.trajectory.trace.seconds)
    return step_reaching(from_step(evidence.on_errand(errand, who), begin), steps)


# ------------------------------------------------------------------ the conversation ratio


@dataclass(frozen=True, slots=True)
class Ratio:
    """Conversation ratios: talks that the performer started, and all."""

    started: float
    both: float
    spoken_to: tuple[SpokenTo, ...] = ()


def conversation_ratio(evidence: Evidence, attended: dict[str, Intervals]) -> Ratio:
    """Distinct residents with a talk about the task before the event, divided by those expected.

    The event begins at its start; where the time is open, when somebody first took part, or else
    when its date is over. For an appointment only the talks with the partner count, and 1 is
    expected. It may exceed 1 (STSS Table 4).
    """
    task, (start, end) = evidence.task, evidence.window
    first_attended = min((when[0][0] for when in attended.values() if when), default=end)
    begins = start if task.start else first_attended
    residents = {task.partner} if task.type == "appointment" else set(task.background)
    spoken_to: dict[tuple[str, bool], SpokenTo] = {}
    for talk in evidence.talks:
        other = partner_of(talk, task.performer)
        if talk.step < begins and other in residents:
            began = talk.who == task.performer
            when = evidence.trajectory.clock.at(talk.step)
            spoken_to.setdefault((other, began), SpokenTo(other, when, began))
    started = sum(began for _, began in spoken_to)
    distinct = len({other for other, _ in spoken_to})
    return Ratio(started / task.expected, distinct / task.expected, tuple(spoken_to.values()))


# ------------------------------------------------------------------ what became of each resident


WORDS: dict[Fate, str] = {
    "took part": "took part",
    "left too soon": "took part, but not for long enough",
    "without the performer": "came, but was never there together with the performer",
    "elsewhere": "did it at the right time, but in another place",
    "another time": "did it, but at another time",
    "doing something else": "was there at the right time, doing something else",
    "another room": "remembered it and was there, but in another room or doing something else",
    "did not come": "remembered a conversation about it, and did not come",
    "noted nothing": "was told, and remembered nothing of it",
    "read of it": "only read of it in what somebody was doing",
    "never told": "was never told",
    "heard of it": "heard of it from others only",
    "same errand": "did the same errand",
    "before asked": "was at an errand, but only before being told of it",
    "did not run it": "was told of an errand, and ran none",
    "was not asked": "was at an errand, but had not been told of it",
}
OPEN_WORDS: dict[Fate, str] = {
    "elsewhere": "did it on the right day, but in another place",
    "another time": "did it, but on another day",
}
"""The words where the time is open, and with it no time is the right one."""

_UNTOLD: tuple[Fate, ...] = ("never told", "read of it")


def account(evidence: Evidence, who: str, when: Intervals, least: int) -> Account:
    """The account of a resident who took part in an event at `when`, which may be empty."""
    if when:
        fate: Fate = "took part" if evidence.long_enough(when, least) else "left too soon"
        return Account(who, fate, evidence.minutes(when), when, WORDS[fate])
    uninvolved = _uninvolved_fate(evidence, who)
    fate, near = (
        _came_near(evidence, who, least)
        or _came_to_another_room(evidence, who, least)
        or (uninvolved, ())
    )
    words = WORDS[fate] if evidence.task.start else OPEN_WORDS.get(fate, WORDS[fate])
    unaware = f", and {WORDS[uninvolved]}" if near and uninvolved in _UNTOLD else ""
    return Account(who, fate, 0.0, (), words + unaware, near)


def helper_account(
    evidence: Evidence, who: str, errands: Sequence[ErrandDone], least: int
) -> Account:
    """The account of a resident who might have helped; `errands` say whose help counts."""
    when = merge_intervals(
        piece for errand in evidence.task.errands for piece in evidence.on_errand(errand, who)
    )
    fate, words = _helper_fate(evidence, who, errands, least, bool(when))
    return Account(who, fate, evidence.minutes(when), when, words)


def _helper_fate(
    evidence: Evidence, who: str, errands: Sequence[ErrandDone], least: int, was_there: bool
) -> tuple[Fate, str]:
    if any(who == done.who for done in errands):
        fate: Fate = "took part"
    elif who not in evidence.first_asked:
        fate = "was not asked" if was_there else _uninvolved_fate(evidence, who)
    elif than := _same_errand(evidence, who, errands, least):
        return "same errand", f"{WORDS['same errand']} {than}"
    elif any(
        done_at(evidence, errand, who, 0, least) is not None for errand in evidence.task.errands
    ):
        fate = "before asked"
    else:
        fate = "left too soon" if was_there else "did not run it"
    return fate, WORDS[fate]


def _same_errand(evidence: Evidence, who: str, errands: Sequence[ErrandDone], least: int) -> str:
    """Whether a helper did an errand "later" or "earlier" than the one who counts; "" if they did
    none."""
    for errand, counted in zip(evidence.task.errands, errands, strict=True):
        step = done_at(evidence, errand, who, evidence.first_asked[who], least)
        if step is not None and counted.step is not None:
            return "later" if step >= counted.step else "earlier"
    return ""


def _came_near(evidence: Evidence, who: str, least: int) -> tuple[Fate, Intervals] | None:
    """How and when somebody came close to taking part; None if they did not."""
    task, acting, at_place = evidence.task, evidence.at_the_action(who), evidence.at_the_place(who)
    # Where place or time are open, being somewhere at some time comes near to nothing.
    idle = evidence.in_time(at_place) if task.place and task.start else ()
    ways: tuple[tuple[Fate, Intervals, int], ...] = (
        ("without the performer", evidence.present(who), 0),
        ("elsewhere", evidence.in_time(acting), least),
        ("another time", intersect(acting, at_place), least),
        ("doing something else", idle, least),
    )
    for fate, when, needed in ways:
        if evidence.long_enough(when, needed):
            return fate, when
    return None


def _came_to_another_room(
    evidence: Evidence, who: str, least: int
) -> tuple[Fate, Intervals] | None:
    """When somebody who remembered it was in any room of its place in time; None if never."""
    if not (evidence.task.place and evidence.task.start and _memos(evidence, who)):
        return None
    when = evidence.in_time(evidence.trajectory.presence(who, spoken_place(evidence.task.place)))
    return ("another room", when) if evidence.long_enough(when, least) else None


def _uninvolved_fate(evidence: Evidence, who: str) -> Fate:
    partners = {
        partner_of(talk, who)
        for talk in evidence.talks
        if who in (talk.who, talk.other) and talk.step < evidence.window[1]
    }
    remembers = bool(_memos(evidence, who))
    if evidence.task.performer in partners:
        return "did not come" if remembers else "noted nothing"
    if partners or remembers:
        return "heard of it"
    return "read of it" if evidence.read_of_it(who) else "never told"


def _memos(evidence: Evidence, who: str) -> tuple[Remembered, ...]:
    """What somebody remembered of talks that name the task, while there was time to come."""
    return tuple(
        memory
        for memory in evidence.trajectory.records(Remembered, who)
        if evidence.about.matches_memory(memory) and memory.step < evidence.window[1]
    )


# ------------------------------------------------------------------ the score in a sentence


def explain_score(task: SocialTask, score: TaskScore, name: Callable[[str], str]) -> str:
    """One sentence, more where the host was absent or placards could be read; `name` turns an id
    into a name."""
    many = len(score.placards)
    flag = f" {many} placard{'s'[: many > 1]} could be read (see goal_by_word)." if many else ""
    return _explain_goal(task, score, name) + flag


def _explain_goal(task: SocialTask, score: TaskScore, name: Callable[[str], str]) -> str:
    least = _at_least(score.least)
    match task.type:
        case "asking for help":
            return _explain_errands(task, score, name)
        case "appointment":
            ways = {1.0: "met", 0.5: "were at it at the same time, but not in the same place"}
            pair = f"{name(task.performer)} and {name(task.partner)}"
            return f"{pair} {ways.get(score.goal, 'did not meet')} {least}."
        case _:
            names = ", ".join(map(name, score.participants)) or "nobody"
            many = f"{len(score.participants)} of {score.expected} expected took part"
            host = ""
            if score.host_absent:
                host = f" {describe_absence(task, name)} {least} and counts as one more no-show."
            return f"{many} {least}: {names}.{host}"


def describe_absence(task: SocialTask, name: Callable[[str], str]) -> str:
    """That the host of a public activity was not there, without a full stop."""
    return f"The host, {name(task.performer)}, was not at {task.place} during the event"


def explain_authors(task: SocialTask, score: TaskScore, name: Callable[[str], str]) -> str:
    """Whom the authors' code counts, and of everybody whom only one of the two rules counts why."""
    authors, ours = score.authors, score.participants
    words = {account.who: account.words for account in score.accounts}
    began = {who: f" (began at {moment:%H:%M})" for who, moment in authors.began.items()}
    lines = [f"By the rule of the authors' code: {', '.join(map(name, authors.who)) or 'nobody'}."]
    if missing := [f"{name(who)}{began.get(who, '')}" for who in ours if who not in authors.who]:
        when = f"begins between {task.start} and {task.end}" if task.start else "is at it"
        lines.append(f"Not counted there, since it asks who {when}: {', '.join(missing)}.")
    if only := [f"{name(who)}, who {words[who]}" for who in authors.who if who not in ours]:
        lines.append(f"Counted there alone: {'; '.join(only)}.")
    return " ".join(lines)


def explain_by_word(score: TaskScore, name: Callable[[str], str]) -> str:
    """Who counts, or why that cannot be told, and what could be read instead."""
    if score.goal_by_word is None:
        basis = "Somebody counts who spoke with the performer in words that do not name the task."
    else:
        basis = "The goal by those who had heard of it in a conversation before they came."
    placards = " ".join(
        f'Placard: {name(placard.who)}, {placard.when:%A %H:%M}: "{placard.text}".'
        for placard in score.placards
    )
    return f"{basis} {placards}".strip()


def explain_ratio(
    task: SocialTask, score: TaskScore, name: Callable[[str], str], both: bool
) -> str:
    """With whom the performer spoke of it in time, and when; `both`: whoever began the talk."""
    firsts: dict[str, SpokenTo] = {}
    for partner in score.spoken_to:
        if both or partner.started:
            firsts.setdefault(partner.who, partner)
    names = ", ".join(
        f"{name(partner.who)} ({partner.when:%A %H:%M}{'' if partner.started else ', began it'})"
        for partner in firsts.values()
    )
    did = "spoke" if both else "began to speak"
    many = f"{len(firsts)} ({score.expected} expected)"
    return f"{name(task.performer)} {did} of it in time with {many}: {names or 'nobody'}."


def explain_minimum(minutes: int) -> str:
    if minutes:
        return f"The goal if taking part had to last at least {minutes} min."
    return "The goal if any moment of taking part counted."


def _explain_errands(task: SocialTask, score: TaskScore, name: Callable[[str], str]) -> str:
    outcomes = "; ".join(
        f"{done.what}: {f'done by {name(done.who)}' if done.who else 'not done by a helper'} "
        f"{_at_least(min(score.least, errand.minutes))}"
        for errand, done in zip(task.errands, score.errands, strict=True)
    )
    wrong_order = score.goal < 1 and all(done.who for done in score.errands)
    return f"{outcomes}{', but in the wrong order' if wrong_order else ''}."


def _at_least(minutes: int) -> str:
    return f"(at least {minutes} min)" if minutes else "(for any moment)"
