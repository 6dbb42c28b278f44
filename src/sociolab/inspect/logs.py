"""Runs as logs of Inspect, and its logs as runs."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from sociolab.app.data.importing import Import, import_episodes
from sociolab.app.registry import world_plugin, worlds_that
from sociolab.app.run.session import SMOKE
from sociolab.app.transcripts import Key, replies_of, transcript_of
from sociolab.core.codec import decode_event, decode_trial, encode_event, encode_trial
from sociolab.core.episode import Answered, Ended, Episode, Event, Moved, Trial, Unusable
from sociolab.core.errors import ConfigError, StoreError, missing_extra
from sociolab.core.ports import Prompt, Transcript
from sociolab.core.reading import first_problem
from sociolab.core.score import JudgeId, Verdict, leading_judge
from sociolab.core.seeding import digest
from sociolab.core.user_files import atomic_file, require_new_file
from sociolab.inspect.models import message_of
from sociolab.inspect.scores import CLUSTER, COVERAGE, Judgings, Naming, inspect_scores
from sociolab.plugin.world import EpisodeImporter, ImportedJudging, TwoPartyTalk
from sociolab.report.words import join_names, plural
from sociolab.store.calls import CallRow
from sociolab.store.checking import verify_runs
from sociolab.store.store import RunRow, Store

try:
    from inspect_ai.event import InfoEvent, ModelEvent, ScoreEvent
    from inspect_ai.log import (
        EvalConfig,
        EvalDataset,
        EvalLog,
        EvalSample,
        EvalSpec,
        EvalStats,
        read_eval_log,
        recompute_metrics,
        write_eval_log,
    )
    from inspect_ai.log._log import EvalMetricDefinition
    from inspect_ai.model import (
        ChatMessageAssistant,
        ChatMessageSystem,
        ChatMessageUser,
        GenerateConfig,
        ModelOutput,
        ModelUsage,
    )
except ImportError as _missing:
    raise missing_extra("logs of Inspect need", "inspect", "inspect-ai") from _missing

RECORD = "sociolab"
"""Where a sample's store has the record of its episode."""

SCRIPTED = "a scripted agent"
"""Why no score of a rule-based player is a result."""

_JUDGINGS = TypeAdapter(tuple[tuple[JudgeId, tuple[Verdict, ...]], ...])


def seats_of(trial: Trial, agent: str) -> tuple[str, ...]:
    """The seats that an agent has in a trial."""
    return tuple(member.seat for member in trial.cast if member.agent == agent)


def marks_of(smoke: str) -> dict[str, Any]:
    """The tags and metadata of a log whose scores are no results, for this reason; {} without."""
    return {"tags": ["smoke test"], "metadata": {"smoke test": smoke}} if smoke else {}


# ------------------------------------------------------------------ an episode in a log


def write_record(episode: Episode, judgings: Judgings, problem: str = "") -> dict[str, Any]:
    """The record of an episode as JSON, from which it can be imported; with the `problem` of one
    that failed."""
    rows = tuple((judge, tuple(verdicts)) for judge, verdicts in judgings.items())
    return {
        "trial": json.loads(encode_trial(episode.trial)),
        "events": [json.loads(encode_event(event)) for event in episode.events],
        "judgings": _JUDGINGS.dump_python(rows, mode="json"),
        "problem": problem,
    }


def describe_event(event: Event, called: Mapping[str, str], spoken: Sequence[str]) -> str:
    """An event in Markdown, for the transcript of a sample; "" for one that says nothing."""
    match event:
        case Moved(turn, seat, actions):
            done = [
                one.text if one.kind in spoken and not one.to else one.as_text for one in actions
            ]
            return f"Turn {turn + 1}, **{called.get(seat, seat)}**: {'; '.join(done)}"
        case Answered(turn, seat, question, value):
            answer = json.dumps(value, ensure_ascii=False)
            who = called.get(seat, seat)
            return f"Turn {turn + 1}, **{who}** on {question} (in private): {answer}"
        case Unusable(turn, seat, name, attempt, _, problem):
            tried = f"try {attempt} at {name} could not be used ({problem})"
            return f"Turn {turn + 1}, **{called.get(seat, seat)}**: {tried}"
        case Ended(reason):
            return f"The episode is over: {reason}"
    return ""


def scene_text(shown: Transcript) -> str:
    scene = (f"## {heading}\n\n{text}" for heading, text in shown.scene)
    return "\n\n".join([f"# {shown.title}", *scene])


def conversation(shown: Transcript, own: Sequence[str]) -> tuple[list[Any], str]:
    """The messages of a transcript, and the last line of the agent's `own` seats, whose lines are
    the assistant's; each has name, seat and turn as metadata."""
    messages: list[Any] = [ChatMessageSystem(content=scene_text(shown))]
    last = ""
    for line in shown.lines:
        is_own = line.seat in own
        kind = ChatMessageAssistant if is_own else ChatMessageUser
        about = {"name": line.who, "seat": line.seat, "turn": line.turn + 1}
        messages.append(kind(content=line.text, metadata=about))
        last = line.text if is_own else last
    return messages, last


# ------------------------------------------------------------------ export


def export_log(store: Store, run: str, path: Path, agent: str | None) -> str:
    """Write the finished episodes of a run, with the first judging of each judge, as a log of this
    agent; returns a sentence. ConfigError, and no file, where they do not make one."""
    if path.suffix != ".eval":
        raise ConfigError(f"--as inspect: expected a name that ends in .eval, found {path}")
    require_new_file(path, "FILE")
    verify_runs(store, run)
    row, episodes = store.run(run), tuple(store.episodes(run))
    if not episodes:
        raise ConfigError(f"--as inspect: no episode of {run} is finished; play it first")
    agent = _agent_of(row.settings, episodes, agent)
    judgings: dict[str | None, dict[JudgeId, Sequence[Verdict]]] = defaultdict(dict)
    for judged in store.verdicts.judgings(run):
        if judged.judging == 0:
            judgings[judged.trial][judged.judge] = judged.verdicts
    judges = {judge.label: judge for judge in store.verdicts.judges(run)}
    leading = leading_judge(judges)
    naming = Naming(judges[leading] if leading else None, row.declared.main)
    calls: dict[str, list[tuple[CallRow, Prompt]]] = defaultdict(list)
    for call, prompt in store.calls.with_prompts(run):
        calls[call.call.trial].append((call, prompt))
    samples = []
    for episode in episodes:
        if seats_of(episode.trial, agent):
            of_this = judgings[episode.trial.id]
            samples.append(_sample(episode, agent, of_this, naming, calls[episode.trial.id], row))
    when = datetime.fromtimestamp(row.created, UTC).isoformat(timespec="seconds")
    definitions = [("inspect_ai/mean", {}), ("inspect_ai/stderr", {"cluster": CLUSTER})]
    log = EvalLog(
        status="success",
        eval=EvalSpec(
            created=when,
            task=f"sociolab/{row.world.replace('-', '_')}",
            dataset=EvalDataset(name=row.world, samples=len(samples)),
            model=agent,
            config=EvalConfig(epochs=len({s.epoch for s in samples}), epochs_reducer=[]),
            metrics=[
                EvalMetricDefinition(name=name, options=options)
                for name, options in [*definitions, (f"sociolab/{COVERAGE}", {})]
            ],
            **marks_of(_smoke(row, episodes, agent)),
        ),
        stats=EvalStats(
            started_at=when,
            completed_at=when,
            model_usage=_sum_usage(sample.model_usage for sample in samples),
            role_usage=_sum_usage(sample.role_usage for sample in samples),
        ),
        samples=samples,
    )
    recompute_metrics(log)
    try:
        with atomic_file(path) as fresh:
            write_eval_log(log, str(fresh), format="eval")
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be written ({error.strerror or error}); name another file"
        ) from error
    return f"wrote {path}: {plural(len(samples), 'episode')} of {agent}; inspect view shows it"


def _agent_of(settings: Any, episodes: Sequence[Episode], agent: str | None) -> str:
    """The agent whose log it is; ConfigError where several played and none is named."""
    partner = (settings.get("partner") or [None])[0] if isinstance(settings, dict) else None
    cast = dict.fromkeys(m.agent for episode in episodes for m in episode.trial.cast)
    agents = [label for label in cast if label != partner] or list(cast)
    if agent is None and len(agents) == 1:
        return agents[0]
    if agent not in cast:
        raise ConfigError(
            f"--agent: expected one of {join_names(agents)}, whose log it will be, found "
            f"{agent or 'none'}"
        )
    return agent


def _smoke(run: RunRow, episodes: Sequence[Episode], agent: str) -> str:
    kinds = {m.identity.kind for e in episodes for m in e.trial.cast if m.agent == agent}
    settings = run.settings if isinstance(run.settings, dict) else {}
    return str(settings.get(SMOKE) or "") or (SCRIPTED if kinds == {"rules"} else "")


def _sample(
    episode: Episode,
    agent: str,
    judgings: Judgings,
    naming: Naming,
    calls: Sequence[tuple[CallRow, Prompt]],
    run: RunRow,
) -> EvalSample:
    trial, shown = episode.trial, transcript_of(episode)
    own = seats_of(trial, agent)
    messages, last = conversation(shown, own)
    scores = inspect_scores(judgings, own, naming)
    by_seat = len(own) < len(trial.task.seats)
    return EvalSample(
        id=f"{trial.task.id}, {' and '.join(own)}" if by_seat else trial.task.id,
        epoch=trial.repeat + 1,
        input=scene_text(shown),
        target="",
        messages=messages,
        output=ModelOutput.from_content(agent, last),
        scores=scores,
        metadata=about_trial(trial),
        store={RECORD: write_record(episode, judgings)},
        events=[
            *_story(episode, shown, calls, run),
            *(ScoreEvent(scorer=name, score=score, target="") for name, score in scores.items()),
        ],
        model_usage=_sum_usage({call.model: _usage(call)} for call, _ in calls),
        role_usage=_sum_usage(
            {call.call.role: _usage(call)} for call, _ in calls if call.call.role != EVALUATED_ROLE
        ),
    )


EVALUATED_ROLE = "agent"
"""The role of a run's calls that is none in Inspect: the model that is evaluated."""


def about_trial(trial: Trial) -> dict[str, Any]:
    """The metadata of the sample of a trial."""
    return {
        CLUSTER: trial.task.cluster,
        "world": trial.world,
        "task": trial.task.id,
        "cast": {member.seat: member.agent for member in trial.cast},
        "seed": trial.seed,
    }


def _story(
    episode: Episode, shown: Transcript, calls: Sequence[tuple[CallRow, Prompt]], run: RunRow
) -> Iterator[Any]:
    """The calls and events of an episode, in order; then the calls of judges."""
    called = {line.seat: line.who for line in shown.lines}
    asked: dict[Key, list[tuple[CallRow, Prompt]]] = defaultdict(list)
    for call, prompt in calls:
        key = call.call
        asked[key.seat, key.turn, key.name, key.attempt].append((call, prompt))
    replies = {place: key for key, (place, _) in replies_of(episode.events).items()}
    for place, event in enumerate(episode.events):
        if place in replies:
            yield from (_call_event(*pair) for pair in asked.pop(replies[place], ()))
        if text := describe_event(event, called, run.declared.spoken):
            yield InfoEvent(source=RECORD, data=text)
    yield from (_call_event(*pair) for pairs in asked.values() for pair in pairs)


def _call_event(call: CallRow, prompt: Prompt) -> ModelEvent:
    return ModelEvent(
        timestamp=datetime.fromtimestamp(call.at, UTC),
        model=call.model,
        role=None if call.call.role == EVALUATED_ROLE else call.call.role,
        input=[message_of(message) for message in prompt.messages],
        tools=[],
        tool_choice="none",
        config=GenerateConfig(temperature=prompt.temperature, max_tokens=prompt.max_tokens),
        output=ModelOutput.from_content(call.model, call.reply.text),
    )


def _usage(call: CallRow) -> ModelUsage:
    used = call.reply.usage
    return ModelUsage(
        input_tokens=used.prompt - used.cached,
        output_tokens=used.completion,
        total_tokens=used.prompt + used.completion,
        input_tokens_cache_read=used.cached,
    )


def _sum_usage(parts: Iterable[Mapping[str, ModelUsage]]) -> dict[str, ModelUsage]:
    total: dict[str, ModelUsage] = {}
    for part in parts:
        for name, usage in part.items():
            total[name] = total[name] + usage if name in total else usage
    return total


# ------------------------------------------------------------------ import


def import_log(request: Import) -> tuple[str, ...]:
    """Import the episodes of a log as a run, with their scores where the log has them.

    ConfigError for a file that is no log, and for one without episodes or conversations.
    """
    path = request.path
    try:
        log = read_eval_log(str(path), resolve_attachments=True)
    except Exception as error:  # of whatever file, in Inspect or below it
        raise ConfigError(
            f"{path}: expected a log of Inspect (.eval or .json), found none that can be read "
            f"({type(error).__name__})"
        ) from error
    world, episodes, judgings, lines = _read_samples(path, log)
    importer = EpisodeImporter(lambda _: (episodes, lines, judgings))
    return import_episodes(world, importer, request)


def _read_samples(
    path: Path, log: EvalLog
) -> tuple[str, list[Episode], list[ImportedJudging], list[str]]:
    """The world of a log, its finished episodes with their scores, and lines on both. Samples of
    other tasks count as far as two parties talk in them."""
    episodes: dict[str, Episode] = {}
    judgings: list[ImportedJudging] = []
    left_out: Counter[str] = Counter()
    for sample in log.samples or ():
        record = sample.store.get(RECORD)
        if sample.error or (isinstance(record, dict) and record.get("problem")):
            left_out["that failed"] += 1
        elif record is not None:
            episode, judged = _read_record(f"{path}, sample {sample.id}", record)
            episodes[episode.trial.id] = episode
            judgings += judged
        elif (talk := _talk(log, sample)) is None:
            left_out["without a conversation of two"] += 1
        else:
            episodes[talk.id] = _import_talk(f"{path}, sample {sample.id}", talk)
    worlds = sorted({episode.trial.world for episode in episodes.values()})
    if len(worlds) != 1:
        none = f"none in {plural(len(log.samples or ()), 'sample')}"
        found = f"{join_names(worlds)}; evaluate each by itself" if worlds else none
        raise ConfigError(
            f"{path}: expected episodes of one world, or conversations of two, found {found}"
        )
    scored = plural(len(judgings), "judging")
    lines = [f"{plural(len(episodes), 'episode')} of {worlds[0]}, {scored}"]
    lines += [f"samples {why}, left out: {count}" for why, count in left_out.items()]
    return worlds[0], list(episodes.values()), judgings, lines


def _read_record(place: str, record: Any) -> tuple[Episode, tuple[ImportedJudging, ...]]:
    try:
        trial = decode_trial(json.dumps(record["trial"]))
        events = tuple(decode_event(json.dumps(event)) for event in record["events"])
        rows = _JUDGINGS.validate_python(record["judgings"])
    except (KeyError, TypeError, ValueError, StoreError) as error:
        raise ConfigError(
            f"{place}: expected the record of an episode under {RECORD} in its store, found none "
            f"that can be read ({type(error).__name__})"
        ) from error
    return Episode(trial, events), tuple(ImportedJudging(trial.id, *row) for row in rows)


_SPEAKERS = {"user": "User", "assistant": "Assistant"}
"""The names of the two, unless their messages have a `name` in the metadata."""


def _talk(log: EvalLog, sample: EvalSample) -> TwoPartyTalk | None:
    """The conversation of a sample's user and assistant; None where one of them says nothing."""
    said = [m for m in sample.messages if m.role in _SPEAKERS and m.text.strip()]
    if {message.role for message in said} != {*_SPEAKERS}:
        return None
    names = dict(_SPEAKERS)
    for message in said:
        names[message.role] = str((message.metadata or {}).get("name") or names[message.role])
    places = list(_SPEAKERS)
    system = [message.text for message in sample.messages if message.role == "system"]
    return TwoPartyTalk(
        id=digest(log.eval.eval_id, str(sample.id), sample.epoch),
        task=f"{log.eval.task}/{sample.id}",
        scene="\n\n".join(system).strip(),
        names=(names["user"], names["assistant"]),
        agents=("", log.eval.model),
        lines=tuple((places.index(m.role), m.text.strip()) for m in said),
        repeat=sample.epoch - 1,
    )


def _import_talk(place: str, talk: TwoPartyTalk) -> Episode:
    """The conversation as an episode of the first world that takes some."""
    for name in worlds_that(lambda world: world.talk is not None):
        if (importer := world_plugin(name).talk) is not None:
            try:
                return importer(talk)
            except ValidationError as error:
                raise ConfigError(f"{place}: {first_problem(error)}") from error
    raise ConfigError(f"{place}: no installed world imports conversations")
