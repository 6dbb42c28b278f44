"""A person as a player, in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, TextIO

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from sociolab.agents.forms import FormField, fields_of
from sociolab.agents.seated import SKIPPED
from sociolab.agents.terminal import GoneError, Terminal, terminal
from sociolab.agents.typed_actions import how_to_act, typed_action
from sociolab.agents.typed_answers import (
    chosen,
    field_hint,
    typed_answer,
    typed_field,
    typed_fields,
)
from sociolab.core.episode import Action, ActionSpace, Json
from sociolab.core.errors import ReplyError
from sociolab.core.ports import Line, NoReply, Question, Reply, Request

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
            except _SkippedError:
                return NoReply("gave up", SKIPPED, again=False, memory=len(shown.history))
        return Reply(value, len(shown.history))


def _show(screen: Terminal, request: Request, memory: Json) -> None:
    shown = request.observation
    now = f"turn {shown.turn + 1} of {shown.limit} ({HELP} help, {SCENE} the whole scene)"
    if memory is None:
        screen.show(f"\n=== You are {shown.you} from here on ===")
    screen.show(f"\n--- {shown.you}, {'the conversation is over' if request.last else now} ---")
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
        if request.optional:
            return await _fill_in(screen, request.wanted, request.observation.history)
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
    for name, field in typed_fields(question.reply).items():
        while name not in values:
            try:
                line = await screen.ask(f"  {field_hint(name, field)}: ")
                values[name] = typed_field(line, field)
            except ReplyError as error:
                screen.show(str(error))
    try:
        return question.reply.model_validate(values)
    except ValidationError as error:
        raise ReplyError(str(error.errors(include_url=False)[0]["msg"]), raw=str(values)) from error


# ------------------------------------------------------------------ an optional question


class _SkippedError(Exception):
    """The person would rather not answer."""


async def _fill_in(screen: Terminal, question: Question, history: Sequence[Line]) -> BaseModel:
    """The answer, field by field; whoever leaves the first one empty skips the question."""
    text = question.wording.text if question.wording else question.text
    screen.show(f"{text}\nEnter skips it; once you have begun, Enter leaves a field empty.")
    types = typed_fields(question.reply)
    while True:
        values: dict[str, Any] = {}
        for field in fields_of(question):
            given = None
            if field.only_if is None or values.get(field.only_if[0]) in field.only_if[1]:
                given = await _field(screen, field, types[field.name], history)
                if given is None and not values:
                    raise _SkippedError
            if given is not None or field.nullable:
                values[field.name] = given
            elif types[field.name].is_required():
                values[field.name] = ""
        try:
            return question.reply.model_validate(values)
        except ValidationError as error:
            screen.show(f"{error.errors(include_url=False)[0]['msg']}. Once more, please.")


async def _field(
    screen: Terminal, field: FormField, info: FieldInfo, history: Sequence[Line]
) -> Any:
    """What is given for one field; None where it is left empty."""
    values, options = field.choices, field.words or field.choices
    if field.kind == "line":
        said = [
            ("You" if line.you else line.who, action.text)
            for line in history
            for action in line.actions
            if action.text
        ]
        values = tuple(words for _, words in said)
        options = tuple(f"{who}: {words}" for who, words in said)
    screen.show("\n" + " ".join(filter(None, (field.label, field.hint))))
    for number, option in enumerate(options, start=1):
        screen.show(f"  {number}  {option}")
    warned = False
    while True:
        line = await screen.ask("number> " if values else "> ")
        if not line and field.required and field.only_if and not warned:
            screen.show("The answer needs this. Press Enter again to skip the whole question.")
            warned = True
            continue
        if not line and warned:
            raise _SkippedError
        if not line:
            return None
        try:
            return chosen(line, values) if values else typed_field(line, info)
        except ReplyError as error:
            screen.show(str(error))
