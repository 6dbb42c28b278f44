"""What was played is judged in the background, while people play on."""

from __future__ import annotations

import asyncio
import logging

from sociolab.app.floor.plan import Company
from sociolab.app.floor.records import Records
from sociolab.app.judge import verdicts_of
from sociolab.core.episode import Episode, Trial
from sociolab.core.errors import SociolabError

log = logging.getLogger("sociolab.floor")

_AT_ONCE = 4


class Jury:
    """The judges of a study; each judges a trial once."""

    def __init__(self, records: Records, company: Company) -> None:
        self._records, self._company = records, company
        self._places = asyncio.Semaphore(_AT_ONCE)

    async def judge(self, trial: Trial) -> None:
        """Have a trial judged by those who have not done so.

        What goes wrong is told in the log, and tried again when the study is opened anew: the play
        itself is on record.
        """
        records, store = self._records, self._records.store
        async with self._places:
            left = [
                judge
                for judge in self._company.judges
                if not store.judged(records.run, judge.id, trial=trial.id)
            ]
            episode = Episode(trial, records.events(trial.id)) if left else None
            for judge in left:
                assert episode is not None
                try:
                    verdicts = await verdicts_of(judge, episode)
                    store.add_verdicts(records.run, judge.id, verdicts, trial=trial.id)
                except SociolabError as error:
                    log.warning("study %s, judging %s: %s", records.study, trial.id, error)
        self._company.replies.release(trial.id)
