"""What a run took: calls, tokens, money and time, all its parts together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from sociolab.store.runs import RunTable
from sociolab.store.surrogates import as_text


@dataclass(frozen=True, slots=True)
class RoleTotals:
    """What the calls of one role took. `usd` is None where no call had a price.

    `cached_tokens` is a part of `prompt_tokens`; `seconds` adds up the calls' own times, those of
    the failed ones too. The tokens of `estimated_calls`, and so their price, are estimates.
    """

    calls: int
    failed_calls: int
    estimated_calls: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    usd: float | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Totals:
    """What a whole run took, resumed parts included; `seconds` is wall time."""

    calls: int
    failed_calls: int
    estimated_calls: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    usd: float | None
    seconds: float
    by_role: Mapping[str, RoleTotals]


class SeatCost(NamedTuple):
    """Dollars, None where a call had no price; `estimated` where the tokens of a call are."""

    usd: float | None
    estimated: bool


class TotalsTable(RunTable):
    """The totals of a store's runs."""

    def totals(self, run: str) -> Totals:
        """What a run took until now; zeros and None where nothing was called."""
        by_role = self._by_role(self.run_pk(run))
        roles = by_role.values()
        priced = [role.usd for role in roles if role.usd is not None]
        return Totals(
            sum(role.calls for role in roles),
            sum(role.failed_calls for role in roles),
            sum(role.estimated_calls for role in roles),
            sum(role.prompt_tokens for role in roles),
            sum(role.completion_tokens for role in roles),
            sum(role.cached_tokens for role in roles),
            sum(priced) if priced else None,
            self.run(run).seconds,
            by_role,
        )

    def seat_costs(self, run: str) -> Mapping[tuple[str, str], SeatCost]:
        """What the calls of each trial and seat cost.

        Calls of agents and partners only, those that failed not among them.
        """
        rows = self.rows(
            "SELECT trial, seat, CASE WHEN count(usd) = count(*) THEN sum(usd) END, max(estimated) "
            "FROM calls WHERE run = ? AND role IN ('agent', 'partner') GROUP BY trial, seat",
            (self.run_pk(run),),
        )
        return {
            (as_text(trial), as_text(seat)): SeatCost(usd, bool(estimated))
            for trial, seat, usd, estimated in rows
        }

    def _by_role(self, run: int) -> Mapping[str, RoleTotals]:
        rows = self.rows(
            """
            SELECT role, sum(ok), sum(not ok), sum(estimated), sum(prompt), sum(completion),
                sum(cached), sum(usd), sum(seconds)
            FROM (
                SELECT role, 1 AS ok, estimated, prompt_tokens AS prompt,
                    completion_tokens AS completion, cached_tokens AS cached, usd, seconds
                FROM calls WHERE run = ?1
                UNION ALL
                SELECT role, 0, 0, 0, 0, 0, NULL, seconds FROM call_failures WHERE run = ?1
            )
            GROUP BY role ORDER BY role
            """,
            (run,),
        )
        return {role: RoleTotals(*rest) for role, *rest in rows}
