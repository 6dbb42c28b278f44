"""A chat model as a mind: each question is a prompt file, each answer a typed reply or a text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from sociolab.core.errors import ConfigError, ModelError, ReplyError
from sociolab.core.ports import CallKey, ChatModel, Message, Prompt, Role, Schema
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
    GeneralPlan,
    Items,
    Lines,
    Me,
    MindAnswer,
    MindQuestion,
    QuestionMeta,
    Said,
    Summarise,
    Summary,
    TalkReminder,
    UnfitError,
    Utter,
)
from sociolab.town.questions.base import LONGEST_FIELD, one_line, text_lines
from sociolab.town.questions.day import TIMES
from sociolab.town.questions.generative import ALL_PARTS

PLAIN = "plain"
"""The dialect for models that follow no schema; only the questions of a talk work in it."""

PLAIN_QUESTIONS = (Utter, Summarise, TalkReminder, GeneralPlan)
"""The questions whose answers can be read from plain text."""

IMPORTANCE = 5
"""Importance of a talk noted in plain text: the middle of the scale, since nobody rates it."""

_FEWEST_LINES, _MOST_LINES = 3, 5
_MOST_ITEMS = 4
_FENCE = re.compile(r"^[ \t]*+```.*$", re.MULTILINE)
_BULLET = re.compile(r"^\s*(?:[-*\u2022\u2013\u2014]|\(?\d{1,2}[.)])\s+")
_WORD = re.compile(r"\w")
_QUOTES = {'"': '"', "\u201c": "\u201d", "\u201e": "\u201c", "\u00ab": "\u00bb"}
"""Opening marks and what closes them."""

A = TypeVar("A", bound=MindAnswer)


class ModelMind:
    """Answers questions with a chat model, one call each, and keeps no state.

    The system message is the same for all questions of a resident until it comes to know another
    place; the user message is short. Retrying is up to the simulation, which says in `meta` what
    was wrong: a reply that is cut off, withheld, unreadable or unfit is a ReplyError, and so is a
    prompt that is too long for the model or refused by its provider's filter. Any other failed call
    passes through as a ModelError. TDP's questions are asked at temperature 0 (STSS appendix B),
    the others at `temperature`, all with the same `penalties`.

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
        """Answer any question; ReplyError where the reply cannot be used."""
        temperature = 0.0 if question.exact else self._temperature
        prompt = build_prompt(
            question, self._texts, temperature, plain=self._plain, penalties=self._penalties
        )
        head = question.meta
        seat = head.seat or head.resident
        key = CallKey(
            head.trial, self._role, seat, head.step, question.name, head.attempt, head.index
        )
        try:
            reply = await self._model.complete(prompt, key)
        except ModelError as error:
            if error.cause in ("context overflow", "content filter"):
                raise ReplyError(str(error), raw="", cause=error.cause) from error
            raise
        value: Any
        if self._plain:
            check_finish(reply)
            value = read_plain(reply.text, question)
        else:
            value = parse_reply(reply, question.answer_type)
        try:
            return question.coerce(value)
        except UnfitError as error:
            raise ReplyError(str(error), raw=reply.text, cause="not allowed") from error


# ------------------------------------------------------------------ prompts


def build_prompt(
    question: MindQuestion[Any],
    texts: PromptSet,
    temperature: float,
    *,
    plain: bool = False,
    penalties: float | None = None,
) -> Prompt:
    """The prompt for a question: who the resident is, then what is asked.

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
    if question.meta.problem:
        body = f"{body}\n\n{_format_retry(question.meta)}"
    head = prompt_prefix(
        question.me, texts, plain=plain, head=question.head, parts=question.head_parts
    )
    messages = (Message("system", head), Message("user", body))
    schema = answer_schema(question)
    needs = question.needs or estimate_needs(schema)
    sent = None if plain else schema
    return Prompt(messages, sent, temperature, penalties=penalties, needs=needs)


def _format_retry(head: QuestionMeta) -> str:
    """What was wrong; from the third attempt on with its number.

    A repeated problem would otherwise make two prompts equal, and whoever answers equal prompts
    equally (a model at temperature 0, a filter) could only repeat itself.
    """
    text = retry_text(head.problem)
    return text if head.attempt <= 2 else f"{text} This is attempt {head.attempt}."


def prompts_hash(texts: PromptSet, questions: Iterable[type[MindQuestion[Any]]] = QUESTIONS) -> str:
    """Identifies the wording of the prompts of these questions, in this order; default: all of the
    lean mind."""
    ordered = tuple(questions)
    heads = dict.fromkeys(question.head for question in ordered)
    names = (*heads, *(question.template() for question in ordered))
    return digest(texts.hash_of(*names), retry_text(""))


def prompt_prefix(
    me: Me, texts: PromptSet, *, plain: bool = False, head: str = "head", parts: str = ""
) -> str:
    """The system message for this resident; `plain` leaves out the forms of answers.

    Who the resident is, and which people and furnished places it knows, but nothing of the moment:
    it stays the same until another place becomes known. In the head of Generative Agents the plan
    of the day stands in place of the places, and a short one holds these `parts` alone.
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
        "people": tuple(_describe_people(me)),
        "pause": me.pause,
    }
    if head == "head":
        places = [_describe_place(place, me.objects.get(place, ())) for place in me.places]
        values |= {"places": tuple(places), "plain": plain}
    else:
        values["outline"] = text_lines(me.outline)
        values["parts"] = tuple((ALL_PARTS if me.heads == "full" else parts).split())
    return _rendered_prefix(texts, head, tuple(values.items()))


@lru_cache(maxsize=1024)
def _rendered_prefix(texts: PromptSet, head: str, values: tuple[tuple[str, object], ...]) -> str:
    return texts[head].render(dict(values))


def _describe_place(place: str, objects: tuple[str, ...]) -> str:
    names = ", ".join(one_line(name) for name in objects)
    return f"{one_line(place)} ({names})" if names else one_line(place)


def _describe_people(me: Me) -> list[str]:
    """The others in this simulation: what everybody knows of them, and their tie to this
    resident."""
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

    A provider that enforces it can name only known places, times on the quarter hour and dates that
    are near, and rate as many texts as there are (see `schema_options`). Nothing else in it belongs
    to one question alone: it stands before the prompt where providers look for a cached prefix.
    """
    return _schema(question.answer_type, json.dumps(question.schema_options()))


@lru_cache(maxsize=1024)
def _schema(kind: type[MindAnswer], options: str) -> Schema:
    plain = schema_of(kind)
    schema = _narrow_schema(json.loads(plain.text), json.loads(options))
    if '"#/$defs/Time"' in json.dumps(schema):
        schema["$defs"] = {"Time": {"enum": TIMES, "type": "string"}} | schema.get("$defs", {})
    return Schema(plain.name, json.dumps(schema, ensure_ascii=False, separators=(",", ":")))


def _narrow_schema(node: Any, options: dict[str, Any]) -> Any:
    """The schema with options for its fields, all fields required and no others allowed, as strict
    structured output demands."""
    if isinstance(node, list):
        return [_narrow_schema(item, options) for item in node]
    if not isinstance(node, dict):
        return node
    if "([01]" in str(node.get("pattern", "")):  # a time of day
        return {"$ref": "#/$defs/Time"}
    new = {word: _narrow_schema(part, options) for word, part in node.items()}
    if "properties" in new:
        fields = new["properties"]
        for name in filter(fields.__contains__, options):
            # An option replaces a pattern, or the type that the field refers to.
            field = {k: v for k, v in fields[name].items() if k not in ("pattern", "$ref")}
            fields[name] = field | options[name]
        new |= {"required": list(fields), "additionalProperties": False}
    return new


# ------------------------------------------------------------------ plain text


def read_plain(text: str, question: MindQuestion[Any]) -> BaseModel:
    """The answer in a plain-text reply; ReplyError says what was expected and what was found.

    Words never end a talk, so that it goes on to its limit of rounds (STSS appendix A.2). A note
    becomes a memo of middling importance, which agrees to nothing and changes no plan.
    """
    spoken = _FENCE.sub("", extract_reply(text)).strip()
    match question:
        case Utter():
            words = _strip_quotes(_extract_speech(spoken, question, text))
            return _build_answer(
                Said, text, text=_require_text(words, "the words that you say", text)
            )
        case Summarise():
            memo = _require_text(_strip_quotes(spoken), "a note", text)
            return _build_answer(Summary, text, memo=" ".join(memo.split()), importance=IMPORTANCE)
        case TalkReminder():
            return _build_answer(Items, text, items=_read_entries(spoken, 1, _MOST_ITEMS, text))
        case GeneralPlan():
            return _build_answer(
                Lines, text, lines=_read_entries(spoken, _FEWEST_LINES, _MOST_LINES, text)
            )
    raise TypeError(f"{type(question).__name__} is not asked in plain text")


def _extract_speech(spoken: str, question: Utter, raw: str) -> str:
    """The speaker's words without name labels, up to where the reply continues with those of
    another."""
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


def _strip_quotes(text: str) -> str:
    """The text without quotation marks around the whole of it."""
    closing = _QUOTES.get(text[:1])
    inside = text[1:-1]
    if closing is None or len(text) < 2 or text[-1] != closing:
        return text
    return text if text[0] in inside or closing in inside else inside.strip()


def _read_entries(spoken: str, fewest: int, most: int, raw: str) -> tuple[str, ...]:
    """One entry a line, without bullets and numbers; a line that introduces them is skipped."""
    lines = [line.strip() for line in spoken.splitlines() if _WORD.search(line)]
    if len(lines) > 1 and lines[0].endswith(":"):
        del lines[0]
    entries = [_strip_quotes(_BULLET.sub("", line)) for line in lines]
    if not fewest <= len(entries) <= most:
        problem = f"expected {fewest} to {most} lines, one thing each, found {len(entries)}"
        raise ReplyError(problem, raw=raw, cause="unreadable")
    return tuple(entries)


def _require_text(text: str, what: str, raw: str) -> str:
    if not text:
        raise ReplyError(f"expected {what}, found an empty reply", raw=raw, cause="unreadable")
    return text


def _build_answer(kind: type[A], raw: str, **fields: object) -> A:
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        problem = f"expected a shorter reply ({first['msg']}), found {len(first['input'])}"
        raise ReplyError(problem, raw=raw, cause="unreadable") from error
