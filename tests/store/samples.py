"""Records to store, made by hand or drawn by hypothesis."""

from __future__ import annotations

from typing import Literal, get_args

from hypothesis import strategies as st

from casts import seated
from sociolab.core import (
    Action,
    Answered,
    Attempt,
    CallKey,
    Cause,
    ChatReply,
    Ended,
    Event,
    Json,
    JudgeId,
    Measure,
    Message,
    Method,
    Moved,
    NotKnown,
    Prompt,
    Prompts,
    RatedBy,
    Role,
    Schema,
    Score,
    ScoreFailure,
    Served,
    Task,
    Trial,
    Unscored,
    Unusable,
    Usage,
    Verdict,
)
from sociolab.core.instructions import TextStanding
from sociolab.core.score import JudgeRole

MEASURE = Measure("believability", 0, 10, whole=True, title="Believability")
JUDGE = JudgeId("openai/judge", "model", "4e5f")
OTHER_JUDGE = JudgeId("checks", "rules")


def plan(count: int) -> tuple[Trial, ...]:
    """Trials of which two share a task; ids in an order that is not alphabetical."""
    cast = (seated("ann", "openai/x", "0a"), seated("bob", "scripted"))
    return tuple(
        Trial(f"t{count - n}", "world", task(n // 2), cast, n % 2, 2**63 + n) for n in range(count)
    )


def task(n: int) -> Task:
    return Task(f"task {n}", ("ann", "bob"), f"scenario {n}", f'{{"goal": "é {n}"}}', ("hard",))


def moved(turn: int, text: str = "Hello.") -> Moved:
    return Moved(turn, ("ann", "bob")[turn % 2], (Action("speak", text),))


def call(trial: str = "t1", turn: int = 0, role: Role = "agent", seat: str = "ann") -> CallKey:
    return CallKey(trial, role, seat, turn, "act", 1)


def prompt(text: str, schema: str = '{"type":"object"}') -> Prompt:
    messages = (Message("system", "You are Ann."), Message("user", text))
    return Prompt(messages, Schema("act", schema), 0.7)


def reply(text: str = "Hi.", usd: float | None = 0.25) -> ChatReply:
    served = Served("x-2026-01-01", "fp_a", ("temperature", "schema"), 512)
    return ChatReply(text, "stop", Usage(100, 20, 80), 1.5, 2, usd, "", served, reasoned=True)


def attempt(
    billed: Literal["told", "estimated", "possible", "no"] = "told", usd: float | None = 0.125
) -> Attempt:
    usage = Usage(60, 10, 5, estimated=billed == "estimated")
    return Attempt(1, 0.5, "malformed reply", billed, usage, usd)


# Any text at all, halves of surrogate pairs and NUL included: models write it.
texts = st.text(max_size=40) | st.text(st.sampled_from("a é\x00\ud83d\ude00"), max_size=5)
counts = st.integers(0, 2**31)
causes: st.SearchStrategy[Cause] = st.sampled_from(get_args(Cause))
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
json_values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
actions = st.builds(Action, texts, texts, st.lists(texts, max_size=2).map(tuple))
moves = st.builds(
    Moved, counts, texts, st.lists(actions, max_size=3).map(tuple), counts, json_values
)
answers = st.builds(Answered, counts, texts, texts, json_values, counts, json_values, st.booleans())
unusables = st.builds(
    Unusable,
    counts,
    texts,
    texts,
    counts,
    causes,
    texts,
    texts,
    st.booleans(),
    st.booleans(),
    json_values,
    st.booleans(),
)
ends = st.builds(
    Ended,
    st.sampled_from(("left", "turn limit", "failed turn", "a deal")),
    counts,
    st.none() | texts,
)
events: st.SearchStrategy[Event] = moves | answers | unusables | ends

measures = st.builds(
    Measure, texts, st.floats(-9, 0), st.floats(1, 9), st.just(False), texts
) | st.just(MEASURE)
seats = st.none() | texts
judges = st.builds(
    JudgeId,
    st.text(max_size=9),
    st.sampled_from(get_args(Method)),
    st.text(max_size=9),
    st.sampled_from(get_args(JudgeRole)),
    st.text(max_size=9),
    st.none() | st.text(min_size=1, max_size=9),
    st.none() | st.builds(Prompts, st.sampled_from(get_args(TextStanding)), st.text(max_size=9)),
)
ratings = st.none() | st.builds(
    RatedBy, st.text(max_size=9), st.none() | st.floats(0, 9), st.text(max_size=9)
)


@st.composite
def scores(draw: st.DrawFn) -> Score:
    measure = draw(measures)
    value = draw(st.integers(0, 1) if measure.whole else st.floats(measure.low, measure.high))
    return Score(measure, draw(seats), value, draw(texts), draw(ratings))


@st.composite
def unscored(draw: st.DrawFn) -> Unscored:
    measure = draw(measures)
    ends = st.none() | st.floats(measure.low, measure.high)
    low = draw(ends)
    high = draw(ends.filter(lambda end: end is None or low is None or low <= end))
    kind = draw(st.sampled_from(get_args(NotKnown)))
    return Unscored(measure, draw(seats), draw(texts), kind, low, high)


failures = st.builds(ScoreFailure, measures, seats, causes, texts, texts, counts)
verdicts: st.SearchStrategy[Verdict] = scores() | failures | unscored()

messages = st.builds(Message, st.sampled_from(["system", "user", "assistant"]), texts)
prompts = st.builds(
    Prompt,
    st.lists(messages, max_size=4).map(tuple),
    st.none() | st.builds(Schema, texts, texts),
    st.none() | st.floats(0, 2),
    st.none() | counts,
    st.none() | st.floats(-2, 2),
)
replies = st.builds(
    ChatReply,
    texts,
    st.sampled_from(["stop", "length", "content filter"]),
    st.builds(Usage, counts, counts, counts, st.booleans()),
    st.floats(0, 1e6),
    counts,
    st.none() | st.floats(0, 1e6),
    texts,
    st.builds(
        Served,
        texts,
        texts,
        st.lists(st.sampled_from(["temperature", "schema", "system"]), max_size=2).map(tuple),
        st.none() | counts,
    ),
    st.booleans(),
)
