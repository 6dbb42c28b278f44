"""What was played is judged in the background, while people play on."""

from __future__ import annotations

import asyncio
import logging

from sociolab.app.floor.judges import verdicts_or_failures
from sociolab.app.floor.plan import Company
from sociolab.app.floor.records import Records
from sociolab.app.players.own_code import as_known
from sociolab.core.episode import Episode, Trial
from sociolab.core.errors import StoreError

log = logging.getLogger("sociolab.floor")

_AT_ONCE = 4


class Jury:
    """The judges of a study; each judges a trial once."""

    def __init__(self, records: Records, company: Company) -> None:
        self._records, self._company = records, company
        known = records.store.verdicts.judges(records.run)
        self._judges = tuple(as_known(judge, known) for judge in company.judges)
        self._places = asyncio.Semaphore(_AT_ONCE)

    async def judge(self, trial: Trial) -> None:
        """Have a trial judged by those who have not done so, or failed to.

        A judge that fails is on record with the cause, and tried again when the study is opened
        anew. Where the store fails, the log says so: the play itself is on record.
        """
        async with self._places:
            try:
                await self._judge(trial)
            except StoreError as error:
                log.warning("study %s, judging %s: %s", self._records.study, trial.id, error)
        self._company.replies.release(trial.id)

    async def _judge(self, trial: Trial) -> None:
        store, run = self._records.store, self._records.run
        left = [
            judge
            for judge in self._judges
            if not store.verdicts.judged(run, judge.id, trial=trial.id)
        ]
        if not left:
            return
        episode = Episode(trial, self._records.events(trial.id))
        for judge in left:
            verdicts = await verdicts_or_failures(store, run, judge, episode)
            store.verdicts.add(run, judge.id, verdicts, trial=trial.id)
