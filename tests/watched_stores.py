"""Stores for tests of watching: episodes as models and people may leave them behind."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from casts import seated
from declared_worlds import declared
from sociolab.analysis import keep_credit
from sociolab.core import (
    Action,
    CallKey,
    ChatReply,
    Ended,
    Episode,
    Event,
    JudgeId,
    Measure,
    Message,
    ModelError,
    Moved,
    Prompt,
    Schema,
    Score,
    ScoreFailure,
    Task,
    Trial,
    Unusable,
    Usage,
)
from sociolab.judging import Cell, Credit, CreditRecord
from sociolab.store import RunReplies, Store
from sotopia_cases import casting, task_of

SCRIPT = '<script>document.title = "taken"</script><img src=x onerror="document.title=1">'
TURNED = "\u202egnorw eht yaw\u202c \u200f\u2067"
CONTROL = "\x00\x07\x1b[31m\x02\x03"
HALF = "\ud83d"
HOSTILE = f"{SCRIPT} {TURNED} {CONTROL} {HALF} {{{{ 7 * 7 }}}} </textarea></pre></details>"
"""A text that would run, turn its neighbours around, steer a terminal, or break an encoding."""
LONG = "long" * 250_000
"""A line of a million characters."""

RUN = "watched"
MODEL = JudgeId("lab/judge", "model", "abcdef")
GOAL = Measure("goal", 0, 10, True, "GOAL")
FREE = Measure("overall", -10, 10, title="Overall")


def trial(number: int, first: str = "lab/one", second: str = "scripted") -> Trial:
    """A trial of a task of two people who are strangers."""
    made: Task = replace(task_of(casting()), tags=(("norms",), ("conflict",))[number % 2])
    cast = tuple(
        seated(seat, agent) for seat, agent in zip(made.seats, (first, second), strict=True)
    )
    return Trial(f"{number:016x}", "sotopia", made, cast, number, number)


def said(episode: Trial, *texts: str, end: bool = True) -> tuple[Event, ...]:
    """Both say these lines in turn."""
    seats = episode.task.seats
    moves = [
        Moved(turn, seats[turn % len(seats)], (Action("speak", text),))
        for turn, text in enumerate(texts)
    ]
    return (*moves, Ended("turn limit", len(texts) - 1)) if end else tuple(moves)


def keep(store: Store, run: str, episode: Episode, status: str = "played") -> None:
    """Store what happened in a trial that is planned."""
    for event in episode.events:
        store.append(run, episode.trial.id, event)
    store.set_status(run, episode.trial.id, status)  # type: ignore[arg-type]


def watched_store(path: Path) -> tuple[str, ...]:
    """A store with a run of five trials: a plain episode with calls, a hostile one, one with failed
    turns, a failed trial, one that is not played yet; and a run that only keeps replies.

    The ids of the trials, in this order.
    """
    trials = [
        trial(0),
        trial(1, HOSTILE, HOSTILE),
        trial(2, "scripted", "lab/one"),
        trial(3),
        trial(4),
    ]
    settings = {
        "agents": [["lab/one", "h1"], ["scripted", "h2"]],
        "judges": [JudgeId("lab/judge", "model", "abcdef").as_row()],
        "seed": 0,
    }
    with Store.open(path) as store:
        store.create_run(
            "audited", "sotopia", {"judge": "somebody"}, [], declared("sotopia"), keeps="audit"
        )
        store.create_run(RUN, "sotopia", settings, trials, declared("sotopia", trials))  # type: ignore[arg-type]
        _plain(store, trials[0])
        _hostile(store, trials[1])
        _with_failed_turns(store, trials[2])
        store.set_status(RUN, trials[3].id, "failed", "timeout", f"no reply in time {HOSTILE}")
    return tuple(one.id for one in trials)


def _plain(store: Store, one: Trial) -> None:
    first, second = one.task.seats
    keep(store, RUN, Episode(one, said(one, "Good morning, teapot.", "A fine kettle, thank you.")))
    verdicts = (
        Score(GOAL, first, 7, "the teapot was sold"),
        Score(GOAL, second, 2, "nothing was won"),
    )
    store.verdicts.add(RUN, MODEL, verdicts, trial=one.id)
    keep_credit(store, RUN, one.id, _credit(first))
    replies = RunReplies(store, RUN)
    head = "You are at a market.\n" * 100
    for turn, (seat, text) in enumerate(((first, "one"), (second, "two"), (first, "three"))):
        call = CallKey(one.id, "agent", seat, turn, "act", 1)
        history = "".join(f"line {n} of the market talk\n" for n in range(60 * (turn + 1)))
        prompt = Prompt((Message("system", head), Message("user", f"{history}tail {text}")))
        prompt = replace(prompt, schema=Schema("turn", '{"type":"object"}'))
        reply = ChatReply(f"reply {text}", usage=Usage(100, 10, 40), seconds=0.5, usd=0.01)
        replies.keep(f"key {turn}", call, "lab/one", prompt, reply, at=float(turn))
    lost = ModelError("the line was cut", cause="connection", tries=3)
    replies.keep_failure(CallKey(one.id, "judge", "", 0, "judge", 1), "lab/judge", lost, 2.0, at=9)
    store.commit()


def _credit(seat: str) -> CreditRecord:
    """Credit for the first line, to the one who said it."""
    goal = Cell(seat=seat, measure="goal")
    credit = Credit(cell=goal, turn=0, by=seat, quote="teapot", amount=2, reason="it was offered")
    return CreditRecord(
        judge="lab/judge",
        settings="",
        names={seat: "Mia"},
        asked=(goal,),
        credits=(credit,),
        failures=(),
        attempts=1,
    )


def _hostile(store: Store, one: Trial) -> None:
    lines = (HOSTILE, LONG, f"{HOSTILE} teapot", "plain again")
    keep(store, RUN, Episode(one, said(one, *lines)))
    first, second = one.task.seats
    failed = ScoreFailure(GOAL, second, "unreadable", HOSTILE, HOSTILE)
    store.verdicts.add(RUN, MODEL, (Score(GOAL, first, 10, HOSTILE), failed), trial=one.id)
    call = CallKey(one.id, "agent", first, 0, "act", 1)
    prompt = Prompt((Message("system", HOSTILE), Message("user", LONG)))
    RunReplies(store, RUN).keep("hostile", call, "lab/one", prompt, ChatReply(HOSTILE), at=1.0)
    store.commit()


def _with_failed_turns(store: Store, one: Trial) -> None:
    first, second = one.task.seats
    events = (
        Unusable(0, first, "act", 1, "unreadable", "expected JSON", HOSTILE, final=False),
        Moved(0, first, (Action("speak", "At the second attempt."),), attempt=2),
        Unusable(1, second, "act", 1, "unreadable", "expected JSON", "{broken", final=True),
        Ended("failed turn", 1, second),
    )
    keep(store, RUN, Episode(one, events))
    store.verdicts.add(RUN, MODEL, (Score(GOAL, first, 4, "so so"),), trial=one.id)
