"""Check whether the spec of an agent or a judge works, by one call or one short offline episode."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from pydantic import BaseModel, ConfigDict

from sociolab.agents.prompted import Dialect, how_to_reply, read_plain, read_words
from sociolab.app.data.sets import load_world
from sociolab.app.players.casting import Casting
from sociolab.app.players.models import AnySpec, Models, ModelSpec, PythonSpec, parse
from sociolab.app.registry import python_object, world_plugin, worlds_that
from sociolab.app.run_sync import run_sync
from sociolab.core.episode import (
    HUMAN,
    ActionKind,
    ActionSpace,
    Agent,
    Answered,
    Episode,
    Event,
    Moved,
    Trial,
    Unusable,
)
from sociolab.core.errors import ConfigError, ModelError, ReplyError, SociolabError
from sociolab.core.ports import (
    CallKey,
    ChatModel,
    ChatReply,
    Message,
    Player,
    Prompt,
    WorldKit,
)
from sociolab.core.score import Score
from sociolab.engine.driver import drive
from sociolab.engine.scene import FailurePolicy
from sociolab.models.budget import Budget, bytes_of
from sociolab.models.cache import NullReplyStore
from sociolab.plugin.options import FIRST_WORLD, EndpointAccess
from sociolab.prompting.structured import parse_reply, typed_prompt
from sociolab.report.words import plural
from sociolab.runner.guard import ForeignPlayer
from sociolab.runner.judging import verdicts_of
from sociolab.runner.plan import filter_tasks, plan_trials
from sociolab.runner.progress import Waits, blocks_at

HEAD = "You check that a program can read you. Reply with the JSON object that is asked for."
BODY = 'Put the word "ready" into the field "word".'


class Ready(BaseModel):
    """What the model is asked to reply."""

    model_config = ConfigDict(extra="forbid")

    word: str


SPEAK = ActionSpace((ActionKind("speak", spoken=True),))


@dataclass(frozen=True, slots=True)
class _Form:
    """What is asked of a model in a dialect, how the reply is read, and the dialect that asks
    less."""

    prompt: Prompt
    read: Callable[[ChatReply], object]
    what: str
    easier: str


def _text_prompt(dialect: Dialect) -> Prompt:
    text = f"Say in a few words that you are ready.\n\n{how_to_reply(SPEAK, dialect)}"
    return Prompt((Message("user", text),), None, 0.0)


_FORMS: Mapping[str, _Form] = {
    "json": _Form(
        typed_prompt(HEAD, BODY, Ready, 0.0),
        lambda reply: parse_reply(reply, Ready),
        "a structured reply",
        "plain",
    ),
    "plain": _Form(
        _text_prompt("plain"),
        lambda reply: read_plain(reply.text, SPEAK),
        "a reply in plain text",
        "words",
    ),
    "words": _Form(
        _text_prompt("words"),
        lambda reply: read_words(reply.text, SPEAK),
        "a reply in words",
        "",
    ),
}


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Whether a spec works, and a sentence on what was observed."""

    well: bool
    sentence: str


def examine(
    text: str, access: EndpointAccess, world: str = FIRST_WORLD, tasks: str | None = None
) -> Diagnosis:
    """Check a spec: call its model once, or else play one short episode of a world offline, with
    the first of `tasks`. `access` describes the endpoints of the models that the spec may use.

    ConfigError for an invalid spec, and for one whose agent or judge cannot be made.
    """
    spec = parse(text, "agent")
    if isinstance(spec, ModelSpec):
        return run_sync(lambda: _call(spec, access))
    if spec.label == HUMAN:
        return Diagnosis(True, f"{HUMAN} works: a person is asked at the terminal")
    well, clause = try_out(spec, access, world, tasks)
    if well:
        return Diagnosis(True, f"{spec.label} works: {clause}")
    clause = clause.removeprefix(f"{spec.label} ")
    return Diagnosis(False, f"{spec.label} does not work in {world}: {clause}")


async def _call(spec: ModelSpec, access: EndpointAccess) -> Diagnosis:
    models = Models(access)
    address = models.endpoint(spec).base_url
    form = _FORMS[spec.settings.dialect]
    try:
        model = models.open(spec)
        reply = await model.complete(form.prompt, CallKey("doctor", "agent", "", 0, "doctor", 1))
        try:
            form.read(reply)
        except ReplyError as error:
            other = f"; try {spec.label.partition('?')[0]}?dialect={form.easier}"
            return Diagnosis(
                False,
                f"{spec.label} answers at {address}, but not in the form asked for: {error}"
                f"{other if form.easier else ''}",
            )
        window = await _window(model)
    except ModelError as error:
        return Diagnosis(False, f"{spec.label} does not work: {error}")
    finally:
        await models.close()
    return Diagnosis(
        True,
        f"{spec.label} works: {_describe_reply(reply, form.what)} from {address}"
        f"{_describe_price(models, spec)}; {window}. "
        f"Before it judges, have it sit an exam: sociolab judge --exam {spec.label}",
    )


LONG_LINES = 800
"""Lines of the long prompt: about 9,000 tokens, longer than any prompt for a judge here."""

CUT_BELOW = 0.7
"""A long prompt counts as cut if fewer tokens were read than this share of those expected from the
count for the short prompt."""


async def _window(model: ChatModel) -> str:
    """A clause that says whether the model reads a long prompt to its end."""
    lines = (f"{n}. The {n * 7919 % 997} boats came back before noon." for n in range(LONG_LINES))
    text = "\n".join(lines)
    prompts = [
        typed_prompt(HEAD, f"{part}\n{BODY}", Ready, 0.0)
        for part in (text[: len(text) // 20], text)
    ]
    key = CallKey("doctor", "agent", "", 0, "window", 1)
    try:
        short, long = [
            (await model.complete(prompt, replace(key, index=index))).usage
            for index, prompt in enumerate(prompts)
        ]
    except ModelError as error:
        if error.cause == "context overflow":
            return f"it refuses a prompt that is too long for it, as it should ({error})"
        return f"a long prompt failed ({error})"
    if short.estimated or long.estimated:
        return "whether long prompts are read whole is unknown, since it counts no tokens"
    expected = short.prompt * bytes_of(prompts[1]) / bytes_of(prompts[0])
    if long.prompt < CUT_BELOW * expected:
        return (
            f"but it cut a prompt of about {expected:,.0f} tokens at {long.prompt:,} without a "
            "word: give the server a longer context, or agents lose their goals"
        )
    return f"prompts of {long.prompt:,} tokens are read whole"


def _describe_reply(reply: ChatReply, what: str) -> str:
    usage = reply.usage
    tried = f" after {reply.tries} tries" if reply.tries > 1 else ""
    counted = f"{usage.prompt} tokens read, {usage.completion} written"
    if usage.estimated:
        what = "an impossible count of" if reply.fault else "no count of"
        counted = f"~{counted}: {what} tokens came with it, so tokens and costs are estimated"
    return f"{what} in {reply.seconds:.2f} s{tried} ({counted})"


def _describe_price(models: Models, spec: ModelSpec) -> str:
    price = models.price(spec)
    if price is None:
        return f"; {models.no_price(spec)}: until then, its runs show no cost"
    return f"; ${price.input:g} per million tokens read, ${price.output:g} written"


# ------------------------------------------------------------------ one short episode

Done = TypeVar("Done")

PATIENCE = 30.0
"""Seconds without a reply after which an agent or a judge is taken to hang."""

OPPOSITE = "scripted"
"""The player in the other seats."""


@dataclass(slots=True)
class _Trying:
    """The outcome of an attempt so far: one thread fills it in while another one reads it.

    `well` says what worked, `problem` what did not.
    """

    events: list[Event] = field(default_factory=list)
    problem: str = ""
    well: str = ""


def try_out(
    spec: AnySpec, access: EndpointAccess, world: str, tasks: str | None
) -> tuple[bool, str]:
    """Whether an agent plays an episode, or a judge judges one, with a clause on what it did or
    what is wrong. ConfigError for an unsuitable world, and for an agent or judge that cannot be
    made."""
    kit = _load_kit(world)

    def attempt(outcome: _Trying) -> None:
        casting = Casting(kit, Models(access), NullReplyStore(), Budget())
        (_judge if _is_judge(spec) else _play)(casting, spec.label, tasks, outcome)

    return _run_in_thread(spec.label, attempt)


def _is_judge(spec: AnySpec) -> bool:
    if not isinstance(spec, PythonSpec):
        return False
    target = python_object(spec.path)
    return hasattr(target, "judge") and not hasattr(target, "reply")


def _load_kit(world: str) -> WorldKit:
    kit = load_world(world, None, FailurePolicy(1, "stop"), world_plugin(world).short)
    if kit.dry_run is not None or OPPOSITE not in kit.players:
        names = ", ".join(worlds_that(lambda installed: installed.short is not None))
        raise ConfigError(
            f"--world {world}: expected a world of turns with a scripted player, such as {names}; "
            "a mind that lives in a town is tried by its contract suite, see docs/stss.md"
        )
    return kit


def _run_in_thread(label: str, attempt: Callable[[_Trying], None]) -> tuple[bool, str]:
    """Make an attempt in a thread of its own: a player that hangs without awaiting cannot be
    stopped otherwise."""
    outcome = _Trying()
    errors: list[BaseException] = []

    def work() -> None:
        try:
            attempt(outcome)
        except BaseException as error:  # noqa: BLE001  raised again in the caller's thread
            errors.append(error)

    # A daemon thread, so that one that hangs for good does not keep the process from ending.
    thread = threading.Thread(target=work, name="doctor", daemon=True)
    thread.start()
    events_before = -1
    while thread.is_alive() and events_before < len(outcome.events):
        events_before = len(outcome.events)
        _wait(thread)
    if thread.is_alive():
        return (
            False,
            f"{label} hangs: nothing came for {PATIENCE:g} s{blocks_at(thread.ident or 0)}",
        )
    for error in errors:
        if isinstance(error, ConfigError) or not isinstance(error, SociolabError):
            raise error
        return False, str(error)
    return not outcome.problem, outcome.problem or outcome.well


def _wait(thread: threading.Thread) -> None:
    """Wait a second longer than any timeout inside the attempt: its message says more."""
    thread.join(PATIENCE + 1)


def _play(casting: Casting, label: str, tasks: str | None, outcome: _Trying) -> None:
    kit = casting.kit
    seatable = casting.agent(label, "agent")
    trial = _trial(kit, seatable.id, tasks)
    waits = Waits()
    player = ForeignPlayer(seatable.player, label, trial.task.id, PATIENCE, waits)
    _episode(casting, trial, {label: player, OPPOSITE: kit.players[OPPOSITE]}, outcome)
    seats = {member.seat for member in trial.cast if member.agent == label}
    unusable = [e for e in outcome.events if isinstance(e, Unusable) and e.seat in seats]
    failed = [event for event in unusable if not event.optional]
    turns = sum(isinstance(event, Moved) and event.seat in seats for event in outcome.events)
    answers = sum(isinstance(event, Answered) and event.seat in seats for event in outcome.events)
    if failed:
        outcome.problem = _failure(label, failed[0])
    elif not turns and not answers:
        outcome.problem = f"{label} was asked nothing in the episode"
    else:
        answered = f" and answered {plural(answers, 'question')}" if answers else ""
        unanswered = "".join(
            f', and left the question "{event.name}" unanswered: {event.problem}'
            for event in unusable
        )
        held_up = "".join(f". But {words}" for words in waits.held_up_sentences())
        outcome.well = (
            f"it took {plural(turns, 'turn')}{answered} in {kit.world.name}{unanswered}{held_up}"
        )


def _failure(label: str, failed: Unusable) -> str:
    where = f"turn {failed.turn + 1}" if failed.name == "act" else f'the question "{failed.name}"'
    return f"{label} gave nothing usable at {where} ({failed.cause}): {failed.problem}"


def _judge(casting: Casting, label: str, tasks: str | None, outcome: _Trying) -> None:
    kit, judge = casting.kit, casting.judge(label)
    trial = _trial(kit, Agent(OPPOSITE, "rules", OPPOSITE), tasks)
    _episode(casting, trial, {OPPOSITE: kit.players[OPPOSITE]}, outcome)
    episode = Episode(trial, tuple(outcome.events))
    try:
        judging = asyncio.wait_for(verdicts_of(judge, episode), PATIENCE)
        verdicts = asyncio.run(_await_and_close(casting.models, judging))
    except TimeoutError:
        outcome.problem = f"{label} hangs: it gave no score within {PATIENCE:g} s"
        return
    scores = sum(isinstance(verdict, Score) for verdict in verdicts)
    outcome.well = (
        f"it gave {plural(scores, 'score')} in {plural(len(verdicts), 'verdict')} on an episode of "
        f"{kit.world.name}"
    )


def _trial(kit: WorldKit, agent: Agent, tasks: str | None) -> Trial:
    """A trial of the first of these tasks, with the agent in a seat and a rule-based player in all
    others."""
    plan = plan_trials(
        kit.world.name,
        kit.data,
        filter_tasks(kit.world.tasks(), tasks, 1),
        [agent],
        Agent(OPPOSITE, "rules", OPPOSITE),
        repeats=1,
        seed=0,
        casts=kit.casts,
    )
    return next(trial for trial in plan if agent.label in {member.agent for member in trial.cast})


def _episode(
    casting: Casting, trial: Trial, players: Mapping[str, Player], outcome: _Trying
) -> None:
    play = casting.kit.world.play(trial.task, trial.id, trial.seed)
    seated = {member.seat: players[member.agent] for member in trial.cast}
    asyncio.run(_await_and_close(casting.models, drive(play, seated, outcome.events.append)))


async def _await_and_close(models: Models, work: Awaitable[Done]) -> Done:
    """The result of `work`; the connections that it opened are closed afterwards."""
    try:
        return await work
    finally:
        await models.close()
