"""Replies kept as they are paid for, and found again when a run is resumed."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sociolab.core.errors import ModelError, StoreError
from sociolab.core.ports import CallKey, ChatReply, Prompt, Usage
from sociolab.core.redaction import redacted
from sociolab.store.prompts import pack
from sociolab.store.runs import RunTable
from sociolab.store.surrogates import as_text

_MOST_REMEMBERED = 2048
"""Trials whose prompts are remembered, should a caller forget to release them."""


class RunReplies:
    """The replies of one run; a `ReplyStore`.

    What is kept, and the events that it leads to, are on disk together, soon: see
    `Database.commit_soon`.
    """

    def __init__(self, store: RunTable, run: str) -> None:
        self._store = store
        self._run = store.run_pk(run)
        keys = store.rows("SELECT key FROM calls WHERE run = ?", (self._run,))
        # Nearly every call is new; one whose hash is not in here need not be looked for.
        self._known = {hash(as_text(key)) for (key,) in keys}
        rows = store.rows("SELECT name, text, pk FROM schemas WHERE run = ?", (self._run,))
        self._schemas = {(as_text(name), as_text(text)): pk for name, text, pk in rows}
        self._last: dict[str, dict[tuple[str, str], tuple[int, Prompt]]] = {}

    def find(self, key: str) -> ChatReply | None:
        """The reply stored under this key in this run; None if there is none.

        A call follows then: StorageError where its reply could not be stored.
        """
        row = None
        if hash(key) in self._known:
            row = self._store.row(
                f"SELECT {REPLY} FROM calls WHERE run = ? AND key = ?",
                (self._run, key),
            )
        if row is None:
            self._store.check_room()
            return None
        return reply_of(row)

    def keep(
        self,
        key: str,
        call: CallKey,
        model: str,
        prompt: Prompt,
        reply: ChatReply,
        at: float | None = None,
    ) -> None:
        """Store a reply with the prompt that asked for it; `at` is now, if not given.

        StoreError if the run holds a reply under this key already.
        """
        self._store.begin()
        prompt = _clean(prompt)
        last = self._last_prompts(call.trial)
        base, before = last.get((call.role, call.seat), (None, None))
        usage = reply.usage
        values = (
            self._run,
            *_columns(call),
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
            base,
            self._schema(prompt),
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
        last[call.role, call.seat] = (pk, prompt)
        self._known.add(hash(key))
        self._store.commit_soon()

    def keep_failure(
        self,
        call: CallKey,
        model: str,
        error: ModelError,
        seconds: float,
        at: float | None = None,
    ) -> None:
        """Store that a call failed for good, and why; `at` is now, if not given."""
        self._store.begin()
        now = time.time() if at is None else at
        values = (*_columns(call), model, error.tries, seconds, now, error.cause, str(error))
        self._store.execute(_KEEP_FAILURE, (self._run, *values))
        self._store.commit_soon()

    def release(self, trial: str) -> None:
        """Forget the prompts of a trial that is over, by the name its calls gave it."""
        self._last.pop(trial, None)

    def _last_prompts(self, trial: str) -> dict[tuple[str, str], tuple[int, Prompt]]:
        last = self._last.get(trial)
        if last is None:
            if len(self._last) >= _MOST_REMEMBERED:
                del self._last[next(iter(self._last))]
            last = self._last[trial] = {}
        return last

    def _schema(self, prompt: Prompt) -> int | None:
        """The primary key of the prompt's schema, which is stored once for the whole run."""
        if prompt.schema is None:
            return None
        key = (prompt.schema.name, prompt.schema.text)
        pk = self._schemas.get(key)
        if pk is None:
            pk = self._schemas[key] = self._store.insert(
                "INSERT INTO schemas (run, name, text) VALUES (?, ?, ?)", (self._run, *key)
            )
        return pk


REPLY = (
    "reply, finish, prompt_tokens, completion_tokens, cached_tokens, estimated, seconds, tries, "
    "usd, fault"
)
"""The columns of a reply, as `reply_of` wants them."""


def reply_of(row: Sequence[Any]) -> ChatReply:
    """The reply in a row of calls."""
    text, finish, prompt, completion, cached, estimated, seconds, tries, usd, fault = row
    usage = Usage(prompt, completion, cached, bool(estimated))
    return ChatReply(as_text(text), finish, usage, seconds, tries, usd, as_text(fault))


def _clean(prompt: Prompt) -> Prompt:
    """The prompt; without the secrets in it, should a player have told one."""
    texts = [redacted(message.text) for message in prompt.messages]
    if all(text is message.text for text, message in zip(texts, prompt.messages, strict=True)):
        return prompt
    said = (replace(one, text=text) for one, text in zip(prompt.messages, texts, strict=True))
    return replace(prompt, messages=tuple(said))


def _columns(call: CallKey) -> tuple[str, str, str, int, str, int, int]:
    return call.trial, call.role, call.seat, call.turn, call.name, call.attempt, call.index


_CALL = "run, trial, role, seat, turn, name, attempt, idx, model, tries, seconds, at"

_KEEP = f"""
    INSERT INTO calls ({_CALL}, key, prompt_tokens, completion_tokens, cached_tokens, estimated,
        usd, finish, fault, base, schema, hash, prompt, reply)
    VALUES ({", ".join("?" * 25)})
"""

_KEEP_FAILURE = f"""
    INSERT INTO call_failures ({_CALL}, cause, problem) VALUES ({", ".join("?" * 14)})
"""
