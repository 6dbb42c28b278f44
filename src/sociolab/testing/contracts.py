"""Test suites that every judge, player and world must pass."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from pydantic import BaseModel

from sociolab.core.codec import decode_event, decode_trial, encode_event, encode_trial
from sociolab.core.episode import (
    ActionKind,
    Ended,
    Episode,
    Event,
    Happened,
    Json,
    Moved,
    Task,
    Unusable,
    format_value,
)
from sociolab.core.ports import Judge, NoReply, Observation, Player, Question, Reply, Request, World
from sociolab.core.score import Measure, Score, ScoreFailure, Unscored, Verdict
from sociolab.engine.scene import FailurePolicy, Scene
from sociolab.testing.players import (
    ODD_TEXTS,
    PLAIN_TEXTS,
    AnyPlayer,
    Exchange,
    OddPlayer,
    SilentPlayer,
    WatchedPlayer,
    Whisperer,
    whisper_mark,
)
from sociolab.testing.playing import StockScene, as_bytes, ending_of, play_scene, play_task


class JudgeContract:
    """Inherit it, and return your judge, finished episodes of its world, and its metrics.

    `pure` says that equal episodes get equal verdicts; set it to False for a model judge.

    >>> from sociolab.core import Task, Trial
    >>> from sociolab.judging import Ended, Episode, JudgeId, Measure, Unscored
    >>> from sociolab.testing import JudgeContract
    >>> GOAL = Measure("goal", 0, 10)
    >>> class Undecided:
    ...     id = JudgeId("undecided", "rules")
    ...     async def judge(self, episode, judging=0):
    ...         return (Unscored(GOAL, None, "I never know"),)
    >>> class TestUndecided(JudgeContract):
    ...     def judge(self):
    ...         return Undecided()
    ...     def measures(self):
    ...         return [GOAL]
    ...     def episodes(self):
    ...         trial = Trial("x", "my-world", Task("t", ("ann", "ben"), "t", "{}"), (), 0, 0)
    ...         return [Episode(trial, (Ended("turn limit", 0),))]
    >>> TestUndecided().test_what_is_no_score_says_why()  # as pytest runs it
    """

    pure = True

    def judge(self) -> Judge:
        """Return a new judge."""
        raise NotImplementedError

    def episodes(self) -> Sequence[Episode]:
        """Return finished episodes of different kinds that the judge can judge."""
        raise NotImplementedError

    def measures(self) -> Sequence[Measure]:
        """Return all metrics on which it may give a verdict."""
        raise NotImplementedError

    def test_its_id_says_who_judged(self) -> None:
        first, second = self.judge().id, self.judge().id
        assert first == second, f"the same judge has the same id; found {first} and {second}"
        assert first.name, "a judge has a name"

    def test_there_is_a_verdict_for_each_measure_and_seat_or_none(self) -> None:
        for episode in self.episodes():
            verdicts = self._judged(episode)
            pairs = [(verdict.measure.name, verdict.seat) for verdict in verdicts]
            assert len(set(pairs)) == len(pairs), f"one verdict each, found {pairs}"
            seats = episode.trial.task.seats
            for measure in self.measures():
                scored = {seat for name, seat in pairs if name == measure.name}
                assert scored <= set(seats) or scored == {None}, (
                    f"{measure.name}: a verdict for the episode or for seats among {seats}, "
                    f"found some for {scored}"
                )

    def test_its_verdicts_are_of_its_measures(self) -> None:
        measures = {measure.name: measure for measure in self.measures()}
        for episode in self.episodes():
            for verdict in self._judged(episode):
                assert measures.get(verdict.measure.name) == verdict.measure, (
                    f"one of {sorted(measures)}, with its range; found {verdict.measure}"
                )
                assert isinstance(verdict, Score | ScoreFailure | Unscored), f"found {verdict!r}"
                if isinstance(verdict, Score):
                    measure = verdict.measure
                    assert measure.low <= verdict.value <= measure.high, f"found {verdict}"

    def test_what_is_no_score_says_why(self) -> None:
        for episode in self.episodes():
            for verdict in self._judged(episode):
                match verdict:
                    case ScoreFailure():
                        assert verdict.problem, f"a failure says what is wrong; found {verdict}"
                    case Unscored():
                        assert verdict.why, f"who cannot tell says why; found {verdict}"

    def test_it_says_the_same_twice(self) -> None:
        if not self.pure:
            return
        for episode in self.episodes():
            assert self._judged(episode) == self._judged(episode)

    def test_an_episode_without_turns_gets_no_score(self) -> None:
        for episode in self.episodes():
            for events in _without_turns(episode):
                for verdict in self._judged(Episode(episode.trial, events)):
                    assert not isinstance(verdict, Score), (
                        f"nothing happened that could be scored; found {verdict}"
                    )

    def _judged(self, episode: Episode) -> tuple[Verdict, ...]:
        return asyncio.run(self.judge().judge(episode))


def _without_turns(episode: Episode) -> tuple[tuple[Event, ...], ...]:
    """The events of an episode that has not started, and of one with only a failed turn."""
    seat = episode.trial.task.seats[0]
    failed = Unusable(0, seat, "act", 1, "unreadable", "found an empty reply", "", final=True)
    return (), (failed, Ended("failed turn", 0, seat))


class Opinion(BaseModel):
    """A question of several types at once."""

    agreed: bool
    confidence: int
    words: str


class PlayerContract:
    """Inherit it, and return your player; also its `world`, if it plays no other, or a `scene`.

    Raise `attempts` for a player that may need several (a model).

    >>> from sociolab.testing import AnyPlayer, PlayerContract
    >>> class TestAnyPlayer(PlayerContract):
    ...     def player(self):
    ...         return AnyPlayer()
    >>> TestAnyPlayer().test_it_acts_in_every_turn()  # as pytest runs it
    """

    attempts = 1

    def player(self) -> Player:
        """Return a new player."""
        raise NotImplementedError

    def world(self) -> World | None:
        """Return the world whose first task this player plays; None: a scene."""
        return None

    def scene(self) -> Scene:
        """Return a small scene of at least two seats that this player can play."""
        return StockScene()

    def test_it_acts_in_every_turn(self) -> None:
        events = self._play({seat: self.player() for seat in self._seats()})
        for event in events:
            failed = isinstance(event, Unusable) and event.final
            assert not failed, f"a valid turn, found {event}"
        assert any(isinstance(event, Moved) for event in events), "somebody took a turn"
        assert isinstance(events[-1], Ended), "the episode came to its end"

    def test_it_leaves_the_request_as_it_was(self) -> None:
        changed: list[int] = []

        def compare(request: Request, exchange: Exchange) -> None:
            if request != exchange.request:
                changed.append(request.turn)

        self._play({seat: WatchedPlayer(self.player(), compare) for seat in self._seats()})
        assert not changed, f"the request of turn {changed[0]} was changed"

    def test_its_memory_is_json(self) -> None:
        for exchange in self._exchanges():
            memory = exchange.reply.memory
            text = json.dumps(memory, allow_nan=False)
            assert json.loads(text) == memory, f"a memory that survives JSON; found {memory!r}"

    def test_a_request_and_a_memory_are_all_that_it_needs(self) -> None:
        player = self.player()
        for exchange in self._exchanges():
            memory: Json = json.loads(json.dumps(exchange.memory))
            for instance in (player, self.player()):
                reply = asyncio.run(instance.reply(copy.deepcopy(exchange.request), memory))
                assert type(reply) is type(exchange.reply), (
                    f"a {type(exchange.reply).__name__} again at turn {exchange.request.turn}, "
                    f"found {reply}"
                )

    def test_it_survives_an_odd_history(self) -> None:
        for seat in self._seats():
            for first in range(0, len(ODD_TEXTS), 3):
                players: dict[str, Player] = dict.fromkeys(self._seats(), OddPlayer(first))
                events = self._play(players | {seat: self.player()})
                failed = [e for e in events if isinstance(e, Unusable) and e.final]
                assert not failed, f"usable replies to an odd history, found {failed[0]}"

    def test_it_takes_a_problem_and_tries_again(self) -> None:
        first = self._exchanges()[0]
        again = Request(
            first.request.trial,
            first.request.seed,
            first.request.seat,
            first.request.turn,
            2,
            first.request.expected,
            first.request.observation,
            problem="expected a JSON object, found an empty reply",
        )
        reply = asyncio.run(self.player().reply(again, first.memory))
        assert isinstance(reply, Reply | NoReply), f"a Reply or a NoReply, found {reply!r}"

    def test_it_answers_a_question_or_says_that_it_cannot(self) -> None:
        if self.world():  # what that one asks, it was asked in the episodes above
            return
        first = self._exchanges()[0].request
        question = Question("opinion", "Have you agreed, and how sure are you (0 to 10)?", Opinion)
        request = Request(
            first.trial, first.seed, first.seat, first.turn, 1, question, first.observation
        )
        reply = asyncio.run(self.player().reply(request, None))
        if isinstance(reply, Reply):
            assert isinstance(reply.value, Opinion), f"an Opinion, found {reply.value!r}"
        else:
            assert isinstance(reply, NoReply), f"a Reply or a NoReply, found {reply!r}"
            assert reply.problem, "a NoReply says why"

    def _seats(self) -> Sequence[str]:
        world = self.world()
        return world.tasks()[0].seats if world else self.scene().seats

    def _play(self, players: Mapping[str, Player]) -> tuple[Event, ...]:
        if world := self.world():
            return play_task(world, world.tasks()[0], players).events
        return play_scene(self.scene(), players, policy=FailurePolicy(attempts=self.attempts))

    def _exchanges(self) -> Sequence[Exchange]:
        """Every exchange of a player in an episode."""
        exchanges: list[Exchange] = []
        player = self.player
        self._play(
            {
                seat: WatchedPlayer(player(), lambda _, exchange: exchanges.append(exchange))
                for seat in self._seats()
            }
        )
        return exchanges


class WorldContract:
    """Inherit it, and return your world; list what is private in `hidden`, and the suite checks
    that it is not shown.

    The more of the other methods you override, the more is tested.

    >>> from sociolab.app import load_world
    >>> from sociolab.testing import WorldContract
    >>> class TestSotopia(WorldContract):
    ...     def world(self):
    ...         return load_world("sotopia").world
    ...     def tasks(self, world):
    ...         return world.tasks()[:1]
    >>> TestSotopia().test_it_ends_with_any_valid_player()  # as pytest runs it
    """

    most_requests = 10_000

    def world(self) -> World:
        """Return the world, loaded anew."""
        raise NotImplementedError

    def tasks(self, world: World) -> Sequence[Task]:
        """Return the tasks to play: few, and of different kinds."""
        return world.tasks()[:3]

    def players(self, task: Task) -> Mapping[str, Player]:
        """Return valid players for every seat."""
        player = AnyPlayer((*PLAIN_TEXTS, *ODD_TEXTS))
        return dict.fromkeys(task.seats, player)

    def hidden(self, task: Task, seat: str) -> Sequence[str]:
        """Return words in the private parts of other seats, which this seat must never be shown."""
        return ()

    def cuts(self, events: int) -> Iterable[int]:
        """After how many of so many events an episode is cut off and resumed."""
        return range(events + 1)

    def test_two_loads_lay_out_the_same_tasks_with_unique_ids(self) -> None:
        first, second = self.world(), self.world()
        tasks = first.tasks()
        assert tasks, "a world has tasks"
        ids = [task.id for task in tasks]
        assert len(set(ids)) == len(ids), "task ids are unique"
        assert list(second.tasks()) == list(tasks), "two loads give the same tasks"
        assert (first.name, first.data) == (second.name, second.data), "and the same identity"
        assert first.name, "a world has a name"
        assert first.data.hash, "its data has a hash"

    def test_seats_are_unique_and_clusters_named(self) -> None:
        for task in self.world().tasks():
            assert task.seats, f"task {task.id} has seats"
            assert len(set(task.seats)) == len(task.seats), f"task {task.id}: seats are unique"
            assert task.cluster, f"task {task.id} says what its intervals cluster by"

    def test_it_ends_with_any_valid_player(self) -> None:
        for episode in self._episodes():
            ending_of(episode.events)
            ends = [event for event in episode.events if isinstance(event, Ended)]
            assert len(ends) == 1, "an episode ends once"

    def test_it_ends_with_players_that_never_reply(self) -> None:
        world = self.world()
        for task in self.tasks(world):
            episode = play_task(world, task, dict.fromkeys(task.seats, SilentPlayer()))
            ending_of(episode.events)
            assert not episode.moves, "a turn that failed is no move"

    def test_it_asks_within_its_limits(self) -> None:
        requests = [exchange.request for exchange in self._exchanges()]
        assert len(requests) <= self.most_requests, f"{len(requests)} requests are too many"
        for request in requests:
            observation = request.observation
            assert observation.seat == request.seat, "a seat is shown its own observation"
            assert 0 <= request.turn <= observation.limit, (
                f"a turn within the limit of {observation.limit}, found {request.turn}"
            )

    def test_the_head_never_changes_and_the_history_only_grows(self) -> None:
        last: dict[tuple[str, str], Observation] = {}
        for exchange in self._exchanges():
            request = exchange.request
            observation, key = request.observation, (request.trial, request.seat)
            before = last.get(key)
            if before is not None and request.turn >= before.turn:
                assert observation.head == before.head, "the head never changes in an episode"
                old = before.history
                assert observation.history[: len(old)] == old, "the history only grows"
            last[key] = observation

    def test_the_same_seed_gives_the_same_bytes(self) -> None:
        assert [as_bytes(e.events) for e in self._episodes()] == [
            as_bytes(e.events) for e in self._episodes()
        ]

    def test_a_replay_from_any_prefix_equals_the_original(self) -> None:
        world = self.world()
        for task in self.tasks(world):
            episode = play_task(world, task, self.players(task))
            for cut in self.cuts(len(episode.events)):
                journal = episode.events[:cut]
                again = play_task(world, task, self.players(task), journal=journal)
                message = f"replaying {cut} events of task {task.id}"
                assert _what_happened(again) == _what_happened(episode), message
                # Where replies are taken as they come, their order means nothing.
                assert sorted(map(encode_event, again.events)) == sorted(
                    map(encode_event, episode.events)
                ), message

    def test_nobody_is_shown_what_is_hidden_from_them(self) -> None:
        world = self.world()
        for task in self.tasks(world):
            for exchange in _exchanges(world, task, self.players(task)):
                observation = exchange.request.observation
                text = f"{observation!r} {exchange.request.problem}"
                for word in self.hidden(task, observation.seat):
                    assert word not in text, f'{observation.seat} of {task.id} is shown "{word}"'

    def test_transcripts_show_an_episode_and_what_each_seat_saw_of_it(self) -> None:
        world = self.world()
        for episode in self._episodes():
            transcript = world.transcript(episode)
            assert transcript.title, "a transcript has a title"
            assert len(transcript.lines) == len(episode.moves), "a line for each turn taken"
            for move, line in zip(episode.moves, transcript.lines, strict=True):
                assert line.seat == move.seat, (
                    f'the line of turn {move.turn + 1} has the seat "{line.seat}", expected '
                    f'"{move.seat}"'
                )
                for value in (value for action in move.actions for value in action.fields.values()):
                    message = f'the line of turn {move.turn + 1} tells "{value}": found {line.text}'
                    assert format_value(value) in line.text, message
            for seat in episode.trial.task.seats:
                partial = world.transcript(episode, seat)
                assert len(partial.lines) <= len(transcript.lines), (
                    "a seat sees no more than happened"
                )
                for word in self.hidden(episode.trial.task, seat):
                    assert word not in repr(partial), f'the transcript of {seat} shows "{word}"'

    def test_whom_an_action_is_for_is_as_its_kind_says_and_nobody_else_learns_of_it(self) -> None:
        world = self.world()
        for task in self.tasks(world):
            players = {seat: Whisperer(player) for seat, player in self.players(task).items()}
            exchanges = list[Exchange]()
            episode = play_task(
                world, task, {s: _recording(p, exchanges) for s, p in players.items()}
            )
            kinds = {kind.name: kind for exchange in exchanges for kind in _kinds(exchange.request)}
            for move in episode.moves:
                place = f"turn {move.turn + 1} of task {task.id}"
                for action in move.actions:
                    rule = kinds[action.kind].recipients
                    assert rule != "none" or not action.to, f'{place}: "{action.kind}" is for all'
                    assert rule != "required" or action.to, f'{place}: "{action.kind}" is for some'
                aside = [action.to for action in move.actions if action.to]
                if len(aside) < len(move.actions):
                    continue  # some of it is for everybody
                mark = whisper_mark(move.seat, move.turn)
                for seat in {*task.seats} - {move.seat, *chain.from_iterable(aside)}:
                    observations = [
                        e.request.observation for e in exchanges if e.request.seat == seat
                    ]
                    text = f"{observations!r} {world.transcript(episode, seat)!r}"
                    assert mark not in text, f"{place} is for {aside}, and {seat} learns of it"

    def test_an_unfinished_episode_can_be_shown(self) -> None:
        world = self.world()
        for episode in self._episodes():
            unfinished = Episode(episode.trial, episode.events[:1])
            assert world.transcript(unfinished).title, "a transcript has a title"

    def test_trials_and_events_survive_the_store(self) -> None:
        for episode in self._episodes():
            assert decode_trial(encode_trial(episode.trial)) == episode.trial
            for event in episode.events:
                assert decode_event(encode_event(event)) == event

    def _episodes(self) -> list[Episode]:
        world = self.world()
        return [play_task(world, task, self.players(task)) for task in self.tasks(world)]

    def _exchanges(self) -> list[Exchange]:
        world = self.world()
        exchanges: list[Exchange] = []
        for task in self.tasks(world):
            exchanges += _exchanges(world, task, self.players(task))
        return exchanges


def _what_happened(episode: Episode) -> list[Event]:
    return [event for event in episode.events if isinstance(event, Moved | Happened | Ended)]


def _exchanges(world: World, task: Task, players: Mapping[str, Player]) -> list[Exchange]:
    exchanges: list[Exchange] = []
    play_task(
        world, task, {seat: _recording(player, exchanges) for seat, player in players.items()}
    )
    return exchanges


def _recording(player: Player, exchanges: list[Exchange]) -> Player:
    return WatchedPlayer(player, lambda _, exchange: exchanges.append(exchange))


def _kinds(request: Request) -> Sequence[ActionKind]:
    return () if isinstance(request.expected, Question) else request.expected.kinds
