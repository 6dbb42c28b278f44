"""Events and trials as compact JSON text, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import Any, cast

import pydantic_core

from sociolab.core.episode import (
    Act,
    Action,
    Agent,
    Answered,
    CastMember,
    Ended,
    Event,
    Happened,
    Moved,
    Task,
    Trial,
    Unusable,
)
from sociolab.core.errors import StoreError

_encode_anything = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def compact_json(value: object) -> str:
    """JSON without spaces, as `json.dumps` would write it; half a surrogate pair stays as it is."""
    try:
        return pydantic_core.to_json(value).decode()  # five times as fast on an event
    except pydantic_core.PydanticSerializationError:
        return _encode_anything(value)


def _loads(text: str) -> Any:
    try:
        return pydantic_core.from_json(text)  # three times as fast on an event
    except (ValueError, TypeError):  # half a surrogate pair is no text for it
        return json.loads(text)


def encode_event(event: Event) -> str:
    """One event as a JSON array whose first item is its kind.

    Items that few events have come last, and are left out where they hold the default.
    """
    match event:
        case Moved():
            actions = [_action_row(action) for action in event.actions]
            row: list[Any] = ["moved", event.turn, event.seat, actions, event.attempt, event.memory]
        case Answered():
            row = ["answered", event.turn, event.seat, event.question, event.value]
            row += [event.attempt, event.memory, *([True] if event.optional else [])]
        case Unusable():
            row = ["unusable", event.turn, event.seat, event.name, event.attempt, event.cause]
            row += [event.problem, event.raw, event.final, event.again, event.memory]
            row += [True] if event.optional else []
        case Happened():
            row = ["happened", event.turn, event.seat, event.what, event.value]
        case Ended():
            row = ["ended", event.reason, event.turn, event.seat]
    return compact_json(row)


def decode_event(text: str) -> Event:
    """The inverse of `encode_event`; StoreError where the text is no event."""
    try:
        kind, *rest = _loads(text)
        if kind == "moved":
            turn, seat, actions, attempt, memory = rest
            return Moved(turn, seat, tuple(_action(*row) for row in actions), attempt, memory)
        if kind == "answered":
            return Answered(*rest)
        if kind == "unusable":
            return Unusable(*rest)
        if kind == "happened":
            return Happened(*rest)
        if kind == "ended":
            return Ended(*rest)
    except (ValueError, TypeError) as error:
        raise StoreError(f"an event in the store cannot be read ({error}): {text[:120]}") from error
    raise StoreError(f"an event in the store is of an unknown kind: {text[:120]}")


def _action_row(action: Action) -> list[Any]:
    row: list[Any] = [action.kind, action.text, action.to]
    if action.acts or action.fields:
        row.append([[act.kind, act.what] for act in action.acts])
    return [*row, dict(action.fields)] if action.fields else row


def _action(
    kind: str,
    text: str,
    to: list[str],
    acts: Sequence[list[Any]] = (),
    fields: dict[str, Any] | None = None,
) -> Action:
    return Action(kind, text, tuple(to), tuple(Act(*act) for act in acts), fields or {})


def encode_trial(trial: Trial, agents: Mapping[Agent, int] | None = None) -> str:
    """A trial, its task included, as a JSON object; `agents` numbers those stored elsewhere."""
    task = trial.task
    return compact_json(
        {
            "id": trial.id,
            "world": trial.world,
            "task": {
                "id": task.id,
                "seats": task.seats,
                "cluster": task.cluster,
                "content": task.content,
                "tags": task.tags,
                "roles": dict(task.roles),
            },
            "cast": [
                [m.seat, *(astuple(m.identity) if agents is None else [agents[m.identity]])]
                for m in trial.cast
            ],
            "repeat": trial.repeat,
            "seed": trial.seed,
        }
    )


def decode_trial(
    text: str, task: Task | None = None, agents: Mapping[int, Agent] | None = None
) -> Trial:
    """The inverse of `encode_trial`; StoreError where the text is no trial.

    Trials that share a task or agents do not repeat them: `task` and `agents`, by their numbers,
    then stand for those in the text.
    """
    try:
        row = cast("dict[str, Any]", _loads(text))
        if task is None:
            fields = row["task"]
            task = Task(
                id=fields["id"],
                seats=tuple(fields["seats"]),
                cluster=fields["cluster"],
                content=fields["content"],
                tags=tuple(fields["tags"]),
                roles=fields["roles"],
            )
        return Trial(
            id=row["id"],
            world=row["world"],
            task=task,
            cast=tuple(
                CastMember(seat, Agent(*who) if agents is None else agents[who[0]])
                for seat, *who in row["cast"]
            ),
            repeat=row["repeat"],
            seed=row["seed"],
        )
    except (ValueError, TypeError, KeyError) as error:
        raise StoreError(f"a trial in the store cannot be read: {text[:120]}") from error
