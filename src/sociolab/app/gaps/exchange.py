"""Information exchange beside the intention gap: the IEP of the same agents, from other runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sociolab.core.episode import Trial
from sociolab.core.errors import ConfigError
from sociolab.report.result import result_of
from sociolab.report.score_tables import judges_of
from sociolab.stats.intervals import Estimate
from sociolab.store.store import Store
from sociolab.worlds.anteval.session import NPC

_INFORMATION = "anteval-information"


def cast_of(trial: Trial) -> tuple[str, str]:
    """Who played the party, and who the NPC."""
    party = (m.agent for m in trial.cast if m.seat != NPC)
    return " + ".join(dict.fromkeys(party)), trial.agent(NPC)


def information_of(
    store: Store,
    runs: Sequence[str],
    seats: Mapping[str, tuple[str, str]],
    notes: list[str],
) -> Mapping[str, Estimate]:
    """The IEP of those who play the `seats` (party and NPC), by their names in the table."""
    of_cast: dict[tuple[str, str], Estimate] = {}
    for run in dict.fromkeys(runs):
        result = result_of(store, run)
        if result.world != _INFORMATION:
            raise ConfigError(
                f"--information: expected a run of {_INFORMATION}, found "
                f'"{run}", a run of {result.world}'
            )
        judges = [j for j in judges_of(result) if any(s.judge == j for s in result.scores)]
        npcs = dict(cast_of(row.trial) for row in store.trials(run))
        lost = 0
        for entry in result.scores:
            mine = entry.measure == "iep" and not entry.by and entry.agent is not None
            if mine and entry.judge == judges[0]:
                assert entry.agent is not None
                cast = (entry.agent, npcs.get(entry.agent, ""))
                if cast in of_cast:
                    raise ConfigError(f"--information: {entry.agent} plays in more than one run")
                of_cast[cast] = Estimate(
                    entry.value, entry.n, entry.clusters, entry.low, entry.high, entry.interval
                )
                lost += entry.failures
        if judges and set(seats.values()) & set(npcs.items()):
            without = f"; {lost} answers have no score" if lost else ""
            notes.append(f"IEP of {run}: judged by {judges[0]}{without}")
        else:
            notes.append(
                f"no IEP from {run}: nobody in it plays the same seats as in a generated run, or "
                "nothing was judged"
            )
    found = {name: of_cast.get(cast) for name, cast in seats.items()}
    return {name: estimate for name, estimate in found.items() if estimate is not None}
