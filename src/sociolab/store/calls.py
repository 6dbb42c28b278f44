"""Model calls of a run: replies stored as they are paid for and reused on resume, prompts as
differences, and what it all took.
"""

from __future__ import annotations

import json
import sqlite3
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from itertools import groupby
from typing import Any, NamedTuple

from sociolab.core.codec import compact_json
from sociolab.core.errors import Cause, ModelError, StoreError
from sociolab.core.instructions import ADDRESSES
from sociolab.core.ports import (
    Attempt,
    CallKey,
    ChatReply,
    Message,
    Prompt,
    Schema,
    Served,
    ToolCall,
    ToolDefinition,
    Usage,
)
from sociolab.core.redaction import redact
from sociolab.core.unpacking import inflate
from sociolab.store.database import Database, as_bytes, as_text


@dataclass(frozen=True, slots=True)
class CallRow:
    """A completed call. `at` is when its reply was stored, in seconds since 1970 (UTC).

    `prompt_hash` identifies the rendered messages and the schema, in hexadecimal; `prompt_bytes` is
    their length in UTF-8.
    """

    pk: int
    key: str
    call: CallKey
    model: str
    prompt_hash: str
    prompt_bytes: int
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


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """A request of a call. The seconds of one that brought the reply are those of the whole call;
    that it was written into a cache is not stored."""

    call: CallKey
    model: str
    attempt: Attempt
    at: float


class ServedCall(NamedTuple):
    """What served a completed call. `left_out` has commas between options, `text_bytes` leaves the
    schema out; `tokens` are those of the prompt, None where estimated."""

    model: str
    role: str
    served_model: str
    fingerprint: str
    left_out: str
    tokens: int | None
    text_bytes: int


class CallPlace(NamedTuple):
    """The turn and seat that a player's call was for."""

    pk: int
    turn: int
    seat: str
    name: str
    attempt: int


@dataclass(frozen=True, slots=True)
class RoleTotals:
    """What the calls of one role took. `usd` is None where no call had a price.

    `cached_tokens` is a part of `prompt_tokens`; `seconds` adds up the calls' own times, those of
    the failed ones too. The tokens of `estimated_calls`, and so their price, are estimates.
    Tokens and `usd` include the attempts that brought no reply: `failed_attempts`, which cost
    `failed_usd`. Of these, the tokens of `estimated_attempts` are estimates, and
    `possible_attempts` may have been billed: they are booked at what was held for them, together
    `possible_usd`.
    """

    calls: int
    failed_calls: int
    estimated_calls: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    usd: float | None
    seconds: float
    failed_attempts: int = 0
    failed_usd: float = 0.0
    estimated_attempts: int = 0
    possible_attempts: int = 0
    possible_usd: float = 0.0

    @property
    def estimated(self) -> bool:
        """Whether some of the tokens or of `usd` are estimates."""
        return bool(self.estimated_calls or self.estimated_attempts or self.possible_attempts)


@dataclass(frozen=True, slots=True)
class Totals(RoleTotals):
    """What a whole run took, with all resumed parts; `seconds` is wall time."""

    by_role: Mapping[str, RoleTotals] = field(default_factory=dict)


class SeatCost(NamedTuple):
    """Dollars, None where a call had no price; `estimated` where a part of them is."""

    usd: float | None
    estimated: bool


class Calls:
    """Reads the calls of a store's runs: prompts, replies, tokens, cost."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def all(self, run: str, trial: str | None = None) -> Iterator[CallRow]:
        """The completed calls of a run or of one trial: by trial, in the order of completion."""
        run_pk = self._db.run_pk(run)
        only, values = ("", ()) if trial is None else ("AND trial = ?4", (trial,))
        after: tuple[str, int] = ("", 0)
        while True:
            rows = self._db.rows(
                "SELECT trial, role, seat, turn, name, attempt, idx, pk, key, model, hash, "
                f"prompt_bytes, at, {REPLY} FROM calls WHERE run = ?1 "
                f"AND (trial, pk) > (?2, ?3) {only} ORDER BY trial, pk LIMIT {_PAGE}",
                (run_pk, *after, *values),
            )
            for row in rows:
                pk, key, model, digest, size, at = row[7:13]
                reply, call = decode_reply(row[13:]), _call_key(row)
                key, model = as_text(key), as_text(model)
                yield CallRow(pk, key, call, model, digest.hex(), size, reply, at)
            if len(rows) < _PAGE:
                return
            after = (rows[-1][0], rows[-1][7])

    def with_prompts(self, run: str) -> Iterator[tuple[CallRow, Prompt]]:
        """The completed calls of a run, each with its prompt, in the order of `all`."""
        for _, calls in groupby(self.all(run), lambda row: row.call.trial):
            decoded: dict[int, Prompt] = {}
            for call in calls:
                yield call, self._prompt(call.pk, decoded)

    def prompt(self, call: CallRow) -> Prompt:
        """The exact prompt of a call; StoreError if it is damaged."""
        return self._prompt(call.pk, {})

    def failures(self, run: str) -> tuple[CallFailureRow, ...]:
        rows = self._db.rows(
            "SELECT trial, role, seat, turn, name, attempt, idx, model, cause, problem, tries, "
            "seconds, at FROM call_failures WHERE run = ? ORDER BY pk",
            (self._db.run_pk(run),),
        )
        return tuple(
            CallFailureRow(_call_key(row), as_text(row[7]), row[8], as_text(row[9]), *row[10:])
            for row in rows
        )

    def ledger(self, run: str) -> Iterator[AttemptRow]:
        """Every attempt of every call of a run: by trial, in order of time."""
        pk = self._db.run_pk(run)
        for (trial,) in self._db.rows(
            "SELECT trial FROM calls WHERE run = ?1 "
            "UNION SELECT trial FROM attempts WHERE run = ?1",
            (pk,),
        ):
            rows = self._db.rows(
                f"SELECT {LEDGER} FROM ledger WHERE run = ? AND trial = ? ORDER BY at, number",
                (pk, trial),
            )
            for row in rows:
                model, number, seconds, at, cause, billed, prompt, completion, cached, usd = row[7:]
                usage = Usage(prompt, completion, cached, billed == "estimated")
                attempt = Attempt(number, seconds, cause, billed, usage, usd)
                yield AttemptRow(_call_key(row), as_text(model), attempt, at)

    def served(self, run: str) -> tuple[ServedCall, ...]:
        """What served each completed call of a run, in the order of completion."""
        rows = self._db.rows(
            f"""
            SELECT model, role, served_model, fingerprint, left_out,
                CASE WHEN NOT estimated THEN prompt_tokens END,
                prompt_bytes - ifnull(
                    (SELECT length(CAST(text AS BLOB)) FROM schemas WHERE pk = calls.schema), 0
                )
            FROM {_IN_ORDER} WHERE run = ? ORDER BY pk
            """,
            (self._db.run_pk(run),),
        )
        return tuple(
            ServedCall(
                as_text(model), role, as_text(name), as_text(mark), as_text(left_out), tokens, size
            )
            for model, role, name, mark, left_out, tokens, size in rows
        )

    def returned(self, run: str, model: str) -> dict[int, tuple[str, ...]]:
        """The names of the models that answered a judge's calls to `model`, by the number of
        the judging; empty where the server named none.
        """
        rows = self._db.rows(
            "SELECT DISTINCT idx, served_model FROM calls WHERE run = ? AND role = 'judge' "
            "AND model = ? AND served_model != '' ORDER BY idx, served_model",
            (self._db.run_pk(run), model),
        )
        by_judging: dict[int, list[str]] = {}
        for judging, name in rows:
            by_judging.setdefault(judging, []).append(as_text(name))
        return {judging: tuple(names) for judging, names in by_judging.items()}

    def faults(self, run: str) -> tuple[tuple[str, str], ...]:
        """Faults of replies that were used all the same, as (trial, fault) pairs."""
        rows = self._db.rows(
            f"SELECT trial, fault FROM {_IN_ORDER} WHERE run = ? AND fault != '' ORDER BY pk",
            (self._db.run_pk(run),),
        )
        return tuple((as_text(trial), as_text(fault)) for trial, fault in rows)

    def has_any(self, run: str, trial: str) -> bool:
        (any_call,) = self._db.row(
            "SELECT EXISTS (SELECT 1 FROM calls WHERE run = ?1 AND trial = ?2) "
            "OR EXISTS (SELECT 1 FROM call_failures WHERE run = ?1 AND trial = ?2) "
            "OR EXISTS (SELECT 1 FROM attempts WHERE run = ?1 AND trial = ?2)",
            (self._db.run_pk(run), trial),
        )
        return bool(any_call)

    def player_calls(self, run: str, trial: str) -> tuple[CallPlace, ...]:
        rows = self._db.rows(
            "SELECT pk, turn, seat, name, attempt FROM calls WHERE run = ? AND trial = ? "
            "AND role IN ('agent', 'partner', 'background') ORDER BY pk",
            (self._db.run_pk(run), trial),
        )
        return tuple(
            CallPlace(pk, turn, as_text(seat), as_text(name), attempt)
            for pk, turn, seat, name, attempt in rows
        )

    def count_judge_retries(self, run: str, trial: str) -> Mapping[str, int]:
        """How many replies of each judge of an episode were retries, by its name."""
        rows = self._db.rows(
            "SELECT name, count(*) FROM calls WHERE run = ? AND trial = ? AND role = 'judge' "
            "AND attempt > 1 GROUP BY name",
            (self._db.run_pk(run), trial),
        )
        return {as_text(name): count for name, count in rows}

    def latest_seconds(self, model: str, address: str, count: int, among: int) -> float | None:
        """The mean seconds of the latest `count` calls to a model among the latest `among` of all
        runs; None if there is none.

        Only runs count whose settings say that the model was served at this `address` (a hash, see
        `ADDRESSES`) and nowhere else.
        """
        latest = "SELECT run, model, seconds, pk FROM calls ORDER BY pk DESC LIMIT ?"
        runs = [
            run
            for run, text in self._db.rows(
                f"SELECT pk, settings FROM runs WHERE pk IN (SELECT run FROM ({latest}))", (among,)
            )
            if isinstance(settings := json.loads(as_text(text)), dict)
            and isinstance(addresses := settings.get(ADDRESSES), dict)
            and addresses.get(model) == [address]
        ]
        row = self._db.row(
            f"SELECT avg(seconds) FROM (SELECT seconds FROM ({latest}) WHERE model = ? AND run IN "
            f"({', '.join('?' * len(runs))}) ORDER BY pk DESC LIMIT ?)",
            (among, model, *runs, count),
        )
        return None if row is None else row[0]

    def totals(self, run: str) -> Totals:
        """What a run took until now; zeros and None where no model was called."""
        pk = self._db.run_pk(run)
        by_role = self._by_role(pk)
        (seconds,) = self._db.row("SELECT seconds FROM runs WHERE pk = ?", (pk,))
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
            seconds,
            sum(role.failed_attempts for role in roles),
            sum(role.failed_usd for role in roles),
            sum(role.estimated_attempts for role in roles),
            sum(role.possible_attempts for role in roles),
            sum(role.possible_usd for role in roles),
            by_role,
        )

    def seat_costs(self, run: str) -> Mapping[tuple[str, str], SeatCost]:
        """The cost of each trial and seat, all attempts included; of agents and partners
        only. An attempt for which nothing was booked costs nothing.
        """
        rows = self._db.rows(
            f"""
            SELECT trial, seat, CASE WHEN count(usd) = count(*) THEN sum(usd) END, max(estimated)
            FROM (
                SELECT trial, seat, usd, estimated, role FROM {_IN_ORDER} WHERE run = ?1
                UNION ALL
                SELECT trial, seat, usd, billed != 'told', role FROM attempts
                WHERE run = ?1 AND (billed IN ('told', 'estimated') OR usd)
            )
            WHERE role IN ('agent', 'partner') GROUP BY trial, seat
            """,
            (self._db.run_pk(run),),
        )
        return {
            (as_text(trial), as_text(seat)): SeatCost(usd, bool(estimated))
            for trial, seat, usd, estimated in rows
        }

    def _by_role(self, run: int) -> Mapping[str, RoleTotals]:
        rows = self._db.rows(
            f"""
            SELECT role, sum(kind = 'call'), sum(kind = 'failure'), sum(billed = 'call estimated'),
                sum(prompt), sum(completion), sum(cached), sum(usd), sum(seconds),
                sum(kind = 'attempt'), total(CASE kind WHEN 'attempt' THEN usd END),
                sum(billed = 'estimated'), sum(billed = 'possible'),
                total(CASE billed WHEN 'possible' THEN usd END)
            FROM (
                SELECT role, 'call' AS kind, iif(estimated, 'call estimated', '') AS billed,
                    prompt_tokens AS prompt, completion_tokens AS completion,
                    cached_tokens AS cached, usd, seconds
                FROM {_IN_ORDER} WHERE run = ?1
                UNION ALL
                SELECT role, 'failure', '', 0, 0, 0, NULL, seconds FROM call_failures WHERE run = ?1
                UNION ALL
                SELECT role, 'attempt', billed, prompt_tokens, completion_tokens, cached_tokens,
                    usd, 0 FROM attempts WHERE run = ?1
            )
            GROUP BY role ORDER BY role
            """,
            (run,),
        )
        return {role: RoleTotals(*rest) for role, *rest in rows}

    def _prompt(self, pk: int, decoded: dict[int, Prompt]) -> Prompt:
        """Rebuild a prompt from those that it extends; it replaces its base in `decoded`.

        A prompt is the base of at most one other.
        """
        chain = []
        base: int | None = pk
        while base is not None and base not in decoded:
            row = self._db.row(
                "SELECT calls.base, calls.prompt, calls.hash, schemas.name, schemas.text "
                "FROM calls LEFT JOIN schemas ON schemas.pk = calls.schema WHERE calls.pk = ?",
                (base,),
            )
            if row is None:
                raise StoreError(f"call {base} is not in the store {self._db.path}")
            chain.append(row)
            base = row[0]
        prompt = decoded.pop(base) if base is not None else None
        for _, data, _, name, text in reversed(chain):
            schema = None if name is None else Schema(as_text(name), as_text(text))
            prompt = unpack(data, prompt, schema)
        assert prompt is not None
        if prompt.fingerprint != chain[0][2]:
            raise StoreError(f"the prompt of call {pk} in {self._db.path} is damaged")
        decoded[pk] = prompt
        return prompt


class RunReplies:
    """The replies of one run; a `ReplyStore`.

    A stored reply and the events that follow from it reach the disk together, soon: see
    `Database.commit_soon`.
    """

    def __init__(self, store: Database, run: str) -> None:
        self._store = store
        self._run = store.run_pk(run)
        keys = store.rows("SELECT key FROM calls WHERE run = ?", (self._run,))
        # Nearly every call is new: no query is needed for a key whose hash is not in here.
        self._key_hashes = {hash(as_text(key)) for (key,) in keys}
        rows = store.rows("SELECT name, text, pk FROM schemas WHERE run = ?", (self._run,))
        self._schemas = {(as_text(name), as_text(text)): pk for name, text, pk in rows}
        self._last: dict[str, dict[tuple[str, str], tuple[int, Prompt]]] = {}

    def find(self, key: str) -> ChatReply | None:
        """The reply stored under this key in this run, or None.

        None is followed by a call, so StorageError is raised where its reply could not be stored.
        """
        row = None
        if hash(key) in self._key_hashes:
            row = self._store.row(
                f"SELECT {REPLY} FROM calls WHERE run = ? AND key = ?",
                (self._run, key),
            )
        if row is None:
            self._store.check_room()
            return None
        return decode_reply(row)

    def keep(
        self,
        key: str,
        call: CallKey,
        model: str,
        prompt: Prompt,
        reply: ChatReply,
        at: float | None = None,
    ) -> None:
        """Store a reply with its prompt; `at` is now by default.

        StoreError if the run has a reply under this key already.
        """
        self._store.begin()
        sent = sum(len(as_bytes(text)) for text in prompt.texts)
        prompt = _redact(prompt)
        last = self._latest_prompts(call.trial)
        base, before = last.get((call.role, call.seat), (None, None))
        usage, served = reply.usage, reply.served
        values = (
            self._run,
            *_key_columns(call),
            model,
            reply.tries,
            reply.seconds,
            time.time() if at is None else at,
            key,
            usage.prompt,
            usage.completion,
            usage.cached,
            usage.estimated,
            reply.usd,
            reply.finish,
            reply.fault,
            served.model,
            served.fingerprint,
            ",".join(served.left_out),
            served.cap,
            reply.reasoned,
            sent,
            base,
            self._schema_pk(prompt),
            prompt.fingerprint,
            pack(prompt, before),
            reply.text,
        )
        try:
            pk = self._store.insert(_KEEP, values)
        except sqlite3.IntegrityError as error:
            raise StoreError(
                f"two calls of this run have the same key: {call}; each call needs "
                "a trial, role, seat, turn, name, attempt and index of its own"
            ) from error
        if reply.calls:
            asked = redact(compact_json([astuple(one) for one in reply.calls]))
            self._store.execute(ADD_TOOL_CALLS, (pk, asked))
        last[call.role, call.seat] = (pk, prompt)
        self._key_hashes.add(hash(key))
        self._store.commit_soon()

    def keep_failure(
        self,
        call: CallKey,
        model: str,
        error: ModelError,
        seconds: float,
        at: float | None = None,
    ) -> None:
        """Store a call that failed for good; `at` is now by default."""
        self._store.begin()
        at = time.time() if at is None else at
        values = (*_key_columns(call), model, error.tries, seconds, at, error.cause, str(error))
        self._store.execute(_KEEP_FAILURE, (self._run, *values))
        self._store.commit_soon()

    def begin_attempt(self) -> None:
        """Does nothing: a request under way is not stored."""

    def keep_attempt(
        self, call: CallKey, model: str, attempt: Attempt, at: float | None = None
    ) -> None:
        """Store an attempt that brought no reply, and its possible cost; `at` is
        now by default.
        """
        self._store.begin()
        at, usage = time.time() if at is None else at, attempt.usage
        values = (
            self._run,
            *_key_columns(call),
            model,
            attempt.number,
            attempt.seconds,
            at,
            attempt.cause,
            attempt.billed,
            usage.prompt,
            usage.completion,
            usage.cached,
            attempt.usd,
        )
        self._store.execute(_KEEP_ATTEMPT, values)
        self._store.commit_soon()

    def release(self, trial: str) -> None:
        """Drop the cached prompts of a trial that is over."""
        self._last.pop(trial, None)

    def _latest_prompts(self, trial: str) -> dict[tuple[str, str], tuple[int, Prompt]]:
        last = self._last.get(trial)
        if last is None:
            if len(self._last) >= _MOST_REMEMBERED:
                del self._last[next(iter(self._last))]
            last = self._last[trial] = {}
        return last

    def _schema_pk(self, prompt: Prompt) -> int | None:
        """The primary key of the prompt's schema, which is stored once a run."""
        if prompt.schema is None:
            return None
        key = (prompt.schema.name, prompt.schema.text)
        pk = self._schemas.get(key)
        if pk is None:
            pk = self._schemas[key] = self._store.insert(
                "INSERT INTO schemas (run, name, text) VALUES (?, ?, ?)", (self._run, *key)
            )
        return pk


def pack(prompt: Prompt, base: Prompt | None) -> bytes:
    """The prompt without its schema, as a difference from `base`; compressed where that is
    smaller."""
    before = base.messages if base else ()
    rows: list[tuple[object, ...]] = []
    for index, message in enumerate(prompt.messages):
        same = common_prefix_length(before[index].text, message.text) if index < len(before) else 0
        row = (message.role, same, message.text[same:])
        tools = ([astuple(call) for call in message.calls], message.answers)
        rows.append((*row, *tools) if any(tools) else row)
    settings: list[object] = [prompt.temperature, prompt.max_tokens, rows]
    if prompt.penalties is not None or prompt.tools or prompt.options:
        settings.append(prompt.penalties)
    if prompt.tools or prompt.options:
        settings += [[tool.parts for tool in prompt.tools], prompt.tool_choice, prompt.options]
    plain = as_bytes(compact_json(settings))
    if len(plain) < _WORTH_PACKING:
        return plain
    packed = zlib.compress(plain, 1)
    return packed if len(packed) < len(plain) else plain


def unpack(data: bytes, base: Prompt | None, schema: Schema | None) -> Prompt:
    """The prompt that was packed with this base; StoreError if the bytes are damaged."""
    before = base.messages if base else ()
    try:
        plain = data if data.startswith(b"[") else inflate(data)
        temperature, max_tokens, rows, *rest = json.loads(as_text(plain))
        messages = tuple(
            _unpack_message(before[index].text[: row[1]] if row[1] else "", *row)
            for index, row in enumerate(rows)
        )
        tools, choice, options = rest[1:] or ((), "auto", ())
        return Prompt(
            messages,
            schema,
            temperature,
            max_tokens,
            rest[0] if rest else None,
            tools=tuple(ToolDefinition(*tool) for tool in tools),
            tool_choice=choice,
            options=tuple((name, value) for name, value in options),
        )
    except (ValueError, TypeError, IndexError, zlib.error) as error:
        raise StoreError(f"a prompt in the store cannot be read ({error})") from error


def _unpack_message(
    before: str, role: Any, same: int, text: str, calls: Sequence[Any] = (), answers: str = ""
) -> Message:
    return Message(role, before + text, tuple(ToolCall(*call) for call in calls), answers)


def common_prefix_length(old: str, new: str) -> int:
    """How many leading characters two texts share; 0 where either is empty."""
    if new.startswith(old):
        return len(old)
    low, high = 0, min(len(old), len(new))
    while low < high:  # the first `low` are the same, and never more than the first `high`
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


REPLY = (
    "reply, finish, prompt_tokens, completion_tokens, cached_tokens, estimated, seconds, tries, "
    "usd, fault, served_model, fingerprint, left_out, cap, reasoned, "
    "(SELECT content FROM tool_calls WHERE call = calls.pk)"
)
"""The columns of a reply, in the order of `decode_reply`."""


def decode_reply(row: Sequence[Any]) -> ChatReply:
    text, finish, prompt, completion, cached, estimated, seconds, tries, usd, fault = row[:10]
    model, fingerprint, left_out, cap, reasoned, tools = row[10:]
    usage = Usage(prompt, completion, cached, bool(estimated))
    options = tuple(as_text(left_out).split(",")) if left_out else ()
    served = Served(as_text(model), as_text(fingerprint), options, cap)
    return ChatReply(
        as_text(text),
        finish,
        usage,
        seconds,
        tries,
        usd,
        as_text(fault),
        served,
        bool(reasoned),
        tuple(ToolCall(*call) for call in json.loads(as_text(tools))) if tools else (),
    )


def _call_key(row: tuple[Any, ...]) -> CallKey:
    trial, role, seat, turn, name, attempt, index = row[:7]
    return CallKey(as_text(trial), role, as_text(seat), turn, as_text(name), attempt, index)


def _redact(prompt: Prompt) -> Prompt:
    """The prompt without the secrets that a player may have mentioned."""
    messages = tuple(map(_redact_message, prompt.messages))
    if all(new is old for new, old in zip(messages, prompt.messages, strict=True)):
        return prompt
    return replace(prompt, messages=messages)


def _redact_message(message: Message) -> Message:
    text = redact(message.text)
    calls = tuple(replace(call, arguments=redact(call.arguments)) for call in message.calls)
    if text is message.text and calls == message.calls:
        return message
    return replace(message, text=text, calls=calls)


def _key_columns(call: CallKey) -> tuple[str, str, str, int, str, int, int]:
    return call.trial, call.role, call.seat, call.turn, call.name, call.attempt, call.index


_PAGE = 500
"""Rows fetched at a time."""


_MOST_REMEMBERED = 2048
"""Trials whose prompts are remembered, should a caller forget to release them."""


_WORTH_PACKING = 512
"""Bytes below which compressing costs more time than it saves space."""


_IN_ORDER = "calls INDEXED BY calls_by_run"
"""All calls of a run, in the order in which they lie in the file. By trial or by key, each row
would be another page: that took 3 to 5 times as long, more the larger the store."""


CALL = "run, trial, role, seat, turn, name, attempt, idx, model, tries, seconds, at"

SERVED = "served_model, fingerprint, left_out, cap, reasoned, prompt_bytes"

LEDGER = (
    "trial, role, seat, turn, name, attempt, idx, model, number, seconds, at, cause, billed, "
    "prompt_tokens, completion_tokens, cached_tokens, usd"
)


_KEEP = f"""
    INSERT INTO calls ({CALL}, key, prompt_tokens, completion_tokens, cached_tokens, estimated,
        usd, finish, fault, {SERVED}, base, schema, hash, prompt, reply)
    VALUES ({", ".join("?" * 31)})
"""


ADD_TOOL_CALLS = "INSERT INTO tool_calls (call, content) VALUES (?, ?)"


_KEEP_FAILURE = f"""
    INSERT INTO call_failures ({CALL}, cause, problem) VALUES ({", ".join("?" * 14)})
"""


_KEEP_ATTEMPT = f"INSERT INTO attempts (run, {LEDGER}) VALUES ({', '.join('?' * 18)})"
