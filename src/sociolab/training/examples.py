"""Training examples from stored turns: single turns, chats, preference pairs, or whole episodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from sociolab.app.transcripts import Key
from sociolab.core.code_fingerprint import short_code
from sociolab.core.episode import ACT, CastMember
from sociolab.core.errors import ConfigError
from sociolab.core.ports import Line, Observation, Request
from sociolab.store.store import RunRow, Store, TrialRow
from sociolab.training.rewards import Reward, RunRewards
from sociolab.training.turns import (
    ChatMessage,
    EpisodeTurns,
    Skipped,
    StoredTurn,
    assistant,
    chat_messages,
    read_episodes,
)

Form: TypeAlias = Literal["turns", "sft", "pairs"]
FORMS: tuple[str, ...] = get_args(Form)


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What to export, and which turns.

    `measures` become reward columns, scored by the judge `by`, which is required where several
    judges scored one, or only a rule-based baseline such as the heuristic judge did. `least` is the
    smallest reward of a turn, on the one measure; `margin` the smallest difference within a pair,
    None for any. `agent`, `seat` (an id, or a number from 1), `world` and `asked` ("act" or a
    question's name) select turns. `whole`: one example per episode and seat. `heldout` is the share
    of scenarios that go to a separate file, drawn by `seed`. ConfigError for contradictory options.

    >>> from sociolab.training import ExportOptions
    >>> ExportOptions("sft", measures=("goal",), least=7, heldout=0.2).least
    7
    >>> ExportOptions("sft", least=7)
    Traceback (most recent call last):
        ...
    sociolab.core.errors.ConfigError: --min goes by one --metric, found none
    """

    form: str
    measures: tuple[str, ...] = ()
    least: float | None = None
    by: str | None = None
    agent: str | None = None
    seat: str | None = None
    world: str | None = None
    asked: str | None = None
    whole: bool = False
    margin: float | None = None
    heldout: float | None = None
    seed: int = 0
    gzip: bool = False

    def __post_init__(self) -> None:
        for wrong, sentence in _rules(self):
            if wrong:
                raise ConfigError(sentence)


def parse_share(text: str, option: str = "--split") -> float:
    """Parse "scenario:0.1"; ConfigError for anything else."""
    kind, _, share = text.partition(":")
    try:
        value = float(share)
    except ValueError:
        value = 0.0
    if kind != "scenario" or not 0 < value < 1:
        raise ConfigError(
            f'{option}: expected scenario:SHARE with a share between 0 and 1, found "{text}"'
        )
    return value


def _rules(options: ExportOptions) -> tuple[tuple[bool, str], ...]:
    """Each forbidden combination, and its message."""
    pairs, actual = options.form == "pairs", f"found --as {options.form}"
    names = ", ".join(options.measures) or "none"
    return (
        (
            options.form not in FORMS,
            f'--as: expected {", ".join(FORMS[:-1])} or {FORMS[-1]}, found "{options.form}"',
        ),
        (options.whole and options.form != "sft", f"--whole is for --as sft, {actual}"),
        (
            options.whole and options.asked is not None,
            "--whole holds the turns of an episode and no answers: leave --asked out",
        ),
        (options.margin is not None and not pairs, f"--margin is for --as pairs, {actual}"),
        (
            options.margin is not None and not options.margin > 0,
            f"--margin: expected more than 0, found {options.margin}",
        ),
        (
            options.least is not None and pairs,
            "--min is for --as turns and sft; for pairs use --margin",
        ),
        (
            options.least is not None and len(options.measures) != 1,
            f"--min goes by one --metric, found {names}",
        ),
        (pairs and len(options.measures) > 1, f"pairs go by one --metric, found {names}"),
        (
            options.by is not None and not options.measures and not pairs,
            "--by names the judge of a --metric: give --metric, too",
        ),
    )


@dataclass(frozen=True, slots=True)
class ExportSource:
    """Runs to export from: their scores, the judge of each metric, and the options.

    `evaluated` holds the agents that each run evaluates: chats and pairs contain their turns, and a
    partner's only if `options.agent` names it.
    """

    store: Store
    runs: Sequence[str]
    rewards: RunRewards
    judges: dict[str, str]
    options: ExportOptions
    evaluated: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def turns(self, episode: EpisodeTurns, skipped: Skipped) -> Iterator[StoredTurn]:
        """The turns of the selected agent, seat and request."""
        options = self.options
        for turn in episode.turns:
            if options.asked not in (None, turn.request_name):
                continue
            if options.agent is not None and options.agent not in agent_spellings(
                turn.agent, turn.code
            ):
                continue
            if options.seat is not None and options.seat not in (turn.seat, seat_number(turn)):
                continue
            every_agent = options.form == "turns" or options.agent is not None
            if not every_agent and turn.agent not in self.evaluated.get(turn.run, {turn.agent}):
                skipped.add("turn", f"of the partner {turn.agent}, which --agent would include")
                continue
            yield turn

    def reward(self, turn: StoredTurn) -> dict[str, Reward | None]:
        """The reward of the turn's seat on each metric; None where there is none."""
        trial, seat = turn.trial.id, turn.seat
        return {
            measure: self.rewards.reward(judge, measure, turn.run, trial, seat)
            for measure, judge in self.judges.items()
        }

    def missing(self, turn: StoredTurn) -> str:
        """Why the turn's reward excludes it; "" where it does not."""
        least = self.options.least
        if least is None:
            return ""
        ((measure, reward),) = self.reward(turn).items()
        if reward is None or reward.value is None:
            return why_unknown(measure, self.judges[measure], reward)
        return "" if reward.value >= least else f"with {measure} below {least:g}"


def why_unknown(metric: str, judge: str, reward: Reward | None) -> str:
    """Why an example has no known reward, as the end of "turn ..."."""
    if reward is None:
        return f"without {metric} by {judge}"
    hint = ", which a --reader can establish" if reward.status == "reported" else ""
    return f"whose {metric} by {judge} is unknown ({reward.status}{hint})"


def episodes(source: ExportSource, skipped: Skipped) -> Iterator[EpisodeTurns]:
    """The played episodes of the runs, in the order of the runs."""
    for run in source.runs:
        if source.options.world in (None, source.store.run(run).world):
            yield from read_episodes(source.store, run, skipped)


def agent_spellings(label: str | None, code: str | None) -> tuple[str, ...]:
    """The names of an agent: its label and, for a Python class, "LABEL@MARK" of its code."""
    if label is None:
        return ()
    return (label,) if code is None else (label, f"{label}@{short_code(code)}")


def seat_number(turn: StoredTurn) -> str:
    """The place of a turn's seat in its task, from "1"; "" for an unknown seat."""
    seats = turn.trial.task.seats
    return str(seats.index(turn.seat) + 1) if turn.seat in seats else ""


def check_names(options: ExportOptions, rows: Sequence[RunRow], trials: Sequence[TrialRow]) -> None:
    """ConfigError where no run is of the given world, or no trial has the agent or the seat."""
    worlds = sorted({row.world for row in rows})
    cast = {member for row in trials for member in row.trial.cast}
    identities = {(member.agent, member.identity.code) for member in cast}
    agents = sorted({name for identity in identities for name in agent_spellings(*identity)})
    seats = {seat for row in trials for seat in row.trial.task.seats}
    most = max((len(row.trial.task.seats) for row in trials), default=0)
    numbers = {str(n + 1) for n in range(most)}
    _among("--world", options.world, worlds, ", ".join(worlds))
    _among("--agent", options.agent, agents, ", ".join(agents))
    _among("--seat", options.seat, seats | numbers, f"a seat's id, or its number, 1 to {most}")


def _among(flag: str, name: str | None, choices: Iterable[str], expected: str) -> None:
    if name is not None and name not in choices:
        raise ConfigError(f'{flag}: "{name}" is not in these runs; expected one of: {expected}')


SCHEMA = 1

JsonLine: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class TrainingExample:
    """A line of the file, its scenario, the episodes in it (run, trial), and the agent whose turns
    it holds (None for a pair)."""

    line: JsonLine
    scenario: tuple[str, str]
    episodes: frozenset[tuple[str, str]]
    rebuilt: bool = False
    agent: str | None = None


def turn_examples(source: ExportSource, skipped: Skipped) -> Iterator[TrainingExample]:
    """Every turn, usable or not, with all that is known about it."""
    for turn in _turns(source, skipped):
        usage = turn.usage
        line = {
            "schema": SCHEMA,
            "kind": "turn",
            **turn_metadata(source, turn),
            "messages": chat_messages(turn.prompt),
            "reply": turn.reply,
            "usable": turn.usable,
            "problem": turn.problem or None,
            "tokens": None
            if usage is None
            else {
                "prompt": usage.prompt,
                "completion": usage.completion,
                "cached": usage.cached,
                "estimated": usage.estimated,
            },
        }
        yield turn_example(line, turn)


def chat_examples(source: ExportSource, skipped: Skipped) -> Iterator[TrainingExample]:
    """Every usable turn as a chat that ends with its reply."""
    for turn in _turns(source, skipped):
        if not turn.usable:
            skipped.add("turn", "with an unusable reply")
            continue
        messages = [*chat_messages(turn.prompt), assistant(turn.reply)]
        yield turn_example({"messages": messages, "metadata": turn_metadata(source, turn)}, turn)


def _turns(source: ExportSource, skipped: Skipped) -> Iterator[StoredTurn]:
    for episode in episodes(source, skipped):
        for turn in source.turns(episode, skipped):
            why = source.missing(turn)
            if why:
                skipped.add("turn", why)
            else:
                yield turn


def turn_metadata(source: ExportSource, turn: StoredTurn) -> JsonLine:
    """Metadata of a turn: where it is from, who took it, and the rewards of its seat."""
    trial = turn.trial
    scores = source.rewards.scores_of(turn.run, trial.id, turn.seat)
    of_episode = source.rewards.scores_of(turn.run, trial.id, None)
    rewards = source.reward(turn)
    return {
        "run": turn.run,
        "world": trial.world,
        "trial": trial.id,
        "task": trial.task.id,
        "scenario": trial.task.cluster,
        "repeat": trial.repeat,
        "seat": turn.seat,
        "agent": turn.agent,
        "code": turn.code,
        "partner": turn.partner,
        "turn": turn.turn + 1,
        "asked": turn.request_name,
        "attempt": turn.attempt,
        "model": turn.model,
        "rebuilt": turn.rebuilt,
        "scores": scores,
        "episode_scores": of_episode,
        "methods": source.rewards.methods({**scores, **of_episode}),
        "rewards": {metric: reward and reward.value for metric, reward in rewards.items()},
        "reward_bounds": {metric: reward and reward.bounds for metric, reward in rewards.items()},
        "reward_status": {metric: reward and reward.status for metric, reward in rewards.items()},
    }


def turn_example(line: JsonLine, turn: StoredTurn) -> TrainingExample:
    episodes = frozenset({(turn.run, turn.trial.id)})
    return TrainingExample(line, turn.scenario, episodes, turn.rebuilt, turn.agent)


class _Prompt(NamedTuple):
    """Identifies a point of a conversation: whose turn it is, in which cast, and the prompt.

    Only replies with equal keys are compared, so that nothing but the reply differs.
    """

    world: str
    task: str
    cast: tuple[CastMember, ...]
    seat: str
    turn: int
    question: str
    fingerprint: bytes


@dataclass(slots=True)
class _Reply:
    """A reply to a prompt, and the rewards of the episodes in which it was given."""

    text: str
    rewards: list[float] = field(default_factory=list)
    origins: dict[tuple[str, str, str, str | None], None] = field(default_factory=dict)
    rebuilt: bool = False

    @property
    def reward(self) -> float:
        """The mean over its episodes."""
        return sum(self.rewards) / len(self.rewards)


class _Pair(NamedTuple):
    chosen: _Reply
    rejected: _Reply


def pair_examples(source: ExportSource, skipped: Skipped) -> Iterator[TrainingExample]:
    """Pairs of replies to one prompt whose mean rewards differ by the margin, the better one first.

    Both are by one agent, in one cast, at one point of the conversation. Episodes with an unknown
    reward are left out. Runs are read twice: the second time for the prompts of the pairs only.
    """
    pairs = _pairs(source, skipped)
    for episode in episodes(source, Skipped()):
        for turn in source.turns(episode, Skipped()):
            for pair in pairs.pop(_prompt_key(turn), ()):
                yield _pair_example(source, turn, pair)


def _pairs(source: ExportSource, skipped: Skipped) -> dict[_Prompt, list[_Pair]]:
    pairs: dict[_Prompt, list[_Pair]] = {}
    for prompt, replies in _group_replies(source, skipped).items():
        distinct = list(replies.values())
        if sum(len(reply.rewards) for reply in distinct) == 1:
            skipped.add("turn", "whose prompt no other turn had")
        elif len(distinct) == 1:
            skipped.add("prompt", "with the same reply each time")
        else:
            distant = list(_distant_pairs(combinations(distinct, 2), source.options.margin))
            every = len(distinct) * (len(distinct) - 1) // 2
            margin, (measure,) = source.options.margin, source.judges
            less = "nothing" if margin is None else f"less than {margin:g}"
            skipped.add("pair of replies", f"apart by {less} in {measure}", every - len(distant))
            if distant:
                pairs[prompt] = distant
    return pairs


def _group_replies(source: ExportSource, skipped: Skipped) -> dict[_Prompt, dict[str, _Reply]]:
    """The replies to each prompt, by their text."""
    ((measure, judge),) = source.judges.items()
    groups: dict[_Prompt, dict[str, _Reply]] = {}
    for episode in episodes(source, skipped):
        for turn in source.turns(episode, skipped):
            reward = source.reward(turn)[measure]
            if not turn.usable:
                skipped.add("turn", "with an unusable reply")
            elif reward is None or reward.value is None:
                skipped.add("turn", why_unknown(measure, judge, reward))
            else:
                replies = groups.setdefault(_prompt_key(turn), {})
                reply = replies.setdefault(turn.reply, _Reply(turn.reply))
                reply.rewards.append(reward.value)
                reply.origins[turn.run, turn.trial.id, turn.agent or "", turn.code] = None
                reply.rebuilt = reply.rebuilt or turn.rebuilt
    return groups


def _distant_pairs(
    replies: Iterable[tuple[_Reply, _Reply]], margin: float | None
) -> Iterator[_Pair]:
    for first, second in replies:
        better, worse = (first, second) if first.reward > second.reward else (second, first)
        difference = better.reward - worse.reward
        if difference > 0 if margin is None else difference >= margin:
            yield _Pair(better, worse)


def _prompt_key(turn: StoredTurn) -> _Prompt:
    trial = turn.trial
    place = (turn.seat, turn.turn, turn.request_name, turn.prompt.fingerprint)
    return _Prompt(trial.world, trial.task.id, trial.cast, *place)


def _pair_example(source: ExportSource, turn: StoredTurn, pair: _Pair) -> TrainingExample:
    trial = turn.trial
    ((measure, judge),) = source.judges.items()
    line = {
        "prompt": chat_messages(turn.prompt),
        "chosen": [assistant(pair.chosen.text)],
        "rejected": [assistant(pair.rejected.text)],
        "metadata": {
            "world": trial.world,
            "task": trial.task.id,
            "scenario": trial.task.cluster,
            "seat": turn.seat,
            "turn": turn.turn + 1,
            "asked": turn.request_name,
            "measure": measure,
            "judge": judge,
            "method": source.rewards.methods((judge,))[judge],
            "chosen": _reply_record(pair.chosen),
            "rejected": _reply_record(pair.rejected),
        },
    }
    origins = {(run, name) for reply in pair for run, name, *_ in reply.origins}
    return TrainingExample(line, turn.scenario, frozenset(origins), any(r.rebuilt for r in pair))


def _reply_record(reply: _Reply) -> dict[str, object]:
    origins = [
        {"run": run, "trial": trial, "agent": agent, "code": code}
        for run, trial, agent, code in reply.origins
    ]
    return {
        "reward": reply.reward,
        "rebuilt": reply.rebuilt,
        "episodes": origins,
    }


_OF_ONE_TURN = ("turn", "asked", "attempt", "model")


def whole_examples(source: ExportSource, skipped: Skipped) -> Iterator[TrainingExample]:
    """A chat for each seat of each episode: the head, then for each turn what is new and the reply.

    Unusable replies, and what was said about them, are left out.
    """
    for episode in episodes(source, skipped):
        requests: Mapping[Key, Request] | None = None
        by_seat: dict[str, list[StoredTurn]] = {}
        for turn in source.turns(episode, skipped):
            by_seat.setdefault(turn.seat, []).append(turn)
        for all_turns in by_seat.values():
            turns = [turn for turn in all_turns if turn.request_name == ACT and turn.usable]
            why = source.missing(all_turns[0])
            if not why and not turns:
                why = "without a usable act"
            if not why:
                requests = episode.requests() if requests is None else requests
                messages = conversation(turns, requests)
                if messages:
                    facts = turn_metadata(source, turns[0])
                    metadata = {k: v for k, v in facts.items() if k not in _OF_ONE_TURN}
                    metadata["turns"] = len(turns)
                    yield turn_example({"messages": messages, "metadata": metadata}, turns[0])
                    continue
                why = "whose prompts are not told turn by turn"
            skipped.add("seat of an episode", why)


def conversation(turns: Sequence[StoredTurn], requests: Mapping[Key, Request]) -> list[ChatMessage]:
    """The turns of a seat as one chat; empty where the prompts were not what the seat saw.

    That is so for episodes that cannot be replayed, and in worlds that show their players no
    history.
    """
    messages: list[ChatMessage] = []
    sent_lines = 0
    for turn in turns:
        request = requests.get((turn.seat, turn.turn, turn.request_name, turn.attempt))
        if request is None or not _was_sent(turn, request.observation):
            return []
        observation = request.observation
        head = turn.prompt.messages[0].text
        if not messages:
            messages.append({"role": "system", "content": head})
        elif head != messages[0]["content"]:
            return []
        new = [line for line in observation.history[sent_lines:] if not line.you]
        sent_lines = len(observation.history)
        messages += [
            {"role": "user", "content": _user_text(new, observation.tail)},
            assistant(turn.reply),
        ]
    return messages


def _was_sent(turn: StoredTurn, observation: Observation) -> bool:
    """Whether the prompt is this observation (head, history and tail), with at most a remark on the
    previous reply."""
    sent = turn.prompt.messages
    if [message.role for message in sent] != ["system", "user"] or not observation.head:
        return False
    body = _user_text(observation.history, observation.tail)
    text = sent[1].text
    return sent[0].text.startswith(observation.head) and (
        text == body or text.startswith(f"{body}\n")
    )


def _user_text(lines: Sequence[Line], tail: str) -> str:
    history = "\n".join(line.text for line in lines)
    return f"{history}\n\n{tail}" if history else tail
