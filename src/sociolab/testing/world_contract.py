"""What every world must keep to."""

# ruff: noqa: D102  a test is called by what it shows

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sociolab.core.codec import decode_event, decode_trial, encode_event, encode_trial
from sociolab.core.episode import Ended, Episode, Event, Happened, Moved, Task
from sociolab.core.ports import Observation, Player, Request, World
from sociolab.testing.players import (
    ODD_TEXTS,
    PLAIN_TEXTS,
    AnyPlayer,
    Heard,
    SilentPlayer,
    Watched,
)
from sociolab.testing.playing import as_bytes, ended, play_task


class WorldContract:
    """Inherit and return your world; name what is private, and its canaries must not be seen.

    The more of the other hooks you override, the more is tested.
    """

    most_requests = 10_000

    def world(self) -> World:
        """The world, loaded afresh."""
        raise NotImplementedError

    def tasks(self, world: World) -> Sequence[Task]:
        """The tasks that are played here: few, and of different kinds."""
        return world.tasks()[:3]

    def players(self, task: Task) -> Mapping[str, Player]:
        """Valid players for every seat."""
        player = AnyPlayer((*PLAIN_TEXTS, *ODD_TEXTS))
        return dict.fromkeys(task.seats, player)

    def hidden(self, task: Task, seat: str) -> Sequence[str]:
        """Words in the private parts of other seats, which this seat must never be shown."""
        return ()

    def cuts(self, events: int) -> Iterable[int]:
        """After how many of so many events a play is cut off and resumed."""
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
            ended(episode.events)
            ends = [event for event in episode.events if isinstance(event, Ended)]
            assert len(ends) == 1, "an episode ends once"

    def test_it_ends_with_players_that_never_reply(self) -> None:
        world = self.world()
        for task in self.tasks(world):
            episode = play_task(world, task, dict.fromkeys(task.seats, SilentPlayer()))
            ended(episode.events)
            assert not episode.moves, "a turn that failed is no move"

    def test_it_asks_within_its_limits(self) -> None:
        requests = [heard.request for heard in self._heard()]
        assert len(requests) <= self.most_requests, f"{len(requests)} requests are too many"
        for request in requests:
            shown = request.observation
            assert shown.seat == request.seat, "a seat is shown its own observation"
            assert 0 <= request.turn <= shown.limit, (
                f"a turn within the limit of {shown.limit}, found {request.turn}"
            )

    def test_the_head_never_changes_and_the_history_only_grows(self) -> None:
        last: dict[tuple[str, str], Observation] = {}
        for heard in self._heard():
            shown, key = heard.request.observation, (heard.request.trial, heard.request.seat)
            before = last.get(key)
            if before is not None and heard.request.turn >= before.turn:
                assert shown.head == before.head, "the head never changes in an episode"
                old = before.history
                assert shown.history[: len(old)] == old, "the history only grows"
            last[key] = shown

    def test_the_same_seed_gives_the_same_bytes(self) -> None:
        assert [as_bytes(e.events) for e in self._episodes()] == [
            as_bytes(e.events) for e in self._episodes()
        ]

    def test_a_replay_from_any_prefix_equals_the_original(self) -> None:
        world = self.world()
        for task in self.tasks(world):
            whole = play_task(world, task, self.players(task))
            for cut in self.cuts(len(whole.events)):
                journal = whole.events[:cut]
                again = play_task(world, task, self.players(task), journal=journal)
                told = f"replaying {cut} events of task {task.id}"
                assert _what_happened(again) == _what_happened(whole), told
                # Where replies are taken as they come, their order means nothing.
                assert sorted(map(encode_event, again.events)) == sorted(
                    map(encode_event, whole.events)
                ), told

    def test_nobody_is_shown_what_is_hidden_from_them(self) -> None:
        world = self.world()
        for task in self.tasks(world):
            for heard in _heard(world, task, self.players(task)):
                shown = heard.request.observation
                told = f"{shown!r} {heard.request.problem}"
                for word in self.hidden(task, shown.seat):
                    assert word not in told, f'{shown.seat} of {task.id} is shown "{word}"'

    def test_transcripts_show_an_episode_and_what_each_seat_saw_of_it(self) -> None:
        world = self.world()
        for episode in self._episodes():
            whole = world.transcript(episode)
            assert whole.title, "a transcript has a title"
            assert len(whole.lines) == len(episode.moves), "a line for each turn taken"
            for seat in episode.trial.task.seats:
                seen = world.transcript(episode, seat)
                assert len(seen.lines) <= len(whole.lines), "a seat sees no more than happened"
                for word in self.hidden(episode.trial.task, seat):
                    assert word not in repr(seen), f'the transcript of {seat} shows "{word}"'

    def test_an_unfinished_episode_can_be_shown(self) -> None:
        world = self.world()
        for episode in self._episodes():
            begun = Episode(episode.trial, episode.events[:1])
            assert world.transcript(begun).title, "a transcript has a title"

    def test_trials_and_events_survive_the_store(self) -> None:
        for episode in self._episodes():
            assert decode_trial(encode_trial(episode.trial)) == episode.trial
            for event in episode.events:
                assert decode_event(encode_event(event)) == event

    def _episodes(self) -> list[Episode]:
        world = self.world()
        return [play_task(world, task, self.players(task)) for task in self.tasks(world)]

    def _heard(self) -> list[Heard]:
        world = self.world()
        found: list[Heard] = []
        for task in self.tasks(world):
            found += _heard(world, task, self.players(task))
        return found


def _what_happened(episode: Episode) -> list[Event]:
    return [event for event in episode.events if isinstance(event, Moved | Happened | Ended)]


def _heard(world: World, task: Task, players: Mapping[str, Player]) -> list[Heard]:
    found: list[Heard] = []

    def note(_: Request, heard: Heard) -> None:
        found.append(heard)

    play_task(world, task, {seat: Watched(player, note) for seat, player in players.items()})
    return found
