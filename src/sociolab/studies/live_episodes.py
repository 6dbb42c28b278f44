"""The live episodes of a study: played in the background, recorded and judged."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass

from sociolab.app.players.own_code import OwnJudge
from sociolab.app.search_index import STEP, index_run
from sociolab.core.episode import Episode, Trial
from sociolab.core.errors import Cause, ModelError, SociolabError, StoreError
from sociolab.core.ports import Player
from sociolab.runner.guard import ForeignPlayer
from sociolab.runner.progress import Waits
from sociolab.studies.live_episode import EpisodeContext, GoneError, LiveEpisode, Sent
from sociolab.studies.play_plan import (
    PacedPlayer,
    PartnerCast,
    TypingPace,
    trial_with,
    verdicts_or_failures,
)
from sociolab.studies.play_records import PlayRecords, seats_of_people
from sociolab.studies.settings import PlayPlan

log = logging.getLogger("sociolab.studies")
People = Mapping[str, int]
"""Maps the seats of a trial that people take to their participants."""


@dataclass(frozen=True, slots=True)
class SeatTaken:
    episode: LiveEpisode
    seat: str


@dataclass(frozen=True, slots=True)
class Callbacks:
    """What episodes call: `changed` when people's screens may look different, `free` when a trial
    can be played again, `shut` when the study was closed; `is_open` says whether it is open."""

    changed: Callable[[People], None]
    free: Callable[[], None]
    is_open: Callable[[], bool]
    shut: Callable[[], None]


class LiveEpisodes:
    """Plays trials in the background; `places` maps participants to their seats."""

    def __init__(
        self, records: PlayRecords, plan: PlayPlan, partner_cast: PartnerCast, callbacks: Callbacks
    ) -> None:
        self.places: dict[int, SeatTaken] = {}
        self._records, self._plan = records, plan
        self._partner_cast, self._callbacks = partner_cast, callbacks
        self._jury = StudyJudging(records, partner_cast)
        self._watch = BlockedWatch(records.study, partner_cast)
        self._tasks: set[asyncio.Task[None]] = set()

    def resume(self) -> None:
        """Resume the episodes that were live when the server stopped, and judge those that were not
        judged."""
        for trial, people, released in self._records.live_trials():
            journal = self._records.events(trial.id)
            answers = self._records.last_answers(trial.id, people)
            context = self._context(trial, people)
            self._seat(
                LiveEpisode(context, trial, tuple(people), journal, answers, released), people
            )
        for trial in self._records.played():
            self._in_background(self._jury.judge(trial))
        self._watch.begin()

    def start(self, trial: Trial, people: People) -> None:
        self._records.begin(trial, people)
        self._seat(LiveEpisode(self._context(trial, people), trial, tuple(people)), people)

    def next_repeat(self, trial: Trial) -> Trial:
        """The same task and cast as one more repeat than was planned."""
        repeat = self._records.count_repeats(trial)
        return trial_with(self._plan, self._partner_cast, trial.task, trial.cast, repeat)

    async def close(self) -> None:
        """Stop all episodes as they are; what was played is on disk."""
        self._watch.end()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # ------------------------------------------------------------------ inside

    def _context(self, trial: Trial, people: People) -> EpisodeContext:
        records = self._records
        return EpisodeContext(
            self._partner_cast.kit.world,
            self._partner_cast.kit.declared,
            _paced_players(self._plan, self._partner_cast, trial.task.id),
            self._plan.turn_seconds,
            self._plan.missed,
            write=lambda event: records.write(trial.id, event),
            keep=lambda seat, sent: records.keep(people[seat], sent),
            changed=lambda: self._callbacks.changed(people),
            release=lambda seat, sent: self._release(trial, people[seat], sent),
        )

    def _seat(self, live: LiveEpisode, people: People) -> None:
        for seat, person in people.items():
            if seat not in live.released:
                self.places[person] = SeatTaken(live, seat)
        self._in_background(self._play(live, people))
        self._callbacks.changed(people)

    async def _play(self, live: LiveEpisode, people: People) -> None:
        """Play a trial to its end; if the store fails, the study shuts and is resumed later."""
        try:
            await self._play_out(live, people)
        except StoreError as error:
            # What is on disk is all that counts: everybody resumes from there, as after a restart.
            log.warning("study %s, trial %s: %s", self._records.study, live.trial.id, error)
            self._callbacks.shut()

    async def _play_out(self, live: LiveEpisode, people: People) -> None:
        trial, study = live.trial, self._records.study
        try:
            await live.play()
        except GoneError as gone:
            if not self._callbacks.is_open():  # nobody could have answered
                self._callbacks.shut()
                return
            self._fail(trial, "gave up", str(gone), gone.seat)
        except StoreError:
            raise
        except ModelError as error:
            log.warning("study %s, trial %s: %s", study, trial.id, error)
            self._fail(trial, error.cause, str(error))
        except SociolabError as error:
            log.warning("study %s, trial %s: %s", study, trial.id, error)
            self._fail(trial, "plugin", str(error))
        except Exception as error:  # a bug ends only this episode, and is logged
            log.exception("study %s, trial %s failed", study, trial.id)
            self._fail(trial, "plugin", f"{type(error).__name__}: {error}")
        else:
            self._records.end(trial.id, "played")
            self._in_background(self._jury.judge(trial))
        self._partner_cast.replies.release(trial.id)
        for person in people.values():
            self._free_seat(trial, person)
        self._callbacks.changed(people)

    def _release(self, trial: Trial, person: int, sent: Sent | None) -> None:
        self._records.release(trial.id, person, sent)
        self._free_seat(trial, person)
        self._callbacks.changed({"": person})

    def _free_seat(self, trial: Trial, person: int) -> None:
        """Free the person's seat; one who went on earlier may have another seat by now."""
        place = self.places.get(person)
        if place is not None and place.episode.trial.id == trial.id:
            del self.places[person]

    def _fail(self, trial: Trial, cause: Cause, problem: str, dropout_seat: str = "") -> None:
        """Record a failed trial, and plan another one in its place (none for a stand-in's, which
        was not planned)."""
        with self._records.store.transaction():
            self._records.end(trial.id, "failed", cause, problem, dropout_seat)
            if len(seats_of_people(trial)) in self._records.sizes:  # and no stand-in's
                self._records.add_trial(self.next_repeat(trial))
        self._callbacks.free()

    def _in_background(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _paced_players(plan: PlayPlan, partner_cast: PartnerCast, task: str) -> dict[str, Player]:
    """All players but people, by label; custom code is wrapped so that its errors and delays stay
    in bounds."""
    pace = TypingPace(plan.words_a_minute, plan.turn_seconds, plan.seed)
    players: dict[str, Player] = {}
    for partner in partner_cast.others:
        player, label = partner.player, partner.id.label
        if partner.own:
            player = ForeignPlayer(player, label, task, plan.turn_seconds, partner_cast.waits)
        players[label] = PacedPlayer(player, pace)
    return players


_AT_ONCE = 4
"""Trials that are judged at the same time."""


class StudyJudging:
    """The judges of a study; each judges a trial once."""

    def __init__(self, records: PlayRecords, partner_cast: PartnerCast) -> None:
        self._records, self._partner_cast = records, partner_cast
        self._places = asyncio.Semaphore(_AT_ONCE)

    async def judge(self, trial: Trial) -> None:
        """Have a trial judged by the judges that have not done so, or failed to, and index its
        words.

        A judge's failure is stored with its cause, and tried again when the study is reopened. If
        the store fails, that is logged: the episode itself is stored.
        """
        async with self._places:
            try:
                await self._judge(trial)
                await index_run(self._records.store.path, self._records.run, STEP)
            except StoreError as error:
                log.warning("study %s, judging %s: %s", self._records.study, trial.id, error)
        self._partner_cast.replies.release(trial.id)

    async def _judge(self, trial: Trial) -> None:
        store, run = self._records.store, self._records.run
        pending = [
            judge
            for judge in self._partner_cast.judges
            if not store.verdicts.judged(run, judge.id, trial=trial.id)
        ]
        if not pending:
            return
        episode = Episode(trial, self._records.events(trial.id))
        for judge in pending:
            verdicts = await verdicts_or_failures(store, run, judge, episode)
            store.verdicts.add(run, judge.id, verdicts, trial=trial.id)


EVERY = 5.0
"""Seconds between two checks."""


class BlockedWatch:
    """Watches from a thread whether custom code blocks a study's episodes."""

    def __init__(self, study: str, partner_cast: PartnerCast) -> None:
        self._study, self._partner_cast = study, partner_cast
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Start, if there is any custom code."""
        partners, judges = self._partner_cast.others, self._partner_cast.judges
        if any(p.own for p in partners) or any(isinstance(judge, OwnJudge) for judge in judges):
            self._thread = threading.Thread(target=self._watch, name="blocked", daemon=True)
            self._thread.start()

    def end(self) -> None:
        """Stop, and log who held up others now and then."""
        for sentence in self._partner_cast.waits.held_up_sentences():
            log.warning("study %s: %s", self._study, sentence)
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(EVERY):
            log_blocked(self._study, self._partner_cast.waits)


def log_blocked(study: str, waits: Waits) -> None:
    """Log each player or judge that runs past its time, once."""
    for who in waits.blocked():
        log.error(
            "study %s: %s; no page of this server answers meanwhile: kill the server, mend this "
            "code, and start the server again: what was played goes on from where it was",
            study,
            who,
        )
