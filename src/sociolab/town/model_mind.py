"""A chat model as a mind: each question is a prompt file, each answer a typed reply or a text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from sociolab.core.errors import ConfigError, ModelError, ReplyError
from sociolab.core.ports import CallKey, ChatModel, ChatReply, Message, Prompt, Role, Schema
from sociolab.core.seeding import digest
from sociolab.prompting.channels import extract_reply
from sociolab.prompting.sets import PromptSet
from sociolab.prompting.structured import (
    check_finish,
    estimate_needs,
    parse_reply,
    retry_text,
    schema_of,
)
from sociolab.town.questions import (
    QUESTIONS,
    Asked,
    GeneralPlan,
    Items,
    Lines,
    Me,
    MindAnswer,
    MindQuestion,
    Said,
    Summarise,
    Summary,
    TalkReminder,
    UnfitError,
    Utter,
)
from sociolab.town.questions.base import LONGEST_FIELD, one_line, text_lines
from sociolab.town.questions.day import TIMES

PLAIN = "plain"
"""The dialect for models that follow no schema: only the questions of a talk can be asked in it."""

PLAIN_QUESTIONS = (Utter, Summarise, TalkReminder, GeneralPlan)
"""The questions whose answers can be read from plain text."""

IMPORTANCE = 5
"""Of a talk that is noted in plain text: the middle of the scale, since nobody rates it."""

_FEWEST_LINES, _MOST_LINES = 3, 5
_MOST_ITEMS = 4
_FENCE = re.compile(r"^[ \t]*+```.*$", re.MULTILINE)
_BULLET = re.compile(r"^\s*(?:[-*\u2022\u2013\u2014]|\(?\d{1,2}[.)])\s+")
_WORD = re.compile(r"\w")
_QUOTES = {'"': '"', "\u201c": "\u201d", "\u201e": "\u201c", "\u00ab": "\u00bb"}
"""Opening marks and what closes them."""

A = TypeVar("A", bound=MindAnswer)


class ModelMind:
    """Thinks with a chat model, one call a question, and keeps nothing.

    The system message is the same for all questions of a resident until it comes to know another
    place; the user message is short. Asking again is up to the simulation, which says in `asked`
    what was wrong: a reply that is cut off, withheld, unreadable or unfit is a ReplyError, and so
    is a prompt that is too long for the model or that its provider's filter refuses. Any other
    failed call passes through as a ModelError. TDP's questions are asked at temperature 0 (STSS
    appendix B), the others at `temperature`, all with the same `penalties`.

    In the dialect "plain" the questions of a talk are asked without a schema and read as text (see
    `read_plain`); any other question is a ConfigError.
    """

    def __init__(
        self,
        model: ChatModel,
        texts: PromptSet,
        role: Role = "agent",
        *,
        temperature: float = 1.0,
        dialect: str = "json",
        penalties: float | None = None,
    ) -> None:
        if dialect not in ("json", PLAIN):
            raise ConfigError(f'a mind answers in the dialect "json" or "plain"; found "{dialect}"')
        self._model = model
        self._texts = texts
        self._role = role
        self._temperature = temperature
        self._plain = dialect == PLAIN
        self._penalties = penalties

    async def answer(self, question: MindQuestion[A]) -> A:
        """The answer to any question; ReplyError where the reply cannot be used."""
        temperature = 0.0 if question.exact else self._temperature
        prompt = prompt_of(
            question, self._texts, temperature, plain=self._plain, penalties=self._penalties
        )
        reply = await self._complete(question, prompt)
        value: Any = (
            _plainly(reply, question) if self._plain else parse_reply(reply, question.answer_type)
        )
        try:
            return question.coerced(value)
        except UnfitError as error:
            raise ReplyError(str(error), raw=reply.text, cause="not allowed") from error

    async def _complete(self, question: MindQuestion[Any], prompt: Prompt) -> ChatReply:
        try:
            return await self._model.complete(prompt, _key(question, self._role))
        except ModelError as error:
            if error.cause in ("context overflow", "content filter"):
                raise ReplyError(str(error), raw="", cause=error.cause) from error
            raise


def _plainly(reply: ChatReply, question: MindQuestion[Any]) -> BaseModel:
    check_finish(reply)
    return read_plain(reply.text, question)


def _key(question: MindQuestion[Any], role: Role) -> CallKey:
    head = question.asked
    seat = head.seat or head.resident
    return CallKey(head.trial, role, seat, head.step, question.name, head.attempt, head.index)


# ------------------------------------------------------------------ prompts


def prompt_of(
    question: MindQuestion[Any],
    texts: PromptSet,
    temperature: float,
    *,
    plain: bool = False,
    penalties: float | None = None,
) -> Prompt:
    """What a model is sent for a question: who the resident is, then what is asked.

    ConfigError for a question that cannot be asked in plain text where it should be.
    """
    values = question.variables()
    if isinstance(question, PLAIN_QUESTIONS):
        values["plain"] = plain
    elif plain:
        raise ConfigError(
            f'dialect=plain is for talks: expected a question of a talk, found "{question.name}", '
            "which needs dialect=json"
        )
    body = texts[question.template()].render(values)
    if question.asked.problem:
        body = f"{body}\n\n{_again(question.asked)}"
    head = prompt_prefix(question.me, texts, plain=plain, head=question.head)
    messages = (Message("system", head), Message("user", body))
    schema = answer_schema(question)
    needs = question.needs or estimate_needs(schema)
    sent = None if plain else schema
    return Prompt(messages, sent, temperature, penalties=penalties, needs=needs)


def _again(head: Asked) -> str:
    """What was wrong; from the third attempt on with its number.

    Else a problem that comes twice would make two prompts alike, and whoever answers the same
    prompt alike (a model at temperature 0, a filter) could do nothing but repeat itself.
    """
    text = retry_text(head.problem)
    return text if head.attempt <= 2 else f"{text} This is attempt {head.attempt}."


def prompts_hash(texts: PromptSet, questions: Iterable[type[MindQuestion[Any]]] = QUESTIONS) -> str:
    """Identifies the wording of the prompts of these questions, in this order; default: of all."""
    ordered = tuple(questions)
    heads = dict.fromkeys(question.head for question in ordered)
    names = (*heads, *(question.template() for question in ordered))
    return digest(texts.hash_of(*names), retry_text(""))


def prompt_prefix(me: Me, texts: PromptSet, *, plain: bool = False, head: str = "head") -> str:
    """What every prompt to this resident begins with; `plain`: no forms are told.

    Who the resident is, and which people and furnished places it knows, but nothing of the moment:
    it is the same for all questions until another place becomes known. In the head of Generative
    Agents the plan of the day stands in place of the places.
    """
    who = me.resident
    lifestyle, routine = who.ordinary_day
    values = {
        "name": one_line(who.name),
        "age": who.age,
        "innate": one_line(who.innate, LONGEST_FIELD),
        "learned": one_line(who.learned, LONGEST_FIELD),
        "currently": one_line(who.currently, LONGEST_FIELD),
        "lifestyle": one_line(lifestyle, LONGEST_FIELD),
        "routine": one_line(routine, LONGEST_FIELD),
        "home": one_line(who.living_area),
        "people": tuple(_people(me)),
        "pause": me.pause,
    }
    if head == "head":
        places = [_furnished(place, me.objects.get(place, ())) for place in me.places]
        values |= {"places": tuple(places), "plain": plain}
    else:
        values["outline"] = text_lines(me.outline)
    return _rendered_prefix(texts, head, tuple(values.items()))


@lru_cache(maxsize=1024)
def _rendered_prefix(texts: PromptSet, head: str, values: tuple[tuple[str, object], ...]) -> str:
    return texts[head].render(dict(values))


def _furnished(place: str, objects: tuple[str, ...]) -> str:
    names = ", ".join(one_line(name) for name in objects)
    return f"{one_line(place)} ({names})" if names else one_line(place)


def _people(me: Me) -> list[str]:
    """Those who live in this simulation, what everybody knows of them, and what they are to one."""
    people = []
    for who, name in me.people.items():
        description = me.known_as.get(who, "")
        tie = me.resident.ties.get(name, "")
        line = f"{one_line(name)}, {one_line(description)}" if description else one_line(name)
        people.append(f"{line}: your {one_line(tie)}" if tie else line)
    return people


# ------------------------------------------------------------------ schemas


def answer_schema(question: MindQuestion[Any]) -> Schema:
    """The JSON schema that a model is given for the answer to a question.

    A provider that follows it can name only known places, times on the quarter hour and dates that
    are near, and rate as many texts as there are (see `schema_options`). Nothing else in it belongs
    to one question alone: it stands before the prompt where providers look for a beginning that
    repeats.
    """
    return _schema(question.answer_type, json.dumps(question.schema_options()))


@lru_cache(maxsize=1024)
def _schema(kind: type[MindAnswer], options: str) -> Schema:
    plain = schema_of(kind)
    schema = _narrowed(json.loads(plain.text), json.loads(options))
    if '"#/$defs/Time"' in json.dumps(schema):
        schema["$defs"] = {"Time": {"enum": TIMES, "type": "string"}} | schema.get("$defs", {})
    return Schema(plain.name, json.dumps(schema, ensure_ascii=False, separators=(",", ":")))


def _narrowed(node: Any, options: dict[str, Any]) -> Any:
    """The schema with options for its fields; every field wanted and no other allowed.

    Those who offer strict structured output want the latter two.
    """
    if isinstance(node, list):
        return [_narrowed(item, options) for item in node]
    if not isinstance(node, dict):
        return node
    if _is_time(node):
        return {"$ref": "#/$defs/Time"}
    new = {word: _narrowed(part, options) for word, part in node.items()}
    if "properties" in new:
        fields = new["properties"]
        fields |= {name: _with(fields[name], options[name]) for name in options if name in fields}
        new |= {"required": list(fields), "additionalProperties": False}
    return new


def _with(field: dict[str, Any], option: dict[str, Any]) -> dict[str, Any]:
    """A field with an option; a pattern, or what it referred to, is no longer of use then."""
    return {word: field[word] for word in field if word not in ("pattern", "$ref")} | option


def _is_time(node: dict[str, Any]) -> bool:
    return "([01]" in str(node.get("pattern", ""))


# ------------------------------------------------------------------ plain text


def read_plain(text: str, question: MindQuestion[Any]) -> BaseModel:
    """The answer in a plain reply; ReplyError says what was expected and what was found.

    Words never end a talk, so that it goes on to the limit of its rounds (STSS appendix A.2). A
    note is a memo of middling importance, by which nothing is agreed and no plan changes.
    """
    spoken = _FENCE.sub("", extract_reply(text)).strip()
    match question:
        case Utter():
            words = _unquoted(_own_words(spoken, question, text))
            return _made(Said, text, text=_some(words, "the words that you say", text))
        case Summarise():
            memo = _some(_unquoted(spoken), "a note", text)
            return _made(Summary, text, memo=" ".join(memo.split()), importance=IMPORTANCE)
        case TalkReminder():
            return _made(Items, text, items=_read_entries(spoken, 1, _MOST_ITEMS, text))
        case GeneralPlan():
            return _made(Lines, text, lines=_read_entries(spoken, _FEWEST_LINES, _MOST_LINES, text))
    raise TypeError(f"{type(question).__name__} is not asked in plain text")


def _own_words(spoken: str, question: Utter, raw: str) -> str:
    """What is said up to where the reply goes on with somebody else's words, without names."""
    me, other = question.me.resident.name, question.other.name
    names = ("You", me, me.partition(" ")[0])
    own_label = _speaker(*names)
    other_label = _speaker(*(n for n in (other, other.partition(" ")[0]) if n not in names))
    spoken_lines: list[str] = []
    for line in spoken.splitlines():
        if other_label.match(line):
            if not spoken_lines:
                problem = f'expected your own words, found words of {other}: "{line[:80]}"'
                raise ReplyError(problem, raw=raw, cause="not allowed")
            break
        words = own_label.sub("", line, count=1).strip()
        if words:
            spoken_lines.append(words)
    return " ".join(spoken_lines)


def _speaker(*names: str) -> re.Pattern[str]:
    """The start of a line that names its speaker, as in "- **Ada Finch**: "."""
    choices = "|".join(re.escape(name) for name in names if name)
    return re.compile(rf"^\s*(?:[-\u2022]\s+)?[*_]*(?:{choices})[*_]*\s*:[*_]*\s*", re.IGNORECASE)


def _unquoted(text: str) -> str:
    """The text without quotation marks around all of it."""
    closing = _QUOTES.get(text[:1])
    inside = text[1:-1]
    if closing is None or len(text) < 2 or text[-1] != closing:
        return text
    return text if text[0] in inside or closing in inside else inside.strip()


def _read_entries(spoken: str, fewest: int, most: int, raw: str) -> tuple[str, ...]:
    """One entry a line, without bullets and numbers; a line that announces them is no entry."""
    lines = [line.strip() for line in spoken.splitlines() if _WORD.search(line)]
    if len(lines) > 1 and lines[0].endswith(":"):
        del lines[0]
    entries = [_unquoted(_BULLET.sub("", line)) for line in lines]
    if not fewest <= len(entries) <= most:
        problem = f"expected {fewest} to {most} lines, one thing each, found {len(entries)}"
        raise ReplyError(problem, raw=raw, cause="unreadable")
    return tuple(entries)


def _some(text: str, what: str, raw: str) -> str:
    if not text:
        raise ReplyError(f"expected {what}, found an empty reply", raw=raw, cause="unreadable")
    return text


def _made(kind: type[A], raw: str, **fields: object) -> A:
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        problem = f"expected a shorter reply ({first['msg']}), found {len(first['input'])}"
        raise ReplyError(problem, raw=raw, cause="unreadable") from error
