"""Hypothesis strategies for what passes through the ports."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from sociolab.core import (
    Action,
    ActionSpace,
    Answered,
    Ended,
    EndReason,
    Event,
    Json,
    Moved,
    Unusable,
)

CAUSES = ("unreadable", "not allowed", "truncated", "content filter", "gave up")
END_REASONS: tuple[EndReason, ...] = ("left", "turn limit", "failed turn", "silence")


def texts(max_size: int = 60) -> SearchStrategy[str]:
    """Any text with something to read in it: what a player may say."""
    return st.text(min_size=1, max_size=max_size).filter(lambda text: bool(text.strip()))


def json_values() -> SearchStrategy[Json]:
    """Any JSON value that equals itself after a journey: a player's memory, an answer."""
    numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    leaves = st.none() | st.booleans() | numbers | st.text(max_size=20)
    values: SearchStrategy[Json] = st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
        ),
        max_leaves=6,
    )
    return values


def actions(space: ActionSpace, names: tuple[str, ...] = ()) -> SearchStrategy[Action]:
    """Any action that this space allows, for everybody or for some of these names."""
    aside = st.lists(st.sampled_from(names), unique=True, max_size=2) if names else st.just([])
    choices = [
        st.builds(Action, st.just(kind.name), texts(), aside.map(tuple))
        if kind.has_text
        else st.just(Action(kind.name))
        for kind in space.kinds
    ]
    return st.one_of(choices)


def events(space: ActionSpace, seats: tuple[str, ...]) -> SearchStrategy[Event]:
    """Any event, not necessarily one that could follow another."""
    seat, turn, attempt = st.sampled_from(seats), st.integers(0, 40), st.integers(1, 5)
    memory = json_values()
    moved = st.builds(
        Moved,
        turn,
        seat,
        st.lists(actions(space, seats), min_size=1, max_size=3).map(tuple),
        attempt,
        memory,
    )
    answered = st.builds(
        Answered, turn, seat, st.text(max_size=12), json_values(), attempt, memory, st.booleans()
    )
    unusable = st.builds(
        Unusable,
        turn,
        seat,
        st.text(max_size=12),
        attempt,
        st.sampled_from(CAUSES),
        st.text(max_size=30),
        st.text(max_size=30),
        st.booleans(),
        st.booleans(),
        memory,
        st.booleans(),
    )
    over = st.builds(Ended, st.sampled_from(END_REASONS), turn, st.none() | seat)
    return moved | answered | unusable | over
