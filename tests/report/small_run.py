"""A run small enough to add up by hand, put into a store through its public ways in.

Two agents ("openai/alpha", a model, and "scripted") in every ordered pair, on three tasks of three
scenarios. ALPHA with itself, ALPHA with SCRIPTED, ... give the goal scores of ann and bob:

    task (type, scenario)      A-A     A-S      S-A     S-S
    lamp  (bargain, sale)      4, 6    5, 7     3, 8    2, 2
    bike  (bargain, garage)    6, 6    7, -     1, 9    failed trial
    noise (norms, stairs)      8, 10   9, 5     4, 10   6, 4

"-" is a score that failed. The trials are played in two parts, the store closed in between.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from casts import seated
from declared_worlds import declared
from sociolab.core import (
    Action,
    CallKey,
    ChatReply,
    Ended,
    Event,
    JudgeId,
    Measure,
    Message,
    ModelError,
    Moved,
    NotKnown,
    Prompt,
    Score,
    ScoreFailure,
    Task,
    Trial,
    Unscored,
    Unusable,
    Usage,
    Verdict,
)
from sociolab.store import RunReplies, Store

RUN = "small"
ALPHA, SCRIPTED = "openai/alpha", "scripted"
TASKS = (
    Task("lamp", ("ann", "bob"), "sale", "{}", ("bargain", "mixed")),
    Task("bike", ("ann", "bob"), "garage", "{}", ("bargain",)),
    Task("noise", ("ann", "bob"), "stairs", "{}", ("norms",)),
)
CASTS = {
    "AA": (ALPHA, ALPHA),
    "AS": (ALPHA, SCRIPTED),
    "SA": (SCRIPTED, ALPHA),
    "SS": (SCRIPTED, SCRIPTED),
}
GOALS: dict[str, tuple[tuple[int | None, int | None], ...]] = {
    "lamp": ((4, 6), (5, 7), (3, 8), (2, 2)),
    "bike": ((6, 6), (7, None), (1, 9), (None, None)),
    "noise": ((8, 10), (9, 5), (4, 10), (6, 4)),
}

HEURISTIC = JudgeId("heuristic", "heuristic", "h1")
CHECK = JudgeId("goal check", "formula", "c1")
GOAL = Measure("goal", 0, 10, whole=True, title="GOAL")
SOCIAL = Measure("social_rules", -10, 0, whole=True, title="SOC")
BELIEVABILITY = Measure("believability", 0, 10, whole=True, title="BEL")
CHECKED = Measure("goal_checked", 0, 10, title="goal (checked)")

HASHES = {ALPHA: "a1", SCRIPTED: "s1"}
SETTINGS = {
    "data": ["by-hand", "1", "0123abcd"],
    "agents": [[label, hash_] for label, hash_ in HASHES.items()],
    "partner": None,
    "judges": [CHECK.as_row(), HEURISTIC.as_row()],
    "tasks": None,
    "limit": 3,
    "repeats": 1,
    "seed": 7,
    "attempts": 3,
    "on_failed_turn": "skip",
}


def plan() -> tuple[Trial, ...]:
    return tuple(
        Trial(
            f"{task.id}-{name}",
            "sotopia",
            task,
            tuple(seated(s, a, HASHES[a]) for s, a in zip(task.seats, cast, strict=True)),
            0,
            7,
        )
        for task in TASKS
        for name, cast in CASTS.items()
    )


def build(path: Path) -> None:
    """Play the run in two parts; the second begins in the middle of an episode."""
    trials = plan()
    with Store.open(path) as store:
        store.create_run(RUN, "sotopia", SETTINGS, trials, declared("sotopia", trials))  # type: ignore[arg-type]
        for trial in trials[:5]:
            _play(store, trial, _events(trial))
        store.set_status(RUN, trials[5].id, "playing")
        store.append(RUN, trials[5].id, _events(trials[5])[0])
        store.add_seconds(RUN, 10.5)
    with Store.open(path) as store:
        _play(store, trials[5], _events(trials[5])[1:])
        for trial in trials[6:]:
            if trial.id == "bike-SS":
                store.append(RUN, trial.id, _asked_again(0))
                store.set_status(RUN, trial.id, "failed", "plugin", "KeyError: 'goal'")
            else:
                _play(store, trial, _events(trial))
        timeout = ModelError("no reply in 120 s", cause="timeout", tries=6)
        call = CallKey("lamp-AA", "agent", "ann", 0, "act", 1, index=9)
        RunReplies(store, RUN).keep_failure(call, ALPHA, timeout, 120.0)
        store.add_seconds(RUN, 4.5)


def _play(store: Store, trial: Trial, events: Iterable[Event]) -> None:
    for event in events:
        store.append(RUN, trial.id, event)
    store.set_status(RUN, trial.id, "played")
    store.verdicts.add(RUN, CHECK, _checks(trial), trial=trial.id)
    store.verdicts.add(RUN, HEURISTIC, _goals(trial), trial=trial.id)
    replies = RunReplies(store, RUN)
    for member in trial.cast:
        if member.agent == ALPHA:
            for turn in range(2 if (trial.id, member.seat) == ("lamp-AA", "ann") else 1):
                call = CallKey(trial.id, "agent", member.seat, turn, "act", 1)
                prompt = Prompt((Message("user", f"{trial.id} {member.seat} {turn}"),))
                reply = ChatReply("{}", usage=Usage(100, 10, 50), seconds=1.0, usd=0.002)
                replies.keep(f"{trial.id}/{member.seat}/{turn}", call, ALPHA, prompt, reply)


def _events(trial: Trial) -> tuple[Event, ...]:
    """Ann speaks 3 words, bob 5, ann leaves; but see each exception."""
    first = Moved(0, "ann", (Action("speak", "one two three"),))
    second: Event = Moved(1, "bob", (Action("speak", "one two three four five"),))
    if trial.id == "lamp-AS":
        second = Unusable(1, "bob", "act", 3, "unreadable", "no JSON", "hm", final=True)
    if trial.id == "noise-SS":
        gesture = Moved(2, "ann", (Action("physical action", "waves with both hands"),))
        return _asked_again(0), first, second, gesture, Ended("turn limit", 2)
    return first, second, Moved(2, "ann", (Action("leave"),)), Ended("left", 2, "ann")


def _asked_again(turn: int) -> Unusable:
    return Unusable(turn, "ann", "act", 1, "truncated", "cut off", "on", final=False)


def _goals(trial: Trial) -> tuple[Verdict, ...]:
    """The goal as in the table; no broken rule anywhere; believability not observable."""
    found: list[Verdict] = []
    cast = list(CASTS).index(trial.id.split("-")[1])
    for seat, goal in zip(trial.task.seats, GOALS[trial.task.id][cast], strict=True):
        found.append(Unscored(BELIEVABILITY, seat, "rules cannot see it"))
        if goal is None:
            found.append(ScoreFailure(GOAL, seat, "unreadable", "no number", "ten-ish", 3))
        else:
            found.append(Score(GOAL, seat, goal, f"{seat} got {goal}"))
        found.append(Score(SOCIAL, seat, 0, "nothing rude"))
    return tuple(found)


def _checks(trial: Trial) -> tuple[Verdict, ...]:
    """The lamp was sold at half of each target; of the bike both say something else, between 0 and
    8; of the third task nobody can tell, but if scripted met itself both say the same."""
    if trial.task.id == "lamp":
        return tuple(Score(CHECKED, seat, 5, "sold for 30") for seat in trial.task.seats)
    if trial.task.id == "bike":
        why = "ann says 30; bob says 50"
        return tuple(Unscored(CHECKED, s, why, "disputed", 0, 8) for s in trial.task.seats)
    kind: NotKnown = "unconfirmed" if trial.id == "noise-SS" else "cannot tell"
    return tuple(Unscored(CHECKED, s, "no line says so", kind) for s in trial.task.seats)
