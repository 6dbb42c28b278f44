"""Any chat model as a player: renders observations, and reads replies as JSON or as text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from itertools import groupby, takewhile
from types import GenericAlias
from typing import Annotated, Any, Literal, TypeAlias, Union

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    create_model,
)

from sociolab.agents.forms import fields_of_type, value_hint
from sociolab.core.episode import Action, ActionKind, ActionSpace, Json
from sociolab.core.errors import ModelError, ReplyError
from sociolab.core.ports import (
    CallKey,
    ChatModel,
    ChatReply,
    Layout,
    Message,
    NoReply,
    Observation,
    Prompt,
    Question,
    Reply,
    Request,
    Role,
    Schema,
)
from sociolab.core.reading import first_problem
from sociolab.core.seeding import digest
from sociolab.prompting.channels import extract_reply, speaker_pattern
from sociolab.prompting.sets import prompt
from sociolab.prompting.structured import (
    check_finish,
    parse_reply,
    parse_reply_text,
    retry_text,
    schema_of,
)

PACKAGE = "sociolab.agents"

Dialect: TypeAlias = Literal["json", "plain", "words"]
"""The form of replies: a JSON object; lines "kind: text"; or nothing but what is said."""


class PromptedPlayer:
    """Plays a seat with a chat model; its only memory is the history.

    A reply that is truncated, withheld or unreadable is a NoReply and asked for again by the
    engine; one that is truncated a second time, a prompt too long for the model, or one that its
    provider's filter refuses, is a NoReply for good; any other failed call (no connection, no
    credentials) fails the trial as a ModelError. In the dialect "words" it is not asked optional
    questions, whose answers have a form.

    >>> from sociolab.agents import PromptedPlayer
    >>> from sociolab.core import ChatReply
    >>> from sociolab.testing import StockScene, play_scene
    >>> class Model:
    ...     label = "my/model"
    ...     async def complete(self, prompt, key):
    ...         return ChatReply('{"action": "speak", "text": "Hello."}')
    >>> player = PromptedPlayer(Model())
    >>> events = play_scene(StockScene(), {"first": player, "second": player})
    >>> events[0].actions[0].text
    'Hello.'
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        role: Role = "agent",
        temperature: float = 1.0,
        dialect: Dialect = "json",
    ) -> None:
        self._model = model
        self._role = role
        self._temperature = temperature
        self._dialect = dialect

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        expected = request.expected
        if self._dialect == "words" and isinstance(expected, Question) and expected.optional:
            return NoReply("gave up", "dialect=words answers no questions", again=False)
        key = CallKey(
            request.trial, self._role, request.seat, request.turn, request.name, request.attempt
        )
        try:
            answer = await self._model.complete(self._prompt(request), key)
        except ModelError as error:
            if error.cause in ("context overflow", "content filter"):
                return NoReply(error.cause, str(error), again=False)
            raise
        try:
            return Reply(self._parse(answer, request), raw=answer.text)
        except ReplyError as error:
            return NoReply(error.cause, str(error), error.raw)

    def _prompt(self, request: Request) -> Prompt:
        observation, expected = request.observation, request.expected
        # A question has the same head as the seat's turns: providers cache repeated prefixes.
        space = request.space if isinstance(expected, Question) else expected
        form, layout = _NO_FORM, observation.layout
        if space and layout.reply_form == "added":
            form = _form(space, len(observation.others) > 1, self._dialect)
        head = f"{observation.head}\n\n{form.how}".rstrip()
        if isinstance(expected, Question):
            schema: Schema | None = schema_of(expected.reply)
            how = f"\n\n{_how_to_answer(expected.reply)}" if space else ""
            body = f"{_history(observation)}{expected.text}{how}"
            needs = expected.needs
        else:
            needs = expected.needs * expected.most
            schema = form.schema
            body = f"{_history(observation)}{observation.tail}"
        if request.problem:
            body = f"{body}\n{retry_text(request.problem)}"
        if layout.messages == "one":
            messages: tuple[Message, ...] = (Message("user", f"{head}\n\n{body}"),)
        else:
            messages = (Message("system", head), Message("user", body))
        return Prompt(messages, schema, self._temperature, needs=needs)

    def _parse(self, answer: ChatReply, request: Request) -> tuple[Action, ...] | BaseModel:
        if isinstance(request.expected, Question):
            return parse_reply(answer, request.expected.reply)
        check_finish(answer)
        observation, layout = request.observation, request.observation.layout
        names = (observation.you, *observation.others)
        if self._dialect == "plain" and layout.reply_form == "added":
            return read_plain(answer.text, request.expected, names)
        if self._dialect == "words" and layout.reply_form == "added":
            return read_words(answer.text, request.expected, names)
        if layout.kinds or layout.keys != Layout().keys:
            return (_read_layout(answer.text, request.expected, layout),)
        return read_json(answer.text, request.expected, len(observation.others) > 1)


def prompts_hash(dialect: Dialect) -> str:
    """The hash of the wording that this player adds to a world's."""
    return digest(prompt(PACKAGE, dialect).hash, prompt(PACKAGE, "answer").hash, retry_text(""))


def _history(observation: Observation) -> str:
    if not observation.history:
        return ""
    return "\n".join(line.text for line in observation.history) + "\n\n"


@dataclass(frozen=True, slots=True)
class _Form:
    """Instructions for the reply to a turn, and its schema if one is sent."""

    how: str
    schema: Schema | None


_NO_FORM = _Form("", None)


def how_to_reply(space: ActionSpace, dialect: Dialect) -> str:
    """What a model is told of the form of its replies in a dialect."""
    return _form(space, False, dialect).how


@cache
def _form(space: ActionSpace, addressed: bool, dialect: Dialect) -> _Form:
    if dialect == "words":
        _check_for_words(space)
        return _Form(prompt(PACKAGE, dialect).render({}), None)
    how = _how_to_reply(space, addressed, dialect)
    if dialect == "plain":
        return _Form(how, None)
    schema = replace(schema_of(act_type(space, addressed)), in_prompt=not _has_forms(space))
    return _Form(how, schema)


@lru_cache(maxsize=1024)  # a task's own types come and go
def _how_to_answer(reply: type[BaseModel]) -> str:
    """The schema's fields with their meaning; fields with equal meaning are listed together."""
    fields = reply.model_json_schema().get("properties", {})
    meanings = [(name, str(field.get("description", ""))) for name, field in fields.items()]
    groups = [
        (", ".join(name for name, _ in group), meaning)
        for meaning, group in groupby(meanings, key=lambda pair: pair[1])
    ]
    clauses = [f"{names} ({meaning})" if meaning else names for names, meaning in groups]
    return prompt(PACKAGE, "answer").render({"fields": "; ".join(clauses)})


def _how_to_reply(space: ActionSpace, addressed: bool, dialect: Dialect) -> str:
    if _has_forms(space):
        return _how_to_fill_in(space, addressed, dialect)
    empty = [kind.name for kind in space.kinds if not kind.has_text]
    values: dict[str, Any] = {"most": space.most, "distinct": space.distinct}
    values |= {"addressed": addressed, "empty": empty, "text": _text_hint(space.kinds)}
    example = next(kind.name for kind in space.kinds if kind.has_text)
    if dialect == "json":
        action = Action(example, "<your own words>")  # small models repeat what could be a turn
        example = json.dumps(written_turn((action,), space, addressed).model_dump())
    values["example"] = example
    return prompt(PACKAGE, dialect).render(values)


def _has_forms(space: ActionSpace) -> bool:
    """Whether actions have fields or differ in their recipients, or none has a text."""
    kinds = space.kinds
    own = any(kind.fields or kind.recipients != "optional" for kind in kinds)
    return own or not any(kind.has_text for kind in kinds)


def _how_to_fill_in(space: ActionSpace, addressed: bool, dialect: Dialect) -> str:
    """How to reply where actions have fields, or none has a text: form by form.

    The hash of a world with such actions has to include this wording.
    """
    forms = []
    for kinds in _forms(space):
        fields = [("action", " or ".join(f'"{kind.name}"' for kind in kinds))]
        if kinds[0].fields:
            fields += [(field.name, value_hint(field)) for field in fields_of_type(kinds[0].fields)]
        if any(kind.has_text for kind in kinds):
            empty = " and ".join(kind.name for kind in kinds if not kind.has_text)
            fields.append(("text", f"{_text_hint(kinds)}{empty and f', empty for {empty}'}"))
        if addressed and any(kind.takes_recipients for kind in kinds):
            none = "at least one" if _must_name(kinds) else "empty for everybody"
            fields.append(("to", f"list of the names of those who alone learn of it, {none}"))
        forms.append(fields)
    values: dict[str, Any] = {"most": space.most, "distinct": space.distinct, "forms": forms}
    values |= {"dialect": dialect, "wrapper": _wrapper(space)}
    return prompt(PACKAGE, "fields").render(values)


def _text_hint(kinds: Sequence[ActionKind]) -> str:
    deeds = any(kind.has_text and not kind.spoken for kind in kinds)
    return "the words or the deed" if deeds else "the words"


def _forms(space: ActionSpace) -> tuple[tuple[ActionKind, ...], ...]:
    """The kinds of a space that share a form: those without fields by their recipients, and each
    kind with fields by itself."""
    plain: dict[str, list[ActionKind]] = {}
    bare = [kind for kind in space.kinds if kind.fields is None]
    # A kind with neither text nor recipients joins the first form.
    first = next((k.recipients for k in bare if k.has_text or k.takes_recipients), "optional")
    for kind in bare:
        how = kind.recipients if kind.has_text or kind.takes_recipients else first
        plain.setdefault(how, []).append(kind)
    with_fields = ((kind,) for kind in space.kinds if kind.fields is not None)
    return (*map(tuple, plain.values()), *with_fields)


@cache
def _wrapper(space: ActionSpace) -> str:
    """The field of a reply that holds its action or actions; "" where the reply is the action."""
    return "actions" if space.most > 1 else "turn" if len(_forms(space)) > 1 else ""


@cache
def act_type(space: ActionSpace, addressed: bool) -> type[BaseModel]:
    """The reply type of a turn in this space: `{action, text}`, with `to` if it can have
    recipients.

    A kind with fields has a form of its own, `{action, its fields, text}`; a form has `text` if one
    of its kinds does. With several forms the type is `{turn: one of them}`, since servers require
    an object; with several actions per turn it is `{actions: [...]}`.

    >>> from sociolab.agents import act_type
    >>> from sociolab.testing import STOCK_ACTIONS
    >>> act_type(STOCK_ACTIONS, addressed=True).model_json_schema()["required"]
    ['action', 'text', 'to']
    """
    forms = [_form_type(kinds, addressed) for kinds in _forms(space)]
    by_kind = {
        kind.name: form for kinds, form in zip(_forms(space), forms, strict=True) for kind in kinds
    }
    turn: Any = Annotated[
        Union[tuple(forms)],  # noqa: UP007  of as many as there are
        BeforeValidator(partial(_check_own_form, by_kind)),
    ]
    match _wrapper(space):
        case "":
            return forms[0]
        case "turn":
            return create_model("OneTurn", __config__=_STRICT, turn=(turn, ...))
        case _:
            several: Any = Annotated[
                GenericAlias(list, (turn,)), Field(min_length=1, max_length=space.most)
            ]
            return create_model("Turns", __config__=_STRICT, actions=(several, ...))


def _check_own_form(forms: Mapping[str, type[BaseModel]], turn: Any) -> Any:
    """Hold a turn to the form of its own action first: of all forms at once, the problems would be
    mostly those of the others."""
    form = forms.get(str(turn.get("action"))) if isinstance(turn, dict) else None
    if form is not None:
        try:
            form.model_validate(turn)
        except ValidationError as error:
            raise ValueError(first_problem(error)) from error
    return turn


def _must_name(kinds: tuple[ActionKind, ...]) -> bool:
    return any(kind.recipients == "required" for kind in kinds)


def _form_type(kinds: tuple[ActionKind, ...], addressed: bool) -> type[BaseModel]:
    names: Any = Literal[tuple(kind.name for kind in kinds)]
    called = f"Turn_{kinds[0].name}" if kinds[0].fields else "Turn"
    head: type[BaseModel] = create_model(called, __config__=_STRICT, action=(names, ...))
    words: dict[str, Any] = {}
    if any(kind.has_text for kind in kinds):
        words["text"] = (str, ...)
    if addressed and any(kind.takes_recipients for kind in kinds):
        some: Any = Annotated[list[str], Field(min_length=1)]
        words["to"] = (some if _must_name(kinds) else list[str], ...)
    # The fields of the last parent come first: the action, then what belongs to it, then words.
    parents = (kinds[0].fields, head) if kinds[0].fields else head
    return create_model(called, __base__=parents, **words)


def read_json(text: str, space: ActionSpace, addressed: bool) -> tuple[Action, ...]:
    """Parse the actions of a model's JSON reply. `addressed`: actions may name recipients.

    ReplyError with what was expected and found.

    >>> from sociolab.agents import read_json
    >>> from sociolab.testing import STOCK_ACTIONS
    >>> reply = '{"action": "speak", "text": "Hello."}'
    >>> [action.as_text for action in read_json(reply, STOCK_ACTIONS, addressed=False)]
    ['speak: Hello.']
    >>> read_json("Hello.", STOCK_ACTIONS, addressed=False)
    Traceback (most recent call last):
        ...
    sociolab.core.errors.ReplyError: expected a JSON object, found the text "Hello."
    """
    value, wrapper = parse_reply_text(text, act_type(space, addressed)), _wrapper(space)
    turns = getattr(value, wrapper) if wrapper else value
    return tuple(map(_decode_action, turns if isinstance(turns, list) else [turns]))


def _read_layout(text: str, space: ActionSpace, layout: Layout) -> Action:
    """Parse an action in the form of a world's own prompt (see `Layout`)."""
    kind, words = layout.keys
    called = {other: ours for ours, other in layout.kinds.items()}
    names: Any = Literal[tuple(layout.kinds.get(k.name, k.name) for k in space.kinds)]
    form = create_model("Turn", **{kind: (names, ...), words: (str, "")})  # type: ignore[call-overload]
    values = parse_reply_text(text, form).model_dump()
    name = called.get(values[kind], values[kind])
    return Action(name, values[words].strip() if space[name].has_text else "")


def _decode_action(turn: BaseModel) -> Action:
    fields: dict[str, Any] = {**vars(turn), **(turn.model_extra or {})}
    kind, text, to = fields.pop("action"), fields.pop("text", ""), fields.pop("to", ())
    if fields:
        head = {"action", "text", "to"}
        fields = turn.model_dump(mode="json", by_alias=True, round_trip=True, exclude=head)
    return Action(kind, text.strip(), tuple(to), fields=fields)


def written_turn(actions: Sequence[Action], space: ActionSpace, addressed: bool) -> BaseModel:
    """The actions of a turn as a model would write them: the inverse of `read_json`.

    >>> from sociolab.agents import Action, written_turn
    >>> from sociolab.testing import STOCK_ACTIONS
    >>> written_turn([Action("speak", "Hello.")], STOCK_ACTIONS, addressed=False).model_dump_json()
    '{"action":"speak","text":"Hello."}'
    """
    turns: list[dict[str, Any]] = []
    for action in actions:
        form = next(kinds for kinds in _forms(space) if space[action.kind] in kinds)
        turns.append({"action": action.kind, **action.fields})
        if any(kind.has_text for kind in form):
            turns[-1]["text"] = action.text
        if addressed and any(kind.takes_recipients for kind in form):
            turns[-1]["to"] = list(action.to)
    wrapper = _wrapper(space)
    reply = {wrapper: turns if space.most > 1 else turns[0]} if wrapper else turns[0]
    return act_type(space, addressed).model_validate(reply)


ROLES = ("User", "Human", "Assistant")
"""Names that models use for speakers when they invent further turns."""


def read_plain(text: str, space: ActionSpace, names: Sequence[str] = ()) -> tuple[Action, ...]:
    """Parse the actions of a plain-text reply: one per line `kind: text`; a line without a kind
    continues the one before.

    `kind (to Name, Name): text` has recipients, `kind [name=value; name=value]: text` has fields.
    After the first action, a line `Name: ...` of a speaker (`names`, without a list bullet) starts
    a turn that the model invented: the reply ends there. ReplyError if no line begins with a kind.

    >>> from sociolab.agents import read_plain
    >>> from sociolab.testing import STOCK_ACTIONS
    >>> (action,) = read_plain("speak (to Ben): Do you hear me?", STOCK_ACTIONS)
    >>> action.kind, action.to, action.text
    ('speak', ('Ben',), 'Do you hear me?')
    """
    speaker, answer = speaker_pattern(*ROLES, *names), extract_reply(text)
    turns: list[tuple[str, list[str], tuple[str, ...], dict[str, Json]]] = []
    for line in answer.strip().splitlines():
        if turns and speaker.match(line):
            break
        match = _plain_line(space).match(line)
        if match:
            to = tuple(n.strip() for n in (match["to"] or "").split(",") if n.strip())
            kind = match["kind"].casefold()
            name = next(k.name for k in space.kinds if k.name.casefold() == kind)
            parts = (match["fields"] or "").split(";")
            pairs = [part.partition("=") for part in parts if "=" in part]
            fields: dict[str, Json] = {field.strip(): value.strip() for field, _, value in pairs}
            turns.append((name, [(match["text"] or "").strip()], to, fields))
        elif turns and line.strip():
            turns[-1][1].append(line.strip())
    if not turns:
        names = ", ".join(kind.name for kind in space.kinds)
        excerpt = " ".join(answer.split())[:80]
        raise ReplyError(
            f'expected a line that begins with one of: {names}; found "{excerpt}"', raw=text
        )
    return tuple(
        Action(kind, " ".join(words).strip(), to, fields=fields)
        for kind, words, to, fields in turns
    )


def read_words(text: str, space: ActionSpace, names: Sequence[str] = ()) -> tuple[Action, ...]:
    """The one action of a reply that is nothing but what is said: the first kind that is spoken.

    From the second line on, a line `Name: ...` of a speaker (`names`) starts a turn that the model
    invented: the reply ends there. ReplyError where nothing is said; ModelError for a world in
    which a turn is more than words.

    >>> from sociolab.agents import read_words
    >>> from sociolab.testing import STOCK_ACTIONS
    >>> (action,) = read_words("Do you hear me?", STOCK_ACTIONS)
    >>> action.kind, action.text
    ('speak', 'Do you hear me?')
    """
    kind = _check_for_words(space)
    speaker = speaker_pattern(*ROLES, *names)
    lines = extract_reply(text).strip().splitlines()
    said = [*lines[:1], *takewhile(lambda line: not speaker.match(line), lines[1:])]
    if not (words := " ".join(" ".join(said).split())):
        raise ReplyError("expected what is said, found nothing", raw=text)
    return (Action(kind, words),)


def _check_for_words(space: ActionSpace) -> str:
    """The kind of action that words alone are; ModelError, which ends the run, where a turn may
    need more."""
    spoken = [kind.name for kind in space.kinds if kind.spoken and kind.has_text]
    if not spoken or any(kind.fields or kind.recipients == "required" for kind in space.kinds):
        raise ModelError(
            "dialect=words is for worlds in which a turn is nothing but words; here actions have "
            "fields or recipients: use dialect=json",
            cause="not allowed",
            fatal=True,
        )
    return spoken[0]


@cache
def _plain_line(space: ActionSpace) -> re.Pattern[str]:
    kinds = "|".join(re.escape(kind.name) for kind in space.kinds)
    # Markup, the kind, then optionally its fields, other marks, "(to ...)" and ": text". Possessive
    # quantifiers (*+, ?+) keep a line of blanks from being matched in exponentially many ways.
    return re.compile(
        rf"""^\W*(?P<kind>{kinds})
            (?: \s*+ \[(?P<fields>[^\]]*+)\] )?+
            (?: [^\w:(] | \((?!to\ ) )*+ (?: \(to\ (?P<to>[^)]*+)\) )?+
            (?: \s*+ : \s*+ (?P<text>.*) | [.\s*]*+ $ )""",
        re.IGNORECASE | re.VERBOSE,
    )


_STRICT = ConfigDict(extra="forbid")
