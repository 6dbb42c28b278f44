"""A person as a player, in the terminal."""

from __future__ import annotations

import sys
from typing import Any, TextIO

from pydantic import BaseModel, ValidationError

from sociolab.agents.terminal import GoneError, Terminal, terminal
from sociolab.agents.typed_actions import how_to_act, typed_action
from sociolab.agents.typed_answers import field_hint, typed_answer, typed_field
from sociolab.core.episode import Action, ActionSpace, Json
from sociolab.core.errors import ReplyError
from sociolab.core.ports import NoReply, Question, Reply, Request

HELP, SCENE = "?", "??"


class TerminalPlayer:
    """Asks whoever sits at the terminal; one question at a time, however many episodes run.

    A seat is shown its scene once, then only what happened since it was asked last: `memory` is
    the number of lines that were shown. Where the input ends (Ctrl-D) the person gave up.
    """

    def __init__(self, source: TextIO | None = None, screen: TextIO | None = None) -> None:
        # Not standard output: that may be read by a program (`--json`).
        self._terminal = terminal(source or sys.stdin, screen or sys.stderr)

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        """Show what is new, and ask until the answer can be used."""
        shown = request.observation
        async with self._terminal.turn:
            _show(self._terminal, request, memory)
            try:
                value = await _answer(self._terminal, request)
            except GoneError:
                problem = f"the person playing {shown.you} gave no answer"
                return NoReply("gave up", problem, again=False, memory=len(shown.history))
        return Reply(value, len(shown.history))


def _show(screen: Terminal, request: Request, memory: Json) -> None:
    shown = request.observation
    turn = f"turn {shown.turn + 1} of {shown.limit}"
    if memory is None:
        screen.show(f"\n=== You are {shown.you} from here on ===")
    screen.show(f"\n--- {shown.you}, {turn} ({HELP} help, {SCENE} the whole scene) ---")
    if isinstance(memory, int):
        for line in shown.history[memory:]:
            if not line.you:  # what one did oneself was typed here
                screen.show(line.text)
    else:
        _show_scene(screen, request)
    if request.problem:
        screen.show(f"That could not be used: {request.problem}")


def _show_scene(screen: Terminal, request: Request) -> None:
    screen.show(f"{request.observation.head}\n")
    if isinstance(request.wanted, ActionSpace):
        screen.show(how_to_act(request.wanted, request.observation.others))
    for line in request.observation.history:
        screen.show(line.text)


async def _answer(screen: Terminal, request: Request) -> tuple[Action, ...] | BaseModel:
    if isinstance(request.wanted, Question):
        return await _answer_question(screen, request.wanted)
    return await _act(screen, request, request.wanted)


async def _act(screen: Terminal, request: Request, space: ActionSpace) -> tuple[Action, ...]:
    """One action; more where a turn may hold more, until an empty line."""
    shown = request.observation
    actions: list[Action] = []
    while len(actions) < space.most:
        more = f" ({len(actions)} of {space.most}, Enter: done)" if actions else ""
        line = await screen.ask(f"{shown.you}{more}> ")
        if line == HELP:
            screen.show(how_to_act(space, shown.others))
        elif line == SCENE:
            _show_scene(screen, request)
        elif actions and not line:
            break
        else:
            try:
                actions.append(typed_action(line, space, shown.others))
            except ReplyError as error:
                screen.show(f"{error} (? for help)")
    return tuple(actions)


async def _answer_question(screen: Terminal, question: Question) -> BaseModel:
    """A line of JSON, or field by field."""
    screen.show(f"{question.text}\nAnswer as JSON, or press Enter to be asked field by field.")
    while True:
        line = await screen.ask(f"{question.name}> ")
        try:
            return typed_answer(line, question.reply) if line else await _fields(screen, question)
        except ReplyError as error:
            screen.show(str(error))


async def _fields(screen: Terminal, question: Question) -> BaseModel:
    values: dict[str, Any] = {}
    asked = question.reply.model_json_schema().get("properties", {})
    for name, field in question.reply.model_fields.items():
        key = field.validation_alias if isinstance(field.validation_alias, str) else name
        if key not in asked:  # what no schema shows is for players of this package
            continue
        while key not in values:
            try:
                values[key] = typed_field(await screen.ask(f"  {field_hint(name, field)}: "), field)
            except ReplyError as error:
                screen.show(str(error))
    try:
        return question.reply.model_validate(values)
    except ValidationError as error:
        raise ReplyError(str(error.errors(include_url=False)[0]["msg"]), raw=str(values)) from error
