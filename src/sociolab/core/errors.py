"""Errors, split by who must act.

    SociolabError
    ├── ConfigError      the user: a flag, file, spec or data set is wrong
    ├── StoreError       the user: the store is locked, of another schema, or not ours
    │   └── StorageError the user: the disk is full, read-only or broken; a run ends at once
    ├── ModelError       the provider: a call failed; `retryable` or not
    │   └── BudgetSpent  the user: the run's budget is used up
    ├── ReplyError       the model: a reply that could not be read
    └── WorldError       a plugin's author: a world, agent or judge broke its contract

Each message says what was expected, what was found and what to do, in one sentence.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

Cause: TypeAlias = Literal[
    "unreadable",  # no typed value could be made of the reply
    "not allowed",  # readable, but not among what the scene allows
    "truncated",  # the provider cut the reply at the token limit
    "content filter",  # the provider withheld the reply
    "context overflow",  # the prompt is longer than the model can read
    "refused",  # the provider refused the request (4xx)
    "credentials",  # no key, or a wrong one (401, 403)
    "unknown model",  # no such model or address there (404)
    "rate limit",  # 429 until the attempts were used up
    "server error",  # 5xx until the attempts were used up
    "connection",  # dropped or refused connections until the attempts were used up
    "timeout",  # no reply in time
    "malformed reply",  # the body is not a chat completion
    "gave up",  # a person or plugin gave no reply
    "failed turns",  # a seat failed too large a share of its turns
    "incomplete",  # a part that this value is made of is missing
    "interrupted",  # the run was stopped while this was open
    "plugin",  # a plugin broke its contract
    "budget",  # the budget was spent
]


class SociolabError(Exception):
    """The root of every error that this package raises on purpose; catch it to catch them all."""


class ConfigError(SociolabError):
    """A flag, file, spec or data set that the user must fix. Exit code 2.

    >>> from sociolab import RunConfig, run
    >>> from sociolab.core import ConfigError
    >>> try:
    ...     run(RunConfig(world="chess", store=f"{folder}/lab.db"))
    ... except ConfigError as error:
    ...     print(error)
    there is no world called "chess"; ...
    """


def did_you_mean(requested: str, choices: Iterable[str]) -> str:
    """A hint at similar names, such as " (did you mean goal or goals?)"; "" without any."""
    from difflib import get_close_matches

    names = {name.casefold().replace("-", "_"): name for name in choices}
    near = get_close_matches(requested.casefold().replace("-", "_"), list(names), 3)
    return f" (did you mean {' or '.join(names[key] for key in near)}?)" if near else ""


def missing_extra(needs: str, extra: str, *packages: str) -> ConfigError:
    """The error for packages of an extra that are not installed.

    `needs` begins the sentence, such as "figures need".
    """
    verb = "is" if len(packages) == 1 else "are"
    return ConfigError(
        f"{needs} {' and '.join(packages)}, which {verb} not installed; run: make extras "
        f"EXTRAS={extra} (in the folder of sociolab), or: pip install {' '.join(packages)}"
    )


class StoreError(ConfigError):
    """The store cannot be used as asked: locked, of another schema, or not ours."""


class StorageError(StoreError):
    """The store cannot be written or read: the disk is full or read-only, the file is damaged, or
    another program has held it for too long.

    Whatever a run would do next could not be kept, so it ends at once. `full` says that the disk
    is full.
    """

    def __init__(self, message: str, *, full: bool = False) -> None:
        super().__init__(message)
        self.full = full


class ModelError(SociolabError):
    """A model call that failed for good (its retries are used up, or would not help).

    `cause` names the kind; `fatal` says that every further call would fail the same way, so
    that a run stops instead of failing a thousand times. `tries` counts the attempts made,
    `pause` is how many seconds the provider asks to wait. `weather`: the server is busy, loading or
    at its limit, so that waiting helps; it uses up no try. `may_be_billed`: the request was
    sent, and what became of it is not known.
    """

    def __init__(
        self,
        message: str,
        *,
        cause: Cause,
        retryable: bool = False,
        fatal: bool = False,
        tries: int = 1,
        pause: float | None = None,
        weather: bool = False,
        may_be_billed: bool = False,
    ) -> None:
        super().__init__(message)
        self.cause: Cause = cause
        self.retryable = retryable
        self.fatal = fatal
        self.tries = tries
        self.pause = pause
        self.weather = weather
        self.may_be_billed = may_be_billed


class BudgetSpent(ModelError):  # noqa: N818  a state of affairs, as StopIteration is
    """The next call could cost more than what is left of the budget."""

    def __init__(self, message: str) -> None:
        super().__init__(message, cause="budget", fatal=True)


def stops_all(error: SociolabError) -> bool:
    """Whether a run stops at this error: no credentials, budget spent, store unusable."""
    return isinstance(error, StoreError) or (isinstance(error, ModelError) and error.fatal)


def cause_of(error: SociolabError) -> Cause:
    """The cause on record for an error: its own, or "plugin" for any that has none."""
    return error.cause if isinstance(error, ModelError) else "plugin"


class ReplyError(SociolabError):
    """A reply that could not be parsed into the expected form.

    `raw` is the reply, verbatim, where whoever raises this has it. `tries` counts the attempts.
    """

    def __init__(self, message: str, *, raw: str = "", cause: Cause = "unreadable") -> None:
        super().__init__(message)
        self.raw = raw
        self.tries = 1
        self.cause: Cause = cause


class WorldError(SociolabError):
    """A world, agent or judge broke its contract: a bug of its author."""
