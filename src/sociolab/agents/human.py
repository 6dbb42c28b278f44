"""People as players: at the terminal, or in a seat whose requests are answered from elsewhere."""

from __future__ import annotations

import asyncio
import io
import json
import os
import sys
import threading
import unicodedata
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, TextIO, cast

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from sociolab.agents.forms import FormField, fields_of
from sociolab.core.episode import Action, ActionKind, ActionSpace, Json
from sociolab.core.errors import ReplyError
from sociolab.core.names import fold_name, normalize_text
from sociolab.core.ports import Line, NoReply, Question, Reply, Request
from sociolab.core.reading import first_problem

HELP, SCENE = "?", "??"


class TerminalPlayer:
    r"""Asks the person at the terminal; one question at a time, however many episodes run.

    A seat is shown its scene once, then only what is new: `memory` is the number of lines shown. At
    the end of the input (Ctrl-D) the person gives up.

    >>> import io
    >>> from sociolab.agents import TerminalPlayer
    >>> from sociolab.testing import StockScene, play_scene
    >>> player = TerminalPlayer(io.StringIO("Hello.\n/leave\n"), io.StringIO())
    >>> events = play_scene(StockScene(), {"first": player, "second": player})
    >>> [event.actions[0].as_text for event in events[:2]]
    ['speak: Hello.', 'leave']
    """

    def __init__(self, source: TextIO | None = None, screen: TextIO | None = None) -> None:
        # Not standard output: that may be read by a program (`--json`).
        self._terminal = shared_terminal(source or sys.stdin, screen or sys.stderr)

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        """Show what is new, and ask until the answer is usable."""
        view = request.observation
        async with self._terminal.turn:
            _show_request(self._terminal, request, memory)
            try:
                value = await _ask(self._terminal, request)
            except InputEndedError:
                problem = f"the person playing {view.you} gave no answer"
                return NoReply("gave up", problem, again=False, memory=len(view.history))
            except _SkippedError:
                return NoReply("gave up", SKIPPED, again=False, memory=len(view.history))
        return Reply(value, len(view.history))


def _show_request(screen: Terminal, request: Request, memory: Json) -> None:
    view = request.observation
    position = f"turn {view.turn + 1} of {view.limit} ({HELP} help, {SCENE} the whole scene)"
    if memory is None:
        screen.show(f"\n=== You are {view.you} from here on ===")
    screen.show(f"\n--- {view.you}, {'the conversation is over' if request.last else position} ---")
    if isinstance(memory, int):
        for line in view.history[memory:]:
            if not line.you:  # the person's own lines were typed here
                screen.show(line.text)
    else:
        _show_scene(screen, request)
    if request.problem:
        screen.show(f"That could not be used: {request.problem}")


def _show_scene(screen: Terminal, request: Request) -> None:
    screen.show(f"{request.observation.head}\n")
    if isinstance(request.expected, ActionSpace):
        screen.show(action_help(request.expected, request.observation.others))
    for line in request.observation.history:
        screen.show(line.text)


async def _ask(screen: Terminal, request: Request) -> tuple[Action, ...] | BaseModel:
    if isinstance(request.expected, Question):
        if request.optional:
            return await _fill_in(screen, request.expected, request.observation.history)
        question = request.expected
        screen.show(f"{question.text}\nAnswer as JSON, or press Enter to be asked field by field.")
        while True:
            line = await screen.ask(f"{question.name}> ")
            try:
                if line:
                    return typed_answer(line, question.reply)
                return await _ask_fields(screen, question.reply)
            except ReplyError as error:
                screen.show(str(error))
    return await _ask_actions(screen, request, request.expected)


async def _ask_actions(
    screen: Terminal, request: Request, space: ActionSpace
) -> tuple[Action, ...]:
    """One action; where a turn may hold more, further ones until an empty line."""
    view = request.observation
    actions: list[Action] = []
    while len(actions) < space.most:
        more = f" ({len(actions)} of {space.most}, Enter: done)" if actions else ""
        line = await screen.ask(f"{view.you}{more}> ")
        if line == HELP:
            screen.show(action_help(space, view.others))
        elif line == SCENE:
            _show_scene(screen, request)
        elif actions and not line:
            break
        else:
            try:
                action = typed_action(line, space, view.others)
                if fields := space[action.kind].fields:
                    record = await _ask_fields(screen, fields)
                    values = record.model_dump(mode="json", by_alias=True, round_trip=True)
                    action = replace(action, fields=values)
                actions.append(action)
            except ReplyError as error:
                screen.show(f"{error} (? for help)")
    return tuple(actions)


async def _ask_fields(screen: Terminal, kind: type[BaseModel]) -> BaseModel:
    values: dict[str, Any] = {}
    for name, field in typed_fields(kind).items():
        while name not in values:
            try:
                line = await screen.ask(f"  {field_hint(name, field)}: ")
                values[name] = typed_field(line, field)
            except ReplyError as error:
                screen.show(str(error))
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        raise ReplyError(first_problem(error), raw=str(values)) from error


# ------------------------------------------------------------------ an optional question


class _SkippedError(Exception):
    pass


async def _fill_in(screen: Terminal, question: Question, history: Sequence[Line]) -> BaseModel:
    """Ask field by field; an empty first field skips the question."""
    text = question.wording.text if question.wording else question.text
    screen.show(f"{text}\nEnter skips it; once you have begun, Enter leaves a field empty.")
    types = typed_fields(question.reply)
    while True:
        values: dict[str, Any] = {}
        for field in fields_of(question):
            value = None
            if field.only_if is None or values.get(field.only_if[0]) in field.only_if[1]:
                value = await _ask_field(screen, field, types[field.name], history)
                if value is None and not values:
                    raise _SkippedError
            if value is not None or field.nullable:
                values[field.name] = value
            elif types[field.name].is_required():
                values[field.name] = ""
        try:
            return question.reply.model_validate(values)
        except ValidationError as error:
            screen.show(f"{first_problem(error)}. Once more, please.")


async def _ask_field(
    screen: Terminal, field: FormField, info: FieldInfo, history: Sequence[Line]
) -> Any:
    """The value of one field; None where it is left empty."""
    values, options = field.choices, field.words or field.choices
    if field.kind == "line":
        spoken = [
            ("You" if line.you else line.who, action.text)
            for line in history
            for action in line.actions
            if action.text
        ]
        values = tuple(words for _, words in spoken)
        options = tuple(f"{who}: {words}" for who, words in spoken)
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
            return parse_choice(line, values) if values else typed_field(line, info)
        except ReplyError as error:
            screen.show(str(error))


COMMAND = "/"

NAME = "@"


def typed_action(line: str, space: ActionSpace, names: Sequence[str]) -> Action:
    """Parse the action in a line; ReplyError says what is wrong with it.

    A bare line is spoken. `/2 text` or `/kind text` is another kind, by number, name or the
    beginning of its name; without any kind that has text, the slash is optional. `@name` before the
    words restricts it to that person. Fields are asked for afterwards.

    >>> from sociolab.agents import typed_action
    >>> from sociolab.testing import STOCK_ACTIONS
    >>> typed_action("/leave", STOCK_ACTIONS, ["Ben", "Cat"]).kind
    'leave'
    >>> typed_action("@Ben Do you hear me?", STOCK_ACTIONS, ["Ben", "Cat"]).to
    ('Ben',)
    """
    kind, rest = spoken_kind(space), line.strip()
    if rest.startswith(COMMAND) or _is_a_choice(space):
        rest = COMMAND + rest.removeprefix(COMMAND)
        kind, rest = _parse_command(rest[len(COMMAND) :], space)
    else:
        _check_slash(rest, space, kind)
    to, text = _split_recipients(rest, names, line) if kind.takes_recipients else ((), rest)
    if not kind.has_text:
        if text:
            raise ReplyError(f'"{kind.name}" takes no words, found "{text}"', raw=line)
        return Action(kind.name, to=to)
    if not text:
        raise ReplyError(f'"{kind.name}" needs words or a deed behind it', raw=line)
    return Action(kind.name, text, to)


def spoken_kind(space: ActionSpace) -> ActionKind:
    """The kind of a bare line: the first that is spoken, else the first with a text."""
    by_rank = sorted(space.kinds, key=lambda kind: (not kind.spoken, not kind.has_text))
    return by_rank[0]


def _is_a_choice(space: ActionSpace) -> bool:
    """Whether the person only chooses between kinds, none of which has a text."""
    return len(space.kinds) > 1 and not any(kind.has_text for kind in space.kinds)


def action_help(space: ActionSpace, partners: Sequence[str]) -> str:
    """Help for typing an action, in a few lines.

    >>> from sociolab.agents import ActionSpace, action_help
    >>> from sociolab.core import ActionKind
    >>> space = ActionSpace((ActionKind("speak", spoken=True), ActionKind("leave", has_text=False)))
    >>> print(action_help(space, ["Ben"]))
    A bare line is "speak". Or:
      /1 speak: ...
      /2 leave
      ? shows this, ?? the whole scene again; Ctrl-D gives the turn up
    """
    bare = spoken_kind(space)
    lines = [f'{"A bare line" if bare.has_text else "Enter"} is "{bare.name}". Or:']
    if _is_a_choice(space):
        lines = ["Choose one, by its number or name:"]
    for number, kind in enumerate(space.kinds, start=1):
        words = ": ..." if kind.has_text else ""
        names = ", ".join(typed_fields(kind.fields)) if kind.fields else ""
        note = f" (you are then asked for: {names})" if names else ""
        name = " @name" if kind.recipients == "required" and len(partners) > 1 else ""
        lines.append(f"  /{number} {kind.name}{name}{words}{note}")
    if len(partners) > 1 and any(kind.takes_recipients for kind in space.kinds):
        lines.append(f"  @name before the words: for that one only ({', '.join(partners)})")
    lines.append("  ? shows this, ?? the whole scene again; Ctrl-D gives the turn up")
    return "\n".join(lines)


def _check_slash(text: str, space: ActionSpace, spoken: ActionKind) -> None:
    """ReplyError for "leave" without a slash, which would be said aloud: few people mean that."""
    for kind in space.kinds:
        if not kind.has_text and text.casefold() == kind.name.casefold():
            raise ReplyError(
                f'expected /{kind.name} to do that, or "/{spoken.name} {text}" to say the word',
                raw=text,
            )


def _parse_command(text: str, space: ActionSpace) -> tuple[ActionKind, str]:
    """Split a command into its kind and the text after it."""
    for kind in space.kinds:
        if text.casefold().startswith(kind.name.casefold()):
            rest = text[len(kind.name) :]
            if not rest[:1].isalnum():
                return kind, rest.lstrip(" :").strip()
    word, _, rest = text.partition(" ")
    word = word.rstrip(":")
    if word.isdecimal() and 1 <= int(word) <= len(space.kinds):
        return space.kinds[int(word) - 1], rest.strip()
    matches = [kind for kind in space.kinds if kind.name.casefold().startswith(word.casefold())]
    if len(matches) != 1 or not word:
        names = ", ".join(f"/{number} {kind.name}" for number, kind in enumerate(space.kinds, 1))
        raise ReplyError(f'expected one of {names}; found "/{word}"', raw=text)
    return matches[0], rest.strip()


def _split_recipients(text: str, names: Sequence[str], line: str) -> tuple[tuple[str, ...], str]:
    """Split off the names at the beginning, each after an @."""
    named: list[str] = []
    text = normalize_text(text)
    while text.startswith(NAME):
        rest = text[len(NAME) :]
        matches = [
            name
            for name in map(normalize_text, names)
            if rest.casefold().startswith(name.casefold()) and not rest[len(name) :][:1].isalnum()
        ]
        if not matches:
            raise ReplyError(f'expected @ and one of {", ".join(names)}; found "{text}"', raw=line)
        name = max(matches, key=len)
        named.append(name)
        text = rest[len(name) :].lstrip(" ,:")
    return tuple(named), text.strip()


def typed_answer(line: str, kind: type[BaseModel]) -> BaseModel:
    """Parse an answer from a line of JSON; ReplyError says what is wrong with it.

    >>> from pydantic import BaseModel
    >>> from sociolab.agents import typed_answer
    >>> class Mood(BaseModel):
    ...     happy: bool
    >>> typed_answer('{"happy": true}', Mood)
    Mood(happy=True)
    """
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        raise ReplyError(first_problem(error), raw=line) from error


def typed_fields(kind: type[BaseModel]) -> dict[str, FieldInfo]:
    """The fields that people are asked for, by their JSON names: those of the JSON schema."""
    properties = kind.model_json_schema().get("properties", {})
    named = {
        field.validation_alias if isinstance(field.validation_alias, str) else name: field
        for name, field in kind.model_fields.items()
    }
    return {name: field for name, field in named.items() if name in properties}


def parse_choice(line: str, values: Sequence[str]) -> str:
    """The value that a line names, by itself or by its number from 1; ReplyError for any other."""
    named = [value for value in values if fold_name(value) == fold_name(line)]
    if named:
        return named[0]
    if line.isdecimal() and 1 <= int(line) <= len(values):
        return values[int(line) - 1]
    raise ReplyError(f'expected a number from 1 to {len(values)}, found "{line}"', raw=line)


def typed_field(line: str, field: FieldInfo) -> Any:
    """Parse the value of a field: the line as text or, where that fails, as JSON.

    An empty line takes the default, if there is one. ReplyError says what is wrong.

    >>> from pydantic import BaseModel, Field
    >>> from sociolab.agents import typed_field
    >>> class Points(BaseModel):
    ...     points: int = Field(ge=0, le=100)
    >>> typed_field("40", Points.model_fields["points"])
    40
    >>> typed_field("140", Points.model_fields["points"])
    Traceback (most recent call last):
        ...
    sociolab.core.errors.ReplyError: expected at most 100, found "140"
    """
    if not line and not field.is_required():
        return field.get_default(call_default_factory=True)
    adapter = _adapter(field)
    problem: ValidationError | None = None
    candidates: list[Any] = [line]
    with suppress(ValueError):
        candidates.append(json.loads(line))
    for value in candidates:
        try:
            return adapter.validate_python(value)
        except ValidationError as error:
            problem = problem or error
    assert problem is not None
    raise ReplyError(first_problem(problem), raw=line)


def field_hint(name: str, field: FieldInfo) -> str:
    """The prompt for a field: its name, meaning and type, in one line.

    >>> from pydantic import BaseModel, Field
    >>> from sociolab.agents import field_hint
    >>> class Points(BaseModel):
    ...     points: int = Field(ge=0, le=100, description="for the responder")
    >>> field_hint("points", Points.model_fields["points"])
    'points, for the responder (integer from 0 to 100)'
    """
    schema = _adapter(field).json_schema()
    expected = "one of " + ", ".join(map(str, schema["enum"])) if "enum" in schema else ""
    expected = expected or str(schema.get("type", "JSON"))
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        expected += f" from {low} to {high}"
    meaning = f", {field.description}" if field.description else ""
    default = "" if field.is_required() else "; Enter: the default"
    return f"{name}{meaning} ({expected}{default})"


def _adapter(field: FieldInfo) -> TypeAdapter[Any]:
    kind: Any = cast("Any", Annotated[field.annotation, field])
    return TypeAdapter(kind)


_MOST_BYTES = 65536


class InputEndedError(Exception):
    """At the end of the input (Ctrl-D)."""

    pass


class Terminal:
    """Shows text and reads lines; hold `turn` for an exchange with the person."""

    def __init__(self, source: TextIO, screen: TextIO) -> None:
        self._lines = _Lines(source)
        self._screen = screen
        self._turn: asyncio.Lock | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def turn(self) -> asyncio.Lock:
        """A lock, so that a person answers one question at a time."""
        loop = asyncio.get_running_loop()
        if self._turn is None or self._loop is not loop:
            self._loop, self._turn = loop, asyncio.Lock()
        return self._turn

    def show(self, text: str = "") -> None:
        self._write(f"{text}\n")

    async def ask(self, prompt: str) -> str:
        """The next line, stripped; InputEndedError at the end of the input."""
        self._write(prompt)
        line = await self._lines.next()
        if not line:
            self._write("\n")
            raise InputEndedError
        return line.strip()

    def _write(self, text: str) -> None:
        self._screen.write("".join(_printable(character) for character in text))
        self._screen.flush()


@cache
def shared_terminal(source: TextIO, screen: TextIO) -> Terminal:
    """One terminal per pair of streams, shared by all players."""
    return Terminal(source, screen)


class _Lines:
    """The lines of a stream, read in a thread that blocks neither the loop nor the interpreter's
    exit.

    A line whose wait was cancelled goes to the next reader.
    """

    def __init__(self, source: TextIO) -> None:
        self._source = source
        self._descriptor = _descriptor(source)
        self._buffer = b""
        self._pending: Future[str] | None = None

    async def next(self) -> str:
        """The next line with its end; empty at the end of the input."""
        pending = self._pending
        if pending is None:
            pending = self._pending = Future()
            # Not asyncio.to_thread: the interpreter would wait for that thread, and so for a
            # person, before it exits.
            thread = threading.Thread(target=self._read_into, args=(pending,), daemon=True)
            thread.start()
        loop = asyncio.get_running_loop()
        arrived = asyncio.Event()

        def wake(_: Future[str]) -> None:
            with suppress(RuntimeError):  # the loop that waited is closed
                loop.call_soon_threadsafe(arrived.set)

        pending.add_done_callback(wake)
        await arrived.wait()
        self._pending = None
        return pending.result()

    def _read_into(self, pending: Future[str]) -> None:
        try:
            line = self._source.readline() if self._descriptor is None else self._read_bytes()
        except (OSError, ValueError):  # the terminal is closed
            line = ""
        pending.set_result(line)

    def _read_bytes(self) -> str:
        """Read a line from the file descriptor itself.

        A thread blocked in `sys.stdin.readline` holds its lock, and the interpreter aborts if it
        needs that lock on exit; os.read holds none.
        """
        assert self._descriptor is not None
        while b"\n" not in self._buffer:
            read = os.read(self._descriptor, _MOST_BYTES)
            if not read:
                line, self._buffer = self._buffer, b""
                return line.decode(errors="replace")
            self._buffer += read
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode(errors="replace") + "\n"


def _descriptor(source: TextIO) -> int | None:
    try:
        return source.fileno()
    except (OSError, AttributeError, io.UnsupportedOperation):
        return None


def _printable(character: str) -> str:
    """The character, or U+FFFD if it would control the terminal or cannot be written."""
    if character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cs"):
        return character
    return "\N{REPLACEMENT CHARACTER}"


# ------------------------------------------------------------------ a person elsewhere


LEFT = "the person left"
SKIPPED = "the person skipped the question"

FORM_SECONDS = 300.0
"""Seconds for an optional question, however long a turn may take: nobody waits for its answer."""


@dataclass(frozen=True, slots=True)
class PendingRequest:
    """A request that awaits a person's answer until `deadline`, in event-loop time."""

    request: Request
    deadline: float


class _LeftError(Exception):
    """The person left while being asked."""


class SeatedPlayer:
    """One seat of one episode. `notify` is called when the person is asked, and when time is up.

    A turn without an answer in `seconds` is a NoReply and not asked again: otherwise an absent
    person would be waited for three times as long. `memory` counts unanswered turns in a row; an
    optional question is no turn, and has `FORM_SECONDS`.

    >>> from sociolab.agents import Action, SeatedPlayer
    >>> from sociolab.testing import AnyPlayer, StockScene, play_scene
    >>> def on_request():
    ...     print(person.pending.request.observation.you)
    ...     person.answer((Action("leave"),))
    >>> person = SeatedPlayer(60, on_request)
    >>> events = play_scene(StockScene(), {"first": person, "second": AnyPlayer()})
    Ada
    >>> events[-1].reason
    'left'
    """

    def __init__(self, seconds: float, notify: Callable[[], None]) -> None:
        self.pending: PendingRequest | None = None
        self._seconds = seconds
        self._notify = notify
        self._answer: asyncio.Future[tuple[Action, ...] | BaseModel | NoReply] | None = None
        self._has_left = False

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        """The person's answer, or a NoReply where none came in time."""
        missed = missed_turns(memory) + (not request.optional)
        if self._has_left:
            return NoReply("gave up", LEFT, again=False, memory=missed)
        loop = asyncio.get_running_loop()
        self._answer = loop.create_future()
        seconds = FORM_SECONDS if request.optional else self._seconds
        self.pending = PendingRequest(request, loop.time() + seconds)
        self._notify()
        try:
            async with asyncio.timeout_at(self.pending.deadline):
                answer = await self._answer
            return answer if isinstance(answer, NoReply) else Reply(answer)
        except TimeoutError:
            problem = f"no answer within {seconds:g} s"
            return NoReply("timeout", problem, again=False, memory=missed)
        except _LeftError:
            return NoReply("gave up", LEFT, again=False, memory=missed)
        finally:
            self.pending = self._answer = None

    def leave(self) -> None:
        """The person has left: the current request, and all later ones, get no answer at once."""
        self._has_left = True
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(_LeftError())

    def answer(self, value: tuple[Action, ...] | BaseModel | NoReply) -> bool:
        """Answer the current request; False if there is none, or it was answered already.

        A NoReply declines to answer, without waiting for the time to run out.
        """
        if self._answer is None or self._answer.done():
            return False
        self._answer.set_result(value)
        return True


def missed_turns(memory: Json) -> int:
    """How many turns in a row went unanswered, from a `SeatedPlayer`'s memory."""
    return memory if isinstance(memory, int) else 0
