"""The five ports (Player, World, Judge, ChatModel, ReplyStore) and what passes through them."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import Annotated, Any, Literal, Protocol, TypeAlias, TypeVar

from pydantic import BaseModel, Field

from sociolab.core.episode import ACT, Action, ActionSpace, Episode, Event, Json, Task
from sociolab.core.errors import Cause, ModelError
from sociolab.core.instructions import Instructions
from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.score import JudgeId, Verdict

# ------------------------------------------------------------------ what a player is asked


@dataclass(frozen=True, slots=True)
class Line:
    """A turn as one seat saw it, or as somebody who sees everything reads it.

    `who` is how that seat calls the one who acted, and so are the names in `to` of the actions;
    `text` is the turn as one line to read. `seat` is whose turn it was, in a transcript of the
    whole episode; "" in what a seat saw, since the id of a seat may be a name it does not know.
    """

    turn: int
    who: str
    you: bool
    actions: tuple[Action, ...]
    text: str
    seat: str = ""


@dataclass(frozen=True, slots=True)
class Layout:
    """How a model is shown an observation: as a system and a user message, or as one user message
    with all of it; and whether how to reply is added to it, or stands in the prompt already.

    Of a reply whose form stands in the prompt, `keys` are the fields of the action and its text,
    and `kinds` what it calls kinds of action that have another name here.
    """

    messages: Literal["system+user", "one"] = "system+user"
    reply_form: Literal["added", "in prompt"] = "added"
    keys: tuple[str, str] = ("action", "text")
    kinds: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Observation:
    """What one seat may know when it is asked, as text and, in `view`, as the world's own record.

    `head` never changes in an episode, `history` only grows, `tail` is short: in this order they
    make a prompt whose beginning repeats. `others` are the names to use in `Action.to`, `layout`
    says how a model is shown it.
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
    """How people are asked for one field of an answer.

    `choices` pairs each value of the field with the words for it. With `is_line` the answer is a
    line of the conversation, which people pick. `only_if` names another field and the values of it
    with which this field is asked for at all; it must have an answer then if null means "none".
    """

    name: str
    label: str
    hint: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    is_line: bool = False
    only_if: tuple[str, tuple[str, ...]] | None = None


@dataclass(frozen=True, slots=True)
class Wording:
    """A question as people are asked it, in a form: `text` stands above the fields."""

    text: str
    fields: tuple[FieldWording, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A named question whose answer never enters the history; `reply` is the answer's type.

    Nothing hangs on an answer to one that is `optional`: whatever goes wrong with it, an exception
    of the player included, is an unanswered question on record, which is not asked again. The
    answer is in the record alone: it is part of no transcript, prompt, search or training example.
    `wording` is for people alone; without it they read `text` and the names of the fields.
    `leaves` is the field that says, with true, that the seat leaves; "" for a question without.
    `complaint` says what an answer lacks, given what the seat saw, or nothing; the seat is then
    asked again as often as the run allows, and its last answer is taken as it is. `needs` are the
    tokens that an answer may take, see `Prompt`; without it they follow from the schema of `reply`.

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

    `attempt` counts from 1; after a reply that could not be used, `problem` says why, and `cause`
    in a word. `space` is all that can be done in the episode, also where a question is asked; None
    where a seat takes no turns. `last`: the episode is over, and nothing more is asked of this seat
    in it.

    >>> from sociolab.testing import SilentPlayer, StockScene, Watched, play_scene
    >>> requests = []
    >>> silent = Watched(SilentPlayer(), lambda request, exchange: requests.append(request))
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
    """A typed reply: actions (with `to` as the observation's names), or the question's record.

    `memory` is handed back to the player at its next request in this episode; `raw` is what a
    model wrote, verbatim.

    >>> from sociolab.agents import Action, Reply
    >>> Reply((Action("speak", "Hello."),), memory={"turns": 1}).memory
    {'turns': 1}
    """

    value: tuple[Action, ...] | BaseModel
    memory: Json = None
    raw: str = ""


@dataclass(frozen=True, slots=True)
class NoReply:
    """No usable reply: why, and the raw text. `again` says that asking again may help.

    Without `memory` the player keeps the one that it had.

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
    """Whoever takes a seat: a model, a person, a rule-based player, or a user's own class.

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
    """A remark on a turn (from 0), or with None on the whole; `trouble`: something went wrong.

    Trouble is told before the turn's line, since the line came after it; other notes follow it.
    `seat` is whose line of that turn it is about, where seats act at once.
    """

    turn: int | None
    text: str
    trouble: bool = False
    seat: str = ""


@dataclass(frozen=True, slots=True)
class Transcript:
    """An episode to read: a heading, paragraphs that set the scene, and what happened.

    In a paragraph, what is private begins with a line "Private: ...", "Secret: ..." or "Goal: ...".
    `notes` stand beside the turns (failed turns, questions asked aside).
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
    """Turns an episode into verdicts: one for each measure and seat that it is for.

    >>> from sociolab import RunConfig, run
    >>> from sociolab.judging import JudgeId, Measure, Score
    >>> class Length:
    ...     id = JudgeId("length", "rules")
    ...     async def judge(self, episode, judging=0):
    ...         return [Score(Measure("length", 0, 1000), None, len(episode.moves))]
    >>> result = run(RunConfig(judges="python:__main__:Length", limit=1, settings={"turns": "4"},
    ...                        name="first", store=f"{folder}/lab.db"))
    >>> {entry.value for entry in result.scores if entry.measure == "length"}
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
class Message:
    role: Literal["system", "user", "assistant"]
    text: str


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
    """What is sent to a chat model.

    `penalties` is both the frequency and the presence penalty, -2 to 2; None sends neither.
    `max_tokens` is what somebody wrote; without it the reply is capped by `needs`, the tokens that
    a reply of this kind may take. `needs` is no part of what identifies a call or a trial.
    """

    messages: tuple[Message, ...]
    schema: Schema | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    penalties: float | None = None
    needs: int | None = field(default=None, compare=False)

    @cached_property
    def fingerprint(self) -> bytes:
        """16 bytes that identify the rendered messages and the schema; settings do not count."""
        parts = [text for message in self.messages for text in (message.role, message.text)]
        parts.append(self.schema.text if self.schema else "")
        # The lengths say where one part ends and the next begins, whatever the texts hold.
        text = "\x1f".join([*map(str, map(len, parts)), *parts])
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


MOST_TOKENS = 2**31
"""No model reads or writes so many in one call: a larger count is a provider's mistake."""

Tokens: TypeAlias = Annotated[int, Field(strict=True, ge=0, le=MOST_TOKENS)]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of a call; `cached` is the part of `prompt` that came from the provider's cache.

    As the provider counted them, 0 where it did not. `estimated`: the provider did not count the
    prompt or the completion, or its counts are impossible, and an estimate from the texts stands
    in for them (see `models.budget.validate_usage`). `written` is the part of `prompt` that was
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

    `model` and `fingerprint` are as the server returned them, "" where it did not. `left_out` names
    the options of the prompt that this model has refused and that were not sent ("temperature",
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

    `number` counts from 1 within the call; `cause` is None where it brought the reply. `billed`:
    the provider told the usage of it ("told"), its tokens are estimated from the texts
    ("estimated"), it was sent and nobody knows what it cost, so that it is booked at the amount
    held ("possible"), or it was refused before anything was made ("no"). `usd` is what is booked,
    None without a price.
    """

    number: int
    seconds: float
    cause: Cause | None
    billed: Billed
    usage: Usage = field(default_factory=Usage)
    usd: float | None = None


@dataclass(frozen=True, slots=True)
class ChatReply:
    """A chat model's reply, cut or withheld ones included.

    `seconds` is the time of the call, its retries included, but not its wait for a place in
    flight; `usd` its price, None if unknown. `fault` says what was wrong with a reply whose text
    could be used all the same (an impossible usage), "" where nothing was. `served` says what
    answered, and `reasoned` that tokens were spent on thoughts that are not part of the text.
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
"""The answer of a reader that does not commit itself: neither right nor wrong, unless it is the
label."""


@dataclass(frozen=True, slots=True)
class LabelledPoint:
    """One thing that a labelled item is asked about, with its label.

    `kind` is what agreement is broken down by, `about` which one it is, "" where an item has one.
    `right` are the answers that count as right: more than one where a fair reader could give
    either. `none` are the answers that say that there is nothing, such as "not met".
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
    """An item of a validation set: a conversation or a statement, and what is right to say of it.

    `kind` is what it is, such as a conversation about a price; `text` its lines, to be read. `ask`
    has a chat model answer the points, in their order, by the world's own prompts; ModelError where
    the call fails. `expected` are the scores that the labels make on `episode`, for judges of one's
    own: alternatives where there are several labels, empty where no episode can be made.
    """

    id: str
    kind: str
    text: tuple[str, ...]
    points: tuple[LabelledPoint, ...]
    ask: Callable[[ChatModel], Coroutine[Any, Any, tuple[PointAnswer, ...]]]
    episode: Episode
    expected: tuple[tuple[Verdict, ...], ...] = ()


# ------------------------------------------------------------------ what a world package offers


Way: TypeAlias = Literal["down", "up", "move", "still", "as again"]
"""Where a score should go; "move": either way, as where one side's gain is the other's loss; "as
again": either way, as far as when the same episode is judged again."""


@dataclass(frozen=True, slots=True)
class Variant:
    """An episode changed in one respect, for an audit of a judge; its seats keep their ids.

    `label` tells the variants of an episode apart. `changes` names the seats that are compared
    (None: the whole episode), each with its condition in the episode and in the variant, such as
    ("ann", "", "padded"); "" is nothing out of the ordinary. `group` is what an audit tells apart
    beside all of them, if anything.
    """

    label: str
    episode: Episode
    changes: tuple[tuple[str | None, str, str], ...]
    group: str = ""


@dataclass(frozen=True, slots=True)
class Variants:
    """One kind of variant: `make` lays out those of an episode, by seed; none where it has none.

    `about` says in a sentence without a full stop what is changed and what is not. `expects` says
    what a judge that reads the episode should do to a seat's score in these metrics: give less, or
    more, or the same. With `donor`, `make` is given the episode's task with the transcript of an
    episode of another one.
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
    """How long episodes get, for the progress of a run: `length` is the most turns that a task
    takes. Where simulated time passes instead, `Happened` marks it, and `per` steps make a `unit`.
    """

    length: Callable[[Task], int]
    unit: str = "turns"
    per: int = 1


@dataclass(frozen=True, slots=True)
class WorldKit:
    """A world with its rule-based players and judges, by name, and its judge prompt.

    `checks` are judges that need no model and are applied to every episode. `model_judge` makes
    a judge of a chat model, `reader` one that only reads off what was agreed. `casts` says who sits
    where; without it every seating is played. A
    world whose requests are for players of its own kind makes them itself: `model_player` of a
    chat model, `python_player` of an object with a label; both raise ConfigError where they cannot.
    `temperature` is that of a model that plays, where its spec names none. `dry_run` is for a world
    whose episodes have no turn limit, so that how many calls a trial makes depends on what is done:
    the world as a dry run plays it, with made-up replies.
    `pace` tells how long episodes get.
    `background`: one performer is evaluated among background agents, whom the partner plays and who
    must be named for somebody's own code; scripted ones beside another performer are a smoke test.
    `validation` reads a row of a validation set of each kind, with the id that it goes by if it
    names none; ValueError says what is wrong with it. `declared` is what is stored with a run,
    `code` a hash of the code of a plugin. `instructions` names the set of prompts, where it has
    some. `embedder` is the spec of a model that embeds texts for all who play, "" for none:
    `embedding_player` gives it to a player.
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
    pace: Pace | None = None
    background: bool = False
    validation: Mapping[str, Callable[[Json, str], Labelled]] = field(default_factory=dict)
    declared: Declared = UNDECLARED
    code: str = ""
    instructions: Instructions | None = None
    embedder: str = ""
    embedding_player: Callable[[Player, ChatModel], Player] | None = None

    @property
    def data(self) -> DataId:
        """The world's data; the hash of a plugin's code is appended to theirs."""
        own = self.world.data
        return replace(own, hash=f"{own.hash}-{self.code}") if self.code else own
