"""Calls that were paid for, read back: what was asked, and what came."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sociolab.core.errors import Cause, StoreError
from sociolab.core.ports import CallKey, ChatReply, Prompt, Schema
from sociolab.store.prompts import unpack
from sociolab.store.replies import REPLY, reply_of
from sociolab.store.runs import RunTable
from sociolab.store.surrogates import as_text

_PAGE = 500
"""Rows fetched at a time."""


@dataclass(frozen=True, slots=True)
class CallRow:
    """A completed call. `at` is when its reply was stored, in seconds since 1970 (UTC).

    `prompt_hash` identifies the rendered messages and the schema, in hexadecimal.
    """

    pk: int
    key: str
    call: CallKey
    model: str
    prompt_hash: str
    reply: ChatReply
    at: float


@dataclass(frozen=True, slots=True)
class CallFailureRow:
    """A call that failed for good after `tries` attempts in `seconds`."""

    call: CallKey
    model: str
    cause: Cause
    problem: str
    tries: int
    seconds: float
    at: float


class CallTable(RunTable):
    """The calls of a store's runs."""

    def calls(self, run: str, trial: str | None = None) -> Iterator[CallRow]:
        """The completed calls of a run, or of one trial in it: trial by trial, as they came."""
        pk = self.run_pk(run)
        only, values = ("", ()) if trial is None else ("AND trial = ?4", (trial,))
        after: tuple[str, int] = ("", 0)
        while True:
            rows = self.rows(
                "SELECT trial, role, seat, turn, name, attempt, idx, pk, key, model, hash, at, "
                f"{REPLY} FROM calls WHERE run = ?1 AND (trial, pk) > (?2, ?3) {only} "
                f"ORDER BY trial, pk LIMIT {_PAGE}",
                (pk, *after, *values),
            )
            yield from map(_call_row, rows)
            if len(rows) < _PAGE:
                return
            after = (rows[-1][0], rows[-1][7])

    def calls_with_prompts(self, run: str) -> Iterator[tuple[CallRow, Prompt]]:
        """The completed calls of a run, each with what was sent, in the order of `calls`."""
        for _, calls in groupby(self.calls(run), lambda row: row.call.trial):
            known: dict[int, Prompt] = {}
            for call in calls:
                yield call, self._prompt(call.pk, known)

    def prompt_of(self, call: CallRow) -> Prompt:
        """What was sent in this call, to the letter; StoreError if it is damaged."""
        return self._prompt(call.pk, {})

    def call_failures(self, run: str) -> tuple[CallFailureRow, ...]:
        """The calls of a run that failed for good, as they came."""
        rows = self.rows(
            "SELECT trial, role, seat, turn, name, attempt, idx, model, cause, problem, tries, "
            "seconds, at FROM call_failures WHERE run = ? ORDER BY pk",
            (self.run_pk(run),),
        )
        return tuple(
            CallFailureRow(_call_key(row), as_text(row[7]), row[8], as_text(row[9]), *row[10:])
            for row in rows
        )

    def call_faults(self, run: str) -> tuple[tuple[str, str], ...]:
        """What was wrong with replies that were used all the same, each after its trial, as they
        came."""
        rows = self.rows(
            "SELECT trial, fault FROM calls WHERE run = ? AND fault != '' ORDER BY pk",
            (self.run_pk(run),),
        )
        return tuple((as_text(trial), as_text(fault)) for trial, fault in rows)

    def _prompt(self, pk: int, known: dict[int, Prompt]) -> Prompt:
        """Rebuild a prompt from those that it extends; `known` ends up holding it, not its base.

        A prompt is the base of one other at most.
        """
        chain = []
        wanted: int | None = pk
        while wanted is not None and wanted not in known:
            row = self.row(
                "SELECT calls.base, calls.prompt, calls.hash, schemas.name, schemas.text "
                "FROM calls LEFT JOIN schemas ON schemas.pk = calls.schema WHERE calls.pk = ?",
                (wanted,),
            )
            if row is None:
                raise StoreError(f"call {wanted} is not in the store {self.path}")
            chain.append(row)
            wanted = row[0]
        prompt = known.pop(wanted) if wanted is not None else None
        for _, data, _, name, text in reversed(chain):
            schema = None if name is None else Schema(as_text(name), as_text(text))
            prompt = unpack(data, prompt, schema)
        assert prompt is not None
        if prompt.fingerprint != chain[0][2]:
            raise StoreError(f"the prompt of call {pk} in {self.path} is damaged")
        known[pk] = prompt
        return prompt


def _call_row(row: tuple[Any, ...]) -> CallRow:
    pk, key, model, digest, at = row[7:12]
    reply = reply_of(row[12:])
    return CallRow(pk, as_text(key), _call_key(row), as_text(model), digest.hex(), reply, at)


def _call_key(row: tuple[Any, ...]) -> CallKey:
    trial, role, seat, turn, name, attempt, index = row[:7]
    return CallKey(as_text(trial), role, as_text(seat), turn, as_text(name), attempt, index)
