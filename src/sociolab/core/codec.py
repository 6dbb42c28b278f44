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
    """One event as a JSON array whose first item is its kind."""
    match event:
        case Moved():
            actions = [_action_row(action) for action in event.actions]
            row: list[Any] = ["moved", event.turn, event.seat, actions, event.attempt, event.memory]
        case Answered():
            row = ["answered", event.turn, event.seat, event.question, event.value]
            row += [event.attempt, event.memory, *_optional(event)]
        case Unusable():
            row = ["unusable", event.turn, event.seat, event.name, event.attempt, event.cause]
            row += [event.problem, event.raw, event.final, event.again, event.memory]
            row += _optional(event)
        case Happened():
            row = ["happened", event.turn, event.seat, event.what, event.value]
        case Ended():
            row = ["ended", event.reason, event.turn, event.seat]
    return compact_json(row)


def decode_event(text: str) -> Event:
    """The event that `encode_event` wrote; StoreError if it is none."""
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


def _optional(event: Answered | Unusable) -> list[bool]:
    """A last item that few events have."""
    return [True] if event.optional else []


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
    """A trial, its task included, as a JSON object; its agents by these numbers, where given."""
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
    """The trial that `encode_trial` wrote; StoreError if it is none.

    `task` stands for the one in the text, which is kept elsewhere where trials share it, and so are
    `agents`, by their numbers.
    """
    try:
        row = cast("dict[str, Any]", _loads(text))
        return Trial(
            id=row["id"],
            world=row["world"],
            task=_task(row["task"]) if task is None else task,
            cast=tuple(
                CastMember(seat, Agent(*who) if agents is None else agents[who[0]])
                for seat, *who in row["cast"]
            ),
            repeat=row["repeat"],
            seed=row["seed"],
        )
    except (ValueError, TypeError, KeyError) as error:
        raise StoreError(f"a trial in the store cannot be read: {text[:120]}") from error


def _task(row: dict[str, Any]) -> Task:
    return Task(
        id=row["id"],
        seats=tuple(row["seats"]),
        cluster=row["cluster"],
        content=row["content"],
        tags=tuple(row["tags"]),
        roles=row["roles"],
    )
