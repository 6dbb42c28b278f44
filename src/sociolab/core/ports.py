"""The five ports (Player, World, Judge, ChatModel, ReplyStore) and what passes through them."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import Annotated, Any, Literal, Protocol, TypeAlias, TypeVar

from pydantic import BaseModel, Field

from sociolab.core.episode import ACT, Action, ActionSpace, Episode, Event, Json, Task
from sociolab.core.errors import Cause, ModelError
from sociolab.core.instructions import Instructions
from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.score import JudgeId, Verdict

# ------------------------------------------------------------------ requests to players


@dataclass(frozen=True, slots=True)
class Line:
    """A turn as one seat saw it, or in a transcript of the whole episode.

    `who` is that seat's name for the one who acted, and so are the names in `to` of the actions;
    `text` is the turn as one line. `seat` is whose turn it was in a transcript of the whole
    episode; "" in what a seat saw, since the id of a seat may be a name that it does not know.
    """

    turn: int
    who: str
    you: bool
    actions: tuple[Action, ...]
    text: str
    seat: str = ""


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of an observation in a model's prompt.

    It is a system and a user message, or a single user message; instructions on the reply's form
    are added to it, or are in the prompt already. In the latter case, `keys` are the reply's fields
    for the action and its text, and `kinds` are its names for kinds of action that have another
    name here.
    """

    messages: Literal["system+user", "one"] = "system+user"
    reply_form: Literal["added", "in prompt"] = "added"
    keys: tuple[str, str] = ("action", "text")
    kinds: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Observation:
    """What one seat may know at a request, as text and, in `view`, as the world's own record.

    `head` never changes in an episode, `history` only grows, `tail` is short: in this order they
    make prompts that share a long prefix. `you` is this seat's own name, `others` are the names to
    use in `Action.to`.
    """

    seat: str
    you: str
    turn: int
    limit: int
    head: str
    history: tuple[Line, ...]
    tail: str
    others: tuple[str, ...]
    view: Any
    layout: Layout = Layout()


@dataclass(frozen=True, slots=True)
class FieldWording:
    """A field of an answer in people's forms.

    `choices` pairs each value of the field with its label. With `is_line` the answer is a line of
    the conversation, which people select. `only_if` names another field and those of its values
    with which this field is shown at all; it is then mandatory if null means "none".
    """

    name: str
    label: str
    hint: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    is_line: bool = False
    only_if: tuple[str, tuple[str, ...]] | None = None


@dataclass(frozen=True, slots=True)
class Wording:
    """A question in people's forms: `text` stands above the fields."""

    text: str
    fields: tuple[FieldWording, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A named question whose answer never enters the history; `reply` is the answer's type.

    Nothing depends on the answer to an `optional` question: whatever goes wrong with it, even an
    exception of the player, is recorded as an unanswered question, without a retry. Its answer is
    part of no transcript, prompt, search or training example.
    `wording` is for people; without it they read `text` and the names of the fields. `leaves` names
    the field that says, with true, that the seat leaves; "" if there is none. `complaint` says what
    an answer lacks, given what the seat saw, or ""; the seat is then asked again as often as the
    run allows, and its last answer counts as it is. `needs` are the tokens that an answer may take
    (see `Prompt`); without it they follow from the schema of `reply`.

    >>> from pydantic import BaseModel
    >>> from sociolab.agents import Question, Reply
    >>> class Mood(BaseModel):
    ...     happy: bool
    >>> question = Question("mood", "Are you happy?", Mood)
    >>> Reply(question.reply(happy=True)).value
    Mood(happy=True)
    """

    name: str
    text: str
    reply: type[BaseModel]
    optional: bool = False
    wording: Wording | None = None
    leaves: str = ""
    complaint: Callable[[Any, Sequence[Line]], str] | None = None
    needs: int | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """One request to a seat: to act (`expected` is an action space) or to answer a question.

    `attempt` counts from 1; after an unusable reply, `problem` and `cause` say why it was unusable.
    `space` has all kinds of action of the episode, even at a question; None where a seat takes no
    turns. `last`: this is the last request to this seat in the episode.

    >>> from sociolab.testing import SilentPlayer, StockScene, WatchedPlayer, play_scene
    >>> requests = []
    >>> silent = WatchedPlayer(SilentPlayer(), lambda request, exchange: requests.append(request))
    >>> events = play_scene(StockScene(), {"first": silent, "second": silent})
    >>> [(request.name, request.seat, request.turn, request.attempt) for request in requests[2:4]]
    [('act', 'first', 0, 3), ('act', 'second', 1, 1)]
    >>> requests[1].problem
    'this player never replies'
    """

    trial: str
    seed: int
    seat: str
    turn: int
    attempt: int
    expected: ActionSpace | Question
    observation: Observation
    problem: str = ""
    space: ActionSpace | None = None
    last: bool = False
    cause: Cause | None = None

    @property
    def name(self) -> str:
        """The question's name; "act" where a turn is due."""
        return self.expected.name if isinstance(self.expected, Question) else ACT

    def again(self, failed: NoReply) -> Request:
        """The next attempt at this request, with the reason that the last reply was unusable."""
        return replace(self, attempt=self.attempt + 1, problem=failed.problem, cause=failed.cause)

    @property
    def optional(self) -> bool:
        return isinstance(self.expected, Question) and self.expected.optional


@dataclass(frozen=True, slots=True)
class Reply:
    """A typed reply: actions (with the observation's names in `to`), or a question's record.

    The player gets `memory` back at its next request in this episode; `raw` is a model's text,
    verbatim.

    >>> from sociolab.agents import Action, Reply
    >>> Reply((Action("speak", "Hello."),), memory={"turns": 1}).memory
    {'turns': 1}
    """

    value: tuple[Action, ...] | BaseModel
    memory: Json = None
    raw: str = ""


@dataclass(frozen=True, slots=True)
class NoReply:
    """No usable reply: why, and the raw text. `again`: a retry may help.

    Without `memory` the player keeps its earlier one.

    >>> from sociolab.agents import NoReply
    >>> from sociolab.testing import StockScene, play_scene
    >>> class Shy:
    ...     async def reply(self, request, memory):
    ...         return NoReply("gave up", "I would rather not", again=False)
    >>> events = play_scene(StockScene(), {"first": Shy(), "second": Shy()})
    >>> events[0].turn, events[0].problem, events[0].final
    (0, 'I would rather not', True)
    """

    cause: Cause
    problem: str
    raw: str = ""
    again: bool = True
    memory: Json = None


@dataclass(frozen=True, slots=True)
class StartRequests:
    """Requests whose replies are taken in order of arrival, so that a slow one holds up no other.

    The play is then sent at least one `Completed`, out of all the requests it has started.
    """

    requests: tuple[Request, ...]


@dataclass(frozen=True, slots=True)
class Completed:
    """A reply to one of the `StartRequests`."""

    request: Request
    reply: Reply | NoReply


Step: TypeAlias = tuple[Request, ...] | StartRequests | Event
Sent: TypeAlias = Sequence[Reply | NoReply | Completed] | None
Play: TypeAlias = Generator[Step, Sent, None]
"""Yields requests or events; does no I/O.

After a tuple of requests it is sent as many replies, after a `StartRequests` some `Completed`,
after an event None.
"""


class Player(Protocol):
    """Whoever takes a seat: a model, a person, a rule-based player, or a class of your own.

    A player keeps no state between turns: what `reply` returns as `memory` is passed to it next
    time.

    >>> from sociolab.agents import Action, Reply
    >>> from sociolab.testing import StockScene, play_scene
    >>> class Greeter:
    ...     async def reply(self, request, memory):
    ...         if memory == "greeted":
    ...             return Reply((Action("leave"),))
    ...         return Reply((Action("speak", "Hello."),), memory="greeted")
    >>> events = play_scene(StockScene(), {"first": Greeter(), "second": Greeter()})
    >>> [action.as_text for event in events[:-1] for action in event.actions]
    ['speak: Hello.', 'speak: Hello.', 'leave']
    """

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        """Act or answer. `memory` is what this player returned last in this seat, or None."""
        ...


# ------------------------------------------------------------------ worlds and judges


@dataclass(frozen=True, slots=True)
class DataId:
    """The data set that a world plays; `hash` is of its content."""

    name: str
    version: str
    hash: str


@dataclass(frozen=True, slots=True)
class Note:
    """A remark on a turn (from 0), or with None on the episode; `trouble`: something went wrong.

    Trouble is shown before the turn's line, since it came before; other notes follow the line.
    `seat` is whose line of that turn it is about, where seats act at the same time.
    """

    turn: int | None
    text: str
    trouble: bool = False
    seat: str = ""


@dataclass(frozen=True, slots=True)
class Transcript:
    """An episode to read: a title, titled paragraphs that set the scene, and the lines.

    In a paragraph, private text begins with a line "Private: ...", "Secret: ..." or "Goal: ...".
    `notes` are remarks on turns (failed turns, private questions).

    >>> import sociolab.plugin.api as lab
    >>> offer = lab.Action("offer", "Half each.")
    >>> line = lab.Line(0, "Ann", you=False, actions=(offer,), text="Ann: Half each.", seat="ann")
    >>> game = lab.Transcript("A split", (("Ann", "Goal: Keep as much as you can."),), (line,))
    >>> [line.text for line in game.lines]
    ['Ann: Half each.']
    """

    title: str
    scene: tuple[tuple[str, str], ...]
    lines: tuple[Line, ...]
    notes: tuple[Note, ...] = ()


class World(Protocol):
    """An environment: its tasks, its rules, and the transcripts of episodes."""

    @property
    def name(self) -> str:
        """As in `sociolab run NAME`."""
        ...

    @property
    def data(self) -> DataId:
        """The data set that is played, and (in `hash`) all that shapes its prompts."""
        ...

    def tasks(self) -> Sequence[Task]:
        """All tasks, in a fixed order."""
        ...

    def play(self, task: Task, trial: str, seed: int) -> Play: ...

    def transcript(self, episode: Episode, seat: str | None = None) -> Transcript:
        """The episode to read: all of it, or only what one seat saw."""
        ...


class Judge(Protocol):
    """Scores episodes: one verdict for each of its metrics and seats.

    A class of your own needs an `id` and `judge`. If it raises, takes too long or returns an
    invalid verdict, only its scores fail.

    >>> from sociolab import RunConfig, run
    >>> from sociolab.judging import JudgeId, Measure, Score
    >>> class Length:
    ...     id = JudgeId("length", "rules")
    ...     async def judge(self, episode, judging=0):
    ...         return [Score(Measure("length", 0, 1000), None, len(episode.moves))]
    >>> talk = run(RunConfig(judges="python:__main__:Length", limit=1, settings={"turns": "4"},
    ...                      name="first", store=f"{folder}/lab.db"))
    >>> {entry.value for entry in talk.result.scores if entry.measure == "length"}
    {4.0}
    """

    @property
    def id(self) -> JudgeId: ...

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """Verdicts on a finished episode; `judging` numbers repeated judgings, from 0."""
        ...


# ------------------------------------------------------------------ models

Role: TypeAlias = Literal["agent", "partner", "judge", "writer", "background", "embedder"]


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A function that a model may ask for; `parameters` is the JSON schema of its arguments, which
    a `strict` model must follow (None: as the provider does by itself).

    >>> from sociolab.agents import ToolDefinition
    >>> ToolDefinition("look", "The weather.", '{"type": "object", "properties": {}}').name
    'look'
    """

    name: str
    description: str
    parameters: str
    strict: bool | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """What the model reads of it."""
        return self.name, self.description, self.parameters

    @property
    def parts(self) -> tuple[str | bool, ...]:
        """Its fields, those that are set."""
        return self.texts if self.strict is None else (*self.texts, self.strict)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's request for a tool; `arguments` is its own text, by rights a JSON object.

    >>> from sociolab.agents import ToolCall
    >>> ToolCall("call_1", "look", '{"town": "Ely"}').arguments
    '{"town": "Ely"}'
    """

    id: str
    name: str
    arguments: str


def _with_calls(text: str, calls: tuple[ToolCall, ...]) -> str:
    asked = [f"(calls the tool {call.name}: {call.arguments})" for call in calls]
    return "\n".join([text, *asked] if text else asked)


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a prompt: `calls` are the tools that an assistant's message asked for, `answers`
    is the id of the call whose result a tool's message is.

    >>> from sociolab.agents import Message
    >>> Message("tool", "It rains.", answers="call_1").text
    'It rains.'
    """

    role: Literal["system", "user", "assistant", "tool"]
    text: str
    calls: tuple[ToolCall, ...] = ()
    answers: str = ""

    @property
    def shown(self) -> str:
        """Its text and the tools that it asks for, for people to read."""
        return _with_calls(self.text, self.calls)

    @property
    def texts(self) -> tuple[str, ...]:
        """Its text, and what it asks of tools."""
        if not self.calls and not self.answers:
            return (self.text,)
        calls = (text for call in self.calls for text in astuple(call))
        return (self.text, *calls, self.answers)


@dataclass(frozen=True, slots=True)
class Schema:
    """A JSON schema that the reply should follow; `text` is its canonical JSON.

    `in_prompt`: the prompt already describes the format in words, so that a server without
    structured output needs no copy of the schema.
    """

    name: str
    text: str
    in_prompt: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class CallKey:
    """What a call is for. No two calls of a run share a key; a resumed call has its old key."""

    trial: str
    role: Role
    seat: str
    turn: int
    name: str
    attempt: int
    index: int = 0


@dataclass(frozen=True)  # no slots: the fingerprint is kept
class Prompt:
    """A prompt for a chat model, with sampling settings.

    `penalties` is both the frequency and the presence penalty, -2 to 2; None sends neither.
    `max_tokens` is the user's own limit; without it the reply is capped by `needs`, the tokens that
    a reply of this kind may take. `needs` does not identify a call or a trial.

    `tools` may be asked for as `tool_choice` says: "auto", "none", "required", or the name of one.
    `options` are further parameters of the API with their values as JSON, sent as they are.
    """

    messages: tuple[Message, ...]
    schema: Schema | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    penalties: float | None = None
    needs: int | None = field(default=None, compare=False)
    tools: tuple[ToolDefinition, ...] = ()
    tool_choice: str = "auto"
    options: tuple[tuple[str, str], ...] = ()

    @property
    def texts(self) -> Iterator[str]:
        """All that the model reads: messages, schema and tools."""
        for message in self.messages:
            yield from message.texts
        if self.schema is not None:
            yield self.schema.text
        for tool in self.tools:
            yield from tool.texts

    @cached_property
    def fingerprint(self) -> bytes:
        """16 bytes that identify the messages, the schema, the tools and the options, but not the
        settings of every call."""
        parts = [text for one in self.messages for text in (one.role, *one.texts)]
        parts.append(self.schema.text if self.schema else "")
        if self.tools or self.options:
            parts += [self.tool_choice, *(text for pair in self.options for text in pair)]
            parts += [str(part) for tool in self.tools for part in tool.parts]
        # The lengths mark where each part ends, whatever the texts hold.
        text = "\x1f".join([*map(str, map(len, parts)), *parts])
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


MOST_TOKENS = 2**31
"""No model reads or writes so many in one call: a larger count is a mistake of the provider."""

Tokens: TypeAlias = Annotated[int, Field(strict=True, ge=0, le=MOST_TOKENS)]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of a call; `cached` is the part of `prompt` that came from the provider's cache.

    They are the provider's counts, 0 where it did not count. `estimated`: the provider did not
    count the prompt or the completion, or its counts are impossible, so that they are estimated
    from the texts (see `models.budget.validate_usage`). `written` is the part of `prompt` that was
    written into the cache, which some providers charge for; it affects the price, and is not
    stored.
    """

    prompt: Tokens = 0
    completion: Tokens = 0
    cached: Tokens = 0
    estimated: bool = False
    written: Tokens = 0


@dataclass(frozen=True, slots=True)
class Served:
    """What really answered a call, as opposed to what was requested.

    `model` and `fingerprint` are as the server returned them, "" if it did not. `left_out` names
    the parts of the prompt that were not sent since this model has refused them ("temperature",
    "schema", "system", "penalties"). `cap` is the token limit that was sent, None for none.
    """

    model: str = ""
    fingerprint: str = ""
    left_out: tuple[str, ...] = ()
    cap: int | None = None


Billed: TypeAlias = Literal["told", "estimated", "possible", "no"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request of a call, and what it may have cost.

    `number` counts from 1 within the call; `cause` is None if it brought the reply. `billed`: the
    provider reported its usage ("told"), its tokens are estimated from the texts ("estimated"), it
    was sent but its cost is not known, so that it is booked at the amount held ("possible"), or it
    was refused before anything was generated ("no"). `usd` is the amount booked, None without a
    price.
    """

    number: int
    seconds: float
    cause: Cause | None
    billed: Billed
    usage: Usage = field(default_factory=Usage)
    usd: float | None = None


@dataclass(frozen=True, slots=True)
class ChatReply:
    """A chat model's reply, including those that were cut off or blocked.

    `seconds` is the time of the call with its retries, but without the wait for a slot in flight;
    `usd` its cost, None if unknown. `fault` says what was wrong with a reply whose text could be
    used all the same (an impossible usage), else "". `served` says what answered, and `reasoned`
    that tokens were spent on thoughts outside of the text. `calls` are the tools that it asks for.
    """

    text: str
    finish: Literal["stop", "length", "content filter"] = "stop"
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    tries: int = 1
    usd: float | None = None
    fault: str = ""
    served: Served = field(default_factory=Served)
    reasoned: bool = False
    calls: tuple[ToolCall, ...] = ()

    @property
    def shown(self) -> str:
        """Its text and the tools that it asks for, for people to read."""
        return _with_calls(self.text, self.calls)


class ChatModel(Protocol):
    """Any chat model: one prompt in, one text out."""

    @property
    def label(self) -> str:
        """What tables call it, such as "openai/gpt-x"."""
        ...

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        """Call the model, with retries; ModelError where these are used up or would not help."""
        ...


class ReplyStore(Protocol):
    """The replies of a run, so that a resumed run pays for none of them twice."""

    def find(self, key: str) -> ChatReply | None: ...

    def keep(
        self, key: str, call: CallKey, model: str, prompt: Prompt, reply: ChatReply
    ) -> None: ...

    def keep_failure(self, call: CallKey, model: str, error: ModelError, seconds: float) -> None:
        """Record a call that failed for good."""
        ...

    def begin_attempt(self) -> None:
        """A request goes out now: from here on the call waits for nothing but the server."""
        ...

    def keep_attempt(self, call: CallKey, model: str, attempt: Attempt) -> None:
        """Store an attempt that brought no reply, and what it may have cost."""
        ...


# ------------------------------------------------------------------ validating readers and judges

CANNOT_TELL = "cannot tell"
"""The answer of a reader that abstains: neither right nor wrong, unless it is the label."""


@dataclass(frozen=True, slots=True)
class LabelledPoint:
    """One question about a labelled item, with its label.

    Agreement is broken down by `kind`; `about` tells an item's points of one kind apart, "" if
    there is only one. `right` are the answers that count as right: several if a fair reader could
    give any of them. `none` are the negative answers, such as "not met".
    """

    kind: str
    about: str
    right: tuple[str, ...]
    none: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PointAnswer:
    """An answer to a point, in the words of its labels, and the quotes that it rests on.

    `text` None: there was no usable reply, and `evidence` says why.
    """

    text: str | None
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Labelled:
    """An item of a validation set: a conversation or a statement, with labels.

    `kind` is the sort of item, such as a conversation about a price; `text` are its lines. `ask`
    has a chat model answer the points, in their order, by the world's own prompts; ModelError if
    the call fails. `expected` are the scores of `episode` by the labels, for users' own judges:
    alternatives if there are several labels, empty if there is no episode.
    """

    id: str
    kind: str
    text: tuple[str, ...]
    points: tuple[LabelledPoint, ...]
    ask: Callable[[ChatModel], Coroutine[Any, Any, tuple[PointAnswer, ...]]]
    episode: Episode
    expected: tuple[tuple[Verdict, ...], ...] = ()


# ------------------------------------------------------------------ what a plugin provides


Way: TypeAlias = Literal["down", "up", "move", "still", "as again"]
"""How a score should change. "move": in either direction, as where one side's gain is the other's
loss; "as again": no more than when the same episode is judged again."""


@dataclass(frozen=True, slots=True)
class Variant:
    """An episode changed in one respect, for an audit of a judge; its seats keep their ids.

    `label` tells the variants of an episode apart. `changes` has the seats that are compared (None:
    the whole episode), each with its condition in the episode and in the variant, such as
    ("ann", "", "padded"); "" is the unchanged condition. An audit also reports results by `group`.
    """

    label: str
    episode: Episode
    changes: tuple[tuple[str | None, str, str], ...]
    group: str = ""


@dataclass(frozen=True, slots=True)
class Variants:
    """One kind of variant: `make` returns those of an episode, by seed, if it has any.

    `about` says in a sentence without a full stop what is changed and what is not. `expects` says,
    by metric, how the score of a judge that reads the episode should change. With `donor`, `make`
    is given the episode's task with the transcript of another task's episode.
    """

    make: Callable[[Episode, int], tuple[Variant, ...]]
    about: str
    expects: Mapping[str, Way] = field(default_factory=dict)
    donor: bool = False


Agent = TypeVar("Agent")


class CastRule(Protocol):
    """How a world seats the agents that are compared, with a partner if there is one."""

    def __call__(
        self, agents: Sequence[Agent], partner: Agent | None, seats: Sequence[str]
    ) -> tuple[tuple[Agent, ...], ...]:
        """The casts to play, each with one agent a seat, in the order of the seats."""
        ...


@dataclass(frozen=True, slots=True)
class Pace:
    """The length of episodes, for the progress of a run: `length` is the most turns that a task
    takes. In simulated time, `Happened` marks the steps, and `per` steps make a `unit`.
    """

    length: Callable[[Task], int]
    unit: str = "turns"
    per: int = 1


@dataclass(frozen=True, slots=True)
class StandingOffers:
    """What the offers on the table are worth, in the unit of a metric of whole episodes.

    `worth` takes an episode under way and gives each seat the worth of what it could accept now, 0
    without an offer; empty where nobody can tell.
    """

    metric: str
    worth: Callable[[Episode], Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Negotiation:
    """What came of an episode in which something was to be agreed on.

    `agreed` is None where that is not established. `walked`: a seat left without an agreement; None
    where that is not established, or where to leave refuses nothing. `concessions` are the turns in
    which a seat claimed less than it had, by all seats; None where claims are not read.
    """

    agreed: bool | None
    walked: bool | None = None
    concessions: int | None = None


@dataclass(frozen=True, slots=True)
class ClosingReport:
    """What a seat says, when asked at the end, that was agreed, on which terms (or what it was in
    the seat's words), and which lines proposed and accepted it; "" for what it left out."""

    outcome: str = ""
    terms: Json = ""
    offer: str = ""
    acceptance: str = ""


@dataclass(frozen=True, slots=True)
class WorldKit:
    """A world with its rule-based players and judges, by name, and its judge prompt.

    `checks` are judges that need no model and are applied to every episode. `model_judge` makes a
    judge of a chat model, `reader` one that only extracts what was agreed. `casts` decides who sits
    where; without it every seating is played. A world whose requests need players of its own kind
    makes them itself: `model_player` from a chat model, `python_player` from an object with a
    label; both may raise ConfigError. `temperature` is that of a model that plays, unless its spec
    sets one. `dry_run` is for a world whose episodes have no turn limit, so that the number of
    calls depends on the replies: the world as a dry run plays it, with mock replies or, where there
    are too many of them, with those of `rehearsal`, which one episode is then enough to count.
    `background`: one performer is evaluated among background agents, whom the partner plays and who
    must be named beside a user's own code; scripted ones beside another performer are a smoke test.
    `validation` parses a row of a validation set of each kind, given an id for rows without one;
    ValueError says what is wrong with it. `declared` is stored with a run, `code` is a hash of a
    plugin's code. `instructions` identifies the prompt set, if there is one. `embedder` is the spec
    of a model that embeds texts for all players, "" for none; `embedding_player` gives it to a
    player. `standing` values the offers on the table, for rewards by turn. A run with one of the
    `training_partners`, players by name, is a smoke test. `cautions` says, before anything is
    played, what so many tasks, each counted once, will not show.
    """

    world: World
    players: Mapping[str, Player]
    judges: Mapping[str, Judge]
    checks: tuple[Judge, ...]
    model_judge: Callable[[ChatModel], Judge]
    reader: Callable[[ChatModel], Judge] | None = None
    casts: CastRule | None = None
    model_player: Callable[[ChatModel, Role, float, str], Player] | None = None
    python_player: Callable[[str, object], Player] | None = None
    temperature: float = 1.0
    variants: Mapping[str, Variants] = field(default_factory=dict)
    dry_run: World | None = None
    rehearsal: Player | None = None
    pace: Pace | None = None
    background: bool = False
    validation: Mapping[str, Callable[[Json, str], Labelled]] = field(default_factory=dict)
    declared: Declared = UNDECLARED
    code: str = ""
    instructions: Instructions | None = None
    embedder: str = ""
    embedding_player: Callable[[Player, ChatModel], Player] | None = None
    standing: StandingOffers | None = None
    training_partners: frozenset[str] = frozenset()
    cautions: Callable[[int], Sequence[str]] | None = None

    @property
    def data(self) -> DataId:
        """The world's data; the hash of a plugin's code is appended to theirs."""
        own = self.world.data
        return replace(own, hash=f"{own.hash}-{self.code}") if self.code else own
