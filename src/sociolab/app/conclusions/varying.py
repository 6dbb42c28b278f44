"""What the scores of some runs in a store vary with, and what more play and judging would cost."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.analysis.agent_names import agent_names
from sociolab.analysis.doublings import Costs
from sociolab.analysis.pooled_runs import run_values
from sociolab.analysis.varying import Variances, variances
from sociolab.store.store import Store


def run_variances(
    store: Store,
    runs: Sequence[str],
    judges: Sequence[str] | None = None,
    measure: str | None = None,
    per_play: float | None = None,
    per_judging: float | None = None,
) -> Variances:
    """The components of each agent's scores; costs that are not given are those of the runs."""
    names = agent_names(store, runs)
    values = [names.values(one) for one in run_values(store, runs)]
    costs = _costs(store, [run.run for run in values], per_play, per_judging)
    return variances(values, judges, measure, costs)


def _costs(
    store: Store, runs: Sequence[str], per_play: float | None, per_judging: float | None
) -> Costs | None:
    """None where neither is given and no call of the runs had a price.

    Of the runs: the calls of agents and partners by episode played, those of judges by judging.
    """
    played, judged, estimated = _spent(store, runs)
    play = played if per_play is None else per_play
    judging = judged if per_judging is None else per_judging
    if not play and not judging:
        return None
    given = per_play is not None and per_judging is not None
    return Costs(play or 0.0, judging or 0.0, estimated and not given)


def _spent(store: Store, runs: Sequence[str]) -> tuple[float | None, float | None, bool]:
    """Dollars by episode played and by model judging, None where no call had a price; and whether
    the tokens of some calls were estimated."""
    dollars: dict[str, float] = {}
    episodes = judgings = 0
    estimated = False
    for run in runs:
        for role, total in store.calls.totals(run).by_role.items():
            if total.usd is not None:
                dollars[role] = dollars.get(role, 0.0) + total.usd
                estimated = estimated or total.estimated_calls > 0
        episodes += store.run(run).played
        judgings += sum(
            counts.episodes
            for judge, counts in store.verdicts.counts(run).items()
            if judge.method == "model"
        )
    play = [dollars[role] for role in ("agent", "partner", "background") if role in dollars]
    return (
        sum(play) / episodes if play and episodes else None,
        dollars["judge"] / judgings if "judge" in dollars and judgings else None,
        estimated,
    )
