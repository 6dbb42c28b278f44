"""Check that a player's reply is one that the scene allows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, TypeAlias, TypeGuard

from pydantic import ValidationError

from sociolab.core.episode import Action, ActionKind, ActionSpace
from sociolab.core.errors import WorldError
from sociolab.core.ports import NoReply, Question, Reply, Request
from sociolab.core.reading import first_problem

SeatCalled: TypeAlias = Callable[[str], str | None]

_ALL = frozenset(("all", "everybody", "everyone"))
"""What models write in `to` where they mean nobody in particular; the action is retried."""


def check_reply(
    request: Request, reply: object, present: Collection[str], seat_called: SeatCalled
) -> Reply | NoReply:
    """The reply with seats for the names in `Action.to`, or why the scene does not allow it.

    What a kind of action does not take is dropped: text, fields, recipients of one without text.
    WorldError where it is no reply to this request at all, which is a bug of the player; at an
    optional question that counts as no answer.
    """
    try:
        return _checked(request, reply, present, seat_called)
    except WorldError as error:
        if not request.optional:
            raise
        return NoReply("plugin", str(error), again=False)


def _checked(
    request: Request, reply: object, present: Collection[str], seat_called: SeatCalled
) -> Reply | NoReply:
    if isinstance(reply, NoReply):
        return reply
    if not isinstance(reply, Reply):
        raise _no_reply(request, "a Reply or a NoReply", reply)
    expected = request.expected
    if isinstance(expected, Question):
        if not isinstance(reply.value, expected.reply):
            raise _no_reply(request, f"a {expected.reply.__name__}", reply.value)
        return reply
    if not _are_actions(reply.value):
        raise _no_reply(request, "a tuple of actions", reply.value)
    for action in reply.value:
        if wrong := action_problem(action):
            raise _unfit(request, wrong)
    problem = _turn_problem(reply.value, expected)
    if not problem and _need_no_change(reply.value, expected):
        return reply
    actions = []
    for action in reply.value:
        if problem:
            break
        kind = expected[action.kind]
        fields, problem = _read_fields(action, kind)
        seats: tuple[str, ...] = ()
        if kind.takes_recipients and not problem:
            seats, problem = _recipients(action, kind, request, present, seat_called)
        text = action.text if kind.has_text else ""
        actions.append(replace(action, text=text, to=seats, fields=fields))
    if problem:
        raw = reply.raw or repr(reply.value)
        return NoReply("not allowed", problem, raw, memory=reply.memory)
    return Reply(tuple(actions), reply.memory, reply.raw)


def action_problem(action: Action) -> str:
    """Which part of an action has a wrong type, as "expected ..., found ..."; "" if none has."""
    if not isinstance(action.kind, str):
        return f"expected an Action's kind as str, found {_type(action.kind)}"
    if not isinstance(action.text, str):
        return f"expected an Action's text as str, found {_type(action.text)}"
    if not isinstance(action.to, tuple):
        return f"expected an Action's to as a tuple of names, found {_type(action.to)}"
    for name in action.to:
        if not isinstance(name, str):
            return f"expected an Action's to as a tuple of names, found {_type(name)} in it"
    if not isinstance(action.fields, Mapping):
        return f"expected an Action's fields as a dict, found {_type(action.fields)}"
    return ""


def _type(value: object) -> str:
    return type(value).__name__


def _turn_problem(actions: tuple[Action, ...], space: ActionSpace) -> str:
    if not 1 <= len(actions) <= space.most:
        allowed = "1 action" if space.most == 1 else f"1 to {space.most} actions"
        return f"a turn holds {allowed}, found {len(actions)}"
    for action in actions:
        if problem := _kind_problem(action, space):
            return problem
    return _mix_problem(actions, space) if space.distinct else ""


def _are_actions(value: object) -> TypeGuard[tuple[Action, ...]]:
    return isinstance(value, tuple) and all(isinstance(item, Action) for item in value)


def _need_no_change(actions: tuple[Action, ...], space: ActionSpace) -> bool:
    """Whether there is nothing to drop or validate, and no name to look up."""
    for action in actions:
        kind = space[action.kind]
        if action.to or action.fields or kind.fields or (action.text and not kind.has_text):
            return False
        if kind.recipients == "required":
            return False
    return True


def _read_fields(action: Action, kind: ActionKind) -> tuple[dict[str, Any], str]:
    """The fields as the kind's own type reads them, and what is wrong with them."""
    if kind.fields is None:
        return {}, ""
    try:
        value = kind.fields.model_validate(dict(action.fields))
    except ValidationError as error:
        return {}, f'"{kind.name}": {first_problem(error)}'
    return value.model_dump(mode="json", by_alias=True, round_trip=True), ""


def _kind_problem(action: Action, space: ActionSpace) -> str:
    kind = space.get(action.kind)
    if kind is None:
        names = ", ".join(kind.name for kind in space.kinds)
        return f'"{action.kind}" is no kind of action here; choose one of: {names}'
    if kind.has_text and not action.text.strip():
        return f'"{action.kind}" needs a text'
    if action.to and kind.recipients == "none":
        names = ", ".join(action.to)
        return f'"{action.kind}" is for everybody, found {names} in `to`; leave it empty'
    return ""


def _mix_problem(actions: tuple[Action, ...], space: ActionSpace) -> str:
    names = [action.kind for action in actions]
    for name in names:
        if names.count(name) > 1:
            return f'a turn holds "{name}" once, found it {names.count(name)} times'
        if len(names) > 1 and not space[name].has_text:
            return f'"{name}" stands alone in a turn, found {" and ".join(names)}'
    return ""


def _recipients(
    action: Action,
    kind: ActionKind,
    request: Request,
    present: Collection[str],
    seat_called: SeatCalled,
) -> tuple[tuple[str, ...], str]:
    """The seats that an action is meant for, and what is wrong with their names."""
    names, people = action.to, request.observation.others
    if not names and kind.recipients == "required":
        if len(people) > 1:
            return (), f'"{kind.name}" needs somebody it is meant for, of {", ".join(people)}: `to`'
        names = people
    seats = []
    for name in names:
        seat = seat_called(name)
        if seat is None:
            choices = ", ".join(people)
            everybody = "; leave `to` empty for everybody" if name.casefold() in _ALL else ""
            return (), f'there is nobody called "{name}" here, but {choices}{everybody}'
        if seat not in present:
            return (), f"{name} has left"
        seats.append(seat)
    return tuple(dict.fromkeys(seats)), ""


def _no_reply(request: Request, expected: str, value: object) -> WorldError:
    return _unfit(request, f"expected {expected}, found {value!r:.80}")


def _unfit(request: Request, problem: str) -> WorldError:
    return WorldError(
        f'the player of {request.seat} was asked "{request.name}" at turn {request.turn + 1}: '
        f"{problem}; mend the player"
    )
